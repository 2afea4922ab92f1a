package explore

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
)

// arriving is a bus whose packets 7, 8 and 9 are created in slots 0, 5 and 10. A packet crosses it in 5 cycles if no
// other waits.
func arriving(t *testing.T, more ...starloom.Assignment) *starloom.Scenario {
	t.Helper()
	file := filepath.Join(t.TempDir(), "packets.csv")
	require.NoError(t, os.WriteFile(file, []byte("id,source,destination,size,created\n7,0,2,1,0\n8,1,2,1,35\n9,0,1,1,70\n"), 0o666))
	s, err := starloom.ParseScenario("", []byte("starloom: 1\n"+
		"fabric: {bus: {vertices: 3, buses: [[0, 1, 2]], arbiter: fixed}}\nfirmware: {program: bus/traffic}\n"+
		"workload: {traffic: {file: "+file+", drain: 20 slots}}\nrules: {latency_max: 5}\n"+
		"explore: {choices: [arrivals], faults: {}, arrivals: [{packet: 8, from: 1, to: 12}, {packet: 9, from: 9, to: 12}]}\n"),
		more...)
	require.NoError(t, err)
	return s
}

// Two packets of one slot break the rule: the search finds the first such slots, as runs of all slots do, and both
// engines repeat them.
func TestArrivals(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			var to bytes.Buffer
			r, err := starloom.Explore(t.Context(), arriving(t),
				starloom.ExploreOptions{Engine: engine, Workers: workers, Counterexample: starloom.Writer(&to)})
			require.NoError(t, err)
			require.Equal(t, outcome.Fails, r.Verdict)
			assert.Equal(t, []outcome.ExploredArrival{{Packet: 8, Slot: 9}, {Packet: 9, Slot: 9}}, r.Arrivals)
			assert.Contains(t, to.String(), "choices: {arrivals: [{packet: 8, slot: 9}, {packet: 9, slot: 9}]}")
			assert.Contains(t, to.String(), "measure: 13 slots")
		}
	}
	r, err := starloom.Explore(t.Context(), arriving(t, starloom.Assignment{Key: "explore.arrivals",
		Value: "[{packet: 8, from: 1, to: 8}, {packet: 9, from: 9, to: 12}]"}), starloom.ExploreOptions{})
	require.NoError(t, err)
	assert.Equal(t, outcome.Holds, r.Verdict)
	assert.Equal(t, 32, r.Counts.Ends, "the ends of 8 * 4 combinations")
	assert.Contains(t, r.Covered[0], "packet 8 of ")
	for slot, wants := range map[string]bool{"0": true, "1": false, "9": false, "10": true} {
		s := arriving(t, starloom.Assignment{Key: "choices.arrivals", Value: "[{packet: 8, slot: " + slot + "}]"})
		r, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		assert.Equal(t, wants, len(r.Violations) > 0, slot)
	}
}

func TestArrivalsRefused(t *testing.T) {
	for key, want := range map[string]string{
		"explore.choices=[draws]":                                                     "choices does not list arrivals",
		"explore.arrivals=[{packet: 1, from: 0, to: 1}]":                              "the file has no packet 1",
		"explore.arrivals=[{packet: 8, from: 2, to: 1}]":                              "from is 2, and to is 1",
		"explore.arrivals=[{packet: 8, from: 0, to: 4096}]":                           "more than 4096 combinations",
		"workload.traffic={rate: 0.1}":                                                "the workload has no file of packets",
		"explore={choices: [arrivals]}":                                               "no packet is given whose slot is chosen",
		"explore.arrivals=[{packet: 8, from: 0, to: 1}, {packet: 8, from: 3, to: 4}]": "packet 8 occurs twice",
	} {
		k, value, _ := bytes.Cut([]byte(key), []byte("="))
		_, err := starloom.Explore(t.Context(), arriving(t, starloom.Assignment{Key: string(k), Value: string(value)}),
			starloom.ExploreOptions{})
		assert.ErrorContains(t, err, want)
	}
	s, err := starloom.ParseScenario("", []byte("starloom: 1\nfabric: {crossbar: {ports: 2}}\n"+
		"firmware: {program: scatter/sync}\nworkload: {scatter: {origin: 0}}\nchoices: {arrivals: [{packet: 1, slot: 0}]}\n"))
	require.NoError(t, err)
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
	assert.ErrorContains(t, err, "the workload has no file of packets")
}
