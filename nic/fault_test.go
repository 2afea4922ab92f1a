package nic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBrokenInvariants puts a register of one cell into a state that it cannot reach, in the
// middle of a slot: the panic names path, cycle and values.
func TestBrokenInvariants(t *testing.T) {
	const before = 3 // the cycle before the first phit of the slot
	for name, c := range map[string]struct {
		cycle   uint64 // in which it is done, between Latch and Drive
		corrupt func(l *link)
		says    string
	}{
		"length":   {before + 1, func(l *link) { l.tx.length[2] = 21 }, "group[1].transmitter[0]: cycle 4: it sends a frame of 21 bytes, but the longest has 20"},
		"no frame": {before + 1, func(l *link) { l.tx.length[2] = 0 }, "group[1].transmitter[0]: cycle 4: it sends a frame of 0 bytes, but the longest has 20"},
		"over":     {before + 9, func(l *link) { l.tx.length[2] = 8 }, "group[1].transmitter[0]: cycle 12: bit 64 of a frame of 8 bytes: the clock was advanced without Latch"},
		"state":    {before + 5, func(l *link) { l.rx.state[1] = receiverStates }, "group[0].receiver[1]: cycle 8: state 5, but a receiver has states 0 to 4"},
		"idle":     {before + 22, func(l *link) { l.rx.state[1] = receiverIdle }, "group[0].receiver[1]: cycle 25: state 0 with 160 bits at the end of a slot, but a frame has at most 160"},
		"bits":     {before + 22, func(l *link) { l.rx.bits[1] = 168 }, "group[0].receiver[1]: cycle 25: state 2 with 168 bits at the end of a slot, but a frame has at most 160"},
		"a bit":    {before + 22, func(l *link) { l.rx.bits[1] = 9 }, "group[0].receiver[1]: cycle 25: state 2 with 9 bits at the end of a slot, but a frame has at most 160"},
		"far out":  {before + 5, func(l *link) { l.rx.bits[1] = 1 << 30 }, "group.receiver: cycle 8: runtime error: slice bounds out of range [134217728:28]"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 2} {
				l := newLink(t,
					linkConfig{d: 2, g: 2, phitBits: 8, payloadBytes: 4, compute: 4, propagation: 1, guard: 1, workers: workers})
				frame := Marshal(make([]byte, FrameBytes(4)), Header{Source: 2}, make([]byte, 4))
				l.tx.Load(2, frame, 0)
				l.hear(1, 1)
				l.endSlot()
				require.PanicsWithError(t, "pops."+c.says, func() {
					for range l.timing.SlotCycles() {
						if l.kernel.Cycle() == c.cycle {
							c.corrupt(l)
						}
						l.kernel.DriveAndSettle()
						if l.kernel.Cycle() == l.timing.BoundaryCycle(0) {
							l.rx.EndSlot(0)
						}
						l.kernel.Latch()
					}
				})
			}
		})
	}
}
