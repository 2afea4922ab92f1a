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
	"starloom/hw"
	"starloom/internal/emulator"
	"starloom/internal/explore"
	"starloom/internal/inside"
)

// alternatingBit returns an alternating-bit protocol on a bus of 4 taps, with planted mistakes by number.
var alternatingBit = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "explore")
	if err != nil {
		return "", err
	}
	image := filepath.Join(folder, "alternating_bit.wasm")
	return image, firmware.Build(context.Background(), firmware.BuildOptions{
		Source: "testdata/firmware/alternating_bit.c", Output: image,
	})
})

func protocol(t *testing.T, mistake, packets int) string {
	t.Helper()
	image, err := alternatingBit()
	require.NoError(t, err)
	return fmt.Sprintf("starloom: 1\nfabric: {bus: {vertices: 4, buses: [[0, 1, 2, 3]], arbiter: fixed}}\n"+
		"firmware: {image: %s, params: {bug: %d, packets: %d}}\nstop: {slots: 100}\n", image, mistake, packets)
}

const scatter4 = "starloom: 1\nfabric: {crossbar: {ports: 4}}\nfirmware: {program: scatter/sync}\n" +
	"workload: {scatter: {origin: 0}}\nstop: {slots: 100}\n"

func explored(t *testing.T, scenario, faults string, o explore.Options) *outcome.Explored {
	t.Helper()
	s, err := starloom.ParseScenario("", []byte(scenario),
		starloom.Assignment{Key: "explore.faults", Value: faults})
	require.NoError(t, err)
	c, err := inside.Config(s)
	require.NoError(t, err)
	r, err := explore.Of(t.Context(), c, *s.Explore, o)
	require.NoError(t, err)
	return r
}

// The counts of scatter are those of an independent search. The bus has fewer states without the number of sent
// frames in the key than with it: the number influences nothing, and no rule judges it.
func TestCounts(t *testing.T) {
	for k, want := range []int{38, 99, 188, 308} {
		r := explored(t, scatter4, fmt.Sprintf("{drop: %d}", k+1), explore.Options{})
		assert.Equal(t, want, r.Counts.States, "%d drops", k+1)
		assert.Equal(t, outcome.Holds, r.Verdict)
	}
	counted := func(name string, class hw.Class) hw.Class {
		if name == "machine.sent" {
			return hw.Future
		}
		return class
	}
	for k, want := range [][2]int{{42, 50}, {100, 158}, {180, 365}} {
		faults := fmt.Sprintf("{drop: %d}", k+1)
		assert.Equal(t, want[0], explored(t, protocol(t, 0, 3), faults, explore.Options{}).Counts.States, faults)
		assert.Equal(t, want[1], explored(t, protocol(t, 0, 3), faults, explore.Options{Classes: counted}).Counts.States,
			"%s, with sent frames", faults)
	}
}

var scenarios = []struct{ name, scenario, faults string }{
	{"scatter", scatter4, "{drop: 2, restart: 1}"},
	{"random on POPS", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\n" +
		"stop: {slots: 40}\n", "{drop: 1, bit_flip: 1}"},
	{"EJ", "starloom: 1\nfabric: {ej: {a: 1, b: 2, dimensions: 1}}\nfirmware: {program: ej/improved}\n" +
		"workload: {one_to_all: {source: 0}}\nstop: {slots: 12}\n", "{drop: 1, restart: 1}"},
	{"torus", "starloom: 1\nfabric: {netlist: {torus: {k: [2, 2]}}}\nfirmware: {program: netlist/next-hop}\n" +
		"stop: {slots: 12}\n", "{drop: 1, bit_flip: 1, clock_pause: 1}"},
	{"gossip", "starloom: 1\nfabric: {crossbar: {ports: 4}}\nfirmware: {program: gossip/fsa, params: {scheduling: 2}}\n" +
		"workload: {gossip: {}}\nstop: {slots: 30}\n", "{drop: 1, dead: 1}"},
	{"buses", "starloom: 1\nfabric: {bus: {vertices: 8, length: 4}}\nfirmware: {program: bus/two-phase}\n" +
		"stop: {slots: 30}\n", "{drop: 1, miss: 1}"},
}

// Both engines come to the same verdict, with as many faults and slots, and any number of workers to the same report.
func TestEnginesAndWorkers(t *testing.T) {
	for _, x := range scenarios {
		t.Run(x.name, func(t *testing.T) {
			var first []byte
			for workers := 1; workers <= 3; workers++ {
				var text bytes.Buffer
				require.NoError(t, explored(t, x.scenario, x.faults, explore.Options{Workers: workers}).WriteJSON(&text))
				if first == nil {
					first = text.Bytes()
				}
				assert.Equal(t, string(first), text.String(), "%d workers", workers)
			}
			slot := explored(t, x.scenario, x.faults, explore.Options{})
			if strings.Contains(x.faults, "miss") {
				return // the slot engine alone
			}
			cycle := explored(t, x.scenario, x.faults, explore.Options{Engine: emulator.EngineCycle})
			assert.Equal(t, slot.Verdict, cycle.Verdict)
			assert.Len(t, cycle.Schedule, len(slot.Schedule))
			if slot.Verdict == outcome.Fails {
				assert.Equal(t, slot.Violations[0].Slot, cycle.Violations[0].Slot)
				assert.Equal(t, slot.Violations[0].Rule, cycle.Violations[0].Rule)
			}
			assert.GreaterOrEqual(t, cycle.Counts.States, slot.Counts.States)
		})
	}
}

// Two states with the same key have one future, whichever other columns differ.
func TestOneKeyOneFuture(t *testing.T) {
	explored(t, protocol(t, 0, 3), "{drop: 2, miss: 1}", explore.Options{Verify: true})
	explored(t, scatter4, "{drop: 2, restart: 1}", explore.Options{Verify: true})
}

func TestLongOneKeyOneFuture(t *testing.T) {
	explored(t, protocol(t, 0, 3), "{drop: 2, miss: 1, restart: 1, dead: 1, clock_pause: 1}",
		explore.Options{Verify: true})
	for _, x := range scenarios {
		explored(t, x.scenario, x.faults, explore.Options{Verify: true})
	}
}

// A search without keys, by whole runs, finds failing schedules exactly where the exploration does.
func TestWholeRuns(t *testing.T) {
	for mistake, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 0, 6: 2} {
		r := explored(t, protocol(t, mistake, 3), "{drop: 2}", explore.Options{})
		fewest, slot := wholeRuns(t, protocol(t, mistake, 3), 20)
		require.Equal(t, want, fewest, "mistake %d", mistake)
		if fewest == 0 {
			assert.Equal(t, outcome.Holds, r.Verdict, "mistake %d", mistake)
			continue
		}
		assert.Equal(t, outcome.Fails, r.Verdict, "mistake %d", mistake)
		assert.Len(t, r.Schedule, fewest, "mistake %d", mistake)
		assert.Equal(t, slot, r.Violations[0].Slot, "mistake %d", mistake)
		assert.True(t, r.FewestShown)
	}
}

// wholeRuns runs every schedule of one and of two drops in the first slots. It returns the fewest drops that break a
// rule, 0 for none, and the earliest slot of a violation by so many.
func wholeRuns(t *testing.T, scenario string, slots int) (fewest int, slot uint64) {
	t.Helper()
	broken := func(drops ...int) (uint64, bool) {
		s, err := starloom.ParseScenario("", []byte(scenario), starloom.Assignment{Key: "faults", Value: fmt.Sprintf(
			"{schedule: [{kind: drop, slots: {list: %s}}]}",
			strings.ReplaceAll(fmt.Sprint(drops), " ", ", "))})
		require.NoError(t, err)
		r, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		if len(r.Violations) == 0 {
			return 0, false
		}
		return r.Violations[0].Slot, true
	}
	least := ^uint64(0)
	for a := range slots {
		if at, ok := broken(a); ok {
			fewest, least = 1, min(least, at)
		}
	}
	for a := 0; fewest != 1 && a < slots; a++ {
		for b := a + 1; b < slots; b++ {
			if at, ok := broken(a, b); ok {
				fewest, least = 2, min(least, at)
			}
		}
	}
	return fewest, least
}

func TestCounterexample(t *testing.T) {
	s, err := starloom.ParseScenario("", []byte(protocol(t, 2, 3)))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "lost.yaml")
	o := starloom.ExploreOptions{Counterexample: starloom.File(path), Pictured: true}
	r, err := starloom.Explore(t.Context(), s, o)
	require.NoError(t, err)
	require.Equal(t, outcome.Fails, r.Verdict)
	told := ""
	for _, act := range r.Acts {
		told += fmt.Sprintf("%d %s: %s\n", act.Slot, act.Path, act.Text)
		assert.LessOrEqual(t, uint64(act.Slot), r.Violations[0].Slot+1)
	}
	first := &r.Schedule[0]
	assert.Contains(t, told, fmt.Sprintf("%d %s: fault: %s\n", first.Slot, first.Target, first.Kind))
	assert.Contains(t, told, "; next 1 -> 0", "the restart forgets a variable")
	assert.Contains(t, told, "received from 0: data")
	assert.Contains(t, told, fmt.Sprintf("%d %s: ", r.Violations[0].Slot, r.Violations[0].Path))
	again, err := starloom.LoadScenario(path)
	require.NoError(t, err)
	report, err := starloom.Run(t.Context(), again, starloom.RunOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, report.Violations)
	assert.Equal(t, r.Violations[0].Message, report.Violations[0].Message)
}

// A limit never leads to the verdict that no rule is broken.
func TestLimits(t *testing.T) {
	for _, limit := range []starloom.Assignment{
		{Key: "explore.slots", Value: "5"}, {Key: "explore.states", Value: "20"}, {Key: "explore.memory", Value: "1 MiB"},
	} {
		s, err := starloom.ParseScenario("", []byte(protocol(t, 0, 30)), limit,
			starloom.Assignment{Key: "explore.faults", Value: "{drop: 8, miss: 3}"},
			starloom.Assignment{Key: "stop.slots", Value: "400"})
		require.NoError(t, err)
		r, err := starloom.Explore(t.Context(), s, starloom.ExploreOptions{})
		require.NoError(t, err)
		assert.Equal(t, outcome.Open, r.Verdict, limit.Key)
		assert.NotEmpty(t, r.Incomplete)
	}
}

// The memory ends a search within a slot, at the same state for any number of workers. With more memory it continues to
// the result of a search without the limit.
func TestMemoryWithinSlot(t *testing.T) {
	search := func(workers int, out string, set ...starloom.Assignment) *outcome.Explored {
		s, err := starloom.ParseScenario("", []byte("starloom: 1\nfabric: {crossbar: {ports: 12}}\n"+
			"firmware: {program: scatter/sync}\nworkload: {scatter: {origin: 0}}\nstop: {slots: 100}\n"+
			"explore: {faults: {drop: 4}, slots: 6}\n"), set...)
		require.NoError(t, err)
		r, err := starloom.Explore(t.Context(), s, starloom.ExploreOptions{Workers: workers, Out: out})
		require.NoError(t, err)
		require.Equal(t, outcome.Open, r.Verdict)
		return r
	}
	small, folder := starloom.Assignment{Key: "explore.memory", Value: "2 MiB"}, t.TempDir()
	one, two := search(1, folder, small), search(2, "", small)
	assert.Equal(t, one.Counts, two.Counts)
	assert.Contains(t, one.Incomplete, "the limit of 2 MiB of memory is reached")
	next := search(1, "", starloom.Assignment{Key: "explore.slots", Value: fmt.Sprint(one.Slots + 1)})
	assert.Less(t, one.Counts.States, next.Counts.States, "the slot is not complete")
	assert.Equal(t, search(1, "").Counts, search(1, folder).Counts)
}

// Static variables would carry one branch's past into another.
func TestStatics(t *testing.T) {
	image := filepath.Join(t.TempDir(), "statics.wasm")
	source := filepath.Join(t.TempDir(), "statics.c")
	require.NoError(t, os.WriteFile(source, []byte(`#include "starloom.h"
typedef struct { uint32_t slots; } state_t;
static uint32_t total;
static void on_start(sl_nic *nic, state_t *s) { (void)nic; (void)s; }
static void on_slot(sl_nic *nic, state_t *s) { total += sl_self(nic); if (++s->slots + (total & 0) > 5) sl_done(nic); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`), 0o600))
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image}))
	s, err := starloom.ParseScenario("", []byte("starloom: 1\n"+
		"fabric: {bus: {vertices: 2, buses: [[0, 1]]}}\nfirmware: {image: "+
		image+"}\n"))
	require.NoError(t, err)
	_, err = starloom.Explore(t.Context(), s, starloom.ExploreOptions{})
	assert.ErrorContains(t, err, "static memory")
}

// Frames that a full TX FIFO refuses are written to a static dummy of the SDK, which no later handler reads.
func TestFramesForFullFIFO(t *testing.T) {
	image := build(t, `#include "starloom.h"
typedef struct { uint32_t slots; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)s; sl_listen(nic, 0); }
static void on_slot(sl_nic *nic, state_t *s) {
    for (uint32_t i = 0; i < 9; i++) *(uint32_t *)sl_send(nic, 0, SL_KIND_DATA, SL_ANY, 4)->payload = i + s->slots;
    while (sl_receive(nic)) {}
    if (++s->slots > 3) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`)
	r := explored(t, "starloom: 1\nfabric: {bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}}\nfirmware: {image: "+
		image+"}\nstop: {slots: 6}\n", "{drop: 1}", explore.Options{})
	assert.NotEmpty(t, r.Verdict)
}

// columnsOf returns the columns of a scenario's states with a class.
func columnsOf(t *testing.T, scenario, faults string, class hw.Class) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	explored(t, scenario, faults, explore.Options{Classes: func(name string, c hw.Class) hw.Class {
		if c == class {
			all[name] = true
		}
		return c
	}})
	return all
}

// A figure in the key splits states, and changes no verdict and no schedule's length.
func TestStatisticsInTheKey(t *testing.T) {
	for _, x := range scenarios {
		plain := explored(t, x.scenario, x.faults, explore.Options{})
		for name := range columnsOf(t, x.scenario, x.faults, hw.Statistic) {
			with := explored(t, x.scenario, x.faults, explore.Options{Classes: func(n string, c hw.Class) hw.Class {
				if n == name {
					return hw.Future
				}
				return c
			}})
			assert.Equal(t, plain.Verdict, with.Verdict, "%s, %s", x.name, name)
			assert.Len(t, with.Schedule, len(plain.Schedule), "%s, %s", x.name, name)
			assert.GreaterOrEqual(t, with.Counts.States, plain.Counts.States, "%s, %s", x.name, name)
			if plain.Verdict == outcome.Fails {
				assert.Equal(t, plain.Violations[0].Slot, with.Violations[0].Slot, "%s, %s", x.name, name)
			}
		}
	}
}

// A machine without firmware runs many cycles at a time: no state in between could be expanded.
func TestBareRouters(t *testing.T) {
	s, err := starloom.ParseScenario("", []byte("starloom: 1\nfabric: {netlist: {mesh: {k: [2, 2]}, router: {}}}\n"+
		"workload: {traffic: {rate: 0.05}}\n"))
	require.NoError(t, err)
	_, err = starloom.Explore(t.Context(), s, starloom.ExploreOptions{})
	assert.ErrorContains(t, err, "routers without firmware are not explored")
	var refused *starloom.InputError
	assert.ErrorAs(t, err, &refused)
}

// Faults outside of explore.targets stand under "not covered", also a kind without any target.
func TestTargets(t *testing.T) {
	s, err := starloom.ParseScenario("", []byte(protocol(t, 0, 3)), starloom.Assignment{Key: "explore",
		Value: `{faults: {drop: 1, clock_pause: 1}, targets: ["bus.nic[1]"]}`})
	require.NoError(t, err)
	r, err := starloom.Explore(t.Context(), s, starloom.ExploreOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"clock_pause": 1}, r.Bounds)
	assert.Equal(t, "clock_pause: at most 1, each in any slot, at 1 processor", r.Covered[0])
	assert.Contains(t, r.NotCovered[0], "drop")
	assert.Contains(t, r.NotCovered, "faults at places other than bus.nic[1]")
}

// Draws depend on a fault's number, so the faults of a schedule come after the random fault of a scenario.
func TestRandomFaultKeepsItsDraws(t *testing.T) {
	s, err := starloom.LoadScenario("examples/bus-reliable.yaml",
		starloom.Assignment{Key: "explore.faults", Value: "{restart: 1}"})
	require.NoError(t, err)
	r, err := starloom.Explore(t.Context(), s, starloom.ExploreOptions{})
	require.NoError(t, err)
	require.Equal(t, outcome.Fails, r.Verdict)
	assert.Equal(t, starloom.RuleResults, r.Violations[0].Rule)
}
