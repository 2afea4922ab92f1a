package coverage

import (
	"cmp"
	"fmt"
	"io"
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
	if isToggle(p) {
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

// Excluded is an exclusion with the number of its points.
type Excluded struct {
	What    string `json:"what"` // fifo.v:12,15-17 or the pattern of signals
	Reason  string `json:"reason"`
	Points  int    `json:"points"`  // lines, branches, cover properties and toggles
	Covered int    `json:"covered"` // covered points; if not 0, the exclusion hides reachable points
	place   string
}

// excluded counts the points of each exclusion.
func (r *RTL) excluded() (all []Excluded) {
	if r.exclusions == nil {
		return nil
	}
	whole := RTL{counts: r.counts, asked: r.asked}
	sources := whole.sources()
	for i := range r.exclusions.entries {
		e := &r.exclusions.entries[i]
		found := Excluded{What: e.Signals, Reason: e.Reason, place: e.place}
		if e.File != "" {
			found.What = strings.TrimSuffix(e.File+":"+strings.Join(ranges(e.Lines.all), ","), ":")
		}
		var part Part
		for _, s := range sources {
			for line, count := range s.lines {
				if e.hasLine(s.file, line) {
					part.count(count > 0)
				}
			}
			for _, b := range s.branches {
				if e.hasLine(s.file, b.line) {
					part.count(b.count > 0)
				}
			}
		}
		for p, count := range r.counts {
			if (isToggle(&p) || isUser(&p)) && e.has(&p) {
				part.count(count > 0)
			}
		}
		found.Points, found.Covered = part.Of, part.Covered
		all = append(all, found)
	}
	return all
}

// Exclude removes the points of x from the coverage. A nil x removes no points.
func (c *Coverage) Exclude(x *Exclusions) { c.RTL.exclusions = x }

// CheckExclusions returns an *input.Error for an exclusion that selects no point.
func (c *Coverage) CheckExclusions() error {
	for _, e := range c.RTL.excluded() {
		if e.Points == 0 {
			return input.Mistake(e.place, fmt.Sprintf("%s matches no line, branch, cover property or toggle of the RTL", e.What),
				"take the name from --coverage F.txt, or delete the exclusion")
		}
	}
	return nil
}

func writeExcluded(w io.Writer, all []Excluded) {
	for _, e := range all {
		covered := ""
		if e.Covered > 0 {
			covered = fmt.Sprintf(", %d of them covered", e.Covered)
		}
		fmt.Fprintf(w, "excluded: %s: %s%s: %s\n", e.What, cosim.Count(uint64(e.Points), "point"), covered, e.Reason)
	}
}
