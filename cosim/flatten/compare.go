package flatten

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/verilator"
)

// CompareCycles is the number of cycles in which print and source must agree before a verdict may depend on the
// print.
const CompareCycles = 10_000

// Comparison is the extent of a comparison without a difference.
type Comparison struct {
	Cycles   int `json:"cycles"`
	Restarts int `json:"restarts"` // number of times that the source ended itself, for example by an assertion
	Violated int `json:"violated"` // number of these restarts in which the print violated the same assertion
	Changed  int `json:"changed"`
}

// A Difference is a difference between print and source. Either the print is wrong, or the source depends on the
// order in which a simulator runs processes.
type Difference struct {
	Device, What  string
	Cycle         int
	Seed          uint64
	Source, Print []uint64
	Second        bool // between Icarus Verilog and Verilator
	Third         bool // between slang and Verilator
	Turned        []string
}

func (d *Difference) Error() string {
	if d.Third {
		return fmt.Sprintf("%s: slang, a third reader of SystemVerilog, reads it differently from Verilator: in cycle %d "+
			"of random inputs with seed %d, %s: the source is %x as slang reads it, but %x in Verilator; one reader is "+
			"wrong, or the source leaves the value open: write it so that both agree",
			d.Device, d.Cycle, d.Seed, d.What, d.Source, d.Print)
	}
	if d.Second && len(d.Turned) > 0 {
		return fmt.Sprintf("%s: two arrays with ranges in opposite directions are assigned: elements correspond from left "+
			"to right (IEEE 1800-2017 7.6), but Icarus Verilog assigns by index, so %s differs from Verilator; "+
			"declare both in one direction, such as [0:3]",
			strings.Join(d.Turned, ", "), d.What)
	}
	if d.Second {
		return fmt.Sprintf("%s: Icarus Verilog reads it differently from Verilator, on which the proof rests: in cycle %d "+
			"of random inputs with seed %d, "+
			"%s: the source is %x there, but %x in Verilator; one simulator is wrong, or the source leaves the value open (a "+
			"race, an X): "+
			"write it so that both agree; `starloom cosim check --backend icarus` compares Icarus with the model",
			d.Device, d.Cycle, d.Seed, d.What, d.Source, d.Print)
	}
	return fmt.Sprintf("%s: its print as plain Verilog differs in cycle %d with seed %d: %s: the source says %x, the "+
		"print says %x; a proof cannot use it",
		d.Device, d.Cycle, d.Seed, d.What, d.Source, d.Print)
}

// Compare runs a print and its source side by side in Verilator. Inputs are random, include resets and are guided to
// branches. Registers start at zero or at their initial values. All outputs are compared before and after every clock
// edge, and assertions are checked at every edge.
//
// After a difference, Compare repeats the run with a second print that has 1 in place of X. It then excludes bits
// that depend on X. Every output must still be compared often enough. A difference counts only for inputs within
// m.Rules.
func Compare(ctx context.Context, s cosim.Source, m *Module, o cosim.BuildOptions, cycles int,
	seed uint64) (*Comparison, error) {
	done, err := compare(ctx, s, []*Module{m}, o, cycles, seed, false)
	if differs := (*Difference)(nil); errors.As(err, &differs) {
		ones := *m
		ones.Verilog = anyX.ReplaceAllStringFunc(m.Verilog, func(x string) string {
			return strings.ReplaceAll(strings.Replace(x, "; // X: ", " = ~0; // X: ", 1), "x", "1")
		})
		for _, keeps := range []bool{false, true} {
			if keeps && m.Rules == nil {
				break
			}
			again, failed := compare(ctx, s, []*Module{m, &ones}, o, cycles, seed, keeps)
			if failed == nil {
				return again, nil
			}
			if other := (*Difference)(nil); errors.As(failed, &other) {
				err = failed // a difference beside those of X
			}
		}
	}
	return done, err
}

var anyX = regexp.MustCompile(`; // X: |\d+'b[01x]*x[01x]*`)

const hiddenMost = 0.9

func compare(ctx context.Context, s cosim.Source, prints []*Module, o cosim.BuildOptions, cycles int, seed uint64,
	keeps bool) (done *Comparison, err error) {
	m := prints[0]
	c := &comparison{Module: m, s: s, cycles: cycles, restarts: restartsMax, seed: seed,
		random: rand.New(rand.NewPCG(seed, 0x5eed)), hidden: map[string]int{}}
	c.guide, c.keeps = newGuide(m, c.random), keeps
	sources := []cosim.Source{s}
	for _, m := range prints {
		print, err := m.source(o)
		if err != nil {
			return nil, err
		}
		if print.Defines[DefineBranches] = ""; !m.Goals {
			print.Defines[DefineAssertions] = ""
		}
		sources = append(sources, print)
	}
	for _, source := range sources {
		design, err := verilator.Wasm().Build(ctx, source, o)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, design.Close()) }()
		c.designs = append(c.designs, design)
	}
	if done, err = c.run(); err != nil {
		return nil, err
	}
	for name, part := range c.often(c.hidden) {
		if part > hiddenMost {
			return nil, fmt.Errorf("%s: X hides %s in nearly all cycles", s.Name(), name)
		}
	}
	return done, nil
}

func (m *Module) source(o cosim.BuildOptions) (cosim.Source, error) {
	file, err := m.write(o)
	print := cosim.Source{
		Top: m.Top, Files: []string{file}, Defines: map[string]string{DefinePowerOn: ""},
		Languages: map[string]string{file: "1364-2005"},
	}
	for _, p := range m.Ports {
		if p.Clock {
			print.Clocks = append(print.Clocks, p.Name)
		}
	}
	return print, err
}

// restartsMax is the maximum number of times that a source may end itself. After violatedMax violated assertions,
// inputs that violate an assertion are redrawn.
const restartsMax, violatedMax = 500, 20

type comparison struct {
	*Module
	s       cosim.Source
	designs []cosim.Design
	devices []cosim.Device // source, print and, optionally, the print with 1 in place of X
	cycles  int
	seed    uint64
	powerOn uint64 // of registers
	random  *rand.Rand
	modes   []int
	left    int
	done    Comparison
	clocks  uint64

	// number of comparisons of an output with an X bit, by output; valued counts the comparisons in which only the
	// source had an X
	hidden   map[string]int
	valued   map[string]int
	restarts int
	undone   int // number of edges undone because an assertion ended the simulation
	quiet    bool
	guide    *guide
	keeps    bool // inputs obey the print's Rules
	rules    cosim.Rules
}

func (c *comparison) run() (*Comparison, error) {
	defer c.close()
	if err := c.open(); err != nil {
		return nil, err
	}
	for c.done.Cycles < c.cycles+c.undone || c.quiet && c.guide.goesOn(c.done.Cycles) {
		ended, err := c.cycle()
		if err != nil {
			return nil, err
		}
		c.done.Cycles++
		if !ended {
			continue
		}
		if c.done.Restarts++; c.done.Restarts > c.restarts {
			return nil, &cosim.InputError{
				Place:  c.s.Name(),
				Reason: fmt.Sprintf("the design ended itself %d times in %d cycles of random inputs", c.restarts, c.done.Cycles),
				Remedy: "exclude $finish, and checks of the inputs, from the circuit: `ifndef SYNTHESIS",
			}
		}
		c.close()
		if err := c.open(); err != nil {
			return nil, err
		}
	}
	return &c.done, nil
}

func (c *comparison) open() error {
	for _, d := range c.designs {
		device, err := d.Open(cosim.Options{Seed: c.powerOn})
		if err != nil {
			return err
		}
		c.devices = append(c.devices, device)
	}
	c.clocks = cosim.ClockMask(c.devices[0].Ports())
	if c.keeps {
		c.rules = c.guide.Rules(c.devices[0].Ports())
	}
	if c.quiet {
		return c.samePorts()
	}
	return nil
}

func (c *comparison) close() {
	for _, d := range c.devices {
		_ = d.Close()
	}
	c.devices = nil
	if c.rules != nil {
		_ = c.rules.Close()
	}
	c.rules = nil
}

// Modes of an input in a phase. In most cycles, most control bits do not change.
const (
	modeZero = iota
	modeOnes
	modeRandom
	modeRare
	modeOften
	modeHold
	modeSmall
	modes
)

func (c *comparison) stimulate() {
	ports := c.devices[0].Ports()
	if c.left == 0 {
		c.left = 1 + c.random.IntN(400)
		c.modes = make([]int, len(ports))
		for i, p := range ports {
			if c.modes[i] = c.random.IntN(modes); p.Bits == 1 {
				c.modes[i] = []int{modeZero, modeZero, modeOnes, modeOnes, modeRandom, modeRare, modeOften}[c.random.IntN(7)]
			}
		}
	}
	c.left--
	in := c.devices[0].Inputs()
	for i, p := range ports {
		if !p.Input || p.Clock {
			continue
		}
		for w := range p.Words() {
			word := &in[p.Word+w]
			switch r := c.random.Uint64(); c.modes[i] {
			case modeZero:
				*word = 0
			case modeOnes:
				*word = ^uint64(0)
			case modeRandom:
				*word = r
			case modeRare:
				*word = r & c.random.Uint64() & c.random.Uint64() & c.random.Uint64()
			case modeOften:
				*word = r | c.random.Uint64() | c.random.Uint64() | c.random.Uint64()
			case modeHold:
				if r%8 == 0 {
					*word = c.random.Uint64()
				}
			case modeSmall:
				*word = r % 4
			}
			if last := p.Bits - 64*w; last < 64 {
				*word &= 1<<last - 1
			}
		}
	}
	c.guide.lead(ports, in)
}

func (c *comparison) cycle() (ended bool, err error) {
	source := c.devices[0]
	before := append([]uint64(nil), source.Outputs()...)
	if ended, err := c.settle(); ended || err != nil {
		return ended, err
	}
	_, edge := c.violated()
	for try := 0; edge != "" && c.done.Violated >= violatedMax && try < 64; try++ {
		if try%8 == 7 {
			c.left = 0
		}
		if ended, err := c.settle(); ended || err != nil {
			return ended, err
		}
		_, edge = c.violated()
	}
	if err := c.same("before the edge"); err != nil {
		return false, err
	}
	if c.clocks != 0 {
		undo, err := c.keep()
		if err != nil {
			return false, err
		}
		fault, err := ending(source.Edge(c.clocks))
		if err != nil {
			return false, err
		}
		if fault != nil && fault.Kind == cosim.FaultFatal && edge == "" && undo != nil {
			return false, undo()
		}
		for _, print := range c.devices[1:] {
			if err := print.Edge(c.clocks); err != nil {
				return false, err
			}
		}
		after, _ := c.violated()
		switch {
		case fault != nil:
			return true, c.explained(fault, edge+after)
		case edge != "":
			return false, c.difference(edge, []uint64{0}, []uint64{1})
		}
		if err := c.same("after the edge"); err != nil {
			return false, err
		}
	}
	if c.rules != nil {
		c.rules.Edge()
	}
	for i, word := range source.Outputs() {
		if word != before[i] {
			c.done.Changed++
			break
		}
	}
	return false, nil
}

// keep saves all devices before an edge and returns a function that restores them. It returns nil until the source
// has ended violatedMax times by an assertion after an edge, for example at the falling edge.
func (c *comparison) keep() (undo func() error, err error) {
	if c.quiet || c.done.Restarts < violatedMax || c.undone > 2*c.cycles {
		return nil, nil
	}
	var kept [][]byte
	for _, d := range c.devices {
		state, err := d.Save()
		if err != nil {
			return nil, err
		}
		kept = append(kept, state)
	}
	return func() error {
		c.undone++
		c.left = 0
		c.close() // a device that ended the simulation cannot continue
		if err := c.open(); err != nil {
			return err
		}
		for i, d := range c.devices {
			if err := d.Restore(kept[i]); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

const drawsMost = 256

// allowed redraws inputs that violate the rules, except held pins. If every draw fails, it asserts reset.
func (c *comparison) allowed(before []uint64) {
	ports, in := c.devices[0].Ports(), c.devices[0].Inputs()
	for draw := 1; c.rules != nil && !c.rules.Meets(in); draw++ {
		c.guide.plan = nil
		if draw%16 == 0 {
			c.left = 0
		}
		c.stimulate()
		for _, p := range ports {
			if p.Input && !p.Clock && c.random.IntN(4) < draw%4 {
				copy(in[p.Word:p.Word+p.Words()], before[p.Word:])
			}
		}
		if draw == drawsMost {
			c.rules.Reset(in)
			_ = c.rules.Meets(in)
			break
		}
	}
	for _, other := range c.devices[1:] {
		copy(other.Inputs(), in)
	}
}

func (c *comparison) settle() (ended bool, err error) {
	before := slices.Clone(c.devices[0].Inputs())
	c.stimulate()
	c.allowed(before)
	fault, err := ending(c.devices[0].Settle())
	if err != nil {
		return false, err
	}
	for _, print := range c.devices[1:] {
		if err := print.Settle(); err != nil {
			return false, err
		}
	}
	c.guide.see(c.devices[1])
	level, _ := c.violated()
	switch {
	case fault != nil:
		return true, c.explained(fault, level)
	case level != "":
		return false, c.difference(level, []uint64{0}, []uint64{1})
	}
	return false, nil
}

func ending(err error) (*cosim.Fault, error) {
	var fault *cosim.Fault
	if errors.As(err, &fault) && (fault.Kind == cosim.FaultFatal || fault.Kind == cosim.FaultFinish) {
		return fault, nil
	}
	return nil, err
}

func (c *comparison) explained(fault *cosim.Fault, violated string) error {
	if fault.Kind == cosim.FaultFinish || c.quiet || c.Goals {
		return nil
	}
	if violated != "" {
		c.done.Violated++
		return nil
	}
	for _, a := range c.Assertions {
		if !strings.HasPrefix(a.Clock, "posedge") { // the assertion may fire before values settle, or at the other edge
			return nil
		}
	}
	return c.difference("assertion: "+fault.Text, []uint64{1}, []uint64{0})
}

// violated returns the name of a violated assertion without a clock, and of an assertion of the print that is
// violated at the next edge.
func (c *comparison) violated() (level, edge string) {
	ports := c.devices[1].Ports()
	if c.Goals {
		return "", ""
	}
	for i, a := range c.Assertions {
		p := ports[len(ports)-len(c.Assertions)+i]
		if c.devices[1].Outputs()[p.Word] == 0 {
			continue
		}
		switch name, rising := strings.CutPrefix(a.Clock, "posedge "); {
		case a.Clock == "":
			level = a.Place + ": " + a.Kind + ": " + a.Text
		case rising && c.isClock(name):
			edge = a.Place + ": " + a.Kind + ": " + a.Text
		}
	}
	return level, edge
}

func (c *comparison) isClock(name string) bool {
	for _, p := range c.Ports {
		if p.Clock && p.Name == name {
			return true
		}
	}
	return false
}

func (c *comparison) same(when string) error {
	a, b := c.devices[0].Outputs(), c.devices[1].Outputs()
	x, y := c.devices[0].Unknown(), c.devices[1].Unknown()
	for _, p := range c.devices[0].Ports() {
		if p.Input {
			continue
		}
		hidden, valued := uint64(0), uint64(0)
		for w := p.Word; w < p.Word+p.Words(); w++ {
			differ := a[w] ^ b[w]
			if len(c.devices) > 2 {
				x := b[w] ^ c.devices[2].Outputs()[w]
				differ &^= x
				hidden |= x
			}
			unknown := uint64(0)
			if y != nil {
				unknown = y[w]
			}
			if x != nil {
				valued |= x[w] &^ unknown
				unknown |= x[w]
			}
			differ, hidden = differ&^unknown, hidden|unknown
			if differ != 0 {
				return c.difference(p.Name+" "+when, a[p.Word:p.Word+p.Words()], b[p.Word:p.Word+p.Words()])
			}
		}
		if hidden != 0 && c.hidden != nil {
			c.hidden[p.Name]++
		}
		if valued != 0 && c.valued != nil {
			c.valued[p.Name]++
		}
	}
	return nil
}

func (c *comparison) difference(what string, source, print []uint64) error {
	return &Difference{
		Device: c.s.Name(), What: what, Cycle: c.done.Cycles, Seed: c.seed,
		Source: append([]uint64(nil), source...), Print: append([]uint64(nil), print...),
	}
}
