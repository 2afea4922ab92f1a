package explore

import (
	"fmt"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/traces/input"
)

// GraphStatesMax bounds the states of a graph.
const GraphStatesMax = 500

// graph keeps the steps between states, for small searches.
type graph struct {
	slots []uint32 // of the nodes
	ended []bool
	steps []graphStep
}

type graphStep struct {
	from, to uint32 // node, none for a failure
	choice   []event
	rule     string
}

func (s *search) drawNode(id uint32, slot uint32, ended bool) {
	if s.graph == nil {
		return
	}
	for uint32(len(s.graph.slots)) <= id {
		s.graph.slots, s.graph.ended = append(s.graph.slots, slot), append(s.graph.ended, ended)
	}
}

func (s *search) drawStep(from, to uint32, x *successor) {
	if s.graph == nil {
		return
	}
	step := graphStep{from: from, to: to, choice: x.choice}
	if x.failure != nil {
		step.choice, step.rule = x.failure.choice, x.failure.violations[0].Rule
	}
	s.graph.steps = append(s.graph.steps, step)
}

// checkGraph refuses a graph that nobody could read.
func (s *search) checkGraph() error {
	if s.graph == nil || s.count.States <= GraphStatesMax {
		return nil
	}
	return input.Mistake("--graph", fmt.Sprintf("the search has more than %d states", GraphStatesMax),
		"lower explore.faults, name few explore.targets, or set explore.slots; or explore without --graph")
}

// drawn returns the graph for a report.
func (s *search) drawn(c *config.Config) *outcome.ExploredGraph {
	if s.graph == nil {
		return nil
	}
	g := &outcome.ExploredGraph{Name: c.Name}
	for id, slot := range s.graph.slots {
		g.States = append(g.States, outcome.ExploredState{Slot: slot, Faults: s.faultsText(s.nodes.all[id].used),
			Ended: s.graph.ended[id]})
	}
	for i := range s.graph.steps {
		x := &s.graph.steps[i]
		step := outcome.ExploredStep{From: int(x.from), To: int(x.to), Choice: s.choiceText(c, x.choice), Rule: x.rule}
		if x.to == none {
			step.To = -1
		}
		g.Steps = append(g.Steps, step)
	}
	return g
}

func (s *search) faultsText(used vector) string {
	var words []string
	for k := range s.kinds {
		if n := used.of(k); n > 0 {
			words = append(words, fmt.Sprintf("%s %d", fabric.FaultNames[s.kinds[k].fault.Kind], n))
		}
	}
	return strings.Join(words, ", ")
}

func (s *search) choiceText(c *config.Config, choice []event) string {
	var words []string
	for _, e := range choice {
		kind := s.kinds[e.kind].fault.Kind
		_, _, path := fabric.FaultTargets(c.Network, kind)
		words = append(words, fabric.FaultNames[kind]+" of "+path(int(e.target)))
	}
	return strings.Join(words, ", ")
}
