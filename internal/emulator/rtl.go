package emulator

import (
	"errors"

	"starloom/cosim"
	"starloom/internal/outcome"
	"starloom/internal/rtl"
)

// endByRTL ends the run when RTL has failed.
func (m *Machine) endByRTL() {
	if m.RTL == nil || m.RTLFailed {
		return
	}
	fault := m.RTL.Loop.Fault()
	if fault == nil {
		return
	}
	v := outcome.Violation{
		Rule: outcome.RuleRTLFault, Cycle: fault.Cycle, Slot: fault.Cycle / uint64(m.timing.SlotCycles()),
		Path: fault.Path, Message: fault.Err.Error(),
	}
	var said *cosim.Fault
	switch {
	case fault.Unknown:
		v.Rule = outcome.RuleRTLUnknown
	case errors.As(fault.Err, &said):
		v.Message = rtl.FaultText(said)
		if said.Tool != "" {
			v.Rule = outcome.RuleRTLTool
		}
	}
	m.Findings.add(v)
	m.RTLFailed, m.ended = true, true
}
