package starloom

import (
	"io"

	"starloom/firmware/wasm"
	"starloom/internal/outcome"
	"starloom/internal/outputs"
	"starloom/internal/rtl"
	"starloom/internal/runs"
)

// What a run has come to.
type (
	// Report is the outcome of a run.
	//
	//	Schema          int // ReportSchema
	//	Scenario        string
	//	Seed            uint64
	//	Engine          string // "cycle" or "slot"
	//	Verdict         Verdict
	//	Expect          *Expectation // nil if nothing was expected
	//	Rules           []string     // names of the rules that were checked
	//	Violations      []Violation  // the first ViolationsMax, and the first of every rule
	//	ViolationsTotal uint64       // all of them
	//	Notes           []string     // what the user should know of the scenario, whatever the verdict
	//	Cycles          uint64       // whole slots, in cycles
	//	Slots           uint64       // that have crossed the fabric
	//	Frames          Frames
	//	Metrics         fabric.Metrics
	//	Firmware        FirmwareReport
	//	Faults          []FaultReport  // what each fault of the scenario has done, in its order
	//	Without         *WithoutFaults // the same run without them, if it failed
	//	RTL             []RTLReport    // components that were RTL, by path
	//	Digest          string         // of what digestCovers says
	//
	//	Beside
	//
	//	func (r *Report) WriteJUnit(w io.Writer) error // writes the report for continuous integration
	//	func (r *Report) Interrupted() bool // reports whether the run was ended from outside, or its repetition, which would have told more
	//	func (r *Report) ToolFailed() bool // reports whether the run has ended because a tool that it needs, the simulator of its RTL, failed, hung or was killed
	//	func (r *Report) WriteJSON(w io.Writer) error // writes the stable, versioned form
	//	func (r *Report) WriteText(w io.Writer) error // writes what a person wants to know
	Report = outcome.Report
	// Expectation says how a run is to end, and whether it has.
	//
	//	Verdict Verdict
	//	Rule    string // that is to be broken, whatever others are; "" for any
	//	Met     bool
	Expectation = outcome.Expectation
	// Verdict is the outcome of a run or a study.
	//
	//	string
	Verdict = outcome.Verdict
	// Violation is one broken rule, at the cycle in which it broke.
	//
	//	Rule    string // one of the constants Rule...
	//	Cycle   uint64 // as in waveforms, captures and logs
	//	Slot    uint64
	//	Path    string           // of a processor, medium or link
	//	Message string           // for people; may change
	//	Cause   string           // of one run with faults: CauseFaults, CauseFirmware or CauseUnclear
	//	Senders []int            // of collision_free: who sent the frames that met, the first SendersMax
	//	Waits   []fabric.Waiting // of deadlock: who waits for whom, the first of them
	//	Faults  []int            // of one run, for a page: which of its faults bring it about alone
	//	Subject Subject          // what it is about, in numbers
	//
	//	// Backtrace is for firmware that trapped or gave up: the functions that were being called,
	//	// the innermost first, inlined ones, too, with file:line:column of images built with -g.
	//	Backtrace []wasm.Frame
	Violation = outcome.Violation
	// Frames counts frames: what NICs sent, and what became of every reception.
	//
	//	Sent      uint64 // that NICs put on the fabric
	//	Delivered uint64 // receptions with status ok
	//	Collided  uint64 // sent frames that met another one on a medium, per medium
	//	// Blocked counts the slots in which a frame had to wait because its medium was taken.
	//	Blocked  uint64
	//	CRC      uint64 // receptions with status crc
	//	Overflow uint64 // good frames lost at a full RX FIFO, and slots in which a TX FIFO refused frames, however many
	//	Unheard  uint64 // alone on a medium to which no one listened, per medium
	//	Faulted  uint64 // alone on a medium to which someone listened, and lost there by a fault, per medium
	Frames = outcome.Frames
	// FirmwareReport says which firmware ran, and how many processors trapped.
	//
	//	Image  string // program name or the image's file name
	//	SHA256 string // of the image, in hex; "" for Runtime "native"
	//	Traps  uint64 // processors that trapped
	//
	//	// Results are the names of the firmware's results, from word 0 on.
	//	Results []string
	//
	//	// Mode is ModeBanked or ModeIsolated. Trusted says that processors share an instance, so that
	//	// nothing but trust keeps a handler from what is another's: CheckFirmware looks.
	//	Mode    string
	//	Trusted bool
	//
	//	// What handlers took, if firmware.cpu has a model.
	//	CPU          string         // the model
	//	Cycles       *HandlerCycles // of the slot handlers
	//	StartCycles  *HandlerCycles // of the start handlers, after restarts, too; they have no budget
	//	BudgetCycles uint64         // the compute window, if there is one
	//	Overruns     *uint64        // calls of slot handlers that took longer and missed their slot
	//
	//	// BytesPerProcessor is what a processor takes while it sleeps, registers and state, in a
	//	// machine of so many that only those which are called have a bank; else 0.
	//	BytesPerProcessor int
	FirmwareReport = outcome.FirmwareReport
	// FirmwareFrame is a function of a backtrace and the place that it had reached.
	FirmwareFrame = wasm.Frame
	// HandlerCycles says how long the calls of a handler took, in cycles of the fabric.
	//
	//	Calls uint64 // but for those that trapped
	//	Max   uint64
	//	Mean  float64
	//	P50   uint64 // at least half of the calls took no longer; exact to 4,095 cycles, then within 1 in 2,048
	//	P90   uint64
	//	P99   uint64
	//	P100  uint64
	//
	//	Worst *WorstCall // the first call that took max
	//
	//	// Of the slot handlers, in networks of up to 65,536 processors.
	//	MaxPerProcessor []uint64          // the longest call of each processor
	//	Slowest         []ProcessorCycles // those that took longest, 8 at most
	//
	//	Histogram []CyclesBin // by powers of two
	HandlerCycles = outcome.HandlerCycles
	// WorstCall is a call of a handler.
	//
	//	// The run, in a report of many.
	//	Seed        *uint64
	//	Permutation *uint64  // its number, if every permutation was run
	//	Rate        *float64 // of faults.random, if there are several
	//
	//	Processor uint64
	//	Path      string
	//	Slot      uint64
	//
	//	Profile *CallProfile // of a slot handler, where slots were missed or RunOptions.Profile is given
	WorstCall = outcome.WorstCall
	// ProcessorCycles is the longest call of a processor's slot handler.
	//
	//	Processor int
	//	Path      string
	//	Max       uint64
	ProcessorCycles = outcome.ProcessorCycles
	// CyclesBin counts calls that took more cycles than those of the bin before.
	//
	//	UpTo  uint64
	//	Calls uint64
	CyclesBin = outcome.CyclesBin
	// CallProfile says where a call has spent its cost.
	//
	//	Cost uint64 // by the model's table; a processor works off clock_ratio of it in a cycle
	//	Cut  bool   // only the first part of the call is profiled, up to this cost
	//
	//	// Stack begins with the function of the handler and goes on to the callee that cost most, as long
	//	// as it cost more than the function itself; the innermost comes first. Cost is with all callees.
	//	// Source is the line that calls the next one, or cost most of its own; code may have no line.
	//	Stack []ProfileLine
	//	Lines []ProfileLine // what cost most without callees, 8 at most; without debug information by function
	//
	//	func (c *CallProfile) WriteFolded(w io.Writer) error // writes the stacks as flame graph tools read them
	CallProfile = outcome.CallProfile
	// ProfileLine is what was spent at a place.
	//
	//	wasm.Frame // Source is file:line
	//	Cost       uint64
	ProfileLine = outcome.ProfileLine
	// FaultReport is what one fault of the scenario has done.
	//
	//	Kind string
	//	// Count is of processors and slots; of buffers frames that did not fit into an RX FIFO, and calls of
	//	// handlers with one that did not fit into a TX FIFO; of media receptions.
	//	Count uint64
	//	// First is where it has happened first, nil if never.
	//	First *FaultFirst
	FaultReport = outcome.FaultReport
	// FaultFirst is the first thing that a fault has done.
	//
	//	Cycle uint64 // of the slot's start
	//	Slot  uint64
	//	Path  string // of a processor or medium
	FaultFirst = outcome.FaultFirst
	// WithoutFaults is the same run without its faults.
	//
	//	Verdict         Verdict
	//	ViolationsTotal uint64
	//	Slots           uint64
	//	Frames          Frames
	//	Digest          string
	WithoutFaults = outcome.WithoutFaults
	// RTLReport says what was RTL in a run.
	//
	//	Path    string // of the component
	//	Top     string // module
	//	Backend string
	//	SHA256  string       // of the sources' text, or of the image
	//	Derived []string     // outputs that the RTL lacks, made of its others
	//	Assumed []Assumption // what its pin map assumes of the machine
	RTLReport = outcome.RTLReport
	// OutputFile is an output of a run.
	//
	//	Kind string // "vcd", "fst", "gtkw", "sucl", "pcapng", "lua", "json", "junit", "csv", "stats-csv", "log"
	//	Path string // as it was given; "-" is standard output, "" a writer
	//	Note string // why it is empty, "" if it is not
	//
	//	Stream bool // standard output, a writer, a pipe or a device: no file is there to be opened afterwards
	OutputFile = outcome.OutputFile
	// StudyReport sets what was measured beside what was published.
	//
	//	Study   string
	//	Verdict Verdict
	//	Rows    []studies.StudyRow
	//	Notes   []string // how far an interrupted study came
	//
	//	Beside
	//
	//	func (r *StudyReport) Interrupted() bool // reports whether the study was ended from outside
	//	func (r *StudyReport) WriteJSON(w io.Writer) error // writes the stable form
	//	func (r *StudyReport) WriteText(w io.Writer) error // writes the rows as an aligned table and the verdict below it
	//	func (r *StudyReport) WriteCSV(w io.Writer) error // writes a table with a row for each figure, with all digits
	StudyReport = outcome.StudyReport
	// SeedsReport is the outcome of many runs of one scenario.
	//
	//	Schema       int // ReportSchema
	//	Scenario     string
	//	Seeds        [2]uint64 // the first and the last
	//	Permutations uint64    // of each seed, if every permutation was run
	//	Engine       string
	//	Verdict      Verdict
	//	Expect       *Expectation // nil if nothing was expected
	//	Rules        []string
	//	Notes        []string
	//	Runs         uint64
	//	RunsTotal    uint64      // that were asked for; more than Runs after an interruption
	//	Statistics   Statistics  // slots, cycles, steps, lambda and completion are those of runs that passed, the others of all runs
	//	Survival     Survival    // of runs with faults
	//	Failed       []FailedRun // the first 10,000
	//	FailedTotal  uint64
	//	MostSlots    *FinishedRun // the run that passed after the most slots; of equals the first
	//	Firmware     FirmwareReport
	//	RTL          []RTLReport
	//	Digest       string // of the digests of all runs
	//
	//	Beside
	//
	//	func (r *SeedsReport) WriteJSON(w io.Writer) error // writes the stable, versioned form
	//	func (r *SeedsReport) Interrupted() bool // reports whether the runs were ended from outside
	//	func (r *SeedsReport) ToolFailed() bool // reports whether a run has ended because a tool that it needs failed
	//	func (r *SeedsReport) WriteText(w io.Writer) error // writes what a person wants to know
	//	func (r *SeedsReport) WriteJUnit(w io.Writer) error // writes the report for continuous integration
	SeedsReport = outcome.SeedsReport
	// FailedRun is a run of many that failed.
	//
	//	Seed        uint64
	//	Permutation *uint64  // its number, if every permutation was run
	//	Rate        *float64 // of faults.random, if there are several
	//	Rule        string   // the first one that it broke
	//
	//	First Violation
	FailedRun = outcome.FailedRun
	// FinishedRun is a run of many that passed.
	//
	//	Seed        uint64
	//	Permutation *uint64
	//	Slots       uint64
	FinishedRun = outcome.FinishedRun
	// Statistic sums up one figure of many runs.
	//
	//	Name      string
	//	Runs      uint64 // that have the figure
	//	Mean      *float64
	//	SD        *float64 // standard deviation of a run, with Runs-1
	//	SE        *float64 // standard error of the mean, sd / sqrt(Runs)
	//	Min       *float64
	//	Median    *float64 // of an even number of runs the mean of the two in the middle
	//	Max       *float64
	//	Histogram []Bin // every value that occurred, in ascending order
	Statistic = outcome.Statistic
	// Statistics are the figures of many runs, in the order of the report.
	//
	//	[]Statistic
	//
	//	func (s Statistics) Get(name string) *Statistic // returns the statistic of that name, or nil
	//	func (s Statistics) WriteCSV(w io.Writer) error // writes a table with a row for each figure; a histogram is one field of value:count, separated by blanks
	Statistics = outcome.Statistics
	// Bin is a value and the number of runs that have it.
	//
	//	Value float64
	//	Count uint64
	Bin = outcome.Bin
	// Survival is the survival curve of many runs with faults.
	//
	//	[]SurvivalPoint
	//
	//	func (s Survival) WriteCSV(w io.Writer) error // writes a row for each point
	Survival = outcome.Survival
	// SurvivalPoint says how many runs have broken no rule.
	//
	//	Rate     *float64
	//	Slot     *uint64
	//	Runs     uint64
	//	Survived uint64
	//	Fraction float64
	//	Low      float64
	//	High     float64
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
	//
	//	Schema               int // ExplainedSchema
	//	Scenario             string
	//	Settings             []Setting // in the order of the schema
	//	Slot                 SlotShape
	//	Network              NetworkSize
	//	Rules                []string      // names of those that are checked
	//	Schedule             *ScheduleSize // nil if the firmware takes none
	//	Faults               []FaultPlan   // in the order of a report
	//	RTL                  []string      // paths of the components that are RTL
	//	SlotsMax             uint32        // after which a run that is not done fails
	//	CyclesMax            uint64        // the same in cycles
	//	TrapCost             uint64        // of a call of the image, above which it traps; 0 if handlers take no time
	//	Memory               MemoryEstimate
	//	Notes                []string // what a report notes of the scenario, whatever a run finds
	//	OneMedium, ManyMedia string   // what media are called
	//	Bare                 bool     // no firmware: sources and sinks of packets in the place of processors
	//
	//	func (e *Explained) WriteJSON(w io.Writer) error // writes the stable, versioned form
	//	func (e *Explained) WriteText(w io.Writer) error // writes the form for people
	Explained = outcome.Explained
	// Setting is a value of a scenario.
	//
	//	Key   string // as in errors: link.phit_bits
	//	Value any    // nil for a key that is left out and has no value then
	//	By    string // who has decided it: ByFile, ByOption, ...
	//	Of    string // file:line:column, the option, the name of the program, the kind of network
	Setting = outcome.Setting
	// SlotShape is the shape of a slot, in cycles.
	//
	//	Cycles            int
	//	ComputeCycles     int
	//	ArbitrationCycles int
	//	FramePhits        int // of one frame with the largest payload...
	//	Frames            int // ...of which so many may cross a medium one after the other
	//	PropagationCycles int
	//	GuardCycles       int
	//	FirstPhitCycle    int // the first phit is on the transmitter's wire
	//	LastPhitCycle     int // the last one reaches the receivers
	//	BoundaryCycle     int // the handlers run
	SlotShape = outcome.SlotShape
	// NetworkSize is the size of a network.
	//
	//	Kind       string
	//	Processors int
	//	Units      int
	//	Media      int
	//	Ports      int
	//	Lanes      int
	//	RXFrames   int // of all lanes of a NIC
	//	TXFrames   int
	NetworkSize = outcome.NetworkSize
	// ScheduleSize is that of a schedule.
	//
	//	Name  string
	//	Slots int
	ScheduleSize = outcome.ScheduleSize
	// FaultPlan is what a fault does, and to what.
	//
	//	Key         string // where it stands in the scenario
	//	Kind        string
	//	OnMedia     bool // else on processors
	//	Targets     int
	//	Of          int       // so many processors or media
	//	Slots       []uint32  // when; without them
	//	From        uint32    // every Every-th slot from this one on
	//	To          *uint32   // up to that one, nil for the end of the run
	//	Every       uint32    // 1 for all
	//	Probability float64   // for each target in each of these slots
	//	Rates       []float64 // with --seeds, one after another in its place
	//	RXFrames    int       // of FIFOs that are smaller; 0 for as all others
	//	TXFrames    int
	FaultPlan = outcome.FaultPlan
	// MemoryEstimate is the most that a process takes whose only machine this is, in bytes.
	//
	//	Slot  uint64 // in the slot engine; 0 with RTL and for routers, which it does not run
	//	Cycle uint64 // in the cycle engine
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
