package prove

import (
	"fmt"
	"strings"

	"starloom/cosim/flatten"
	"starloom/cosim/goals"
)

// A goalNet is an assertion of the print that is a goal of the source, in one instance of its module.
type goalNet struct {
	goal         int // number in the text
	when         bool
	kind         string
	after        int
	net          string
	scope, clock string
}

func goalsOf(text *goals.Text, m *flatten.Module) (all []goalNet) {
	for _, a := range m.Assertions {
		if i, when, ok := goals.Marked(a.Text); ok {
			g := &text.Goals[i]
			all = append(all, goalNet{i, when, g.Kind, g.After, a.Net, a.Scope, a.Clock})
		}
	}
	return all
}

func (g *goalNet) assumed() bool { return g.kind == goals.Assume }

func (t *miterText) goalPorts() []string {
	if len(t.goals) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("output [%d:0] fails", len(t.goals)-1), "output goals_count", "output goals_begin",
		"output goals_obeyed"}
}

// writeGoals writes the outputs of goals. A goal counts from the cycle after its past values exist, while all
// assumptions of the RTL and of the map have held.
func (t *miterText) writeGoals() {
	if len(t.goals) == 0 {
		return
	}
	w := &t.b
	most := 1
	for _, g := range t.goals {
		most = max(most, g.after)
	}
	age := func(after int) string { return "1'b1" }
	if t.clocked {
		fmt.Fprintf(w, "  reg [%d:0] age = 0;\n  always @(posedge %s) age <= {age, 1'b1};\n", most, clockName)
		age = func(after int) string { return fmt.Sprintf("age[%d]", after) }
	}
	broken, nets := []string{"1'b0"}, []string{"1'b0"}
	for i, g := range t.goals {
		if g.assumed() {
			nets = append(nets, fmt.Sprintf("fails%d", i))
			broken = append(broken, fmt.Sprintf("fails%d && %s", i, age(g.after)))
		}
	}
	fmt.Fprintf(w, "  wire obeyed = allowed && !(%s);\n", strings.Join(broken, " || "))
	begin := onName
	if t.clocked {
		fmt.Fprintf(w, "  reg obeys = 1'b1;\n  always @(posedge %s) obeys <= obeys && obeyed;\n", clockName)
		begin += " && obeys"
	}
	if t.keeps {
		begin += " && kept"
	}
	fmt.Fprintf(w, "  assign goals_begin = %s && %s;\n  assign goals_count = goals_begin && obeyed;\n"+
		"  assign goals_obeyed = !(%s) && %s;\n", begin, age(0), strings.Join(nets, " || "), onName)
	for i, g := range t.goals {
		fmt.Fprintf(w, "  assign fails[%d] = fails%d && goals_count && %s;\n", i, i, age(g.after))
	}
}
