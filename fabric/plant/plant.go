// Package plant is the cycle engine of networks with slotted NICs: the transmitters and receivers of all NICs, the
// media that a network's Build adds, and the work of each discipline at a slot boundary.
package plant

import (
	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

// Plant is the hardware of a machine in the cycle engine, simulated phit by phit: a kernel, the transmitters and
// receivers of all NICs, and the media added by a network's Build. Plant is the Transport of this engine.
//
//	serialisers --light, port--> media --light--> links --light--> deserialisers
//	 (registered)           (combinational)   (propagation)        (registered)
//
// Collisions follow from the light: two senders light both rails of a bit, and the receivers see both. The plant
// predicts frames that nothing can disturb: only their first phits cross, unless the machine is watched. The Access
// of the Discipline works at slot boundaries.
//
// The boundary of a slot is the Settle phase of its last guard cycle. Hear reads the receivers' registers; Send and
// Listen set inputs for the Latch of the same cycle. Slot 0 follows the last cycle of reset, which has no number.
// Light at the far end of a link in a last guard cycle is late and belongs to no slot; models never have late light.
type Plant struct {
	Front
	Watched
	kernel *hw.Kernel

	sited   []hw.Sited // components that RTL can replace
	unsited []hw.Component
}

func (t *Plant) Start() { t.kernel.DriveAndSettle() }

// Begin implements Transport. It is called in the last cycle of the previous slot.
func (t *Plant) Begin(shard int, slot uint32, exact bool) {
	t.media.Medium.ClearSlot(shard)
	t.deserialisers.EndSlot(shard)
	s := &t.shards[shard]
	s.noted, s.exact = 0, exact
	for _, medium := range s.heard {
		t.seen.marks[medium] = 0
	}
	s.heard = s.heard[:0]
	t.access.Begin()
	first, end := t.transmitters(shard)
	t.silence(first, end)
	if t.sums != nil {
		t.sums.begin(slot, first, end)
	}
}

func (t *Plant) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	t.access.Hear(shard, bank, ledger, slot, window)
	ledger.Judge(slot)
}

func (t *Plant) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, cells []uint32) {
	t.access.Send(shard, bank, ledger, slot, window, cells)
}

// Cross implements Transport. It runs the cycles of the slot up to the Settle phase of the last cycle. Unless the
// plant is watched, it skips inactive cycles. A failure of RTL ends the slot.
func (t *Plant) Cross(slot uint32) { t.CrossBeside(slot, nil) }

// CrossBeside is Cross in step with the kernel other, unless nil: in each cycle other runs first, and no frame is
// predicted.
func (t *Plant) CrossBeside(slot uint32, other *hw.Kernel) {
	boundary, known := t.timing.BoundaryCycle(slot), t.kernel.Cycle()
	if t.timing.ArbitrationCycles > 0 || !t.media.Apart {
		known = t.timing.FirstPhitCycle(slot) + 1
	}
	t.forget()
	for t.kernel.Cycle() < boundary && !t.failed() {
		watched := t.Watch != nil && t.WatchError == nil
		if other == nil && t.kernel.Cycle() == known {
			t.foresee(slot, watched)
		}
		if !watched {
			skip := t.kernel.QuietFor(boundary - t.kernel.Cycle())
			if other != nil {
				skip = other.QuietFor(skip)
			}
			if skip > 0 {
				t.kernel.Skip(skip)
				if other != nil {
					other.Skip(skip)
				}
				continue
			}
		}
		t.settle(slot, other)
		t.kernel.Latch()
		if other != nil {
			other.Latch()
		}
	}
	if !t.failed() {
		t.settle(slot, other)
	}
	t.crossed(slot)
}

func (t *Plant) settle(slot uint32, other *hw.Kernel) {
	if other != nil {
		other.DriveAndSettle()
	}
	t.kernel.DriveAndSettle()
	t.noteViolations(uint32(t.kernel.Cycle() - t.timing.SlotCycle(slot)))
	t.Look(t.kernel.Cycle())
}

func (t *Plant) crossed(slot uint32) {
	if !t.failed() {
		t.noteLate()
		t.access.Crossed(slot)
	}
	if !t.foreseen || !t.calm() { // otherwise all frames have been counted, and no frame has collided
		t.countFrames(slot)
	}
}

func (t *Plant) failed() bool { return t.rtl != nil && t.rtl.Failed() }

func (t *Plant) Latch() { t.kernel.Latch() }

func (t *Plant) Reset(seed uint64) {
	if t.media.Reseed != nil {
		t.media.Reseed(seed)
	}
	t.kernel.Reset()
	t.access.Reset()
	t.silence(0, len(t.sent))
	t.WatchError = nil
	clear(t.seen.met)
	t.seen.late = t.seen.late[:0]
	for i := range t.shards {
		t.shards[i].exact, t.shards[i].noted = false, 0
	}
	t.kernel.BeforeCycle0()
}

// Probes yields the signals of all hardware, but not the internal signals of RTL that replaces all hardware.
func (t *Plant) Probes(yield func(hw.Probe)) { t.kernel.Probes(yield) }

func (t *Plant) Routers() *hw.RouterSignals { return nil }

func (t *Plant) Credits() *flow.Credits { return t.credits }

func (t *Plant) Path() string { return "fabric" }

func (t *Plant) State(v *hw.StateVisitor) {
	v.Within(t.kernel)
	hw.StateColumn(v, hw.Future, "sent", t.sent, func(transmitter int, port uint16) error {
		discipline := t.shape.NIC()
		return discipline.CheckSent(transmitter, port, t.access.Outputs())
	})
	hw.StateColumn(v, hw.Future, "met", t.seen.met)
	t.access.State(v)
	exact := make([]uint8, len(t.shards)) // by shard, for the slot that has begun
	for i := range t.shards {
		if t.shards[i].exact {
			exact[i] = 1
		}
	}
	hw.StateColumn(v, hw.Future, "exact", exact, hw.AtMost[uint8](1))
	v.AfterRestore(func() {
		t.inherited = true
		for i := range t.shards {
			t.shards[i].exact = exact[i] != 0
			t.shards[i].noted = len(t.media.Medium.Violated(i))
		}
	})
	if t.sums != nil {
		t.sums.state(v)
	}
}
