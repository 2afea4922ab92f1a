package crossbar

import (
	"encoding/binary"
	"math"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces/input"
)

var errTurns = &input.Error{Place: "firmware.schedule", Reason: "turns need the workload scatter",
	Remedy: "give workload: {scatter: {origin: 0}}"}

// scatterReferee follows the item of a random scattering (Drezner and Barak, section 2). A processor is coloured from
// the slot after its first message with the item. Such a message is a data frame with a packet of the origin, from a
// processor that was coloured at the beginning of the slot; no other processor can have the item. The run ends when
// all live processors are coloured.
type scatterReferee struct {
	fabric.NoPackets

	origin int
	seed   uint64
	unit   uint32 // slots of a unit

	since  []uint32 // first slot in which each processor is coloured, or never
	left   uint32   // uncoloured processors
	gained []uint32 // newly coloured processors in each unit
	sent   uint64
	slots  uint32 // number of crossed slots
	lacks  int    // an uncoloured processor, for Over
}

const never = math.MaxUint32

func newScatterReferee(ports int, w *fabric.Scatter) *scatterReferee {
	r := &scatterReferee{origin: w.Origin, unit: 1, since: make([]uint32, ports)}
	r.Reset()
	return r
}

var (
	_ fabric.Ending  = (*scatterReferee)(nil)
	_ fabric.Witness = (*scatterReferee)(nil)
)

func (r *scatterReferee) Load(l *fabric.Load) error {
	r.seed = l.Seed
	return nil
}

// Tell implements fabric.Referee. It sets each word to the number of the processor with the item.
func (r *scatterReferee) Tell(_ int, words []uint32) {
	for i := range words {
		words[i] = uint32(r.origin)
	}
}

func (r *scatterReferee) Witness(bool) fabric.Witness { return r }

func (r *scatterReferee) Sent(_ *fabric.Ledger, _ int, _ nic.FrameView, slot uint32) {
	r.sent++
	r.slots = max(r.slots, slot+1)
}

func (r *scatterReferee) Blocked(_ *fabric.Ledger, _ int, _ nic.FrameView, slot uint32) {
	r.slots = max(r.slots, slot+1)
}

func (r *scatterReferee) Received(_ *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	if r.since[processor] != never || !r.carries(frame) || r.since[frame.Source()] > slot {
		return
	}
	r.since[processor] = slot + 1
	r.left--
	for unit := int(slot / r.unit); unit >= len(r.gained); {
		r.gained = append(r.gained, 0)
	}
	r.gained[slot/r.unit]++
}

func (r *scatterReferee) carries(frame nic.FrameView) bool {
	return frame.Kind() == nic.KindData && frame.PayloadBytes() >= 8 &&
		binary.LittleEndian.Uint32(frame.Payload()) == uint32(r.origin)
}

func (r *scatterReferee) Over(dead []uint8) bool {
	return r.left == 0 ||
		fabric.AllAliveHave(dead, &r.lacks, func(processor int) bool { return r.since[processor] != never })
}

func (r *scatterReferee) Unfinished(yield func(fabric.Finding)) {
	for processor, since := range r.since {
		if since == never {
			yield(fabric.Finding{Kind: fabric.FindUnfinished, Index: processor,
				Text: "had not received the item when the run ended"})
		}
	}
}

// Metrics implements fabric.Referee. It returns the completion time of a finished run in units, and the number of
// coloured processors at time 0 and after each unit.
func (r *scatterReferee) Metrics(e *fabric.End, _ bool) (m fabric.Metrics) {
	units := int((r.slots + r.unit - 1) / r.unit)
	if r.unit == 1 {
		m.AddKnown(e.Finished, "completion", units)
	} else {
		m.AddKnown(e.Finished, "completion", float64(r.sent)/float64(len(r.since)))
	}
	coloured := make([]int, 1+units)
	coloured[0] = 1
	for unit := range units {
		coloured[unit+1] = coloured[unit]
		if unit < len(r.gained) {
			coloured[unit+1] += int(r.gained[unit])
		}
	}
	m.Add("coloured", coloured)
	return m
}

func (r *scatterReferee) Slots() int { return max(int(r.slots), (len(r.gained)-1)*int(r.unit)+1) }

func (r *scatterReferee) Reset() {
	for i := range r.since {
		r.since[i] = never
	}
	r.since[r.origin] = 0
	r.left, r.gained, r.sent, r.slots = uint32(len(r.since)-1), r.gained[:0], 0, 0
}

func (r *scatterReferee) State(v *hw.StateVisitor) {
	hw.StateScalar(v, hw.Future, "seed", &r.seed)
	hw.StateColumn(v, hw.Future, "since", r.since)
	hw.StateScalar(v, hw.Future, "left", &r.left)
	hw.StateList(v, hw.Future, "gained", &r.gained)
	hw.StateScalar(v, hw.Future, "sent", &r.sent)
	hw.StateScalar(v, hw.Future, "slots", &r.slots)
}

func (r *scatterReferee) Announce(l *fabric.Ledger, processor int, origin, slot uint32) {
	l.Claim(processor, origin, slot, int(origin) == r.origin && r.since[processor] != never)
}
