package starloom

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/fabric"
	"starloom/fabric/bus"
	"starloom/fabric/crossbar"
	"starloom/fabric/ej"
	"starloom/fabric/netlist"
	"starloom/fabric/pops"
	"starloom/fabric/studies"
	"starloom/firmware"
	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
	"starloom/internal/config"
	"starloom/internal/explore"
	"starloom/internal/fingerprint"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// scenarioSource is this file, whose comments describe keys of a scenario.
//
//go:embed scenario.go
var scenarioSource string

// Scenario describes one run: fabric, links, NICs, firmware under test, workload and rules. LoadScenario reads a
// scenario from YAML. A Go program starts with DefaultScenario, sets Fabric and Firmware, and calls Check.
//
// The json tags are the keys of the YAML file. The jsonschema tags hold ranges, defaults and units for the published
// schema, the parser and Check.
type Scenario struct {
	// version of the scenario format; always 1
	Version int `json:"starloom" jsonschema:"required,enum=1"`
	// name in reports and traces; by default the file's name without its suffix
	Name string `json:"name" jsonschema:"minLength=1,maxLength=200"`
	// seed of all random numbers of a run; equal scenarios with equal seeds yield equal bytes in every output
	Seed uint64 `json:"seed" jsonschema:"default=1"`
	// the interconnect: exactly one kind
	Fabric Fabric `json:"fabric" jsonschema:"required"`
	// the physical link between a NIC and the fabric
	Link Link `json:"link"`
	// the network interface of every processor
	NIC NIC `json:"nic"`
	// firmware of every processor: a built-in program or a WebAssembly image
	Firmware Firmware `json:"firmware"`
	// workload of the firmware, such as a permutation or a file that contains one
	Workload Workload `json:"workload"`
	// components replaced by Verilog or VHDL
	RTL []RTL `json:"rtl,omitempty"`
	// invariants checked in every slot; they replace the rules of a built-in program
	Rules *Rules `json:"rules,omitempty"`
	// injected faults of processors, FIFOs and media
	Faults *Faults `json:"faults,omitempty"`
	// choices of one run in place of those of the seed; counterexamples of starloom explore have them
	Choices *config.Choices `json:"choices,omitempty"`
	// bounds of an exploration by starloom explore, which tries all faults within them
	Explore *explore.Bounds `json:"explore,omitempty"`
	// limit of a run that does not finish by itself
	Stop Stop `json:"stop"`
	// content of traces; the options --vcd and --pcapng of 'starloom run' select their files
	Traces Traces `json:"traces"`

	file     scenarioFile
	inReport reportTexts
	origins  map[string]config.Origin // by path: origins of values that are not in the file
	arrivals *arrivalsFile            // packets of the file of workload.traffic; nil: read at each use
}

// scenarioFile is the file of a scenario; it is empty for a scenario from Go.
type scenarioFile struct {
	place   string            // of the text
	text    []byte            // for files derived from it; nil without a file, or above textKept
	sum     string            // SHA-256 of the file, "" without one
	folder  string            // folder to which paths in the scenario are relative
	places  map[string]string // path of a value ("link.phit_bits") to file:line:column
	set     []Assignment      // assignments that replaced values of the file
	foreign Networks          // networks defined in Go that the file may name
}

// reportTexts are texts about the scenario for the report.
type reportTexts struct {
	oneOf   string // number of this run among several; "" for a single run
	ofImage string // rules of the program that do not apply to an image; "" if all apply
	given   string // options of Overrides with an effect on all runs, in shell syntax
	one     string // options of Overrides for one run, in shell syntax
}

func (Scenario) Declaration() string { return scenarioSource }

// Fabric holds exactly one network: of a built-in kind, or defined in Go.
type Fabric struct {
	// partitioned optical passive star network POPS(d,g): one coupler for every ordered pair of groups
	POPS *pops.Network `json:"pops,omitempty"`

	// crossbar: frames with distinct senders and distinct addressees all cross in one slot
	Crossbar *crossbar.Network `json:"crossbar,omitempty"`

	// bus network: buses are sets of vertices; in each slot a vertex uses one of its buses
	Bus *bus.Network `json:"bus,omitempty"`
	// Eisenstein-Jacobi network: six links for each node in each dimension
	EJ *ej.Network `json:"ej,omitempty"`
	// network drawn in a file: processors, stars, links
	Netlist *netlist.Network `json:"netlist,omitempty"`

	// Custom is a network from Go that has passed the suite of package fabric/fabrictest; fabric/fabrictest/ring is a
	// small example. It must not change while a machine uses it.
	Custom fabric.Network `json:"-"`
}

func (Fabric) Declaration() string { return scenarioSource }

// network returns the network, nil for none.
func (f *Fabric) network() fabric.Network {
	if f.Custom != nil {
		return f.Custom
	}
	return config.Given(reflect.ValueOf(f).Elem())
}

func (f *Fabric) kinds() []fabric.Network { return config.Kinds(reflect.TypeFor[Fabric]()) }

// keep replaces the scenario's network by another network of the same kind.
func (f *Fabric) keep(n fabric.Network) {
	if f.Custom != nil {
		f.Custom = n
		return
	}
	config.Keep(reflect.ValueOf(f).Elem(), n)
}

// Link is the physical link.
type Link struct {
	// number of bits that a link carries per cycle
	PhitBits int `json:"phit_bits" jsonschema:"default=64,minimum=1,maximum=64"`
	// cycles from a sender's wire to a receiver's wire
	PropagationCycles int `json:"propagation_cycles" jsonschema:"default=1,minimum=0,maximum=4096"`
	// dark cycles at the end of a slot: at least one, because a receiver's status is valid one cycle after the last
	// phit
	GuardCycles int `json:"guard_cycles" jsonschema:"default=1,minimum=1,maximum=4096"`
}

func (Link) Declaration() string { return scenarioSource }

// NIC holds the parameters of every network interface.
type NIC struct {
	// maximum payload of a frame in bytes, at most 1024 with rtl; it determines the length of a slot
	PayloadBytes int `json:"payload_bytes" jsonschema:"default=16,minimum=0,maximum=65504"`
	// depth of the receive FIFO in frames
	RXFrames int `json:"rx_frames" jsonschema:"default=4,minimum=1,maximum=255"`
	// depth of the transmit FIFO in frames
	TXFrames int `json:"tx_frames" jsonschema:"default=4,minimum=1,maximum=255"`
}

func (NIC) Declaration() string { return scenarioSource }

// Firmware selects the firmware of the processors: Program, Image or ImageBytes. Program excludes the other two.
type Firmware struct {
	// a built-in program
	Program string `json:"program,omitempty" jsonschema:"minLength=1"`
	// path of a WebAssembly image, or of an ELF for RISC-V (rv32i, rv32ic, rv32im, rv32imc), relative to the scenario's
	// folder
	Image string `json:"image,omitempty" jsonschema:"minLength=1"`
	// parameters of the firmware: name to integer (-2147483648 to 2147483647)
	Params map[string]int64 `json:"params,omitempty"`
	// schedule of an image that needs one, by its name in the fabric: off-line routing of the permutation, Batcher's
	// sorting network, or gossip on buses, which determines the buses; a built-in program has its own schedule
	Schedule string `json:"schedule,omitempty" jsonschema:"minLength=1"`
	// banked: one instance serves many processors; isolated: one instance per processor; both have the same results
	Mode string `json:"mode" jsonschema:"default=banked,enum=banked,enum=isolated"`
	// number that the firmware sees in slot 0, from which its slots count on modulo 2^32: near 65536, for example, it
	// shows mistakes of 16-bit times. A program with a schedule needs 0
	FirstSlot uint32 `json:"first_slot,omitempty" jsonschema:"default=0,minimum=0,maximum=4294967295"`
	// the processor core
	CPU CPU `json:"cpu"`

	// ImageBytes is the WebAssembly image, at most 64 MiB, for Go programs. No file is read, and Image is only the
	// name in reports ("image.wasm" if empty).
	ImageBytes []byte `json:"-"`
}

func (Firmware) Declaration() string { return scenarioSource }

func (f *Firmware) imageName() string {
	if f.Image == "" {
		return "image.wasm"
	}
	return filepath.Base(f.Image)
}

// CPU describes the processor core that runs the firmware.
type CPU struct {
	// cost of instructions; for WebAssembly: unit (1 each), rv32-inorder (as Ibex, a small RISC-V core: load 2, mul
	// 3, div 37, locals 0), microcoded (a sequencer that executes WebAssembly), or custom (see cost), with tables in
	// firmware/ABI.md; for an ELF: the cycles of the cores ibex, picorv32 or rv32-multicycle, or instructions (1
	// each); without a model, handlers take no time
	Model string `json:"model,omitempty"`
	// parameters of the core's RTL, for ibex and picorv32; parameters without measured timing are refused
	Core map[string]int64 `json:"core,omitempty"`
	// cycles by which the data memory of a core answers later than in the next cycle, for each load and store, and for
	// each of the two words of an access across words
	DataWait int `json:"data_wait,omitempty" jsonschema:"minimum=0,maximum=1000"`
	// bytes of the stack of a program for RISC-V; a processor whose stack pointer falls below them traps
	Stack int `json:"stack,omitempty" jsonschema:"minimum=16,maximum=1048576"`
	// costs that differ from the model, by class of instructions (0 to 1000000); for the model custom, an omitted
	// class costs 1, and memory_byte 0
	Cost map[string]int64 `json:"cost,omitempty"`
	// cost that a processor executes per cycle of the fabric; default 1
	ClockRatio int `json:"clock_ratio,omitempty" jsonschema:"minimum=1,maximum=65536"`
	// cycles reserved for the firmware at the start of every slot; with a model, a slot handler that takes longer
	// misses the slot; a start handler has no budget
	BudgetCycles int `json:"budget_cycles" jsonschema:"default=0,minimum=0,maximum=1048576"`
	// a slot handler that exceeds budget_cycles: resume, the processor stands between two instructions at the end of
	// the compute window and goes on in the next slot, as a core does (ELFs; their default), or restart, the handler
	// ends but its NIC is as before, and the next slot calls the handler again (default for WebAssembly, whose handlers
	// cannot resume)
	Overrun string `json:"overrun,omitempty" jsonschema:"enum=resume,enum=restart"`
	// limit in cycles above which a call of the image traps, in a loop or when it returns; if omitted 1000 times
	// budget_cycles, or a cost of 10^9 without a budget; none for slot handlers that resume
	TrapCycles uint64 `json:"trap_cycles,omitempty" jsonschema:"minimum=1,maximum=4000000000"`
}

func (CPU) Declaration() string { return scenarioSource }

// Words implements strict.Worded with the models.
func (CPU) Words(field string) []strict.Word {
	if field != "Model" {
		return nil
	}
	cores := rv32.Models() // plain instructions first, which here come last
	return plainWords(slices.Concat(wasm.Models(), []string{ModelCustom}, cores[1:], cores[:1]))
}

// plainWords are words whose meaning is in the comment of their key.
func plainWords(names []string) (words []strict.Word) {
	for _, name := range names {
		words = append(words, strict.Word{Name: name})
	}
	return words
}

// ofCore reports whether the model is that of a RISC-V core, for ELFs.
func (c *CPU) ofCore() bool { return slices.Contains(rv32.Models(), c.Model) }

// wrongCore returns a key that cannot be used, with reason and remedy; no reason if the core can be used.
func (c *CPU) wrongCore() (key, reason, remedy string) {
	switch {
	case !c.ofCore() && c.Overrun == OverrunResume:
		return "overrun", "a handler of WebAssembly cannot stand between two instructions",
			"delete overrun, or build the program for RISC-V and choose a model of " + strings.Join(rv32.Models(), ", ")
	case c.Overrun != "" && c.BudgetCycles == 0:
		return "overrun", "a handler without budget_cycles cannot exceed them", "add budget_cycles, or delete overrun"
	case !c.ofCore() && c.Stack > 0:
		return "stack", "the model " + c.Model + " has no stack pointer",
			"delete stack, or choose a model of " + strings.Join(rv32.Models(), ", ")
	case !c.ofCore() && c.DataWait > 0:
		return "data_wait", "the model " + c.Model + " has no memory with wait states",
			"delete data_wait, or choose a model of " + strings.Join(rv32.Models()[1:], ", ")
	case !c.ofCore() && len(c.Core) > 0:
		return "core", "the model " + c.Model + " has no core with parameters",
			"delete core, or choose a model of " + strings.Join(rv32.Models(), ", ")
	case c.ofCore() && len(c.Cost) > 0:
		return "cost", "costs of WebAssembly instructions with the core " + c.Model, "delete cost: a core has its own timing"
	case c.ofCore():
		core, err := rv32.NewCore(c.Model, c.Core)
		if err != nil {
			return "core", err.Error(), "give parameters of a measured core"
		}
		if _, err := core.Late(uint32(c.DataWait)); err != nil {
			return "data_wait", err.Error(), "delete data_wait, or choose a core with measured wait states"
		}
	}
	return "", "", ""
}

// OverrunResume and OverrunRestart are the values of CPU.Overrun.
const OverrunResume, OverrunRestart = "resume", "restart"

// ModelCustom is the value of CPU.Model for a custom cost table. A class missing in Cost costs 1, and memory_byte 0.
const ModelCustom = wasm.ModelCustom

// Faults are failures injected into a run. They depend only on the seed, the target's number and the slot, not on the
// engine or the number of workers.
type Faults struct {
	// faults and when they happen
	Schedule []Fault `json:"schedule,omitempty" jsonschema:"minItems=1"`
	// an additional fault that may hit any of its targets in any slot; with --seeds, statistics include a survival
	// curve
	Random *RandomFault `json:"random,omitempty"`
}

func (Faults) Declaration() string { return scenarioSource }

// Fault is a fault at scheduled times. For a processor, slot t begins with the handlers of slot t. For a medium, slot
// t is the slot in which frames cross.
type Fault struct {
	// for processors: dead (from a slot on; also for routers), restart (resets NIC and firmware), clock_pause (skips
	// calls of the handler), buffers (reduces FIFOs); for media: drop (nothing on the medium arrives), miss (nothing
	// arrives at one receiver, drawn separately for each), bit_flip (frames arrive with a wrong CRC), stuck (the
	// medium is dark), credit_loss (a channel between routers loses a credit)
	Kind string `json:"kind" jsonschema:"required"`
	// globs over paths of processors, such as *.group[0].nic[*], or of media; for miss also of receivers (processors,
	// or ports of NICs that receive at all ports); all if omitted
	Targets []string `json:"targets,omitempty" jsonschema:"minItems=1"`
	// slots with the fault; if omitted every slot
	Slots *FaultSlots `json:"slots,omitempty"`
	// probability that the fault hits a target in a slot
	Probability *float64 `json:"probability,omitempty" jsonschema:"default=1,minimum=0,maximum=1"`
	// buffers: depth of the receive FIFO, at most nic.rx_frames
	RXFrames int `json:"rx_frames,omitempty" jsonschema:"minimum=1,maximum=255"`
	// buffers: depth of the transmit FIFO, at most nic.tx_frames
	TXFrames int `json:"tx_frames,omitempty" jsonschema:"minimum=1,maximum=255"`
}

func (Fault) Declaration() string { return scenarioSource }

// Words implements strict.Worded with the kinds of faults.
func (Fault) Words(field string) []strict.Word {
	if field != "Kind" {
		return nil
	}
	return plainWords(fabric.FaultNames[:])
}

// FaultSlots is the list List of slots, or every Every-th slot from From to To, including both.
type FaultSlots struct {
	// slots
	List []uint32 `json:"list,omitempty" jsonschema:"minItems=1"`
	// first slot
	From uint32 `json:"from,omitempty" jsonschema:"default=0"`
	// last slot; 0 is the end of the run
	To uint32 `json:"to,omitempty" jsonschema:"default=0"`
	// distance between slots: 1 selects every slot, 2 every other slot
	Every uint32 `json:"every,omitempty" jsonschema:"default=1,minimum=1"`
}

func (FaultSlots) Declaration() string { return scenarioSource }

// RandomFault is a fault with probability Rate for every target in every slot. A scenario run with many seeds may
// have several Rates.
type RandomFault struct {
	// as in schedule
	Kind string `json:"kind" jsonschema:"required"`
	// probability for each target in each slot
	Rate *float64 `json:"rate,omitempty" jsonschema:"minimum=0,maximum=1"`
	// rates in ascending order; with --seeds, every seed runs at each rate, and the survival curve depends on the
	// rate
	Rates []float64 `json:"rates,omitempty" jsonschema:"minItems=1"`
	// as in schedule
	Targets []string `json:"targets,omitempty" jsonschema:"minItems=1"`
}

func (RandomFault) Declaration() string { return scenarioSource }

// Words implements strict.Worded with the kinds that a slot can bring.
func (RandomFault) Words(field string) (words []strict.Word) {
	for _, word := range (Fault{}).Words(field) {
		if word.Name != fabric.FaultNames[fabric.FaultBuffers] && word.Name != fabric.FaultNames[fabric.FaultStuck] {
			words = append(words, word)
		}
	}
	return words
}

// Stop ends a run that does not finish by itself.
type Stop struct {
	// maximum number of slots; a run that is not done by then fails
	Slots uint32 `json:"slots" jsonschema:"default=5000,minimum=1,maximum=4294967294"`
}

func (Stop) Declaration() string { return scenarioSource }

// Traces selects the content of the traces; nil selects everything.
type Traces struct {
	// waveforms
	VCD *VCDTrace `json:"vcd,omitempty"`
	// packet capture: every frame at every port
	PCAPNG *PCAPNGTrace `json:"pcapng,omitempty"`
}

func (Traces) Declaration() string { return scenarioSource }

// VCDTrace selects signals and a window of cycles.
type VCDTrace struct {
	// globs over signal paths such as **.coupler[*].**; all signals if left out
	Signals []string `json:"signals,omitempty" jsonschema:"minItems=1"`
	// first cycle that is written
	From uint64 `json:"from,omitempty" jsonschema:"default=0"`
	// last written cycle; 0 is the end of the run
	To uint64 `json:"to,omitempty" jsonschema:"default=0"`
	// write only cycles around the first violation
	Trigger string `json:"trigger,omitempty" jsonschema:"enum=first_violation"`
	// cycles before the trigger; only with trigger
	Before uint64 `json:"before,omitempty" jsonschema:"default=0"`
	// cycles after the trigger; only with trigger
	After uint64 `json:"after,omitempty" jsonschema:"default=0"`
}

func (VCDTrace) Declaration() string { return scenarioSource }

// TriggerFirstViolation is the only nonempty value of VCDTrace.Trigger.
const TriggerFirstViolation = "first_violation"

// PCAPNGTrace selects the interfaces of a packet capture. The pseudo-header of a frame contains the frame's port in
// either case.
type PCAPNGTrace struct {
	// interface of the capture: a NIC, or each port of a NIC
	Interfaces string `json:"interfaces,omitempty" jsonschema:"enum=nic,enum=port,default=nic"`
}

func (PCAPNGTrace) Declaration() string { return scenarioSource }

// Place returns the place of the value at path ("link.phit_bits") in the scenario file, or the path itself for a
// value that is not from a file.
func (s *Scenario) Place(path string) string {
	for at := path; ; {
		if place, ok := s.file.places[at]; ok {
			return place
		}
		cut := strings.LastIndexAny(at, ".[")
		if cut < 0 {
			break
		}
		at = at[:cut]
	}
	if place, ok := s.file.places[""]; ok {
		return place
	}
	return path
}

// SlotsMax is the largest Stop.Slots.
const SlotsMax = math.MaxUint32 - 1

// Overrides are values that replace those of a scenario file, like options of `starloom run`. nil and "" leave the
// scenario unchanged.
type Overrides struct {
	Seed  *uint64 // --seed
	Slots *uint32 // --slots
	// --permutation: number of the permutation to run in place of `permutation: all`, with the random numbers of that
	// run
	Permutation *uint64
	Mode        string // --mode
	// --firmware: name of a program, or path of an image relative to the working folder; an image keeps the program's
	// rules and schedule
	Image      string
	ImageBytes []byte // image that replaces the program, in place of a file; Image is its name
	ImagePlace string // place of Image in errors, if the option is not --firmware
}

// isProgram reports whether a name belongs to a built-in program rather than to a file.
func isProgram(name string) bool {
	_, err := os.Stat(name)
	return err != nil && slices.Contains(firmware.Programs(), name)
}

// Hash returns the SHA-256 of the scenario's canonical form, in hex. The hash does not depend on key order, comments,
// the form of a permutation (list or file), the folder, the firmware mode, RTL or trace settings, because these do
// not change the emulation. It covers the file name of the image but not its content, whose hash is in the report.
func (s *Scenario) Hash() string {
	canonical := *s
	canonical.Workload.File = ""
	canonical.Traces = Traces{}
	canonical.RTL = nil
	canonical.Firmware.Mode = ""
	if canonical.Firmware.Program == "" {
		canonical.Firmware.Image = canonical.Firmware.imageName()
	}
	if s.Rules != nil && s.Rules.CollisionFree != nil {
		rules, free := *s.Rules, *s.Rules.CollisionFree
		free.Slots = slices.Sorted(slices.Values(free.Slots))
		rules.CollisionFree = &free
		canonical.Rules = &rules
	}
	// encoding/json sorts map keys and writes struct fields in their order.
	data, err := json.Marshal(&canonical)
	if err != nil {
		panic(fmt.Sprintf("scenario: canonical form: %v", err)) // the form contains only plain data
	}
	if custom := s.Fabric.Custom; custom != nil { // a custom network has no canonical form
		form := bytes.NewBuffer(data)
		fingerprint.Write(form, reflect.ValueOf(custom))
		data = form.Bytes()
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// RTL replaces components of the machine by Verilog or VHDL. With correct RTL, firmware, frames, metrics and digest
// are those of the model.
type RTL struct {
	// path or glob of the replaced components: couplers, links (coupler[..].fibre, output[..].link; in an EJ network
	// link[..] and link[..].out.fibre), transmitters (nic[..].tx, port[..].tx), receivers (nic[..].rx, port[..].rx),
	// credit counters (port[..].credits), whole NICs or ports; in a crossbar filters (output[..].filter), arbiters
	// (output[..].arbiter) and crosspoints (input[..]); taps at which faults of media act (coupler[..].fibre_tapped,
	// output[..].link_tapped and so on); buses (bus[..]), and in arbitrated buses the arbiter (bus[..].arbiter) or
	// the taps (bus[..].taps); the name of a fabric whose whole hardware has a twin replaces all of it
	Replace string `json:"replace" jsonschema:"required,minLength=1"`
	// module of Starloom's own Verilog, such as star_coupler, link or the whole network; without twin and map, the
	// twin of the replaced component
	Twin string `json:"twin,omitempty" jsonschema:"minLength=1"`
	// path of a pin map that attaches other RTL, relative to the scenario's folder
	Map string `json:"map,omitempty" jsonschema:"minLength=1"`
	// tool that executes the RTL: wasm (Verilator, sandboxed, the default) or icarus (four-state logic, slow)
	Backend string `json:"backend,omitempty" jsonschema:"enum=wasm,enum=icarus"`

	// PinMap attaches RTL for Go programs, in place of Map. A machine sets its parameters; the caller closes it.
	PinMap *pinmap.Map `json:"-"`
}

func (RTL) Declaration() string { return scenarioSource }

// InputError describes unusable input from the user: its place, the reason and the remedy. The command line ends with
// exit status 2.
type InputError = input.Error

// InputErrors are several input errors, at most the first 20, ordered by file and line. errors.As finds the first
// *InputError.
type InputErrors = input.Errors

// ToolError reports that an external program, such as a compiler, a converter or a simulator, has failed, has hung or
// was killed. The command line ends with exit status 4.
type ToolError = cosim.ToolError

// Types shared by networks, scenarios and reports. Package fabric documents their fields.
type (
	// Workload is the task of a run: a permutation, one packet to all, or the choice of an adversary.
	Workload = fabric.Workload
	// Permutation is the destination of every processor's packet.
	Permutation = fabric.Permutation
	// OneToAll is a packet from one processor to all others.
	OneToAll = fabric.OneToAll
	// Scatter is an item that spreads from one processor to all.
	Scatter = fabric.Scatter
	// Gossip is a message from every processor to all others.
	Gossip = fabric.Gossip
	// Adversary chooses the worst packets for firmware with a table of choices.
	Adversary = fabric.Adversary
	// Rules are the invariants that are checked during a run.
	Rules = fabric.Rules
	// CollisionFree selects slots of a period in which frames must not collide.
	CollisionFree = fabric.CollisionFree
	// Duration is a time with its unit, such as 5000 cycles or 200 slots.
	Duration = fabric.Duration
	// Metrics are figures of a run, in report order; Get finds one by name.
	Metrics = fabric.Metrics
	// Metric is a figure: an integer, a float64, a text or a list of numbers.
	Metric = fabric.Metric
	// StudyRow compares a measured figure with the published figure.
	StudyRow = studies.StudyRow
)

// The values of Permutation.Kind.
const (
	PermutationRandom   = fabric.PermutationRandom   // drawn from the scenario's seed
	PermutationIdentity = fabric.PermutationIdentity // i to i
	PermutationReverse  = fabric.PermutationReverse  // i to n-1-i
	PermutationList     = fabric.PermutationList     // given by Permutation.List
	PermutationAll      = fabric.PermutationAll      // every permutation, one run after the other
)

// The rules of package fabric, by name.
const (
	RuleCollisionFree = fabric.RuleCollisionFree // no frames collide in the slots that Rules.CollisionFree names
	RuleHeld          = fabric.RuleHeld          // no processor holds more packets than Rules.PacketsPerProcessorMax
	RuleExactlyOnce   = fabric.RuleExactlyOnce   // every packet arrives exactly once at its destination
	RuleTrap          = fabric.RuleTrap          // no handler traps
	RuleFail          = fabric.RuleFail          // no handler calls sl_fail
	RuleIllegalSend   = fabric.RuleIllegalSend   // firmware sends only what its NIC accepts
	RuleIllegalListen = fabric.RuleIllegalListen // firmware listens only to existing ports
	RuleFinishes      = fabric.RuleFinishes      // every processor is done before the end of the run
	RuleReceiveStep   = fabric.RuleReceiveStep   // a broadcast reaches every processor in the step given by its algorithm
	RuleMeetsBudget   = fabric.RuleMeetsBudget   // a handler is done at the end of the compute window
	RuleNoLoss        = fabric.RuleNoLoss        // the addressee of every queued frame receives it
	RuleDeadline      = fabric.RuleDeadline      // every packet arrives within Rules.DeadlineSlots slots
	RuleFinishBy      = fabric.RuleFinishBy      // the run ends by Rules.FinishBy
	RuleResults       = fabric.RuleResults       // results of firmware agree with Rules.Results
	RuleNoCreation    = fabric.RuleNoCreation    // a gossip frame contains only items known to its sender
	RuleOneBus        = fabric.RuleOneBus        // a vertex uses one bus in a slot
	RuleBusLength     = fabric.RuleBusLength     // the number of vertices on a bus in a slot is at most the bus length
	RuleAgreement     = fabric.RuleAgreement     // all voters that reach a decision make the same decision
	RuleValidity      = fabric.RuleValidity      // a voter decides for the value of the correct modules
	RuleEnergy        = fabric.RuleEnergy        // no update of a processor's neurons raises their energy
	RuleLateLight     = fabric.RuleLateLight     // no light reaches the receivers in the last guard cycle of a slot
)

// The values of Firmware.Mode.
const (
	ModeBanked   = config.ModeBanked   // one instance of the firmware serves many processors
	ModeIsolated = config.ModeIsolated // one instance for each processor
)

// Assignment replaces the value of a scenario's key, as the option --set does. Key is its path ("nic.rx_frames",
// "rtl[0].replace"). Value is YAML, as in the file. Place is the name for errors and Explain ("" for "--set
// KEY=VALUE"). A key missing in the file is added. Some keys exclude each other: fabrics, workloads, program and
// image, twin and map, rate and rates. An assignment to one of them removes the others.
type Assignment = strict.Assignment

// Networks are networks defined in Go that scenario files may name. The Kind of a network is its key under fabric:,
// and the fields of its struct are the keys there, described by their tags (json: the key; jsonschema: required,
// minimum, maximum, enum, default, description). An omitted key keeps the value of the struct given here. Package
// cmd/cli provides a command line for them.
type Networks []fabric.Network
