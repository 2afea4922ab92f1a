package emulator

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/fabric/traffic"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/meter"
	"starloom/nic"
	"starloom/traces"
)

// Memory of a machine's parts in bytes, without the memory of frames and of the network. The sizes were measured in
// dedicated processes (TestLongMemoryEstimates).
const (
	// program, Go runtime and firmware compiler, dominated by code pages, in a run of 4 processors
	memoryProcess        = 35 << 20
	memoryValue          = 530      // per value of the scenario file: the value's place and the parser's data
	memoryFault          = 24 << 10 // per fault: patterns of targets, without the sets of targets
	memoryBank           = 48       // per processor: address range of the processor's columns in a bank
	memoryColumns        = 28       // per processor: touched columns (registers, listening table, workload, call list)
	memoryHost           = 16       // per processor: call list and receptions on the host's side
	memoryParked         = 8        // per processor: registers
	memoryProcessorCycle = 64       // per processor: registers of transmitter and receiver
	memoryMeter          = 8 << 20  // metered run: rewriting and compiling an image with counters
	memoryMetered        = 20       // per processor: costs of the processor's calls
	memoryLatency        = 240      // per processor: frames waiting, sent and heard in one slot
	memoryInstance       = 30 << 10 // per sandbox: two stacks of the compiler, tables, first pages
	memorySignals        = 8 << 10  // per processor or medium of a waveform: names, values, visited hardware
	// per announced delivery; all processors may announce in one slot, and the list doubles when it grows
	memoryEvent = 320
)

const listenUsual = 5

// memorySpare divides an estimate to yield the margin added to it. The margin covers garbage and the growth of lists.
const memorySpare = 10

// Bare packets are drawn before the first cycle, and their lists grow by copying; the margin is therefore larger.
const memoryDrawn, memorySpareBare = 4 << 20, 8

// FIFO places after the first are in planes, which take no memory until used. With one lane, a queue is rarely longer
// than one frame. A NIC that sends at all ports uses about one in placesFanOut places, unless the network supplies a
// better estimate.
const placesFanOut = 6

// memoryUnasked is the estimate in bytes below which available memory is not read; reading takes a millisecond.
const memoryUnasked = 8 << 20

const bankBytesMax = 1<<32 - 1<<16

// checkMemory rejects a network that exceeds the available memory, before any allocation. Otherwise the operating
// system might kill the process without a message.
func (m *Machine) checkMemory() error {
	need, have, limit := m.lacks()
	if limit == "" {
		return m.checkBank()
	}
	_, media := m.Names.MediumNoun()
	remedy := fmt.Sprintf("choose a smaller network (it has %d processors and %d %s) or smaller nic buffers, or run it "+
		"where there is more memory",
		m.Shape.Processors(), m.Shape.Media, media)
	if m.Config.Firmware.Isolated() {
		remedy += "; mode: banked needs less"
	}
	if own := m.Image.DataBytes; own >= 1<<20 {
		remedy += fmt.Sprintf("; the firmware %s has %d MiB of its own data in each of %s", m.Image.Name, (own+1<<19)>>20,
			traces.Plural(m.instances(), "instance", "instances"))
	}
	return m.Config.Source.Refuse("fabric."+m.Network.Kind(),
		fmt.Sprintf("this run takes about %s of memory, %s", memoryText(need), fmt.Sprintf(limit, memoryText(have))), remedy)
}

// lacks returns the required and the available memory in bytes. If memory is short, limit describes the limiting
// resource.
func (m *Machine) lacks() (need, have uint64, limit string) {
	if need = m.MemoryBytes(); need > memoryUnasked {
		have, limit = hw.MemoryAvailable()
	}
	if need <= have {
		limit = ""
	}
	return need, have, limit
}

func memoryText(bytes uint64) string {
	if bytes < 10<<30 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

func (m *Machine) checkBank() error {
	if m.Config.Firmware.Isolated() {
		return nil
	}
	units := m.Shape.WholeUnits(m.options.BankSize)
	if m.Parking != nil || m.Image.stateBytes == 0 && m.mayPark() {
		units = min(units, fabric.BlockUnits)
	}
	cells := uint64(units * m.Shape.PerUnit)
	n := &m.Config.NIC
	processor := uint64(nic.FrameStride(n.PayloadBytes) * (n.RxFrames + n.TxFrames) * m.Shape.Lanes())
	if cells*processor <= bankBytesMax {
		return nil
	}
	remedy := "choose smaller FIFOs (nic.rx_frames, nic.tx_frames) or a smaller nic.payload_bytes, or mode: isolated"
	if units > 1 {
		remedy += ", or smaller banks with --bank"
	}
	return m.Config.Source.Refuse("nic",
		fmt.Sprintf("a bank of %s with FIFOs of %d bytes each does not fit into the 32-bit address space of one firmware "+
			"instance",
			traces.Plural(cells, "processor", "processors"), processor),
		remedy)
}

func (m *Machine) instances() int {
	if m.Config.Firmware.Isolated() {
		return m.Shape.Processors()
	}
	return len(m.Shape.Shards(m.options.BankSize))
}

// bankBytes returns the address range of a processor in a bank in bytes, without state. It decides whether processors
// are parked.
func (m *Machine) bankBytes() uint64 {
	n := &m.Config.NIC
	return memoryBank + uint64(nic.FrameStride(n.PayloadBytes))*uint64((n.RxFrames+n.TxFrames)*m.Shape.Lanes())
}

func (m *Machine) residentBytes() uint64 {
	return memoryColumns + 2*uint64(max(0, m.Image.listenSlots-listenUsual)) + uint64(m.Shape.Lanes()) +
		m.Image.stateBytes + m.queueBytes()
}

func (m *Machine) queueBytes() (bytes uint64) {
	n, config, lanes := &m.Config.NIC, m.transportConfig(nil), m.Shape.Lanes()
	if of := m.Network.Abilities().Memory.Queue; of != nil {
		if queue := of(config); queue != nil {
			for _, depth := range []int{n.RxFrames * lanes, n.TxFrames * lanes} {
				for _, payload := range queue[:min(depth, len(queue))] {
					bytes += config.RoomBytes(payload)
				}
			}
			return bytes
		}
	}
	further := 0
	if lanes > 1 {
		further = ((n.RxFrames+n.TxFrames)*lanes - 2) / placesFanOut
	}
	return uint64(2+further) * config.RoomBytes(config.FramePayload())
}

// atWork returns the number of processors with banks if processors are parked: one block of each size per worker.
func (m *Machine) atWork() (processors uint64) {
	blocks := map[int]int{} // blocks by number of units
	for _, s := range m.Shape.Shards(m.options.BankSize) {
		for unit := s.First; unit < s.End; unit += fabric.BlockUnits {
			blocks[min(s.End-unit, fabric.BlockUnits)]++
		}
	}
	for units, count := range blocks {
		processors += uint64(min(count, m.options.Workers) * units * m.Shape.PerUnit)
	}
	return processors
}

// MemoryPart is a part of the estimated peak memory of a process.
type MemoryPart struct {
	Part  string `json:"part"`
	Bytes uint64 `json:"bytes"`
}

// MemoryParts are the parts of an estimate, without empty parts.
type MemoryParts []MemoryPart

// Sum returns the estimate in bytes.
func (p MemoryParts) Sum() (bytes uint64) {
	for _, x := range p {
		bytes += x.Bytes
	}
	return bytes
}

func (p *MemoryParts) add(part string, bytes uint64) {
	if bytes > 0 {
		*p = append(*p, MemoryPart{part, bytes})
	}
}

// reserve adds the margin for garbage, 1/spare of all parts.
func (p MemoryParts) reserve(spare uint64) MemoryParts {
	p.add("reserve for garbage", p.Sum()/spare)
	return p
}

func processBytes(c *config.Config) MemoryParts {
	scenario := memoryValue * uint64(c.Source.Values)
	for i := range c.Faults {
		// sets of targets, and the paths compared with them
		scenario += memoryFault + 2*8*uint64(len(c.Faults[i].Targets.Words()))
	}
	p := MemoryParts{{"program and Go runtime", memoryProcess}}
	p.add("scenario and faults", scenario)
	return p
}

func bareParts(c *config.Config, logs bool) MemoryParts {
	p := processBytes(c)
	p.add("routers", fabric.RoutersOf(c.Network).Bytes())
	p.add("packets", memoryDrawn+traffic.BareBytes(c.Traffic, c.Network.Shape().Processors(), logs))
	return p.reserve(memorySpareBare)
}

// BareBytes estimates the peak memory, in bytes, of a process that runs routers without firmware. logs includes a
// file of packets.
func BareBytes(c *config.Config, logs bool) uint64 { return bareParts(c, logs).Sum() }

// MemoryBytesOf estimates the memory of this machine with the given engine in bytes; 0 if that engine cannot run it.
func (m *Machine) MemoryBytesOf(engine string) uint64 {
	if engine == EngineSlot && NoSlots(m.Network, m.RTL != nil) != nil {
		return 0
	}
	if engine == m.options.Engine {
		return m.MemoryBytes()
	}
	used, parking := m.options.Engine, m.Parking
	defer func() { m.options.Engine, m.Parking = used, parking }()
	m.options.Engine, m.Parking = engine, nil // the cycle engine parks no processors
	return m.MemoryBytes()
}

// MemoryBytes estimates the peak memory of the process in bytes. Once the image is loaded, the estimate includes the
// image's data.
func (m *Machine) MemoryBytes() uint64 { return m.memoryParts().Sum() }

func (m *Machine) memoryParts() MemoryParts {
	c := m.Config
	if c.Bare() {
		return bareParts(c, m.options.Packets)
	}
	n, processor, instances := uint64(m.Shape.Processors()), m.residentBytes(), uint64(m.instances())
	p := processBytes(c)
	if m.Parking != nil || m.Image.stateBytes == 0 && m.mayPark() {
		p.add("banks at work", m.atWork()*processor)
		processor = memoryParked + m.Image.stateBytes
	} else {
		p.add("sandboxes of the firmware", instances*memoryInstance)
		processor += memoryHost
	}
	p.add("data of the firmware", instances*m.Image.DataBytes)
	tables := uint64(0)
	if bytes := m.Network.Abilities().Memory.Workload; bytes != nil {
		kept, roms := bytes(&c.Workload, m.Program)
		tables += kept
		if !m.Image.takesROM { // unknown yet, or no ROM
			tables += roms
		}
	}
	if m.Image.takesROM {
		words, machine := m.rom.Words()
		processor += 4 * uint64(words)
		tables += instances * 4 * uint64(machine)
	}
	p.add("workload and tables", tables)
	if c.Traffic != nil {
		p.add("packets", traffic.MemoryBytes(c.Traffic, &m.Shape, m.options.Packets))
	}
	processor += m.processorExtras()
	if m.Meter != nil {
		p.add("cost model", memoryMeter)
	}
	if m.options.Watched && len(c.VCD.Signals) == 0 {
		p.add("waveform", memorySignals*(n+uint64(m.Shape.Media)))
	}
	if c.Firmware.Isolated() {
		processor -= min(processor, 4<<10) // included in the sandbox's first pages
	}
	p.add("processors and their NICs", n*processor)
	p.add("network", m.Network.MemoryBytes(m.transportConfig(nil)))
	return p.reserve(memorySpare)
}

// processorExtras returns the bytes of a processor that depend on options and rules of the run.
func (m *Machine) processorExtras() (bytes uint64) {
	if m.Image.announces {
		bytes += memoryEvent
	}
	if m.Meter != nil {
		bytes += memoryMetered
	}
	if m.auditsHeld() {
		bytes += referees.HeldBytes
	}
	if m.options.Latencies {
		bytes += memoryLatency
	}
	if m.options.Engine == EngineCycle {
		bytes += uint64(m.Shape.Lanes()) * (memoryProcessorCycle + 2*uint64(nic.FrameBytes(m.Config.NIC.PayloadBytes)))
	}
	return bytes
}

// parkingBytes is the total size of banks in bytes above which processors are parked.
const parkingBytes = 1 << 30

// mayPark reports whether the machine parks its processors, if the firmware permits it.
func (m *Machine) mayPark() bool {
	slot := m.Network.Abilities().Slot
	return slot.Parks && slot.Transport != nil && m.faults == nil && !m.followsFrames() &&
		m.options.Engine == EngineSlot && !m.Config.Firmware.Isolated() && m.Config.Firmware.Schedule == "" &&
		m.options.Runtime != "native" && m.options.Debugger == nil &&
		(m.options.Parks || uint64(m.Shape.Processors())*m.bankBytes() > parkingBytes)
}

func (m *Machine) followsFrames() bool {
	return m.Rules.NoLoss || m.Rules.DeadlineSlots > 0 && !m.Config.Known.Carries
}

// Weigh returns the parts of MemoryBytes and the engine of a machine. It loads only the firmware, for one processor.
func Weigh(ctx context.Context, c *config.Config, o Options) (parts MemoryParts, engine string, err error) {
	m := &Machine{Stop: new(atomic.Bool)}
	m.Config, m.options, m.Rules, m.timing = c, o, c.Rules, c.Timing
	m.Network, m.Program = c.Network, c.Firmware.Program
	m.Names = m.Network.Names()
	defer func() { err = errors.Join(err, m.Release()) }()
	if m.Shape, err = m.options.choose(m.Network, len(c.RTL) > 0); err != nil {
		return nil, "", err
	}
	if c.Bare() {
		return m.memoryParts(), m.options.Engine, nil
	}
	if c.Firmware.CPU != nil {
		m.Meter = meter.NewClock(c.Firmware.CPU, 1)
	}
	m.faults = newFaulted(c, m.Shape.Processors())
	bank := m.bankConfig()
	instantiate, place, err := m.loadImage(ctx, bank)
	if err != nil {
		return nil, "", interruption(ctx, err)
	}
	bank.Cells, bank.ROMWords, bank.MachineROM = 1, 0, 1 // the ROM's size is not known yet
	instance, err := instantiate(*bank)
	if err != nil {
		return nil, "", m.notAttached(place, err)
	}
	parks := m.mayPark() && instance.Bank().Parks() && len(instance.Probes()) == 0
	m.Image.listenSlots = instance.Bank().ListenSlots()
	if m.Image.stateBytes = uint64(instance.Bank().StateBytes()); parks {
		m.Parking = new(parking)
	}
	// only if memory suffices; otherwise the tables need not be built
	if _, _, limit := m.lacks(); instance.Bank().TakesROM && limit == "" {
		if m.rom, err = fabric.ROMOf(m.Network, &c.Workload, m.Program); err != nil {
			return nil, "", c.Source.Refusal(err)
		}
		if m.Image.takesROM = m.rom != nil; m.Image.takesROM {
			if words, _ := m.rom.Words(); words > 0 {
				m.Parking = nil // processors with their own tables are not parked
			}
		}
	}
	return m.memoryParts(), m.options.Engine, nil
}
