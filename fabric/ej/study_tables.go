package ej

import (
	"fmt"
	"math/big"

	"starloom/fabric/ej/eisenstein"
	"starloom/fabric/studies"
	"starloom/traces/figure"
)

var (
	table1Net = net{3, 4, 3}
	table3Nets,
	meanNets = []net{{3, 4, 1}, {3, 4, 2}, {3, 4, 3}, {3, 4, 4}, {3, 4, 5}, {3, 4, 6}}, []net{{3, 4, 3}, {3, 4, 6}}
	twelveStepNets = []net{{1, 2, 12}, {2, 3, 6}, {3, 4, 4}, {4, 5, 3}, {6, 7, 2}}
)

func (s *broadcastRuns) table1(name string) error {
	rows := records("table1")
	b, err := s.table(name, rows, 2, previous)
	if err != nil {
		return err
	}
	s.Add(studies.Referred(name, "steps", float64(table1Net.n*3), float64(b.steps), b.runs, 0,
		"its rows, and Section 5, have n*M: 3 rounds of 3 steps").
		Contradicting(studies.Printed(12), studies.Quotation{Words: "Total 12", Place: "Table 1, last row"}))
	return nil
}

func (s *broadcastRuns) table2(name string) error {
	b, err := s.table(name, records("table2"), 1, proposed)
	if err != nil {
		return err
	}
	s.published(name, "steps", 9, float64(b.steps), b.runs, "n*M (Section 4.1)")
	before, err := table1Net.field().Steps(eisenstein.Previous, table1Net.n)
	if err != nil {
		return err
	}
	nodes := uint64(table1Net.nodes())
	return s.draw("ej", table1Net.String(), []eisenstein.Course{
		{Name: previous.name, Style: figure.Dashed, Nodes: nodes, Steps: before},
		{Name: proposed.name, Nodes: nodes, Steps: b.course},
	})
}

func (s *broadcastRuns) draw(prefix, title string, courses []eisenstein.Course) error {
	senders, receivers, free, active := eisenstein.Plots(title, courses)
	for _, figure := range []struct {
		name string
		plot *figure.Figure
	}{{"senders", senders}, {"receivers", receivers}, {"free", free}, {"active", active}} {
		if err := s.Plot(prefix+"-"+figure.name, figure.plot); err != nil {
			return err
		}
	}
	return nil
}

func (s *broadcastRuns) table(name string, rows [][]string, from int, o oneToAll) (*broadcast, error) {
	b, err := s.oneToAll(table1Net, o)
	if err != nil {
		return nil, err
	}
	last := len(rows) - 1
	note := fmt.Sprintf("%s, %s", table1Net, o.name)
	for i, row := range rows[:last] {
		step := eisenstein.Step{}
		if i < len(b.course) {
			step = b.course[i]
		}
		s.published(name, fmt.Sprintf("senders, step %d", i+1), studies.Figure(row[from+1]),
			float64(step.Senders), b.runs, note)
		s.published(name, fmt.Sprintf("receivers, step %d", i+1), studies.Figure(row[from+2]),
			float64(step.Receivers), b.runs, note)
	}
	s.none(name, "differing cells", studies.Differing(columns(rows[:last], from), b.cells(table1Net)), b.runs,
		note+"; free and active nodes among them")
	s.published(name, "senders in all steps", studies.Figure(rows[last][from+1]), float64(b.senders()), b.runs, note)
	s.published(name, "receivers in all steps", studies.Figure(rows[last][from+2]),
		float64(table1Net.nodes()-1-b.missing), b.runs, note)
	return b, nil
}

func (s *broadcastRuns) table3(name string) error {
	p := &figure.Figure{
		Title: "Senders in every step of a broadcast, EJ_{3+4rho}^(n)",
		X:     figure.Axis{Label: "step"}, Y: figure.Axis{Label: "nodes", Scale: figure.Log2},
	}
	closed := 0
	for i, row := range records("table3") {
		x := table3Nets[i]
		var totals [2]uint64
		for k, o := range oneToAlls {
			b, err := s.oneToAll(x, o)
			if err != nil {
				return err
			}
			totals[k] = b.senders()
			if total, err := x.field().TotalSenders(o.algorithm, x.n); err != nil || total != totals[k] {
				closed++
			}
			s.published(name, fmt.Sprintf("senders, %s, n = %d", o.name, x.n), studies.Figure(row[k+1]),
				float64(totals[k]), b.runs, b.how())
			if x.n >= 4 {
				curve := figure.Curve{Name: fmt.Sprintf("%s, n = %d", o.name, x.n),
					Style: []figure.Style{figure.Dashed, figure.Line}[k]}
				for step, counts := range b.course {
					if counts.Senders > 0 { // the axis is logarithmic
						curve.Points = append(curve.Points, figure.Point{X: float64(step + 1), Y: float64(counts.Senders)})
					}
				}
				p.Curves = append(p.Curves, curve)
			}
		}
		s.published(name, fmt.Sprintf("difference, n = %d", x.n), studies.Figure(row[3]), float64(totals[0]-totals[1]), 0, "")
		s.Add(studies.Published(name, fmt.Sprintf("ratio, n = %d", x.n), studies.Figure(row[4]),
			float64(totals[0])/float64(totals[1]), 0, 1e-9,
			"published with nine decimals"))
	}
	s.none(name, "totals that are not those in closed form", closed, 0,
		"(N-L)N^(n-1) with the L = 6M leaves of one dimension, previous (N-L)(N^n-1)/(N-1)")
	return s.Plot("ej-senders-by-dimensions", p)
}

func (s *broadcastRuns) example(name string) error {
	x := net{2, 3, 2}
	b, err := s.oneToAll(x, proposed)
	if err != nil {
		return err
	}
	for i, step := range []eisenstein.Step{
		{Senders: 1, Receivers: 12}, {Senders: 12, Receivers: 60}, {Senders: 48, Receivers: 144},
		{Senders: 72, Receivers: 144},
	} {
		measured := eisenstein.Step{}
		if i < len(b.course) {
			measured = b.course[i]
		}
		s.published(name, fmt.Sprintf("senders, step %d", i+1), float64(step.Senders),
			float64(measured.Senders), b.runs, x.String())
		s.published(name, fmt.Sprintf("receivers, step %d", i+1), float64(step.Receivers),
			float64(measured.Receivers), b.runs, x.String())
	}
	s.published(name, "steps", 4, float64(b.steps), b.runs, x.String())
	return nil
}

func (s *broadcastRuns) meanSteps(name string) error {
	reference := map[net][2]float64{meanNets[0]: {8.2502, 6.8109}, meanNets[1]: {17.25, 13.6216}}
	for _, x := range meanNets {
		for k, o := range oneToAlls {
			b, err := s.oneToAll(x, o)
			if err != nil {
				return err
			}
			mean, _ := eisenstein.MeanStep(b.course).Float64()
			s.Add(studies.Referred(name, fmt.Sprintf("mean step of receipt, %s, n = %d", o.name, x.n),
				reference[x][k], mean, b.runs, 0.5e-4,
				"EJ_{3+4rho}^(n), "+b.how()))
		}
	}
	return nil
}

// twelveSteps reproduces the five networks with 12 steps, and the means over these networks (Figures 19 to 21).
func (s *broadcastRuns) twelveSteps(name string) error {
	rows := records("12step_family")
	var courses []eisenstein.Course
	for _, o := range oneToAlls {
		sums := make([]eisenstein.Step, 12)
		for _, x := range twelveStepNets {
			b, err := s.oneToAll(x, o)
			if err != nil {
				return err
			}
			var cells [][]string
			senders := 0.0
			for _, row := range rows {
				if row[0] == fmt.Sprint(x.a) && row[2] == fmt.Sprint(x.n) && row[4] == o.name {
					cells = append(cells, row[6:])
					senders += studies.Figure(row[7])
				}
			}
			note := fmt.Sprintf("%d nodes, %s", x.nodes(), b.how())
			s.none(name, fmt.Sprintf("differing cells, %s, %s", x, o.name), studies.Differing(cells, b.cells(x)), b.runs, note)
			s.compare(name, fmt.Sprintf("senders, %s, %s", x, o.name), senders, float64(b.senders()), b.runs, note)
			s.published(name, fmt.Sprintf("steps, %s, %s", x, o.name), 12, float64(b.steps), b.runs, note+" (Section 6)")
			for i, step := range b.course {
				sums[i].Senders += step.Senders
				sums[i].Receivers += step.Receivers
			}
		}
		var cells [][]string
		for _, row := range rows {
			if row[0] == "mean" && row[4] == o.name {
				cells = append(cells, row[7:])
			}
		}
		s.none(name, "differing cells, mean, "+o.name, studies.Differing(cells, means(sums)), 0,
			"senders, receivers and active nodes of every step, over the five networks")
		courses = append(courses, eisenstein.Course{Name: o.name, Steps: sums})
	}
	courses[0].Style = figure.Dashed
	return s.drawMeans(courses)
}

func means(sums []eisenstein.Step) (rows [][]string) {
	for _, sum := range sums {
		var row []string
		for _, count := range []uint64{sum.Senders, sum.Receivers, sum.Active()} {
			row = append(row, new(big.Rat).SetFrac64(int64(count), int64(len(twelveStepNets))).FloatString(1))
		}
		rows = append(rows, row)
	}
	return rows
}

func (s *broadcastRuns) drawMeans(courses []eisenstein.Course) error {
	senders, receivers, _, active := eisenstein.Plots("mean of five networks", courses)
	for _, figure := range []struct {
		name string
		plot *figure.Figure
	}{{"senders", senders}, {"receivers", receivers}, {"active", active}} {
		for i := range figure.plot.Curves {
			for k := range figure.plot.Curves[i].Points {
				figure.plot.Curves[i].Points[k].Y /= float64(len(twelveStepNets))
			}
		}
		if err := s.Plot("ej-mean-"+figure.name, figure.plot); err != nil {
			return err
		}
	}
	return nil
}

// sixDimensions compares every step in 2,565,726,409 nodes.
func (s *broadcastRuns) sixDimensions(name string) error {
	x := net{3, 4, 6}
	b, err := s.oneToAll(x, proposed)
	if err != nil {
		return err
	}
	rows := records("3_4_dim6_steps")
	s.none(name, "differing cells", studies.Differing(columns(rows, 1), b.cells(x)), b.runs,
		fmt.Sprintf("%s, %d nodes, %s", x, x.nodes(), b.how()))
	s.published(name, "steps", float64(len(rows)), float64(b.steps), b.runs, "n*M (Section 4.1), "+b.how())
	most := eisenstein.Step{}
	for _, step := range b.course {
		most.Receivers = max(most.Receivers, step.Receivers)
	}
	s.compare(name, "most packets in one step", 497_586_240, float64(most.Receivers), b.runs, b.how())
	return nil
}

func (s *broadcastRuns) plane(name string) error {
	x := net{3, 4, 1}
	b, err := s.mustPass(x.network(), generalProgram, nil, fromOne(), true)
	if err != nil {
		return err
	}
	for i, receivers := range []float64{6, 12, 18} {
		measured := 0.0
		if i < len(b.course) {
			measured = float64(b.course[i].Receivers)
		}
		s.published(name, fmt.Sprintf("receivers, step %d", i+1), receivers, measured, 1,
			x.String()+", staircases: 6s nodes at distance s (Section 2.1)")
	}
	if err := s.File(studies.StudyPlot, "ej-plane", b.table.WriteSVG); err != nil {
		return err
	}
	for _, other := range []struct {
		name      string
		algorithm eisenstein.Algorithm
	}{{"misprinted", eisenstein.Misprinted}, {"oriented", eisenstein.Oriented}} {
		t := x.torus()
		table := eisenstein.NewTable(t, 0, 1)
		t.Follow(other.algorithm, 0, func(h eisenstein.Hop) { table.Add(0, h.Step, h.From, h.To) })
		if err := s.File(studies.StudyPlot, "ej-plane-"+other.name, table.WriteSVG); err != nil {
			return err
		}
	}
	return nil
}
