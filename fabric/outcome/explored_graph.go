package outcome

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ExploredGraph is the graph of a small search. It consists of states and the steps between them.
type ExploredGraph struct {
	Name   string
	States []ExploredState
	Steps  []ExploredStep
}

// ExploredState is a state together with the faults on the paths to it.
type ExploredState struct {
	Slot   uint32
	Faults string // counts by kind, "" for none
	Ended  bool   // the run has ended
}

// ExploredStep is a step between two states.
type ExploredStep struct {
	From, To int    // states; To is -1 for a step that breaks a rule
	Choice   string // faults of the step, "" for none
	Rule     string // broken rule, "" for none
}

// WriteDOT writes the graph for Graphviz. The states of a slot form a row. A double frame marks the end of a run, a
// red octagon a broken rule; the labels of steps are faults.
func (g *ExploredGraph) WriteDOT(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "digraph %s {\n  node [shape=box, fontsize=10];\n  edge [fontsize=9];\n", quoteDOT(Printable(g.Name)))
	order := make([]int, len(g.States))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g.States[a].Slot, g.States[b].Slot) })
	for i, at := range order {
		if x := &g.States[at]; i == 0 || g.States[order[i-1]].Slot != x.Slot {
			if i > 0 {
				fmt.Fprintln(b, "  }")
			}
			fmt.Fprintf(b, "  { rank=same;\n")
		}
		g.writeState(b, at)
	}
	if len(order) > 0 {
		fmt.Fprintln(b, "  }")
	}
	for i := range g.Steps {
		x, to := &g.Steps[i], ""
		if x.To < 0 {
			to = fmt.Sprintf("f%d", i)
			fmt.Fprintf(b, "  %s [shape=octagon, color=red, label=%s];\n", to, quoteDOT(x.Rule))
		} else {
			to = fmt.Sprintf("s%d", x.To)
		}
		fmt.Fprintf(b, "  s%d -> %s", x.From, to)
		if x.Choice != "" {
			fmt.Fprintf(b, " [label=%s, style=dashed]", quoteDOT(x.Choice))
		}
		fmt.Fprintln(b, ";")
	}
	fmt.Fprintln(b, "}")
	return b.Flush()
}

func (g *ExploredGraph) writeState(b *bufio.Writer, at int) {
	x := &g.States[at]
	label := fmt.Sprintf("slot %d", x.Slot)
	if x.Faults != "" {
		label += "\n" + x.Faults
	}
	more := ""
	if x.Ended {
		more = ", peripheries=2, color=green"
	}
	fmt.Fprintf(b, "    s%d [label=%s%s];\n", at, quoteDOT(label), more)
}

// quoteDOT quotes a text for Graphviz. Only quotation marks, backslashes and newlines are escaped.
func quoteDOT(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
