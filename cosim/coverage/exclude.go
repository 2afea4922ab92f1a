package coverage

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim"
	"starloom/hw"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Exclusions selects points of the RTL that are not counted. A file lists the selections with their reasons:
//
//   - {file: fifo.v, lines: [12, 15-17], reason: injects errors in tests only}
//   - {signals: "dut.**.debug*", reason: tied off in this product}
type Exclusions struct{ entries []exclusion }

type exclusion struct {
	File    string   `json:"file,omitempty"`    // name of a source, or the end of its path
	Lines   lineList `json:"lines,omitempty"`   // lines, branches and cover properties; all lines if empty
	Signals string   `json:"signals,omitempty"` // pattern of paths, for toggles
	Reason  string   `json:"reason"`

	place   string
	pattern *hw.Pattern
}

const (
	exclusionsWhat   = "list of exclusions"
	exclusionsRemedy = `write a list: - {file: fifo.v, lines: [12, 15-17], reason: TEXT} ` +
		`or - {signals: "dut.**.debug*", reason: TEXT}`
	exclusionBytes = 1 << 20
	linesMax       = 1 << 24
)

// ReadExclusions reads a file of exclusions. Errors are *input.Error.
func ReadExclusions(path string) (*Exclusions, error) {
	data, name, err := input.Argument(path, exclusionBytes)
	if err != nil {
		return nil, input.Refused(name, err, exclusionsRemedy)
	}
	root, err := strict.Document(name, data, exclusionsWhat, exclusionsRemedy)
	if err != nil {
		return nil, err
	}
	d := &strict.Decoder{File: name, Whole: "the " + exclusionsWhat, Places: map[string]string{}}
	x := &Exclusions{}
	if err := d.Decode(root, reflect.ValueOf(&x.entries).Elem(), "", strict.Limits{}); err != nil {
		return nil, err
	}
	for i := range x.entries {
		e := &x.entries[i]
		e.place = cmp.Or(d.Places[fmt.Sprintf("[%d]", i)], name)
		if err := e.compile(); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (e *exclusion) compile() (err error) {
	refuse := func(reason, remedy string) error { return input.Mistake(e.place, reason, remedy) }
	switch {
	case strings.TrimSpace(e.Reason) == "":
		return refuse("an exclusion without a reason", "add reason: why these points need no coverage")
	case (e.File == "") == (e.Signals == ""):
		return refuse("an exclusion names a file or signals", exclusionsRemedy)
	case e.Lines.all != nil && e.File == "":
		return refuse("lines without a file", "add file: the source of these lines")
	case e.Signals != "":
		if e.pattern, err = hw.CompilePattern(e.Signals); err != nil {
			return refuse(fmt.Sprintf("signals %q: %v", e.Signals, err), "write a path with * and **, such as dut.**.debug*")
		}
		return nil
	}
	return nil
}

// lineList is a list of lines and ranges: [12, 15-17].
type lineList struct{ all []int }

// ReadYAML implements strict.Reader.
func (l *lineList) ReadYAML(d *strict.Decoder, node *yaml.Node, path string) error {
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	for _, n := range nodes {
		first, last, isRange := strings.Cut(n.Value, "-")
		from, err := strconv.Atoi(first)
		to := from
		if isRange && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 1 || to < from || to > linesMax {
			return d.Wrong(n, path, "a line or a range of lines, such as 12 or 15-17")
		}
		for line := from; line <= to; line++ {
			l.all = append(l.all, line)
		}
	}
	slices.Sort(l.all)
	l.all = slices.Compact(l.all)
	return nil
}

func (e *exclusion) hasLine(file string, line int) bool {
	return e.File != "" && (e.File == file || strings.HasSuffix(file, "/"+e.File)) &&
		(len(e.Lines.all) == 0 || slices.Contains(e.Lines.all, line))
}

func (e *exclusion) has(p *cosim.Point) bool {
	if p.Kind == cosim.PointToggle {
		return e.pattern != nil && e.pattern.Match(p.Hier+"."+p.Comment)
	}
	return e.hasLine(p.File, p.Line)
}

// line reports whether a line is excluded.
func (x *Exclusions) line(file string, line int) bool {
	return x != nil && slices.ContainsFunc(x.entries, func(e exclusion) bool { return e.hasLine(file, line) })
}

// point reports whether a point is excluded. A block of several lines is never excluded as a whole: its lines are
// excluded one by one.
func (x *Exclusions) point(p *cosim.Point) bool {
	return x != nil && slices.ContainsFunc(x.entries, func(e exclusion) bool { return e.has(p) })
}
