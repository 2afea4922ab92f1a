package record

import (
	"starloom/fabric/outcome"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/outputs"
	"starloom/traces"
	"starloom/traces/vcd"
)

// shown is a run of which a waveform shows signals.
type shown struct {
	config   *config.Config
	comments []string
	slack    uint64                                   // cycles from a violation to when it is found, at the most
	begin    uint64                                   // the cycle with which the waveform begins
	slot     func() uint64                            // that crosses
	boundary func(yield func(p hw.Probe, f vcd.Form)) // signals of firmware and its registers, which change only at the boundary of a slot
	hardware func(yield func(p hw.Probe))             // signals that may change in every cycle...
	routers  *hw.RouterSignals                        // ...and those that are in groups; nil for none
	first    []string                                 // what save files show first
	examples func() string                            // of what signals are called
}

func shownOf(m *emulator.Machine) *shown {
	if m.Config.Bare() {
		return &shown{
			config: m.Config, comments: traceComments(m.Config, m.Seed), begin: m.Cycles(), slot: func() uint64 { return 0 },
			boundary: func(func(hw.Probe, vcd.Form)) {}, hardware: func(func(hw.Probe)) {}, routers: m.Hardware.Routers(),
			examples: func() string {
				return "signals are, for example, " + m.Network.Kind() + ".router[0].input[0].vc[0].state, " + m.Names.Processor(0) + ".out.flit.valid; " +
					"* stands for a part of a name, ** for any number of names, [2..5] for a range"
			},
		}
	}
	return &shown{
		config: m.Config, comments: traceComments(m.Config, m.Seed, "firmware "+m.Image.Name+" sha256 "+m.Image.SHA256),
		slack: 2 * uint64(m.Timing().SlotCycles()), begin: m.Cycles(), slot: func() uint64 { return uint64(m.Slots()) },
		boundary: func(yield func(hw.Probe, vcd.Form)) {
			yield(m.SlotProbe(), vcd.Form{Decimal: true})
			m.FirmwareProbes(yield)
		},
		hardware: m.Hardware.Probes, routers: m.Hardware.Routers(), first: []string{m.SlotProbe().Path}, examples: m.SignalExamples,
	}
}

// waves are a waveform and the save files that arrange it.
type waves struct {
	out  *outputs.Set
	of   *shown
	vcd  *traces.File // of wave
	wave *waveform    // nil for none
	save *saveFile    // nil without wave
}

// begin opens the files; show says what there is to show, if anything is wanted.
func (w *waves) open(name string, o Options, out *outputs.Set, show func() (*shown, error)) (err error) {
	w.out = out
	if w.vcd, err = out.OpenWaveform(o.VCD); err != nil {
		return err
	}
	if w.vcd != nil {
		if w.of, err = show(); err != nil {
			return err
		}
		if w.of.config.VCD.Triggered {
			w.vcd.Hold() // see RepeatWaveform
		}
		if w.wave, err = openWaveform(w.of, w.vcd); err != nil {
			return err
		}
	}
	w.save, err = openSaveFile(name, o, out)
	return err
}

// finish ends them before cycle end.
func (w *waves) finish(violations []outcome.Violation, end uint64) error {
	if w.wave == nil {
		return nil
	}
	if err := w.wave.close(violations, end); err != nil {
		return err
	}
	w.out.NoteWaveform(w.wave.note(end))
	return w.save.write(w.of, w.wave.vcd, violations, end)
}

func (w *waves) MarkFaults(report *outcome.Report) {
	for k := range report.Faults {
		if first := report.Faults[k].First; first != nil && w.save != nil && report.ByFaults() {
			w.save.struck = append(w.save.struck, vcd.Marker{Cycle: first.Cycle, Name: "fault_" + report.Faults[k].Kind})
		}
	}
}

// Options say what is written while a machine runs.
type Options struct {
	VCD    outputs.Output // waveform; in FST if the path ends in .fst
	GTKW   outputs.Output // save file that arranges it in GTKWave; beside VCD if that is a file
	PCAPNG outputs.Output // packet capture
	Lua    outputs.Output // dissector for Wireshark and tshark; beside PCAPNG if that is a file
	Log    outputs.Output // what firmware logs: a line for each call of sl_log
}
