package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/nic"
	"starloom/traces"
)

// retellWorkMax is the maximum product of processors and slots of a repeated run that observes unfinished processors.
const retellWorkMax = 1 << 28

var errTold = errors.New("all is told")

// retelling repeats a run to explain the run's violations: the senders of collided frames, the slots in which
// unfinished processors became idle, and the delay of the latest packet.
type retelling struct {
	m       *Machine
	met     map[crossing][]int // violations of collision_free by medium and slot
	slots   map[uint32]bool    // slots in met
	still   map[int]*standing  // unfinished processors
	latest  *outcome.LatestPath
	shards  []retold
	sending []sentFrame // relevant frames in ascending order of slots
	last    uint32      // slot after the last relevant slot
}

type crossing struct {
	medium int
	slot   uint32
}

// standing records a processor's last activities. For each kind of activity it holds the slot after the last one, 0
// for none.
type standing struct {
	sent, heard, changed uint32
	violation            int
	state                []byte
}

type sentFrame struct {
	processor int
	to        uint32
	port      uint16
	slot      uint32
	waits     bool
}

type retold struct {
	*retelling
	frames  []sentFrame
	last    uint32     // slot after the last transmission
	heard   []crossing // receptions by the processors in still
	brought []crossing // sources of the frames received by the latest packet's sender
}

func (*retold) Acted(*nic.Bank, []uint32, uint32) {}

func (*retold) Collided(int, uint32) {}

func (s *retold) Sent(processor int, frame nic.FrameView, slot uint32, _ bool) {
	s.last = max(s.last, slot+1)
	if s.still[processor] != nil || s.slots[slot] || s.latest != nil && processor == s.latest.From {
		s.frames = append(s.frames, sentFrame{processor: processor, to: frame.Destination(), port: frame.Port(), slot: slot})
	}
}

func (s *retold) Blocked(processor int, frame nic.FrameView, slot uint32) {
	if s.latest != nil && processor == s.latest.From {
		s.frames = append(s.frames,
			sentFrame{processor: processor, to: frame.Destination(), port: frame.Port(), slot: slot, waits: true})
	}
}

func (s *retold) Heard(processor int, _ uint16, status nic.Status, frame nic.FrameView, slot uint32) {
	if s.still[processor] != nil && status == nic.StatusOK {
		s.heard = append(s.heard, crossing{processor, slot})
	}
	if s.retelling.latest != nil && processor == s.retelling.latest.From && status == nic.StatusOK {
		s.brought = append(s.brought, crossing{int(frame.Source()), slot})
	}
}

func (r *retelling) Shard(index int) fabric.Onlooker { return &r.shards[index] }

// Boundary implements Onlookers. It merges all shards in an order independent of the shards.
func (r *retelling) Boundary(slot uint32) {
	from := len(r.sending)
	for i := range r.shards {
		s := &r.shards[i]
		r.sending = append(r.sending, s.frames...)
		for _, h := range s.heard {
			still := r.still[h.medium]
			still.heard = max(still.heard, h.slot+1)
		}
		s.frames, s.heard = s.frames[:0], s.heard[:0]
	}
	slices.SortStableFunc(r.sending[from:], func(a, b sentFrame) int { return cmp.Compare(a.processor, b.processor) })
	kept := r.sending[:from]
	for _, f := range r.sending[from:] {
		if still := r.still[f.processor]; still != nil && !f.waits {
			still.sent = max(still.sent, f.slot+1)
		}
		if r.slots[f.slot] || r.latest != nil && f.processor == r.latest.From {
			kept = append(kept, f)
		}
	}
	r.sending = kept
	for processor, still := range r.still {
		if bank, cell := r.m.Cell(processor); !slices.Equal(still.state, bank.State(cell)) {
			still.state = append(still.state[:0], bank.State(cell)...)
			if slot > 0 { // slot 0 sets the initial state
				still.changed = slot + 1
			}
		}
	}
}

// Retell repeats a failed run to explain its violations, unless the run is too long. It adds nothing to the report if
// the repetition has a different digest.
func (m *Machine) Retell(ctx context.Context, report *outcome.Report, each func() error) error {
	r := m.newRetelling(report)
	if r == nil || report.Interrupted() || report.ToolFailed() || m.RTLFailed || m.Paused {
		return nil
	}
	m.Look(r)
	defer m.Look(nil)
	err := m.Repeat(ctx, report, nil, func() error {
		if m.slot > r.last {
			return errTold
		}
		return each()
	})
	whole := err == nil
	if err != nil && !errors.Is(err, errTold) {
		return err
	}
	if m.Interrupted || whole && m.Digest.String() != report.Digest {
		return nil
	}
	if len(r.still) > 0 {
		report.Aside.LastSent = new(uint64)
		for i := range r.shards {
			*report.Aside.LastSent = max(*report.Aside.LastSent, uint64(r.shards[i].last))
		}
	}
	r.senders(report)
	defer func() {
		slices.SortFunc(report.Aside.Stood, func(a, b outcome.Stood) int { return a.Processor - b.Processor })
	}()
	for processor, s := range r.still {
		v := &report.Violations[s.violation]
		v.Message += s.text(m, report, processor)
		report.Aside.Stood = append(report.Aside.Stood,
			outcome.Stood{Violation: s.violation, Processor: processor, From: uint64(max(s.sent, s.heard, s.changed))})
	}
	if r.latest != nil {
		r.path(report.Aside.Late)
	}
	return nil
}

func (m *Machine) newRetelling(report *outcome.Report) *retelling {
	r := &retelling{m: m, met: map[crossing][]int{}, slots: map[uint32]bool{}, still: map[int]*standing{}}
	short := uint64(m.Shape.Processors())*report.Slots <= retellWorkMax && m.Parking == nil
	for i := range report.Violations {
		switch v := &report.Violations[i]; {
		case v.Rule == fabric.RuleCollisionFree:
			at := crossing{v.Subject.Index, uint32(v.Slot)}
			r.met[at] = append(r.met[at], i)
			r.slots[at.slot] = true
			r.last = max(r.last, at.slot+1)
		case v.Rule == fabric.RuleFinishes && v.Subject.Kind == fabric.FindUnfinished && short:
			r.still[v.Subject.Index] = &standing{violation: i}
			r.last = uint32(report.Slots)
		}
	}
	one := !m.Shape.NIC().AllPorts && m.Shape.FramesPerSlot <= 1 // one frame per processor and slot
	if late := report.Aside.Late; late != nil && late.Worst != nil && one {
		r.latest = late.Worst
		r.last = max(r.last, uint32(late.Most))
	}
	if len(r.met) == 0 && len(r.still) == 0 && r.latest == nil {
		return nil
	}
	r.shards = make([]retold, len(m.Shards))
	for i := range r.shards {
		r.shards[i].retelling = r
	}
	return r
}

func (r *retelling) senders(report *outcome.Report) {
	for _, f := range r.sending {
		if !r.slots[f.slot] || f.waits {
			continue
		}
		r.m.OnMedia(f.processor, f.port, f.to, func(_ uint16, medium int) {
			for _, i := range r.met[crossing{medium, f.slot}] {
				v := &report.Violations[i]
				if n := len(v.Senders); n < outcome.SendersMax && !slices.Contains(v.Senders, f.processor) {
					v.Senders = append(v.Senders, f.processor)
				}
			}
		})
	}
}

// OnMedia yields the ports and media on which a processor sends a frame. nic.PortAll means the port towards the
// destination, or all ports if the destination is not a processor.
func (m *Machine) OnMedia(processor int, port uint16, destination uint32, yield func(port uint16, medium int)) {
	to := int(destination)
	if port != nic.PortAll || to < m.Shape.Processors() {
		yield(port, m.Names.SentOn(processor, port, to))
		return
	}
	ports := m.Shape.Ports
	if taps := m.Shape.NIC().Taps; taps != nil {
		ports = len(taps.Bus[processor])
	}
	for p := range ports {
		yield(uint16(p), m.Names.SentOn(processor, uint16(p), 0))
	}
}

func (s *standing) text(m *Machine, report *outcome.Report, processor int) string {
	if uint64(max(s.sent, s.heard, s.changed)) > uint64(m.slot)*3/4 {
		return "" // active in the last quarter of the run
	}
	var did []string
	for _, last := range []struct {
		slot        uint32
		what, never string
	}{{s.sent, "sent its last frame", "has sent no frame"}, {s.heard, "received its last frame", "has received none"},
		{s.changed, "last changed its state", ""}} {
		if last.slot > 0 {
			did = append(did, fmt.Sprintf("%s in slot %d", last.what, last.slot-1))
		} else if last.never != "" {
			did = append(did, last.never)
		}
	}
	end := len(did) - 1
	text := "; it " + strings.Join(did[:end], ", ") + " and " + did[end]
	bank, cell := m.Cell(processor)
	if flags := bank.Registers[cell].Flags; flags&nic.FlagSleeping == 0 && !bank.Silenced(cell) {
		text += "; it is awake: its handler is called in every slot"
		for k := range m.paused(processor) {
			text += " but those in which the fault " + report.FaultName(k) + " pauses it"
		}
	}
	return text
}

func (m *Machine) paused(processor int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if m.faults == nil {
			return
		}
		for k := range m.faults.plan.All {
			f := &m.faults.plan.All[k]
			if f.Kind == fabric.FaultPause && f.Targets.Next(processor, processor+1) == processor && !yield(k) {
				return
			}
		}
	}
}

func (r *retelling) path(late *outcome.Lateness) {
	p := r.latest
	did := make([]*sentFrame, late.Most)
	for i := range r.sending {
		if f := &r.sending[i]; f.processor == p.From && uint64(f.slot) < late.Most {
			did[f.slot] = f
		}
	}
	crossed := -1
	for slot, f := range did {
		if f != nil && !f.waits && (f.to == uint32(p.To) || f.to == nic.AnyDestination) {
			crossed = slot
		}
	}
	if crossed < 0 || uint64(crossed)+1 != late.Most {
		return // other processors relayed the packet
	}
	p.First = uint64(crossed)
	for slot, f := range did[:crossed] {
		if f != nil && !f.waits {
			p.First = min(p.First, uint64(slot))
		}
		switch {
		case f == nil:
			p.Idle++
		case !f.waits:
			p.Others++
		case f.to == uint32(p.To):
			p.Waited++
		default:
			p.WaitedOthers++
		}
	}
	p.Known, p.Crossed = true, uint64(crossed)
	p.Cycle, p.Came = r.m.Timing().FirstPhitCycle(uint32(crossed)), r.m.Timing().LastPhitCycle(uint32(crossed))
	heard := make([]int, crossed+1)
	for i := range heard {
		heard[i] = -1
	}
	for i := range r.shards {
		for _, h := range r.shards[i].brought {
			if int(h.slot) <= crossed {
				heard[h.slot] = h.medium
			}
		}
	}
	for slot, f := range did[:crossed+1] {
		noteDid(p, uint64(slot), f, heard[slot], slot == crossed)
	}
}

// noteDid adds the sender's activity in one slot: its own frame f (nil for none), and the source of a received frame
// (-1 for none). Slots of equal activity merge. The last slot, in which the packet crosses, gets a separate entry.
func noteDid(p *outcome.LatestPath, slot uint64, f *sentFrame, heard int, last bool) {
	what, with := outcome.DidNothing, heard
	switch {
	case f != nil && f.waits:
		what = outcome.DidWait
	case f != nil:
		what = outcome.DidSend
	case heard >= 0:
		what = outcome.DidHear
	}
	if f != nil {
		with = -1
		if f.to != nic.AnyDestination && f.to != nic.ListedDestination {
			with = int(f.to)
		}
	}
	if n := len(p.Did); n == 0 || p.Did[n-1].What != what || last {
		p.Did = append(p.Did, outcome.Did{From: slot, What: what})
	}
	d := &p.Did[len(p.Did)-1]
	d.To = slot
	if what != outcome.DidNothing {
		d.With = append(d.With, with)
	}
}

// resuming finds the next activity of each processor that stood still because of faults. It observes the run without
// faults.
type resuming struct {
	m      *Machine
	stood  map[int]*outcome.Stood
	states map[int][]byte
}

func (r *resuming) Shard(int) fabric.Onlooker { return r }

func (*resuming) Acted(*nic.Bank, []uint32, uint32) {}

func (*resuming) Blocked(int, nic.FrameView, uint32) {}

func (*resuming) Collided(int, uint32) {}

func (r *resuming) Sent(processor int, _ nic.FrameView, slot uint32, _ bool) {
	r.note(processor, slot, &outcome.Next{Sent: true})
}

func (r *resuming) Heard(processor int, _ uint16, status nic.Status, _ nic.FrameView, slot uint32) {
	if status == nic.StatusOK {
		r.note(processor, slot, &outcome.Next{Heard: true})
	}
}

func (r *resuming) note(processor int, slot uint32, next *outcome.Next) {
	s := r.stood[processor]
	if s == nil || uint64(slot) < s.From {
		return
	}
	if s.Next == nil {
		s.Next, next.Slot = next, uint64(slot)
	} else if s.Next.Slot == uint64(slot) {
		s.Next.Sent, s.Next.Heard = s.Next.Sent || next.Sent, s.Next.Heard || next.Heard
	}
	if next.Sent && s.Next.Sends == nil {
		at := uint64(slot)
		s.Next.Sends = &at
	}
}

func (r *resuming) Boundary(slot uint32) {
	for processor := range r.stood {
		bank, cell := r.m.Cell(processor)
		if before, state := r.states[processor], bank.State(cell); !slices.Equal(before, state) {
			r.states[processor] = append(before[:0], state...)
			r.note(processor, slot, &outcome.Next{})
		}
	}
}

// Resume repeats, without its faults, a run that did not finish because of faults. For each processor in
// report.Aside.Stood (filled by Retell), it records the next activity after the standstill and the fault that paused
// the handler in that slot.
func (m *Machine) Resume(ctx context.Context, report *outcome.Report, each func() error) error {
	stood := report.Aside.Stood
	if len(stood) == 0 || report.Without == nil || report.Interrupted() || m.Interrupted {
		return nil
	}
	r := &resuming{m: m, stood: map[int]*outcome.Stood{}, states: map[int][]byte{}}
	for i := range stood {
		r.stood[stood[i].Processor] = &stood[i]
	}
	m.faults.plan.Off = true
	m.eachBank((*nic.Bank).Unshrink)
	m.Look(r)
	err := m.Repeat(ctx, report, nil, each)
	m.Look(nil)
	m.faults.plan.Off = false
	m.eachBank(m.faults.shrink)
	if err != nil {
		return err
	}
	for i := range stood {
		s := &stood[i]
		if m.Interrupted || m.RTLFailed {
			s.Next = nil
		}
		if s.Next == nil {
			continue
		}
		s.Next.Paused = -1
		for k := range m.faults.plan.All {
			if m.faults.plan.All[k].Kind == fabric.FaultPause && m.faults.plan.Happens(k, s.Processor, uint32(s.Next.Slot)) {
				s.Next.Paused = k
			}
		}
	}
	return nil
}

// latenessWorkMax is the maximum product of processor pairs and slots of a repeated run that searches for late
// packets.
const latenessWorkMax = 1 << 28

// Lateness repeats a run in which workload packets missed their deadline. It adds the arrival of each listed packet
// and the total lateness to the report. It does nothing without such packets or above latenessWorkMax. It drops its
// findings if the repetition has a different digest.
func (m *Machine) Lateness(ctx context.Context, report *outcome.Report, each func() error) error {
	limit, n := m.Rules.DeadlineSlots, uint64(m.Shape.Processors())
	if !m.Config.Known.Carries || m.offering != nil || report.Interrupted() ||
		report.Slots < uint64(limit) || n*n*(report.Slots-uint64(limit)) > latenessWorkMax ||
		!slices.ContainsFunc(report.Violations, func(v outcome.Violation) bool { return v.Rule == fabric.RuleDeadline }) {
		return nil
	}
	type pair struct {
		to   int
		from uint32
	}
	var late []fabric.Finding
	came := map[pair]uint32{} // slots until arrival
	missing := map[pair]bool{}
	err := m.Repeat(ctx, report, nil, func() error {
		if m.slot >= limit && (m.slot == limit || len(missing) > 0) {
			still := map[pair]bool{}
			m.Referee.Missing(func(f fabric.Finding) bool {
				still[pair{f.Index, f.Value}] = true
				if m.slot == limit {
					late = append(late, f)
				}
				return true
			})
			for p := range missing {
				if !still[p] {
					came[p] = m.slot
				}
			}
			missing = still
		}
		return each()
	})
	if err != nil || m.Interrupted || m.Digest.String() != report.Digest {
		return err
	}
	l := &outcome.Lateness{Packets: true, What: [2]string{"packet", "packets"}, Deadline: uint64(limit), Late: len(late),
		Never: "had not come when the run ended",
		Since: "from the start of the run; the picture of latencies starts when a frame is queued"}
	if m.finished {
		l.Never = "never came"
	}
	for _, f := range late {
		slots, ok := came[pair{f.Index, f.Value}]
		if !ok {
			l.Lost++
		}
		if uint64(slots) > l.Most {
			l.Most, l.Worst = uint64(slots), &outcome.LatestPath{From: int(f.Value), To: f.Index}
		}
	}
	for i := range report.Violations {
		if v := &report.Violations[i]; v.Rule == fabric.RuleDeadline {
			slots, ok := came[pair{v.Subject.Index, v.Subject.Value}]
			v.Message += cameText(ok, l.Never, slots, limit)
		}
	}
	report.Aside.Late = l
	return nil
}

func cameText(came bool, never string, slots, limit uint32) string {
	if !came {
		return ": it " + never
	}
	return fmt.Sprintf(": it came after %d, %s late", slots, traces.Plural(slots-limit, "slot", "slots"))
}
