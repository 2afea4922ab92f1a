package pops

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/fabric/studies"
	"starloom/nic"
	"starloom/traces/figure"
	"starloom/traces/rounded"
)

// routingStudy reproduces Tables I and II of A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned Optical
// Passive Star Networks", and checks later findings about both tables with further sizes.
func routingStudy() *studies.Study {
	return &studies.Study{
		Name:  "pops",
		Cases: []string{"d=g", "d=4g", "d=16g", "corrected", "offline", "figure 3", "adversary"},
		Doc: "randomised, off-line and sorting-based permutation routing: Tables I and II, Figure 3, the lower bound's " +
			"adversary;" +
			" n to 4,096 (--full: to 16,777,216)",
		Files: []studies.StudyFile{studies.StudyPlot},
		Run:   func(r studies.Runs) error { return (&study{Runs: r}).run() },
	}
}

type tableRow struct {
	groupSize, groups int
	iterations        float64
	slots             float64 // slots of Table I, column A
	formula           int     // number of slots of Table I, column B: the earlier deterministic algorithm
	sorting           int     // slots of sorting with Batcher's network
	mean, sd          float64 // iterations of one run, large sample
	median            int
}

func (r *tableRow) name() string {
	if r.groupSize == r.groups {
		return fmt.Sprintf("d=g n=%d", r.groupSize*r.groups)
	}
	return fmt.Sprintf("d=%dg n=%d", r.groupSize/r.groups, r.groupSize*r.groups)
}

func (r *tableRow) sorts() bool { return r.groupSize*r.groups <= sortRunProcessorsMax }

type correctedRow struct {
	groupSize, groups int
	mean, sd          float64
	runs              int // sample size of mean and sd
}

func (r *correctedRow) name() string {
	return fmt.Sprintf("corrected POPS(%d,%d)", r.groupSize, r.groups)
}

type study struct {
	studies.Runs
	measured, delivering []measured
}

const (
	quickProcessorsMax = 4096
	// maximum processor-slots per row, and minimum number of runs per mean
	quickEffort, fullEffort = 25e6, 1e9
	runsMin                 = 2
	publishedRuns           = 100 // number of runs per mean of Tables I and II
	runsMax                 = 20000
	sortRunProcessorsMax    = 1024
)

func (s *study) run() error {
	total := 0
	for _, row := range tables {
		runs := s.runs(row.name(), row.groupSize, row.groups, row.mean*5)
		if total += runs; runs > 0 && row.sorts() {
			total++
		}
	}
	for _, row := range correctedTable {
		total += s.runs(row.name(), row.groupSize, row.groups, row.mean*6)
	}
	if s.Wants(figure3Name) {
		total += figure3Runs
	}
	for _, p := range offlineSizes {
		if s.Wants(offlineName(p)) {
			total++
		}
	}
	for _, a := range adversaries {
		if s.Wants(a.name()) {
			total += len(schedules)
		}
	}
	s.Plan(total)
	for _, step := range []func() error{s.tables, s.corrected, s.offline, s.figure3, s.adversary, s.draw} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *study) runs(name string, d, g int, slots float64) int {
	if !s.Wants(name) {
		return 0
	}
	n, effort := d*g, float64(quickEffort)
	if s.Full() {
		effort = fullEffort
	} else if n > quickProcessorsMax {
		return 0
	}
	return max(runsMin, min(runsMax, int(effort/(float64(n)*slots))))
}

func (s *study) tables() error {
	for i, row := range tables {
		name, d, g := row.name(), row.groupSize, row.groups
		runs := s.runs(name, d, g, row.mean*5)
		if runs == 0 {
			continue
		}
		sample, err := s.Sample(setting(randomProgram, d, g), runs, "steps")
		if err != nil {
			return err
		}
		note := longest(sample)
		if lost := sample.Sums["lost"]; lost > 0 {
			note += fmt.Sprintf("; reached only by losing %.1f%% of the packets", 100*float64(lost)/float64(runs*d*g))
		}
		tolerance, why := sample.Tolerance(row.sd, publishedRuns)
		few := d == 16*g && g <= 8 // runs of thousands of iterations are rare but dominate the mean
		if few {
			s.Add(studies.Referred(name, "iterations, median", float64(row.median), sample.Median, runs, 2,
				note+"; compared with the median of a large sample, the published mean is "+fmt.Sprint(row.iterations)))
		} else {
			s.Add(sample.Published(name, "table II iterations", row.iterations, 1, tolerance, note+"; "+why))
			s.Add(sample.Published(name, "table I column A slots", row.slots, 5, 5*tolerance, note+"; "+why))
		}
		p := Network{Groups: g, GroupSize: d}
		s.Add(studies.Published(name, "table I column B slots", float64(row.formula), PreviousSlots(p), 0, 0, "formula"))
		sorting, runs, note := float64(SortSlots(p)), 0, "stages x slots of a stage"
		if row.sorts() {
			slots, err := s.single(setting("pops/sort", d, g))
			if err != nil {
				return err
			}
			sorting, runs, note = slots, 1, "run, every packet in its place"
		}
		s.Add(studies.Referred(name, "sorting slots", float64(row.sorting), sorting, runs, 0, note))
		s.measured = append(s.measured, measured{&tables[i], sample.Mean, sample.SE, few, sorting})
	}
	return nil
}

func (s *study) corrected() error {
	for _, row := range correctedTable {
		runs := s.runs(row.name(), row.groupSize, row.groups, row.mean*6)
		if runs == 0 {
			continue
		}
		sample, err := s.Sample(setting("pops/random-corrected", row.groupSize, row.groups), runs, "steps")
		if err != nil {
			return err
		}
		if sample.Failed > 0 {
			return fmt.Errorf("pops/random-corrected on POPS(%d,%d): %d of %d runs failed", row.groupSize,
				row.groups, sample.Failed, runs)
		}
		tolerance, why := sample.Tolerance(row.sd, row.runs)
		s.Add(sample.Referred(row.name(), "steps", row.mean, 1, tolerance,
			longest(sample)+"; every packet exactly once; "+why))
		s.delivering = append(s.delivering,
			measured{row: &tableRow{groupSize: row.groupSize, groups: row.groups}, mean: sample.Mean, se: sample.SE})
	}
	return nil
}

var offlineSizes = []Network{
	{GroupSize: 1, Groups: 64}, {GroupSize: 8, Groups: 8}, {GroupSize: 64, Groups: 64}, {GroupSize: 32, Groups: 8},
	{GroupSize: 7, Groups: 3}, {GroupSize: 8, Groups: 32}, {GroupSize: 3, Groups: 7},
}

func offlineName(p Network) string { return fmt.Sprintf("offline POPS(%d,%d)", p.GroupSize, p.Groups) }

func (s *study) offline() error {
	for _, p := range offlineSizes {
		name := offlineName(p)
		if !s.Wants(name) {
			continue
		}
		slots, err := s.single(setting("pops/offline", p.GroupSize, p.Groups))
		if err != nil {
			return err
		}
		s.Add(studies.Published(name, "slots", float64(OfflineSlots(p)), slots, 1, 0,
			"1 for d = 1, else 2 ceil(d/g) (Theorem II.1)"))
	}
	return nil
}

// figure3Runs runs have a standard error of the mean of 0.006.
const (
	figure3Name = "figure 3"
	figure3Runs = 20000
)

var figure3 = []uint32{1, 5, 8, 9, 3, 10, 11, 14, 15, 13, 0, 7, 2, 6, 12, 4}

func (s *study) figure3() error {
	if !s.Wants(figure3Name) {
		return nil
	}
	x := setting(randomProgram, 4, 4)
	x.Workload.Permutation = fabric.Permutation{Kind: fabric.PermutationList, List: figure3}
	sample, err := s.Sample(x, figure3Runs, "steps")
	if err != nil {
		return err
	}
	s.Add(sample.Referred(figure3Name, "iterations", 4.19, 1, 0.005+float64(4*sample.SE),
		"the permutation whose conflicts the paper prints; tolerance by the measured sd"))
	return nil
}

type adversaryRow struct{ groups, slots int }

func (a *adversaryRow) name() string { return fmt.Sprintf("adversary g=%d", a.groups) }

var (
	adversaries = []adversaryRow{{16, 8}, {32, 10}, {64, 12}, {128, 14}}
	schedules   = []string{"hash", "rotation", "Delta(i)", "blocks"} // values of the firmware's parameter
)

func (s *study) adversary() error {
	for _, c := range adversaries {
		name := c.name()
		if !s.Wants(name) {
			continue
		}
		for choice, schedule := range schedules {
			x := setting(twoHopsProgram, c.groups, c.groups)
			x.Params = map[string]int64{"choice": int64(choice)}
			x.Workload = fabric.Workload{Adversary: &fabric.Adversary{Slots: c.slots}}
			x.SlotsMax = uint32(c.slots)
			outcome, err := s.Run(x)
			if err != nil {
				return err
			}
			missing := c.groups*c.groups - outcome.Metrics.Get("delivered").(int)
			s.Add(studies.StudyRow{
				Case: name, Quantity: fmt.Sprintf("packets missing after %d slots", c.slots),
				Reference: studies.Printed(1), Measured: float64(missing), Runs: 1, OK: missing >= 1,
				Note: "at least one; schedule: " + schedule,
			})
		}
	}
	return s.gap()
}

func (s *study) gap() error {
	p := Network{Groups: 64, GroupSize: 64}
	table := GapTable(p)
	for _, c := range []struct {
		name, note string
		build      func(Network, ChoiceTable, int) ([]uint32, int, error)
		arrives    float64
	}{
		{"published", "its partner may be blocked in the odd slot; the packet then passes alone and arrives in slot 2",
			PublishedAdversary, 2},
		{"repaired", "0: not within 2 slots", Adversary, 0},
	} {
		name := "adversary g=64, " + c.name
		if !s.Wants(name) {
			continue
		}
		destination, start, err := c.build(p, table, 2)
		if err != nil {
			return err
		}
		arrivals, err := RouteTwoHops(p, table, destination, 2)
		if err != nil {
			return err
		}
		row := studies.Referred(name, "slot in which its packet arrives", c.arrives, float64(arrivals[start]), 0, 0, c.note)
		if c.arrives > 0 {
			row = row.Contradicting(nil, studies.Quotation{Words: "packet p_i does not reach destination within T = " +
				"Omega(log n) slots", Place: "Theorem II.12, proof"})
		}
		s.Add(row)
	}
	return nil
}

func setting(program string, d, g int) *studies.Setting {
	return &studies.Setting{
		Network: &Network{Groups: g, GroupSize: d}, Program: program,
		Workload: fabric.Workload{Permutation: fabric.Permutation{Kind: fabric.PermutationRandom}},
		Sizes:    nic.Sizes{PayloadBytes: 8, RxFrames: 1, TxFrames: 1}, SlotsMax: 10_000_000,
	}
}

func (s *study) single(x *studies.Setting) (slots float64, err error) {
	outcome, err := s.Run(x)
	if err == nil && !outcome.Passed {
		err = fmt.Errorf("%s: %s", x.Program, outcome.Broken)
	}
	if err != nil {
		return 0, err
	}
	return float64(outcome.Slots), nil
}

func longest(s *studies.Sample) string { return fmt.Sprintf("max %g", s.Max) }

// tables holds Tables I and II of A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned Optical Passive
// Star Networks". The published columns come from 100 runs each; Table I has its own sample. Mean, sd and median
// describe the iterations of a run in a much larger sample (up to 200,000 runs, where a run ends when every source
// has been acknowledged). The sd sets the tolerance.
var tables = []tableRow{
	// d, g, Table II mean, Table I column A, column B, sorting slots, mean, sd, median
	{2, 2, 3.15, 14.75, 37, 6, 3.0190, 1.7518, 3},
	{4, 4, 4.43, 20.90, 54, 20, 4.3162, 1.1006, 4},
	{8, 8, 5.39, 27.35, 79, 42, 5.3785, 0.8222, 5},
	{16, 16, 6.1, 30.10, 112, 72, 6.0849, 0.6273, 6},
	{32, 32, 6.5, 32.50, 153, 110, 6.5038, 0.5543, 6},
	{64, 64, 6.82, 34.50, 202, 156, 6.9032, 0.4134, 7},
	{128, 128, 7.04, 35.20, 259, 210, 7.0700, 0.2602, 7},
	{256, 256, 7.16, 35.55, 324, 272, 7.1453, 0.3553, 7},
	{512, 512, 7.3, 36.55, 397, 342, 7.2630, 0.4450, 7},
	{1024, 1024, 7.59, 38.25, 478, 420, 7.5767, 0.4949, 8},
	{2048, 2048, 7.92, 39.70, 567, 506, 7.9400, 0.2387, 8},
	{4096, 4096, 8.0, 40.05, 664, 600, 8.0100, 0.1000, 8},
	{8, 2, 14.33, 71.40, 118, 80, 14.0838, 4.4205, 13},
	{16, 4, 16.13, 82.80, 177, 168, 16.4481, 2.4791, 16},
	{32, 8, 18.06, 87.15, 268, 288, 17.8557, 1.5090, 18},
	{64, 16, 18.45, 92.60, 391, 440, 18.4884, 0.9421, 18},
	{128, 32, 18.81, 94.00, 546, 624, 18.7640, 0.6421, 19},
	{256, 64, 18.95, 94.95, 733, 840, 18.9548, 0.4530, 19},
	{512, 128, 19.06, 95.15, 952, 1088, 19.0533, 0.2631, 19},
	{1024, 256, 19.09, 95.35, 1203, 1368, 19.0775, 0.2677, 19},
	{2048, 512, 19.15, 95.65, 1486, 1680, 19.1067, 0.3097, 19},
	{4096, 1024, 19.21, 96.25, 1801, 2024, 19.1800, 0.3861, 19},
	{8192, 2048, 19.41, 97.05, 2148, 2400, 19.5300, 0.5016, 20},
	{32, 2, 56.88, 317.90, 442, 672, 86.2488, 955.9264, 57},
	{64, 4, 62.58, 322.45, 669, 1152, 67.2239, 51.7653, 62},
	{128, 8, 66.26, 343.10, 1024, 1760, 67.8091, 10.5093, 65},
	{256, 16, 68.21, 345.60, 1507, 2496, 68.1234, 3.9634, 67},
	{512, 32, 67.65, 339.25, 2118, 3360, 67.7730, 1.8925, 67},
	{1024, 64, 67.12, 336.45, 2857, 4352, 67.2975, 1.0254, 67},
	{2048, 128, 66.88, 334.30, 3724, 5472, 66.8850, 0.6579, 67},
	{4096, 256, 66.7, 333.55, 4719, 6720, 66.7200, 0.4928, 67},
	{8192, 512, 66.59, 333.05, 5842, 8096, 66.6700, 0.4726, 67},
	{16384, 1024, 66.79, 333.60, 7093, 9600, 66.7800, 0.4399, 67},
}

var correctedTable = []correctedRow{
	// d, g, mean, sd, runs
	{8, 2, 15.912, 3.722, 20000},
	{16, 4, 19.060, 2.424, 5000},
	{32, 8, 20.767, 1.481, 3000},
	{64, 16, 21.712, 0.986, 1000},
	{128, 32, 22.090, 0.618, 300},
	{256, 64, 22.370, 0.523, 100},
	{512, 128, 22.425, 0.494, 40},
	{1024, 256, 22.700, 0.458, 10},
	{32, 2, 69.173, 5.224, 5000},
	{64, 4, 77.822, 4.488, 2000},
	{128, 8, 81.396, 2.976, 1000},
	{256, 16, 82.827, 1.396, 300},
	{512, 32, 83.630, 0.986, 100},
	{1024, 64, 83.867, 0.618, 30},
	{2048, 128, 84.200, 0.400, 10},
	{4, 8, 6.528, 2.163, 5000},
	{8, 16, 6.400, 0.976, 3000},
	{16, 32, 6.690, 0.677, 1000},
	{32, 64, 6.917, 0.493, 300},
	{64, 128, 7.150, 0.477, 100},
	{128, 256, 7.300, 0.458, 20},
	{8, 32, 10.300, 2.527, 1000},
	{16, 64, 8.303, 1.045, 300},
	{32, 128, 7.700, 0.586, 60},
	{5, 7, 5.243, 1.068, 5000},
	{6, 4, 7.053, 1.399, 5000},
	{9, 4, 10.576, 1.696, 5000},
	{10, 3, 14.901, 2.545, 5000},
}

var ratios = []int{1, 4, 16}

func ratioName(ratio int) string {
	if ratio == 1 {
		return "d = g"
	}
	return fmt.Sprintf("d = %dg", ratio)
}

type measured struct {
	row       *tableRow
	mean, se  float64
	deviating bool // the mean depends on a few runs, and is not drawn
	sorting   float64
}

var sizes = figure.Axis{Label: "n = dg processors", Scale: figure.Log2}

func iterationsPlot(all []measured) *figure.Figure {
	f := &figure.Figure{Title: "Randomised routing: iterations until all packets are acknowledged (Table II)", X: sizes,
		Y: figure.Axis{Label: "iterations, mean and 95 % band", Scale: figure.Log2}}
	published := figure.Curve{Name: "published", Style: figure.Published}
	for _, ratio := range ratios {
		c := figure.Curve{Name: ratioName(ratio), Style: figure.Marked}
		for _, m := range all {
			if m.row.groupSize != ratio*m.row.groups {
				continue
			}
			n := float64(m.row.groupSize * m.row.groups)
			published.Points = append(published.Points, figure.Point{X: n, Y: m.row.iterations})
			if !m.deviating {
				c.Points = append(c.Points, m.point(n, 1))
			}
		}
		if c.Points != nil {
			f.Curves = append(f.Curves, c)
		}
	}
	if slices.ContainsFunc(all, func(m measured) bool { return m.deviating }) {
		f.Note = "Not drawn: means for d = 16g with 8 groups or fewer, which depend on a few runs of thousands of iterations."
	}
	f.Curves = append(f.Curves, published)
	return f
}

func (m *measured) point(n, scale float64) figure.Point {
	mean, half := float64(scale*m.mean), float64(scale*float64(rounded.Z95*m.se))
	p := figure.Point{X: n, Y: mean}
	if half > 0 {
		p.Low, p.High = mean-half, mean+half
	}
	return p
}

// slotsPlot draws Table I for one ratio d/g: slots over processors, for the randomised, the previous and the sorting
// algorithm.
func slotsPlot(all []measured, ratio int) *figure.Figure {
	f := &figure.Figure{Title: "Slots to route a permutation, " + ratioName(ratio) + " (Table I)", X: sizes,
		Y: figure.Axis{Label: "slots", Scale: figure.Log2}}
	random := figure.Curve{Name: "randomised, 5 slots an iteration", Style: figure.Marked}
	before := figure.Curve{Name: "deterministic, before (column B)", Style: figure.Dashed}
	sorting := figure.Curve{Name: "sorting (Batcher)", Style: figure.Dashed}
	published := figure.Curve{Name: "published (column A)", Style: figure.Published}
	for _, m := range all {
		if m.row.groupSize != ratio*m.row.groups {
			continue
		}
		n := float64(m.row.groupSize * m.row.groups)
		if !m.deviating {
			random.Points = append(random.Points, m.point(n, 5))
		}
		before.Points = append(before.Points,
			figure.Point{X: n, Y: float64(PreviousSlots(Network{Groups: m.row.groups, GroupSize: m.row.groupSize}))})
		sorting.Points = append(sorting.Points, figure.Point{X: n, Y: m.sorting})
		published.Points = append(published.Points, figure.Point{X: n, Y: m.row.slots})
	}
	for _, c := range []figure.Curve{random, before, sorting, published} {
		if c.Points != nil {
			f.Curves = append(f.Curves, c)
		}
	}
	return f
}

func correctedPlot(all, corrected []measured) *figure.Figure {
	f := &figure.Figure{Title: "Steps of the corrected rule, which delivers every packet", X: sizes,
		Y: figure.Axis{Label: "steps, mean and 95 % band", Scale: figure.Log2}}
	for _, ratio := range ratios {
		of, its := ratioName(ratio), func(m measured) bool { return m.row.groupSize == ratio*m.row.groups }
		if !slices.ContainsFunc(corrected, its) {
			continue
		}
		for _, set := range []struct {
			name  string
			style figure.Style
			of    []measured
		}{{"corrected", figure.Marked, corrected}, {"as published", figure.Dashed, all}} {
			c := figure.Curve{Name: of + ", " + set.name, Of: of, Style: set.style}
			for _, m := range set.of {
				if its(m) && !m.deviating {
					c.Points = append(c.Points, m.point(float64(m.row.groupSize*m.row.groups), 1))
				}
			}
			if c.Points != nil {
				f.Curves = append(f.Curves, c)
			}
		}
	}
	return f
}

func (s *study) draw() error {
	type plot struct {
		name string
		of   *figure.Figure
	}
	var plots []plot
	if s.measured != nil {
		plots = append(plots, plot{"pops-iterations", iterationsPlot(s.measured)})
	}
	for _, ratio := range ratios {
		if slices.ContainsFunc(s.measured, func(m measured) bool { return m.row.groupSize == ratio*m.row.groups }) {
			plots = append(plots, plot{fmt.Sprintf("pops-slots-%d", ratio), slotsPlot(s.measured, ratio)})
		}
	}
	if f := correctedPlot(s.measured, s.delivering); s.delivering != nil && f.Curves != nil {
		plots = append(plots, plot{"pops-corrected", f})
	}
	for _, p := range plots {
		if err := s.Plot(p.name, p.of); err != nil {
			return err
		}
	}
	return nil
}
