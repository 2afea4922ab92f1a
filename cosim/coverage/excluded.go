package coverage

import (
	"fmt"
	"io"
	"strings"

	"starloom/cosim"
	"starloom/traces/input"
)

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
