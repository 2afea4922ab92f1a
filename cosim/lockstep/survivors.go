package lockstep

import (
	"fmt"
	"slices"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// Survivors describes state of the RTL that survives its reset. The run was repeated from its last reset, with the
// same inputs, after a different history (Past).
//
// Undefined means that the RTL's outputs depended on that history. MissingReset means that after Past, the RTL agreed
// with the model. ShortReset means that the difference disappears with a longer reset.
type Survivors struct {
	Undefined    bool   `json:"undefined"`
	MissingReset bool   `json:"missing_reset"`
	ShortReset   bool   `json:"short_reset,omitempty"`
	Past         string `json:"past,omitempty"`
}

// A past is the history before a reset. Cycles after the reset must not depend on it.
type past struct {
	text    string
	powerOn uint64
	before  *Stimulus // inputs up to the last reset
	reset   []uint64
}

const (
	pastPowerOns    = 8
	pastResetCycles = 16 // cycles of reset, because a single cycle may be too short
	// Random cycles in which the RTL must agree after a different past. They exclude an agreement by chance.
	pastMoreCycles, pastMoreCyclesIcarus = 2000, 300
)

// findPast searches for state that survives a reset. It repeats the run from its last reset, with the same inputs,
// after other pasts. whole is the run up to the difference.
//
// If the outputs differ after another past, some state was kept by a register, by a loop, or by memory that is read
// before it is written (perhaps at a wrong address). If the RTL agrees with the model after another past, a missing
// reset is the only mistake.
func (l *pair) findPast(d *Survivors, f *finding, whole *Stimulus) error {
	exchanged := l.exchanged
	defer func() { l.exchanged = exchanged }()
	if !l.model.Clocked() {
		return nil
	}
	resetWord := l.model.ResetWord()
	last := min(whole.Cycles(), int(f.cycle)) - 1
	for ; last >= 0 && whole.row(last)[resetWord] == 0; last-- {
	}
	if last < 0 || uint64(whole.Cycles()) <= f.cycle { // the stimulus must include the cycle of the difference
		return nil
	}
	after := whole.slice(last+1, whole.Cycles())
	found := past{powerOn: f.powerOn, before: whole.slice(0, last), reset: whole.row(last)}
	reached, end, outputs, err := l.runAfter(&found, after)
	if err != nil || !reached {
		return err
	}
	if end == nil {
		d.ShortReset = true
		return nil
	}
	more := l.moreOf(after, f.seed)
	budget := uint64(shrinkCycles)
	if l.rtlInitial == nil {
		budget = shrinkCyclesReopen
	}
	for _, other := range l.otherPasts(&found) {
		if l.exchanged-exchanged > budget {
			break
		}
		reached, otherEnd, otherOutputs, err := l.runAfter(&other, more)
		switch {
		case err != nil:
			return err
		case !reached: // the fault occurred during the past
		case otherEnd == nil:
			d.MissingReset, d.Undefined, d.Past = true, true, other.text
			return nil
		case d.Undefined || end.kind == DivergenceUnknown || otherEnd.kind == DivergenceUnknown:
			// X may represent the value in the other run.
		case otherEnd.cycle != end.cycle || otherEnd.port < 0 != (end.port < 0) || end.port >= 0 &&
			!slices.Equal(outputs, otherOutputs):
			// After a fault outputs are not compared: logic may not have settled.
			d.Undefined, d.Past = true, other.text
		}
	}
	return nil
}

func (l *pair) otherPasts(found *past) (pasts []past) {
	none := found.before.slice(0, 0)
	dark := make([]uint64, len(found.reset))
	dark[l.model.ResetWord()] = 1
	of := func(text string, powerOn uint64, before *Stimulus, reset []uint64) {
		pasts = append(pasts, past{text, powerOn, before, reset})
	}
	if !slices.Equal(found.reset, dark) {
		of("all other inputs 0 while reset is active", found.powerOn, found.before, dark)
	}
	if found.before.Cycles() > 0 {
		of("nothing before the last reset", found.powerOn, none, found.reset)
	}
	if l.rtl == nil || l.rtl.Unknown() == nil {
		of("all registers 0 at power-on", 0, none, found.reset)
		for i := range uint64(pastPowerOns) {
			of("other registers at power-on", found.powerOn+1+i, none, found.reset)
		}
	}
	return pasts
}

// runAfter runs cycles after a past. It returns the first difference, nil for none, and the RTL's outputs at that
// difference. reached is false if the RTL fails during the past.
func (l *pair) runAfter(p *past, after *Stimulus) (reached bool, end *difference, outputs []uint64, err error) {
	rows := slices.Clone(p.before.rows)
	for range pastResetCycles {
		rows = append(rows, p.reset...)
	}
	begin := uint64(len(rows) / after.words)
	run := after.with(append(rows, after.rows...))
	at, err := l.power(p.powerOn)
	if err == nil && at == nil {
		// Only cycles after the past are compared.
		at, err = l.runFrom(begin, run.drive(), nil)
	}
	if err != nil || at == nil {
		return err == nil, nil, nil, err
	}
	if at.cycle < begin {
		return false, nil, nil, nil
	}
	at.cycle -= begin
	if l.rtl != nil {
		outputs = slices.Clone(l.rtl.Outputs())
		for i := range outputs {
			outputs[i] &= l.mask[i]
		}
	}
	return true, at, outputs, nil
}

func (l *pair) moreOf(after *Stimulus, seed uint64) *Stimulus {
	cycles := uint64(pastMoreCycles)
	if l.pinMap.Backend == cosim.BackendIcarus {
		cycles = pastMoreCyclesIcarus
	}
	more, schedule := after.clone(), twin.NewSchedule(seed+1, cycles)
	if l.contract != nil && len(l.contract.Assume) > 0 {
		l.contract.extend(more, schedule, cycles, l.initial)
		return more
	}
	inputs := slices.Clone(after.row(after.Cycles() - 1))
	for cycle := range cycles {
		l.model.Stimulate(schedule, cycle, inputs)
		inputs[l.model.ResetWord()] = 0
		more.rows = append(more.rows, inputs...)
	}
	more.mask()
	return more
}

func (s *Survivors) text(ofFault bool) string {
	switch {
	case s.MissingReset:
		return fmt.Sprintf("a reset is missing: with %s, and the same inputs afterwards, the RTL agrees with the "+
			"model", s.Past)
	case s.Undefined:
		differs := "has different outputs"
		if ofFault {
			differs = "does not end in this cycle, or ends differently"
		}
		return fmt.Sprintf("some state survives the reset (a register, unwritten memory, a loop): "+
			"with %s, and the same inputs afterwards, the RTL %s", s.Past, differs)
	case s.ShortReset:
		return fmt.Sprintf("with reset active for %d cycles the RTL does not differ", pastResetCycles)
	}
	return ""
}
