package goals

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An edit replaces a part of the text.
type edit struct {
	begin, end int
	text       string
}

func (t *Text) edited(edits []edit) string {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.begin, b.begin) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.begin < at { // a bind statement inside an assertion: the text is not SystemVerilog
			continue
		}
		part := t.source[e.begin:e.end]
		b.WriteString(t.source[at:e.begin])
		b.WriteString(e.text)
		if len(e.text) != len(part) || strings.Count(e.text, "\n") != strings.Count(part, "\n") {
			b.WriteString(padding(part, e.text))
		}
		at = e.end
	}
	return b.String() + t.source[at:]
}

// Plain returns the text without assertions and properties. It has the same length, so that places stay.
func (t *Text) Plain() string { return t.rewritten(func(int, *Goal) string { return "" }, false) }

// rewritten replaces every goal. A goal that becomes "" is blanked.
func (t *Text) rewritten(of func(i int, g *Goal) string, binds bool) string {
	var edits []edit
	keep := binds
	for i := range t.Goals {
		g := &t.Goals[i]
		text := of(i, g)
		keep = keep || text != ""
		part := t.source[g.begin:g.end]
		switch {
		case text == "" && g.alone:
			text = "begin end" + blank(part)[len("begin end"):]
			if strings.Contains(part[:len("begin end")], "\n") {
				text = "begin end" + padding(part, "")
			}
		case text == "":
			text = blank(part)
		case g.alone:
			text = "begin " + text + " end"
		}
		edits = append(edits, edit{g.begin, g.end, text})
	}
	for i := range t.properties {
		p := &t.properties[i]
		if !p.read {
			continue
		}
		text := blank(t.source[p.begin:p.end])
		if keep {
			text = t.declared(p)
		}
		edits = append(edits, edit{p.begin, p.end, text})
	}
	for _, b := range t.binds {
		if !keep {
			edits = append(edits, edit{b[0], b[1], blank(t.source[b[0]:b[1]])})
		}
	}
	return t.edited(edits)
}

// declared returns a named property, with the properties for its condition or its opposite.
func (t *Text) declared(p *property) string {
	text := func(suffix, body string) string {
		return fmt.Sprintf("property %s%s %s; %s; endproperty ", p.name, suffix, joined(p.args), body)
	}
	all := text("", p.holds())
	switch {
	case p.of != "" && t.implies(&p.spec):
		return all + text(reachSuffix, p.instance(reachSuffix))
	case p.of != "":
		return all + text(notSuffix, p.instance(notSuffix))
	case len(p.when) > 0:
		return all + text(reachSuffix, p.never(p.when))
	}
	return all + text(notSuffix, p.never(p.then))
}

// fails returns a property or condition that fails when the goal fails, is reached, or when its condition holds.
func (t *Text) fails(g *Goal, when bool) string {
	s := g.spec
	switch {
	case s == nil && g.Kind == Cover:
		return "(!(" + joined(g.body) + "))"
	case s == nil:
		return "(" + joined(g.body) + ")"
	case when && s.of != "":
		return "property (" + s.instance(reachSuffix) + ")"
	case when:
		return "property (" + s.never(s.when) + ")"
	case g.Kind == Cover && s.of != "":
		return "property (" + s.instance(notSuffix) + ")"
	case g.Kind == Cover:
		return "property (" + s.never(s.then) + ")"
	}
	return "property (" + s.holds() + ")"
}

// Marked returns the text in which every goal is an assertion with a marker.
func (t *Text) Marked() string {
	return t.rewritten(func(i int, g *Goal) string {
		text := fmt.Sprintf("assert %s else $error(\"starloom goal %d\");", t.fails(g, false), i)
		if g.When && g.Kind == Assert {
			text += fmt.Sprintf(" assert %s else $error(\"starloom when %d\");", t.fails(g, true), i)
		}
		return text
	}, true)
}

// Only returns the text with one goal. It fails from cycle After+1 on, with message.
func (t *Text) Only(goal int, message string) string {
	return t.rewritten(func(i int, g *Goal) string {
		if i != goal {
			return ""
		}
		return t.failing(i, g, message)
	}, true)
}

// failing returns an assertion that ends the simulation with message.
func (t *Text) failing(i int, g *Goal, message string) string {
	clock := t.clockOf(g)
	if clock == "" {
		return fmt.Sprintf("assert %s else $error(%q);", t.fails(g, false), message)
	}
	age := fmt.Sprintf("starloom_age_%d", i)
	return fmt.Sprintf("/* verilator coverage_off */ int %[1]s = 0; always %[2]s if (%[1]s < 99) %[1]s <= %[1]s + 1; "+
		"/* verilator coverage_on */ assert %[3]s else if (%[1]s > %[4]d) $error(%[5]q);", age, clock, t.fails(g, false),
		g.After, message)
}

// Checked returns the text for a check: an assertion ends the simulation, and a cover property counts each cover and
// each condition before an implication, except those of named properties. An assume restricts only the inputs of a
// proof. Such text is not evaluated, and the first assume is returned.
func (t *Text) Checked() (text string, assume *Goal) {
	if i := slices.IndexFunc(t.Goals, func(g Goal) bool { return g.Kind == Assume }); i >= 0 {
		return t.Plain(), &t.Goals[i]
	}
	return t.rewritten(func(i int, g *Goal) string {
		switch {
		case g.Kind == Cover && g.spec == nil:
			return fmt.Sprintf("%s: cover (%s);", g.Name, joined(g.body))
		case g.Kind == Cover:
			return fmt.Sprintf("%s: cover property (%s);", g.Name, joined(g.body))
		}
		text := t.failing(i, g, fmt.Sprintf("%s (%s) fails", g.Name, g.Place))
		if g.When && g.spec.of == "" {
			text += fmt.Sprintf(" %s_condition: cover property (%s %s);", g.Name, g.spec.head(), joined(g.spec.when))
		}
		return text
	}, true), nil
}

// clockOf returns the clock of a property, "" if it has none or takes it from an argument.
func (t *Text) clockOf(g *Goal) string {
	if g.spec == nil {
		return ""
	}
	s, args := g.spec, []token(nil)
	for len(s.clock) == 0 && s.of != "" {
		p := t.property(s.of)
		s, args = &p.spec, p.args
	}
	for _, c := range s.clock {
		if slices.ContainsFunc(args, func(a token) bool { return a.text == c.text && a.text != "(" && a.text != ")" }) {
			return ""
		}
	}
	return joined(s.clock)
}
