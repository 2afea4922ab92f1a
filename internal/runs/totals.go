package runs

import (
	"starloom/fabric/outcome"
	"starloom/internal/meter"
)

func (b *Batch) firmware(t *tally) outcome.FirmwareReport {
	f := b.about.Firmware
	f.Traps = t.traps
	if t.runs == 0 || b.Config.Firmware.CPU == nil {
		return f
	}
	t.measured.Report(&f, b.Config.Firmware.CPU, b.Config.Network.Names())
	each := b.total / uint64(max(len(b.Rates), 1))
	for _, handler := range []struct {
		cycles *outcome.HandlerCycles
		spread *meter.Spread
	}{{f.Cycles, &t.measured.Slot}, {f.StartCycles, &t.measured.Start}} {
		w := handler.cycles.Worst
		if w == nil {
			continue
		}
		run := b.Numbered(handler.spread.Run % each)
		w.Seed = &run.Seed
		if b.Permutations > 0 {
			w.Permutation = &run.Permutation
		}
		if t.rate != nil {
			w.Rate = &t.rates[handler.spread.Run/each].rate
		}
	}
	return f
}

func (o *Options) counted(t *tally) func(*BatchRun, uint64) error {
	return func(r *BatchRun, total uint64) error {
		if err := t.add(r); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(Progress{Runs: t.runs, RunsTotal: total})
		}
		return nil
	}
}
