// Package goals reads the assertions of SystemVerilog from preprocessed text, and rewrites the text for proofs:
//
//	source --verilator -E--> text --Read--> Plain:  without assertions, of the same length
//	                                        Marked: every goal is an assertion with a marker in its message
//	                                        Only:   one goal, for the replay of its trace
//
// A goal is an assert, an assume or a cover, in a process or as a property. Marked turns a cover into an assertion
// of its opposite. An assertion with an implication gets a second goal, which fails when the condition before the
// implication holds. So a proof shows that the condition can occur.
//
// Cut takes an instance out of the top module of such a text.
package goals

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"starloom/cosim"
)

// Kinds of goals.
const (
	Assert = "assert" // must hold
	Assume = "assume" // restricts the inputs; also restrict
	Cover  = "cover"  // must be reachable
)

// A Goal is an assertion of the source.
type Goal struct {
	Name  string // its label, or its kind and place
	Kind  string
	Place string // file:line:column
	Text  string // the property, on one line
	// After is the number of cycles after power-on before the first one in which the goal counts. Earlier, it would
	// read values from before the first reset.
	After int
	When  bool // it has a condition before |-> or |=>

	spec       *spec // nil for an assertion in a process
	body       []token
	begin, end int // extent in the text
	alone      bool
}

// A property is a named property.
type property struct {
	name       string
	args       []token // with parentheses
	begin, end int
	read       bool
	spec
}

// Text is preprocessed text with goals.
type Text struct {
	Goals []Goal

	source     string
	properties []property
	binds      [][2]int // extents of bind statements whose module has no output
}

func (t *Text) property(name string) *property {
	if i := slices.IndexFunc(t.properties, func(p property) bool { return p.name == name }); i >= 0 {
		return &t.properties[i]
	}
	return nil
}

var verbs = []string{Assert, Assume, Cover, "restrict", "expect"}

// Read reads the goals of preprocessed text. Errors are an *InputError at a construct that a proof cannot use.
func Read(text string) (*Text, error) {
	t := &Text{source: text}
	r := &reader{lex(text)}
	isProperty := func(i int) bool {
		return r.text(i) == "property" && !slices.Contains(verbs, r.text(i-1)) &&
			cosim.IsIdentifier(r.text(i+1))
	}
	for i := range r.tokens {
		if isProperty(i) {
			t.properties = append(t.properties, property{name: r.text(i + 1)})
		}
	}
	processEnd, open := 0, []string(nil)
	processes := []string{"always", "always_ff", "always_comb", "always_latch", "initial", "final"}
	for i := 0; i < len(r.tokens); i++ {
		var err error
		open = nested(open, r.text(i))
		switch word := r.text(i); {
		case isProperty(i):
			i, err = t.readProperty(r, i)
		case (word == "sequence" || word == "checker") && r.text(i+2) != ":":
			err = refuse(&r.tokens[i], word, remedyWord)
		case word == "default" && r.text(i+1) == "disable":
			err = refuse(&r.tokens[i], "default disable iff", "write disable iff in each assertion")
		case slices.Contains(processes, word):
			processEnd = max(processEnd, r.statement(i+1))
		case word == "function" || word == "task":
			if r.text(i-1) != "import" && r.text(i-1) != "end" {
				processEnd = max(processEnd, r.block(i))
			}
		case word == "bind":
			t.readBind(r, i)
		case slices.Contains(verbs, word) && slices.Contains([]string{"(", "property", "final", "#", "sequence"},
			r.text(i+1)):
			i, err = t.readGoal(r, i, i < processEnd, len(open) > 0 && open[len(open)-1] == "case")
		}
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// nested maintains the open blocks of statements.
func nested(open []string, word string) []string {
	switch word {
	case "begin", "case":
		return append(open, word)
	case "casez", "casex":
		return append(open, "case")
	case "end", "endcase":
		return open[:max(0, len(open)-1)]
	}
	return open
}

func (t *Text) readProperty(r *reader, i int) (last int, err error) {
	p := t.property(r.text(i + 1))
	begin := i
	i += 2
	if r.text(i) == "(" {
		end := r.closing(i)
		p.args = r.tokens[i : end+1]
		i = end + 1
	}
	for last = i; last < len(r.tokens) && r.text(last) != "endproperty"; last++ {
	}
	body := r.tokens[min(i+1, last):last]
	if len(body) > 0 && body[len(body)-1].text == ";" {
		body = body[:len(body)-1]
	}
	if p.spec, err = t.spec(body); err != nil {
		return 0, err
	}
	if r.text(last+1) == ":" {
		last += 2
	}
	p.begin, p.end, p.read = r.tokens[begin].at, r.tokens[min(last, len(r.tokens)-1)].end(), true
	return last, nil
}

// closers are tokens after which a statement or an item is not the only one of its place.
var closers = []string{"", ";", "begin", "end", "endproperty", "endfunction", "endtask", "endcase", "endgenerate",
	"endclocking", "generate", "endmodule"}

// readGoal reads the assertion whose keyword is at i. Directly inside a case, the name before it is an item, not a
// label.
func (t *Text) readGoal(r *reader, i int, inProcess, inCase bool) (last int, err error) {
	verb := &r.tokens[i]
	g := Goal{Kind: verb.text, Place: verb.place(), begin: verb.at}
	switch {
	case verb.text == "expect" || r.text(i+1) == "sequence":
		return 0, refuse(verb, verb.text+" "+r.text(i+1), remedyWord)
	case verb.text == "restrict":
		g.Kind = Assume
	}
	before := i - 1
	if r.text(i-1) == ":" && i > 1 {
		if !inCase && cosim.IsIdentifier(r.text(i-2)) {
			g.Name, before, g.begin = r.text(i-2), i-3, r.tokens[i-2].at
		}
	}
	g.alone = !slices.Contains(closers, r.text(before))
	concurrent := r.text(i+1) == "property"
	open := i + 1
	for r.text(open) != "(" && open < len(r.tokens) {
		open++
	}
	g.body = r.inside(open)
	last = r.afterAction(i)
	g.end, g.Text = r.tokens[min(last, len(r.tokens))-1].end(), joined(g.body)
	if g.Name == "" {
		g.Name = fmt.Sprintf("%s_%d", g.Kind, verb.line)
	}
	switch {
	case concurrent && inProcess:
		return 0, refuse(verb, "a property in a process", "write it outside of processes")
	case concurrent:
		s, err := t.spec(g.body)
		if err != nil {
			return 0, err
		}
		g.spec, g.After, g.When = &s, s.after, t.implies(&s)
		if g.When && g.Kind == Cover {
			return 0, refuse(verb, "cover of an implication", "cover the condition alone")
		}
	default:
		if err := allowed(g.body); err != nil {
			return 0, err
		}
		g.After = past(g.body)
	}
	t.Goals = append(t.Goals, g)
	return last - 1, nil
}

// implies reports whether a property has a condition before an implication.
func (t *Text) implies(s *spec) bool {
	for s.of != "" {
		s = &t.property(s.of).spec
	}
	return len(s.when) > 0
}

func (t *Text) readBind(r *reader, i int) {
	open := i + 1
	for ; open < len(r.tokens) && r.text(open) != "(" && r.text(open) != "#"; open++ {
	}
	name := r.text(open - 1)
	if r.text(open) == "(" {
		name = r.text(open - 2)
	}
	for k := range r.tokens {
		if r.text(k) != "module" || r.text(k+1) != name {
			continue
		}
		for ; k < len(r.tokens) && r.text(k) != "endmodule"; k++ {
			if slices.Contains([]string{"output", "inout", "ref"}, r.text(k)) {
				return
			}
		}
		t.binds = append(t.binds, [2]int{r.tokens[i].at, r.tokens[r.semicolon(i)].end()})
		return
	}
}

var marker = regexp.MustCompile(`starloom (goal|when) (\d+)`)

// Marked finds the marker of a goal in the message of an assertion. when is true for the condition before the
// implication of the goal, which fails when it occurs.
func Marked(message string) (goal int, when, ok bool) {
	found := marker.FindStringSubmatch(message)
	if found == nil {
		return 0, false, false
	}
	goal, _ = strconv.Atoi(found[2])
	return goal, found[1] == "when", true
}
