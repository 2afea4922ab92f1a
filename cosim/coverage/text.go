package coverage

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"starloom/cosim"
)

// Text returns the summary in one line.
func (s *Summary) Text() string {
	text := fmt.Sprintf("coverage of the RTL: %s, %s, %s", s.Lines.text("lines"), s.Branches.text("branches"),
		s.Toggles.text("toggles"))
	if s.User.Of > 0 {
		text += ", " + s.User.text("cover properties")
	}
	text += fmt.Sprintf("; of the model: %s of registers, %s", s.Values.text("values"),
		cosim.Count(uint64(s.States), "state"))
	if s.States == StatesMax {
		text += " or more"
	}
	points := 0
	for _, e := range s.Excluded {
		points += e.Points
	}
	if points > 0 {
		text += fmt.Sprintf("; %s excluded", cosim.Count(uint64(points), "point"))
	}
	return text
}

// UncoveredText names the first lines that never ran, "" for none.
func (s *Summary) UncoveredText() string {
	var parts []string
	for _, list := range []struct {
		what string
		all  []string
	}{{"never run: ", s.Uncovered}, {"never held: ", s.Never}} {
		const shown = 6
		if len(list.all) == 0 {
			continue
		}
		text := list.what + strings.Join(list.all[:min(shown, len(list.all))], ", ")
		if more := len(list.all) - shown; more > 0 {
			text += fmt.Sprintf(" and %d more places", more)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}

func (p Part) text(what string) string { return fmt.Sprintf("%d of %d %s", p.Covered, p.Of, what) }

func (c *Coverage) writeText(w io.Writer) {
	s := c.Summary()
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name string, p Part, note string) {
		percent := "-"
		if p.Of > 0 {
			percent = fmt.Sprintf("%.1f %%", 100*float64(p.Covered)/float64(p.Of))
		}
		fmt.Fprintln(table, strings.TrimRight(fmt.Sprintf("%s\t%d of %d\t%s\t%s", name, p.Covered,
			p.Of, percent, note), "\t"))
	}
	row("lines", s.Lines, "of the RTL, all instances of a module together")
	row("branches", s.Branches, "alternatives of if, case and ?:")
	row("toggles", s.Toggles, "bits of each instance that have changed in at least one direction")
	if s.User.Of > 0 {
		row("cover properties", s.User, "")
	}
	row("values", s.Values, "of the model's registers: each value of small registers, 0 and 1 of each bit of other "+
		"registers; "+
		"some may not be possible")
	row("registers", s.Registers, "of the model with all of these")
	_ = table.Flush() // writes to a buffer cannot fail
	fmt.Fprintf(w, "states of the model: %s", cosim.Digits(uint64(s.States)))
	if s.States == StatesMax {
		fmt.Fprint(w, " or more: no more are counted")
	}
	fmt.Fprintln(w)
	writeExcluded(w, s.Excluded)
	for _, source := range c.RTL.sources() {
		for _, place := range source.uncovered() {
			fmt.Fprintf(w, "%s: never run\n", place)
		}
		for _, b := range source.branches {
			if b.count == 0 {
				fmt.Fprintf(w, "%s:%d:%d: never taken: %s\n", source.file, b.line, b.column, b.comment)
			}
		}
	}
	c.RTL.writeUnchanged(w)
	for i := range c.Model.registers {
		r := &c.Model.registers[i]
		if never := r.never(); len(never) > 0 {
			fmt.Fprintf(w, "model %s: never %s\n", r.Path, strings.Join(never, ", "))
		}
	}
	if c.Model.left > 0 {
		fmt.Fprintf(w, "model: %s after the first %d not examined\n",
			cosim.Count(uint64(c.Model.left), "register"), registersMax)
	}
}

func (r *RTL) writeUnchanged(w io.Writer) {
	type signal struct {
		file         string
		line, column int
		name, hier   string
	}
	var order []signal
	bits, known := map[signal][]int{}, map[signal]bool{}
	for _, p := range r.Counts() {
		switch {
		case p.Count > 0:
		case p.Kind == cosim.PointToggle:
			s := signal{p.File, p.Line, p.Column, p.Comment, p.Hier}
			name, index, indexed := strings.Cut(strings.TrimSuffix(p.Comment, "]"), "[")
			if bit, err := strconv.Atoi(index); indexed && err == nil {
				s.name = name
				bits[s] = append(bits[s], bit)
			}
			if !known[s] {
				known[s], order = true, append(order, s)
			}
		case p.Kind == cosim.PointUser:
			fmt.Fprintf(w, "%s:%d:%d: never held: %s in %s\n", p.File, p.Line, p.Column, p.Comment, p.Hier)
		}
	}
	for _, s := range order {
		name := s.name
		if of := bits[s]; of != nil {
			slices.Sort(of)
			name += " in bits " + strings.Join(ranges(of), ", ")
		}
		fmt.Fprintf(w, "%s:%d:%d: never changed: %s of %s\n", s.file, s.line, s.column, name, s.hier)
	}
}
