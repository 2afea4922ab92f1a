package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/meter"
	"starloom/internal/outcome"
	"starloom/internal/rtl"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
)

// The engines. Both give the same frames, metrics and digest; EngineAuto takes
// EngineCycle when a waveform is wanted, EngineSlot otherwise.
const (
	EngineAuto  = "auto"
	EngineCycle = "cycle"
	EngineSlot  = "slot"
)

// Options say how a machine is executed. None of them changes a result.
type Options struct {
	Engine   string // EngineAuto (also ""), EngineCycle or EngineSlot
	Workers  int    // threads; 0: one, or all cores for large machines; one with RTL
	BankSize int    // processors per bank, rounded up to whole units of the network; 0: by size
	Runtime  string // "compiler" (also ""), "interpreter", or "native" for the Go form of a built-in program
	RunTable bool   // keeps who sent to whom in each slot
	Watched  bool   // somebody looks at single cycles: EngineAuto takes EngineCycle
	Audit    bool   // hold built-in programs, too, to what their frames show

	Parks bool // park processors, whatever they take

	Replay int // number of the processor that is replayed, plus 1; 0: none

	HandlersWatched bool // every instance is a firmware.Watched
	HandlersCovered bool // and notes branches and comparisons
	HandlerTicks    int  // of firmware.Host.Limit

	RecordRTL bool // models in the place of RTL, whose inputs are kept
}

// Machine is one emulated network: processors with their firmware, NICs and the
// fabric. It is built from a scenario and steps slot by slot.
//
//	m, err := starloom.NewMachine(ctx, scenario, starloom.MachineOptions{})
//	defer m.Close()
//	for !m.Ended() {
//		err := m.Step()
//	}
//	report := m.Report()
//
// What a run finds is a function of scenario and seed: nothing here can change the state
// of a machine but Step, Run, Reset and Restore.
//
//	when                           what may be called
//	between steps                  everything
//	in a recording                 everything but Reset and Restore; Save does not save the recording
//	from Watch's or Run's function what reads: Report, Violations, Processor, Signal, Signals, Slots, ...
//	after the run has ended        everything; Step and Run do nothing, Record and Save of an interrupted slot are errors
//	after a Restore that failed    Reset, Close, and what reads
//	after Close                    Report and what returns a number; all else is an error
//
// Everything else is an error that says so, not a panic. One goroutine may use a machine
// at a time; different machines are independent.
type Machine struct {
	Config  *config.Config
	options Options
	Network fabric.Network
	Shape   fabric.Shape
	Names   fabric.Names
	Program *fabric.Program // nil: an image of the user's
	timing  nic.Timing
	Rules   fabric.Rules
	faults  *faulted     // nil for none
	Meter   *meter.Clock // nil if handlers take no time
	armed   []bool       // per slot of a step: must be free of collisions

	Host      *firmware.Host
	Stop      *atomic.Bool // set from outside: the boundary that runs is not wanted any more
	Image     Image
	workers   *hw.Workers
	Shards    []Shard
	Parking   *parking // nil if every processor has a bank
	transport fabric.Transport
	Plant     *fabric.Plant // the transport of the cycle engine, nil in the other
	RTL       *rtl.Devices  // nil if everything is model
	Referee   fabric.Referee
	ending    fabric.Ending   // the referee if it ends the run, else nil
	Results   fabric.Results  // of the firmware
	held      *fabric.Held    // nil if nobody looks at what frames show of packets held
	queues    *fabric.Queues  // nil if nobody asks how long frames wait or whether they are lost
	Schedule  fabric.Schedule // nil if the firmware takes none
	rom       fabric.ROM      // nil if the network has none
	words     []uint64        // the schedule's words for the slot that begins...
	Sparse    fabric.Sparse   // ...unless it has few of them in a slot:
	changed   []wordOf        // those that are new
	rxPorts   []uint16        // what the processors hear in this slot, nil unless somebody watches
	Given     []uint32        // permutation of the next run, instead of the scenario's

	// The state of the run.
	Seed         uint64
	slot         uint32 // slots that have crossed
	started      bool   // the boundary of this slot has run; else that of slot 0 comes next
	Digest       traces.Digest
	finished     bool
	Interrupted  bool
	ended        bool // the last boundary has run: the machine goes no further
	Paused       bool // the caller stops here, before the end; not part of a saved state
	phase        int
	last         bool // the boundary that runs now does not send
	RTLFailed    bool // RTL has ended the run
	half         bool // the last boundary was interrupted and does not count
	notArrived   int  // packets that handlers announced in it
	Done         int  // processors that are done or faulty
	Findings     violationList
	losses       *losses // while a run is repeated to find them, else nil
	traps        uint64
	Log          firmwareLog     // of the last boundary
	news         []fabric.Result // likewise, those that were new
	restoreError error

	// How the caller looks at it.
	observer   Observer // nil for none
	observed   bool     // it looks at cycles
	watch      func(cycle uint64) error
	watchError error      // the first one of this step
	Replay     *replay    // of one processor, or nil
	profiling  *profiling // of one call, or nil
	metered    []byte     // the image of metered firmware, of which a profile is made

	busy   atomic.Bool // a step or another call is in progress
	torn   bool        // Restore has failed: the state is not whole
	closed bool
	final  *outcome.Report // of a machine that is closed
}

// Image is what the report says of the firmware.
type Image struct {
	Name, SHA256 string
	probes       []string
	takesROM     bool     // known when an instance is made
	DataBytes    uint64   // of each instance
	stateBytes   uint64   // of each processor; 0 before an instance is made
	announces    bool     // it may say itself that packets have arrived
	results      bool     // it may give results
	Recursive    []string // functions that may call themselves
	checked      bool     // a checked build
}

// Shard is the part of the machine that one worker handles at a time:
// whole units, with the instances that serve their processors.
type Shard struct {
	shard     hw.Shard
	Instances []firmware.Instance
	blocks    []block // of processors that are parked, in the place of instances
	Ledger    fabric.Ledger
	whole     ledgerTotals // of the slots that have crossed
	awake     []uint32     // cells whose handlers are called
	log       firmwareLog
	struck    struck                         // by faults
	traps     uint64                         // of the last boundary
	replay    *replay                        // of the machine
	collision func(medium int, cycle uint32) // notes a collision; made once, so that a slot allocates nothing
	slot      uint32                         // for collision
	met       []metOn                        // collisions of this boundary, while losses are looked for
	meter     shardMeter
}

// ledgerTotals are the figures of a ledger that grow from slot to slot, without what the boundary that
// runs has added for the slot that it begins.
type ledgerTotals struct {
	frames        fabric.Frames
	heldMax       uint8
	findingsTotal uint64
}

// ParallelProcessorsMin is the size of a network from which more workers pay.
const ParallelProcessorsMin = 16 << 10

// A default bank has some thousand processors, and some units, which then hear
// media that lie side by side.
const (
	bankProcessorsMin = 4 << 10
	bankProcessorsMax = 64 << 10
	bankUnits         = 16
)

// New builds a machine from what a scenario has become.
func New(ctx context.Context, c *config.Config, o Options) (*Machine, error) {
	m := &Machine{Config: c, options: o, Rules: c.Rules, timing: c.Timing, Stop: new(atomic.Bool)}
	if c.Firmware.CPU != nil {
		m.Meter = meter.NewClock(c.Firmware.CPU, c.Network.Shape().Processors())
	}
	if err := m.build(ctx); err != nil {
		return nil, errors.Join(err, m.Release())
	}
	return m, nil
}

func (m *Machine) build(ctx context.Context) (err error) {
	c := m.Config
	m.Network, m.Program = c.Network, c.Firmware.Program
	m.Shape, m.Names = m.Network.Shape(), m.Network.Names()
	if free := m.Rules.CollisionFree; free != nil {
		m.armed = make([]bool, free.Period)
		for _, slot := range free.Slots {
			m.armed[slot-1] = true
		}
	}
	if err := m.choose(); err != nil {
		return err
	}
	if err := m.checkMemory(); err != nil {
		return err
	}
	if m.rom, err = fabric.ROMOf(m.Network, &c.Workload, m.Program); err != nil {
		return c.Source.Refusal(err)
	}
	m.Referee = m.Network.Referee(&c.Workload, m.Program)
	m.ending, _ = m.Referee.(fabric.Ending)
	if err := m.checkJudged(); err != nil {
		return err
	}
	if err := m.checkDeadline(); err != nil {
		return err
	}
	m.faults = newFaulted(c, m.Shape.Processors())
	m.workers = hw.NewWorkers(m.options.Workers)
	shards := m.Shape.Shards(m.options.BankSize)
	config := m.transportConfig(shards)
	if err := m.buildFirmware(ctx, shards); err != nil {
		return interruption(ctx, err)
	}
	if m.options.Engine == EngineCycle {
		if m.Plant, err = fabric.NewPlant(m.Network, config, m.workers, m.openRTL(ctx)); err != nil {
			return err
		}
		m.transport = m.Plant
	} else if m.transport, err = fabric.SlotTransportOf(m.Network, config); err != nil {
		return err
	}
	if err := m.load(c.Seed, false); err != nil {
		return interruption(ctx, err)
	}
	m.until(context.Background())
	return nil
}

// checkJudged refuses rules that nobody can check in this workload.
func (m *Machine) checkJudged() error {
	var keeps []string
	if keeper, ok := m.Referee.(fabric.Keeper); ok {
		keeps = keeper.Keeps()
	}
	for _, rule := range m.Rules.Switched() {
		if !slices.Contains(m.Shape.Rules(), rule) {
			return m.Config.Source.Refuse("rules."+rule, fmt.Sprintf("the rule %s is for networks whose NICs have one switch to all of their ports", rule),
				"delete it, or take fabric: {bus: ...}")
		}
	}
	for _, rule := range m.Rules.Judged() {
		if !slices.Contains(keeps, rule) {
			return m.Config.Source.Refuse("rules."+rule, fmt.Sprintf("the rule %s cannot be checked: it does not apply to this program and workload", rule),
				"delete it, or run the program that it belongs to")
		}
	}
	return nil
}

// transportConfig returns the configuration of the transport.
func (m *Machine) transportConfig(shards []hw.Shard) *fabric.Config {
	config := &fabric.Config{Timing: m.timing, PayloadBytes: m.Config.NIC.PayloadBytes, Seed: m.Config.Seed, Shards: shards, Bank: m.Cell,
		Cycle: m.options.Engine == EngineCycle, Workload: &m.Config.Workload, Program: m.Program}
	if m.faults != nil {
		config.Faults = m.faults.plan
	}
	return config
}

// interruption returns the error of ctx in the place of what came of its end: that the
// firmware did not get ready is then no fault of the input.
func interruption(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	return err
}

// until says until when the firmware may run.
func (m *Machine) until(ctx context.Context) {
	if m.Host != nil {
		m.Host.Until(ctx)
	}
}

// choose resolves the options that are left open.
func (m *Machine) choose() error {
	o, n := &m.options, m.Shape.Processors()
	switch o.Engine {
	case "", EngineAuto:
		o.Engine = EngineSlot
		if o.Watched || len(m.Config.RTL) > 0 {
			o.Engine = EngineCycle
		}
	case EngineSlot:
		if len(m.Config.RTL) > 0 {
			return &input.Error{Place: "--engine slot", Reason: "RTL is clocked in every cycle, and this engine has no cycles", Remedy: "use --engine cycle or auto, or delete the key rtl"}
		}
	case EngineCycle:
	default:
		return &input.Error{Place: "--engine", Reason: fmt.Sprintf("there is no engine %q", o.Engine), Remedy: "choose one of auto, cycle, slot"}
	}
	if len(m.Config.RTL) > 0 {
		o.Workers, o.BankSize = 1, n // a device belongs to one goroutine
	}
	if o.Workers <= 0 {
		o.Workers = 1
		if n >= ParallelProcessorsMin {
			o.Workers = runtime.GOMAXPROCS(0)
		}
	}
	o.Workers = min(o.Workers, hw.WorkersMax)
	if o.BankSize <= 0 {
		o.BankSize = min(max(bankProcessorsMin, bankUnits*m.Shape.PerUnit), bankProcessorsMax)
	}
	return nil
}

// buildFirmware loads the image and makes the instances of every shard.
func (m *Machine) buildFirmware(ctx context.Context, shards []hw.Shard) error {
	c := m.Config
	config := nic.BankConfig{
		Processors: m.Shape.Processors(), Shape: m.Shape.Words, Ports: m.Shape.Ports,
		PayloadBytes: c.NIC.PayloadBytes, Seed: firmwareSeed(c.Seed),
		Discipline: m.Shape.NIC(), RxFrames: c.NIC.RxFrames * m.Shape.Lanes(), TxFrames: c.NIC.TxFrames * m.Shape.Lanes(),
	}
	if m.rom != nil {
		config.ROMWords, config.MachineROM = m.rom.Words()
	}
	instantiate, place, err := m.loadImage(ctx, &config)
	if err != nil {
		return err
	}
	if err := m.checkMemory(); err != nil { // again: now the image's own data is known
		return err
	}
	witness := m.Referee.Witness(m.Image.announces)
	if m.auditsHeld() {
		m.held = fabric.NewHeld(m.Shape.Processors())
	}
	m.queues = m.newQueues(len(shards))
	m.Shards = make([]Shard, len(shards))
	for i := range m.Shards {
		shard := &m.Shards[i]
		shard.shard = shards[i]
		shard.Ledger = fabric.Ledger{
			Checks: m.Rules.Checks(),
			Shard:  i, Referee: m.Referee, Witness: witness, Held: m.held, Queues: m.queues,
		}
		if m.faults != nil {
			shard.Ledger.SetFaults(m.faults.plan)
		}
		shard.collision = func(medium int, cycle uint32) {
			if m.losses != nil {
				shard.met = append(shard.met, metOn{medium, cycle})
			}
			if !m.mustNotCollide(shard.slot) {
				return
			}
			shard.Ledger.Find(fabric.Finding{Kind: fabric.FindCollision, Slot: shard.slot, Index: medium, Value: cycle})
		}
	}
	// One instance makes known what all of them are like. The others are made by all workers:
	// at a million processors, taking their memory is a good part of a run.
	b := &instanceTask{m: m, config: config, instantiate: instantiate, place: place, errors: make([]error, len(shards))}
	if m.mayPark() {
		if err := m.park(b); err != nil {
			return err
		}
	}
	if m.Parking == nil {
		b.make(0, 1)
	}
	if b.errors[0] == nil {
		bank := m.anyInstance().Bank()
		m.Image.stateBytes, m.Image.takesROM = uint64(bank.StateBytes()), bank.TakesROM
		if m.Image.takesROM && config.ROMWords+config.MachineROM == 0 {
			return &input.Error{Place: place, Reason: fmt.Sprintf("the firmware %s takes a ROM, and this network has none", m.Image.Name), Remedy: "build it without STARLOOM_ROM"}
		}
		if err := m.checkMemory(); err != nil {
			return err
		}
		if m.Parking == nil {
			m.workers.Run(len(shards), b)
		}
		if m.options.Replay > 0 {
			if err := m.newReplay(b); err != nil {
				return err
			}
		}
	}
	for _, err := range b.errors {
		if err != nil {
			return err // that of the first shard, whatever the workers did
		}
	}
	return nil
}

// instanceTask makes the instances of the shards, a hw.Task.
type instanceTask struct {
	m           *Machine
	config      nic.BankConfig
	instantiate func(nic.BankConfig) (firmware.Instance, error)
	place       string
	errors      []error // per shard
}

// Do implements hw.Task.
func (b *instanceTask) Do(index int) { b.make(index, math.MaxInt) }

// make makes instances of a shard that has none for its last processors, at most so many
// in all.
func (b *instanceTask) make(index, count int) {
	m, shard := b.m, &b.m.Shards[index]
	first, end := shard.shard.First*m.Shape.PerUnit, shard.shard.End*m.Shape.PerUnit
	cells := end - first
	if m.Config.Firmware.Isolated() {
		cells = 1
	}
	config := b.config
	config.First, config.Cells = first+len(shard.Instances)*cells, cells
	for ; config.First < end && len(shard.Instances) < count; config.First += cells {
		instance, err := b.instance(config)
		if err != nil {
			b.errors[index] = err
			return
		}
		if m.faults != nil {
			m.faults.shrink(instance.Bank())
		}
		shard.Instances = append(shard.Instances, instance)
	}
}

// instance makes one instance.
func (b *instanceTask) instance(config nic.BankConfig) (firmware.Instance, error) {
	instance, err := b.instantiate(config)
	if err != nil {
		return nil, b.m.notAttached(b.place, err)
	}
	if takes, wanted := instance.Bank().Schedule != nil, b.m.Config.Firmware.Schedule != ""; takes != wanted {
		return nil, b.m.wrongSchedule(b.place, takes)
	}
	if b.m.options.HandlersWatched {
		return firmware.Watch(instance), nil
	}
	return instance, nil
}

// anyInstance is one of them.
func (m *Machine) anyInstance() (any firmware.Instance) {
	if m.Parking == nil {
		return m.Shards[0].Instances[0]
	}
	m.Parking.each(func(instance firmware.Instance) { any = instance })
	return any
}

// auditsHeld reports whether what firmware says of the packets that it holds is compared
// with its frames: where a rule depends on it and the firmware is the user's. That the
// built-in programs say enough is tested, so that they need not pay for it.
func (m *Machine) auditsHeld() bool {
	return m.Rules.PacketsPerProcessorMax > 0 && (m.Program == nil || m.options.Audit)
}

// notAttached says that the firmware cannot serve a bank.
func (m *Machine) notAttached(place string, err error) error {
	return &input.Error{Place: place, Reason: fmt.Sprintf("the firmware image %s: %v", m.Image.Name, err), Remedy: firmware.RemedyOfAttach(err)}
}

// wrongSchedule says that firmware and scenario do not agree on a schedule.
func (m *Machine) wrongSchedule(place string, takes bool) error {
	if takes {
		return &input.Error{Place: place, Reason: fmt.Sprintf("the firmware %s takes a schedule, and the scenario has none", m.Image.Name), Remedy: "give firmware.schedule: " + config.KnownAre("schedule", fabric.SchedulesOf(m.Network))}
	}
	return m.Config.Source.Refuse("firmware.schedule", fmt.Sprintf("the firmware %s takes no schedule", m.Image.Name),
		"define STARLOOM_SCHEDULE before including starloom.h, or delete schedule")
}

// remedyOfImage is what to do about an image that cannot be read.
func (m *Machine) remedyOfImage(err error) string {
	var known []string
	for _, p := range m.Network.Programs() {
		known = append(known, p.Name)
	}
	folder, name := filepath.Split(m.Config.Firmware.Image) // absolute, if it is an option's
	return firmware.RemedyOfUnread(filepath.Base(folder)+"/"+name, known, err)
}

// loadImage compiles the scenario's firmware, fills in its parameters and
// returns what makes an instance, and the place to name in errors.
func (m *Machine) loadImage(ctx context.Context, config *nic.BankConfig) (func(nic.BankConfig) (firmware.Instance, error), string, error) {
	f := &m.Config.Firmware
	place := m.Config.Source.Place("firmware.program")
	if m.options.Runtime == "native" {
		if m.Meter != nil {
			return nil, place, &input.Error{Place: "--runtime", Reason: "handlers in Go have no instructions to count, and the scenario has firmware.cpu.model", Remedy: "use compiler or interpreter"}
		}
		if m.Program == nil || m.Program.Native == nil {
			return nil, place, &input.Error{Place: "--runtime", Reason: "there is no native form of " + f.Name, Remedy: "use compiler or interpreter"}
		}
		m.Image.Name = m.Program.Name
		return m.Program.Native.NewInstance, place, nil
	}
	var wasm []byte
	var err error
	m.Image.Name = f.Name
	if m.Program == nil {
		place, wasm = m.Config.Source.Place("firmware.image"), f.Bytes
		if wasm == nil {
			wasm, err = firmware.ReadImage(f.Path)
		}
		if err != nil {
			return nil, place, &input.Error{Place: place, Reason: fmt.Sprintf("the firmware image cannot be read: %v", err), Remedy: m.remedyOfImage(err)}
		}
	} else if wasm, err = firmware.ProgramImage(f.Name); err != nil {
		return nil, place, &input.Error{Place: place, Reason: err.Error(), Remedy: "name one of them, or give an image"}
	}
	if m.Host, err = firmware.NewHost(ctx, m.options.Runtime); err != nil {
		return nil, place, &input.Error{Place: "--runtime", Reason: err.Error(), Remedy: "change the option"}
	}
	m.Host.Limit(m.options.HandlerTicks)
	if m.options.HandlersCovered {
		m.Host.Cover()
	}
	if f.Path != "" {
		m.Host.MapsIn(filepath.Dir(f.Path))
	}
	image, err := m.loadMetered(wasm)
	if err != nil {
		return nil, place, &input.Error{Place: place, Reason: fmt.Sprintf("the firmware image %s: %v", m.Image.Name, err)} // it says what to do
	}
	if image.Runtime && !f.Isolated() {
		return nil, place, &input.Error{Place: place, Reason: fmt.Sprintf("the firmware image %s: %v", m.Image.Name, firmware.ErrOneProcessor), Remedy: "give firmware.mode: isolated, or --mode isolated"}
	}
	m.Image.SHA256, m.Image.probes, m.Image.DataBytes, m.Image.announces = image.SHA256, image.Probes, image.DataBytes, image.Announces
	m.Image.results = image.Results
	m.Image.Recursive, m.Image.checked = image.Recursive(), image.Checked
	for k, p := range image.Params {
		config.Params[k] = p.Default
	}
	for name, value := range f.Params {
		k := slices.IndexFunc(image.Params, func(p firmware.Param) bool { return p.Name == name })
		if k < 0 {
			var known []string
			for _, p := range image.Params {
				known = append(known, p.Name)
			}
			return nil, place, m.Config.Source.Refuse("firmware.params."+name, fmt.Sprintf("the firmware %s has no parameter %q; it has %s", m.Image.Name, name, orNone(known)),
				"remove or rename the parameter")
		}
		config.Params[k] = int32(value)
	}
	return image.NewInstance, place, nil
}

// load puts seed and workload into the processors; used ones are reset first.
func (m *Machine) load(seed uint64, used bool) error {
	m.Seed = seed
	if used && m.Parking != nil {
		m.resetParked(firmwareSeed(seed))
	} else if used {
		for i := range m.Shards {
			for _, instance := range m.Shards[i].Instances {
				instance.Reset(firmwareSeed(seed))
			}
		}
	}
	if err := m.loadWorkload(); err != nil {
		return err
	}
	for i := range m.Shards {
		for _, instance := range m.Shards[i].Instances {
			bank := instance.Bank()
			m.Referee.Tell(bank.First, bank.Workload)
			m.writeROM(bank)
		}
	}
	if m.Parking != nil { // who is unparked is told then
		m.Parking.each(func(instance firmware.Instance) { m.writeROM(instance.Bank()) })
	}
	return nil
}

// writeROM writes the network's tables into a bank whose firmware takes them.
func (m *Machine) writeROM(bank *nic.Bank) {
	if !bank.TakesROM {
		return
	}
	for cell := range bank.Cells {
		m.rom.Processor(bank.First+cell, m.Seed, bank.ROM[cell*bank.ROMWords:(cell+1)*bank.ROMWords])
	}
	m.rom.Machine(m.Seed, bank.Machine)
}

// firmwareSeed is what the processors of a run draw from.
func firmwareSeed(seed uint64) uint64 { return uint64(hw.NewStream(seed, hw.PurposeFirmware)) }

// Reset takes the machine back to before slot 0, with a new seed. It fails if the
// workload cannot be built again, and in a recording.
func (m *Machine) Reset(seed uint64) error {
	if err := m.Enter("resetting"); err != nil {
		return err
	}
	defer m.Leave()
	if err := m.unrecorded("resetting"); err != nil {
		return err
	}
	m.torn = false
	return m.Restart(seed)
}

func (m *Machine) Restart(seed uint64) error {
	m.Referee.Reset()
	m.Results.Reset()
	if m.faults != nil {
		m.faults.reset(seed)
	}
	if m.held != nil {
		m.held.Reset()
	}
	if m.queues != nil {
		m.queues.Reset()
	}
	for i := range m.Shards {
		l := &m.Shards[i].Ledger
		*l = l.Next()
		m.Shards[i].meter.Reset()
	}
	if m.Meter != nil {
		clear(m.Meter.Longest)
	}
	m.slot, m.finished, m.Interrupted, m.ended, m.Done, m.traps = 0, false, false, false, 0, 0
	m.started, m.RTLFailed, m.half, m.Paused, m.notArrived = false, false, false, false, 0
	m.Digest = traces.Digest{}
	m.Findings = violationList{}
	m.transport.Reset(seed)
	return m.load(seed, true)
}

// Close releases the firmware, the workers and the RTL. A recording that is not closed is
// dropped, and that is an error. Closed again, it does nothing.
func (m *Machine) Close() error {
	if m.closed {
		return nil
	}
	if err := m.Enter("closing"); err != nil {
		return err
	}
	defer m.Leave()
	m.final = m.Sum()
	var err error
	if m.observer != nil {
		err = m.observer.Dropped()
	}
	return errors.Join(err, m.Release())
}

// Enter begins what must not happen while the machine is stepped; leave ends it.
func (m *Machine) Enter(what string) error {
	if !m.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("%s: another call is in progress: wait for its end; functions given to Run and Watch may only read", what)
	}
	if m.closed {
		m.Leave()
		return fmt.Errorf("%s: the machine is closed", what)
	}
	return nil
}

func (m *Machine) Leave() { m.busy.Store(false) }

// enterWhole is enter for what needs a state that is whole.
func (m *Machine) enterWhole(what string) error {
	if err := m.Enter(what); err != nil {
		return err
	}
	if m.torn {
		m.Leave()
		return fmt.Errorf("%s: a Restore has failed in its middle; reset the machine first", what)
	}
	return nil
}

// unrecorded refuses what moves the machine to another time in a recording.
func (m *Machine) unrecorded(what string) error {
	if m.observer != nil {
		return fmt.Errorf("%s: what is recorded would jump in time; close the recording first", what)
	}
	return nil
}

func (m *Machine) Release() error {
	m.closed = true
	var err error
	if m.RTL != nil {
		err = m.RTL.Close()
	}
	if m.workers != nil {
		m.workers.Close()
	}
	if m.Host != nil {
		err = errors.Join(err, m.Host.Close())
	}
	return err
}

// Slots returns the number of slots that have crossed the fabric, which is also the number
// of the next one.
func (m *Machine) Slots() uint32 { return m.slot }

// Finished reports whether all processors are done and nothing is left to send, or, where the
// firmware need not know, whether the workload has arrived.
func (m *Machine) Finished() bool { return m.finished }

// Ended reports whether the run goes no further: it has finished, has reached its limit of
// slots, was interrupted, or was ended by RTL.
func (m *Machine) Ended() bool { return m.ended }

// Engine returns the engine that executes the machine, EngineCycle or EngineSlot.
func (m *Machine) Engine() string { return m.options.Engine }

// RunTable returns who did what in each step so far, nil if MachineOptions.RunTable did not ask
// for it or the network has none for this workload.
func (m *Machine) RunTable() fabric.RunTable {
	if tabled, ok := m.Referee.(fabric.Tabled); ok {
		return tabled.RunTable()
	}
	return nil
}

// Timing returns the shape of a slot, in cycles: its length and where its frames are.
func (m *Machine) Timing() nic.Timing { return m.timing }

// Step lets the next slot cross the fabric and runs the boundary in its last cycle -
// deliver, handlers, send - up to the edge that ends it. The first one runs the boundary
// of slot 0 before. It does nothing when the run has ended: finished or at its limit of
// slots, stop.slots. A handler that never returns keeps it forever; Run has a context.
//
// An error is one of a recording, which is over then, or of Watch: the step was made, and
// the next one goes on. Firmware that fails is not an error; see Violations.
func (m *Machine) Step() error {
	if err := m.enterWhole("stepping"); err != nil {
		return err
	}
	defer m.Leave()
	var err error
	if !m.started {
		err = m.Start(context.Background(), nil)
	}
	if !m.ended {
		err = errors.Join(err, m.step(context.Background(), nil))
	}
	return err
}

// Start runs the boundary of slot 0, in the last cycle of reset.
func (m *Machine) Start(ctx context.Context, each func() error) error {
	m.started = true
	m.transport.Start()
	return m.turn(ctx, each)
}

// step lets a slot cross the fabric and runs the boundary in its last cycle.
func (m *Machine) step(ctx context.Context, each func() error) error {
	m.Cross()
	if m.ended {
		return nil
	}
	return m.turn(ctx, each)
}

// turn runs the boundary of a slot and the edge after it. It is the last one of a run
// that has reached its limit. When ctx has ended no handler is called; one that runs is
// stopped, and there is no edge then.
func (m *Machine) turn(ctx context.Context, each func() error) (err error) {
	over := ctx.Err() != nil
	if over {
		m.Stop.Store(true)
	}
	m.Boundary(m.slot >= m.Config.Slots)
	m.half = m.half && !over
	if m.observer != nil {
		err = m.observer.Boundary()
	}
	if err == nil {
		err = m.watchError
	}
	m.watchError = nil
	if err == nil && each != nil {
		err = each()
	}
	if !m.half {
		m.transport.Latch()
		m.endByRTL()
	}
	return err
}

// Cross lets a slot cross the fabric, up to the boundary in its last cycle.
func (m *Machine) Cross() {
	if m.rxPorts != nil {
		for i := range m.Shards {
			for _, instance := range m.Shards[i].Instances {
				bank := instance.Bank()
				copy(m.rxPorts[bank.First:], bank.Listen(m.slot))
			}
		}
	}
	m.transport.Cross(m.slot)
	m.slot++
	m.endByRTL()
}

// Boundary hears the slot before, runs the handlers and, unless it is the last
// boundary of the run, sends. When it is stopped in its middle, the run has ended with
// the boundary before.
func (m *Machine) Boundary(last bool) {
	m.last = last
	m.TurnShards()
	if m.stopped() {
		m.DropBoundary()
		return
	}
	m.merge()
}

// TurnShards is the boundary of all shards.
func (m *Machine) TurnShards() {
	m.fillWords()
	if m.Referee.Acknowledges() {
		// Sources know at once what has arrived, wherever that was: all receive
		// before any handler runs.
		m.phase = phaseHear
		m.workers.Run(len(m.Shards), (*boundaryTask)(m))
		m.acknowledge()
		if !m.stopped() {
			m.phase = phaseAct
			m.workers.Run(len(m.Shards), (*boundaryTask)(m))
		}
	} else {
		m.phase = phaseBoth
		m.workers.Run(len(m.Shards), (*boundaryTask)(m))
	}
}

// stopped reports whether the boundary that runs is not wanted any more, or a handler
// was ended in its middle.
func (m *Machine) stopped() bool { return m.Stop.Load() || m.Host != nil && m.Host.Stopped() }

// DropBoundary ends the run in the middle of a boundary: what the slot before has brought
// counts, what handlers have done since does not. Processors and firmware are in the middle
// of something; only a Reset gets them out.
func (m *Machine) DropBoundary() {
	if m.queues != nil {
		m.queues.Drop(m.slot)
	}
	m.crossed()
	for i := range m.Shards {
		shard := &m.Shards[i]
		l, whole := &shard.Ledger, shard.whole
		l.Frames.Sent, l.Frames.Blocked = whole.frames.Sent, whole.frames.Blocked
		l.Frames.TxOverflow, l.Frames.OnTrust = whole.frames.TxOverflow, whole.frames.OnTrust
		l.HeldMax, l.FindingsTotal = whole.heldMax, whole.findingsTotal
		for _, f := range l.Findings {
			if f.Slot < m.slot {
				m.Findings.pending = append(m.Findings.pending, f)
				l.FindingsTotal++
			}
		}
		l.Sent = slices.DeleteFunc(l.Sent, func(c fabric.Captured) bool { return c.Slot >= m.slot })
		m.notArrived += l.Announced
		shard.log, shard.traps = firmwareLog{}, 0
		l.KeepFaults(false)
		m.unstrike(shard)
	}
	if dropper, ok := m.Referee.(fabric.Dropper); ok {
		dropper.Drop(m.slot)
	}
	if m.Meter != nil {
		m.dropMeter()
	}
	m.Replay.drop(m.slot)
	m.Log.clear()
	m.noteFindings()
	m.Interrupted, m.half, m.ended = true, true, true
}

// The parts of a boundary that one pass over the shards covers.
const (
	phaseBoth = iota
	phaseHear
	phaseAct
)

// boundaryTask is the machine as a hw.Task: the boundary of one shard.
type boundaryTask Machine

func (t *boundaryTask) Do(index int) { (*Machine)(t).turnShard(index) }

// turnShard is the boundary of one shard.
func (m *Machine) turnShard(index int) {
	shard := &m.Shards[index]
	if m.phase != phaseAct {
		m.begin(index, shard)
	}
	if m.Parking != nil {
		m.turnBlocks(index, shard)
		return
	}
	for _, instance := range shard.Instances {
		m.turnInstance(index, shard, instance)
	}
}

// turnInstance is the boundary of one instance's processors.
func (m *Machine) turnInstance(index int, shard *Shard, instance firmware.Instance) {
	if m.phase != phaseAct && m.slot == 0 && !m.stopped() {
		call := m.Replay.begin(instance, callStart, nil, 0)
		instance.Start()
		m.Replay.end(call, instance)
		if m.Meter != nil && !m.stopped() {
			m.meterStart(shard, instance)
		}
		shard.note(instance, 0)
	}
	m.windows(index, shard, instance)
	if m.phase != phaseHear && !m.stopped() {
		shard.note(instance, m.slot)
	}
}

// begin closes a shard's books of the slot before and opens those of the next.
func (m *Machine) begin(index int, shard *Shard) {
	l := &shard.Ledger
	shard.whole = ledgerTotals{l.Frames, l.HeldMax, l.FindingsTotal}
	l.BeginSlot()
	if m.Meter != nil {
		m.beginMeter(shard)
	}
	shard.met, shard.struck.turned = shard.met[:0], shard.struck.turned[:0]
	if m.slot > 0 {
		var yield func(int, uint32)
		if m.exact(m.slot - 1) {
			shard.slot, yield = m.slot-1, shard.collision
		}
		met, alone := m.transport.Collisions(index, m.slot-1, yield)
		l.Frames.Collided += met
		l.Frames.Alone += alone
		if m.RTL != nil {
			for _, medium := range m.Plant.Late() {
				l.Find(fabric.Finding{Kind: fabric.FindLate, Slot: m.slot - 1, Index: medium})
			}
		}
	}
	m.transport.Begin(index, m.slot, m.exact(m.slot))
}

// windowBytes is how much of a bank's records is heard, run and sent at a time:
// what one step has touched is still in the cache when the next one needs it.
const windowBytes = 512 << 10

// listenScan is how many cells side by side are scanned in the time of one alone.
const listenScan = 16

// windows hears the slot before, runs the handlers and sends, window by window. When the
// machine is stopped it only hears: the slot before is whole.
func (m *Machine) windows(index int, shard *Shard, instance firmware.Instance) {
	bank, l := instance.Bank(), &shard.Ledger
	if bank.Schedule != nil && m.phase != phaseHear {
		m.setWords(bank)
	}
	units, cells, width := m.Shape.Windows(bank, windowBytes/bank.RecordBytes())
	if wanted := units * width; cap(shard.awake) < wanted {
		shard.awake = make([]uint32, 0, wanted)
	}
	for first := 0; first < cells; first += width {
		window := fabric.Window{First: first, End: min(first+width, cells)}
		if m.phase != phaseAct && m.slot > 0 {
			sent, blocked := l.Frames.Sent, l.Frames.Blocked
			m.transport.Hear(index, bank, l, m.slot-1, window)
			shard.whole.frames.Sent += l.Frames.Sent - sent // of NICs that have asked for their media
			shard.whole.frames.Blocked += l.Frames.Blocked - blocked
		}
		if m.phase == phaseHear || m.stopped() {
			continue
		}
		runs, span, length := units, cells, window.End-window.First // of cells side by side
		if width == cells {
			runs, length = 1, bank.Cells
		}
		awake := shard.awake[:0]
		shard.struck.killed = shard.struck.killed[:0]
		strikes := m.faults != nil && m.faults.processors
		for run := range runs {
			var resting int
			if strikes {
				m.strike(shard, instance, run*span+first, run*span+first+length)
			}
			awake, resting = bank.ListAwake(awake, run*span+first, run*span+first+length, m.slot)
			l.Finished += resting
		}
		called := awake
		if strikes {
			called = m.pause(shard, bank, awake)
		}
		call := m.Replay.begin(instance, CallSlot, called, m.slot)
		m.profiling.take(m, instance, called)
		if m.Rules.MeetsBudget {
			bank.Keep(&shard.meter.kept, called)
		}
		instance.Slot(called, m.slot)
		if m.stopped() {
			continue
		}
		m.Replay.end(call, instance)
		if m.Meter != nil {
			m.meterSlot(shard, bank, called, instance.Costs())
		}
		if strikes {
			m.cut(shard, bank, called)
		}
		l.Scan(bank, awake, m.slot)
		few := bank.ListenSlots() == 1 && m.slot > 0 && len(awake) < runs*length/listenScan
		if few { // without a table, only handlers that were called listen elsewhere
			for _, cell := range awake {
				l.ScanListen(bank, int(cell), int(cell)+1, m.slot)
			}
		}
		for run := range runs {
			if !few {
				l.ScanListen(bank, run*span+first, run*span+first+length, m.slot)
			}
			bank.ForgetTx(run*span+first, run*span+first+length)
		}
		if !m.last {
			if len(shard.struck.killed) > 0 { // they stop asking and listening
				awake = append(awake, shard.struck.killed...)
				slices.Sort(awake)
				awake = slices.Compact(awake) // who was restarted in the same slot is awake
			}
			m.transport.Send(index, bank, l, m.slot, window, awake)
		}
	}
}

// acknowledge tells the sources of packets that have arrived, where the network does
// that free of charge.
func (m *Machine) acknowledge() {
	m.Referee.Acknowledge(func(processor int) {
		bank, cell := m.Cell(processor)
		bank.Registers[cell].Flags |= nic.FlagDelivered
		bank.Wake(cell)
	})
}

// Cell returns the bank and the cell of a processor.
func (m *Machine) Cell(processor int) (bank *nic.Bank, cell int) {
	instance, cell := m.InstanceOf(processor)
	return instance.Bank(), cell
}

// InstanceOf returns the instance and the cell of a processor.
func (m *Machine) InstanceOf(processor int) (instance firmware.Instance, cell int) {
	unit := processor / m.Shape.PerUnit
	shard := &m.Shards[sort.Search(len(m.Shards), func(i int) bool { return m.Shards[i].shard.End > unit })]
	if m.Parking != nil {
		b := &shard.blocks[(unit-shard.shard.First)/fabric.BlockUnits]
		return m.show(b), processor - b.first
	}
	instances := shard.Instances
	k := sort.Search(len(instances), func(i int) bool {
		b := instances[i].Bank()
		return b.First+b.Cells > processor
	})
	return instances[k], processor - instances[k].Bank().First
}

func (m *Machine) mustNotCollide(slot uint32) bool {
	return len(m.armed) > 0 && m.armed[int(slot)%len(m.armed)]
}

// exact reports whether it matters on which media frames meet in a slot, and when.
func (m *Machine) exact(slot uint32) bool { return m.losses != nil || m.mustNotCollide(slot) }

// note takes an instance's events.
func (s *Shard) note(instance firmware.Instance, slot uint32) {
	for _, e := range instance.TakeEvents() {
		s.replay.note(instance.Bank(), e)
		processor := instance.Bank().First + e.Cell
		where := cmp.Or(e.Function, "an unknown function")
		if e.Source != "" {
			where += " at " + e.Source
		}
		switch e.Kind {
		case firmware.EventTrap:
			s.traps++
			s.Ledger.Find(fabric.Finding{Kind: fabric.FindTrap, Slot: slot, Index: processor,
				Text: fmt.Sprintf("the firmware trapped in %s: %s", where, e.Text), Backtrace: e.Backtrace})
		case firmware.EventFail:
			s.Ledger.Find(fabric.Finding{Kind: fabric.FindFail, Slot: slot, Index: processor,
				Text: fmt.Sprintf("the firmware gave up in %s with code %s", where, e.Text), Backtrace: e.Backtrace})
		case firmware.EventAssert:
			s.Ledger.Find(fabric.Finding{Kind: fabric.FindFail, Slot: slot, Index: processor,
				Text: fmt.Sprintf("assertion `%s` failed in %s", e.Text, where), Backtrace: e.Backtrace})
		case firmware.EventDeliver:
			s.Ledger.Referee.Announce(&s.Ledger, processor, e.Origin, slot)
		case firmware.EventResult:
			s.Ledger.NoteResult(fabric.Result{Processor: processor, Word: e.Word, Value: e.Value})
		case firmware.EventLog:
			s.log.add(logLine{slot, processor, e.Text})
		case firmware.EventLogFull:
			s.log.lost += e.Lines
		}
	}
}

// merge adds up what the shards have seen, in their order.
func (m *Machine) merge() {
	m.crossed()
	var sum traces.Sum
	sending := false
	m.Done = 0
	m.Log.clear()
	m.judge()
	for i := range m.Shards {
		shard := &m.Shards[i]
		l := &shard.Ledger
		l.KeepFaults(true)
		sum.Merge(l.Sum)
		sending = sending || l.Sending
		m.Done += l.Finished
		if len(l.Findings) > 0 {
			m.Findings.pending = append(m.Findings.pending, l.Findings...)
		}
		m.Log.take(&shard.log)
		m.traps += shard.traps
		shard.traps = 0
	}
	m.Digest.Slot(m.slot, sum)
	quiet := !sending && m.Done == m.Shape.Processors()
	m.finished = quiet
	if m.ending != nil {
		m.finished = m.ending.Over(m.dead())
	}
	m.ended = m.last || m.finished || quiet
	m.followQueues()
	m.noteFindings()
	if m.losses != nil {
		m.losses.boundary(m)
	}
	m.endByRTL()
}

// judge takes the results of all shards and holds them to the rules of the referee.
func (m *Machine) judge() {
	m.news = m.news[:0]
	for i := range m.Shards {
		for _, result := range m.Shards[i].Ledger.Results {
			if m.Results.Set(result) {
				m.news = append(m.news, result)
			}
		}
	}
	if judge, ok := m.Referee.(fabric.Judge); ok && len(m.news) > 0 {
		judge.Judge(&m.Rules, m.news, func(f fabric.Finding) {
			f.Slot = m.slot
			m.Shards[0].Ledger.Find(f)
		})
	}
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Run steps until the run has finished, its limit of slots is reached or ctx ends; then
// it has ended, and another Run does nothing. each, if not nil, is called at every
// boundary, after the handlers; it may read whatever can be read between steps. An error of it
// is returned after the edge that ends the boundary, and the next Run or Step goes on from
// there. When ctx ends while handlers run, they are stopped, their boundary does not count,
// and the run has ended: that is not an error; the report says so.
func (m *Machine) Run(ctx context.Context, each func() error) error {
	if err := m.enterWhole("running"); err != nil {
		return err
	}
	defer m.Leave()
	stop := new(atomic.Bool)
	m.Stop = stop
	m.until(ctx)
	defer func() {
		m.Stop = new(atomic.Bool)
		m.until(context.Background())
	}()
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()

	if !m.started {
		if err := m.Start(ctx, each); err != nil {
			return err
		}
	}
	for !m.ended {
		if err := m.step(ctx, each); err != nil {
			return err
		}
	}
	return nil
}
