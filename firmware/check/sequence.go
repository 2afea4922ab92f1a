package check

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/firmware"
	"starloom/nic"
)

const fuzzTicks = 4 // ticks per handler

type trial struct {
	*fuzzer
	in       *FuzzInput
	bank     *nic.Bank
	cell     int
	clean    bool // only frames and statuses
	findings []FuzzFinding

	brought    []uint32 // origins of the packets in the frames
	unreadable bool     // a frame may have carried any packet
}

// run restores the instance afterwards.
func (f *fuzzer) run(in *FuzzInput) []FuzzFinding {
	cell := f.choose(in.Processor)
	t := &trial{fuzzer: f, in: in, bank: f.instance.Bank(), cell: cell, clean: in.received()}
	f.novel, f.compared = false, f.compared[:0]
	if t.bank.Silenced(cell) {
		return nil
	}
	f.m.Host.Limit(fuzzTicks)
	if in.Call != nil {
		f.calls++
		if _, err := f.instance.Call(in.Call.Name, in.Call.Arguments...); err != nil {
			t.fault("its call "+in.Call.Name, f.instance.Fault(err), len(in.Steps))
		}
	}
	for k := 0; k < len(in.Steps) && in.Call == nil && !t.bank.Silenced(cell); k++ {
		t.step(k)
	}
	t.learn(t.instance, t.clean)
	t.note(t.compared)
	foreign, err := f.instance.TakeBack(&f.base, cell)
	if err != nil {
		panic(fmt.Sprintf("fuzzing %s: %v", f.m.Image.Name, err)) // impossible: the instance was in this state before
	}
	if foreign != nil {
		text := fmt.Sprintf("its handler writes into memory of processor %d: %s, at address %#x", t.bank.First+foreign.Owner,
			foreign.Column, foreign.Address)
		t.found(RuleForeignWrite, foreign.Column, text, len(in.Steps))
	}
	return t.findings
}

func (t *trial) found(rule, place, text string, steps int) {
	in := *t.in
	in.Steps = in.Steps[:steps]
	path := t.m.Names.Processor(in.Processor)
	t.findings = append(t.findings,
		FuzzFinding{Rule: rule, Path: path, Text: text, Received: in.received(), Input: in, place: place})
}

func (t *trial) fault(what string, e firmware.Event, steps int) {
	where, place := eventPlace(&e), what+e.Function+e.Source
	switch e.Kind {
	case firmware.EventAssert:
		t.found(fabric.RuleFail, place+e.Text, fmt.Sprintf("%s fails the assertion `%s` in %s", what, e.Text, where), steps)
		t.findings[len(t.findings)-1].Kept = t.kept != nil && t.kept(e.Text, e.Source)
	case firmware.EventFail:
		t.found(fabric.RuleFail, place+e.Text, fmt.Sprintf("%s calls sl_fail with code %s in %s", what, e.Text, where), steps)
		t.findings[len(t.findings)-1].GaveUp = true
	case firmware.EventTrap:
		if t.m.Host.Endless() {
			place = what // an endless loop has no place
		}
		t.found(fabric.RuleTrap, place, fmt.Sprintf("%s traps in %s: %s", what, where, e.Text), steps)
	}
}

func (t *trial) step(k int) {
	bank, cell, slot, x := t.bank, t.cell, t.m.Slots()+1+uint32(k), &t.in.Steps[k]
	t.transmit(x)
	t.receive(x, slot)
	if words := t.words; words != nil {
		bank.Schedule[cell] = words[min(k, len(words)-1)][t.in.Processor]
	}
	t.damage(x)
	if t.stain != 0 {
		bank.StainRx(cell, t.stain)
	}
	t.m.Host.Limit(fuzzTicks)
	t.calls++
	t.instance.Slot([]uint32{uint32(cell)}, slot)
	t.compared = t.instance.TakeOperands(t.compared)
	t.comparedIn = append(t.comparedIn[:k], len(t.compared))
	events := t.instance.TakeEvents()
	t.observe(events)
	for _, e := range events {
		if e.Kind == firmware.EventDeliver {
			t.announce(e.Origin, k+1)
			continue
		}
		t.fault("its handler", e, k+1)
	}
	if bank.Silenced(cell) {
		return
	}
	t.scan(slot, k+1)
	if t.clean && t.stain == 0 {
		t.learnState(bank.State(cell))
	}
}

// transmit removes the sent frames from the TX FIFO and reports them sent, unless the input has other statuses.
func (t *trial) transmit(x *FuzzStep) {
	bank, cell := t.bank, t.cell
	bank.ForgetTx(cell, cell+1)
	bank.SendAll(cell, func(frame nic.FrameView) bool {
		if slices.ContainsFunc(x.Transmit, func(s FuzzLane) bool {
			return (!bank.AllPorts || s.Port == frame.Port()) && nic.TxStatus(s.Status) != nic.TxSent
		}) {
			return false
		}
		return frame.Destination() != nic.ListedDestination || bank.Choice == nil || t.serve()
	})
	for _, s := range x.Transmit {
		bank.NoteTx(cell, s.Port, nic.TxStatus(s.Status), s.Served)
	}
}

func (t *trial) serve() bool {
	list, valid, _ := t.bank.Requests(t.cell)
	for place := range list {
		if valid[place>>6]>>(place&63)&1 != 0 {
			t.bank.SentListed(t.cell, place)
			return true
		}
	}
	return false
}

func (t *trial) receive(x *FuzzStep, slot uint32) {
	bank, cell := t.bank, t.cell
	var heard [nic.LanesMax]bool
	for lane := range bank.Lanes() {
		bank.SetRx(cell, uint16(lane), nic.StatusIdle)
	}
	for i := range x.Frames {
		frame, lane := &x.Frames[i], 0
		if bank.AllPorts {
			lane = int(frame.Port)
		} else if port := bank.Listen(slot - 1)[cell]; int(port) < bank.Ports {
			frame.Port = port
		}
		if heard[lane] || !bank.Hears(cell, frame.Port, slot-1) {
			continue
		}
		heard[lane] = true
		view := frame.view(bank.PayloadBytes)
		bank.PushRx(cell, frame.Port, view)
		switch payload := view.Payload(); {
		case view.Kind() == nic.KindData && len(payload) >= packetBytes:
			t.brought = append(t.brought, binary.LittleEndian.Uint32(payload))
		case len(payload) > 0:
			t.unreadable = true
		}
	}
	for _, s := range x.Statuses {
		bank.SetRx(cell, s.Port, nic.Status(s.Status))
	}
}

const packetBytes = 8

func (t *trial) damage(x *FuzzStep) {
	bank, cell := t.bank, t.cell
	if state, err := hex.DecodeString(x.State); err == nil {
		copy(bank.State(cell), state)
	}
	if x.Workload != nil {
		bank.Workload[cell] = *x.Workload
	}
	if x.Schedule != nil {
		bank.Schedule[cell] = *x.Schedule
	}
	for _, w := range x.ROM {
		if w.Machine {
			bank.Machine[w.Word] = w.Value
		} else {
			bank.ROM[cell*bank.ROMWords+w.Word] = w.Value
		}
	}
}

func (t *trial) announce(origin uint32, steps int) {
	packets := referees.PacketsOf(t.m.Referee)
	if packets == nil || !t.m.Rules.ExactlyOnce || t.unreadable || slices.Contains(t.brought, origin) {
		return
	}
	if !packets.Unfounded(t.in.Processor, origin) {
		return
	}
	t.found(fabric.RuleExactlyOnce, "",
		fmt.Sprintf("announces the packet of processor %d, but had received no frame with it", origin), steps)
}

func (t *trial) scan(slot uint32, steps int) {
	bank, cell, l := t.bank, t.cell, &t.ledger
	l.BeginSlot()
	l.Scan(bank, []uint32{uint32(cell)}, slot)
	l.ScanListen(bank, cell, cell+1, slot)
	for _, x := range l.Findings {
		t.found(x.Kind.Rule(), "", x.Text, steps)
	}
	for place := range min(int(bank.Registers[cell].TxCount), bank.TxFrames) {
		if frame := bank.TxFrame(cell, place); !bank.Legal(cell, frame) {
			t.found(fabric.RuleIllegalSend, "", bank.Refusal(cell, frame), steps)
			bank.Silence(cell)
			return
		}
	}
}

// observe appends the visible effects of a handler to t.seen for stale. It does nothing if t.stain is 0.
func (t *trial) observe(events []firmware.Event) {
	if t.stain == 0 {
		return
	}
	seen, bank, cell := t.seen, t.bank, t.cell
	for _, e := range events {
		seen = fmt.Appendf(seen, "%d %d %d %d %s %s %s\n", e.Kind, e.Origin, e.Word, e.Value, e.Text, e.Function, e.Source)
	}
	seen = binary.LittleEndian.AppendUint64(seen, bank.Words[cell])
	for column := range bank.ListenSlots() {
		seen = binary.LittleEndian.AppendUint16(seen, bank.Listen(uint32(column))[cell])
	}
	if bank.AcceptTag != nil {
		seen = binary.LittleEndian.AppendUint16(seen, bank.AcceptTag[cell])
	}
	if bank.Choice != nil {
		_, valid, first := bank.Requests(cell)
		seen = binary.LittleEndian.AppendUint32(seen, first)
		for _, word := range valid {
			seen = binary.LittleEndian.AppendUint64(seen, word)
		}
	}
	for place := range min(int(bank.Registers[cell].TxCount), bank.TxFrames) {
		frame := bank.TxFrame(cell, place)
		head, route := frame.Words()
		seen = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(seen, head), route)
		seen = append(seen, frame.Body()...)
	}
	t.seen = append(seen, '\n')
	t.seenIn = append(t.seenIn, len(t.seen))
}

// stale runs the input with two fill values for unused bytes in the RX FIFO. The visible effects of both runs must be
// equal.
func (f *fuzzer) stale(in *FuzzInput) []FuzzFinding {
	var seen [2][]byte
	var ends [2][]int
	for k, with := range []byte{0xA5, 0x5A} {
		f.stain, f.seen, f.seenIn = with, f.seen[:0], f.seenIn[:0]
		f.run(in)
		seen[k], ends[k] = slices.Clone(f.seen), slices.Clone(f.seenIn)
	}
	f.stain = 0
	steps := 0
	for steps < min(len(ends[0]), len(ends[1])) && bytes.Equal(seen[0][:ends[0][steps]], seen[1][:ends[1][steps]]) {
		steps++
	}
	if steps == max(len(ends[0]), len(ends[1])) {
		return nil
	}
	t := trial{fuzzer: f, in: in}
	t.found(RuleStaleRead, "", "its handler depends on bytes of the RX FIFO outside its frames: after a payload, or of "+
		"earlier frames", steps+1)
	return t.findings
}
