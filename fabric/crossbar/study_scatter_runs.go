package crossbar

import (
	"fmt"
	"math"

	"starloom/fabric"
	"starloom/fabric/crossbar/scatter"
	"starloom/fabric/studies"
	"starloom/nic"
	"starloom/traces/figure"
)

type scatterer struct {
	name    string
	program string
	order   int64
}

var scatterers = [4]scatterer{
	{"SYNC", syncProgram, 0}, {"ASYNC random", asyncProgram, 0}, {"ASYNC fixed", asyncProgram, 1},
	{"ASYNC poisson", asyncProgram, 2},
}

// scatterSize is a network size to run, with reference figures for each scatterer from long samples.
type scatterSize struct {
	nodes        int
	mean, sd, se [4]float64 // completion time in units
	quick, full  [2]int     // number of runs of SYNC, and of each ASYNC order
}

var scatterSizes = []scatterSize{
	{128, [4]float64{12.931, 10.269, 10.271, 10.766}, [4]float64{1.329, 1.354, 1.355, 1.820},
		[4]float64{0.001, 0.001, 0.001, 0.001},
		[2]int{4000, 1000}, [2]int{100_000, 20_000}},
	{1024, [4]float64{18.099, 14.500, 14.502, 15.005}, [4]float64{1.324, 1.342, 1.345, 1.820},
		[4]float64{0.003, 0.003, 0.003, 0.003},
		[2]int{200, 60}, [2]int{10_000, 2000}},
	// the sd is the value for n = 1,024
	{16384, [4]float64{24.87, 20.10, 20.10, 20.58}, [4]float64{1.324, 1.342, 1.345, 1.820},
		[4]float64{0.025, 0.025, 0.025, 0.033},
		[2]int{}, [2]int{100, 20}},
}

func (z *scatterSize) runs(full bool) [4]int {
	n := z.quick
	if full {
		n = z.full
	}
	return [4]int{n[0], n[1], n[1], n[1]}
}

// number of runs of SYNC for each size of Table 1
const distributionQuick, distributionFull = 2000, 100_000

var table1Nodes = []int{4, 8, 16, 32, 64, 128}

// scatter runs scattering repeatedly. All runs must pass.
func (s *scatterRuns) scatter(x scatterer, n, runs int) (*studies.Sample, error) {
	net := Network{Ports: n}
	program := fabric.ProgramNamed(net.adapt(x.program, "", nil), x.program)
	setting := &studies.Setting{
		Network: net, Program: x.program, Workload: fabric.Workload{Scatter: &fabric.Scatter{}},
		Sizes:    nic.Sizes{PayloadBytes: program.Needs.PayloadBytes, RxFrames: program.Needs.RxFrames, TxFrames: 1},
		SlotsMax: program.Needs.Slots,
	}
	if x.program == asyncProgram {
		setting.Params = map[string]int64{"order": x.order}
	}
	sample, err := s.Sample(setting, runs, "completion")
	if err == nil && sample.Failed > 0 {
		err = fmt.Errorf("%s, n = %d: %d of %d runs failed", x.program, n, sample.Failed, runs)
	}
	return sample, err
}

// significance is the minimum probability at which a test's outcome counts as chance. Seeds are fixed, so a study
// that has passed always passes.
const significance = 1e-4

// distribution compares runs of SYNC with the law, and draws both.
func (s *scatterRuns) distribution(name string) error {
	var curves []scatter.DoneCurve
	for _, n := range table1Nodes {
		sample, err := s.scatter(scatterers[0], n, s.size(distributionQuick, distributionFull))
		if err != nil {
			return err
		}
		chain := scatter.NewChain(n)
		curve := scatter.DoneCurve{Nodes: n, Exact: chain.Done(unitsMax), Runs: uint64(sample.Runs)}
		var observed []uint64
		for unit := range unitsMax + 1 {
			curve.Finished = append(curve.Finished, sample.Within(float64(unit)))
			observed = append(observed, sample.Counts[float64(unit)])
		}
		curves = append(curves, curve)
		test := scatter.Pearson(observed, chain.Completion())
		s.Add(studies.StudyRow{
			Case: name, Quantity: fmt.Sprintf("chi-square, n = %d", n), Reference: studies.Printed(float64(test.Freedom)),
			Measured: test.Statistic, Runs: sample.Runs,
			OK: test.P >= significance, Note: fmt.Sprintf("degrees of freedom are expected; this value or a larger one has "+
				"probability %.4f", test.P),
		})
	}
	return s.Plot("scatter-done", scatter.DonePlot(curves))
}

// samples runs all kinds of scattering. It compares their means with the means of long samples and, for ASYNC, the
// fraction of runs completed by the time of the mean field.
func (s *scatterRuns) samples(name string, z *scatterSize) error {
	var curves []scatter.ColouredCurve
	runs := z.runs(s.Full())
	for i, x := range scatterers {
		sample, err := s.scatter(x, z.nodes, runs[i])
		if err != nil {
			return err
		}
		reference := int(z.sd[i] / z.se[i] * (z.sd[i] / z.se[i]))
		tolerance, why := sample.Tolerance(z.sd[i], reference)
		s.Add(sample.Referred(name, "mean units, "+x.name, z.mean[i], 1, tolerance, why))
		for _, done := range doneByMeanField {
			if x.program == asyncProgram && done.nodes == z.nodes {
				s.doneBy(name, x, &done, sample)
			}
		}
		curve := scatter.ColouredCurve{Name: x.name + " runs", Style: figure.Dots}
		curve.Mean, curve.SE = sample.Lists["coloured"].Means()
		curves = append(curves, curve)
	}
	return s.coloured(z.nodes, curves)
}

// doneRow is the fraction of ASYNC runs of each order that are complete at T(a) of the mean field. The fraction is
// below 1-a, because the mean field ignores the random start.
type doneRow struct {
	nodes int
	a     float64
	part  [3]float64
}

var doneByMeanField = []doneRow{
	{1024, 0.1, [3]float64{0.895, 0.889, 0.769}},
	{1024, 0.01, [3]float64{0.989, 0.989, 0.954}},
}

func (s *scatterRuns) doneBy(name string, x scatterer, done *doneRow, sample *studies.Sample) {
	part := done.part[x.order]
	time := scatter.AsyncTime(done.nodes, done.a)
	measured := float64(sample.Within(time)) / float64(sample.Runs)
	tolerance := float64(3.5*math.Sqrt(part*(1-part)/float64(sample.Runs))) + 0.0005
	s.Add(studies.Referred(name, fmt.Sprintf("done by T(%g), %s", done.a, x.name), part, measured, sample.Runs, tolerance,
		fmt.Sprintf("T = %.2f by the mean field, which is too short: %g should be done", time, 1-done.a)))
}

// coloured draws the number of coloured nodes over time: by the exact law, by the mean field, and in runs.
func (s *scatterRuns) coloured(n int, runs []scatter.ColouredCurve) error {
	var curves []scatter.ColouredCurve
	if n <= 1024 {
		curves = append(curves, scatter.ColouredCurve{Name: "SYNC exact", Mean: scatter.NewChain(n).Coloured(unitsMax)})
	}
	sync := scatter.ColouredCurve{Name: "SYNC mean field", Style: figure.Dashed}
	async := scatter.ColouredCurve{Name: "ASYNC mean field", Style: figure.Dashed}
	field := scatter.NewField(n)
	for unit := range unitsMax + 1 {
		sync.Mean = append(sync.Mean, field.P*float64(n))
		async.Mean = append(async.Mean, scatter.AsyncColoured(n, float64(unit))*float64(n))
		field = field.Next()
	}
	curves = append(append(curves, sync, async), runs...)
	return s.Plot(fmt.Sprintf("scatter-coloured-%d", n), scatter.ColouredPlot(n, curves))
}
