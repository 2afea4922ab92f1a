package outcome

import "starloom/fabric"

// RuleReplay is the rule that firmware breaks which does something else alone than among
// others: something beside its NIC's registers and FIFOs, its schedule and its state has told
// it what to do.
const RuleReplay = "replay"

// rulesBeside are rules that a run may break without being held to them by its scenario.
var rulesBeside = []string{fabric.RuleLateLight, RuleReplay, RuleRTLFault, RuleRTLUnknown}

// RuleInterrupted is the rule that an interrupted run breaks.
const RuleInterrupted = "interrupted"

// The rules that only RTL can break. The first two end the run.
const (
	RuleRTLFault   = "rtl_fault"   // the RTL ended the simulation, does not settle, or says what cannot be
	RuleRTLUnknown = "rtl_unknown" // an output of the RTL was X or Z
	RuleRTLTool    = "rtl_tool"    // the simulator of the RTL failed, hung or was killed
)
