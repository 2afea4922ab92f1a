// Package wired is the slot engine of a network defined by its wiring. It is the reference for faster slot engines.
package wired

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

// wired carries whole frames across any passive network given by its Wiring. It is the reference for faster
// transports of the slot engine. Latency: one slot. Frames that share a medium, or use both directions of a
// half-duplex link, are lost; their listeners get StatusCollision.
//
//	Send, by shard: lists of frames -> Cross: what is on each medium, where it arrives -> Hear, by shard
type wired struct {
	shape   fabric.Shape
	nic     nic.Discipline
	names   fabric.Names
	wiring  *fabric.Wiring
	timing  nic.Timing
	shards  []hw.Shard
	perUnit int // processors per unit of shards
	shardOf []uint16
	payload int
	credits *flow.Credits  // nil without credits
	turns   *flow.Switches // switches of NICs with one switch, otherwise nil
	blocks  fabric.Blocks  // nil if no frame is ever blocked
	quick   bool           // a NIC sends at most one frame per slot, and no frame is ever blocked
	lanes   *lanes         // lanes of NICs with requesting lanes; otherwise nil

	sent  [2][]wiredFrames // frames by parity of the slot, and by shard
	hears []uint16         // by processor with one switch: port heard
	work  []wiredWork      // work space by shard

	// by processor that hears one port: the last heard port and its medium; a cache that avoids random accesses to a
	// large table, not part of the state
	tuned   []uint16
	tunedTo []uint32

	wiredCrossed
}

type wiredCrossed struct {
	media      []wiredMedium
	carries    []uint8  // by medium, with a dark medium at the end: wiredDark, wiredAlone or wiredMet
	lit        []uint32 // lit media, without duplicates
	arrives    hw.Set   // lit ports of NICs that hear all ports
	hearers    fabric.Listeners
	met, alone uint64
}

const (
	wiredDark  = 0
	wiredAlone = 1
	wiredMet   = 2
)

// wiredFrames holds the frames of some processors in a slot, in order, and the media of the frames.
type wiredFrames struct {
	processors []uint32
	ports      []uint16
	starts     []uint32 // start of each frame in words of 8 bytes
	bytes      []byte
	on         []wiredOn
}

type wiredOn struct{ medium, start uint32 }

func (f *wiredFrames) clear() {
	f.processors, f.ports, f.starts, f.bytes, f.on = f.processors[:0], f.ports[:0], f.starts[:0], f.bytes[:0], f.on[:0]
}

func (f *wiredFrames) room(frames int) {
	f.processors, f.ports, f.starts = slices.Grow(f.processors, frames), slices.Grow(f.ports, frames),
		slices.Grow(f.starts, frames)
	f.on, f.bytes = slices.Grow(f.on, frames), slices.Grow(f.bytes, frames*nic.SmallFrameBytes)
}

// add adds a frame without its media; place adds the media later.
func (f *wiredFrames) add(processor int, frame nic.FrameView) {
	start, used := len(f.bytes), frame.Used()
	f.processors, f.ports, f.starts = append(f.processors, uint32(processor)), append(f.ports, frame.Port()),
		append(f.starts, uint32(start/8))
	f.bytes = slices.Grow(f.bytes, used)[:start+used]
	frame.CopyTo(f.bytes[start:])
}

// place lists the media of the frames from number first on. The accesses to the large table are independent, so they
// overlap.
func (f *wiredFrames) place(w *fabric.Wiring, ports, first int) {
	for i := first; i < len(f.ports); i++ {
		at, port := w.SendRow(int(f.processors[i]), ports), f.ports[i]
		if port != nic.PortAll {
			f.on = append(f.on, wiredOn{w.Sends[at+int(port)], f.starts[i]})
			continue
		}
		for _, medium := range w.Sends[at : at+ports] {
			f.on = append(f.on, wiredOn{medium, f.starts[i]})
		}
	}
}

func (f *wiredFrames) frame(start uint32) nic.FrameView {
	frame := nic.FrameView(f.bytes[start*8:])
	return frame[:frame.Used()]
}

type wiredMedium struct {
	senders uint32
	shard   uint32
	start   uint32
	heard   fabric.Listened // shared by the shards
	shows   uint32          // first bit in which two frames differ
}

// wiredWork is a shard's work space for a block of receivers. The accesses of a block to large tables are
// independent, so that about twenty cache misses overlap.
type wiredWork struct {
	hearing []wiredHearing
	touched uint8
}

const wiredBlock = 512

type wiredHearing struct {
	cell, medium uint32
	port         uint16
}

// New returns the slot-engine transport of a passive network. NICs must send without requests.
func New(n fabric.Network, c *fabric.Config) (fabric.Transport, error) {
	shape := n.Shape()
	t := &wired{
		shape: shape, names: n.Names(), wiring: fabric.WiringOf(n), timing: c.Timing,
		shards: c.Shards, payload: c.PayloadBytes,
		perUnit: shape.Processors() / c.Shards[len(c.Shards)-1].End, shardOf: hw.ShardOfUnit(c.Shards),
		work:         make([]wiredWork, len(c.Shards)),
		wiredCrossed: wiredCrossed{media: make([]wiredMedium, shape.Media), carries: make([]uint8, shape.Media+1)},
	}
	if err := fabric.CheckWiring(n); err != nil {
		return nil, err
	}
	t.nic = t.shape.NIC()
	t.blocks = n.Abilities().Blocks
	if t.nic.Asks || t.timing.Frames > 1 {
		return nil, fmt.Errorf("%s: its NICs request media or send several frames in a slot; wiring alone does not define "+
			"the service", n.Kind())
	}
	var err error
	switch d := t.shape.Chosen().(type) {
	case fabric.OnePort, fabric.AllPorts:
	case fabric.Mixed:
		if t.lanes, err = newLanes(n, c); err != nil {
			return nil, err
		}
	case fabric.Switched:
		t.turns, t.hears = flow.NewSwitches(t.names, d, t.shape), make([]uint16, t.shape.Processors())
	default:
		return nil, fmt.Errorf("%s: wiring alone does not define NICs with a discipline of their own; provide a "+
			"fabric.SlotEngine", n.Kind())
	}
	if t.credits, err = flow.CreditsOf(n, c.Shards); err != nil {
		return nil, err
	}
	t.quick = !t.nic.AllPorts && t.blocks == nil && t.credits == nil && t.turns == nil
	for i := range t.sent {
		t.sent[i] = make([]wiredFrames, len(t.shards), len(t.shards)+1)
		if t.lanes != nil { // frames that wait for a result follow the frames of the only shard
			t.sent[i] = append(t.sent[i], wiredFrames{})
		}
	}
	if t.nic.AllPorts {
		t.arrives, t.hearers = hw.NewSet(len(t.wiring.Hears)), t.wiring.Listeners(shape.Media)
	} else {
		t.tuned, t.tunedTo = slices.Repeat([]uint16{nic.PortNone}, shape.Processors()),
			slices.Repeat([]uint32{uint32(shape.Media)}, shape.Processors())
	}
	t.Reset(c.Seed)
	return t, nil
}

// Start and Latch implement Transport. Only credits require work.

func (t *wired) Start() {}
func (t *wired) Latch() {
	if t.credits != nil {
		t.credits.Latch(t.shards)
	}
}

func (t *wired) Begin(shard int, slot uint32, _ bool) {
	t.sent[slot&1][shard].clear()
	if t.lanes != nil {
		t.sent[slot&1][len(t.shards)].clear()
	}
	if t.turns != nil {
		t.turns.Begin()
	}
}

func (t *wired) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, w fabric.Window, cells []uint32) {
	if t.credits != nil {
		t.credits.Free(shard, bank, ledger, slot, w)
	}
	sent := &t.sent[slot&1][shard]
	first := len(sent.ports)
	sent.room(len(cells))
	if t.quick && bank.Small() && !ledger.Looks() {
		t.sendSmall(shard, bank, cells, ledger, slot)
	} else {
		for _, c := range cells {
			if cell := int(c); bank.Registers[cell].TxCount > 0 {
				t.send(shard, bank, cell, ledger, slot)
			}
		}
	}
	sent.place(t.wiring, t.shape.Ports, first)
	if t.lanes != nil {
		for cell := w.First; cell < w.End; cell++ {
			t.lanes.listen(bank, cell, t.shape.Ports, slot)
		}
	}
	if t.turns == nil {
		return
	}
	ports := bank.Listen(slot)
	for cell := w.First; cell < w.End; cell++ {
		t.hears[bank.First+cell] = t.turns.Turn(ledger, bank.First+cell, ports[cell], slot)
	}
}

func (t *wired) send(shard int, bank *nic.Bank, cell int, ledger *fabric.Ledger, slot uint32) {
	processor := bank.First + cell
	if t.nic.AllPorts {
		if illegal := bank.SendAll(cell,
			func(frame nic.FrameView) (taken bool) { return t.place(shard, bank, cell, frame, ledger, slot) }); illegal != nil {
			fabric.SilenceIllegal(bank, cell, illegal, ledger, slot)
		}
		return
	}
	frame := bank.TxHead(cell)
	if !bank.Legal(cell, frame) {
		fabric.SilenceIllegal(bank, cell, frame, ledger, slot)
		return
	}
	frame.SetSource(uint32(processor))
	if t.blocks != nil && t.blocks(processor, frame.Port(), slot) {
		ledger.NoteBlocked(bank, cell, frame, slot)
		return
	}
	t.sent[slot&1][shard].add(processor, frame)
	if t.turns != nil {
		t.turns.Send(processor, frame.Port())
	}
	ledger.NoteSent(processor, frame, slot)
	bank.NoteTx(cell, frame.Port(), nic.TxSent, frame.Destination())
	bank.PopTx(cell)
}

// place sends a frame of a NIC that sends at all ports, or requests the frame's medium. It returns false if the frame
// is blocked or lacks a credit.
func (t *wired) place(shard int, bank *nic.Bank, cell int, frame nic.FrameView, ledger *fabric.Ledger,
	slot uint32) (taken bool) {
	processor, port := bank.First+cell, frame.Port()
	frame.SetSource(uint32(processor))
	if t.lanes != nil && t.lanes.classes.Class(processor, port) != nic.ClassFree {
		t.sent[slot&1][len(t.shards)].add(processor, frame)
		t.lanes.asked[processor*t.shape.Ports+int(port)], ledger.Sending = 1, true
		return false
	}
	if t.blocks != nil && t.blocks(processor, port, slot) || t.credits != nil && t.credits.Blocks(processor, port) {
		ledger.NoteBlocked(bank, cell, frame, slot)
		return false
	}
	if t.credits != nil {
		t.credits.Sent(processor, port, slot)
	}
	t.sent[slot&1][shard].add(processor, frame)
	ledger.NoteSent(processor, frame, slot)
	return true
}

func (t *wired) Cross(slot uint32) {
	t.darken()
	for shard := range t.shards {
		for _, on := range t.sent[slot&1][shard].on {
			if on.medium != fabric.NoMedium {
				t.light(on.medium, uint32(shard), on.start, slot)
			}
		}
	}
	if t.lanes != nil {
		t.lanes.serve(t, slot)
	}
	if t.wiring.Opposite != nil {
		t.meetOpposite()
	}
	for _, medium := range t.lit {
		if t.carries[medium] == wiredMet {
			t.met += uint64(t.media[medium].senders)
		} else {
			t.alone++
		}
		if t.nic.AllPorts {
			for _, at := range t.hearers.Of(medium) {
				t.arrives.Add(int(at))
			}
		}
	}
}

// meetOpposite marks frames in both directions of a half-duplex link as collided from the first phit on.
func (t *wired) meetOpposite() {
	for _, medium := range t.lit {
		if other := t.wiring.Opposite[medium]; other != medium && t.carries[other] != wiredDark {
			t.carries[medium], t.media[medium].shows = wiredMet, 0
		}
	}
}

func (t *wired) darken() {
	for _, medium := range t.lit {
		t.carries[medium] = wiredDark
	}
	t.lit, t.met, t.alone = t.lit[:0], 0, 0
	if t.nic.AllPorts {
		t.arrives.Clear()
	}
}

func (t *wired) light(medium, shard, start, slot uint32) {
	m := &t.media[medium]
	if t.carries[medium] == wiredDark {
		t.carries[medium], *m = wiredAlone, wiredMedium{senders: 1, shard: shard, start: start, shows: 64}
		t.lit = append(t.lit, medium)
		return
	}
	sent := t.sent[slot&1]
	differ := sent[m.shard].frame(m.start).HeadBits() ^ sent[shard].frame(start).HeadBits()
	t.carries[medium], m.senders, m.shows = wiredMet, m.senders+1, min(m.shows, uint32(bits.LeadingZeros64(differ)))
}

func (t *wired) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, w fabric.Window) {
	if t.lanes != nil {
		flow.AnswerLanes(t.shape.Ports, bank, w, t.lanes.asked,
			func(transmitter int) bool { return t.lanes.serves[transmitter] != fabric.NoMedium }, ledger, slot)
	}
	bank.ForgetRx(w.First, w.End)
	switch {
	case len(t.lit) == 0:
	case t.nic.AllPorts:
		t.hearAll(shard, bank, ledger, slot, w.First, w.End)
	case t.turns != nil:
		t.hearOne(shard, bank, t.hears[bank.First:bank.First+bank.Cells], ledger, slot, w.First, w.End)
	default:
		t.hearOne(shard, bank, bank.Listen(slot), ledger, slot, w.First, w.End)
	}
	ledger.Judge(slot)
}

func (t *wired) hearOne(shard int, bank *nic.Bank, ports []uint16, ledger *fabric.Ledger, slot uint32, first, end int) {
	work, all, dark := &t.work[shard], t.shape.Ports, uint32(len(t.media))
	for ; first < end; first += wiredBlock {
		some := ports[first:min(first+wiredBlock, end)]
		processor := bank.First + first
		tuned, to := t.tuned[processor:][:len(some)], t.tunedTo[processor:][:len(some)]
		for i, port := range some {
			if port != tuned[i] {
				tuned[i], to[i] = port, dark
				if int(port) < all {
					to[i] = min(t.wiring.Hears[t.wiring.HearRow(processor+i, all)+int(port)], dark) // NoMedium is dark, too
				}
			}
		}
		list := slices.Grow(work.hearing[:0], wiredBlock)[:wiredBlock]
		n := 0
		for i, port := range some {
			medium := to[i]
			list[n&(wiredBlock-1)] = wiredHearing{uint32(first + i), medium, port}
			n += int(t.carries[medium]+1) >> 1 // 0 if dark, otherwise 1
		}
		work.hearing = list[:n]
		t.deliver(work, bank, ledger, slot)
	}
}

func (t *wired) hearAll(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, first, end int) {
	work, ports := &t.work[shard], t.shape.Ports
	last := (bank.First + end) * ports
	for at := t.arrives.Next((bank.First+first)*ports, last); at < last; {
		work.hearing = work.hearing[:0]
		from := at
		for ; at < last && len(work.hearing) < wiredBlock; at = t.arrives.Next(at+1, last) {
			cell, port := at/ports-bank.First, uint16(at%ports)
			if bank.Hears(cell, port, slot) {
				work.hearing = append(work.hearing, wiredHearing{uint32(cell), t.wiring.Hears[at], port})
			}
		}
		t.deliver(work, bank, ledger, slot)
		if t.credits != nil {
			for i := from; i < at; i = t.arrives.Next(i+1, at) {
				t.credits.Heard(shard, bank, i/ports-bank.First, uint16(i%ports), ledger, slot)
			}
		}
	}
}

func (t *wired) deliver(work *wiredWork, bank *nic.Bank, ledger *fabric.Ledger, slot uint32) {
	sent := t.sent[slot&1]
	for i := range work.hearing {
		m := &t.media[work.hearing[i].medium]
		work.touched ^= sent[m.shard].bytes[m.start*8]
	}
	if bank.Small() && !ledger.Looks() {
		t.deliverSmall(work, bank, ledger, slot)
		return
	}
	for i := range work.hearing {
		h := &work.hearing[i]
		m, cell, met := &t.media[h.medium], int(h.cell), t.carries[h.medium] == wiredMet
		switch effect := ledger.Harm(bank, cell, h.port, slot, met); {
		case effect != fabric.Unharmed:
			if !met {
				m.listened(&ledger.Frames, effect)
			}
		case met:
			bank.SetRx(cell, h.port, nic.StatusCollision)
			ledger.NoteHeard(bank.First+cell, h.port, nic.StatusCollision, nil, slot)
		default:
			m.listened(&ledger.Frames, fabric.Unharmed)
			frame := sent[m.shard].frame(m.start)
			ledger.NoteHeard(bank.First+cell, h.port, bank.PushRx(cell, h.port, frame), frame, slot)
		}
	}
}

func (m *wiredMedium) first() bool {
	return atomic.LoadUint32(&m.heard) == fabric.NotListened &&
		atomic.SwapUint32(&m.heard, fabric.HasListened) == fabric.NotListened
}

// listened counts the frame of a medium at a receiver (Frames.Listened). Shards with a common medium may call it
// concurrently.
func (m *wiredMedium) listened(f *fabric.Frames, effect fabric.Effect) {
	state := atomic.LoadUint32(&m.heard)
	switch {
	case state == fabric.HasListened:
		return
	case effect != fabric.Missed:
		state = atomic.SwapUint32(&m.heard, fabric.HasListened)
	case !atomic.CompareAndSwapUint32(&m.heard, fabric.NotListened, fabric.AllMissed):
		return
	}
	f.Listened(state, effect, 1)
}

// Collisions implements Transport. Shard 0 reports the collisions of all shards.
func (t *wired) Collisions(shard int, _ uint32, yield func(medium int, cycle uint32)) (met, alone uint64) {
	if shard > 0 {
		return 0, 0
	}
	if yield != nil && t.met > 0 {
		slices.Sort(t.lit)
		for _, medium := range t.lit {
			if t.carries[medium] == wiredMet {
				yield(int(medium),
					uint32(t.timing.ComputeCycles+t.timing.ArbitrationCycles+int(t.media[medium].shows)/t.timing.PhitBits))
			}
		}
	}
	return t.met, t.alone
}

func (t *wired) Reset(seed uint64) {
	t.forget()
	if t.lanes != nil {
		t.lanes.reset(seed)
	}
	for i := range t.hears {
		t.hears[i] = nic.PortNone
	}
	if t.credits != nil {
		t.credits.Restart()
	}
}

func (t *wired) forget() {
	t.darken()
	for i := range t.sent {
		for shard := range t.sent[i] {
			t.sent[i][shard].clear()
		}
	}
}

func (t *wired) Credits() *flow.Credits { return t.credits }

func (t *wired) Path() string { return "fabric" }

// State implements hw.Stateful. The sent frames determine the contents of media.
func (t *wired) State(v *hw.StateVisitor) {
	if t.credits != nil {
		t.credits.StateWhole(v)
	}
	if v.Snapshots() {
		v.Live(hw.Live{Save: t.saveCrossing, Return: t.returnCrossing})
		hw.StateColumn(v, hw.Future, "hears", t.hears)
		if t.lanes != nil {
			t.lanes.state(v)
		}
		return
	}
	for i, name := range []string{"even", "odd"} {
		t.stateSent(v, name, t.sent[i][:len(t.shards)])
		if t.lanes != nil {
			t.stateSent(v, name+".asked", t.sent[i][len(t.shards):])
		}
	}
	if t.lanes != nil {
		t.lanes.state(v)
	}
	hw.StateColumn(v, hw.Future, "hears", slices.Clip(t.hears), t.checkPort(nic.PortNone))
}

func (t *wired) saveCrossing(to []byte, slot uint32) []byte {
	for i := range t.sent[slot&1] {
		s := &t.sent[slot&1][i]
		to = binary.LittleEndian.AppendUint32(to, uint32(len(s.processors)))
		for k, processor := range s.processors {
			to = binary.LittleEndian.AppendUint32(to, processor)
			to = append(to, s.frame(s.starts[k])...)
		}
	}
	return to
}

func (t *wired) returnCrossing(from []byte, slot uint32) []byte {
	t.forget()
	frame := make(nic.FrameView, nic.FrameStride(t.payload))
	for i := range t.sent[slot&1] {
		s := &t.sent[slot&1][i]
		frames := binary.LittleEndian.Uint32(from)
		from = from[4:]
		for range frames {
			processor := int(binary.LittleEndian.Uint32(from))
			from = from[4:]
			from = from[frame.Return(from):]
			s.add(processor, frame)
		}
		s.place(t.wiring, t.shape.Ports, 0)
	}
	return from
}

func (t *wired) checkPort(other uint16) func(int, uint16) error {
	return func(_ int, port uint16) error {
		if int(port) >= t.shape.Ports && port != other {
			return fmt.Errorf("port %d of %d", port, t.shape.Ports)
		}
		return nil
	}
}

func (t *wired) stateSent(v *hw.StateVisitor, name string, sent []wiredFrames) {
	var processors []uint32
	var ports []uint16
	var frames []byte
	stride := nic.FrameStride(t.payload)
	for shard := range sent {
		s := &sent[shard]
		processors, ports = append(processors, s.processors...), append(ports, s.ports...)
		for i := range s.starts {
			frame := s.frame(s.starts[i])
			frames = append(append(frames, frame...), make([]byte, stride-len(frame))...)
		}
	}
	rows := [2]int{}
	hw.StateList(v, hw.Future, name+".from", &processors, hw.AtMost(uint32(t.shape.Processors()-1)),
		func(i int, _ uint32) error { rows[0] = i + 1; return nil })
	hw.StateList(v, hw.Future, name+".to", &ports, t.checkPort(nic.PortAll),
		func(i int, _ uint16) error { rows[1] = i + 1; return nil })
	nic.StateFrames(v, name+".frames", &frames, stride, t.payload, t.shape.Processors())
	v.Verify(func() error {
		if rows[0] != rows[1] {
			return fmt.Errorf("%s: %d frames to %d ports", name, rows[0], rows[1])
		}
		return nil
	})
	v.AfterRestore(func() {
		for shard := range sent {
			sent[shard].clear()
		}
		for i := range min(len(processors), len(ports), len(frames)/stride) {
			processor, frame := int(processors[i]), nic.FrameView(frames[i*stride:(i+1)*stride])
			sent[t.shardOf[processor/t.perUnit]].add(processor, frame)
		}
		for shard := range sent {
			sent[shard].place(t.wiring, t.shape.Ports, 0)
		}
	})
}

// TransportOf returns the slot-engine transport of a network.
func TransportOf(n fabric.Network, c *fabric.Config) (fabric.Transport, error) {
	if own := n.Abilities().Slot.Transport; own != nil {
		return own(c)
	}
	return New(n, c)
}

// ShapeOf returns the shape in the slot engine. If a network is defined by its wiring alone, a shard may end between
// any two processors.
func ShapeOf(n fabric.Network) fabric.Shape {
	s := n.Shape()
	switch s.Chosen().(type) {
	case fabric.OnePort, fabric.AllPorts:
	default:
		return s
	}
	if a := n.Abilities(); s.Loose || a.Slot.Transport == nil && !a.Credits.Any() {
		s.Units, s.PerUnit = s.Processors(), 1
	}
	return s
}

// Timeless implements fabric.Timeless: blocked frames and credits depend on the slot.
func (t *wired) Timeless() bool { return t.blocks == nil && t.credits == nil && t.lanes == nil }
