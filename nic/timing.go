package nic

import "fmt"

// Timing is the structure of a slot, in cycles of the global clock. All slots of a run have the same length, and all
// NICs have the same slot boundaries:
//
//	|<----------------------------------- SlotCycles ------------------------------------>|
//	| compute window | arbitration | phits of the longest frame | propagation |   guard   |
//	^ SlotCycle                    ^ FirstPhit                              ^ LastPhit   ^ Boundary
//
// In the last guard cycle, the boundary, the firmware's handlers read the result of the slot and select the frames to
// send and the ports to hear in the next slot. The NICs apply this selection in the Latch of the same cycle, and the
// transmitters wait for the end of the compute window. A receiver's status is valid one cycle after the last phit, so
// a slot ends with at least one guard cycle.
type Timing struct {
	PhitBits          int
	ComputeCycles     int // cycles reserved for the firmware's handler, at least 0
	ArbitrationCycles int // cycles for requests of NICs, >= 0
	FramePhits        int // phits of a frame with the maximum payload
	Frames            int // maximum number of consecutive frames on one medium in a slot, at least 1
	PropagationCycles int // propagation on the longest link in cycles, 0..PropagationCyclesMax
	GuardCycles       int // dark cycles at the end of a slot, 1..GuardCyclesMax
	LinkCycles        int // propagation in cycles on a link without its own length
	Tick              int // cycles of a tick of streaming NICs, which replaces the slot; 0 for NICs with slots
}

// Limits of the timing parameters.
const (
	PhitBitsMax          = 64      // a phit is a word
	PropagationCyclesMax = 4096    // limit of a link
	GuardCyclesMin       = 1       // a receiver's status is valid one cycle after the last phit
	GuardCyclesMax       = 4096    // limit at the end of a slot
	ComputeCyclesMax     = 1 << 20 // limit at the start of a slot
)

// NewTiming computes the slot structure from the parameters of link and NIC. It returns an error for illegal values.
func NewTiming(phitBits, payloadBytes, computeCycles, propagationCycles, guardCycles int) (Timing, error) {
	within := func(name string, value, low, high int) error {
		if value < low || value > high {
			return fmt.Errorf("%s is %d; allowed: %d to %d", name, value, low, high)
		}
		return nil
	}
	if guardCycles == 0 {
		return Timing{}, fmt.Errorf("guard_cycles is 0; allowed: %d to %d: "+
			"a receiver's status is valid one cycle after the last phit", GuardCyclesMin, GuardCyclesMax)
	}
	for _, err := range []error{
		within("phit_bits", phitBits, 1, PhitBitsMax),
		within("payload_bytes", payloadBytes, 0, PayloadBytesMax),
		within("budget_cycles", computeCycles, 0, ComputeCyclesMax),
		within("propagation_cycles", propagationCycles, 0, PropagationCyclesMax),
		within("guard_cycles", guardCycles, GuardCyclesMin, GuardCyclesMax),
	} {
		if err != nil {
			return Timing{}, err
		}
	}
	return Timing{
		Frames:            1,
		PhitBits:          phitBits,
		ComputeCycles:     computeCycles,
		FramePhits:        Phits(FrameBytes(payloadBytes), phitBits),
		PropagationCycles: propagationCycles,
		LinkCycles:        propagationCycles,
		GuardCycles:       guardCycles,
	}, nil
}

// Phits returns the number of phits of a frame: ceil(bits/phit).
func Phits(frameBytes, phitBits int) int { return (8*frameBytes + phitBits - 1) / phitBits }

// SlotCycles returns the length of a slot in cycles.
func (t Timing) SlotCycles() int {
	if t.Tick > 0 {
		return t.Tick
	}
	return t.ComputeCycles + t.ArbitrationCycles + t.Frames*t.FramePhits + t.PropagationCycles + t.GuardCycles
}

// SlotCycle returns the first cycle of a slot.
func (t Timing) SlotCycle(slot uint32) uint64 { return uint64(slot) * uint64(t.SlotCycles()) }

// BoundaryCycle returns the last cycle of a slot. The handlers of the next slot run in this cycle.
func (t Timing) BoundaryCycle(slot uint32) uint64 {
	return t.SlotCycle(slot) + uint64(t.SlotCycles()) - 1
}

// FirstPhitCycle returns the cycle in which the first phit of the first frame in a slot is on its transmitter's wire.
// This cycle is the time stamp of a sent frame.
func (t Timing) FirstPhitCycle(slot uint32) uint64 {
	return t.SlotCycle(slot) + uint64(t.ComputeCycles+t.ArbitrationCycles)
}

// LastPhitCycle returns the cycle in which the last phit of the last frame, with the maximum length, reaches the
// receivers. This cycle is the time stamp of a receive status.
func (t Timing) LastPhitCycle(slot uint32) uint64 {
	if t.Tick > 0 {
		return t.BoundaryCycle(slot)
	}
	return t.FirstPhitCycle(slot) + uint64(t.Frames*t.FramePhits-1+t.PropagationCycles)
}
