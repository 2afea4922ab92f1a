package starloom

import (
	"starloom/internal/outcome"
	"starloom/internal/rtl"
)

// What a run has come to.
type (
	// Report is the outcome of a run.
	Report = outcome.Report
	// Verdict is the outcome of a run or a study.
	Verdict = outcome.Verdict
	// Violation is one broken rule, at the cycle in which it broke.
	Violation = outcome.Violation
	// Frames counts frames: what NICs sent, and what became of every reception.
	Frames = outcome.Frames
	// FirmwareReport says which firmware ran, and how many processors trapped.
	FirmwareReport = outcome.FirmwareReport
	// FirmwareFrame is a function of a backtrace and the place that it had reached.
	FirmwareFrame = outcome.FirmwareFrame
	// HandlerCycles says how long the calls of a handler took, in cycles of the fabric.
	HandlerCycles = outcome.HandlerCycles
	// WorstCall is a call of a handler.
	WorstCall = outcome.WorstCall
	// ProcessorCycles is the longest call of a processor's slot handler.
	ProcessorCycles = outcome.ProcessorCycles
	// CyclesBin counts calls that took more cycles than those of the bin before.
	CyclesBin = outcome.CyclesBin
	// CallProfile says where a call has spent its cost.
	CallProfile = outcome.CallProfile
	// ProfileLine is what was spent at a place.
	ProfileLine = outcome.ProfileLine
	// FaultReport is what one fault of the scenario has done.
	FaultReport = outcome.FaultReport
	// FaultFirst is the first thing that a fault has done.
	FaultFirst = outcome.FaultFirst
	// WithoutFaults is the same run without its faults.
	WithoutFaults = outcome.WithoutFaults
	// RTLReport says what was RTL in a run.
	RTLReport = outcome.RTLReport
	// OutputFile is an output of a run.
	OutputFile = outcome.OutputFile
	// StudyReport sets what was measured beside what was published.
	StudyReport = outcome.StudyReport
	// SeedsReport is the outcome of many runs of one scenario.
	SeedsReport = outcome.SeedsReport
	// FailedRun is a run of many that failed.
	FailedRun = outcome.FailedRun
	// FinishedRun is a run of many that passed.
	FinishedRun = outcome.FinishedRun
	// Statistic sums up one figure of many runs.
	Statistic = outcome.Statistic
	// Statistics are the figures of many runs, in the order of the report.
	Statistics = outcome.Statistics
	// Bin is a value and the number of runs that have it.
	Bin = outcome.Bin
	// Survival is the survival curve of many runs with faults.
	Survival = outcome.Survival
	// SurvivalPoint says how many runs have broken no rule.
	SurvivalPoint = outcome.SurvivalPoint
)

// The verdicts, the version of the report's JSON form, and the most violations that a report lists.
const (
	VerdictPass   = outcome.VerdictPass
	VerdictFail   = outcome.VerdictFail
	ReportSchema  = outcome.ReportSchema
	ViolationsMax = outcome.ViolationsMax
)

// The rules that no network has, and causes of violations in runs with faults.
const (
	RuleInterrupted = outcome.RuleInterrupted // an interrupted run breaks it
	RuleReplay      = outcome.RuleReplay      // firmware breaks it that does something else alone than among others
	RuleRTLFault    = outcome.RuleRTLFault    // the RTL ended the simulation, does not settle, or says what cannot be
	RuleRTLUnknown  = outcome.RuleRTLUnknown  // an output of the RTL was X or Z
	RuleRTLTool     = outcome.RuleRTLTool     // the simulator of the RTL failed, hung or was killed

	CauseFaults   = outcome.CauseFaults
	CauseFirmware = outcome.CauseFirmware
	CauseUnclear  = outcome.CauseUnclear
)

// RTLPartRun is a component that the scenario replaces.
type RTLPartRun = rtl.PartRun
