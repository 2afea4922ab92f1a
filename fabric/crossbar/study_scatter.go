package crossbar

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starloom/fabric/crossbar/scatter"
	"starloom/fabric/studies"
	"starloom/traces/rounded"
)

// scatterStudy reproduces the results of Z. Drezner and A. Barak, "A Probabilistic Algorithm for Scattering
// Information in a Multicomputer System", and compares them with the exact law.
func scatterStudy() *studies.Study {
	return &studies.Study{
		Name: "scatter",
		Cases: []string{"table 1", "exact law", "completion", "distribution", "runs", "expected time",
			"mean field", "growth", "cost"},
		Doc: "random scattering of one item: Table 1, the exact law by two routes, runs of SYNC and ASYNC, expected " +
			"times, mean field," +
			" costs; runs with n to 1,024 (--full: to 16,384)",
		Files: []studies.StudyFile{studies.StudyPlot},
		Run:   func(r studies.Runs) error { return (&scatterRuns{r}).study() },
	}
}

type scatterRuns struct{ studies.Runs }

func (s *scatterRuns) study() error {
	parts := []studies.StudyPart{
		studies.Part("table 1", 0, s.table1),
		studies.Part("exact law", 0, s.exactLaw),
		studies.Part("completion", 0, s.completion),
		studies.Part("distribution", len(table1Nodes)*s.size(distributionQuick, distributionFull), s.distribution),
	}
	for _, size := range scatterSizes {
		if runs := size.runs(s.Full()); runs[0] > 0 {
			parts = append(parts,
				studies.Part(fmt.Sprintf("runs n=%d", size.nodes), sum(runs[:]),
					func(name string) error { return s.samples(name, &size) }))
		}
	}
	return studies.RunParts(s, append(parts,
		studies.Part("expected time", 0, s.expectedTime),
		studies.Part("mean field", 0, s.meanField),
		studies.Part("growth", 0, s.growth),
		studies.Part("cost", 0, s.cost),
	))
}

func (s *scatterRuns) size(quick, full int) int {
	if s.Full() {
		return full
	}
	return quick
}

// published adds a row that compares a formula with the paper; formula adds a row that compares a formula with a
// reference.
func (s *scatterRuns) published(name, what string, published, measured, tolerance float64, note string) {
	s.Add(studies.Published(name, what, published, measured, 0, tolerance, note))
}

func (s *scatterRuns) formula(name, what string, reference, measured, tolerance float64, note string) {
	s.Add(studies.Referred(name, what, reference, measured, 0, tolerance, note))
}

func nodesOf(header []string) (sizes []int) {
	for _, name := range header[1:] {
		sizes = append(sizes, int(studies.Figure(strings.TrimPrefix(name, "n="))))
	}
	return sizes
}

const (
	unitsMax = 30 // units in the tables of p(j,n)
	// The four published digits are rounded or truncated; five published values are slightly less accurate.
	publishedTolerance = 1.5e-4
)

func (s *scatterRuns) table1(name string) error {
	header, records := studies.Figures(published, "scatter/testdata/scatter_table_1.csv")
	for column, n := range nodesOf(header) {
		done := scatter.NewChain(n).Done(unitsMax)
		for _, record := range records {
			if record[column+1] == "" {
				continue
			}
			j, published := int(studies.Figure(record[0])), studies.Figure(record[column+1])
			note := ""
			switch low := done[j] - published; {
			case low > 1e-4:
				note = fmt.Sprintf("the published figure is low by %.2g: the original computation lost digits", low)
			case math.Abs(low) > 0.5e-4+1e-9:
				note = "published with its digits cut, not rounded"
			}
			s.published(name, fmt.Sprintf("p(%d,%d)", j, n), published, done[j], publishedTolerance, note)
		}
	}
	return nil
}

// exactLaw compares the two derivations of the law: in fractions and in floating point.
func (s *scatterRuns) exactLaw(name string) error {
	header, records := studies.Figures(published, "scatter/testdata/scatter_p_jn_full.csv")
	for column, n := range nodesOf(header) {
		if err := s.Context().Err(); err != nil {
			return err
		}
		s.Tell(fmt.Sprintf("exact law, n = %d", n))
		exact, theorem, done := scatter.ExactDone(n, unitsMax), scatter.PublishedDone(n, unitsMax),
			scatter.NewChain(n).Done(unitsMax)
		other, routes, far := 0, 0, 0.0
		for j, record := range records {
			value, _ := exact[j].Float64()
			if record[column+1] != exact[j].FloatString(10) {
				other++
			}
			if exact[j].Cmp(theorem[j]) != 0 {
				routes++
			}
			far = max(far, math.Abs(value-done[j]))
		}
		note := fmt.Sprintf("p(0,%d) to p(%d,%d)", n, unitsMax, n)
		s.formula(name, fmt.Sprintf("figures with another tenth digit, n = %d", n), 0, float64(other), 0, note)
		s.formula(name, fmt.Sprintf("fractions that differ by Theorem 1, n = %d", n), 0, float64(routes), 0,
			note+": transitions message by message, and (2.1) and (2.2)")
		s.formula(name, fmt.Sprintf("largest error in floating point, n = %d", n), 0, far, 1e-12, note)
	}
	return nil
}

// syncCompletion lists mean and standard deviation of the completion time of SYNC in long samples, and the standard
// error of the mean.
var syncCompletion = []struct {
	nodes        int
	mean, sd, se float64
}{{128, 12.931, 1.329, 0.001}, {1024, 18.099, 1.324, 0.003}}

func (s *scatterRuns) completion(name string) error {
	for _, c := range syncCompletion {
		s.Tell(fmt.Sprintf("completion, n = %d", c.nodes))
		mean, sd := scatter.Moments(scatter.NewChain(c.nodes).Completion())
		note := "SYNC: a long sample, and the law"
		s.formula(name, fmt.Sprintf("mean units, n = %d", c.nodes), c.mean, mean, 3.5*c.se, note)
		s.formula(name, fmt.Sprintf("sd of units, n = %d", c.nodes), c.sd, sd, 3.5*c.se, note)
	}
	return nil
}

// expectedTime checks Lemma 3: at time T(a) all nodes are coloured with a probability of at least 1-a. It checks the
// exact T(a) and that of the mean field.
func (s *scatterRuns) expectedTime(name string) error {
	for _, n := range []int{4, 8, 16, 32, 64, 128} {
		chain := scatter.NewChain(n)
		done := chain.Done(2 * unitsMax)
		for _, a := range []float64{0.9, 0.5, 0.1, 0.01, 0.001} {
			exact := chain.ExpectedTime(a)
			field, _ := scatter.SyncTime(n, a)
			row := studies.Published(name, fmt.Sprintf("p(T,%d), a = %g", n, a), 1-a, done[exact], 0, 0,
				fmt.Sprintf("at least 1-a (Lemma 3), T = %d", exact))
			row.OK = done[exact] >= 1-a
			s.Add(row)
			if field == exact {
				continue
			}
			row = studies.Referred(name, fmt.Sprintf("p(T,%d), a = %g, mean field", n, a), 1-a, done[field], 0, 0,
				fmt.Sprintf("lower bound, T = %d, which is not below the exact time", field))
			row.OK = done[field] >= 1-a
			s.Add(row)
		}
	}
	return nil
}

func (s *scatterRuns) meanField(name string) error {
	_, records := studies.Figures(published, "scatter/testdata/scatter_meanfield_T.csv")
	for _, record := range records {
		n, a := int(studies.Figure(record[0])), studies.Figure(record[1])
		if !s.Full() && !slices.Contains([]int{128, 1024, 1048576}, n) {
			continue
		}
		units, real := scatter.SyncTime(n, a)
		size := fmt.Sprintf("T, n = %d, a = %g", n, a)
		s.formula(name, size, studies.Figure(record[2]), float64(units), 0, "SYNC, whole units")
		s.formula(name, size, studies.Figure(record[3]), real, 1e-6, "SYNC, interpolated")
		s.formula(name, size, studies.Figure(record[4]), scatter.AsyncTime(n, a), 1e-6, "ASYNC: ln((n-1)(n-a)/a)")
	}
	return nil
}

func (s *scatterRuns) growth(name string) error {
	const n, a = 1 << 19, 0.1
	_, before := scatter.SyncTime(n, a)
	_, after := scatter.SyncTime(2*n, a)
	note := fmt.Sprintf("T(2n)-T(n), n = %d; ratios T/log2 n come near to it slowly", n)
	s.published(name, "SYNC, units for twice the nodes", scatter.SyncPerDoubling, after-before, 1e-3,
		"1+ln 2 (Lemma 5): "+note)
	s.published(name, "ASYNC, units for twice the nodes", scatter.AsyncPerDoubling,
		scatter.AsyncTime(2*n, a)-scatter.AsyncTime(n, a), 1e-3,
		"2 ln 2 (Theorem 3): "+note)
	return nil
}

// cost compares the cost S t with the costs of fixed graphs, per n log2 n.
func (s *scatterRuns) cost(name string) error {
	const n = 1 << 20
	per := func(cost float64) float64 { return cost / (n * rounded.Log2(n)) }
	for _, graph := range []struct {
		name                string
		published, diameter float64
	}{
		{"cube-connected cycles", 7.5, scatter.CubeConnectedCyclesDiameter},
		{"dense trivalent graphs", 4.5, scatter.DenseTrivalentDiameter},
		{"best trivalent graphs", 3.3, scatter.BestTrivalentDiameter},
	} {
		s.published(name, "cost per n log2 n, "+graph.name, graph.published, per(scatter.TrivalentCost(n, graph.diameter)),
			1e-9, "degree 3 (Section 1)")
	}
	_, sync := scatter.SyncTime(n, 1)
	note := fmt.Sprintf("mean field, n = %d, a = 1", n)
	s.published(name, "cost per n log2 n, SYNC", 1.693, per(scatter.ScatterCost(n, sync)), 0.01, note+" (Theorem 2)")
	s.published(name, "cost per n log2 n, ASYNC", 1.386, per(scatter.ScatterCost(n, scatter.AsyncTime(n, 1))),
		0.01, note+" (Theorem 3)")
	s.published(name, "cost per n^2, broadcast", 1, scatter.BroadcastCost(n)/(n*n), 0,
		"everybody tells everybody in one unit (Section 1)")
	s.formula(name, "cost per n^2, ring", 1, scatter.RingCost(n)/(n*n), 0, "degree 2, diameter n/2; Section 1 has O(n^2)")
	return nil
}
