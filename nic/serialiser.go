package nic

import (
	"encoding/binary"
	"fmt"

	"starloom/hw"
)

// Serialisers is a bank of optical transmitters. Each transmitter sends one frame per slot, one phit per cycle. The
// first phit of a frame loaded in cycle c follows the compute window: it is on the wire in cycle c+1+ComputeCycles.
// All transmitters of a bank are loaded in the same cycle, the last cycle of a slot.
//
// Parameters: phit bits (1..64), longest frame, compute cycles. Ports: load in (frame, length, port), light out
// (dual-rail), port select out. Registers: frame, length (0 is idle), port select, start. Latency: phit k of a frame
// is on the wire in cycle start+k. Throughput is one phit per cycle. Reset, even in the middle of a frame: idle,
// dark, port none. Nothing stalls a transmitter, and a transmitter does not detect collisions.
//
// If outputs require a request, a transmitter requests an output from ArbitrationCycles before its first phit until
// its last phit. In the cycle of the first phit it learns which output serves it. An unserved transmitter stops; its
// light has reached no receiver.
//
// If outputs serve several frames in sequence, a transmitter offers its first phit for up to OfferCycles more. Once
// served, it sends the other phits. Its request ends with its last phit, so the output can serve another transmitter
// without a gap.
//
//	cycle            0   1   2   3   4   5   6
//	A asks          /-----------\_______________      cycle 0: arbitration; frames of 3 phits
//	A's light           a0  a1  a2
//	B asks          /-----------------------\___
//	B's light           b0  b0  b0  b0  b1  b2
//	the output          a0  a1  a2  b0  b1  b2
//
// Bits on the wire: the frame's bytes in order, each byte's most significant bit first. The first bit of a phit is
// the phit word's most significant bit:
//
//	byte 0            byte 1
//	b7 b6 b5 b4 b3 b2 b1 b0 b7 b6 ...
//	|<-- phit 0 (5) -->|<-- phit 1 (5) -->|      word bit 4 is sent first
//
// In the last phit of a frame, low bits without a frame bit are dark on both rails.
//
// The work per cycle grows with the number of transmitters with a frame.
type Serialisers struct {
	hw.Registers
	bank     hw.Bank
	clock    *hw.Clock
	phitBits int
	frameMax int
	compute  uint64
	stride   int      // bytes from one cell's frame to the next, with room for 9-byte loads
	owner    []uint16 // shard of each unit

	light *hw.Light
	ports *hw.PortSelect

	arbitration uint64
	late        int            // maximum number of phits after the first possible one at which a frame may start
	asks        *hw.Asks       // requests, nil if outputs require none
	serving     *hw.PortSelect // input: output that serves each transmitter

	frames []byte    // frames of stride bytes per cell, most significant bit first
	length []uint16  // length in bytes of the loaded frame, 0 when idle
	tag    []uint16  // tag of each frame, nil if asks is nil
	served []uint16  // output that has accepted the last loaded frame, hw.PortNone for none; nil if asks is nil
	passed []uint32  // number of phits accepted by the output; nil if late is 0
	start  [1]uint64 // start of the active shards, while a state is saved

	shards []serialiserShard

	portCount int             // number of ports, PortsMax if unknown
	site      *serialiserSite // additional state after a call of Site
}

type serialiserShard struct {
	start  uint64   // register: cycle of the first phit, for all active cells
	active []uint32 // cells with length > 0
	loads  []uint32 // replaced cells whose load input is set
}

// SerialiserConfig holds the parameters of a bank of transmitters.
type SerialiserConfig struct {
	Bank          hw.Bank
	Clock         *hw.Clock
	Shards        []hw.Shard
	PhitBits      int // 1..PhitBitsMax
	FrameBytesMax int // 1..FrameBytes(PayloadBytesMax)
	ComputeCycles int // cycles from a load to the first phit, 0..ComputeCyclesMax
	// ArbitrationCycles follow the compute window; in these cycles a transmitter requests its output. The value is 0
	// without requests; otherwise Await sets the wire with the results.
	ArbitrationCycles int
	// number of cycles by which a frame may start late; 0 if it starts in the first possible cycle or never
	OfferCycles int
	// number of processors of the machine, to check frames in a saved state; 0 for a separate transmitter, which
	// accepts any frame
	Processors int
	Ports      int // number of ports to which RTL may switch a transmitter, 0..hw.PortsMax; 0 means hw.PortsMax
}

// frameSlack is the number of bytes that a 64-bit load at any bit position may touch beyond the end of a frame.
const frameSlack = 8

func checkLine(path string, phitBits, frameBytesMax int) error {
	if phitBits < 1 || phitBits > PhitBitsMax {
		return fmt.Errorf("%s: phit of %d bits; allowed: 1 to %d", path, phitBits, PhitBitsMax)
	}
	if frameBytesMax < 1 || frameBytesMax > FrameBytes(PayloadBytesMax) {
		return fmt.Errorf("%s: frames of %d bytes; allowed: 1 to %d", path, frameBytesMax, FrameBytes(PayloadBytesMax))
	}
	return nil
}

// NewSerialisers returns an idle bank. It returns an error for illegal parameters.
func NewSerialisers(c SerialiserConfig) (*Serialisers, error) {
	light, err := hw.NewLight(c.Bank, "light", c.PhitBits, c.Shards, nil)
	if err != nil {
		return nil, err
	}
	if err := checkLine(c.Bank.Path(), c.PhitBits, c.FrameBytesMax); err != nil {
		return nil, err
	}
	if c.ComputeCycles < 0 || c.ComputeCycles > ComputeCyclesMax {
		return nil, fmt.Errorf("%s: compute window of %d cycles; allowed: 0 to %d", c.Bank.Path(),
			c.ComputeCycles, ComputeCyclesMax)
	}
	if c.ArbitrationCycles < 0 || c.ArbitrationCycles > 0 && c.FrameBytesMax < FrameBytesMin {
		return nil, fmt.Errorf("%s: arbitration of %d cycles for frames of %d bytes; allowed: 0 or more, for %d bytes "+
			"or more",
			c.Bank.Path(), c.ArbitrationCycles, c.FrameBytesMax, FrameBytesMin)
	}
	if c.Ports == 0 {
		c.Ports = hw.PortsMax
	}
	if c.Ports < 0 || c.Ports > hw.PortsMax {
		return nil, fmt.Errorf("%s: %d ports; allowed: 1 to %d", c.Bank.Path(), c.Ports, hw.PortsMax)
	}
	stride := c.FrameBytesMax + frameSlack
	t := &Serialisers{
		bank: c.Bank, clock: c.Clock, phitBits: c.PhitBits, frameMax: c.FrameBytesMax,
		compute: uint64(c.ComputeCycles), stride: stride,
		owner:  hw.ShardOfUnit(c.Shards),
		light:  light,
		ports:  hw.NewPortSelect(c.Bank, "port"),
		frames: make([]byte, stride*c.Bank.Size()),
		length: make([]uint16, c.Bank.Size()),
		shards: make([]serialiserShard, len(c.Shards)),

		portCount: c.Ports,
	}
	frames := hw.Column("frame", t.frames)
	if c.Processors > 0 && c.ArbitrationCycles > 0 {
		frames = hw.Column("frame", t.frames, checkLoaded(stride, c.FrameBytesMax, c.Processors))
	}
	registers := []hw.Register{
		frames,
		hw.Column("port", t.ports.Value).ResetTo(hw.PortNone).Shown(16),
		hw.Column("length", t.length, hw.AtMost(uint16(t.frameMax))).Shown(16),
		hw.Column("start", t.start[:]),
	}
	if c.ArbitrationCycles > 0 {
		t.arbitration, t.asks = uint64(c.ArbitrationCycles), hw.NewAsks(c.Bank, "ask", len(c.Shards))
		t.tag, t.served = make([]uint16, c.Bank.Size()), make([]uint16, c.Bank.Size())
		registers = append(registers, hw.Column("tag", t.tag).Shown(16),
			hw.Column("served", t.served).ResetTo(hw.PortNone).Shown(16))
	}
	if c.OfferCycles > 0 {
		t.late, t.passed = c.OfferCycles, make([]uint32, c.Bank.Size())
		registers = append(registers, hw.Column("passed", t.passed).Shown(32))
	}
	t.Registers = hw.Declare(hw.Declaration{
		Bank:      c.Bank,
		Registers: registers,
		Wires:     []hw.Probed{t.light},
		Collect:   t.collect,
		Derive:    t.activate,
	})
	return t, nil
}

// Light returns the transmitters' output.
func (t *Serialisers) Light() *hw.Light { return t.light }

// Ports returns the transmitters' port select.
func (t *Serialisers) Ports() *hw.PortSelect { return t.ports }

// Asks returns the requests of the transmitters; nil if transmitters send without requests.
func (t *Serialisers) Asks() *hw.Asks { return t.asks }

// Await sets the wire with the output that serves each transmitter.
func (t *Serialisers) Await(serving *hw.PortSelect) { t.serving = serving }

// Served returns the output that has accepted the last loaded frame. ok is false for none.
func (t *Serialisers) Served(cell int) (output uint16, ok bool) {
	return t.served[cell], t.served[cell] != hw.PortNone
}

// Sent returns the last loaded frame in its sent form. If lists is set, the served addressee replaces
// ListedDestination.
func (t *Serialisers) Sent(cell int, lists bool) Frame {
	frame := Frame(t.frames[cell*t.stride:][:t.frameMax])
	frame = frame[:FrameBytes(int(binary.BigEndian.Uint16(frame[offsetPayloadBytes:])))]
	if served := t.served[cell]; lists && served != hw.PortNone && frame.Destination() == ListedDestination {
		frame.readdress(uint32(served)) // RTL in place of the transmitter has also readdressed the frame
	}
	return frame
}

// shortest returns the minimum length of a frame in bytes. A frame with a request has a tag.
func (t *Serialisers) shortest() int {
	if t.asks != nil {
		return FrameBytesMin
	}
	return 1
}

// Blank returns the register of an idle transmitter. Load need not copy a frame that was built in this register.
func (t *Serialisers) Blank(cell int) []byte { return t.frames[cell*t.stride:][:t.frameMax:t.frameMax] }

// Load is a cell's load input in this cycle, for the next Latch: the frame of the next slot and its port (an index,
// hw.PortAll or hw.PortNone). Load copies the frame. Call Load between Settle and Latch; it writes the registers at
// once, because nothing reads the registers of an idle transmitter in this phase. Cells of different shards may be
// loaded concurrently. Load panics if the frame has a wrong size or the transmitter is busy.
func (t *Serialisers) Load(cell int, frame []byte, port uint16) {
	if len(frame) < t.shortest() || len(frame) > t.frameMax {
		t.clock.Broken(t.bank.Element(cell), "frame of %d bytes; allowed: %d to %d", len(frame), t.shortest(), t.frameMax)
	}
	if t.site != nil {
		if t.site.replaced[cell] {
			t.offer(cell, frame, port)
			return
		}
		t.show(cell, port)
	}
	if t.length[cell] != 0 {
		t.clock.Broken(t.bank.Element(cell), "loaded while a frame of %d bytes is being sent", t.length[cell])
	}
	shard, start := &t.shards[t.owner[cell/t.bank.PerUnit]], t.clock.Cycle()+1+t.compute+t.arbitration
	if len(shard.active) > 0 && shard.start != start {
		t.clock.Broken(t.bank.Element(cell), "loaded while %s sends", t.bank.Element(int(shard.active[0])))
	}
	own := t.frames[cell*t.stride:][:t.stride]
	if &own[0] != &frame[0] {
		copy(own, frame)
	}
	clear(own[len(frame):])
	t.length[cell] = uint16(len(frame))
	t.ports.Value[cell] = port
	if t.asks != nil {
		t.tag[cell], t.served[cell] = Frame(own).Header().Tag, hw.PortNone
	}
	if t.passed != nil {
		t.passed[cell] = 0
	}
	shard.start = start
	shard.active = append(shard.active, uint32(cell))
}

func (t *Serialisers) Drives() []hw.Wire {
	if t.asks != nil {
		return []hw.Wire{t.light, t.ports, t.asks}
	}
	return []hw.Wire{t.light, t.ports}
}

// Drive lights this cycle's phit of every sending cell.
func (t *Serialisers) Drive(s hw.Shard) {
	t.light.Clear(s.Index)
	shard := &t.shards[s.Index]
	phit := t.phit(shard)
	if t.asks != nil {
		t.asks.Clear(s.Index)
		if phit >= -int(t.arbitration) {
			for _, cell := range shard.active {
				if t.passed == nil || !t.lastPhit(cell) {
					t.asks.Raise(s.Index, cell, t.ports.Value[cell], t.tag[cell])
				}
			}
		}
	}
	if len(shard.active) == 0 || phit < 0 {
		return
	}
	if phit == 0 {
		t.check(shard)
	}
	if t.passed != nil {
		t.driveOffered(s.Index, shard.active)
		return
	}
	firstBit := phit * t.phitBits
	if over := driveLight(t.light, s.Index, shard.active, t.frames, t.length, t.stride, firstBit, t.phitBits); over >= 0 {
		// Latch removes a frame with its last phit, so the clock must have jumped
		t.clock.Broken(t.bank.Element(over), "bit %d of a frame of %d bytes: the clock was advanced without Latch",
			firstBit, t.length[over])
	}
}

func (t *Serialisers) lastPhit(cell uint32) bool {
	return (int(t.passed[cell])+1)*t.phitBits >= 8*int(t.length[cell])
}

func (t *Serialisers) driveOffered(shard int, active []uint32) {
	for _, cell := range active {
		firstBit := int(t.passed[cell]) * t.phitBits
		left := 8*int(t.length[cell]) - firstBit
		if left <= 0 {
			t.clock.Broken(t.bank.Element(int(cell)), "phit %d of a frame of %d bytes", t.passed[cell], t.length[cell])
		}
		word, lit := getPhit(t.frames[int(cell)*t.stride:], firstBit, t.phitBits), litBits(left, t.phitBits)
		t.light.Put(shard, cell, word&lit, ^word&lit)
	}
}

func (t *Serialisers) check(shard *serialiserShard) {
	for _, cell := range shard.active {
		if length := int(t.length[cell]); length < 1 || length > t.frameMax {
			t.clock.Broken(t.bank.Element(int(cell)), "it sends a frame of %d bytes, but the longest has %d", length, t.frameMax)
		}
	}
}

func (t *Serialisers) phit(shard *serialiserShard) int { return int(t.clock.Cycle() - shard.start) }

func driveLight(light *hw.Light, shard int, active []uint32, frames []byte, length []uint16, stride, firstBit,
	phitBits int) (over int) {
	for _, cell := range active {
		left := 8*int(length[cell]) - firstBit
		if left <= 0 {
			return int(cell)
		}
		word, lit := uint64(0), ^uint64(0)
		if phitBits == 64 && left >= 64 {
			word = binary.BigEndian.Uint64(frames[int(cell)*stride+firstBit>>3:])
		} else {
			word, lit = getPhit(frames[int(cell)*stride:], firstBit, phitBits), litBits(left, phitBits)
		}
		light.Lay(shard, cell, word&lit, ^word&lit)
	}
	return -1
}

// Latches implements hw.Latcher. Transmitters have one input from the fabric: the serving output.
func (t *Serialisers) Latches() []hw.Wire {
	if t.serving != nil {
		return []hw.Wire{t.serving}
	}
	return nil
}

// Latch makes cells idle whose last phit is on the wire in this cycle.
func (t *Serialisers) Latch(s hw.Shard) {
	shard := &t.shards[s.Index]
	for _, cell := range shard.loads {
		t.site.load[cell] = false
	}
	shard.loads = shard.loads[:0]
	phit := t.phit(shard)
	if len(shard.active) == 0 || phit < 0 {
		return
	}
	if t.passed != nil {
		t.pass(shard, phit < t.late)
		return
	}
	if t.serving != nil && phit == 0 {
		t.answer(shard)
	}
	shard.active = retire(shard.active, t.length, t.ports.Value, (phit+1)*t.phitBits)
}

// answer stops unserved senders. It sets the port of a sender without an own output to the output of the addressee.
func (t *Serialisers) answer(shard *serialiserShard) {
	kept := shard.active[:0]
	for _, cell := range shard.active {
		output := t.serving.Value[cell]
		t.served[cell] = output
		if output == hw.PortNone {
			t.length[cell], t.ports.Value[cell] = 0, hw.PortNone
			continue
		}
		if t.ports.Value[cell] == hw.PortNone {
			t.ports.Value[cell] = output
			Frame(t.frames[int(cell)*t.stride:][:t.length[cell]]).readdress(uint32(output))
		}
		kept = append(kept, cell)
	}
	shard.active = kept
}

// pass counts the phits accepted by outputs. It makes cells idle after their last phit, and unserved cells idle when
// they can no longer start in time.
func (t *Serialisers) pass(shard *serialiserShard, mayStart bool) {
	kept := shard.active[:0]
	for _, cell := range shard.active {
		if t.passed[cell] == 0 {
			t.served[cell] = t.serving.Value[cell]
		}
		waits := t.served[cell] == hw.PortNone
		if waits && mayStart {
			kept = append(kept, cell)
			continue
		}
		if !waits && !t.lastPhit(cell) {
			t.passed[cell]++
			kept = append(kept, cell)
			continue
		}
		t.length[cell], t.ports.Value[cell], t.passed[cell] = 0, hw.PortNone, 0
	}
	shard.active = kept
}

func retire(active []uint32, length, ports []uint16, sentBits int) []uint32 {
	kept := active[:0]
	for _, cell := range active {
		if 8*int(length[cell]) > sentBits {
			kept = append(kept, cell)
			continue
		}
		length[cell] = 0
		ports[cell] = hw.PortNone
	}
	return kept
}

// QuietFor implements hw.Quiet. A bank is quiet while frames wait for their start, and while all transmitters are
// idle and dark.
func (t *Serialisers) QuietFor(limit uint64) uint64 {
	if !t.light.Dark() || t.asks != nil && !t.asks.Low() {
		return 0
	}
	for i := range t.shards {
		shard := &t.shards[i]
		if len(shard.active) == 0 {
			continue
		}
		phit := t.phit(shard) + int(t.arbitration)
		if phit >= 0 {
			return 0
		}
		limit = min(limit, uint64(-phit))
	}
	return limit
}

func (t *Serialisers) collect() {
	t.start[0] = 0
	for i := range t.shards {
		if s := &t.shards[i]; len(s.active) > 0 {
			t.start[0] = s.start
		}
	}
}

func (t *Serialisers) activate() {
	for i := range t.shards {
		s := &t.shards[i]
		*s = serialiserShard{start: t.start[0], active: s.active[:0], loads: s.loads[:0]}
	}
	if t.site != nil {
		clear(t.site.load)
	}
	for cell, length := range t.length {
		if length != 0 && (t.site == nil || !t.site.replaced[cell]) {
			s := &t.shards[t.owner[cell/t.bank.PerUnit]]
			s.active = append(s.active, uint32(cell))
		}
	}
}

// getPhit returns count bits of the stream, starting with bit first. The first bit becomes bit count-1 of the word.
// frameSlack bytes must follow the stream.
func getPhit(stream []byte, first, count int) uint64 {
	window := stream[first>>3:][:9]
	word := binary.BigEndian.Uint64(window)
	if shift := uint(first & 7); shift != 0 {
		word = word<<shift | uint64(window[8]>>(8-shift))
	}
	return word >> (64 - uint(count))
}

// putPhit is the inverse of getPhit. It also changes bits after the phit; the next phit overwrites these bits.
func putPhit(stream []byte, first, count int, word uint64) {
	window := stream[first>>3:][:9]
	word <<= 64 - uint(count)
	shift := uint(first & 7)
	if shift == 0 {
		binary.BigEndian.PutUint64(window, word)
		window[8] = 0
		return
	}
	kept := binary.BigEndian.Uint64(window) &^ (^uint64(0) >> shift)
	binary.BigEndian.PutUint64(window, kept|word>>shift)
	window[8] = byte(word << (8 - shift)) // a shift by 8 yields 0
}

// litBits returns a mask of the lit bits of a phit. left is the number of remaining bits of the frame.
func litBits(left, phitBits int) uint64 {
	all := ^uint64(0) >> (64 - uint(phitBits))
	if left >= phitBits {
		return all
	}
	return all &^ (all >> uint(left))
}
