package fabric

import (
	"fmt"
	"slices"
	"strings"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// heldShown is how many channels and NICs of a cycle a message names.
const heldShown = 8

// KnotText says which packets wait for each other in knots.
func KnotText(n Network, knots []hw.Knot, packet func(number uint32) string) string {
	k, said, built := knots[0], []string{}, RoutersOf(n)
	name := func(h hw.Held) string {
		if h.NIC {
			return fmt.Sprintf("a place in the RX FIFO of %s, whose firmware takes no frame while its TX FIFO is full", n.Names().Processor(h.To))
		}
		return fmt.Sprintf("%s VC %d", built.Channel(h.From, h.Output, h.To), h.VC)
	}
	nics, first := 0, max(0, slices.IndexFunc(k.Cycle, func(h hw.Held) bool { return h.NIC }))
	cycle := slices.Concat(k.Cycle[first:], k.Cycle[:first])
	for i, h := range cycle {
		if h.NIC {
			nics++
		}
		if i >= heldShown {
			continue
		}
		who, where := "a packet whose next flit has yet to come", name(h)
		if h.Packet != hw.PacketPending {
			who = packet(h.Packet)
		}
		if h.NIC {
			where = "the TX FIFO of " + n.Names().Processor(h.To)
		}
		said = append(said, fmt.Sprintf("%s is in %s and waits for %s", who, where, name(cycle[(i+1)%len(cycle)])))
	}
	if more := len(cycle) - heldShown; more > 0 {
		said = append(said, fmt.Sprintf("and so on along %d more", more))
	}
	text := fmt.Sprintf("; a knot of %d virtual channels, around a cycle of %d between routers", k.VCs, len(cycle)-nics)
	if nics > 0 {
		text += " and " + traces.Plural(uint64(nics), "NIC", "NICs")
	}
	if text += ": " + strings.Join(said, ", "); len(knots) > 1 {
		text += "; and " + traces.Plural(uint64(len(knots)-1), "more knot", "more knots")
	}
	return text
}

// cyclesPerKnots is how often a run looks for frames that wait for one another, which ends it; refusalsMax, how many calls in a
// row firmware takes no frame out of an RX FIFO, and has a full TX FIFO, before it counts as waiting for a place in that.
const cyclesPerKnots, refusalsMax = 1 << 12, 64

// refuses counts the calls of a processor's handler that refuse what is in its RX FIFO while its TX FIFO is full.
func (s *Stream) refuses(processor int, r *nic.Registers, taken bool) {
	if n := &s.refused[processor]; taken || r.RxCount == 0 || int(r.TxCount) < s.tx {
		*n = 0
	} else if *n < refusalsMax {
		*n++
	}
}

// lookForKnots looks from time to time, before a tick, for frames that wait for one another.
func (s *Stream) lookForKnots() {
	if now := s.kernel.Cycle(); now/cyclesPerKnots != (now+uint64(s.timing.Tick))/cyclesPerKnots && s.knots() != "" {
		s.deadlocked = 1
	}
}

// knots says which frames wait for one another for ever, "" for none.
func (s *Stream) knots() string {
	if s.network.Live() == 0 {
		return ""
	}
	knots := s.network.Knots(func(processor int) hw.Taking {
		if s.refused[processor] == refusalsMax {
			return hw.Stuck
		}
		return hw.Takes
	})
	if len(knots) == 0 {
		return ""
	}
	return fmt.Sprintf("of %s on their way some never come: they wait for each other (deadlock)", traces.Plural(uint64(s.network.Live()), "frame", "frames")) +
		KnotText(s.built, knots, s.frameText)
}

// Deadlocked implements Flying.
func (s *Stream) Deadlocked() bool { return s.deadlocked != 0 }
