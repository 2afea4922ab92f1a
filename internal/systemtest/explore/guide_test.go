package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/internal/explore"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// slidingWindow returns a go-back-N protocol for a bus of 2 taps, with planted mistakes by number.
var slidingWindow = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "explore")
	if err != nil {
		return "", err
	}
	image := filepath.Join(folder, "sliding_window.wasm")
	return image, firmware.Build(context.Background(), firmware.BuildOptions{
		Source: "testdata/firmware/sliding_window.c", Output: image,
	})
})

func windowed(t testing.TB, mistake, items, window int) string {
	t.Helper()
	image, err := slidingWindow()
	require.NoError(t, err)
	return fmt.Sprintf("starloom: 1\nfabric: {bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}}\n"+
		"firmware: {image: %s, params: {bug: %d, items: %d, window: %d}}\nstop: {slots: 400}\n", image, mistake, items,
		window)
}

// planted are mistakes of protocols, with the faults that they need.
func planted(t *testing.T) []plantedMistake {
	return []plantedMistake{
		{"lost acknowledgement: a repeated item is not acknowledged", windowed(t, 1, 12, 4), "drop: 20"},
		{"duplicate after a restart of the sender", windowed(t, 2, 12, 4), "restart: 1"},
		{"sequence numbers wrap within the window", windowed(t, 3, 12, 4), "drop: 20"},
		{"timeout below a round trip, acknowledgements without numbers", windowed(t, 4, 12, 1), "drop: 4, clock_pause: 4"},
		{"window too large by one", windowed(t, 5, 12, 4), "drop: 20"},
		{"timer in a byte: no timeout from slot 256 to 259", windowed(t, 6, 140, 1), "drop: 20"},
		{"an item is skipped after five timeouts", windowed(t, 7, 12, 4), "drop: 20"},
		{"alternating bit not toggled after a repetition", protocol(t, 2, 10), "drop: 20"},
		{"the sender waits for ever after two losses", protocol(t, 6, 10), "drop: 20"},
	}
}

type plantedMistake struct{ name, scenario, faults string }

func guided(t *testing.T, scenario, faults string, seed, slots uint64, o explore.Options) *outcome.Explored {
	t.Helper()
	s, err := starloom.ParseScenario("", []byte(scenario),
		starloom.Assignment{Key: "explore.faults", Value: faults}, starloom.Assignment{Key: "seed", Value: fmt.Sprint(seed)})
	require.NoError(t, err)
	c, err := inside.Config(s)
	require.NoError(t, err)
	o.Guide, o.Branches = slots, true
	r, err := explore.Of(t.Context(), c, *s.Explore, o)
	require.NoError(t, err)
	return r
}

// sampled runs seeds from a first one on, with random faults, until a rule breaks. It returns runs and slots.
func sampled(t *testing.T, x *plantedMistake, first uint64, most int) (runs int, slots uint64) {
	t.Helper()
	var faults []string
	for _, one := range strings.Split(x.faults, ", ") {
		kind, _, _ := strings.Cut(one, ":")
		chance := 0.05
		if kind == "restart" {
			chance = 0.01
		}
		faults = append(faults, fmt.Sprintf("{kind: %s, probability: %v}", kind, chance))
	}
	s, err := starloom.ParseScenario("", []byte(x.scenario), starloom.Assignment{Key: "faults",
		Value: "{schedule: [" + strings.Join(faults, ", ") + "]}"})
	require.NoError(t, err)
	m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	for runs = 1; ; runs++ {
		require.NoError(t, m.Reset(first+uint64(runs)))
		require.NoError(t, m.Run(t.Context(), nil))
		slots += uint64(m.Slots())
		if m.Report().ViolationsTotal > 0 || runs == most {
			return runs, slots
		}
	}
}

func median[T int | uint64](list []T) T {
	slices.Sort(list)
	return (list[len(list)/2-1] + list[len(list)/2]) / 2
}

// A guided search finds planted mistakes in fewer slots than random faults: in a hundredth, where these need more than
// 100 runs. Medians of 20 seeds.
func TestLongGuideBeatsSampling(t *testing.T) {
	seeds, most := 4, 300
	if *systemtest.Full {
		seeds, most = 20, 20000
	}
	t.Logf("%-62s %10s %12s %10s", "mistake", "runs", "slots", "guided")
	for _, x := range planted(t) {
		var runs []int
		var slots, guide []uint64
		for k := range seeds {
			r, n := sampled(t, &x, uint64(k)*1_000_000, most)
			runs, slots = append(runs, r), append(slots, n)
			report := guided(t, x.scenario, "{"+x.faults+"}", uint64(k+1), 1_000_000, explore.Options{})
			require.Equal(t, outcome.Fails, report.Verdict, x.name)
			guide = append(guide, report.Guide.Slots)
		}
		r, n, g := median(runs), median(slots), median(guide)
		t.Logf("%-62s %10d %12d %10d", x.name, r, n, g)
		switch {
		case r == most: // the figures are lower bounds
		case r > 100:
			assert.LessOrEqual(t, g*100, n, x.name)
		default:
			assert.LessOrEqual(t, g, n, x.name)
		}
	}
}

// The number of workers changes no byte, and a search that goes on in a folder ends as one without a pause.
func TestGuideIsDeterministic(t *testing.T) {
	for _, x := range []struct {
		scenario, faults string
		slots            uint64
	}{
		{windowed(t, 0, 12, 4), "{drop: 8, restart: 0, clock_pause: 2}", 20000},
		{windowed(t, 7, 12, 4), "{drop: 8}", 1_000_000},
		{scenarios[1].scenario, "{drop: 3, bit_flip: 2, dead: 1}", 3000},
		{protocol(t, 0, 3), "{drop: 2}", 1_000_000},
	} {
		text := func(slots uint64, o explore.Options) string {
			var text strings.Builder
			require.NoError(t, guided(t, x.scenario, x.faults, 1, slots, o).WriteJSON(&text))
			return text.String()
		}
		want := text(x.slots, explore.Options{})
		assert.Equal(t, want, text(x.slots, explore.Options{Workers: 3}))
		saved := explore.Saved{Folder: t.TempDir()}
		for _, slots := range []uint64{10, x.slots / 3, x.slots / 2} {
			text(slots, explore.Options{Saved: saved})
		}
		assert.Equal(t, want, text(x.slots, explore.Options{Saved: saved, Workers: 2}))
	}
}

// A guided search never shows that all runs keep the rules, and its schedule is repeated by a run.
func TestGuideVerdicts(t *testing.T) {
	r := guided(t, protocol(t, 0, 3), "{drop: 2}", 1, 1_000_000, explore.Options{})
	assert.Equal(t, outcome.Open, r.Verdict)
	assert.Zero(t, r.Guide.Corpus)
	r = guided(t, protocol(t, 0, 3), "{drop: 8}", 1, 500, explore.Options{})
	assert.Equal(t, outcome.Open, r.Verdict)
	assert.Contains(t, r.Sentence(), "the budget of 500 slots is used")

	s, err := starloom.ParseScenario("", []byte(protocol(t, 6, 10)),
		starloom.Assignment{Key: "explore.faults", Value: "{drop: 9, restart: 0}"})
	require.NoError(t, err)
	r, err = starloom.Explore(t.Context(), s, starloom.ExploreOptions{Guide: 100_000})
	require.NoError(t, err)
	require.Equal(t, outcome.Fails, r.Verdict)
	assert.Len(t, r.Schedule, 2, "delta debugging leaves the two losses")
	assert.False(t, r.FewestShown)

	r = guided(t, scatter4, "{drop: 60, restart: 4}", 1, 20_000, explore.Options{})
	assert.NotEqual(t, outcome.Holds, r.Verdict)
}

// A corpus that exceeds the memory loses its commonest states and goes on.
func TestGuideKeepsItsMemory(t *testing.T) {
	r := guided(t, windowed(t, 0, 12, 4)+"explore: {memory: 1 MiB}\n", "{drop: 20, clock_pause: 20}", 1, 30_000,
		explore.Options{})
	assert.Equal(t, outcome.Open, r.Verdict)
	assert.Positive(t, r.Guide.Dropped)
}
