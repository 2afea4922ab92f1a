package estimate

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/internal/emulator"
)

// grown is a scenario of 64 processors whose runs take slots(n) slots of cost(n, slot) microseconds each, by its own
// clock.
func grown(largest int, slots func(n float64) float64, cost func(n, slot float64) float64) (subject, *int) {
	runs, now := new(int), time.Duration(0)
	return subject{at: func(steps int) (*Size, error) {
		if steps < -4 || steps > largest {
			return nil, nil
		}
		n := 64 * math.Exp2(float64(steps))
		size := &Size{Processors: int(n), SlotsMax: 100000, Memory: emulator.MemoryParts{{Bytes: 1 << 20}},
			Run: func(ctx context.Context, progress func(Progress)) error {
				*runs++
				for slot := 0.0; slot <= slots(n); slot++ {
					if ctx.Err() != nil {
						return ctx.Err()
					}
					progress(Progress{Slots: uint32(slot)})
					now += time.Duration(cost(n, slot) * 1e3)
				}
				return nil
			}, clock: func() time.Duration { return now }}
		if steps != 0 {
			size.Keys = []Key{{"size", int(n)}}
		}
		return size, nil
	}}, runs
}

// TestLaws compares estimates with known times at sizes that were not run.
func TestLaws(t *testing.T) {
	linear := func(n float64) float64 { return n }
	for name, c := range map[string]struct {
		slots   func(n float64) float64
		cost    func(n, slot float64) float64
		total   func(n float64) float64 // microseconds
		longest time.Duration
		basis   string
	}{
		"it ends":             {linear, func(n, _ float64) float64 { return 50 * n }, func(n float64) float64 { return 50 * n * n }, 2 * time.Second, BasisItself},
		"constant pace":       {linear, func(n, _ float64) float64 { return 60 * n }, func(n float64) float64 { return 60 * n * n }, 120 * time.Millisecond, BasisPart},
		"slower at the end":   {linear, func(n, s float64) float64 { return 60 * s }, func(n float64) float64 { return 30 * n * n }, 80 * time.Millisecond, BasisPart},
		"slots by logarithms": {func(n float64) float64 { return 20 * math.Log2(n) }, func(n, _ float64) float64 { return 30 * n }, func(n float64) float64 { return 600 * n * math.Log2(n) }, 120 * time.Millisecond, BasisPart},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := grown(2, c.slots, c.cost)
			e, err := of(t.Context(), s, c.longest, open("", "", false))
			require.NoError(t, err)
			require.Equal(t, c.basis, e.Time.Basis, e.Time)
			require.InDelta(t, 0, math.Log(e.Time.Processor*1e6/c.total(64)), math.Log(1.5), e.Time)
			require.Len(t, e.Larger, 2)
			for _, l := range e.Larger {
				require.InDelta(t, 0, math.Log(l.Time.Processor*1e6/c.total(float64(l.Processors))), math.Log(2), l)
			}
		})
	}
}

// TestPlaces checks that the number of slots is predicted by the law of the measured sizes.
func TestPlaces(t *testing.T) {
	for name, law := range map[string]func(n float64) float64{
		"constant": func(float64) float64 { return 12 }, "linear": func(n float64) float64 { return 3*n - 3 },
		"square": func(n float64) float64 { return n * n }, "logarithm": func(n float64) float64 { return 5 * math.Log2(n) },
	} {
		var points []point
		for n := 4.0; n <= 256; n *= 2 {
			points = append(points, point{n, law(n)})
		}
		require.InEpsilon(t, law(4096), places(points, 4096), 0.02, name)
	}
	require.InDelta(t, 20, places([]point{{10, 20}}, 100), 0)
}

// TestNothingToMeasure checks that a scenario too large to begin, without smaller sizes, has no time, and that one
// that does not end is estimated by its limit.
func TestNothingToMeasure(t *testing.T) {
	s, runs := grown(0, func(float64) float64 { return 1e9 }, func(float64, float64) float64 { return 100 })
	alone := subject{at: func(steps int) (*Size, error) {
		if steps != 0 {
			return nil, nil
		}
		return s.at(0)
	}}
	e, err := of(t.Context(), alone, 20*time.Millisecond, open("", "", false))
	require.NoError(t, err)
	require.Equal(t, BasisLimit, e.Time.Basis)
	require.InEpsilon(t, 10, e.Time.Processor, 0.3) // 100,000 slots of 100 us
	*runs = 0
	huge := subject{at: func(steps int) (*Size, error) {
		size, err := alone.at(steps)
		if size != nil {
			size.Memory = emulator.MemoryParts{{Bytes: 1 << 60}}
		}
		return size, err
	}}
	e, err = of(t.Context(), huge, 20*time.Millisecond, open("", "", false))
	require.NoError(t, err)
	require.Equal(t, Time{}, e.Time)
	require.Zero(t, *runs)
}

// TestKept checks that measurements are reused, except on request or for another subject.
func TestKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	s, runs := grown(1, func(n float64) float64 { return n }, func(float64, float64) float64 { return 10 })
	ask := func(identity string, again bool) (made int) {
		*runs = 0
		_, err := of(t.Context(), s, time.Second, open(folder, identity, again))
		require.NoError(t, err)
		return *runs
	}
	require.Equal(t, 5, ask("x", false))
	require.Zero(t, ask("x", false))
	require.Equal(t, 5, ask("y", false))
	require.Equal(t, 5, ask("x", true))
	require.Zero(t, ask("x", false))
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, file := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, file.Name()), []byte("{"), 0o644))
	}
	require.Equal(t, 5, ask("x", false))
}

// TestPageOfAnEstimate checks that a page begins with the memory and time in one sentence and their pictures, and
// that a run that is refused is the cause.
func TestPageOfAnEstimate(t *testing.T) {
	parts := func(n uint64) emulator.MemoryParts {
		return emulator.MemoryParts{{Part: "program", Bytes: 35 << 20}, {Part: "network", Bytes: n << 20},
			{Part: "file", Bytes: 9}}
	}
	e := &Estimate{Scenario: "ring", Engine: "slot", Processors: 64, MemoryAvailable: 1 << 30, MemoryParts: parts(64),
		MemoryBytes: parts(64).Sum(), RunCommand: "starloom run ring.yaml --seeds 1..9",
		Time: Time{Seconds: 3, Processor: 6, Slots: 40, Basis: BasisSmaller, From: "16 to 32 processors"},
		Larger: []Larger{{Keys: []Key{{"fabric.bus.processors", 128}}, Processors: 128, MemoryParts: parts(900),
			MemoryBytes: parts(900).Sum()}},
		Measurements: []Measurement{{Processors: 16, Whole: true, Places: 30, Begin: 0.1, Between: 1, Rest: 0.2},
			{Processors: 32, Whole: true, Places: 35, Begin: 0.2, Between: 2, Rest: 0.4}}}
	written := func() string {
		var b strings.Builder
		require.NoError(t, e.WriteHTML(&b))
		return strings.NewReplacer("<span>", "", "</span>", "", "<code>", "", "</code>", "").Replace(b.String())
	}
	html := written()
	for _, part := range []string{
		`<p class="cause">A run takes about 99 MiB of memory, of 1024 MiB available, and about 3.0 s on this ` +
			`machine. The time is based on runs of smaller sizes, 16 to 32 processors; the run will probably take 40 slots.</p>`,
		"starloom run ring.yaml --seeds 1..9</pre>", "starloom estimate ring.yaml --seeds 1..9 --recalibrate</pre>",
		"<title>Memory</title>", "<title>Time</title>", "<title>program</title>", "<title>other</title>",
		"<title>available now</title>", "<title>measured: 2.6 at 32</title>", "<title>predicted: 6 at 64</title>",
		"fabric.bus.processors=128", "Times are those of this machine.",
	} {
		require.Contains(t, html, part)
	}
	require.NotContains(t, html, "The same input gives the same page")
	e.MemoryAvailable = 64 << 20
	html = written()
	require.Contains(t, html, `<p class="cause">A run is refused here: it takes about 99 MiB of memory, but only 64 MiB `+
		`are available.</p>`)
	require.NotContains(t, html, "starloom run ring.yaml")
}
