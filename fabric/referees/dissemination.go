package referees

import (
	"fmt"
	"math/bits"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// Told is the referee of all-to-all broadcasts and of gossip in one session, in which every processor's packet must
// reach all others. A processor has its own packet and the packets received in good data frames; announcements of
// firmware do not count. A processor may receive a packet again, but must not send a packet that it does not have.
// The run ends when all live processors have all packets.
type Told struct {
	fabric.NoPackets
	n, words int      // number of processors; words per set of processors
	sessions uint32   // number of sessions passed to processors, 0 for all-to-all
	has      []uint64 // by processor: bit set of the origins of its packets
	count    []uint32 // by processor: number of its packets
	again    []uint32 // by processor: receptions of known packets
	behind   int      // processor at which Over continues
}

var (
	_ fabric.Ending  = (*Told)(nil)
	_ fabric.Witness = (*Told)(nil)
	_ fabric.Keeper  = (*Told)(nil)
)

// NewTold returns the referee of packets from each processor to all others.
func NewTold(processors int, w *fabric.Workload) *Told {
	t := &Told{n: processors, words: (processors + 63) / 64}
	if w.Gossip != nil {
		t.sessions = uint32(w.Gossip.Count())
	}
	t.has, t.count, t.again = make([]uint64, t.n*t.words), make([]uint32, t.n), make([]uint32, t.n)
	t.Reset()
	return t
}

// ToldBytes returns the memory of a Told.
func ToldBytes(processors uint64) uint64 { return processors * ((processors+63)/64*8 + 8) }

func (t *Told) Load(*fabric.Load) error { return nil }

func (t *Told) Witness(bool) fabric.Witness { return t }

func (t *Told) Tell(_ int, words []uint32) {
	for i := range words {
		words[i] = t.sessions
	}
}

func (t *Told) Keeps() []string { return []string{fabric.RuleNoCreation} }

func (t *Told) Sent(l *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	if !l.Checks.NoCreation || !frame.IsPacket() {
		return
	}
	if origin := frame.Origin(); uint64(origin) >= uint64(t.n) || !t.knows(processor, origin) {
		l.Find(fabric.Finding{Kind: fabric.FindCreated, Slot: slot, Index: processor, Value: origin})
	}
}

func (t *Told) Received(l *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	switch {
	case !frame.IsPacket():
	case uint64(frame.Origin()) >= uint64(t.n):
		if l.Checks.ExactlyOnce {
			l.Find(fabric.Finding{Kind: fabric.FindMisrouted, Slot: slot, Index: processor, Value: frame.Origin()})
		}
	case t.knows(processor, frame.Origin()):
		t.again[processor]++
		if l.Checks.ExactlyOnce {
			l.Find(fabric.Finding{Kind: fabric.FindDuplicate, Slot: slot, Index: processor, Value: frame.Origin()})
		}
	default:
		origin := frame.Origin()
		t.has[processor*t.words+int(origin/64)] |= 1 << (origin % 64)
		t.count[processor]++
	}
}

func (t *Told) knows(processor int, origin uint32) bool {
	return t.has[processor*t.words+int(origin/64)]>>(origin%64)&1 != 0
}

func (t *Told) Announce(l *fabric.Ledger, processor int, origin, slot uint32) {
	l.Claim(processor, origin, slot, uint64(origin) < uint64(t.n) && t.knows(processor, origin))
}

func (t *Told) Over(dead []uint8) bool {
	has := func(processor int) bool { return int(t.count[processor]) == t.n }
	if dead != nil {
		return fabric.AllAliveHave(dead, &t.behind, has)
	}
	for ; has(t.behind); t.behind++ {
		if t.behind == t.n-1 {
			return true
		}
	}
	return false
}

func (t *Told) Unfinished(yield func(fabric.Finding)) {
	lacks := func(f *fabric.Finding) string {
		return fmt.Sprintf("had %d of %d packets when the run ended; the first missing packet is from processor %d",
			t.count[f.Index], t.n, f.Value)
	}
	for processor, count := range t.count {
		if int(count) < t.n {
			first := uint32(0)
			for t.knows(processor, first) {
				first++
			}
			yield(fabric.Finding{Kind: fabric.FindUnfinished, Index: processor, Value: first, Write: lacks})
		}
	}
}

func (t *Told) Metrics(*fabric.End, bool) (m fabric.Metrics) {
	missing, most, again := 0, 0, 0
	for processor, count := range t.count {
		missing += t.n - int(count)
		most = max(most, t.n-int(count))
		again += int(t.again[processor])
	}
	m.Add("untold", missing)
	m.Add("untold_per_processor_max", most)
	m.Add("told_again", again)
	return m
}

func (t *Told) Reset() {
	clear(t.has)
	clear(t.again)
	for processor := range t.n {
		t.has[processor*t.words+processor/64] |= 1 << (processor % 64)
		t.count[processor] = 1
	}
	t.behind = 0
}

func (t *Told) State(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Future, "has", t.has, func(i int, set uint64) error {
		if i%t.words == t.words-1 && set&^(^uint64(0)>>(-t.n&63)) != 0 {
			return fmt.Errorf("processor %d has packets of processors above %d", i/t.words, t.n-1)
		}
		return nil
	})
	hw.StateColumn(v, hw.Future, "again", t.again)
	v.AfterRestore(func() {
		t.behind = 0
		for processor := range t.count {
			t.count[processor] = 0
			for _, set := range t.has[processor*t.words : (processor+1)*t.words] {
				t.count[processor] += uint32(bits.OnesCount64(set))
			}
		}
	})
}

func (t *Told) Blocked(*fabric.Ledger, int, nic.FrameView, uint32) {}
