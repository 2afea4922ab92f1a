package flatten

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/verilator"
)

// edition identifies the form of prints in the cache. It must change with every change of printed text.
const edition = "flat-38"

// Print reads a design with Verilator and prints it; GHDL translates VHDL first. Print rejects constructs that it
// cannot print faithfully, with their place.
func Print(ctx context.Context, s cosim.Source, o cosim.BuildOptions) (*Module, error) {
	text, err := verilator.Flatten(ctx, s, o, edition, func(f *verilator.Flat) ([]byte, error) {
		m, err := printFlat(f, s, true, nil)
		if err != nil {
			return nil, err
		}
		return json.Marshal(m)
	})
	if err != nil {
		return nil, err
	}
	m := &Module{}
	return m, json.Unmarshal(text, m)
}

// printFlat prints a tree. Tests of Compare set refuses to false to print constructs that Verilator is known to
// misread. If golden is not nil, printFlat adds the second rail and stores the additional fields of a Golden there.
func printFlat(f *verilator.Flat, s cosim.Source, refuses bool, golden *Golden) (*Module, error) {
	t, err := readTree(f)
	if err != nil {
		return nil, err
	}
	t.earlier.keepSigns()
	t.keepCasts()
	t.whole, t.nested = wholeIndexes(t.earlier), nestedSelections(t.earlier)
	if !refuses {
		t.Doubts = nil
	}
	if err := t.loses(); err != nil {
		return nil, err
	}
	plain := map[string]bool{}
	for {
		m, again, err := printOnce(t, s, plain, golden)
		if again == nil {
			return m, err
		}
		plain[again.name] = true
	}
}

func printOnce(t *tree, s cosim.Source, plain map[string]bool, golden *Golden) (m *Module, again *variable,
	err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case demotion:
			if plain[r.v.name] {
				panic(fmt.Sprintf("%s is not a memory twice", r.v.name))
			}
			again = r.v
		case error:
			var refused *cosim.InputError
			if !errors.As(r, &refused) {
				panic(r)
			}
			err = r
		default:
			panic(r)
		}
	}()
	d := newDesign(t, s.Top, s.Clocks, plain)
	d.elaborate()
	ports := t.Ports
	if golden != nil {
		*golden = Golden{}
		d.rails(golden)
		ports = golden.Whole
	}
	pr := &printer{design: d, ports: ports, needed: map[*variable]bool{}, names: map[string]bool{},
		registers: map[string]bool{}, wires: map[*expr]string{}}
	m = &Module{Top: s.Top, Verilog: pr.print(), Ports: t.Ports, Kinds: slices.Sorted(maps.Keys(d.covered))}
	for _, c := range d.checks {
		m.Assertions = append(m.Assertions, c.Assertion)
	}
	for _, v := range pr.order {
		if len(v.registers) == 0 && len(v.ports) == 0 {
			continue
		}
		r := Register{Name: strings.Trim(v.printed, "\\ "), Source: v.name, Bits: v.what.bits, Place: t.place(v.at)}
		if v.memory {
			r.Bits, r.Words = v.what.element.bits, v.what.elements
		}
		m.Registers = append(m.Registers, r)
	}
	slices.Sort(d.dropped)
	if golden != nil {
		d.dropped = withoutPowerOn(d.dropped)
	}
	m.Branches, m.BranchPort, m.Constants = pr.taken, pr.branchPort, pr.constants()
	m.Dropped, m.Unknown, m.Turned = d.dropped, pr.unknown, slices.Sorted(maps.Keys(d.turned))
	m.Verilog = m.header(s) + m.Verilog
	return m, nil, nil
}
