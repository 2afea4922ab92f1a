package bus

import (
	"embed"
	"fmt"
	"math"

	"starloom/fabric"
	"starloom/fabric/bus/gossip"
	"starloom/fabric/studies"
	"starloom/nic"
	"starloom/traces/rounded"
)

// published holds the figures of the paper, and reference figures of independent computations, which tests also use.
//
//go:embed gossip/testdata/bus_*.csv
var published embed.FS

func records(name string) [][]string {
	_, records := studies.Figures(published, "gossip/testdata/bus_"+name+".csv")
	return records
}

func whole(cell string) int { return int(studies.Figure(cell)) }

// gossipStudy reproduces the results of S. Fujita, C. Laforest and S. Perennes, "A Gossip Algorithm for Bus Networks
// with Buses of Limited Length". Lengths come from runs up to a limit of size, and from formulas beyond it.
func gossipStudy() *studies.Study {
	return &studies.Study{
		Name: "bus",
		Cases: []string{"lengths", "table 1", "table 2", "phase 2", "growth", "bounds", "optimum", "asymptotics",
			"improved", "naive", "buses"},
		Doc: "gossip in bus networks: Tables 1 and 2, lengths, phase 2 vertex by vertex, bounds, shortest gossips by " +
			"search, asymptotics, a shorter schedule, the naive algorithm; runs to 10,000 vertices (--full: of all sizes " +
			"of the reference)",
		Files: []studies.StudyFile{studies.StudyPlot},
		Run:   func(r studies.Runs) error { return (&gossipRuns{r}).study() },
	}
}

type gossipRuns struct{ studies.Runs }

func (s *gossipRuns) study() error {
	return studies.RunParts(s, []studies.StudyPart{
		studies.Part("lengths", len(lengthSamples)+len(s.references()), s.lengths),
		studies.Part("table 1", 1, s.table1),
		studies.Part("table 2", 0, s.table2),
		studies.Part("phase 2", len(s.phase2Sizes()), s.phase2),
		studies.Part("growth", 0, s.growth),
		studies.Part("bounds", 0, s.bounds),
		studies.Part("optimum", 2*len(records("g_exact")), s.optimum),
		studies.Part("asymptotics", 0, s.asymptotics),
		studies.Part("improved", 2*len(improvedSizes), s.improved),
		studies.Part("naive", 2*len(naiveSizes), s.naive),
		studies.Part("buses", 0, s.buses),
	})
}

func (s *gossipRuns) size(quick, full int) int {
	if s.Full() {
		return full
	}
	return quick
}

// Limits of the sizes at which formulas are compared.
const sizesVertices, sizesLength = 200, 16

// eachSize calls f for lengths of 2 and more, with fewer than sizesVertices vertices. left reports whether vertices are
// left over.
func eachSize(f func(n, l int, left bool)) {
	for l := 2; l <= sizesLength; l++ {
		for n := 2; n < sizesVertices; n++ {
			f(n, l, n > l && n%l > 0)
		}
	}
}

func (s *gossipRuns) run(schedule string, n, l int, table bool) (int, *gossip.Table, error) {
	program := "bus/" + schedule
	net := Network{Vertices: n, Length: l}.adapt(program, "", nil)
	needs := fabric.ProgramNamed(net, program).Needs
	outcome, err := s.Run(&studies.Setting{
		Network: net, Program: program, Sizes: nic.Sizes{PayloadBytes: needs.PayloadBytes, RxFrames: 1, TxFrames: 1},
		SlotsMax: needs.Slots, Table: table,
	})
	if err == nil && !outcome.Passed {
		err = fmt.Errorf("%s, n = %d, l = %d: %s", program, n, l, outcome.Broken)
	}
	if err != nil {
		return 0, nil, err
	}
	t, _ := outcome.Table.(*gossip.Table)
	return outcome.Metrics.Get("steps").(int), t, nil
}

func (s *gossipRuns) none(name, what string, found, runs int, note string) {
	s.Add(studies.Referred(name, what, 0, float64(found), runs, 0, note))
}

func (s *gossipRuns) table2(name string) error {
	for _, record := range records("table_2") {
		l := whole(record[0])
		tau, _ := gossip.Tau(l).Float64()
		for i, column := range []struct {
			what  string
			value float64
		}{{"tau", tau}, {"1/log2(tau)", gossip.Coefficient(l)}, {"1+1/log2(l)", gossip.NaiveCoefficient(l)}} {
			claimed, note := studies.Figure(record[i+1]), ""
			if math.Abs(claimed-column.value) > 0.5e-9 {
				note = "published with its digits cut, not rounded"
			}
			s.Add(studies.Published(name, fmt.Sprintf("%s, l = %d", column.what, l), claimed, column.value, 0, 1e-9, note))
		}
	}
	return nil
}

var growths = []struct {
	l int
	c float64
}{{2, 1.170820}, {3, 1.137452}, {4, 1.091661}, {8, 1.012131}}

// growth compares the constant c in M(t) = c tau^t + o(t) (footnote 5).
func (s *gossipRuns) growth(name string) error {
	const time = 40
	for _, g := range growths {
		s.Add(studies.Referred(name, fmt.Sprintf("c, l = %d", g.l), g.c, gossip.Constant(g.l), 0, 0.5e-6,
			"by the formula of footnote 5"))
		tau, _ := gossip.Tau(g.l).Float64()
		s.Add(studies.Published(name, fmt.Sprintf("M(%d)/tau^%d, l = %d", time, time, g.l), gossip.Constant(g.l),
			float64(gossip.Most(g.l, time))/rounded.Pow(tau, time), 0, 1e-6,
			"c (footnote 5)"))
	}
	return nil
}

// bounds compares lengths with the published bounds. The upper bound is valid because the paper's M(t) is at least
// tau^t. Each length equals the upper bound or is one step shorter.
func (s *gossipRuns) bounds(name string) error {
	below, above, loose, lower, upper, sizes := 0, 0, 0, 0, 0, 0
	eachSize(func(n, l int, _ bool) {
		if n < l {
			return
		}
		sizes++
		length, least, most := gossip.Length(n, l), gossip.LowerBound(n), gossip.UpperBound(n, l)
		below += truth(length < least)
		lower += truth(length == least)
		above += truth(length > most)
		upper += truth(length == most)
		loose += truth(length < most-1)
	})
	note := fmt.Sprintf("%d sizes: l = 2 to %d, n = l to %d", sizes, sizesLength, sizesVertices-1)
	s.none(name, "sizes below the lower bound", below, 0,
		fmt.Sprintf("Theorem 2; %s; it is met in %d of them", note, lower))
	s.none(name, "sizes above the upper bound", above, 0,
		fmt.Sprintf("Corollary 6 and Section 2.2; %s; it is met in %d of them", note, upper))
	s.none(name, "sizes two steps or more below the upper bound", loose, 0, note)
	return nil
}

func truth(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// asymptotics shows that the excess of the coefficient over 1 is half of the published value.
func (s *gossipRuns) asymptotics(name string) error {
	for _, l := range []int{8, 16, 32, 64} {
		measured := gossip.Excess(l) / (2 * gossip.ExcessLimit(l))
		s.Add(studies.Referred(name, fmt.Sprintf("(1/log2(tau) - 1) / (log2(e)/2^l), l = %d", l), 0.5, measured, 0, 0.01,
			"the second term of the expansion is log2(e)/2^(l+1); both sides do tend to 1").
			Contradicting(studies.Printed(1), studies.Quotation{
				Words: "this fact is proved in [3] by the evaluation 1/log2(tau_l) ~ 1 + log2(e)/2^l", Place: "Section 2.3",
			}))
	}
	return nil
}

// buses shows that a vertex uses at most one new bus in a step. A network with only the buses of the schedule
// therefore has a logarithmic degree (section 3).
func (s *gossipRuns) buses(name string) error {
	for _, size := range []struct{ n, l int }{{100, 4}, {1000, 8}, {10_000, 3}, {10_000, 16}} {
		most, plan := 0, PlanSteps(size.n, gossip.TwoPhase(size.n, size.l))
		for vertex := range size.n {
			most = max(most, plan.Ports(vertex))
		}
		length := gossip.Length(size.n, size.l)
		s.Add(studies.StudyRow{
			Case: name, Quantity: fmt.Sprintf("most buses of a vertex, n = %d, l = %d", size.n, size.l),
			Reference: studies.Printed(float64(length)), Measured: float64(most),
			OK: most <= length, Note: fmt.Sprintf("at most one for each step; Section 3 states a degree of Theta(log n); %d "+
				"buses in all", len(plan.Buses)),
		})
	}
	return nil
}
