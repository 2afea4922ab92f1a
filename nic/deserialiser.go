package nic

import (
	"encoding/binary"
	"fmt"
	"slices"

	"starloom/hw"
)

// Deserialisers is a bank of optical receivers. Each receiver listens to one medium, and receives and checks the
// frame on it.
//
// Parameters: phit bits, longest frame. Input ports: light of the media (delayed by the fibre), end of slot, port.
// Registers: state, bits, due, frame, port. Throughput is one phit per cycle; nothing stalls a receiver. The
// registers hold the final state one cycle after the last phit: after the Latch of Timing.LastPhitCycle. Reset, even
// in the middle of a frame: idle, listening to nothing.
//
//	idle -> receiving -> good                a whole frame with the right CRC
//	            |          | more light
//	            +----------+-> damaged       dark too early, light after its end, bad
//	            |          |                 header, length or CRC
//	            +----------+-> violated      a bit with both rails lit: two senders;
//	                                         from damaged as well, and final
//
// In the last cycle of a slot, the receivers show the result of the slot. The Latch of this cycle makes the receivers
// idle and switches them to the media selected by their port inputs. A frame that is incomplete at this Latch is
// truncated, and light in the last cycle belongs to no slot. If a slot can have several consecutive frames (Queues),
// the receiver queues good frames, and light after a good frame begins the next frame; damage lasts to the end of the
// slot. Bits map to phits as in Serialisers.
//
// The work per cycle grows with the number of lit media and their listeners.
type Deserialisers struct {
	hw.Registers
	bank     hw.Bank
	clock    *hw.Clock
	phitBits int
	frameMax int
	stride   int
	cuts     []hw.Shard
	owner    []uint16 // shard of each cell
	in       *hw.Light
	hears    hw.Gather
	taps     *hw.Taps // taps in place of hears, nil for none

	state  []uint8  // state of each receiver
	bits   []uint32 // bits received so far
	due    []uint64 // cycle of the next phit
	frames []byte   // frames of stride bytes per cell
	port   []uint32 // input of the unit, or tap, heard by each cell; NoInput for none

	misses func(cell int, wire uint32) bool // reports receivers that are dark in the beginning slot; nil for none

	queues     [][]byte // good frames of this slot, back to back; nil if a slot has at most one frame
	queueBytes []uint32 // bytes of each queue, for a saved state
	queueAll   []byte   // all queues, back to back, for a saved state

	ends []bool // by shard, input: this is the last cycle of the slot

	// derived from port
	hooked   []uint32 // by cell: medium that the cell hears in this slot, noWire for none
	switched []bool   // by shard: a port has changed since hooked was built
	// lists of the listeners of each medium, built when light arrives at a shard
	head   []int32
	next   []int32
	listed []bool // by shard: the lists are those of hooked

	scanned []bool // by shard: TakeForeseen has looked through hooked

	heard    [][]uint32 // by shard: cells that are not idle
	foreseen *Foreseen  // frames of a slot with predicted frames, otherwise nil

	site *deserialiserSite // additional state after a call of Site
}

// ReceiverStates names the receiver states for probes.
var ReceiverStates = []string{"idle", "receiving", "good", "damaged", "violated"}

const (
	receiverIdle uint8 = iota
	receiverReceiving
	receiverGood
	receiverDamaged
	receiverViolated
	receiverStates
)

const (
	noOne  = -1
	noWire = ^uint32(0)

	// NoInput is the input of an unconnected receiver.
	NoInput = ^uint32(0)
)

// DeserialiserConfig holds the parameters of a bank of receivers.
type DeserialiserConfig struct {
	Bank          hw.Bank
	Clock         *hw.Clock
	Shards        []hw.Shard
	PhitBits      int // 1..PhitBitsMax
	FrameBytesMax int // FrameBytesMin..FrameBytes(PayloadBytesMax)

	// In is the received light, built with the readers of Hears. Hears are the wires at the ports of each unit. For a
	// single unit whose cells have their own ports, Taps are these ports, and the wires are buses.
	In    *hw.Light
	Hears hw.Gather
	Taps  *hw.Taps

	Queues bool // a slot may have several frames

	// Misses reports whether a fault hides the light of a wire from a cell in the crossing slot, or in the slot that
	// begins after the last cycle. It must be a function of the slot; nil without such faults. Cell and wire are
	// numbers within the bank.
	Misses func(cell int, wire uint32) bool
}

// NewDeserialisers returns an idle bank without inputs. It returns an error for illegal parameters.
func NewDeserialisers(c DeserialiserConfig) (*Deserialisers, error) {
	if err := c.Bank.Check(); err != nil {
		return nil, err
	}
	path := c.Bank.Path()
	if err := hw.CheckShards(c.Shards, c.Bank.Units); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := checkLine(path, c.PhitBits, c.FrameBytesMax); err != nil {
		return nil, err
	}
	wires := c.In.Bank().Size()
	if c.Taps != nil {
		c.Hears = hw.Gather{Inputs: c.Taps.Ports}
	}
	switch {
	case c.FrameBytesMax < FrameBytesMin:
		return nil, fmt.Errorf("%s: frames of at most %d bytes, but a frame has at least %d", path,
			c.FrameBytesMax, FrameBytesMin)
	case c.In.Bits() != c.PhitBits:
		return nil, fmt.Errorf("%s: phit of %d bits, but %s has %d", path, c.PhitBits, c.In.Path(), c.In.Bits())
	case c.In.Shards() != len(c.Shards):
		return nil, fmt.Errorf("%s: %d shards, %s has %d", path, len(c.Shards), c.In.Path(), c.In.Shards())
	case !c.In.Routed():
		return nil, fmt.Errorf("%s: %s was built without reader units", path, c.In.Path())
	case c.Taps != nil && (c.Bank.Units != 1 || len(c.Taps.Bus) != c.Bank.Size() || len(c.Taps.Members) != wires):
		return nil,
			fmt.Errorf("%s: %d receivers in %d units, the taps are those of %d on %d of %d buses; allowed is one unit",
				path, c.Bank.Size(), c.Bank.Units, len(c.Taps.Bus), len(c.Taps.Members), wires)
	case c.Taps == nil && len(c.Hears.Wires) != c.Hears.Inputs*c.Bank.Units:
		return nil, fmt.Errorf("%s: %d inputs for each of %d units, but the wiring has %d in total",
			path, c.Hears.Inputs, c.Bank.Units, len(c.Hears.Wires))
	}
	unitOwner, heardBy := hw.ShardOfUnit(c.Shards), make([]uint32, wires)
	if c.Taps == nil {
		var err error
		if heardBy, err = c.Hears.Readers(wires); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, c.In.Path(), err)
		}
	}
	for wire, unit := range heardBy {
		if c.In.Reader(uint32(wire)) != int(unitOwner[unit]) {
			return nil, fmt.Errorf("%s: %s was built with another reader for wire %d than unit %d",
				path, c.In.Path(), wire, unit)
		}
	}
	cells := c.Bank.Size()
	owner := make([]uint16, cells)
	for cell := range owner {
		owner[cell] = unitOwner[cell/c.Bank.PerUnit]
	}
	d := &Deserialisers{
		bank: c.Bank, clock: c.Clock, phitBits: c.PhitBits, frameMax: c.FrameBytesMax,
		stride: c.FrameBytesMax + frameSlack, cuts: c.Shards, owner: owner, in: c.In, hears: c.Hears, taps: c.Taps,
		state: make([]uint8, cells), bits: make([]uint32, cells), due: make([]uint64, cells),
		port: make([]uint32, cells), misses: c.Misses, ends: make([]bool, len(c.Shards)),
		head: make([]int32, wires), next: make([]int32, cells), hooked: make([]uint32, cells),
		switched: make([]bool, len(c.Shards)), listed: make([]bool, len(c.Shards)),
		scanned: make([]bool, len(c.Shards)),
		heard:   make([][]uint32, len(c.Shards)),
	}
	d.frames = make([]byte, d.stride*cells)
	registers := []hw.Register{
		hw.Column("state", d.state, hw.AtMost(receiverStates-1)).Shown(3, ReceiverStates...),
		hw.Column("bits", d.bits, hw.AtMost(uint32(8*d.frameMax))).Shown(32),
		hw.Column("due", d.due),
		hw.Column("frame", d.frames),
		hw.Column("port", d.port, d.checkPort).ResetTo(NoInput),
	}
	if c.Queues {
		d.queues, d.queueBytes = make([][]byte, cells), make([]uint32, cells)
		registers = append(registers, hw.Column("queue_bytes", d.queueBytes), hw.List("queue", &d.queueAll))
	}
	d.Registers = hw.Declare(hw.Declaration{Bank: c.Bank, Registers: registers, Collect: d.collect, Derive: d.link})
	d.Reset()
	return d, nil
}

// EndSlot is the shard's end-of-slot input, set in the last cycle of a slot. Call EndSlot between Settle and Latch.
// Shards may call it concurrently.
func (d *Deserialisers) EndSlot(shard int) { d.ends[shard] = true }

// Listen is a cell's port input for the next Latch: an input of its unit, or NoInput. The selection lasts until the
// next Listen. Listen panics unless EndSlot was called in the same cycle. It writes the register at once, because in
// this cycle no light counts and nothing reads the register before Latch. Cells of different shards may be switched
// concurrently.
func (d *Deserialisers) Listen(cell int, port uint32) {
	shard := d.owner[cell]
	if !d.ends[shard] {
		d.clock.Broken(d.bank.Element(cell), "switched in the middle of a slot")
	}
	if port != NoInput && int(port) >= d.inputs(cell) {
		d.clock.Broken(d.bank.Element(cell), "switched to port %d of %d", port, d.inputs(cell))
	}
	if d.port[cell] != port {
		d.port[cell], d.switched[shard] = port, true
	}
}

// ListenEach is Listen for cells of a shard whose cells have equal inputs: port i is that of cell first+cells[i].
func (d *Deserialisers) ListenEach(shard, first int, cells, ports []uint32) {
	if d.taps != nil || !d.ends[shard] {
		d.clock.Broken(d.bank.Path(), "switched together, with taps or in the middle of a slot")
	}
	changed, most := uint32(0), uint32(0)
	for i, port := range ports {
		to := &d.port[first+int(cells[i])]
		changed |= *to ^ port
		most = max(most, port+1) // NoInput becomes 0
		*to = port
	}
	if int(most) > d.hears.Inputs {
		d.clock.Broken(d.bank.Path(), "switched to port %d of %d", most-1, d.hears.Inputs)
	}
	if changed != 0 {
		d.switched[shard] = true
	}
}

// Hears returns the input that a cell hears, NoInput for none, even if a fault hides the light from the cell.
func (d *Deserialisers) Hears(cell int) uint32 { return d.port[cell] }

func (d *Deserialisers) inputs(cell int) int {
	if d.taps != nil {
		return len(d.taps.Bus[cell])
	}
	return d.hears.Inputs
}

// Wire returns the wire that a cell has heard in this slot. ok is false for none.
func (d *Deserialisers) Wire(cell int) (wire uint32, ok bool) {
	if wire = d.hooked[cell]; wire != noWire {
		return wire, true
	}
	if d.port[cell] == NoInput {
		return 0, false
	}
	return d.wire(cell/d.bank.PerUnit, cell), true
}

func (d *Deserialisers) wire(unit, cell int) uint32 {
	if d.taps != nil {
		return d.taps.Bus[cell][d.port[cell]]
	}
	return d.hears.Wire(unit, int(d.port[cell]))
}

// hook sets the media that the cells of a shard hear in the beginning slot.
func (d *Deserialisers) hook(s hw.Shard) {
	first, end := s.First*d.bank.PerUnit, s.End*d.bank.PerUnit
	d.scanned[s.Index] = false
	if d.listed[s.Index] {
		d.listed[s.Index] = false
		for _, medium := range d.hooked[first:end] {
			if medium != noWire {
				d.head[medium] = noOne
			}
		}
	}
	whole := d.site == nil && d.misses == nil
	for unit := s.First; unit < s.End; unit++ {
		for cell := unit * d.bank.PerUnit; cell < (unit+1)*d.bank.PerUnit; cell++ {
			medium := noWire
			if d.port[cell] != NoInput && (whole || !d.replaced(cell) && !d.missed(unit, cell)) {
				medium = d.wire(unit, cell)
			}
			d.hooked[cell] = medium
		}
	}
}

// list builds the lists of the listeners of a shard.
func (d *Deserialisers) list(s hw.Shard) {
	d.listed[s.Index] = true
	for cell := s.First * d.bank.PerUnit; cell < s.End*d.bank.PerUnit; cell++ {
		if medium := d.hooked[cell]; medium != noWire {
			d.next[cell], d.head[medium] = d.head[medium], int32(cell)
		}
	}
}

// missed reports whether a fault hides an input's light from a cell in the beginning slot.
func (d *Deserialisers) missed(unit, cell int) bool {
	return d.misses != nil && d.misses(cell, d.wire(unit, cell))
}

func (d *Deserialisers) collect() {
	d.queueAll = d.queueAll[:0]
	for cell, queue := range d.queues {
		d.queueBytes[cell] = uint32(len(queue))
		d.queueAll = append(d.queueAll, queue...)
	}
}

func (d *Deserialisers) link() {
	clear(d.ends)
	rest := d.queueAll
	for cell := range d.queues {
		bytes := min(int(d.queueBytes[cell]), len(rest))
		d.queues[cell] = append(d.queues[cell][:0], rest[:bytes]...)
		rest = rest[bytes:]
	}
	for shard := range d.heard {
		d.heard[shard] = d.heard[shard][:0]
	}
	for cell, state := range d.state {
		if state != receiverIdle && !d.replaced(cell) {
			shard := d.owner[cell]
			d.heard[shard] = append(d.heard[shard], uint32(cell))
		}
	}
	for medium := range d.head {
		d.head[medium] = noOne
	}
	clear(d.switched)
	clear(d.listed)
	for _, s := range d.cuts {
		d.hook(s)
	}
}

func (d *Deserialisers) replaced(cell int) bool { return d.site != nil && d.site.ask[cell] != nil }

func (d *Deserialisers) Latches() []hw.Wire { return []hw.Wire{d.in} }

// Latch reads the phits of this cycle from the lit media of the shard's receivers, or ends the slot. The work at the
// end of a slot grows with the number of receivers with light.
func (d *Deserialisers) Latch(s hw.Shard) {
	if d.ends[s.Index] {
		d.ends[s.Index] = false
		d.endSlot(s.Index)
		if d.switched[s.Index] || d.misses != nil {
			d.switched[s.Index] = false
			d.hook(s)
		}
		return
	}
	in, foreseen := d.in, d.foreseen
	now := d.clock.Cycle()
	for driver := range in.Shards() {
		for _, medium := range in.Lit(driver, s.Index) {
			if foreseen != nil && foreseen.has(medium) != 0 {
				continue
			}
			if !d.listed[s.Index] {
				d.list(s)
			}
			for cell := d.head[medium]; cell != noOne; cell = d.next[cell] {
				if d.state[cell] == receiverIdle {
					d.heard[s.Index] = append(d.heard[s.Index], uint32(cell))
				}
				if !d.receivesOn(int(cell), now, in.Rail1[medium], in.Rail0[medium]) {
					d.receive(int(cell), now, in.Rail1[medium], in.Rail0[medium])
				}
			}
		}
	}
}

func (d *Deserialisers) endSlot(shard int) {
	for _, cell := range d.heard[shard] {
		state, bits := d.state[cell], d.bits[cell]
		if state == receiverIdle || state >= receiverStates || int(bits) > 8*d.frameMax ||
			state == receiverGood && bits%8 != 0 {
			d.clock.Broken(d.bank.Element(int(cell)), "state %d with %d bits at the end of a slot, but a frame has at most %d",
				state, bits, 8*d.frameMax)
		}
		d.state[cell] = receiverIdle
		if d.queues != nil {
			d.queues[cell] = d.queues[cell][:0]
		}
	}
	d.heard[shard] = d.heard[shard][:0]
}

// QuietFor implements hw.Quiet. Without light, only the end of a slot has an effect.
func (d *Deserialisers) QuietFor(limit uint64) uint64 {
	if slices.Contains(d.ends, true) || !d.in.Dark() {
		return 0
	}
	return limit
}

// receivesOn takes a phit of 64 bits in the middle of a frame. It returns false, without a change, for any other phit.
func (d *Deserialisers) receivesOn(cell int, now, rail1, rail0 uint64) bool {
	had := int(d.bits[cell])
	if rail1 != ^rail0 || d.phitBits != 64 || d.state[cell] != receiverReceiving || now != d.due[cell] || had < 64 {
		return false
	}
	frame := d.frames[cell*d.stride:][:d.stride]
	total := 8 * FrameBytes(int(binary.BigEndian.Uint16(frame[offsetPayloadBytes:])))
	if total > 8*d.frameMax || had+64 >= total {
		return false
	}
	putPhit(frame, had, 64, rail1)
	d.bits[cell], d.due[cell] = uint32(had+64), now+1
	return true
}

func (d *Deserialisers) receive(cell int, now, rail1, rail0 uint64) {
	if rail1&rail0 != 0 {
		d.state[cell] = receiverViolated
		return
	}
	switch d.state[cell] {
	case receiverIdle:
		d.state[cell] = receiverReceiving
		d.bits[cell] = 0
	case receiverReceiving:
		if now != d.due[cell] {
			d.state[cell] = receiverDamaged // the light had a dark gap
			return
		}
	case receiverGood:
		if d.queues == nil {
			d.state[cell] = receiverDamaged // the light continues after the end of the frame
			return
		}
		d.state[cell], d.bits[cell] = receiverReceiving, 0
	case receiverDamaged, receiverViolated:
		return
	default:
		d.clock.Broken(d.bank.Element(cell), "state %d, but a receiver has states 0 to %d", d.state[cell], receiverStates-1)
	}

	frame := d.frames[cell*d.stride:][:d.stride]
	had := int(d.bits[cell])
	putPhit(frame, had, d.phitBits, rail1)
	// The length is in the first 32 bits, and is known long before the end, because every frame has at least 128
	// bits. Until then, assume the maximum length.
	total := 8 * d.frameMax
	if had+d.phitBits >= 8*lengthKnownBytes {
		total = 8 * FrameBytes(int(binary.BigEndian.Uint16(frame[offsetPayloadBytes:])))
		if total > 8*d.frameMax {
			d.state[cell] = receiverDamaged
			return
		}
	}
	left := total - had
	if rail1|rail0 != litBits(left, d.phitBits) {
		d.state[cell] = receiverDamaged
		return
	}
	d.bits[cell] = uint32(min(had+d.phitBits, total))
	d.due[cell] = now + 1
	if left <= d.phitBits {
		d.state[cell] = receiverGood
		if !wellFormed(frame[:total/8]) {
			d.state[cell] = receiverDamaged
		} else if d.queues != nil {
			d.queues[cell] = append(d.queues[cell], frame[:total/8]...)
		}
	}
}

// wellFormed makes the remaining checks of Parse for a frame of the right length, without error messages.
func wellFormed(f Frame) bool {
	return f[offsetVersionKind]>>4 == Version && f.Kind() < KindCount && f.Valid()
}

const lengthKnownBytes = offsetPayloadBytes + 2

// Status returns the status of a cell in this slot so far. The status is complete in the slot's last cycle, before
// Latch.
func (d *Deserialisers) Status(cell int) Status {
	if d.replaced(cell) {
		if !d.site.ask[cell]() {
			return StatusIdle
		}
		return d.site.status[cell]
	}
	switch d.state[cell] {
	case receiverIdle:
		return StatusIdle
	case receiverGood:
		return StatusOK
	case receiverViolated:
		return StatusCollision
	}
	return StatusCRC
}

// ListHeard keeps the given cells, counted from cell first on, that may have another status than StatusIdle.
func (d *Deserialisers) ListHeard(cells []uint32, first int) []uint32 {
	n, any := 0, oneIf(d.site != nil)
	for _, cell := range cells {
		cells[n] = cell
		n += int(oneIf(d.state[first+int(cell)] != receiverIdle) | any)
	}
	return cells[:n]
}

// AllIdle is a fast test for StatusIdle of count adjacent cells. If RTL replaces receivers, it may return false for
// idle cells.
func (d *Deserialisers) AllIdle(first, count int) bool {
	if d.site != nil {
		return false
	}
	state := uint8(receiverIdle)
	for _, s := range d.state[first : first+count] {
		state |= s
	}
	return state == receiverIdle
}

// Frame returns the frame of a cell with StatusOK. The frame is a view of the receiver's register, valid until light
// of the next slot arrives.
func (d *Deserialisers) Frame(cell int) Frame {
	bytes := int(d.bits[cell] / 8)
	if d.replaced(cell) {
		bytes = d.site.length[cell]
	}
	return Frame(d.frames[cell*d.stride:][:bytes])
}

// Queued yields, in order, the good frames that a cell has received in this slot, for banks with Queues. The frames
// are views, valid until the slot's last Latch.
func (d *Deserialisers) Queued(cell int, yield func(Frame)) {
	for rest := d.queues[cell]; len(rest) > 0; {
		bytes := FrameBytesMin
		if len(rest) >= FrameBytesMin {
			bytes = FrameBytes(int(binary.BigEndian.Uint16(rest[offsetPayloadBytes:])))
		}
		if bytes > len(rest) {
			d.clock.Broken(d.bank.Element(cell), "%d bytes of a frame of %d in its queue", len(rest), bytes)
		}
		yield(Frame(rest[:bytes]))
		rest = rest[bytes:]
	}
}

func (d *Deserialisers) checkPort(cell int, port uint32) error {
	if port != NoInput && int(port) >= d.inputs(cell) {
		return fmt.Errorf("%s hears port %d of %d", d.bank.Element(cell), port, d.inputs(cell))
	}
	return nil
}
