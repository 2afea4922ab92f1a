package flatten

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/icarus"
)

// A second simulator runs SecondCycles cycles. While some branches are untaken, it continues to secondCyclesMost, or
// until secondCyclesIdle cycles pass without a newly taken branch.
const SecondCycles, secondCyclesMost, secondCyclesIdle = 2_000, 20_000, 1_000

const secondRestartsMax = 20

// A Second is the result of comparing a print with its source in a second, independent simulator.
type Second struct {
	Cycles int    `json:"cycles"`
	Absent string `json:"absent,omitempty"` // reason why the second simulator did not run or stopped early

	// Led means that inputs were guided to branches of the print. Branches is the number of all branches, Taken the
	// number of branches taken. Untaken lists the places of the other branches.
	Led      bool     `json:"led"`
	Branches int      `json:"branches"`
	Taken    int      `json:"branches_taken"`
	Untaken  []string `json:"branches_not_taken,omitempty"`
	Left     []int    `json:"-"`

	// Unknown maps outputs to the share of comparisons with an X bit, if above 1/20. Valued covers outputs that were
	// X in the source and known in the print: there the print has a definite value that the source leaves open.
	Unknown map[string]float64 `json:"unknown_outputs,omitempty"`
	Valued  map[string]float64 `json:"valued_outputs,omitempty"`
}

// CompareSecond compares a print with its source in Icarus Verilog, as Compare does in Verilator. It detects errors
// of Verilator's reader, which Compare cannot detect, because print and source share them. A difference counts only
// for inputs within m.Rules. If Icarus cannot read the source, Absent holds the reason.
//
// A difference is returned as a *Difference.
func CompareSecond(ctx context.Context, s cosim.Source, m *Module, o cosim.BuildOptions, seed uint64) (Second, error) {
	return compareWithin(ctx, s.ForVerilator(), m, o, seed)
}

// compareWithin compares a print with a source in Icarus Verilog. A difference counts only for inputs within m.Rules.
func compareWithin(ctx context.Context, s cosim.Source, m *Module, o cosim.BuildOptions, seed uint64) (Second, error) {
	second, err := compareSecond(ctx, s, m, o, seed, false)
	if differs := (*Difference)(nil); errors.As(err, &differs) && m.Rules != nil {
		return compareSecond(ctx, s, m, o, seed, true)
	}
	return second, err
}

func compareSecond(ctx context.Context, s cosim.Source, m *Module, o cosim.BuildOptions, seed uint64,
	keeps bool) (Second, error) {
	print, err := m.source(o)
	if err != nil {
		return Second{}, err
	}
	print.Defines[DefineBranches] = ""
	c := &comparison{
		Module: &Module{Top: m.Top, Ports: m.Ports}, s: s, cycles: SecondCycles, seed: seed,
		restarts: secondRestartsMax, quiet: true,
		random: rand.New(rand.NewPCG(seed, 0x5eed)), hidden: map[string]int{}, valued: map[string]int{},
	}
	c.guide, c.keeps = newGuide(m, c.random), keeps
	for _, source := range []cosim.Source{s, print} {
		design, err := icarus.Backend().Build(ctx, source, o)
		if err != nil {
			return Second{}, err
		}
		c.designs = append(c.designs, design)
	}
	_, err = c.run()
	second := Second{
		Cycles: c.done.Cycles, Unknown: c.often(c.hidden), Valued: c.often(c.valued),
		Led: true, Branches: len(m.Branches), Taken: len(m.Branches) - c.guide.left,
	}
	second.Left, second.Untaken = c.guide.untaken()
	var differs *Difference
	switch {
	case errors.As(err, &differs):
		differs.Second, differs.Turned = true, m.Turned
		return second, differs
	case err != nil:
		second.Absent, _, _ = strings.Cut(cosim.OneLine([]byte(err.Error())), "; ")
	}
	return second, ctx.Err()
}

func (c *comparison) often(counted map[string]int) map[string]float64 {
	compared := float64(c.done.Cycles)
	if c.clocks != 0 { // outputs are compared before and after each edge
		compared *= 2
	}
	often := map[string]float64{}
	for name, n := range counted {
		if part := float64(n) / compared; part > 0.05 {
			often[name] = part
		}
	}
	return often
}

// Text returns the result as a sentence for reports.
func (s *Second) Text() string {
	cycles := cosim.Count(uint64(s.Cycles), "cycle")
	text := fmt.Sprintf("Icarus Verilog, which reads the RTL independently, shows the same in %s of random inputs", cycles)
	switch n := uint64(s.Branches); {
	case n > 0:
		text += fmt.Sprintf(" guided to its branches, %s of %s branches taken",
			cosim.Digits(uint64(s.Taken)), cosim.Digits(n))
	case s.Led:
		text += "; it has no branches"
	default:
		text = fmt.Sprintf("no second tool has read its branches: %s of random inputs in Icarus Verilog may miss any "+
			"of them, show no difference", cycles)
	}
	if len(s.Unknown) > 0 {
		text += ", except where outputs are X in Icarus: " + PartsText(s.Unknown)
	}
	switch {
	case s.Absent == "":
		return text
	case s.Cycles == 0:
		return "no second tool has read the RTL: Icarus Verilog: " + s.Absent
	}
	return text + ", and no more: " + s.Absent
}

// PartsText formats shares by output: q in 48%.
func PartsText(parts map[string]float64) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		all = append(all, fmt.Sprintf("%s in %.0f%%", name, 100*parts[name]))
	}
	return strings.Join(all, ", ")
}

func (c *comparison) samePorts() error {
	a, b := c.devices[0].Ports(),
		slices.DeleteFunc(slices.Clone(c.devices[1].Ports()), func(p cosim.Port) bool { return p.Name == c.guide.BranchPort })
	alike := func(a, b cosim.Port) bool {
		return a.Name == b.Name && a.Bits == b.Bits && a.Input == b.Input && a.Word == b.Word
	}
	if slices.EqualFunc(a, b, alike) {
		return nil
	}
	return fmt.Errorf("%s has other ports there", c.s.Name())
}
