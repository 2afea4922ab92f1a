package tuned

import (
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// carrier is the slot engine: it carries whole frames by tables. Lists of senders per shard make quiet slots cheap,
// and need a reset.
type carrier struct {
	of      Network
	bug     bug
	timing  nic.Timing
	shards  []hw.Shard
	stride  int
	frames  [2][]byte   // by transmitter: frame sent in an even and in an odd slot
	to      [2][]uint16 // group of the addressee; nic.PortNone for no frame
	senders [2][][]uint32
	media   []medium // in the crossed slot
}

// medium is the state of a medium in a slot.
type medium struct {
	frames int
	first  int // first transmitter with a frame
	shows  int // first bit in which two frames differ
	heard  fabric.Listened
}

func (m *medium) met() bool { return m.frames > 1 }

func (n Network) slotTransport(c *fabric.Config) (fabric.Transport, error) {
	t := &carrier{of: n, bug: n.bug, timing: c.Timing, shards: c.Shards, stride: nic.FrameStride(c.PayloadBytes),
		media: make([]medium, n.Shape().Media)}
	for i := range t.to {
		t.to[i] = slices.Repeat([]uint16{nic.PortNone}, n.Groups*n.Size*fibres)
		t.frames[i] = make([]byte, len(t.to[i])*t.stride)
		t.senders[i] = make([][]uint32, len(t.shards))
	}
	return t, nil
}

// column returns the column of a slot.
func (t *carrier) column(slot uint32) int {
	if t.bug == oneColumn {
		return 0
	}
	return int(slot & 1)
}

func (t *carrier) frame(slot uint32, transmitter int) nic.FrameView {
	return t.frames[t.column(slot)][transmitter*t.stride : (transmitter+1)*t.stride]
}

// leads returns the medium to which a transmitter is tuned in a slot.
func (t *carrier) leads(slot uint32, transmitter int) int {
	return t.of.medium(transmitter/fibres/t.of.Size, transmitter%fibres, int(t.to[t.column(slot)][transmitter]))
}

// Start and Latch implement fabric.Transport.
func (t *carrier) Start() {}
func (t *carrier) Latch() {}

// Begin implements fabric.Transport.
func (t *carrier) Begin(shard int, slot uint32, _ bool) {
	column := t.column(slot)
	for _, transmitter := range t.senders[column][shard] {
		t.to[column][transmitter] = nic.PortNone
	}
	t.senders[column][shard] = t.senders[column][shard][:0]
}

// Send implements fabric.Transport.
func (t *carrier) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, w fabric.Window, cells []uint32) {
	t.of.seen.note(w)
	switch {
	case t.bug == sendsPastWindow:
		cells = nil
		for cell := range bank.Cells {
			cells = append(cells, uint32(cell))
		}
	case t.bug == lastSenderOut && len(cells) > 1:
		cells = cells[:len(cells)-1]
	}
	for _, c := range cells {
		cell := int(c)
		if bank.Registers[cell].TxCount == 0 || bank.Silenced(cell) {
			continue
		}
		illegal := bank.SendAll(cell, func(frame nic.FrameView) bool {
			t.place(shard, bank, cell, frame, ledger, slot)
			return true
		})
		if t.bug == txStatusUntold && bank.TxStatus != nil {
			bank.ForgetTx(cell, cell+1)
		}
		switch {
		case illegal == nil:
		case t.bug == illegalGoesOn:
			ledger.Find(fabric.Finding{Kind: fabric.FindIllegalSend, Slot: slot, Index: bank.First + cell,
				Text: bank.Refusal(cell, illegal)})
			bank.Registers[cell].TxCount = 0
		default:
			fabric.SilenceIllegal(bank, cell, illegal, ledger, slot)
		}
	}
}

// place takes a frame of a NIC.
func (t *carrier) place(shard int, bank *nic.Bank, cell int, frame nic.FrameView, ledger *fabric.Ledger, slot uint32) {
	processor, port, column := bank.First+cell, frame.Port(), t.column(slot)
	if t.bug != sourceNotSet {
		frame.SetSource(uint32(processor))
	}
	for fibre := range fibres {
		if port != nic.PortAll && int(port) != fibre || t.bug == allIsOne && port == nic.PortAll && fibre > 0 {
			continue
		}
		transmitter := processor*fibres + fibre
		frame.CopyTo(t.frame(slot, transmitter))
		t.to[column][transmitter] = uint16(t.of.groupOf(int(frame.Destination())))
		t.senders[column][shard] = append(t.senders[column][shard], uint32(transmitter))
	}
	ledger.NoteSent(processor, frame, slot)
}

// Cross implements fabric.Transport.
func (t *carrier) Cross(slot uint32) {
	clear(t.media)
	for transmitter, to := range t.to[t.column(slot)] {
		if to == nic.PortNone {
			continue
		}
		m := &t.media[t.leads(slot, transmitter)]
		if m.frames++; m.frames == 1 {
			m.first, m.shows = transmitter, 64
			continue
		}
		differ := t.frame(slot, m.first).HeadBits() ^ t.frame(slot, transmitter).HeadBits()
		m.shows = min(m.shows, bits.LeadingZeros64(differ))
	}
}

// Hear implements fabric.Transport.
func (t *carrier) Hear(_ int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, w fabric.Window) {
	t.of.seen.note(w)
	switch {
	case t.bug == hearsPastWindow:
		w = fabric.Window{First: 0, End: bank.Cells}
	case t.bug == lastListenerOut && w.End > w.First+1:
		w.End--
	}
	for cell := w.First; cell < w.End; cell++ {
		for fibre := range uint16(fibres) {
			t.hear(bank, cell, fibre, ledger, slot)
		}
	}
	if t.bug != notJudged {
		ledger.Judge(slot)
	}
}

// hear delivers the frame at a receiver.
func (t *carrier) hear(bank *nic.Bank, cell int, fibre uint16, ledger *fabric.Ledger, slot uint32) {
	processor := bank.First + cell
	bank.SetRx(cell, fibre, nic.StatusIdle)
	m := &t.media[names{Network: t.of}.HeardOn(processor, fibre)]
	if m.frames == 0 || t.bug != neverDeaf && !bank.Hears(cell, fibre, slot) {
		return
	}
	effect := fabric.Unharmed
	if t.bug != faultsIgnored {
		effect = ledger.Harm(bank, cell, fibre, slot, m.met())
	}
	if effect == fabric.Missed && t.bug == missIgnored {
		effect = fabric.Unharmed
	}
	if !m.met() {
		switch counted := effect; {
		case t.bug == heardTwice:
			ledger.Frames.Listened(fabric.NotListened, effect, 1)
		case t.bug == missForAll && effect == fabric.Missed:
			counted = fabric.Dark
			fallthrough
		default:
			m.heard = ledger.Frames.Listened(m.heard, counted, 1)
		}
	}
	switch {
	case effect != fabric.Unharmed:
		return
	case m.met() && t.bug != firstWins:
		bank.SetRx(cell, fibre, nic.StatusCollision)
		ledger.NoteHeard(processor, fibre, nic.StatusCollision, nil, slot)
		return
	}
	if t.bug == wrongSlot {
		slot++
	}
	frame := t.frame(slot, m.first)
	if t.bug == wrongSlot {
		slot--
	}
	ledger.NoteHeard(processor, fibre, bank.PushRx(cell, fibre, frame), frame, slot)
}

// Collisions implements fabric.Transport.
func (t *carrier) Collisions(shard int, slot uint32, yield func(medium int, cycle uint32)) (met, alone uint64) {
	each := t.of.Size * fibres
	first, end := t.shards[shard].First*each, t.shards[shard].End*each
	if t.bug == shardTooShort {
		end--
	}
	for transmitter := first; transmitter < end; transmitter++ {
		switch {
		case t.to[t.column(slot)][transmitter] == nic.PortNone:
		case t.media[t.leads(slot, transmitter)].met():
			met++
		default:
			alone++
		}
	}
	if t.bug == notCounted {
		met = 0
	}
	perGroup := fibres * t.of.Groups
	for medium := t.shards[shard].First * perGroup; yield != nil && medium < t.shards[shard].End*perGroup; medium++ {
		if m := &t.media[medium]; m.met() {
			cycle := t.timing.ComputeCycles + m.shows/t.timing.PhitBits
			switch t.bug {
			case wrongCycle:
				yield(medium, uint32(cycle+1))
			case wrongMedium:
				yield(medium^1, uint32(cycle))
			default:
				yield(medium, uint32(cycle))
			}
		}
	}
	return met, alone
}

// Reset implements fabric.Transport.
func (t *carrier) Reset(uint64) {
	for column := range t.to {
		for i := range t.to[column] {
			if t.bug != lightStays {
				t.to[column][i] = nic.PortNone
			}
		}
		t.forget(column)
	}
}

// forget empties the lists of senders.
func (t *carrier) forget(column int) {
	for shard := range t.shards {
		t.senders[column][shard] = t.senders[column][shard][:0]
	}
}

// Path implements hw.Stateful.
func (t *carrier) Path() string { return "fabric" }

// State implements hw.Stateful. The lists follow from the frames.
func (t *carrier) State(v *hw.StateVisitor) {
	for i, name := range []string{"even", "odd"} {
		if t.bug == columnNotSaved && i == 1 {
			continue
		}
		hw.StateColumn(v, hw.Future, name+".frames", t.frames[i])
		hw.StateColumn(v, hw.Future, name+".to", t.to[i], func(_ int, to uint16) error {
			if to != nic.PortNone && int(to) >= t.of.Groups {
				return fmt.Errorf("group %d, there are %d", to, t.of.Groups)
			}
			return nil
		})
	}
	v.AfterRestore(func() {
		each := t.of.Size * fibres
		for column := range t.to {
			t.forget(column)
			for shard, s := range t.shards {
				for transmitter := s.First * each; transmitter < s.End*each; transmitter++ {
					if t.to[column][transmitter] != nic.PortNone {
						t.senders[column][shard] = append(t.senders[column][shard], uint32(transmitter))
					}
				}
			}
		}
	})
}

// windows records the widths of windows given to a transport, one bit for each.
type windows struct{ bits atomic.Uint64 }

func (w *windows) note(window fabric.Window) {
	if w != nil {
		w.bits.Or(1 << min(window.End-window.First, 63))
	}
}

func (w *windows) widths() (all []int) {
	for width := range 64 {
		if w.bits.Load()>>width&1 != 0 {
			all = append(all, width)
		}
	}
	return all
}
