package maps

import (
	"fmt"
	"math"
	"math/big"
	"regexp"

	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/traces/input/strict"
)

// clock parses the name of a clock, a list of names, or clocks with their ratios to the model's:
//
//	clock: clk
//	clock: [wr_clk, rd_clk]
//	clock: {clk: 1, clk2x: 2, slow: 1/4, shifted: {ratio: 1, phase: 1/2}}
//	clock: {wr_clk: write_clock, rd_clk: read_clock}   # enabled by inputs of the model
func (d *pinDecoder) clock(n *yaml.Node, where string) error {
	timing := &d.m.Timing
	switch n.Kind {
	case yaml.SequenceNode:
		var names []string
		if err := d.noted(n, where, &names); err != nil {
			return err
		}
		for _, name := range names {
			timing.Clocks = append(timing.Clocks, pinmap.Clock{Name: name, Edges: 1, Cycles: 1})
		}
	case yaml.MappingNode:
		if err := d.each(d.ratio)(n, where); err != nil {
			return err
		}
	default:
		return d.Text(n, where, &d.m.Clock)
	}
	if len(timing.Clocks) == 0 {
		return d.Refuse(n, "clock names no pin", "write clock: PIN")
	}
	d.m.Clock = timing.Clocks[0].Name
	for _, c := range timing.Clocks { // clock for sampling a testbench's waveform
		if c.Edges == c.Cycles && c.Phase == nil {
			d.m.Clock = c.Name
			break
		}
	}
	return nil
}

func (d *pinDecoder) ratio(n *yaml.Node, key, where string) error {
	c := pinmap.Clock{Name: key}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && cosim.IsIdentifier(n.Value) {
		c.When = n.Value
		d.m.Timing.Clocks = append(d.m.Timing.Clocks, c)
		return nil
	}
	ratio, phase := big.NewRat(1, 1), new(big.Rat)
	var err error
	if n.Kind == yaml.MappingNode {
		err = d.Keys(n, where, map[string]readNode{
			"ratio": func(n *yaml.Node, where string) error { return d.fraction(n, where, ratio) },
			"phase": func(n *yaml.Node, where string) error { return d.fraction(n, where, phase) },
		})
	} else {
		err = d.fraction(n, where, ratio)
	}
	switch {
	case err != nil:
		return err
	case ratio.Sign() == 0:
		return d.Refuse(n, where+" is 0", "give the number of edges per cycle of the model, such as 2 or 1/4; a pin that "+
			"never "+
			"changes belongs in ties")
	case phase.Cmp(big.NewRat(1, 1)) >= 0:
		return d.Refuse(n, where+".phase is "+phase.RatString(), "give a fraction of the clock's period, below 1: 1/2")
	case phase.Sign() != 0:
		c.Phase = phase
	}
	c.Edges, c.Cycles = int(ratio.Num().Int64()), int(ratio.Denom().Int64())
	d.m.Timing.Clocks = append(d.m.Timing.Clocks, c)
	return nil
}

var fractionText = regexp.MustCompile(`^\d{1,6}(?:/[1-9]\d{0,5})?$`)

func (d *pinDecoder) fraction(n *yaml.Node, where string, to *big.Rat) error {
	if n.Kind == yaml.ScalarNode && fractionText.MatchString(n.Value) {
		if _, ok := to.SetString(n.Value); ok {
			return nil
		}
	}
	return d.Wrong(n, where, "an integer or a fraction: 2, 1/4")
}

// reset parses {pin: rst_ni, active: low, cycles: 4}, the name of a pin, or a list of these.
func (d *pinDecoder) reset(n *yaml.Node, where string) error {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	for i, entry := range items {
		entry = strict.Target(entry)
		at := where
		if n.Kind == yaml.SequenceNode {
			at = fmt.Sprintf("%s[%d]", where, i)
		}
		r, cycles, err := d.oneReset(entry, at)
		if err != nil {
			return err
		}
		if d.m.Timing.ResetCycles = max(d.m.Timing.ResetCycles, cycles); r.Pin == "" && (cycles == 0 || len(items) > 1) {
			return d.Refuse(entry, "reset names no pin", "write reset: {pin: rst_ni, active: low}; for RTL without a reset, "+
				"not compared in the first 4 cycles: reset: {cycles: 4}")
		}
		if i == 0 {
			d.m.Reset, d.m.ResetLow = r.Pin, r.Low
		} else {
			d.m.Timing.Resets = append(d.m.Timing.Resets, r)
		}
	}
	return nil
}

func (d *pinDecoder) oneReset(n *yaml.Node, where string) (r pinmap.Reset, cycles int, err error) {
	if n.Kind == yaml.ScalarNode {
		err = d.Text(n, where, &r.Pin)
		return r, 0, err
	}
	err = d.Keys(n, where, map[string]readNode{
		"pin": d.textTo(&r.Pin),
		"active": func(n *yaml.Node, where string) error {
			i, err := d.Word(n, where, "high", "low")
			r.Low = i == 1
			return err
		},
		"cycles": func(n *yaml.Node, where string) error {
			number, err := d.Integer(n, where, strict.Span{Min: 1, Max: math.MaxInt32})
			cycles = int(number.Int64())
			return err
		},
	})
	return r, cycles, err
}
