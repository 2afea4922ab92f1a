package eisenstein

import (
	"fmt"
	"math/big"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func steps(t *testing.T, a, b, dims int, algorithm Algorithm) []Step {
	steps, err := field(t, a, b).Steps(algorithm, dims)
	require.NoError(t, err)
	return steps
}

// row are the cells of a step as tables have them: free, sending, receiving, active nodes.
func row(nodes uint64, s Step) (cells []string) {
	for _, count := range []uint64{nodes - s.Active(), s.Senders, s.Receivers, s.Active()} {
		cells = append(cells, strconv.FormatUint(count, 10))
	}
	return cells
}

func totals(steps []Step) (total Step) {
	for _, step := range steps {
		total.Senders += step.Senders
		total.Receivers += step.Receivers
	}
	return total
}

// algorithmNamed are the names of the tables.
var algorithmNamed = map[string]Algorithm{"previous": Previous, "proposed": Improved}

// TestTablesOfThePaper: Tables 1 to 3, every cell.
func TestTablesOfThePaper(t *testing.T) {
	const nodes = 37 * 37 * 37
	check := func(records [][]string, before int, steps []Step) {
		last := len(records) - 1
		require.Len(t, steps, last)
		for i, step := range steps {
			require.Equal(t, records[i][before:], row(nodes, step))
		}
		total := totals(steps)
		require.Equal(t, []string{fmt.Sprint(total.Senders), fmt.Sprint(total.Receivers)}, records[last][before+1:before+3])
	}
	table1 := golden(t, "table1")
	check(table1, 2, steps(t, 3, 4, 3, Previous))
	require.Equal(t, "9", table1[9][1], "steps; the paper prints 12")
	check(golden(t, "table2"), 1, steps(t, 3, 4, 3, Improved))

	f := field(t, 3, 4)
	for _, record := range golden(t, "table3") {
		dims := number(t, record[0])
		previous, proposed := totals(steps(t, 3, 4, dims, Previous)).Senders, totals(steps(t, 3, 4, dims, Improved)).Senders
		ratio := big.NewRat(int64(previous), int64(proposed))
		require.Equal(t, record[1:4], []string{fmt.Sprint(previous), fmt.Sprint(proposed), fmt.Sprint(previous - proposed)})
		require.Equal(t, record[4], ratio.FloatString(9))
		for algorithm, senders := range map[Algorithm]uint64{Previous: previous, Improved: proposed} {
			total, err := f.TotalSenders(algorithm, dims)
			require.NoError(t, err)
			require.Equal(t, senders, total)
		}
	}
}

// TestTwelveSteps: five networks that take 12 steps, to 13,841,287,201 nodes, and their means.
func TestTwelveSteps(t *testing.T) {
	sums := map[string]*Step{}
	for _, record := range golden(t, "12step_family") {
		step := number(t, record[5]) - 1
		key := record[4] + record[5]
		if record[0] == "mean" {
			sum := sums[key]
			require.Equal(t, []string{tenth(sum.Senders), tenth(sum.Receivers), tenth(sum.Active())}, record[7:])
			continue
		}
		all := steps(t, number(t, record[0]), number(t, record[1]), number(t, record[2]), algorithmNamed[record[4]])
		require.Len(t, all, 12)
		require.Equal(t, record[6:], row(uint64(number(t, record[3])), all[step]), "%v", record)
		if sums[key] == nil {
			sums[key] = &Step{}
		}
		sums[key].Senders += all[step].Senders
		sums[key].Receivers += all[step].Receivers
	}
	for dims, alpha := range map[int][2]uint64{
		12: {1977326743, 2306881200}, 6: {17332693, 18295620}, 4: {962407, 989140}, 3: {137677, 139971}, 2: {11557, 11648},
	} {
		M := 12 / dims
		require.Equal(t, alpha[0], totals(steps(t, M, M+1, dims, Improved)).Senders)
		require.Equal(t, alpha[1], totals(steps(t, M, M+1, dims, Previous)).Senders)
	}
}

// tenth returns a fifth of sum with one decimal.
func tenth(sum uint64) string { return fmt.Sprintf("%d.%d", sum/5, sum%5*2) }

func TestSixDimensions(t *testing.T) {
	all := steps(t, 3, 4, 6, Improved)
	records := golden(t, "3_4_dim6_steps")
	require.Len(t, all, len(records))
	for i, record := range records {
		require.Equal(t, record[1:], row(2565726409, all[i]))
	}
	for dims, mean := range map[int][2]string{3: {"8.2502", "6.8109"}, 6: {"17.2500", "13.6216"}} {
		require.Equal(t, mean, [2]string{
			MeanStep(steps(t, 3, 4, dims, Previous)).FloatString(4),
			MeanStep(steps(t, 3, 4, dims, Improved)).FloatString(4),
		})
	}
}

// TestStepsAreThoseOfPackets compares recurrences with a simulation of one message.
func TestStepsAreThoseOfPackets(t *testing.T) {
	for _, size := range [][3]int{{2, 3, 2}, {3, 4, 3}, {0, 3, 3}, {2, 5, 2}, {1, 4, 1}} {
		net := torus(t, size[0], size[1], size[2])
		algorithms := []Algorithm{General, Previous, Oriented}
		if size[1] == size[0]+1 {
			algorithms = append(algorithms, Improved)
		}
		for _, algorithm := range algorithms {
			want, err := net.Steps(algorithm, net.Dims)
			require.NoError(t, err)
			got := make([]Step, len(want))
			sent := map[[2]int]bool{}
			net.Follow(algorithm, 0, func(h Hop) {
				got[h.Step-1].Receivers++
				if !sent[[2]int{h.Step, h.From}] {
					sent[[2]int{h.Step, h.From}] = true
					got[h.Step-1].Senders++
				}
			})
			require.Equal(t, got, want)
			total, err := net.TotalSenders(algorithm, net.Dims)
			require.NoError(t, err)
			require.Equal(t, total, totals(want).Senders)
		}
	}
	require.Equal(t, []Step{{1, 12}, {12, 60}, {48, 144}, {72, 144}}, steps(t, 2, 3, 2, Improved))
}

// TestStepsRefuse: zero dimensions and counts above 64 bits are rejected.
func TestStepsRefuse(t *testing.T) {
	f := field(t, 3, 4)
	for _, dims := range []int{0, -1, 13} {
		_, err := f.Steps(General, dims)
		require.ErrorContains(t, err, fmt.Sprintf("fabric.ej.dims: dims is %d; give 1 or more, and at most", dims))
	}
	require.Len(t, steps(t, 3, 4, 12, General), 36)
}
