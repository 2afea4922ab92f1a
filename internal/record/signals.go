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

type shown struct {
	config   *config.Config
	comments []string
	slack    uint64 // maximum number of cycles from a violation to its detection
	begin    uint64
	slot     func() uint64
	// signals of firmware and NIC registers, which change only at slot boundaries
	boundary  func(yield func(p hw.Probe, f vcd.Form))
	variables func(yield func(p hw.Probe, f vcd.Form)) // shown whatever the scenario selects
	hardware  func(yield func(p hw.Probe))             // signals that may change in every cycle, without grouped signals
	routers   *hw.RouterSignals                        // grouped signals; nil for none
	first     []string
	examples  func() string
}

func shownOf(m *emulator.Machine) *shown {
	if m.Config.Bare() {
		return &shown{
			config: m.Config, comments: traceComments(m.Config, m.Seed), begin: m.Cycles(), slot: func() uint64 { return 0 },
			boundary: func(func(hw.Probe, vcd.Form)) {}, variables: func(func(hw.Probe, vcd.Form)) {},
			hardware: func(func(hw.Probe)) {}, routers: m.Hardware.Routers(),
			examples: func() string {
				return "signals are, for example, " + m.Network.Kind() + ".router[0].input[0].vc[0].state, " +
					m.Names.Processor(0) + ".out.flit.valid; " +
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
		variables: m.VariableProbes,
		hardware:  m.Hardware.Probes, routers: m.Hardware.Routers(), first: []string{m.SlotProbe().Path},
		examples: m.SignalExamples,
	}
}

type waves struct {
	out  *outputs.Set
	of   *shown
	vcd  *traces.File
	wave *waveform
	save *saveFile // nil without wave
}

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
			w.vcd.Hold() // the run may be repeated, see RepeatWaveform
		}
		if w.wave, err = openWaveform(w.of, w.vcd); err != nil {
			return err
		}
	}
	w.save, err = openSaveFile(name, o, out)
	return err
}

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

// Options select the outputs of a recording.
type Options struct {
	VCD    outputs.Output // waveform, as FST if the path ends in .fst
	GTKW   outputs.Output // save file for GTKWave; default: next to the VCD file
	PCAPNG outputs.Output
	Lua    outputs.Output // dissector for Wireshark and tshark; default: next to the PCAPNG file
	Log    outputs.Output // firmware log: a line per call of sl_log
}
