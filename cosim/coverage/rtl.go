package coverage

import (
	"cmp"
	"slices"

	"starloom/cosim"
)

// RTL holds the counts of all points of circuits.
type RTL struct {
	counts map[cosim.Point]uint64
	asked  map[condition]uint64

	exclusions *Exclusions // nil for none
}

type condition struct {
	file         string
	line, column int
}

// Count is a point with its count.
type Count struct {
	cosim.Point
	Count uint64 `json:"count"`
}

// Add adds the counts of a device, in the order of its points.
func (r *RTL) Add(points []cosim.Point, counts []uint64) {
	for i, p := range points {
		r.add(p, counts[i])
	}
	r.ask(points, counts)
}

// ask counts the evaluations of conditions. Verilator has two points for an if: one for the body and one for the
// else, even if the source has no else. For an else if, the points of the second if precede the else point of the
// first if. That point is marked elsif.
func (r *RTL) ask(points []cosim.Point, counts []uint64) {
	if r.asked == nil {
		r.asked = map[condition]uint64{}
	}
	times := uint64(0) // number of evaluations of the preceding condition
	for i := range points {
		p := &points[i]
		switch {
		case p.Kind == cosim.PointBranch && p.Comment == "if":
			times = counts[i]
			continue // the point of the else follows
		case p.Kind == cosim.PointBranch && p.Comment == "else":
			times += counts[i]
			r.asked[condition{p.File, p.Line, p.Column - 1}] += times
		case p.Comment == "elsif":
			times += counts[i]
			r.asked[condition{p.File, p.Line, p.Column}] += times
		default:
			times = 0
		}
	}
}

func (r *RTL) add(p cosim.Point, count uint64) {
	if r.counts == nil {
		r.counts = map[cosim.Point]uint64{}
	}
	r.counts[p] += count
}

func (r *RTL) merge(other *RTL) {
	r.exclusions = cmp.Or(r.exclusions, other.exclusions)
	for p, count := range other.counts {
		r.add(p, count)
	}
	if r.asked == nil {
		r.asked = map[condition]uint64{}
	}
	for at, count := range other.asked {
		r.asked[at] += count
	}
}

// Counts returns all points that are not excluded, sorted by place.
func (r *RTL) Counts() []Count {
	all := make([]Count, 0, len(r.counts))
	for p, count := range r.counts {
		if !r.exclusions.point(&p) {
			all = append(all, Count{p, count})
		}
	}
	slices.SortFunc(all, func(a, b Count) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Page, b.Page), cmp.Compare(a.Comment, b.Comment), cmp.Compare(a.Lines, b.Lines),
			cmp.Compare(a.Hier, b.Hier))
	})
	return all
}

func isToggle(p *cosim.Point) bool { return p.Kind == cosim.PointToggle }
func isUser(p *cosim.Point) bool   { return p.Kind == cosim.PointUser }

// Part is the covered number of items and their total.
type Part struct {
	Covered int `json:"covered"`
	Of      int `json:"of"`
}

func (p *Part) add(other Part) { p.Covered, p.Of = p.Covered+other.Covered, p.Of+other.Of }

func (p *Part) count(covered bool) {
	p.Of++
	if covered {
		p.Covered++
	}
}

func (r *RTL) part(of func(p *cosim.Point) bool) (part Part) {
	for p, count := range r.counts {
		if of(&p) && !r.exclusions.point(&p) {
			part.count(count > 0)
		}
	}
	return part
}
