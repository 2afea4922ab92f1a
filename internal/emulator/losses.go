package emulator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/referees"
	"starloom/nic"
)

// Only the end of a run shows that a packet was lost, and tracking every packet would cost memory and time in every
// run. A run is a function of scenario and seed. Therefore a run with losses is repeated, and the repetition tracks
// the frames of the listed packets.

type losses struct {
	trails  map[uint32]*trail // trails by origin
	shards  []Shard           // sources of followed frames
	packets *referees.Packets // destinations
	names   fabric.Names
	timing  nic.Timing
	faults  *faulted
	ports   uint16 // ports per processor
}

// trail tracks one packet: its frames in the last slot in which it was sent, and the fate of these frames.
type trail struct {
	slot    uint32
	sent    []fabric.Followed // ascending by sender
	holder  int               // receiver of a frame, -1 for none
	full    int               // processor with a full RX FIFO, -1 for none
	met     []metOn           // media with a collision in this slot
	damaged map[int]bool      // media on which a receiver got a damaged frame in this slot
}

// boundary processes the events of all shards: first the fate of the previous slot's frames, then the frames of the
// beginning slot. If a NIC requests its medium, only this boundary shows that its frame of the previous slot was
// sent.
func (l *losses) boundary(slot uint32) {
	var events []fabric.Followed
	for i := range l.shards {
		events = append(events, l.shards[i].Ledger.Followed...)
	}
	// the order of windows and shards is arbitrary
	slices.SortStableFunc(events, func(a, b fabric.Followed) int { return cmp.Compare(a.Processor, b.Processor) })
	if slot > 0 {
		l.sent(events, slot-1)
		l.crossed(events, slot-1)
	}
	l.sent(events, slot)
}

func (l *losses) sent(events []fabric.Followed, slot uint32) {
	for _, e := range events {
		if e.Kind != fabric.FollowSent || e.Slot != slot {
			continue
		}
		t := l.trails[e.Origin]
		if len(t.sent) == 0 || t.slot != slot {
			*t = trail{slot: slot, sent: t.sent[:0], holder: -1, full: -1}
		}
		t.sent = append(t.sent, e)
	}
}

func (l *losses) crossed(events []fabric.Followed, slot uint32) {
	for _, t := range l.trails {
		if t.slot == slot && len(t.sent) > 0 {
			t.met, t.damaged = nil, map[int]bool{}
			for i := range l.shards {
				t.met = append(t.met, l.shards[i].met...)
			}
		}
	}
	for _, e := range events {
		switch e.Kind {
		case fabric.FollowDamaged:
			for _, t := range l.trails {
				if t.slot == slot && t.damaged != nil {
					t.damaged[l.names.HeardOn(e.Processor, e.Port)] = true
				}
			}
		case fabric.FollowReceived:
			if t := l.trails[e.Origin]; t.holder < 0 ||
				l.claim(t, e) > l.claim(t, fabric.Followed{Origin: e.Origin, Processor: t.holder}) {
				t.holder = e.Processor
			}
		case fabric.FollowOverflow:
			if t := l.trails[e.Origin]; t.full < 0 {
				t.full = e.Processor
			}
		}
	}
}

// claim ranks a receiver of a packet: 2 for the destination, 0 for a sender, 1 for other receivers.
func (l *losses) claim(t *trail, e fabric.Followed) int {
	switch {
	case l.packets.Destination[e.Origin] == uint32(e.Processor):
		return 2
	case slices.ContainsFunc(t.sent, func(s fabric.Followed) bool { return s.Processor == e.Processor }):
		return 0
	}
	return 1
}

func (l *losses) taken(p outcome.MissingPacket) bool {
	t := l.trails[p.Origin]
	if len(t.sent) == 0 || t.holder >= 0 {
		return false
	}
	medium := l.names.SentOn(t.sent[0].Processor, t.sent[0].Port, int(p.Destination))
	return t.full >= 0 || t.damaged[medium] || l.faults.harm(medium, t.slot) == fabric.Dark ||
		l.faults.missed(int(p.Destination), medium, l.ports, t.slot)
}

// the place is the last slot with the packet, or the packet's last holder
func (l *losses) locate(p outcome.MissingPacket, v *outcome.Violation) {
	t := l.trails[p.Origin]
	if len(t.sent) == 0 {
		v.Path = l.names.Processor(int(p.Origin))
		v.Message += fmt.Sprintf(": processor %d never sent it", p.Origin)
		return
	}
	e := t.sent[0]
	medium := l.names.SentOn(e.Processor, e.Port, int(p.Destination))
	v.Slot, v.Cycle, v.Path = uint64(t.slot), l.timing.LastPhitCycle(t.slot), l.names.Medium(medium)
	met := slices.IndexFunc(t.met, func(x metOn) bool { return x.medium == medium })
	switch {
	case t.holder >= 0 && l.packets.ToAll() >= 0:
		v.Message += fmt.Sprintf(": it did not listen when processor %d sent it", e.Processor)
	case t.holder == int(p.Destination):
		v.Path = l.names.Processor(t.holder)
		v.Message += fmt.Sprintf(": it came from processor %d in a frame with another address", e.Processor)
	case t.holder >= 0:
		v.Path = l.names.Processor(t.holder)
		v.Message += fmt.Sprintf(": processor %d received it here from processor %d and never forwarded it", t.holder,
			e.Processor)
	case t.full >= 0:
		v.Path = l.names.Processor(t.full)
		v.Message += fmt.Sprintf(
			": it arrived here from processor %d for the last time, but the RX FIFO of processor %d was "+
				"full", e.Processor, t.full)
		if l.faults != nil && l.faults.plan.Smaller(t.full, false) {
			v.Message += ", which a fault has made smaller"
		}
	case met >= 0:
		v.Cycle = l.timing.SlotCycle(t.slot) + uint64(t.met[met].cycle)
		v.Message += fmt.Sprintf(": sent for the last time by processor %d, it met another frame here", e.Processor)
	case l.faults.harm(medium, t.slot) == fabric.Dark:
		v.Message += fmt.Sprintf(": sent for the last time by processor %d, and a fault made it dark here", e.Processor)
	case l.faults.missed(int(p.Destination), medium, l.ports, t.slot):
		v.Message += fmt.Sprintf(": sent for the last time by processor %d, and by a fault processor %d missed it here",
			e.Processor, p.Destination)
	case t.damaged[medium] && l.faults.harm(medium, t.slot) == fabric.Flipped:
		_, fault := l.faults.plan.OnMedium(medium, t.slot)
		v.Message += fmt.Sprintf(": sent for the last time by processor %d, and here a fault %s", e.Processor,
			l.faults.plan.FlipText(fault, medium, t.slot))
	case t.damaged[medium]:
		v.Message += fmt.Sprintf(": sent for the last time by processor %d, it was damaged here", e.Processor)
	case l.faults.killed(int(p.Destination)):
		v.Message += fmt.Sprintf(": sent for the last time by processor %d, and a fault has killed processor %d",
			e.Processor, p.Destination)
	default:
		v.Message += fmt.Sprintf(": sent for the last time by processor %d, and no one listened here", e.Processor)
	}
}

const wayShown = 6

// ways holds the paths of a one-to-all message. For each processor, it holds the source of the first reception in the
// run without faults, -1 for none. It also holds the processors that missed the message in the run with faults.
type ways struct {
	from   []int
	heard  []heardAt
	missed map[int]bool
	killed map[int]bool // subset of missed that faults killed
}

type heardAt struct {
	port uint16
	slot uint32
}

func (w *ways) Shard(int) fabric.Onlooker { return w }

func (*ways) Boundary(uint32) {}

func (*ways) Acted(*nic.Bank, []uint32, uint32) {}

func (*ways) Sent(int, nic.FrameView, uint32, bool) {}

func (*ways) Blocked(int, nic.FrameView, uint32) {}

func (*ways) Collided(int, uint32) {}

func (w *ways) Heard(processor int, port uint16, status nic.Status, frame nic.FrameView, slot uint32) {
	if status == nic.StatusOK && w.from[processor] < 0 && frame.Header().Kind == nic.KindData {
		w.from[processor], w.heard[processor] = int(frame.Source()), heardAt{port, slot}
	}
}

func (w *ways) to(from, processor int) (by []int, known bool) {
	for at := w.from[processor]; len(by) <= len(w.from); at = w.from[at] {
		if at < 0 {
			return nil, false
		}
		if at == from {
			return by, true
		}
		by = append([]int{at}, by...)
	}
	return nil, false
}

func (w *ways) text(source, processor int, fate func(processor int, at heardAt) string) string {
	by, known := w.to(source, processor)
	switch first := slices.IndexFunc(by, func(other int) bool { return w.missed[other] }); {
	case w.killed[processor]:
		return ": a fault has killed it"
	case !known:
		return ""
	case first >= 0 && w.killed[by[first]]:
		return fmt.Sprintf(": it comes by way of %s, and a fault has killed %d", way(by), by[first])
	case first >= 0:
		return fmt.Sprintf(": it comes by way of %s, and %d had not received it", way(by), by[first])
	case len(by) > 0:
		return fmt.Sprintf(": it comes by way of %s, and after %d %s", way(by), by[len(by)-1],
			fate(processor, w.heard[processor]))
	}
	return fmt.Sprintf(": it comes straight from %d, and %s", source, fate(processor, w.heard[processor]))
}

func way(by []int) string {
	noun := "processor "
	if len(by) > 1 {
		noun = "processors "
	}
	names := make([]string, 0, wayShown+1)
	for k, processor := range by {
		if k == wayShown {
			names = append(names, fmt.Sprintf("and %d more", len(by)-k))
			break
		}
		names = append(names, fmt.Sprint(processor))
	}
	return noun + strings.Join(names, ", ")
}
