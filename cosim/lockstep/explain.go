package lockstep

import (
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/pinmap"
)

const shownCyclesMax = 10_000

// show repeats a case and keeps its last shownCyclesMax cycles. A nil stimulus selects the inputs of the options.
func (l *pair) show(r *Report, f *finding, stimulus *Stimulus) error {
	l.shownAs, l.shownOn = f, stimulus
	next, length := l.stimulusOf(f), min(l.options.Cycles, shownCyclesMax)
	if stimulus != nil {
		next, length = stimulus.drive(), uint64(stimulus.Cycles())
	} else if r.Divergence != nil {
		length = f.cycle + 1
	}
	waves := &Waves{ports: l.model.Ports(), failed: -1, fails: r.Divergence != nil, Stimulus: stimulus}
	first := length - min(length, shownCyclesMax)
	keep := uint64(0)
	if stimulus == nil {
		waves.Stimulus = newStimulus(l.model)
		if most := uint64(l.options.keptWords / len(l.model.Inputs())); length > most {
			keep, waves.end = length-most, true
		}
	}
	r.Shown = waves
	if waves.fails {
		waves.failed = f.port
	}
	exchanged := l.exchanged
	defer func() { l.exchanged, l.ending = exchanged, nil }()
	if r.Divergence != nil && !l.repeatable(f) {
		l.ending = &f.difference
	}
	if at, err := l.power(f.powerOn); err != nil || at != nil {
		waves.absent = make([]bool, len(waves.ports))
		if stimulus == nil && next(0, l.model.Inputs()) { // a fault at power-on needs no particular inputs
			waves.Stimulus.rows = append(waves.Stimulus.rows, l.model.Inputs()...)
			waves.Stimulus.mask()
		}
		return err
	}
	d := l.rtl.(*pinmap.Device)
	if stimulus != nil {
		for cycle := range stimulus.Cycles() {
			l.fitRow(uint64(cycle), stimulus.row(cycle))
		}
	}
	waves.absent, waves.fourWay = d.Absent(), d.Unknown() != nil
	limited := func(cycle uint64, inputs []uint64) bool { return cycle < length && next(cycle, inputs) }
	_, err := l.run(limited, func(cycle uint64, settled bool) {
		if stimulus == nil && cycle >= keep {
			waves.Stimulus.rows = append(waves.Stimulus.rows, l.model.Inputs()...)
		}
		if cycle >= first {
			sample := sample{
				slices.Clone(l.model.Inputs()), slices.Clone(l.wanted), slices.Clone(l.open), slices.Clone(d.Outputs()),
				slices.Clone(d.Unknown()),
			}
			if !settled {
				waves.unsettle(&sample)
			}
			waves.samples = append(waves.samples, sample)
			waves.cycles, waves.rows = append(waves.cycles, cycle), append(waves.rows, cycle)
		}
	})
	if stimulus == nil {
		waves.Stimulus.mask()
		if f.way == nil {
			waves.number(l.options.Stimulus)
		}
	}
	return err
}

// explain shrinks the case of a finding and describes it in r. agrees reports whether the RTL agrees with the model
// under another map.
func (l *pair) explain(r *Report, f *finding, agrees func(m *pinmap.Map) bool) error {
	d := r.Divergence
	d.Printed = l.printed()
	if err := l.show(r, f, nil); err != nil {
		return err
	}
	if l.repeatable(f) && !r.Shown.end {
		if err := l.findPast(&d.Survivors, f, r.Shown.Stimulus); err != nil {
			return err
		}
	}
	at, fault := f.difference, f.fault
	if l.repeatable(f) && !l.options.NoShrink && len(r.Shown.samples) > 0 {
		smallest, smaller, err := l.shrink(f, r.Shown.Stimulus)
		if err != nil {
			return err
		}
		d.Shrunk = smallest.Cycles() < r.Shown.Stimulus.Cycles() || smallest.ones() < r.Shown.Stimulus.ones()
		if d.Shrunk {
			if at = smaller; at.fault != nil {
				fault = at.fault
			}
			if err := l.show(r, &finding{difference: at, seed: f.seed, powerOn: f.powerOn}, smallest); err != nil {
				return err
			}
		}
	}
	if r.Shown.end {
		r.Shown.Stimulus = nil // the stimulus does not reach the difference
	}
	if d.Shrunk {
		d.Cycle, d.BeforeRun = at.cycle, false
	}
	l.describe(r, d, at, fault)
	d.Hint = l.hint(d, agrees)
	return nil
}

func (l *pair) printed() string {
	if l.rtl == nil {
		return ""
	}
	const most = 2000
	text := l.rtl.(*pinmap.Device).Log()
	return text[max(0, len(text)-most):]
}

func (l *pair) describe(r *Report, d *Divergence, at difference, fault *cosim.Fault) {
	if at.port < 0 {
		d.Text = fmt.Sprintf("the RTL ends %s: %s", d.where(), at.kind)
		if fault != nil && fault.Text != "" {
			d.Text += ": " + fault.Text
		}
		if cosim.FaultKind(at.kind) == cosim.FaultHang {
			d.Text += ", in module " + r.Top
		}
		return
	}
	p := r.Shown.ports[at.port]
	d.Signal, d.Pins = p.Name, l.pinMap.PinsOf(p.Name)
	last := r.Shown.samples[len(r.Shown.samples)-1]
	d.Model = labelOf(p, last.model, last.open)
	d.RTL = labelOf(p, last.rtl, last.unknown)
	name := p.Name
	if pins := strings.Join(d.Pins, ", "); pins != "" && pins != name {
		name += " (" + pins + ")"
	}
	differs, model, rtl := "differs", d.Model, d.RTL
	switch at.kind {
	case DivergenceUnknown:
		differs = "is unknown"
	}
	where := d.where()
	if at.kind == DivergenceLimit { // model and RTL may agree in the mapped bits
		d.Text = fmt.Sprintf("%s exceeds the limits of the map %s: %s", name, where, l.brokenText(at.port))
		return
	}
	if p.Bits > 64 {
		where += fmt.Sprintf(", first in bit %d", firstBit(p, last))
		model, rtl = brief(model), brief(rtl)
	}
	if d.Place = l.placeOf(at.port, last); d.Place != "" {
		where += ", at " + d.Place
	}
	d.Text = fmt.Sprintf("%s %s %s: the model says %s, the RTL %s", name, differs, where, model, rtl)
}

// placeOf names the part of the model whose outputs differ. It returns "" for late RTL, because the outputs of late
// RTL belong to an earlier cycle of the model.
func (l *pair) placeOf(port int, last sample) string {
	if l.model.Where == nil || l.late[port] > 0 {
		return ""
	}
	rtl := slices.Clone(last.model) // bits that are not compared count as equal
	for i, mask := range l.mask {
		rtl[i] = rtl[i]&^mask | last.rtl[i]&mask
	}
	return l.model.Where(last.model, rtl)
}

func (l *pair) brokenText(port int) string {
	d := l.rtl.(*pinmap.Device)
	if limit := d.Broken(); limit != nil {
		return d.LimitText(limit)
	}
	return d.Ports()[port].Name
}
