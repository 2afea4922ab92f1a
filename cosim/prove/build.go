package prove

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/flatten"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// A miter joins both sides in one graph. Its slices of outputs are indexed by compared bit.
type miter struct {
	graph      *graph
	signals    *signals
	ports      []cosim.Port
	bits       []comparedBit
	bad        []int // by compared bit: output that is 1 if the bit differs
	wanted     []int
	got        []int
	counts     []int
	comparable int
	// output that is 1 if the sides are comparable and the RTL's latency has passed since the last reset
	steady   int
	lemmas   []int // outputs that are 1 if a check of the twin fails
	on       int   // input that is always 1
	late     int
	declares bool

	goals []goalNet
	fails []int // by goal: output that is 1 in a cycle in which the goal fails
	// outputs that are 1 if all assumptions hold up to this cycle; if they held up to the previous cycle; and if the
	// assumptions of the RTL alone hold now
	goalsCount, goalsBegin, goalsObeyed int
}

func (m *miter) groups() (groups [][]int) {
	port := -1
	for i, b := range m.bits {
		if b.port != port || b.limit != nil {
			groups, port = append(groups, nil), b.port
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], m.bad[i])
	}
	return groups
}

type builder struct {
	ctx         context.Context
	dir         string
	m           *pinmap.Map
	model       *twin.Model
	wires       *pinmap.Wires
	terms       *pinmap.Terms
	clock       stopwatch
	keepInitial bool            // registers start at the values declared in the RTL
	rules       bool            // inputs obey the rules of the model's neighbours
	print       *flatten.Module // the RTL as one module
	checks      int             // $fatal and similar checks of the RTL
	dropped     []string        // parts of the RTL that the print omits
	goals       []goalNet
}

func (b *builder) write(name, text string) error {
	return os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644)
}

func (b *builder) sources() (bits []comparedBit, err error) {
	t := &miterText{Wires: b.wires, terms: b.terms, m: b.m, clocked: b.model.Clocked(), rules: b.rules, given: b.m.Given()}
	if t.after, err = afterReset(b.m); err != nil {
		return nil, err
	}
	read, err := b.readTwin()
	if err != nil {
		return nil, err
	}
	rtl, err := b.readRTL()
	if err != nil {
		return nil, err
	}
	t.goals = b.goals
	twinText, rtlText := t.moduleSides()
	miterText, bits := t.write()
	for _, file := range []struct{ name, text string }{
		{twinSide + ".v", twinText}, {rtlSide + ".v", rtlText}, {"miter.v", miterText}, {"shift.v", shiftMap},
		{"divide.v", divideMap}, {"buffer.v", bufferMap},
		{"script.ys",
			sideScript(twinSide, "twin", read, t.given != nil) + sideScript(rtlSide, "rtl", rtl, b.keepInitial) + miterScript},
	} {
		if err := b.write(file.name, file.text); err != nil {
			return nil, err
		}
	}
	return bits, nil
}

func afterReset(m *pinmap.Map) ([]uint64, error) {
	model, err := m.NewModel()
	if err != nil {
		return nil, err
	}
	defer model.Close()
	if model.Clocked() {
		model.Inputs()[model.ResetWord()] = 1
		if err := model.Edge(1); err != nil {
			return nil, err
		}
		model.Inputs()[model.ResetWord()] = 0
	}
	return slices.Clone(model.Outputs()), nil
}

// fatal matches the checks of twins for broken neighbour rules. In a proof, these checks never fail.
var fatal = regexp.MustCompile(`\$fatal\(1, "[^"]*"[^;]*\);`)

func (b *builder) readTwin() (read []string, err error) {
	t, err := b.m.Twin()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(b.dir, "twin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if t.Given != nil {
		return []string{"read_verilog -nosynthesis -D" + flatten.DefinePowerOn + " twin/model.v"},
			os.WriteFile(filepath.Join(dir, "model.v"), []byte(t.Given.Shape.Verilog), 0o644)
	}
	files, err := t.WriteSources(dir)
	if err != nil {
		return nil, err
	}
	command := "read_verilog -nosynthesis -formal -DSTARLOOM_PROOF -Itwin"
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		asserted := fatal.ReplaceAll(text, []byte("assert(1'b0);"))
		if err := os.WriteFile(file, asserted, 0o644); err != nil {
			return nil, err
		}
		command += " twin/" + filepath.Base(file)
	}
	return []string{command}, nil
}

// front describes the reader of the RTL in reports. Yosys reads only the plain print, because it silently misreads
// some SystemVerilog (packed arrays of a typedef, members of other instances).
const front = "Verilator, printed as one module of plain Verilog"

func (b *builder) readRTL() (read []string, err error) {
	if len(b.m.Source.Files) == 0 {
		return nil, &cosim.InputError{
			Place: b.m.Place("image"), Reason: "a proof needs the sources of the RTL, but an image has none",
			Remedy: "give top and sources",
		}
	}
	source, command := b.m.Clocked(), "read_verilog -nosynthesis"
	if b.m.Goals != nil {
		if source, err = b.m.Marked(); err != nil {
			return nil, err
		}
		command += " -D" + flatten.DefineAssertions
	}
	m, err := flatten.Print(b.ctx, source, b.m.Build)
	if err != nil {
		return nil, refusedPrint(err)
	}
	m.Rules, m.Goals = b.m.Guard, b.m.Goals != nil
	if m.Goals {
		b.goals = goalsOf(b.m.Goals.Text, m)
	}
	b.print, b.checks, b.dropped = m, len(m.Assertions)-len(b.goals), m.Dropped
	if b.keepInitial {
		command += " -D" + flatten.DefinePowerOn
		b.dropped = slices.DeleteFunc(b.dropped,
			func(text string) bool { return strings.HasSuffix(text, flatten.BeginsWithAny) })
	}
	return []string{command + " rtl.v"}, b.write("rtl.v", m.Verilog)
}

func refusedPrint(err error) error {
	var bad *cosim.InputError
	var differs *flatten.Difference
	if errors.As(err, &bad) || errors.As(err, &differs) {
		return &refusal{reason: err.Error()}
	}
	return err
}

// compare runs the print beside its source in Verilator and in a second simulator. A difference is a *refusal,
// because no proof may rest on a print that differs.
func (b *builder) compare() (flatten.Second, error) {
	_, err := flatten.Compare(b.ctx, b.m.Clocked(), b.print, b.m.Build, flatten.CompareCycles, 1)
	var differs *flatten.Difference
	if err != nil && !errors.As(err, &differs) {
		return flatten.Second{}, refusedPrint(err)
	}
	second, other := flatten.CompareSecond(b.ctx, b.m.Clocked(), b.print, b.m.Build, 1)
	if err == nil && other == nil && second.Absent == "" && len(second.Left) > 0 && b.reach(second.Left) {
		second, other = flatten.CompareSecond(b.ctx, b.m.Clocked(), b.print, b.m.Build, 1)
	}
	switch {
	case err == nil && other == nil && len(second.Valued) > 0:
		return second, &refusal{reason: fmt.Sprintf("in Icarus Verilog, which reads the RTL independently, outputs are X "+
			"where Verilator gives them values: %s "+
			"of the cycles; a signal has no value there (an undriven net, a name before its declaration)",
			flatten.PartsText(second.Valued))}
	case err == nil:
		return second, refusedPrint(other)
	case other == nil && second.Absent == "":
		err = &refusal{reason: err.Error() +
			"; Icarus Verilog shows the same for both, except for X: Verilator may simulate the source differently " +
			"(usually because of an index out of range)"}
	}
	return second, refusedPrint(err)
}

// third compares the print with the RTL as slang reads it. Only a difference is a *refusal.
func (b *builder) third(r *Report) error {
	if b.clock.tell != nil {
		b.clock.tell("a third reader reads the RTL")
	}
	third, err := flatten.CompareThird(b.ctx, b.m.Clocked(), b.print, b.m.Build, 1, 0)
	r.Third = &third
	return refusedPrint(err)
}

// readModelAgain compares a model that is RTL with its source in Icarus Verilog.
func (b *builder) readModelAgain(r *Report) error {
	g := b.m.Given()
	if g == nil {
		return nil
	}
	m, err := flatten.PrintGolden(b.ctx, g.Clocked(), b.m.Build)
	if err != nil {
		return refusedPrint(err)
	}
	r.ModelRTL.Dropped, r.ModelRTL.Checks = m.Dropped, m.Omits
	r.ModelRTL.Second, err = m.Compare(b.ctx, g.Clocked(), b.m.Build, true)
	return refusedPrint(err)
}

// build builds the miter. It returns a *refusal if the design cannot be proved, or if time is up.
func (b *builder) build() (made *miter, err error) {
	bits, err := b.sources()
	if err != nil {
		return nil, err
	}
	err = b.clock.run(b.ctx, "Yosys reads both sides", func(ctx context.Context) error {
		made, err = b.graph(ctx, bits)
		return err
	})
	if errors.Is(err, errLate) {
		err = &refusal{reason: fmt.Sprintf("Yosys did not finish reading both sides in %v; %s", b.clock.limit,
			sizeText(b.print.Registers)), late: true}
	}
	return made, err
}

func (b *builder) graph(ctx context.Context, bits []comparedBit) (*miter, error) {
	log, err := runYosys(ctx, b.dir, "script.ys", yosysMemory())
	var refused *refusal
	if errors.As(err, &refused) && refused.large {
		refused.reason += "; " + sizeText(b.print.Registers)
	}
	if err != nil {
		return nil, err
	}
	if found := conflict.FindStringSubmatch(log); found != nil {
		return nil, &refusal{reason: "several drivers conflict at " + found[1] + found[2]}
	}
	if err := b.audit(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(b.dir, "miter.aig"))
	if err != nil {
		return nil, err
	}
	names, err := os.ReadFile(filepath.Join(b.dir, "miter.map"))
	if err != nil {
		return nil, err
	}
	return b.read(data, string(names), bits)
}

func (b *builder) audit() error {
	clock := func(ports []cosim.Port, name func(i int) string) string {
		for i, p := range ports {
			if p.Clock {
				return name(i)
			}
		}
		return ""
	}
	for _, side := range []struct{ name, clock string }{
		{twinSide, clock(b.wires.Model, func(i int) string { return b.wires.Model[i].Name })},
		{rtlSide, clock(b.wires.RTL, func(i int) string { return fmt.Sprintf("p%d", i) })},
	} {
		text, err := os.ReadFile(filepath.Join(b.dir, side.name+".json"))
		if err != nil {
			return err
		}
		if err := audit(text, side.name, side.clock, side.name == rtlSide); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) read(data []byte, names string, bits []comparedBit) (*miter, error) {
	g, err := readAIGER(data)
	if err != nil {
		return nil, err
	}
	g.merge()
	s, err := readMap(names, g.inputs, len(g.outputs))
	if err != nil {
		return nil, err
	}
	m := &miter{graph: g, signals: s, ports: b.wires.Model, bits: bits, declares: b.print.DeclaresPowerOn(),
		goals: b.goals}
	for _, n := range b.wires.Late {
		m.late = max(m.late, n)
	}
	named := make([]bool, len(g.outputs))
	for _, at := range s.outputs {
		named[at] = true
	}
	for at := range named {
		if !named[at] {
			m.lemmas = append(m.lemmas, at)
		}
	}
	output := func(name string, bit int) int {
		at, ok := s.outputs[fmt.Sprintf("%s[%d]", name, bit)]
		if !ok { // a missing output is constant 0: see onName
			g.outputs = append(g.outputs, 0)
			return len(g.outputs) - 1
		}
		return at
	}
	for i := range bits {
		m.bad = append(m.bad, output("bad", i))
		m.wanted = append(m.wanted, output("wanted", i))
		m.got = append(m.got, output("got", i))
		m.counts = append(m.counts, output("counts", i))
	}
	m.comparable, m.steady = output("comparable", 0), output("steady", 0)
	for i := range b.goals {
		m.fails = append(m.fails, output("fails", i))
	}
	if len(b.goals) > 0 {
		m.goalsCount, m.goalsBegin = output("goals_count", 0), output("goals_begin", 0)
		m.goalsObeyed = output("goals_obeyed", 0)
	}
	on, ok := s.inputs[onName+"[0]"]
	if !ok {
		return nil, fmt.Errorf("Yosys' graph lacks input %s", onName)
	}
	m.on = on
	return m, nil
}
