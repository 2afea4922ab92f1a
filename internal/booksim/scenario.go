package booksim

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Imported is a scenario, with a line for each assignment of its source. The first line of the scenario is a comment
// with the command.
type Imported struct {
	Scenario []byte
	Lines    []Line
}

// Line is the verdict on an assignment.
type Line struct{ Place, Assignment, Verdict, Text string }

// Import returns the scenario of a configuration. The error names every value that a scenario cannot express.
func Import(s *Source) (*Imported, error) {
	r := &reader{config: &config{name: s.Name, declared: keys}, source: s, arrivals: s.Arrivals, netlist: map[string]any{},
		router: map[string]any{}, traffic: map[string]any{}, top: map[string]any{}}
	err := r.parse(string(s.Data), func(line, column int) string {
		return fmt.Sprintf("%s:%d:%d", s.Name, line, column)
	})
	for _, word := range s.Words {
		if err == nil {
			err = r.parse(word+";", func(int, int) string { return word })
		}
	}
	if err != nil {
		return nil, err
	}
	if r.settle(&r.wrong); r.wrong.Err() != nil {
		return nil, r.wrong.Err()
	}
	r.readNetwork()
	said := map[string]Line{}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		verdict, text := keys[name].rule(r, name)
		said[name] = Line{Verdict: verdict, Text: text}
	}
	if r.readTraffic(); r.wrong.Err() != nil {
		return nil, r.wrong.Err()
	}
	out := &Imported{}
	for i := range r.given {
		a := &r.given[i]
		l := said[a.key]
		if counts := r.chosen(a.key); counts != nil && counts != a {
			l = Line{Verdict: verdictNone, Text: "replaced by " + counts.place}
		}
		l.Place, l.Assignment = a.place, a.key+" = "+a.text
		out.Lines = append(out.Lines, l)
	}
	r.netlist["router"] = r.router
	r.top["starloom"], r.top["fabric"] = 1, map[string]any{"netlist": r.netlist}
	r.top["workload"] = map[string]any{"traffic": r.traffic}
	text, err := strict.WriteYAML(r.top)
	command := strings.Join(append([]string{"starloom import booksim", s.Name}, s.Words...), " ")
	out.Scenario = append([]byte("# Written by '"+input.Printable(command)+"'\n"), text...)
	return out, err
}

// WriteText writes the lines as a table.
func (m *Imported) WriteText(to io.Writer) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, l := range m.Lines {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", input.Printable(l.Place), input.Printable(l.Assignment), l.Verdict, l.Text)
	}
	return table.Flush()
}
