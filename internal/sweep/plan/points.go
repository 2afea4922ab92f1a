package plan

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// PointsMax bounds the points of a sweep.
const PointsMax = 1_000_000

// Point is a combination of the axes' values.
type Point struct {
	Labels   []string // labels of its values, in the order of the axes
	Settings []strict.Assignment
}

// String formats a point as load=0.15 arbiter=fixed.
func (p *Point) String(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = name + "=" + p.Labels[i]
	}
	return strings.Join(words, " ")
}

// Points returns the combinations that meet the condition. The last axis varies fastest.
func (p *Plan) Points() ([]Point, error) {
	total := uint64(1)
	for _, g := range p.groups {
		high, low := bits.Mul64(total, uint64(len(g[0].Values)))
		if total = low; high != 0 || total > PointsMax {
			return nil, input.Mistake(p.Place(""), fmt.Sprintf("the axes have more than %d combinations", PointsMax),
				"give axes fewer values, or pair some with zip")
		}
	}
	var points []Point
	for i := range int(total) {
		chosen := p.chosen(i)
		if p.where != nil {
			terms := map[string]any{}
			for k, a := range p.Axes {
				terms[a.Name] = a.Values[chosen[k]].Term
			}
			switch yes, err := p.where.holds(terms); {
			case err != nil:
				point := p.point(chosen)
				return nil, input.Mistake(p.where.place,
					fmt.Sprintf("where cannot be decided for %s: %v", point.String(p.Names()), err), "compare values of one kind")
			case !yes:
				continue
			}
		}
		points = append(points, p.point(chosen))
	}
	if len(points) == 0 {
		return nil, &input.Error{Place: p.where.place, Reason: fmt.Sprintf("where leaves none of %d points", total),
			Remedy: "change the condition, or the axes"}
	}
	return points, nil
}

func (p *Plan) chosen(i int) []int {
	of := map[*Axis]int{}
	for k := len(p.groups) - 1; k >= 0; k-- {
		n := len(p.groups[k][0].Values)
		for _, a := range p.groups[k] {
			of[a] = i % n
		}
		i /= n
	}
	chosen := make([]int, len(p.Axes))
	for k, a := range p.Axes {
		chosen[k] = of[a]
	}
	return chosen
}

func (p *Plan) point(chosen []int) (point Point) {
	for k, a := range p.Axes {
		v := &a.Values[chosen[k]]
		point.Labels = append(point.Labels, v.Label)
		point.Settings = append(point.Settings, v.Settings...)
	}
	return point
}

// condition selects points by the names of axes. It is evaluated in double precision.
type condition struct {
	text, place string
	program     *vm.Program
}

func (r *reader) compile(node *yaml.Node, axes []*Axis) (*condition, error) {
	c := &condition{place: r.Place(node)}
	if err := r.Text(node, "where", &c.text); err != nil {
		return nil, err
	}
	names := make([]string, len(axes))
	example := map[string]any{}
	for i, a := range axes {
		names[i], example[a.Name] = a.Name, a.Values[0].Term
		for k := range a.Values {
			if kind(a.Values[k].Term) != kind(example[a.Name]) {
				example[a.Name] = nil // values of mixed kinds are checked at evaluation
			}
		}
	}
	var err error
	c.program, err = expr.Compile(c.text, expr.Env(example), expr.AsBool())
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		return nil,
			r.Refuse(node, "where is not a condition: "+reason,
				"compare axes ("+strings.Join(names, ", ")+`), for example "load * size < 1"`)
	}
	return c, nil
}

func kind(term any) string { return fmt.Sprintf("%T", term) }

func (c *condition) holds(terms map[string]any) (bool, error) {
	value, err := expr.Run(c.program, terms)
	if err != nil {
		return false, err
	}
	yes, ok := value.(bool)
	if !ok {
		return false, fmt.Errorf("it is %v", value)
	}
	return yes, nil
}
