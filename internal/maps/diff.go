package maps

import (
	"math"

	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/diff"
	"starloom/traces/input/strict"
	"starloom/traces/vcd"
)

// LoadDiff reads a map of `trace diff` into options:
//
//	signals:                      # names of A: names of B; see diff.NameRule
//	  tb.u_dut.**: TOP.dut.$1
//	a: {clock: tb.clk}            # or {period: 10 ns}; edge: falling
//	b: {clock: TOP.clk_i}
//	only: [TOP.**]
//	ignore: ["**.debug_*"]
//	align: tb.rst_n
//	offset_cycles: 2              # or offset: 4 ns, without clocks and periods
//
// Every error is an *input.Error with file, line and column.
func LoadDiff(path string, o *diff.Options) error {
	data, path, err := strict.Read(path, traceMapRemedy)
	if err != nil {
		return err
	}
	return ParseDiff(path, data, o)
}

// ParseDiff parses the text of a map of `trace diff` into options.
func ParseDiff(path string, data []byte, o *diff.Options) error {
	d, root, err := parse(path, data, "the map", traceMapRemedy)
	if err != nil {
		return err
	}
	return d.Keys(root, "the map", map[string]func(*yaml.Node, string) error{
		"signals": func(n *yaml.Node, where string) error { return d.rules(n, where, &o.Rules) },
		"a":       func(n *yaml.Node, where string) error { return d.sampling(n, where, &o.A) },
		"b":       func(n *yaml.Node, where string) error { return d.sampling(n, where, &o.B) },
		"only":    func(n *yaml.Node, where string) error { return d.Texts(n, where, &o.Only) },
		"ignore":  func(n *yaml.Node, where string) error { return d.Texts(n, where, &o.Ignore) },
		"align":   func(n *yaml.Node, where string) error { return d.Text(n, where, &o.Align) },
		"offset_cycles": func(n *yaml.Node, where string) error {
			number, err := d.Integer(n, where, strict.Span{Min: -math.MaxInt32, Max: math.MaxInt32})
			o.OffsetCycles = number.Int64()
			return err
		},
		"offset": func(n *yaml.Node, where string) error {
			var text string
			if err := d.Text(n, where, &text); err != nil {
				return err
			}
			var err error
			if o.Offset, err = vcd.ParseDuration(text); err != nil {
				return d.Refuse(n, err.Error(), "give a time such as 4 ns")
			}
			return nil
		},
	})
}

func (d *decoder) rules(node *yaml.Node, where string, to *[]diff.NameRule) error {
	if node.Kind != yaml.MappingNode {
		return d.Wrong(node, where, "an object: {NAME_IN_A: NAME_IN_B}")
	}
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		rule := diff.NameRule{Place: d.Place(node.Content[i])}
		var err error
		if rule.From, err = d.Key(node.Content[i], where, seen); err != nil {
			return err
		}
		if err := d.Text(strict.Target(node.Content[i+1]), rule.From, &rule.To); err != nil {
			return err
		}
		*to = append(*to, rule)
	}
	return nil
}
