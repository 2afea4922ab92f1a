package starloom

import (
	"io"

	"starloom/fabric/outcome"
	"starloom/firmware/wasm"
	"starloom/internal/outputs"
	"starloom/internal/rtl"
	"starloom/internal/runs"
)

// The outcome of a run.
type (
	// Report is the outcome of a run.
	Report = outcome.Report
	// Expectation is the expected end of a run, with the result of the comparison.
	Expectation = outcome.Expectation
	// Verdict is the outcome of a run or a study.
	Verdict = outcome.Verdict
	// Violation is one broken rule, at the cycle in which it broke.
	Violation = outcome.Violation
	// Frames counts sent frames, and receptions by result.
	Frames = outcome.Frames
	// FirmwareReport names the firmware and summarises its cost.
	FirmwareReport = outcome.FirmwareReport
	// FirmwareFrame is a function in a backtrace, and the place reached in it.
	FirmwareFrame = wasm.Frame
	// HandlerCycles summarises the durations of a handler's calls, in cycles of the fabric.
	HandlerCycles = outcome.HandlerCycles
	// WorstCall is a call of a handler.
	WorstCall = outcome.WorstCall
	// ProcessorCycles is the longest call of a processor's slot handler.
	ProcessorCycles = outcome.ProcessorCycles
	// CyclesBin counts the calls with more cycles than the previous bin.
	CyclesBin = outcome.CyclesBin
	// CallProfile distributes the cost of a call over places in the firmware.
	CallProfile = outcome.CallProfile
	// ProfileLine is the cost of a place in the firmware.
	ProfileLine = outcome.ProfileLine
	// FaultReport describes the effects of one fault of the scenario.
	FaultReport = outcome.FaultReport
	// FaultFirst is the first effect of a fault.
	FaultFirst = outcome.FaultFirst
	// WithoutFaults is the same run without its faults.
	WithoutFaults = outcome.WithoutFaults
	// RTLReport describes the RTL of a run.
	RTLReport = outcome.RTLReport
	// OutputFile is an output of a run.
	OutputFile = outcome.OutputFile
	// StudyReport compares measured with published figures.
	StudyReport = outcome.StudyReport
	// SeedsReport is the outcome of many runs of one scenario.
	SeedsReport = outcome.SeedsReport
	// FailedRun is a failed run among many.
	FailedRun = outcome.FailedRun
	// FinishedRun is a passing run among many.
	FinishedRun = outcome.FinishedRun
	// Statistic summarises one figure of many runs.
	Statistic = outcome.Statistic
	// Statistics are the figures of many runs, in the order of the report.
	Statistics = outcome.Statistics
	// Bin is a value and the number of runs with this value.
	Bin = outcome.Bin
	// Survival is the survival curve of many runs with faults.
	Survival = outcome.Survival
	// SurvivalPoint counts the runs without a broken rule.
	SurvivalPoint = outcome.SurvivalPoint
)

// Verdicts, the version of the report's JSON form, and the maximum number of listed violations.
const (
	VerdictPass   = outcome.VerdictPass   // the run broke no rule; all rows of the study agree
	VerdictFail   = outcome.VerdictFail   // a rule was broken; a row of the study disagrees
	ReportSchema  = outcome.ReportSchema  // version of the report's JSON form; within a version, keys are only added
	ViolationsMax = outcome.ViolationsMax // maximum number of listed violations, with the first of every rule
)

// Rules that do not depend on the network, and causes of violations in runs with faults.
const (
	RuleInterrupted = outcome.RuleInterrupted // the run was interrupted
	RuleReplay      = outcome.RuleReplay      // a handler behaved differently when called alone
	// the RTL ended the simulation, did not settle, or drove contradictory outputs
	RuleRTLFault   = outcome.RuleRTLFault
	RuleRTLUnknown = outcome.RuleRTLUnknown // an output of the RTL was X or Z
	RuleRTLTool    = outcome.RuleRTLTool    // the simulator of the RTL failed, hung or was killed

	CauseFaults   = outcome.CauseFaults   // the violation does not occur in the run without the faults
	CauseFirmware = outcome.CauseFirmware // the violation also occurs in the run without the faults
	// undecided: without the faults the rule breaks in another way, or there are more violations than a report lists
	CauseUnclear = outcome.CauseUnclear
)

// RTLPartRun is a component replaced by the scenario.
//
//	Path     string
//	Map      *pinmap.Map
//	Stimulus *lockstep.Stimulus
//	Check    string // command that checks the RTL with other inputs
type RTLPartRun = rtl.PartRun

// The content of `starloom scenario show`.
type (
	// Explained is an elaborated scenario: the value of every key and the origin of the value.
	Explained = outcome.Explained
	// Setting is a value of a scenario.
	Setting = outcome.Setting
	// SlotShape is the shape of a slot, in cycles.
	SlotShape = outcome.SlotShape
	// NetworkSize is the size of a network.
	NetworkSize = outcome.NetworkSize
	// ScheduleSize is the size of a schedule.
	ScheduleSize = outcome.ScheduleSize
	// FaultPlan describes a fault and its targets.
	FaultPlan = outcome.FaultPlan
	// MemoryEstimate is the estimated peak memory, in bytes, of a process with only this machine.
	MemoryEstimate = outcome.MemoryEstimate
)

// Origins of a value.
const (
	ByFile    = outcome.ByFile    // the scenario's file, or the file of a workload
	ByOption  = outcome.ByOption  // an option of the command line: Overrides
	ByDefault = outcome.ByDefault // the default of an omitted key
	ByProgram = outcome.ByProgram // the program, by a requirement or a default: rules, schedule
	ByNetwork = outcome.ByNetwork // the network, by a default or a limit
	ByCaller  = outcome.ByCaller  // the Go program that built the scenario

	// ExplainedSchema is the version of the JSON form of Explained.
	ExplainedSchema = outcome.ExplainedSchema
)

// Output is the destination of one output: a file, an io.Writer, or nothing (the zero value). Every destination gets
// the same bytes.
//
// The files of a run appear together after success, and not at all otherwise; existing files remain until then. A
// writer receives bytes during the run, in pieces of up to 256 KiB (a log: all lines of a boundary at once), and the
// rest at the end, before any file appears. After a failed run the writer's content is incomplete. A writer is never
// closed, and never called concurrently. An error of a writer ends the run, which returns the wrapped error.
//
//	Path string
//	func (o Output) Given() bool // reports whether the output has a destination
//	// Beside returns the output of a file beside this one, unless it is given. Standard output
//	// and writers have no files beside them.
//	func (o Output) Beside(given Output, extension string) Output
type Output = outputs.Output

// Pictures are the outputs for pictures of one run, as SVG.
//
//	Topology Output // processors and the media that they drive and hear
//	Heat     Output // media over time: frames, collisions, waiting frames
//	Latency  Output // latency of packets of traffic, or of frames from their queue to a receiver
//	Timeline Output // activity of each processor over time
type Pictures = runs.Pictures

// File returns an output to the file at path; "-" is standard output, "" discards the output.
func File(path string) Output { return outputs.File(path) }

// Writer returns an output to w; nil discards the output. Every output needs its own writer.
func Writer(w io.Writer) Output { return outputs.Writer(w) }

// Seeds is a range of seeds that includes both ends.
type Seeds struct{ First, Last uint64 }

// String returns A..B.
func (s Seeds) String() string { return outcome.Seeds(s).String() }
