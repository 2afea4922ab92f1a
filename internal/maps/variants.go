package maps

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// Bounds of the search for a variant.
const (
	variantModels = 8     // models with the best fit
	pinsMost      = 3     // choices of pins for each model
	variantsMost  = 3_000 // variants of parameters for each model
	quickCycles   = 400   // of a first trial, which refutes most variants
	triedCycles   = 100_000
	passedMost    = 12 // variants that are run for triedCycles
)

// sized are parameters that no port may show.
var sized = []string{"DEPTH", "CYCLES", "MAX"}

// sizes are values of parameters that no port shows, such as the depth of a FIFO.
var sizes = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 63, 64, 127, 128, 255, 256}

// A dressing is what a variant changes beside the parameters of its model.
type dressing struct {
	latency  int      // of all outputs, in cycles
	late     bool     // a read shows its data a cycle later
	relied   uint     // mask of the fit's conditions
	flip     bool     // the reset has the other level than its name says
	cycles   int      // of the reset; 0 for the default
	opposite bool     // other inputs have the other level than their names say
	reversed bool     // bits of vectors count from the other end
	dropped  []string // outputs that differ
}

// stages are dressings in the order of trial. The first stage in which a variant passes ends the search.
func (g *Guess) stages() []dressing {
	stages := []dressing{{}, {opposite: true}, {reversed: true}, {flip: true}, {cycles: 4}, {cycles: 20},
		{flip: true, cycles: 20}}
	return slices.DeleteFunc(stages, func(d dressing) bool {
		return d.flip && g.reset == nil || d.cycles > 0 && g.clock == nil
	})
}

func (d *dressing) resets() bool { return d.flip || d.cycles > 0 }

// stateless reports whether the outputs of a model follow its inputs alone. RTL whose reset is always active may agree
// with such a model, so that it says nothing about the reset.
func stateless(t *twin.Twin, parameters twin.Parameters) bool {
	m, err := t.New(parameters)
	if err != nil {
		return true
	}
	defer m.Close()
	if !m.Clocked() || !m.Has("reset") {
		return true
	}
	initial, err := m.Save()
	if err != nil {
		return false
	}
	random := twin.NewRandom(1)
	for cycle := range uint64(quickCycles) {
		random.At(cycle)
		for _, p := range m.Ports() {
			for w := 0; p.Input && !p.Clock && w < p.Words(); w++ {
				m.Inputs()[p.Word+w] = random.Uint64() >> (64 - min(p.Bits-64*w, 64))
			}
		}
		m.Inputs()[m.ResetWord()] = 0
		inputs := slices.Clone(m.Inputs())
		now, err := m.Save()
		if err != nil || m.Settle() != nil {
			return false
		}
		outputs := slices.Clone(m.Outputs())
		if err := m.Restore(initial); err != nil {
			return false
		}
		copy(m.Inputs(), inputs)
		if m.Settle() != nil || !slices.Equal(m.Outputs(), outputs) || m.Restore(now) != nil {
			return false
		}
		copy(m.Inputs(), inputs)
		if m.Edge(cosim.ClockMask(m.Ports())) != nil {
			return false
		}
	}
	return true
}

// A trial is the search for a variant.
type trial struct {
	*Guess
	ctx     context.Context
	path    string
	library pinmap.Library
	opened  *pinmap.Map

	passed   []*Guess
	compared map[*Guess]int
}

// Try runs variants of the guessed models beside the RTL: parameters such as hold, fall-through and depth, outputs a
// cycle early or late, conditions that the RTL relies on, level and length of the reset, levels of other inputs. It
// puts the variants without a difference first and adds them to the text. path is the path of the map. Without such a
// variant, the guess stays.
//
// Errors are those of the RTL itself.
func (g *Guess) Try(ctx context.Context, path string, library pinmap.Library) error {
	t := &trial{Guess: g, ctx: ctx, path: path, library: library, compared: map[*Guess]int{}}
	defer func() {
		if t.opened != nil {
			_ = t.opened.Close()
		}
	}()
	if err := t.open(); err != nil {
		return err
	}
	for _, stage := range g.stages() {
		if err := t.search(stage, false); err != nil {
			return err
		}
		if len(t.passed) > 0 {
			break
		}
	}
	if len(t.passed) == 0 {
		if err := t.search(dressing{}, true); err != nil {
			return err
		}
	}
	kept, err := t.best()
	g.tried = true
	if err != nil || len(kept) == 0 {
		return err
	}
	for _, v := range kept {
		g.passed = append(g.passed, v.variantText())
	}
	g.fits, g.dressing = append([]fit{kept[0].fits[0]}, g.fits...), kept[0].dressing
	return nil
}

// open builds the RTL.
func (t *trial) open() error {
	if len(t.fits) == 0 {
		return nil
	}
	m, err := ParsePin(t.path, []byte(t.Text()), t.library)
	if err != nil {
		return err
	}
	t.opened = m
	d, err := m.Open(t.ctx, cosim.Options{})
	if err != nil {
		return err
	}
	return d.Close()
}

// run runs a variant. differs is the output that differs, "" for a variant that cannot run.
func (t *trial) run(v *Guess, o lockstep.Options) (ok bool, compared int, differs string, err error) {
	m, err := ParsePin(t.path, []byte(v.Text()), t.library)
	if err != nil {
		return false, 0, "", nil // an output that cannot be early, for example
	}
	m.ShareRTL(t.opened)
	o.Brief, o.NoShrink = true, true
	r, err := lockstep.Run(t.ctx, m, o)
	if ended := t.ctx.Err(); ended != nil {
		return false, 0, "", ended
	}
	switch {
	case err != nil || len(r.Left) > 0:
		return false, 0, "", nil
	case r.Divergence != nil:
		return false, 0, r.Divergence.Signal, nil
	}
	return true, r.Compared, "", nil
}

// quick is a first trial of a variant.
func (t *trial) quick(v *Guess) (ok bool, differs string, err error) {
	ok, n, differs, err := t.run(v, lockstep.Options{Cycles: quickCycles, PowerOn: 1, NoExplore: true})
	if ok {
		t.compared[v] = n
	}
	return ok, differs, err
}

// search adds the variants that pass a first trial. A variant that relies on all conditions fails first if any does.
// drops leaves out outputs that differ, up to half of them.
func (t *trial) search(stage dressing, drops bool) error {
	for _, v := range t.variants(t.library.Twins, stage) {
		ok, differs, err := t.quick(v)
		for ; drops && !ok && differs != "" && err == nil; ok, differs, err = t.quick(v) {
			v.dropped = append(slices.Clip(v.dropped), differs)
			if 2*len(v.dropped) > v.outputs() {
				break
			}
		}
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		least, err := t.relying(v)
		if err != nil {
			return err
		}
		t.passed = append(t.passed, least)
	}
	return nil
}

// outputs counts the outputs of a variant with a pin.
func (g *Guess) outputs() (n int) {
	for _, p := range g.fits[0].ports {
		if !p.Input && g.fits[0].pins[p.Name] != nil {
			n++
		}
	}
	return n
}

// relying returns a variant with as few conditions as possible.
func (t *trial) relying(v *Guess) (*Guess, error) {
	for i := range v.fits[0].conditions {
		if fixed(v.fits[0].conditions)>>i&1 != 0 {
			continue
		}
		other := *v
		other.relied &^= 1 << i
		ok, _, err := t.quick(&other)
		if err != nil {
			return nil, err
		}
		if ok {
			v = &other
		}
	}
	return v, nil
}

// best runs the first variants for long, and returns those without a difference.
func (t *trial) best() (kept []*Guess, err error) {
	if len(t.passed) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(t.passed, func(a, b *Guess) int {
		f, other := &a.fits[0], &b.fits[0]
		return cmp.Or(len(a.dropped)-len(b.dropped), a.unpaired(f)-b.unpaired(other), t.compared[b]-t.compared[a],
			a.reliance()-b.reliance(), a.latency*a.latency-b.latency*b.latency, cmp.Compare(other.score, f.score),
			other.parameters["RESET"]-f.parameters["RESET"], // a line with a reset is the stricter one
			other.parameters["DEPTH"]-f.parameters["DEPTH"], f.choices()-other.choices())
	})
	first := t.passed[0]
	passed := slices.DeleteFunc(t.passed, func(v *Guess) bool {
		return v.unpaired(&v.fits[0]) > first.unpaired(&first.fits[0]) || len(v.dropped) > len(first.dropped)
	})
	for _, v := range passed[:min(len(passed), passedMost)] {
		if len(kept) > 0 && (v.reliance() > kept[0].reliance() || t.compared[v] < t.compared[kept[0]]) {
			continue // it says less
		}
		ok, _, _, err := t.run(v, lockstep.Options{Cycles: triedCycles / 4, PowerOn: 2, Explore: triedCycles})
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, v)
		}
	}
	return kept, nil
}

// reliance counts conditions without which a variant differs.
func (g *Guess) reliance() int {
	return bits.OnesCount(g.relied &^ fixed(g.fits[0].conditions))
}

// choices adds up the small parameters: plain variants have small ones.
func (f *fit) choices() (sum int) {
	for name, value := range f.parameters {
		if value <= 3 && !slices.Contains(sized, name) {
			sum += value
		}
	}
	return sum
}

// unpaired counts inputs of the model without a pin of a similar name, and bits of inputs of the RTL without such a
// port. A map that drives nothing can hide any difference.
func (g *Guess) unpaired(f *fit) (n int) {
	used := map[*cosim.Port]bool{g.clock: true, g.reset: true}
	for _, p := range f.ports {
		pin := f.pins[p.Name]
		if alike := pin != nil && similar(p.Name, pin.Name) > 0; alike {
			used[pin] = true
		} else if p.Input {
			n++
		}
	}
	for i := range g.Ports {
		if p := &g.Ports[i]; p.Input && !used[p] {
			n += p.Bits
		}
	}
	return n
}

// variantText names a variant: fifo {DEPTH: 8, WIDTH: 16}, outputs a cycle early.
func (g *Guess) variantText() string {
	text := g.fits[0].model + " " + g.fits[0].parameters.Text()
	if g.latency != 0 {
		text += ", outputs a cycle " + map[int]string{-1: "early", 1: "late"}[g.latency]
	}
	if g.late {
		text += ", data of a read a cycle late"
	}
	for i, c := range g.fits[0].conditions {
		if g.relied>>i&1 != 0 && c.output == "" {
			text += ", " + c.why
		}
	}
	for _, output := range g.dropped {
		text += ", without " + output
	}
	return text
}

// variants returns guesses with other parameters and latencies, the best fit of each model first.
func (g *Guess) variants(models []twin.Twin, stage dressing) (all []*Guess) {
	tried := map[string]int{} // pins, by model
	seen := map[string]bool{}
	for _, f := range g.fits {
		signature := f.signature()
		tooMany := tried[f.model] == 0 && len(tried) == variantModels || tried[f.model] == pinsMost
		if seen[signature] || tooMany || len(f.pins) == 0 || !g.near(&f) {
			continue
		}
		seen[signature] = true
		tried[f.model]++
		at := slices.IndexFunc(models, func(t twin.Twin) bool { return t.Name == f.model })
		if at < 0 {
			continue
		}
		var pins []*cosim.Port
		for i := range g.Ports {
			if p := &g.Ports[i]; p != g.clock && p != g.reset {
				pins = append(pins, p)
			}
		}
		for _, parameters := range parameterVariants(&models[at], f.parameters) {
			if stage.resets() && stateless(&models[at], parameters) {
				continue
			}
			other, err := fitting(models[at], parameters, pins, f.without)
			if err != nil || other == nil || other.signature() != signature {
				continue
			}
			other.score = f.score
			v := *g
			v.fits, v.dressing = []fit{*other}, stage
			v.relied = 1<<len(other.conditions) - 1
			if stage.reversed {
				v.dropped = []string{"index_o"} // it counts from the other end, too
			}
			for _, latency := range []int{0, -1, 1} {
				timed := v
				timed.latency = latency
				all = append(all, &timed)
			}
			if output, _ := other.registered(); output != "" {
				v.late = true
				all = append(all, &v)
			}
		}
	}
	return all
}

// signature names a model and its pins.
func (f *fit) signature() string {
	text := f.model
	for _, p := range f.ports {
		if pin := f.pins[p.Name]; pin != nil {
			text += " " + p.Name + "=" + pin.Name
		}
	}
	return text
}

// near reports whether a fit leaves few inputs without a partner. A delay line between the sides of a FIFO, whose
// handshakes are constants, is not a model of the FIFO.
func (g *Guess) near(f *fit) bool {
	least := g.unpaired(&g.fits[0])
	for i := range g.fits {
		least = min(least, g.unpaired(&g.fits[i]))
	}
	if f.without != "" {
		least++
	}
	return g.unpaired(f) <= least+1
}

// parameterVariants returns the parameters that a model may have with the same ports: choices of up to four values,
// and sizes that no port shows.
func parameterVariants(t *twin.Twin, from twin.Parameters) []twin.Parameters {
	all := []twin.Parameters{from}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		most := 0
		for _, set := range t.Sets {
			most = max(most, set[name])
		}
		var values []int
		switch {
		case slices.Contains(sized, name):
			values = sizes
		case most <= 3:
			values = []int{0, 1, 2, 3}
		}
		before := all
		for _, p := range before {
			for _, value := range values {
				if value != from[name] && len(all) < variantsMost {
					other := maps.Clone(p)
					other[name] = value
					all = append(all, other)
				}
			}
		}
	}
	return all
}

// passedText lists the variants without a difference.
func (g *Guess) passedText() string {
	switch {
	case !g.tried:
		return ""
	case len(g.passed) == 0:
		return "# No variant of these models has passed a check: 'starloom cosim check' shows the first difference.\n"
	}
	text := fmt.Sprintf("# Variants without a difference in %d cycles of random inputs and more, the first one below:\n",
		triedCycles)
	for _, v := range g.passed {
		text += "#   " + v + "\n"
	}
	return text
}

// latencyText returns the key latency with all outputs that have a pin, "" for outputs in time.
func (g *Guess) latencyText() string {
	if len(g.fits) == 0 {
		return ""
	}
	if output, _ := g.fits[0].registered(); g.late {
		return fmt.Sprintf("latency: {%s: 1}  # guess: by trial\n", output)
	}
	if g.latency == 0 {
		return ""
	}
	var outputs []string
	for _, p := range g.fits[0].ports {
		if !p.Input && g.fits[0].pins[p.Name] != nil && !slices.Contains(g.dropped, p.Name) {
			outputs = append(outputs, fmt.Sprintf("%s: %d", p.Name, g.latency))
		}
	}
	return fmt.Sprintf("latency: {%s}  # guess: by trial\n", strings.Join(outputs, ", "))
}
