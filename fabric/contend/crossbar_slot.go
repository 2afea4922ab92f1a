package contend

import (
	"math/bits"

	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

// SlotTransport returns a network of one crossbar in the slot engine. Tables hold the frames, and arbiters decide
// instantly. It returns an error for an illegal arbiter.
func (x Crossbar) SlotTransport(c *fabric.Config) (fabric.Transport, error) {
	if err := x.check(); err != nil {
		return nil, err
	}
	t := &crossbarTransport{matching: newMatching(x), stride: nic.FrameStride(c.PayloadBytes),
		payloadBytes: c.PayloadBytes, timing: c.Timing, bank: c.Bank,
		shared: x.Shared(), stale: hw.NewSet(x.Ports)}
	t.contention.Stream = hw.NewStream(c.Seed, hw.PurposeCoin)
	t.matching.reset(c.Seed)
	t.request = func(input int) hw.ListRequest {
		bank, cell := t.bank(input)
		return listRequest(bank, cell)
	}
	for i := range t.frames {
		t.frames[i] = make([]byte, x.Ports*t.stride)
	}
	return t, nil
}

// crossbarTransport is the slot engine of a crossbar. Two tables of frames alternate. A bank may therefore send in
// slot t while another bank still hears slot t-1. Latency: one slot. The work per slot grows with the number of
// requesting, served or called NICs, plus one bit per processor.
type crossbarTransport struct {
	*matching
	stride       int
	payloadBytes int
	timing       nic.Timing
	bank         func(processor int) (bank *nic.Bank, cell int)
	frames       [2][]byte       // frames by sender
	shared       bool            // all outputs are one medium
	stale        hw.Set          // processors whose receive status may differ from idle
	listened     fabric.Listened // state of the shared medium in this slot, in runs with faults
}

// Start, Begin and Latch implement Transport. The frames are already in the tables.

func (t *crossbarTransport) Start()                  {}
func (t *crossbarTransport) Begin(int, uint32, bool) {}
func (t *crossbarTransport) Latch()                  {}

func (t *crossbarTransport) Path() string { return "fabric" }

func (t *crossbarTransport) frame(slot uint32, sender int) nic.FrameView {
	return t.frames[slot&1][sender*t.stride : (sender+1)*t.stride]
}

// Send implements Transport. It collects the request of every NIC with a frame, and the filters of the outputs.
func (t *crossbarTransport) Send(_ int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	w fabric.Window, cells []uint32) {
	first, end := bank.First+w.First, bank.First+w.End
	all := slot == 0 || bank.ListenSlots() > 1 // otherwise only called handlers can change filters
	for _, cell := range cells {
		processor := bank.First + int(cell)
		t.ask(processor, bank.Registers[cell].TxCount > 0)
		t.stale.Add(processor)
		if !all {
			t.takes(bank, int(cell), slot)
		}
	}
	for input := t.asking.Next(first, end); input < end; input = t.asking.Next(input+1, end) {
		cell := input - bank.First
		if bank.Registers[cell].TxCount == 0 { // its NIC was silenced
			t.ask(input, false)
			continue
		}
		frame := bank.TxHead(cell)
		if !bank.Legal(cell, frame) {
			fabric.SilenceIllegal(bank, cell, frame, ledger, slot)
			t.ask(input, false)
			t.takes(bank, cell, slot)
			continue
		}
		frame.SetSource(uint32(input))
		frame.CopyTo(t.frame(slot, input))
		t.destination[input], t.tag[input] = frame.Destination(), frame.Tag()
		ledger.Sending = true
	}
	for cell := w.First; all && cell < w.End; cell++ {
		t.takes(bank, cell, slot)
	}
}

func (t *crossbarTransport) takes(bank *nic.Bank, cell int, slot uint32) {
	t.listen(bank.First+cell, bank.Listen(slot)[cell] == 0, bank.Accepts(cell))
}

func (t *crossbarTransport) Cross(slot uint32) {
	t.listened = fabric.NotListened
	t.decide(slot)
}

// Hear implements Transport. It answers requests and delivers frames.
func (t *crossbarTransport) Hear(_ int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, w fabric.Window) {
	first, end := bank.First+w.First, bank.First+w.End
	for input := t.asking.Next(first, end); input < end; input = t.asking.Next(input+1, end) {
		if flow.Answer(bank, ledger, input-bank.First, int(t.servedBy[input]), t.place(input), slot) {
			t.ask(input, bank.Registers[input-bank.First].TxCount > 0)
		}
	}
	for output := t.stale.Next(first, end); output < end; output = t.stale.Next(output+1, end) {
		bank.SetRx(output-bank.First, 0, nic.StatusIdle)
	}
	t.stale.RemoveRange(first, end)
	for cell := w.First; len(t.met) > 0 && cell < w.End; cell++ {
		if output := bank.First + cell; bank.Hears(cell, 0, slot) &&
			ledger.Harm(bank, cell, 0, slot, true) == fabric.Unharmed {
			bank.SetRx(cell, 0, nic.StatusCollision)
			t.stale.Add(output)
			ledger.NoteHeard(output, 0, nic.StatusCollision, nil, slot)
		}
	}
	counted := t.shared && ledger.Faults != nil
	if counted && len(t.taken) > 0 {
		t.hearAll(bank, ledger, slot, w)
	}
	for output := t.serving.Next(first, end); output < end; output = t.serving.Next(output+1, end) {
		t.stale.Add(output)
		if effect := t.harm(bank, ledger, output-bank.First, slot); effect != fabric.Unharmed {
			if !counted {
				ledger.Frames.NoteHarmed(effect, t.servedAt(output))
			}
			continue
		}
		for input := t.serves[output]; input != noOne; input = t.after(input) {
			frame := t.frame(slot, int(input))
			frame.SetDestination(uint32(output))
			if !counted {
				ledger.Frames.Heard++
			}
			ledger.NoteHeard(output, 0, bank.PushRx(output-bank.First, 0, frame), frame, slot)
		}
	}
	ledger.Judge(slot)
}

// harm returns the effect of faults on an output. For a shared medium, it returns the effect on all listeners.
func (t *crossbarTransport) harm(bank *nic.Bank, ledger *fabric.Ledger, cell int, slot uint32) fabric.Effect {
	if t.shared && ledger.Faults != nil {
		effect, _, _ := ledger.Faults.At(bank.First+cell, 0, slot)
		return effect // hearAll has applied the effect
	}
	return ledger.Harm(bank, cell, 0, slot, false)
}

// hearAll applies faults to all listeners of the shared medium, and counts its frame.
func (t *crossbarTransport) hearAll(bank *nic.Bank, ledger *fabric.Ledger, slot uint32, w fabric.Window) {
	for cell := w.First; cell < w.End; cell++ {
		if !bank.Hears(cell, 0, slot) {
			continue
		}
		effect := ledger.Harm(bank, cell, 0, slot, false)
		if effect == fabric.Flipped {
			t.stale.Add(bank.First + cell)
		}
		t.listened = ledger.Frames.Listened(t.listened, effect, 1)
	}
}

// Collisions implements Transport. Frames collide only without an arbiter. Both rails are lit from the first
// differing bit of two frames.
func (t *crossbarTransport) Collisions(_ int, slot uint32, yield func(medium int, cycle uint32)) (met, alone uint64) {
	if yield != nil && len(t.met) > 0 {
		differ := uint64(0)
		first := t.frame(slot, int(t.met[0])).HeadBits()
		for _, input := range t.met[1:] {
			differ |= first ^ t.frame(slot, int(input)).HeadBits()
		}
		bit := bits.LeadingZeros64(differ)
		yield(0, uint32(t.timing.ComputeCycles+t.timing.ArbitrationCycles+bit/t.timing.PhitBits))
	}
	return uint64(len(t.met)), t.crossing()
}

func (t *crossbarTransport) Reset(seed uint64) {
	t.contention.Stream = hw.NewStream(seed, hw.PurposeCoin)
	t.reset(seed)
	t.stale.Fill(t.ports)
	for i := range t.frames {
		clear(t.frames[i])
	}
}

// Timeless implements fabric.Timeless: on a medium without an arbiter, coins depend on the slot. Arbiters of crossbars
// have no slices.
func (t *crossbarTransport) Timeless() bool { return !t.coins }

func (t *crossbarTransport) State(v *hw.StateVisitor) {
	t.state(v)
	v.Derive(func() { t.stale.Fill(t.ports) })
	stateTables(v, &t.frames, &t.asking, t.stride, nic.CheckFrames(t.stride, t.payloadBytes, t.ports))
}
