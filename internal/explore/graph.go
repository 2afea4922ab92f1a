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

// graph keeps the steps between states, for small searches. A nil graph keeps nothing.
type graph struct {
	states []graphState // by number of the node
	steps  []graphStep
}

type graphState struct {
	slot  uint32
	used  vector
	ended bool
}

type graphStep struct {
	from, to uint32 // nodes; to is none for a failure
	choice   []event
	rule     string
}

func (g *graph) state(slot uint32, used vector, ended bool) {
	if g != nil {
		g.states = append(g.states, graphState{slot, used, ended})
	}
}

func (g *graph) step(from, to uint32, choice []event, rule string) {
	if g != nil {
		g.steps = append(g.steps, graphStep{from, to, choice, rule})
	}
}

// check refuses a graph with more states than a picture can show.
func (g *graph) check(states int) error {
	if g == nil || states <= GraphStatesMax {
		return nil
	}
	return input.Mistake("--graph", fmt.Sprintf("the search has more than %d states", GraphStatesMax),
		"lower explore.faults, name few explore.targets, or set explore.slots; or explore without --graph")
}

// drawn returns the graph for a report.
func (g *graph) drawn(c *config.Config, kinds []kind) *outcome.ExploredGraph {
	if g == nil {
		return nil
	}
	d := &outcome.ExploredGraph{Name: c.Name}
	for _, x := range g.states {
		d.States = append(d.States, outcome.ExploredState{Slot: x.slot, Faults: faultsText(kinds, x.used), Ended: x.ended})
	}
	for _, x := range g.steps {
		step := outcome.ExploredStep{From: int(x.from), To: int(x.to), Choice: choiceText(c, kinds, x.choice), Rule: x.rule}
		if x.to == none {
			step.To = -1
		}
		d.Steps = append(d.Steps, step)
	}
	return d
}

func faultsText(kinds []kind, used vector) string {
	var words []string
	for k := range kinds {
		if n := used.of(k); n > 0 {
			words = append(words, fmt.Sprintf("%s %d", fabric.FaultNames[kinds[k].fault.Kind], n))
		}
	}
	return strings.Join(words, ", ")
}

func choiceText(c *config.Config, kinds []kind, choice []event) string {
	var words []string
	for _, e := range choice[len(faultsOf(choice)):] {
		processor, value := e.draw()
		words = append(words, fmt.Sprintf("%s draws %d", c.Network.Names().Processor(processor), value))
	}
	for _, e := range faultsOf(choice) {
		kind := kinds[e.kind].fault.Kind
		_, _, path := fabric.FaultTargets(c.Network, kind)
		words = append(words, fabric.FaultNames[kind]+" of "+path(int(e.target)))
	}
	return strings.Join(words, ", ")
}
