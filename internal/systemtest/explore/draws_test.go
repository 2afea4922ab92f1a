package explore

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/firmware"
)

var drawsImage = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "draws")
	if err != nil {
		return "", err
	}
	image := filepath.Join(folder, "draws.wasm")
	return image, firmware.Build(context.Background(), firmware.BuildOptions{
		Source: "testdata/firmware/draws.c", Output: image,
	})
})

// drawing returns a machine of two processors that draw; see testdata/firmware/draws.c for the modes.
func drawing(t *testing.T, mode int, more ...starloom.Assignment) *starloom.Scenario {
	t.Helper()
	image, err := drawsImage()
	require.NoError(t, err)
	s, err := starloom.ParseScenario("", []byte(fmt.Sprintf("starloom: 1\n"+
		"fabric: {bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}}\n"+
		"firmware: {image: %s, params: {mode: %d}}\n"+
		"explore: {choices: [draws]}\nstop: {slots: 20}\n", image, mode)), more...)
	require.NoError(t, err)
	return s
}

// Processor 1 fails for one of the six outcomes of its two draws in slot 2. The written scenario repeats it.
func TestDraws(t *testing.T) {
	faults := starloom.Assignment{Key: "explore.faults", Value: "{drop: 1}"}
	var first string
	for workers := 1; workers <= 3; workers++ {
		var to bytes.Buffer
		r, err := starloom.Explore(t.Context(), drawing(t, 0, faults),
			starloom.ExploreOptions{Workers: workers, Counterexample: starloom.Writer(&to)})
		require.NoError(t, err)
		require.Equal(t, outcome.Fails, r.Verdict)
		assert.Empty(t, r.Schedule)
		last := r.Draws[len(r.Draws)-1]
		assert.Equal(t, outcome.ExploredDraws{Processor: 1, Path: last.Path, Slot: 2, Outcomes: []uint32{1, 2}}, last)
		if first == "" {
			first = to.String()
		}
		assert.Equal(t, first, to.String())
	}
	assert.Contains(t, first, "choices: {draws: [")
}

// Runs with given draws fail exactly for the outcomes that the search finds.
func TestGivenDraws(t *testing.T) {
	for chance := range 2 {
		for below := range 3 {
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				s := drawing(t, 0, starloom.Assignment{Key: "choices.draws",
					Value: fmt.Sprintf("[{processor: 1, slot: 2, outcomes: [%d, %d]}]", chance, below)})
				o := starloom.RunOptions{}
				o.Engine = engine
				r, err := starloom.Run(t.Context(), s, o)
				require.NoError(t, err)
				assert.Equal(t, chance == 1 && below == 2, len(r.Violations) > 0, "%d, %d, %s", chance, below, engine)
			}
		}
	}
	missing := "starloom: 1\nfabric: {crossbar: {ports: 2}}\nfirmware: {program: scatter/sync}\n" +
		"workload: {scatter: {origin: 0}}\nchoices: {draws: [{processor: 2, slot: 0, outcomes: [0]}]}\n"
	wrong, err := starloom.ParseScenario("", []byte(missing))
	if err == nil {
		_, err = starloom.Run(t.Context(), wrong, starloom.RunOptions{})
	}
	assert.ErrorContains(t, err, "there is no processor 2")
	s := drawing(t, 0, starloom.Assignment{Key: "choices.draws", Value: "[{processor: 1, slot: 1, outcomes: [2]}]"})
	r, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, r.Violations)
	assert.Contains(t, r.Violations[0].Message, "choices.draws gives the outcome 2 to a draw with the outcomes 0 to 1")
}

func TestDrawsRefusedAndOpen(t *testing.T) {
	_, err := starloom.Explore(t.Context(), drawing(t, 1), starloom.ExploreOptions{})
	require.ErrorContains(t, err, "calls sl_random in on_slot at draws.c:30, whose 2^32 outcomes are not explored")
	r, err := starloom.Explore(t.Context(), drawing(t, 2), starloom.ExploreOptions{})
	require.NoError(t, err)
	assert.Equal(t, outcome.Open, r.Verdict)
	assert.Contains(t, r.Incomplete, "more than 4096 joint outcomes, first in slot 1")
	assert.EqualValues(t, 1, r.Slots)
	r, err = starloom.Explore(t.Context(), drawing(t, 5), starloom.ExploreOptions{})
	require.NoError(t, err)
	assert.Equal(t, outcome.Holds, r.Verdict, "outcomes without probability do not happen")
	old := strings.ReplaceAll(strings.ReplaceAll(asker, "WAIT", ""), "s->sent = 1",
		"s->sent = (uint32_t)(nic->bank.seed * 0x9E3779B97F4A7C15u >> 32) | 1")
	s, err := starloom.ParseScenario("", []byte("starloom: 1\nfabric: {bus: {vertices: 2, buses: [[0, 1]]}}\n"+
		"firmware: {image: "+build(t, old)+"}\nexplore: {choices: [draws]}\n"))
	require.NoError(t, err)
	_, err = starloom.Explore(t.Context(), s, starloom.ExploreOptions{})
	assert.ErrorContains(t, err, "has draws that cannot be chosen")
}

// The program of POPS is explored for all its draws, beyond any seed.
func TestDrawsOfProgram(t *testing.T) {
	explored := func(choices string) *outcome.Explored {
		s, err := starloom.ParseScenario("", []byte("starloom: 1\nfabric: {pops: {groups: 2, group_size: 1}}\n"+
			"firmware: {program: pops/random}\nstop: {slots: 6}\nexplore: {"+choices+"faults: {drop: 1}, slots: 5}\n"))
		require.NoError(t, err)
		r, err := starloom.Explore(t.Context(), s, starloom.ExploreOptions{})
		require.NoError(t, err)
		return r
	}
	all, one := explored("choices: [draws], "), explored("")
	assert.Equal(t, 40, all.Counts.States)
	assert.Equal(t, 14, one.Counts.States)
	assert.Contains(t, all.Covered, "all outcomes of draws (sl_chance, sl_random_bits, sl_random_below)")
}
