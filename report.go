package starloom

import (
	"io"

	"starloom/fabric/outcome"
	"starloom/firmware/wasm"
	"starloom/internal/outputs"
	"starloom/internal/rtl"
	"starloom/internal/runs"
)

// What a run has come to.
type (
	// Report is the outcome of a run.
	Report = outcome.Report
	// Expectation says how a run is to end, and whether it has.
	Expectation = outcome.Expectation
	// Verdict is the outcome of a run or a study.
	Verdict = outcome.Verdict
	// Violation is one broken rule, at the cycle in which it broke.
	Violation = outcome.Violation
	// Frames counts frames: what NICs sent, and what became of every reception.
	Frames = outcome.Frames
	// FirmwareReport says which firmware ran, and how many processors trapped.
	FirmwareReport = outcome.FirmwareReport
	// FirmwareFrame is a function of a backtrace and the place that it had reached.
	FirmwareFrame = wasm.Frame
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
	VerdictPass   = outcome.VerdictPass   // the run kept all rules; all rows of the study agree
	VerdictFail   = outcome.VerdictFail   // a rule was broken; a row of the study is off
	ReportSchema  = outcome.ReportSchema  // the version of the report's JSON form; keys are only added within one
	ViolationsMax = outcome.ViolationsMax // the most violations that a report lists, the first one of every rule among them
)

// The rules that no network has, and causes of violations in runs with faults.
const (
	RuleInterrupted = outcome.RuleInterrupted // an interrupted run breaks it
	RuleReplay      = outcome.RuleReplay      // firmware breaks it that does something else alone than among others
	RuleRTLFault    = outcome.RuleRTLFault    // the RTL ended the simulation, does not settle, or says what cannot be
	RuleRTLUnknown  = outcome.RuleRTLUnknown  // an output of the RTL was X or Z
	RuleRTLTool     = outcome.RuleRTLTool     // the simulator of the RTL failed, hung or was killed

	CauseFaults   = outcome.CauseFaults   // the violation is not in the run without the faults
	CauseFirmware = outcome.CauseFirmware // the run without the faults has it, too
	CauseUnclear  = outcome.CauseUnclear  // neither can be told: without the faults the rule breaks there in another way, or more rules break than are listed
)

// RTLPartRun is a component that the scenario replaces.
//
//	Path     string
//	Map      *pinmap.Map
//	Stimulus *lockstep.Stimulus
//	Check    string // the command that checks the RTL with other inputs
type RTLPartRun = rtl.PartRun

// What `starloom scenario show` says.
type (
	// Explained is a scenario as it runs: every value, and who has decided it.
	Explained = outcome.Explained
	// Setting is a value of a scenario.
	Setting = outcome.Setting
	// SlotShape is the shape of a slot, in cycles.
	SlotShape = outcome.SlotShape
	// NetworkSize is the size of a network.
	NetworkSize = outcome.NetworkSize
	// ScheduleSize is that of a schedule.
	ScheduleSize = outcome.ScheduleSize
	// FaultPlan is what a fault does, and to what.
	FaultPlan = outcome.FaultPlan
	// MemoryEstimate is the most that a process takes whose only machine this is, in bytes.
	MemoryEstimate = outcome.MemoryEstimate
)

// Who has decided a value.
const (
	ByFile    = outcome.ByFile    // the scenario's file, or the file of a workload
	ByOption  = outcome.ByOption  // an option of the command line: Overrides
	ByDefault = outcome.ByDefault // no one: it is what such a key is if it is left out
	ByProgram = outcome.ByProgram // the program needs it, or brings it: rules, schedule
	ByNetwork = outcome.ByNetwork // the network gives what is left open to it, or limits what is given
	ByCaller  = outcome.ByCaller  // the Go program that has made the scenario

	// ExplainedSchema is the version of the JSON form of Explained.
	ExplainedSchema = outcome.ExplainedSchema
)

// Output is where one output goes: to a file, to an io.Writer, or nowhere, which is the
// zero value. The bytes are the same.
//
// Files of one run appear under their paths together, when all is well, and not at all
// otherwise; what was there before stays until then. A writer gets bytes as they come, in
// pieces of up to 256 KiB - of a log, the lines of every boundary at once - and the rest at
// the end, before any file appears. What it has when the run fails is incomplete. It is never closed,
// and never called by two goroutines at once. An error of a writer ends the run and is returned, wrapped.
//
//	Path string
//	func (o Output) Given() bool // whether the output goes anywhere
//	// Beside returns the output of a file that goes with this one, unless it is given: nothing
//	// goes with standard output or a writer.
//	func (o Output) Beside(given Output, extension string) Output
type Output = outputs.Output

// Pictures are where pictures of one run go, as SVG.
//
//	Topology Output // who drives and hears which medium
//	Heat     Output // media over time: frames, collisions, frames that wait
//	Latency  Output // how long packets of traffic take, or frames from their queue to a receiver
//	Timeline Output // what each processor does over time
type Pictures = runs.Pictures

// File is an output to the file at path: "-" is standard output, "" nowhere.
func File(path string) Output { return outputs.File(path) }

// Writer is an output to w; nil is nowhere. Every output has a writer of its own.
func Writer(w io.Writer) Output { return outputs.Writer(w) }

// Seeds is a range of seeds, both ends included.
type Seeds struct{ First, Last uint64 }

// String returns A..B.
func (s Seeds) String() string { return outcome.Seeds(s).String() }
