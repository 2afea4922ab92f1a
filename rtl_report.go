package starloom

import (
	"errors"
	"fmt"
	"strings"

	"starloom/cosim"
)

// endByRTL ends the run when RTL has failed.
func (m *Machine) endByRTL() {
	if m.rtl == nil || m.rtlFailed {
		return
	}
	fault := m.rtl.loop.Fault()
	if fault == nil {
		return
	}
	v := Violation{Rule: RuleRTLFault, Cycle: fault.Cycle, Slot: fault.Cycle / uint64(m.timing.SlotCycles()), Path: fault.Path, Message: fault.Err.Error()}
	var said *cosim.Fault
	switch {
	case fault.Unknown:
		v.Rule = RuleRTLUnknown
	case errors.As(fault.Err, &said):
		v.Message = rtlFaultText(said)
		if said.Tool != "" {
			v.Rule = RuleRTLTool
		}
	}
	m.findings.add(v)
	m.rtlFailed, m.ended = true, true
}

// rtlFaultText says what a circuit has done.
func rtlFaultText(f *cosim.Fault) string {
	text := f.Device + ": " + map[cosim.FaultKind]string{
		cosim.FaultFinish:      "the RTL ended the simulation ($finish or $stop)",
		cosim.FaultFatal:       "the RTL reported a fatal error ($fatal or an assertion)",
		cosim.FaultOscillation: "the RTL's combinational logic does not settle",
		cosim.FaultHang:        "the RTL does not answer",
		cosim.FaultDied:        "the simulator of the RTL is gone",
	}[f.Kind]
	if f.Tool != "" && f.Kind == cosim.FaultHang {
		text = f.Device + ": the simulator of the RTL does not answer"
	}
	if f.Text != "" {
		text += ": " + f.Text
	}
	return text
}

// rtlNotes say what to do next when a run with RTL has failed, but not by its tools: the check of the
// scenario repeats its inputs, that of a map has others.
func (m *Machine) rtlNotes(failed bool) (notes []string) {
	if m.rtl == nil || !failed {
		return nil
	}
	count := fmt.Sprintf("%d components of this run are", len(m.rtl.report))
	if len(m.rtl.report) == 1 {
		count = m.rtl.report[0].Path + " of this run is"
	}
	if m.config.Source.CheckCommand == "" { // it is not from a file
		return []string{count + " RTL: if it passes without the key rtl, find the first cycle in which RTL and model differ with " + m.rtlCheck()}
	}
	notes = []string{fmt.Sprintf("%s RTL: %s finds the first cycle of this run in which RTL and model differ", count, m.rtlCheck())}
	if len(m.rtl.checksOwn) > 0 {
		notes = append(notes, "with random inputs, which show more than those of a run: `"+strings.Join(m.rtl.checksOwn, "` or `")+"`")
	}
	return notes
}

// rtlCheck is what compares the RTL of a run with its models: the check of the scenario's file,
// those of the maps if there is none.
func (m *Machine) rtlCheck() string {
	if check := m.config.Source.CheckCommand; check != "" {
		return "`" + check + "`"
	}
	return "`" + strings.Join(m.rtl.checks, "` or `") + "`"
}
