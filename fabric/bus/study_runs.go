package bus

import (
	"fmt"

	"starloom/fabric/bus/gossip"
	"starloom/fabric/studies"
)

var lengthSamples = [][3]int{
	{2, 2, 2}, {3, 2, 4}, {3, 3, 3}, {4, 4, 3}, {17, 16, 7}, {4096, 2, 19}, {10_000, 3, 20}, {5000, 4, 15},
	{4000, 8, 14}, {1000, 30, 15},
}

const referencesQuick, referencesFull = 64, 10_000

// references returns n, l, q, r, length, lower and upper bound for the sizes of the reference with a run.
func (s *gossipRuns) references() (rows [][]string) {
	for _, record := range records("T") {
		if whole(record[0]) <= s.size(referencesQuick, referencesFull) {
			rows = append(rows, record)
		}
	}
	return rows
}

func (s *gossipRuns) lengths(name string) error {
	for _, sample := range lengthSamples {
		n, l := sample[0], sample[1]
		steps, _, err := s.run(twoPhase, n, l, false)
		if err != nil {
			return err
		}
		s.Add(studies.Referred(name, fmt.Sprintf("steps, n = %d, l = %d", n, l), float64(sample[2]),
			float64(steps), 1, 0, ""))
	}
	wrong, run := 0, s.references()
	for _, record := range run {
		steps, _, err := s.run(twoPhase, whole(record[0]), whole(record[1]), false)
		if err != nil {
			return err
		}
		if steps != whole(record[4]) {
			wrong++
		}
	}
	s.none(name, fmt.Sprintf("sizes with other steps, n to %d", s.size(referencesQuick, referencesFull)), wrong, len(run),
		fmt.Sprintf("runs of %d sizes, l = 2 to 16", len(run)))
	var length, upper, lower int
	all := records("T")
	for _, record := range all {
		n, l := whole(record[0]), whole(record[1])
		for _, column := range []struct {
			wrong   *int
			formula int
			cell    string
		}{{&length, gossip.Length(n, l), record[4]}, {&upper, gossip.UpperBound(n, l), record[5]},
			{&lower, gossip.LowerBound(n), record[6]}} {
			if column.formula != whole(column.cell) {
				*column.wrong++
			}
		}
	}
	note := fmt.Sprintf("formulas for %d sizes, n to 1,000,000", len(all))
	s.none(name, "sizes with other steps by formula", length, 0, note)
	s.none(name, "sizes with another upper bound", upper, 0, note)
	s.none(name, "sizes with another lower bound", lower, 0, note)
	return s.drawLengths()
}

// size of the run that shows Table 1; at the last time in the table, some line still lacks columns
const table1Vertices, table1Length = 1024, 4

func (s *gossipRuns) table1(name string) error {
	const n, l = table1Vertices, table1Length
	steps, table, err := s.run(twoPhase, n, l, true)
	if err != nil {
		return err
	}
	first := steps - gossip.Phase2Length(n/l, l)
	var curves []gossip.Curve
	for line, record := range records("table_1") {
		curve := gossip.Curve{Name: fmt.Sprintf("line %d", line)}
		for time, cell := range record[1:] {
			least, most := lineKnows(table, n, l, line, first+time-1)
			note := fmt.Sprintf("columns that every vertex of line %d knows", line)
			row := studies.Published(name, fmt.Sprintf("F_%d(%d)", line, time), studies.Figure(cell),
				float64(least)/l, 1, 0, note)
			row.OK = row.OK && least == most
			s.Add(row)
			curve.X, curve.Y = append(curve.X, time), append(curve.Y, least/l)
		}
		curves = append(curves, curve)
	}
	if err := s.Plot("bus-growth", gossip.GrowthPlot(l, curves)); err != nil {
		return err
	}
	return s.picture()
}

func lineKnows(table *gossip.Table, n, l, line, step int) (least, most int) {
	least = n + 1
	for vertex := line; vertex < n/l*l; vertex += l {
		known := table.Known(vertex, step)
		least, most = min(least, known), max(most, known)
	}
	return least, most
}

func (s *gossipRuns) phase2Sizes() (sizes [][2]int) {
	largest, by := s.size(80, 160), s.size(13, 3)
	for l := 2; l <= sizesLength; l++ {
		for n := l; n <= largest; n += by {
			sizes = append(sizes, [2]int{n, l})
		}
	}
	return sizes
}

// phase2 checks an invariant for every vertex at each time of phase 2: vertex (i,j) has the items of columns j to
// j+F_i-1; column 0 includes the left-over items.
func (s *gossipRuns) phase2(name string) error {
	wrong, looked, sizes := 0, 0, s.phase2Sizes()
	for _, size := range sizes {
		n, l := size[0], size[1]
		steps, table, err := s.run(twoPhase, n, l, true)
		if err != nil {
			return err
		}
		q, r, last := n/l, n%l, steps
		if r > 0 {
			last--
		}
		length := gossip.Phase2Length(q, l)
		for time := range length + 1 {
			amounts := gossip.Amounts(l, time)
			for vertex := range q * l {
				line, column := vertex%l, vertex/l
				columns := min(amounts[line], q)
				items := columns * l
				if column+columns > q || column == 0 {
					items += r
				}
				if looked++; table.Known(vertex, last-length+time-1) != items {
					wrong++
				}
			}
		}
	}
	s.none(name, "vertices that know other numbers of items", wrong, len(sizes),
		fmt.Sprintf("of %d, at all times of phase 2, l = 2 to %d, n to %d", looked, sizesLength, s.size(80, 160)))
	return nil
}

func (s *gossipRuns) optimum(name string) error {
	for _, record := range records("g_exact") {
		n, l := whole(record[0]), whole(record[1])
		base, _, err := s.run(twoPhase, n, l, false)
		if err != nil {
			return err
		}
		shorter, _, err := s.run(improved, n, l, false)
		if err != nil {
			return err
		}
		shortest := gossip.Optimum(n, l)
		row := studies.Referred(name, fmt.Sprintf("shortest gossip, n = %d, l = %d", n, l),
			studies.Figure(record[2]), float64(shortest), 0, 0,
			fmt.Sprintf("by exhaustive search; runs take %d, improved %d steps", base, shorter))
		row.OK = row.OK && shortest <= shorter && shorter <= base
		s.Add(row)
	}
	return nil
}

var improvedSizes = [][2]int{{5, 2}, {10, 3}, {11, 4}, {100, 7}, {129, 5}, {1000, 6}, {2000, 16}}

// improved shows that gossip without separate steps for left-over vertices is never longer than TwoPhase. The gain
// depends on l.
func (s *gossipRuns) improved(name string) error {
	for _, size := range improvedSizes {
		n, l := size[0], size[1]
		base, _, err := s.run(twoPhase, n, l, false)
		if err != nil {
			return err
		}
		steps, _, err := s.run(improved, n, l, false)
		if err != nil {
			return err
		}
		s.Add(studies.Referred(name, fmt.Sprintf("steps, n = %d, l = %d", n, l),
			float64(gossip.ImprovedLength(n, l)), float64(steps), 1, 0,
			fmt.Sprintf("formula; the published algorithm takes %d", base)))
	}
	longer, saves := 0, make([]map[int]int, sizesLength+1)
	for l := range saves {
		saves[l] = map[int]int{}
	}
	eachSize(func(n, l int, left bool) {
		saved := gossip.Length(n, l) - gossip.ImprovedLength(n, l)
		if saved < 0 {
			longer++
		}
		if left {
			saves[l][saved]++
		}
	})
	s.none(name, "sizes at which it is longer", longer, 0,
		fmt.Sprintf("l = 2 to %d, n to %d", sizesLength, sizesVertices-1))
	for l := 2; l <= sizesLength; l++ {
		usual, expected := 0, 2
		for saved := range 3 {
			if saves[l][saved] > saves[l][usual] {
				usual = saved
			}
		}
		if l&(l-1) == 0 {
			expected = min(1, l-2)
		}
		s.Add(studies.Referred(name, fmt.Sprintf("steps saved most often, l = %d", l),
			float64(expected), float64(usual), 0, 0,
			fmt.Sprintf("sizes with left-over vertices that save 0, 1, 2 steps: %d, %d, %d", saves[l][0],
				saves[l][1], saves[l][2])))
	}
	return nil
}

var naiveSizes = [][2]int{{2, 2}, {8, 3}, {20, 3}, {81, 3}, {100, 4}, {1000, 8}, {5000, 3}, {10_000, 16}}

// naive shows that the naive algorithm takes the published number of steps. For small n it is shorter than the
// algorithm of the paper; the paper compares only the terms in log2 n.
func (s *gossipRuns) naive(name string) error {
	for _, size := range naiveSizes {
		n, l := size[0], size[1]
		base, _, err := s.run(twoPhase, n, l, false)
		if err != nil {
			return err
		}
		steps, _, err := s.run(naive, n, l, false)
		if err != nil {
			return err
		}
		s.Add(studies.Published(name, fmt.Sprintf("steps, n = %d, l = %d", n, l),
			float64(gossip.NaiveLength(n, l)), float64(steps), 1, 0,
			fmt.Sprintf("ceil(log2 n) + ceil(log_l n) (Section 2.3); the published algorithm takes %d", base)))
	}
	for _, l := range []int{3, 4, 8, 16} {
		last, wins := 0, 0
		for n := l; n <= naiveMax; n++ {
			if gossip.NaiveLength(n, l) < gossip.Length(n, l) {
				last = n
				wins++
			}
		}
		s.Add(studies.StudyRow{
			Case: name, Quantity: fmt.Sprintf("largest n at which it is shorter, l = %d", l), Measured: float64(last),
			OK:   0 < last && last < naiveMax,
			Note: fmt.Sprintf("of n up to %d; the schedule is shorter for %d of them", naiveMax, wins),
		})
	}
	return nil
}

const naiveMax = 100_000

func (s *gossipRuns) picture() error {
	const n, l = 18, 4
	plan := PlanSteps(n, gossip.TwoPhase(n, l))
	table := gossip.TableOf(n, gossip.TwoPhase(n, l), func(step, entry int) int { return plan.Steps[step][entry] })
	return s.File(studies.StudyPlot, "bus-schedule", table.WriteSVG)
}

func (s *gossipRuns) drawLengths() error {
	for _, l := range []int{2, 3, 4, 8} {
		if err := s.Plot(fmt.Sprintf("bus-steps-%d", l), gossip.LengthPlot(l, 4096)); err != nil {
			return err
		}
	}
	return nil
}
