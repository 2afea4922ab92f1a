package lockstep

import (
	"fmt"
	"slices"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// Survivors say whether state of the RTL survives its reset.
//
// Undefined: something survives a reset of the RTL. The run as it was found, from
// its last reset on, was repeated with the same inputs after another Past, and the
// RTL had other outputs. MissingReset: in one of them it agreed with the model.
// ShortReset: there is no difference if the last reset is longer.
type Survivors struct {
	Undefined    bool   `json:"undefined"`
	MissingReset bool   `json:"missing_reset"`
	ShortReset   bool   `json:"short_reset,omitempty"`
	Past         string `json:"past,omitempty"`
}

// A past is what happened before a reset: the cycles after the reset must not depend
// on it.
type past struct {
	text    string
	powerOn uint64
	before  *Stimulus // cycles before the reset
	reset   []uint64  // inputs while reset is on
}

const (
	pastPowerOns    = 8  // other random registers that are tried
	pastResetCycles = 16 // how long reset is on, in case that one cycle is too short
	// RTL that agrees has to agree in this many more cycles of random inputs: they tell a
	// register that happens to begin well from RTL that happens to agree.
	pastMoreCycles, pastMoreCyclesIcarus = 2000, 300
)

// findPast looks for state that survives a reset: it repeats the run from its last
// reset on, with the same inputs, after another past. whole is the run up to the
// difference.
//
// Other outputs show that something survives: a register, memory that is read before
// it is written (perhaps at a wrong place), or a loop. A past after which the RTL agrees
// with the model shows that a reset is missing, and no other mistake.
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
	if last < 0 || uint64(whole.Cycles()) <= f.cycle { // without the inputs of the difference nothing is shown
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
		case !reached: // it ended in its past
		case otherEnd == nil:
			d.MissingReset, d.Undefined, d.Past = true, true, other.text
			return nil
		case d.Undefined || end.kind == DivergenceUnknown || otherEnd.kind == DivergenceUnknown:
			// What is unknown may have any value, that of the other run as well.
		case otherEnd.cycle != end.cycle || otherEnd.port < 0 != (end.port < 0) || end.port >= 0 && !slices.Equal(outputs, otherOutputs):
			// Outputs are not compared where both end by a fault: logic may not have settled.
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
		of("all other inputs 0 while reset is on", found.powerOn, found.before, dark)
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

// runAfter runs cycles after a past and returns the first difference, nil for none,
// and what the RTL shows then. It is not reached if the RTL ends before, by a fault.
func (l *pair) runAfter(p *past, after *Stimulus) (reached bool, end *difference, outputs []uint64, err error) {
	rows := slices.Clone(p.before.rows)
	for range pastResetCycles {
		rows = append(rows, p.reset...)
	}
	begin := uint64(len(rows) / after.words)
	run := after.with(append(rows, after.rows...))
	at, err := l.power(p.powerOn)
	if err == nil && at == nil {
		// Differences of the past do not count, so it is not compared.
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

// text says what other pasts have shown, "" for nothing.
func (s *Survivors) text(ofFault bool) string {
	switch {
	case s.MissingReset:
		return fmt.Sprintf("a reset is missing: with %s, and the same inputs after it, the RTL agrees with the model", s.Past)
	case s.Undefined:
		differs := "has other outputs"
		if ofFault {
			differs = "does not end in this cycle, or ends in another way"
		}
		return fmt.Sprintf("something survives the reset (a register, memory that was not written, a loop): "+
			"with %s, and the same inputs after it, the RTL %s", s.Past, differs)
	case s.ShortReset:
		return fmt.Sprintf("with reset on for %d cycles it does not differ", pastResetCycles)
	}
	return ""
}
