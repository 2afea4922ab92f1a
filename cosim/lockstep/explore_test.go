//go:build linux

package lockstep

import (
	"bytes"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// wrapping is a credit counter that wraps when empty, which a schedule rarely reaches.
const wrapping = `module dut(input clock, input reset, input take, input [11:0] give, output reg [11:0] count, output reg none, output reg many);
  parameter WRAPS = 1;
  wire [11:0] out = 12'd4095 - count;
  always @(posedge clock) begin
    none <= !reset && take && count == 0 && !WRAPS;
    many <= !reset && give > out;
    count <= reset ? 12'd4095 : count - {11'd0, take && (count != 0 || WRAPS)} + (give > out ? out : give);
  end
endmodule`

func wrappingMap(t *testing.T, wraps string) *pinmap.Map {
	return foreign(t, wrapping, &pinmap.Map{
		Library: library(),
		Model:   "credit_counter", Parameters: twin.Parameters{"DEPTH": 4095}, Clock: "clock", Reset: "reset",
		Source: cosim.Source{Params: map[string]string{"WRAPS": wraps}},
		Pins: []pinmap.Wiring{
			{Port: "take", Pins: []string{"take"}}, {Port: "give", Pins: []string{"give"}}, {Port: "count", Pins: []string{"count"}},
			{Port: "underflow", Pins: []string{"none"}}, {Port: "overflow", Pins: []string{"many"}},
		},
	})
}

// TestLongExplorationIsARun checks that a difference found from saved states is reproduced by plain inputs from
// power-on, also without snapshots, and that the same seed finds the same difference.
func TestLongExplorationIsARun(t *testing.T) {
	m := wrappingMap(t, "1")
	report := func(o Options) (*Report, string) {
		r := runLockstep(t, m, o)
		require.NotNil(t, r.Divergence)
		var b bytes.Buffer
		require.NoError(t, r.WriteText(&b))
		require.NoError(t, r.WriteJSON(&b))
		require.NoError(t, r.Shown.Stimulus.WriteCSV(&b))
		return r, b.String()
	}
	options := Options{Cycles: 2000, Explore: 400_000, NoShrink: true}
	first, text := report(options)
	_, again := report(options)
	require.Equal(t, text, again)
	require.Greater(t, first.Divergence.Found.Cycle, uint64(4000), "4,095 credits are taken one by one")
	require.Len(t, first.Explored, 1)
	require.Less(t, first.Explored[0].Cycles, options.Explore, "it ends where they differ")

	path := filepath.Join(t.TempDir(), "way.csv")
	var b bytes.Buffer
	require.NoError(t, first.Shown.Stimulus.WriteCSV(&b))
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	s, err := ReadStimulus(m, path)
	require.NoError(t, err)
	for _, backend := range []string{cosim.BackendWasm, cosim.BackendIcarus} {
		m.Backend = backend
		replayed := runLockstep(t, m, Options{Stimulus: s, NoShrink: true})
		require.NotNil(t, replayed.Divergence, backend)
		require.Equal(t, first.Divergence.Text, replayed.Divergence.Text, backend)
	}
}

// TestLongExplorationKnowsTheModelOnly checks that inputs depend on the seed, but neither on differences that are not
// compared nor on the power-on state.
func TestLongExplorationKnowsTheModelOnly(t *testing.T) {
	explored := func(m *pinmap.Map, seed uint64) Exploration {
		r := runLockstep(t, m, Options{Cycles: 1000, Explore: 30_000, Seed: seed, Brief: true, PowerOn: 1})
		require.Nil(t, r.Divergence)
		return r.Explored[0]
	}
	right := wrappingMap(t, "0")
	want := explored(right, 3)
	require.Greater(t, want.Places, 10)
	wrong := wrappingMap(t, "1")
	wrong.Pins = slices.DeleteFunc(wrong.Pins, func(w pinmap.Wiring) bool { return w.Port == "count" || w.Port == "underflow" })
	wrong.Absent = []string{"count", "underflow"}
	require.Equal(t, want, explored(wrong, 3))
	require.NotEqual(t, want.Shown, explored(right, 4).Shown)
}

// TestLongExplorationRespectsAssumptions checks that wrapping RTL passes if no credit is taken from an empty counter,
// from any saved state and with redrawn inputs.
func TestLongExplorationRespectsAssumptions(t *testing.T) {
	m := wrappingMap(t, "1")
	m.Assume = []string{"take -> count != 0"}
	r := runLockstep(t, m, Options{Cycles: 2000, Explore: 300_000})
	require.Nil(t, r.Divergence)
	require.NotZero(t, r.Contract.Redrawn)
	require.EqualValues(t, 302_000, r.Explored[0].Cycles+r.Inputs)

	m = wrappingMap(t, "1")
	m.Assume = []string{"give < 2000"}
	r = runLockstep(t, m, Options{Cycles: 2000, Explore: 300_000, NoShrink: true})
	require.NotNil(t, r.Divergence)
	require.True(t, r.Divergence.Found.Explored)
	give := m.Pins[1].Port
	require.Equal(t, "give", give)
	for cycle := range r.Shown.Stimulus.Cycles() {
		row := r.Shown.Stimulus.row(cycle)
		require.True(t, row[0] != 0 || row[2] < 2000, "cycle %d: %v", cycle, row)
	}
	replayed := runLockstep(t, m, Options{Stimulus: r.Shown.Stimulus, NoShrink: true})
	require.NotNil(t, replayed.Divergence)
	require.Equal(t, r.Divergence.Text, replayed.Divergence.Text)
}

// TestExploresWithoutSnapshots checks that exploration continues from the present state in Icarus, which has no
// snapshots.
func TestExploresWithoutSnapshots(t *testing.T) {
	m := wrappingMap(t, "0")
	m.Backend = cosim.BackendIcarus
	r := runLockstep(t, m, Options{Cycles: 200, Explore: 1500})
	require.Nil(t, r.Divergence)
	require.EqualValues(t, 1500, r.Explored[0].Cycles)
	require.Zero(t, r.Explored[0].Places)
	require.EqualValues(t, 1700, r.Cycles)
}

// TestExploresFromStatesOfARun checks that random inputs from states of a run find a difference that the run, which
// leaves a few credits, does not show, and that the report states the origin of the inputs.
func TestExploresFromStatesOfARun(t *testing.T) {
	m := wrappingMap(t, "1")
	model, err := m.NewModel()
	require.NoError(t, err)
	run := newStimulus(model)
	run.Place = "a run"
	takes, reset := model.Pin("take_i").Word, model.ResetWord()
	const cycles = 4090
	for cycle := range uint64(cycles) {
		row := make([]uint64, run.words)
		row[takes] = 1
		if cycle == 0 {
			row[takes], row[reset] = 0, 1
		}
		run.rows, run.cycles = append(run.rows, row...), append(run.cycles, cycle)
	}
	require.NoError(t, model.Close())

	pass := runLockstep(t, m, Options{Stimulus: run, NoExplore: true})
	require.Nil(t, pass.Divergence)
	require.Empty(t, pass.Explored)

	r := runLockstep(t, m, Options{Stimulus: run, NoShrink: true})
	require.NotNil(t, r.Divergence)
	found := r.Divergence.Found
	require.True(t, found.Explored)
	require.False(t, found.Directed)
	require.LessOrEqual(t, found.OfRun, cycles)
	require.Greater(t, found.OfRun, cycles/2)
	require.GreaterOrEqual(t, found.Cycle, uint64(found.OfRun))
	require.Equal(t, run.rows[:found.OfRun*run.words], r.Shown.Stimulus.rows[:found.OfRun*run.words])
	var text bytes.Buffer
	require.NoError(t, r.WriteText(&text))
	require.Contains(t, text.String(), fmt.Sprintf("found by random inputs from a state that the run reached after %s, "+
		"in cycle ", cosim.Count(uint64(found.OfRun), "cycle")))

	run.cycles = nil // as given by a user, not recorded
	given := runLockstep(t, m, Options{Stimulus: run})
	require.Nil(t, given.Divergence)
	require.Empty(t, given.Explored)
}

// TestPairs compares the new pairs of two sets of events with a table of all pairs.
func TestPairs(t *testing.T) {
	for words := range 3 {
		random := twin.NewRandom(1)
		p, seen := newPairs(words), map[[2]int]bool{}
		ones := func(set []uint64) (all []int) {
			for i, word := range set {
				set[i] = random.Sparse(2)
				for word = set[i]; word != 0; word &= word - 1 {
					all = append(all, 64*i+bits.TrailingZeros64(word))
				}
			}
			return all
		}
		first, second := make([]uint64, words), make([]uint64, words)
		for range 300 {
			wanted := len(seen)
			events := ones(second)
			for _, a := range ones(first) {
				for _, b := range events {
					seen[[2]int{a, b}] = true
				}
			}
			require.Equal(t, len(seen)-wanted, p.add(first, second))
			require.Zero(t, p.add(first, second))
		}
	}
}

func TestNoveltyCounts(t *testing.T) {
	tw, err := twin.Find(twin.All(), "fifo")
	require.NoError(t, err)
	m, err := tw.New(twin.Parameters{"DEPTH": 5, "WIDTH": 17, "COUNT_BITS": 12})
	require.NoError(t, err)
	defer m.Close()
	observed := m.Observed()
	names := map[string]bool{}
	for _, o := range observed {
		require.False(t, names[o.Name], o.Name)
		names[o.Name] = true
	}
	require.True(t, names["overflows_o"] && names["fifo.total"] && names["push_i"], "%v", names)
	n := newNovelty(observed, nil)
	seen := map[string]bool{}
	phaser := twin.NewPhaser(m, 5)
	var before []string
	var start []uint64
	for i := range observed {
		start = append(start, observed[i].Value())
	}
	last, most := slices.Clone(start), slices.Clone(start)
	found, fresh := 0, true
	for number := range uint64(60) {
		phase := phaser.Draw(phaser.Choose(number))
		phase.First = 100 * number
		if number == 0 {
			phase.Resets = 1
		}
		for cycle := range uint64(40) {
			phaser.Put(&phase, cycle)
			require.NoError(t, m.Settle())
			found += n.see()
			var events []string
			for i := range observed {
				o, value := &observed[i], observed[i].Value()
				if value != last[i] {
					last[i], most[i] = value, max(most[i], value)
					noteNaively(seen, o, value, start[i])
				}
				events = append(events, eventsNaively(o, value, most[i])...)
			}
			for _, a := range events {
				for _, b := range events {
					seen[a+" with "+b] = true
				}
			}
			for _, a := range before {
				for _, b := range events {
					if !fresh {
						seen[a+" before "+b] = true
					}
				}
			}
			before, fresh = events, false
			require.Equal(t, len(seen), found, "phase %d, cycle %d", number, cycle)
			m.Latch()
		}
		if number%3 == 0 {
			n.breakOff()
			fresh = true
		}
	}
	require.Equal(t, found, n.count())
}

// noteNaively records a value, or its distance from three others: the highest bit and the three bits below.
func noteNaively(seen map[string]bool, o *twin.Observed, value, start uint64) {
	if o.Bits <= 8 {
		seen[fmt.Sprint(o.Name, " is ", value)] = true
		return
	}
	away := max(value, start) - min(value, start)
	for from, distance := range []uint64{value, 1<<o.Bits - 1 - value, away} {
		shift := 0
		for distance>>shift > 15 {
			shift++
		}
		seen[fmt.Sprint(o.Name, " is ", distance>>shift<<shift, " from ", from)] = true
	}
}

func eventsNaively(o *twin.Observed, value, most uint64) (events []string) {
	if o.Bits == 1 {
		return []string{fmt.Sprint(o.Name, " ", value)}
	}
	for bit := 0; o.Port && bit < o.Bits; bit++ {
		if value&(1<<bit) != 0 {
			events = append(events, fmt.Sprint(o.Name, "[", bit, "]"))
		}
	}
	for name, is := range map[string]bool{"0": value == 0, "all ones": value == 1<<o.Bits-1, "the most": value == most} {
		if is {
			events = append(events, o.Name+" is "+name)
		}
	}
	return events
}
