package plan

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	yaml "go.yaml.in/yaml/v4"
)

// condition says which points are run. Names in it are those of axes; numbers are computed in double precision.
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
				example[a.Name] = nil // of no one kind: checked when it is used
			}
		}
	}
	var err error
	c.program, err = expr.Compile(c.text, expr.Env(example), expr.AsBool())
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		return nil, r.Refuse(node, "where is not a condition: "+reason, "compare axes ("+strings.Join(names, ", ")+`), for example "load * size < 1"`)
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
