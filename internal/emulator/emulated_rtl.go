package emulator

import (
	"context"
	"errors"
	"fmt"
	"starloom/cosim"
	"starloom/fabric"
	"starloom/internal/outcome"
	"starloom/internal/rtl"
	"strings"
)

// openRTL prepares the RTL that the scenario names; nil for none.
func (m *Machine) openRTL(ctx context.Context) fabric.RTL {
	if len(m.Config.RTL) == 0 {
		return nil
	}
	m.RTL = &rtl.Devices{Network: m.Network, Names: m.Names, Entries: m.Config.RTL, Source: &m.Config.Source, Records: m.options.RecordRTL, Ctx: ctx, Taken: map[string]int{}}
	return m.RTL
}

// endByRTL ends the run when RTL has failed.
func (m *Machine) endByRTL() {
	if m.RTL == nil || m.RTLFailed {
		return
	}
	fault := m.RTL.Loop.Fault()
	if fault == nil {
		return
	}
	v := outcome.Violation{Rule: outcome.RuleRTLFault, Cycle: fault.Cycle, Slot: fault.Cycle / uint64(m.timing.SlotCycles()), Path: fault.Path, Message: fault.Err.Error()}
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

// rtlNotes say what to do next when a run with RTL has failed, but not by its tools: the check of the
// scenario repeats its inputs, that of a map has others.
func (m *Machine) rtlNotes(failed bool) (notes []string) {
	if m.RTL == nil || !failed {
		return nil
	}
	count := fmt.Sprintf("%d components of this run are", len(m.RTL.Report))
	if len(m.RTL.Report) == 1 {
		count = m.RTL.Report[0].Path + " of this run is"
	}
	if m.Config.Source.CheckCommand == "" { // it is not from a file
		return []string{count + " RTL: if it passes without the key rtl, find the first cycle in which RTL and model differ with " + m.rtlCheck()}
	}
	notes = []string{fmt.Sprintf("%s RTL: %s finds the first cycle of this run in which RTL and model differ", count, m.rtlCheck())}
	if len(m.RTL.ChecksOwn) > 0 {
		notes = append(notes, "with random inputs, which show more than those of a run: `"+strings.Join(m.RTL.ChecksOwn, "` or `")+"`")
	}
	return notes
}

// rtlCheck is what compares the RTL of a run with its models: the check of the scenario's file,
// those of the maps if there is none.
func (m *Machine) rtlCheck() string {
	if check := m.Config.Source.CheckCommand; check != "" {
		return "`" + check + "`"
	}
	return "`" + strings.Join(m.RTL.Checks, "` or `") + "`"
}
