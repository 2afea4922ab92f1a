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

// SecondCycles is how long a print runs beside its source in a second simulator, and longer while branches are left, up to secondCyclesMost, unless
// none was new for secondCyclesIdle.
const SecondCycles, secondCyclesMost, secondCyclesIdle = 2_000, 20_000, 1_000

const secondRestartsMax = 20

// A Second is what a second simulator, which reads the source by itself, says of a print.
type Second struct {
	Cycles int    `json:"cycles"`           // without a difference in a bit that is not X on either side
	Absent string `json:"absent,omitempty"` // why it has not taken part, or not to the end

	// Led: inputs were led to the branches of a print. Branches are its branches, and Taken how many of them were taken; the places of others
	// are Untaken.
	Led      bool     `json:"led"`
	Branches int      `json:"branches"`
	Taken    int      `json:"branches_taken"`
	Untaken  []string `json:"branches_not_taken,omitempty"`
	Left     []int    `json:"-"` // which those are

	// Unknown are outputs of which some bit was X in more than a twentieth of what was compared, and in which part of it. Valued are those
	// that were X in the source and had a value in the print: something has one there that has none.
	Unknown map[string]float64 `json:"unknown_outputs,omitempty"`
	Valued  map[string]float64 `json:"valued_outputs,omitempty"`
}

// CompareSecond runs a print beside its source in Icarus Verilog, as Compare does in Verilator: a print is of what Verilator reads, and
// where that is not what the source says, both would agree. A difference counts only under inputs within the print's Rules. Constructs unknown to
// Icarus are no failure.
//
// Errors: a *Difference.
func CompareSecond(ctx context.Context, s cosim.Source, m *Module, o cosim.BuildOptions, seed uint64) (Second, error) {
	second, err := compareSecond(ctx, s, m, o, seed, false)
	if differs := (*Difference)(nil); errors.As(err, &differs) && m.Rules != nil {
		return compareSecond(ctx, s, m, o, seed, true)
	}
	return second, err
}

func compareSecond(ctx context.Context, s cosim.Source, m *Module, o cosim.BuildOptions, seed uint64, keeps bool) (Second, error) {
	print, err := m.source(o)
	if err != nil {
		return Second{}, err
	}
	print.Defines[DefineBranches] = ""
	s = s.ForVerilator()
	c := &comparison{
		Module: &Module{Top: m.Top, Ports: m.Ports}, s: s, cycles: SecondCycles, seed: seed, restarts: secondRestartsMax, quiet: true,
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

// often are the parts of all comparisons in which outputs were counted, where they are not small.
func (c *comparison) often(counted map[string]int) map[string]float64 {
	compared := float64(c.done.Cycles)
	if c.clocks != 0 { // before and after each edge
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

// Text says whether another tool reads the RTL as Verilator does.
func (s *Second) Text() string {
	cycles := cosim.Count(uint64(s.Cycles), "cycle")
	text := fmt.Sprintf("Icarus Verilog, which reads the RTL by itself, shows the same in %s of random inputs", cycles)
	switch n := uint64(s.Branches); {
	case n > 0:
		text += fmt.Sprintf(" that were led to its branches, %s of %s branches taken", cosim.Digits(uint64(s.Taken)), cosim.Digits(n))
	case s.Led:
		text += "; it has no branches"
	default:
		text = fmt.Sprintf("no second reader of its branches: %s of random inputs in Icarus Verilog, which may miss any of them, show no difference", cycles)
	}
	if len(s.Unknown) > 0 {
		text += ", but where outputs are X there: " + PartsText(s.Unknown)
	}
	switch {
	case s.Absent == "":
		return text
	case s.Cycles == 0:
		return "no second tool has read the RTL: Icarus Verilog: " + s.Absent
	}
	return text + ", and no more: " + s.Absent
}

// PartsText is parts by output: q in 48%.
func PartsText(parts map[string]float64) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		all = append(all, fmt.Sprintf("%s in %.0f%%", name, 100*parts[name]))
	}
	return strings.Join(all, ", ")
}

// samePorts refuses what the simulators have not the same ports of: a structure that Verilator takes apart.
func (c *comparison) samePorts() error {
	a, b := c.devices[0].Ports(), slices.DeleteFunc(slices.Clone(c.devices[1].Ports()), func(p cosim.Port) bool { return p.Name == c.guide.BranchPort })
	alike := func(a, b cosim.Port) bool {
		return a.Name == b.Name && a.Bits == b.Bits && a.Input == b.Input && a.Word == b.Word
	}
	if slices.EqualFunc(a, b, alike) {
		return nil
	}
	return fmt.Errorf("%s has other ports there", c.s.Name())
}
