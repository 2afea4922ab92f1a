package eisenstein

import "starloom/traces/figure"

// Course is what happens in the steps of one broadcast.
type Course struct {
	Name  string
	Style figure.Style
	Nodes uint64 // N^n
	Steps []Step
}

// Plots are the figures 15 to 18 of the paper for any courses: senders, receivers, free and active nodes
// of every step.
func Plots(network string, courses []Course) (senders, receivers, free, active *figure.Figure) {
	figure := func(what string, count func(nodes uint64, s Step) uint64) *figure.Figure {
		p := &figure.Figure{Title: what + " in every step of a broadcast, " + network, X: figure.Axis{Label: "step"}, Y: figure.Axis{Label: "nodes"}}
		for _, c := range courses {
			p.Curves = append(p.Curves, curve(c.Name, c.Style, c.Steps, func(s Step) uint64 { return count(c.Nodes, s) }))
		}
		return p
	}
	senders = figure("Senders", func(_ uint64, s Step) uint64 { return s.Senders })
	receivers = figure("Receivers", func(_ uint64, s Step) uint64 { return s.Receivers })
	free = figure("Free nodes", func(nodes uint64, s Step) uint64 { return nodes - s.Active() })
	active = figure("Active nodes", func(_ uint64, s Step) uint64 { return s.Active() })
	return senders, receivers, free, active
}

// SendersAndReceivers draws both of one broadcast.
func SendersAndReceivers(title string, steps []Step) *figure.Figure {
	return &figure.Figure{Title: title, X: figure.Axis{Label: "step"}, Y: figure.Axis{Label: "nodes"}, Curves: []figure.Curve{
		curve("senders", figure.Line, steps, func(s Step) uint64 { return s.Senders }),
		curve("receivers", figure.Dashed, steps, func(s Step) uint64 { return s.Receivers }),
	}}
}

func curve(name string, style figure.Style, steps []Step, count func(Step) uint64) figure.Curve {
	c := figure.Curve{Name: name, Style: style}
	for i, step := range steps {
		c.Points = append(c.Points, figure.Point{X: float64(i + 1), Y: float64(count(step))})
	}
	return c
}
