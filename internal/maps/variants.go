package maps

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// Bounds of the search for a variant.
const (
	variantModels = 5     // models with the best fit
	variantsMost  = 3_000 // variants of parameters for each model
	quickCycles   = 400   // of a first trial, which refutes most variants
	triedCycles   = 100_000
	passedMost    = 12 // variants that are run for triedCycles
)

// sizes are values of parameters that no port shows, such as the depth of a FIFO.
var sizes = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 63, 64, 127, 128, 255, 256}

// Try runs variants of the guessed models beside the RTL: parameters such as hold, fall-through and depth, outputs a
// cycle early or late, and the other level of the reset. It puts the variants without a difference first and adds them
// to the text. path is the path of the map. Without such a variant, the guess stays.
func (g *Guess) Try(ctx context.Context, path string, library pinmap.Library) error {
	var opened *pinmap.Map
	defer func() {
		if opened != nil {
			_ = opened.Close()
		}
	}()
	run := func(v *Guess, o lockstep.Options) (ok bool, compared int, err error) {
		m, err := ParsePin(path, []byte(v.Text()), library)
		if err != nil {
			return false, 0, nil // an output that cannot be early, for example
		}
		if opened == nil {
			opened = m
		}
		m.ShareRTL(opened)
		o.Brief, o.NoShrink = true, true
		r, err := lockstep.Run(ctx, m, o)
		if ended := ctx.Err(); ended != nil {
			return false, 0, ended
		}
		if err != nil || r.Divergence != nil || len(r.Left) > 0 {
			return false, 0, nil
		}
		return true, r.Compared, nil
	}
	var passed []*Guess
	compared := map[*Guess]int{}
	for _, flip := range []bool{false, true} {
		if len(passed) > 0 || flip && g.reset == nil {
			break
		}
		for _, v := range g.variants(library.Twins, flip) {
			ok, n, err := run(v, lockstep.Options{Cycles: quickCycles, PowerOn: 1, NoExplore: true})
			if err != nil {
				return err
			}
			if ok {
				passed, compared[v] = append(passed, v), n
			}
		}
	}
	slices.SortStableFunc(passed, func(a, b *Guess) int {
		return cmp.Or(a.open()-b.open(), compared[b]-compared[a], a.latency*a.latency-b.latency*b.latency,
			cmp.Compare(b.fits[0].score, a.fits[0].score),
			b.fits[0].parameters["RESET"]-a.fits[0].parameters["RESET"]) // a line with a reset is the stricter one
	})
	passed = slices.DeleteFunc(passed, func(v *Guess) bool { return v.open() > passed[0].open() })
	var kept []*Guess
	for _, v := range passed[:min(len(passed), passedMost)] {
		ok, _, err := run(v, lockstep.Options{Cycles: triedCycles / 4, PowerOn: 2, Explore: triedCycles})
		if err != nil {
			return err
		}
		if ok {
			kept = append(kept, v)
		}
	}
	g.tried = true
	if len(kept) == 0 {
		return nil
	}
	for _, v := range kept {
		g.passed = append(g.passed, v.variantText())
	}
	rest := g.fits
	g.fits, g.latency, g.flip = append([]fit{kept[0].fits[0]}, rest...), kept[0].latency, kept[0].flip
	return nil
}

// open counts inputs of model and RTL without a partner. A map that drives nothing can hide any difference.
func (g *Guess) open() (n int) {
	f := &g.fits[0]
	used := map[*cosim.Port]bool{g.clock: true, g.reset: true}
	for _, p := range f.ports {
		if used[f.pins[p.Name]] = true; p.Input && f.pins[p.Name] == nil {
			n++
		}
	}
	for i := range g.Ports {
		if p := &g.Ports[i]; p.Input && !used[p] {
			n++
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
	return text
}

// variants returns guesses with other parameters and latencies, the best fit of each model first.
func (g *Guess) variants(models []twin.Twin, flip bool) (all []*Guess) {
	var seen []string
	for _, f := range g.fits {
		if slices.Contains(seen, f.model) || len(seen) == variantModels || len(f.pins) == 0 {
			continue
		}
		seen = append(seen, f.model)
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
			other, err := fitting(models[at], parameters, pins)
			if err != nil || other == nil || len(other.pins) < len(f.pins) {
				continue
			}
			other.score = f.score
			for _, latency := range []int{0, -1, 1} {
				v := *g
				v.fits, v.latency, v.flip = []fit{*other}, latency, flip
				all = append(all, &v)
			}
		}
	}
	return all
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
		case slices.Contains([]string{"DEPTH", "CYCLES", "MAX"}, name):
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
	if g.latency == 0 || len(g.fits) == 0 {
		return ""
	}
	var outputs []string
	for _, p := range g.fits[0].ports {
		if !p.Input && g.fits[0].pins[p.Name] != nil {
			outputs = append(outputs, fmt.Sprintf("%s: %d", p.Name, g.latency))
		}
	}
	return fmt.Sprintf("latency: {%s}  # guess: by trial\n", strings.Join(outputs, ", "))
}
