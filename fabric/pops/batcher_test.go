package pops

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// knuth returns the comparators {low, high} of every stage, as algorithm 5.2.2M
// is printed.
func knuth(n int) (stages [][][2]int) {
	if n < 2 {
		return nil
	}
	t := 0
	for 1<<t < n {
		t++
	}
	for p := 1 << (t - 1); p > 0; p /= 2 {
		q, r, d := 1<<(t-1), 0, p
		for {
			var stage [][2]int
			for i := 0; i < n-d; i++ {
				if i&p == r {
					stage = append(stage, [2]int{i, i + d})
				}
			}
			stages = append(stages, stage)
			if q == p {
				break
			}
			d, q, r = q-p, q/2, p
		}
	}
	return stages
}

func TestBatcherIsMergeExchange(t *testing.T) {
	for n := 1; n <= 140; n++ {
		want := knuth(n)
		require.Equal(t, len(want), BatcherStages(n), "n = %d", n)
		for stage := range want {
			var got [][2]int
			for i := range n {
				j, ok := batcherPartner(n, stage, i)
				require.Equal(t, j != i, ok)
				back, _ := batcherPartner(n, stage, j)
				require.Equal(t, i, back, "n = %d, stage %d: %d and %d", n, stage, i, j)
				if i < j {
					got = append(got, [2]int{i, j})
				}
			}
			require.Equal(t, want[stage], got, "n = %d, stage %d", n, stage)
		}
	}
	require.Panics(t, func() { batcherPartner(8, 6, 0) })
}

// The 0-1 principle: a network that sorts all sequences of zeros and ones sorts
// everything.
func TestBatcherSortsZerosAndOnes(t *testing.T) {
	for n := 1; n <= 13; n++ {
		for input := range 1 << n {
			v := input
			for stage := range BatcherStages(n) {
				for i := range n {
					if j, ok := batcherPartner(n, stage, i); ok && i < j && v>>i&1 > v>>j&1 {
						v ^= 1<<i | 1<<j
					}
				}
			}
			ones := 0
			for i := range n {
				ones += input >> i & 1
			}
			require.Equal(t, (1<<ones-1)<<(n-ones), v, "n = %d, input %b", n, input)
		}
	}
}

// checkSort sorts keys with duplicates on the network and returns an error for a wrong result.
func checkSort(p Network, keys int, seed uint64) error {
	stream := hw.NewStream(seed, hw.PurposeWorkload)
	own := make([]int, p.Processors())
	for i := range own {
		own[i] = int(hw.Below(stream.Draw(uint32(i), 0, 0), uint32(keys)))
	}
	want := slices.Sorted(slices.Values(own))
	c := newChecker(p, own)
	c.keepOwn = true
	if err := c.run(PlanSort(p), func(a, b int) bool { return a < b }); err != nil {
		return err
	}
	if !slices.Equal(want, c.own) {
		return fmt.Errorf("not sorted")
	}
	if c.packetsMax > 3 {
		return fmt.Errorf("a processor holds %d packets", c.packetsMax)
	}
	return nil
}

func TestSort(t *testing.T) {
	limit := 10
	if *full {
		limit = 30
	}
	for g := 1; g <= limit; g++ {
		for d := 1; d <= limit; d++ {
			p := Network{g, d}
			require.NoError(t, checkSort(p, 1+p.Processors()/2, uint64(g*d)), "%+v", p)
		}
	}
	for _, p := range []Network{{16, 16}, {4, 64}, {8, 32}, {32, 8}, {100, 1}, {12, 24}, {24, 12}, {1, 40}} {
		require.NoError(t, checkSort(p, 1<<30, 9), "%+v", p)
	}
}

// TestStageFormula: the formula applies to all stages of networks of powers of two, and to some
// stages of others; TestSort checks that its colours are right.
func TestStageFormula(t *testing.T) {
	for a := range 6 {
		for b := range 6 {
			p := Network{1 << a, 1 << b}
			for stage := range BatcherStages(p.Processors()) {
				require.Nil(t, PlanStage(p, stage).order, "%+v, stage %d", p, stage)
			}
		}
	}
	planned, total := 0, 0
	for _, p := range []Network{{12, 12}, {5, 7}, {7, 5}} {
		for stage := range BatcherStages(p.Processors()) {
			total++
			if PlanStage(p, stage).order != nil {
				planned++
			}
		}
	}
	require.NotZero(t, planned)
	require.Less(t, planned, total)
}

// A schedule is a function of the slot: going back gives the same words.
func TestSortPlanAnyOrder(t *testing.T) {
	p := Network{5, 7}
	forward := make([][]uint64, SortSlots(p))
	plan := PlanSort(p)
	require.Equal(t, len(forward), plan.Slots())
	for slot := range forward {
		forward[slot] = make([]uint64, p.Processors())
		plan.Words(slot, forward[slot])
	}
	words := make([]uint64, p.Processors())
	for slot := len(forward) - 1; slot >= 0; slot-- {
		plan.Words(slot, words)
		require.Equal(t, forward[slot], words)
	}
}

// Slots of sorting and of column B: all rows of tables I and II.
func TestSlotsAgainstTables(t *testing.T) {
	file, err := os.Open("testdata/pops_tables_I_II.csv")
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 34)
	column := func(name string) int { return slices.Index(rows[0], name) }
	for _, row := range rows[1:] {
		number := func(name string) int {
			v, err := strconv.Atoi(row[column(name)])
			require.NoError(t, err)
			return v
		}
		p := Network{number("g"), number("d")}
		require.Equal(t, number("n"), p.Processors())
		require.Equal(t, number("batcher_sort_slots"), SortSlots(p), "%+v", p)
		require.Equal(t, float64(number("tableI_B_formula")), PreviousSlots(p), "%+v", p)
	}
	for i, slots := range []int{6, 20, 42, 72, 110, 156, 210, 272, 342, 420, 506, 600} { // 4L^2 + 2L
		require.Equal(t, slots, SortSlots(Network{2 << i, 2 << i}))
	}
	require.Equal(t, 672, SortSlots(Network{2, 32}))
	require.Equal(t, 0, SortSlots(Network{1, 1}))
	require.Equal(t, 10, SortSlots(Network{16, 1})) // one slot per stage
}

func BenchmarkSortWords(b *testing.B) {
	for _, p := range []Network{{256, 256}, {255, 257}, {64, 1024}} {
		b.Run(fmt.Sprintf("g=%d/d=%d", p.Groups, p.GroupSize), func(b *testing.B) {
			words := make([]uint64, p.Processors())
			for b.Loop() {
				plan := PlanSort(p)
				for slot := range plan.Slots() {
					plan.Words(slot, words)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(words)*SortSlots(p)), "ns/word")
		})
	}
}

// batcherPartner returns the key that key i is compared with in a stage,
// 0..BatcherStages(n)-1; ok is false if it is compared with none. The smaller key
// goes to the lower index.
func batcherPartner(n, stage, i int) (j int, ok bool) {
	j = newBatcherStage(n, stage).partner(i)
	return j, j != i
}
