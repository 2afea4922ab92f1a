package coverage

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"starloom/traces/input"
)

// Form is a file format.
type Form int

// File formats.
const (
	Text      Form = iota // readable text
	JSON                  // complete coverage
	LCOV                  // lines and branches of the RTL, for lcov's genhtml
	Verilator             // points of the RTL, for verilator_coverage
)

// FormOf returns the format for the suffix of a path: .json, .info or .lcov, .dat, otherwise Text.
func FormOf(path string) Form {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return JSON
	case ".info", ".lcov":
		return LCOV
	case ".dat":
		return Verilator
	}
	return Text
}

// Write writes the coverage in the given format.
func (c *Coverage) Write(w io.Writer, form Form) error {
	b := bufio.NewWriter(w)
	switch form {
	case JSON:
		if err := c.writeJSON(b); err != nil {
			return err
		}
	case LCOV:
		c.writeLCOV(b)
	case Verilator:
		c.writeVerilator(b)
	default:
		c.writeText(b)
	}
	return b.Flush()
}

// Schema is the version of the JSON format.
const Schema = 1

func (c *Coverage) writeJSON(w io.Writer) error {
	type line struct {
		File  string `json:"file"`
		Line  int    `json:"line"`
		Count uint64 `json:"count"`
	}
	type register struct {
		Register
		Part
		Never []string `json:"never"`
	}
	all := struct {
		Schema    int        `json:"schema"`
		Summary   Summary    `json:"summary"`
		Lines     []line     `json:"lines"`
		Points    []Count    `json:"points"`
		Registers []register `json:"model_registers"`
		Left      int        `json:"model_registers_not_looked_at"`
	}{Schema: Schema, Summary: c.Summary(), Lines: []line{}, Points: c.RTL.Counts(),
		Registers: []register{}, Left: c.Model.left}
	for _, s := range c.RTL.sources() {
		for _, number := range slices.Sorted(maps.Keys(s.lines)) {
			all.Lines = append(all.Lines, line{s.file, number, s.lines[number]})
		}
	}
	for i := range c.Model.registers {
		r := &c.Model.registers[i]
		never := r.never()
		if never == nil {
			never = []string{}
		}
		all.Registers = append(all.Registers, register{*r, r.values(), never})
	}
	return input.WriteJSON(w, all)
}

func (c *Coverage) writeLCOV(w io.Writer) {
	fmt.Fprintln(w, "TN:starloom")
	for _, s := range c.RTL.sources() {
		fmt.Fprintf(w, "SF:%s\n", s.file)
		lines, branches := s.lineCounts(), s.branchCounts()
		for i, b := range s.branches {
			number := 0
			for k := i - 1; k >= 0 && s.branches[k].line == b.line; k-- {
				number++
			}
			taken := fmt.Sprint(b.count)
			if s.lines[b.line] == 0 && b.count == 0 {
				taken = "-" // the condition was never evaluated
			}
			fmt.Fprintf(w, "BRDA:%d,0,%d,%s\n", b.line, number, taken)
		}
		fmt.Fprintf(w, "BRF:%d\nBRH:%d\n", branches.Of, branches.Covered)
		for _, line := range slices.Sorted(maps.Keys(s.lines)) {
			fmt.Fprintf(w, "DA:%d,%d\n", line, s.lines[line])
		}
		fmt.Fprintf(w, "LF:%d\nLH:%d\nend_of_record\n", lines.Of, lines.Covered)
	}
}

// writeVerilator writes the format of Verilator's library: a line per point, with one-letter keys.
func (c *Coverage) writeVerilator(w io.Writer) {
	fmt.Fprintln(w, "# SystemC::Coverage-3")
	for _, p := range c.RTL.Counts() {
		fmt.Fprint(w, "C '")
		for _, pair := range [][2]string{
			{"f", p.File}, {"l", fmt.Sprint(p.Line)}, {"n", fmt.Sprint(p.Column)}, {"page", p.Page}, {"o", p.Comment},
			{"S", p.Lines}, {"h", p.Hier},
		} {
			if pair[1] != "" {
				fmt.Fprintf(w, "\x01%s\x02%s", pair[0], pair[1])
			}
		}
		fmt.Fprintf(w, "' %d\n", p.Count)
	}
}
