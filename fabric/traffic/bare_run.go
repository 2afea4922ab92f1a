package traffic

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// Packets is a referee of packets of traffic, with firmware or without.
type Packets interface {
	fabric.Offering
	Limits(limits map[string]string) map[string]string
	Lost() uint64
	Notes() []string
	Latencies() (arrived Histogram, left uint64)
	WritePackets(to io.Writer) error
}

func (b *Bare) Load(l *fabric.Load) error {
	b.last = nil
	err := b.draw(l.Seed)
	if err == nil {
		b.Packets, err = b.net.Load(*b.Packets, b.ID)
	}
	return err
}

// What follows no one asks of packets that hardware alone carries.

func (b *Bare) Overhears() bool                                 { return false }
func (b *Bare) Arrive(*fabric.Ledger, uint32, []fabric.Arrival) {}
func (b *Bare) Announce(*fabric.Ledger, int, uint32, uint32)    {}
func (b *Bare) Acknowledges() bool                              { return false }
func (b *Bare) Acknowledge(func(int))                           {}
func (b *Bare) Missing(func(fabric.Finding) bool)               {}
func (b *Bare) Tell(int, []uint32)                              {}
func (b *Bare) Witness(bool) fabric.Witness                     { return nil }
func (b *Bare) Create(int, uint32)                              {}
func (b *Bare) Offer(int, *nic.Bank, uint32)                    {}
func (b *Bare) Settle(uint32, func(fabric.Finding))             {}
func (b *Bare) Reset()                                          {}
func (b *Bare) State(v *hw.StateVisitor)                        { v.AfterRestore(func() { b.last = nil }) }

// Over reports whether all packets have arrived, or were thrown away.
func (b *Bare) Over([]uint8) bool { return b.net.Network().Done() }

// Lost counts none: a missing packet keeps a run from finishing.
func (b *Bare) Lost() uint64 { return 0 }

func (b *Bare) shown() *Shown {
	if cycles := uint64(b.net.Slots()); b.last == nil || b.last.cycles != cycles {
		b.last = b.Shown(cycles)
	}
	return b.last
}

// Limits adds to the limits of rules how many packets they have judged. Times are in cycles.
func (b *Bare) Limits(limits map[string]string) map[string]string {
	if b.rules.DeadlineSlots > 0 {
		limits[fabric.RuleDeadline] = traces.Plural(uint64(b.rules.DeadlineSlots), "cycle", "cycles")
	}
	return b.shown().w.limits(limits)
}

// Notes are what the user should know of the measured cycles.
func (b *Bare) Notes() []string { return b.shown().w.notes() }

// Latencies are those of measured packets after their arrival, in cycles; left counts the others.
func (b *Bare) Latencies() (arrived Histogram, left uint64) {
	s := b.shown()
	return histogram(s.latency), s.w.pending
}

// Metrics are the figures of the window and the loads of channels.
func (b *Bare) Metrics(*fabric.End, bool) fabric.Metrics {
	s := b.shown()
	m := s.Metrics()
	AddLoads(&m, b.net.Wired(), b.net.Loads(), s.cycles)
	return m
}

// Unfinished yields broken rules of packets, and reasons of missing packets, by cycle.
func (b *Bare) Unfinished(yield func(fabric.Finding)) {
	var found []fabric.Finding
	note := func(f fabric.Finding) { found = append(found, f) }
	cycles := uint64(b.net.Slots())
	b.judge(cycles, note)
	knots := b.net.Knots()
	if f := (fabric.Finding{Kind: fabric.FindPending, Cycle: cycles, Text: b.left(cycles, len(knots) > 0)}); f.Text != "" {
		if len(knots) > 0 {
			d := b.net.Deadlock(knots, func(i uint32) string {
				return fmt.Sprintf("packet %d (%d to %d, sent in cycle %d)", i, b.Source[i], b.Destination[i], b.Sent[i])
			})
			f.Kind, f.Text, f.Waits, f.Cycle, f.Index = fabric.FindDeadlock, f.Text+"; "+d.Text, d.Waits, d.Since, b.net.Wired().Media+d.Link
		}
		note(f)
	}
	slices.SortStableFunc(found, func(x, y fabric.Finding) int { return cmp.Compare(x.Cycle, y.Cycle) })
	for _, f := range found {
		yield(f)
	}
}

// left is the reason of missing packets, "" if none is missing; knots: some are in a deadlock.
func (b *Bare) left(cycles uint64, knots bool) string {
	pending := b.Pending()
	left := fmt.Sprintf("%d of %s not arrived", pending, traces.Plural(uint64(b.Count()), "packet has", "packets have"))
	harmed := ""
	if pending > 0 && b.Harm != nil {
		harmed = b.harmed()
	}
	switch {
	case harmed != "":
		return left + harmed
	case pending > 0 && b.net.Network().Still():
		return left + ", and nothing moves any more: they wait for each other (deadlock)"
	case knots && cycles < uint64(b.limit):
		return left + ", and some never will while others move: they wait for each other (deadlock)"
	case pending == 0, cycles >= uint64(b.spec.Slots()):
		return b.shown().w.late()
	}
	return left + " at the limit of " + traces.Plural(uint64(b.limit), "cycle", "cycles") + ", which stop.slots or --slots sets"
}

// harmed says what faults have done to the packets that have not arrived, "" for nothing.
func (b *Bare) harmed() (text string) {
	var dropped, cut uint64
	for i, harm := range b.Harm {
		switch {
		case b.Received[i] != hw.PacketPending:
		case harm&hw.HarmCut != 0:
			cut++
		case harm&hw.HarmDropped != 0:
			dropped++
		}
	}
	if dropped > 0 {
		text = fmt.Sprintf("; faults have dropped %d", dropped)
	}
	if cut > 0 {
		text += fmt.Sprintf("; flits of %s have vanished", traces.Plural(cut, "packet", "packets"))
	}
	standing := b.net.Standing(func(i uint32) string {
		return fmt.Sprintf("packet %d (%d to %d, created in cycle %d)", i, b.Source[i], b.Destination[i], b.Created[i])
	})
	if standing != "" {
		text += "; " + standing
	}
	return text
}
