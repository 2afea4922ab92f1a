package lockstep

import (
	"errors"
	"fmt"
	"slices"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/hw"
)

func (l *pair) lookIfWanted(r *Report) error {
	if !l.options.Internals {
		return nil
	}
	return l.lookInside(r, l.shownAs, l.shownOn)
}

// lookInside repeats the shown case with RTL that exposes its internals, and keeps the internals and the model's
// registers. If the outputs of that RTL differ from the case, lookInside drops the internals.
func (l *pair) lookInside(r *Report, f *finding, stimulus *Stimulus) error {
	x := &inside{clock: l.pinMap.Clock}
	if l.pinMap.Backend != cosim.BackendIcarus {
		x.outer = "top." // scope of Verilator
	}
	r.Shown.inside = x
	if x.cells, x.missing = modelCells(l.model.Kernel()); len(x.cells) > cellsMax {
		x.missing = append(x.missing, fmt.Sprintf("%d registers after the first %d", len(x.cells)-cellsMax, cellsMax))
		x.cells = x.cells[:cellsMax]
	}
	if len(r.Shown.samples) == 0 {
		return nil
	}
	see := &pair{ctx: l.ctx, pinMap: l.pinMap, options: l.options, model: l.model, initial: l.initial,
		contract: l.contract, pace: pace{exchange: stepwise{}},
		sight: sight{seeing: cosim.Seeing{Internals: l.pinMap.CanShow()}}}
	see.options.Progress = nil
	if !see.seeing.Internals {
		x.without = "only RTL from sources, with backend wasm or icarus, shows them"
	}
	defer func() { see.ending = nil }()
	if r.Divergence != nil && !l.repeatable(f) {
		see.ending = &f.difference
	}
	at, err := see.power(f.powerOn)
	if err == nil && at == nil {
		err = see.keepInside(r.Shown, stimulus, f)
	}
	if see.rtl != nil {
		err = errors.Join(err, see.rtl.Close())
	}
	if at != nil {
		x.without = "the RTL with its internals ends at power-on"
	}
	return err
}

func (l *pair) keepInside(shown *Waves, stimulus *Stimulus, f *finding) error {
	x := shown.inside
	tracer := l.rtl.(*pinmap.Device).Tracer()
	if !l.seeing.Internals {
		tracer = nil
	}
	var kept bounded
	if tracer != nil {
		x.untraced = tracer.Untraced()
		if err := tracer.Trace(&kept); err != nil {
			return err
		}
	}
	next, length := l.stimulusOf(f), shown.rows[len(shown.rows)-1]+1
	if stimulus != nil {
		next = stimulus.drive()
	}
	limited := func(cycle uint64, inputs []uint64) bool { return cycle < length && next(cycle, inputs) }
	kernel, number := l.model.Kernel(), 0
	var failed error
	_, err := l.run(limited, func(cycle uint64, settled bool) {
		if number == len(shown.rows) || cycle != shown.rows[number] {
			return
		}
		hw.Collect(kernel)
		values := make([]uint64, len(x.cells))
		for i := range x.cells {
			values[i] = x.cells[i].Value()
		}
		x.values = append(x.values, values)
		if tracer != nil && settled && failed == nil && x.without == "" {
			if same(l.rtl, &shown.samples[number]) {
				failed = tracer.Dump(uint64(number))
			} else {
				x.without = fmt.Sprintf("the RTL with its internals has different outputs in cycle %d: a register without a value "+
					"at power-on has another one there", cycle)
			}
		}
		number++
	})
	if tracer != nil && failed == nil {
		failed = tracer.EndTrace()
	}
	if kept.full {
		x.without = errTooMuch.Error()
	}
	if x.without == "" && tracer != nil {
		x.rtl = kept.Bytes()
	}
	var fault *cosim.Fault
	if errors.As(failed, &fault) { // already reported by the run
		failed = nil
	}
	return errors.Join(err, failed)
}

func same(d cosim.Device, s *sample) bool {
	unknown := s.unknown
	if d.Unknown() == nil {
		unknown = nil // an unsettled sample has a plane even for two-valued RTL
	}
	return slices.Equal(d.Outputs(), s.rtl) && slices.Equal(d.Unknown(), unknown)
}
