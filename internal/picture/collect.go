// Package picture draws a run: its wiring, the use of media over time, the actions of processors over time, and
// latencies.
//
//	machine --events of each shard--> Collector --> Heat, Timeline, Latency --SVG--> bytes
//	network ----------------------------------------> Topology -------------/
//
// A picture is plain data, and equal data yield equal bytes. The size of a picture is bounded: columns over time
// widen with the run, neighbouring media share a row, and a large network shows only some processors. A note lists
// the omissions.
package picture

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/nic"
	"starloom/traces"
)

const (
	mediaRowsMax = 40
	lanesMax     = 32 // drawn processors
	watchedMax   = 4 << 10
)

// Collector summarises the events of all shards of a machine. Its memory depends on the network, not on the length of
// the run.
type Collector struct {
	names      fabric.Names
	routers    *fabric.Routers // nil for a network without routers
	shape      fabric.Shape
	latencies  bool // frames are tracked from their queues to receivers
	perRow     int  // media of a row
	stride     int  // distance of the watched processors
	shards     []*shard
	from       uint32 // first complete slot
	slots      uint32 // number of complete slots
	heat       [heats]series
	loads      []uint64 // number of frames by medium, nil unless the topology shows them
	unit       string   // of time, "" for slots
	unassigned uint64   // frames that wait for no particular medium

	acts       [actions]series // of the watched processors
	done       []uint32        // by processor: first slot in which it was done, or never
	faulty     []uint32
	arrivals   []uint64 // scratch of judge
	took       map[uint32]uint64
	unreceived uint64
}

const (
	carried = iota
	collided
	blocked
	heats
)

const (
	sends = iota
	waits
	hears
	harmed // receives a damaged frame, or has no room for a frame
	actions
)

// never stands for no slot.
const never = ^uint32(0)

// shard collects the events of one shard. The two boundaries around a slot report the slot's events, mixed with
// events of the next slot.
type shard struct {
	c      *Collector
	now    [2]moment // by slot
	queues queues
	seen   []waiting // scratch
}

// moment holds the events of one slot in a shard.
type moment struct {
	heat       [heats][]uint64 // by row
	acts       []uint8         // by watched processor: a bit for each action
	unassigned uint64
	departures []departure
	sent       []uint32 // media, with one entry per frame; nil unless counted
	arrivals   []uint64 // pairs of source and medium
}

// Look returns a collector for a machine with the given number of shards, after slot crossed slots. latencies adds
// the latencies of frames.
func Look(n fabric.Network, shards int, slot uint32, latencies bool) *Collector {
	shape := n.Shape()
	processors := shape.Processors()
	c := &Collector{names: n.Names(), routers: fabric.RoutersOf(n), shape: shape, latencies: latencies, from: slot,
		took:   map[uint32]uint64{},
		perRow: mediaOfRow(shape), stride: 1}
	if Loaded(n) {
		c.loads = make([]uint64, shape.Media)
	}
	if processors > watchedMax {
		c.stride = (processors+lanesMax-1)/lanesMax | 1 // odd, to vary the place within units
	}
	rows, watched := (shape.Media+c.perRow-1)/c.perRow, (processors+c.stride-1)/c.stride
	for k := range c.heat {
		c.heat[k] = newSeries(rows)
	}
	for k := range c.acts {
		c.acts[k] = newSeries(watched)
	}
	c.done, c.faulty = slices.Repeat([]uint32{never}, watched), slices.Repeat([]uint32{never}, watched)
	for range shards {
		s := &shard{c: c, queues: queues{blocks: map[int]*block{}}}
		for i := range s.now {
			for k := range s.now[i].heat {
				s.now[i].heat[k] = make([]uint64, rows)
			}
			s.now[i].acts = make([]uint8, watched)
		}
		c.shards = append(c.shards, s)
	}
	return c
}

// mediaOfRow returns the number of neighbouring media per row, without splitting units of equal size.
func mediaOfRow(s fabric.Shape) int {
	switch each := s.Media / max(s.Units, 1); {
	case s.Media <= mediaRowsMax:
		return 1
	case each > 1 && each*s.Units == s.Media && s.Units > 1:
		return each * ((s.Units + mediaRowsMax - 1) / mediaRowsMax)
	}
	return (s.Media + mediaRowsMax - 1) / mediaRowsMax
}

// Shard returns the observer of a shard.
func (c *Collector) Shard(index int) fabric.Onlooker { return c.shards[index] }

// Boundary merges the events of slot slots-1, which is complete.
func (c *Collector) Boundary(slots uint32) {
	if slots == 0 || slots <= c.from { // the frames of the slot were sent before the collector was attached
		c.forget(slots + 1)
		return
	}
	slot := slots - 1
	at := slot - c.from
	c.slots = at + 1
	for _, s := range c.shards {
		m := &s.now[slot&1]
		for k := range m.heat {
			for row, count := range m.heat[k] {
				if count > 0 {
					c.heat[k].add(at, row, count)
				}
			}
		}
		for _, medium := range m.sent {
			c.loads[medium]++
		}
		for watched, acts := range m.acts {
			for k := range actions {
				if acts>>k&1 != 0 {
					c.acts[k].add(at, watched, 1)
				}
			}
		}
		c.unassigned += m.unassigned
	}
	c.judge(slot)
	c.forget(slot)
}

func (c *Collector) forget(slot uint32) {
	for _, s := range c.shards {
		m := &s.now[slot&1]
		for k := range m.heat {
			clear(m.heat[k])
		}
		clear(m.acts)
		m.unassigned, m.departures, m.arrivals = 0, m.departures[:0], m.arrivals[:0]
		m.sent = m.sent[:0]
	}
}

func (s *shard) act(processor, action int, slot uint32) {
	if processor%s.c.stride == 0 {
		s.now[slot&1].acts[processor/s.c.stride] |= 1 << action
	}
}

func (s *shard) on(what, processor int, frame nic.FrameView, slot uint32) {
	c, m := s.c, &s.now[slot&1]
	c.media(processor, frame, func(medium int) {
		if medium >= 0 && medium < c.shape.Media {
			m.heat[what][medium/c.perRow]++
			if what == carried && c.loads != nil {
				m.sent = append(m.sent, uint32(medium))
			}
		} else {
			m.unassigned++
		}
	})
}

func (c *Collector) media(processor int, frame nic.FrameView, yield func(medium int)) {
	to := int(frame.Destination())
	if frame.Port() != nic.PortAll {
		yield(c.names.SentOn(processor, frame.Port(), to))
		return
	}
	last := -1
	for port := range c.shape.Ports {
		if medium := c.names.SentOn(processor, uint16(port), to); medium != last {
			yield(medium)
			last = medium
		}
	}
}

func (s *shard) Acted(bank *nic.Bank, cells []uint32, slot uint32) {
	c := s.c
	for _, cell := range cells {
		processor := bank.First + int(cell)
		if processor%c.stride == 0 {
			k, flags := processor/c.stride, bank.Registers[cell].Flags
			note := func(first []uint32, flag uint8) {
				switch {
				case flags&flag == 0:
					first[k] = never
				case first[k] == never:
					first[k] = slot
				}
			}
			note(c.done, nic.FlagDone)
			note(c.faulty, nic.FlagFaulty)
		}
		if c.latencies {
			s.look(bank, int(cell), slot)
		}
	}
}

func (s *shard) Sent(processor int, frame nic.FrameView, slot uint32, stays bool) {
	s.act(processor, sends, slot)
	s.on(carried, processor, frame, slot)
	if s.c.latencies && !stays {
		s.depart(processor, frame, slot)
	}
}

func (s *shard) Blocked(processor int, frame nic.FrameView, slot uint32) {
	s.act(processor, waits, slot)
	s.on(blocked, processor, frame, slot)
}

func (s *shard) Heard(processor int, port uint16, status nic.Status, frame nic.FrameView, slot uint32) {
	if status != nic.StatusOK {
		s.act(processor, harmed, slot)
		return
	}
	s.act(processor, hears, slot)
	if s.c.latencies {
		m := &s.now[slot&1]
		m.arrivals = append(m.arrivals, uint64(frame.Source())<<32|uint64(uint32(s.c.names.HeardOn(processor, port))))
	}
}

func (s *shard) Collided(medium int, slot uint32) {
	s.now[slot&1].heat[collided][medium/s.c.perRow]++
}

func (c *Collector) since() string {
	if c.from == 0 {
		return ""
	}
	return fmt.Sprintf("The picture begins at %s %d, at which the run was restored. ", cmp.Or(c.unit, unitSlot), c.from)
}

// counts reports whether a medium's frames are counted. At routers only channels from NICs count.
func (c *Collector) counts(medium int) bool {
	if c.routers == nil || medium < c.routers.Media {
		return true
	}
	nodes := medium - c.routers.Media - len(c.routers.Graph.Links)
	return nodes >= 0 && nodes%2 == 0
}

func (c *Collector) counted() string {
	if c.routers == nil {
		return ""
	}
	return "Frames are counted where they leave NICs, not between routers. "
}

// unitSlot is the unit of time, except for bare packets.
const unitSlot = "slot"

func columnOf(width uint32, unit string) string {
	if width == 1 {
		return ""
	}
	return fmt.Sprintf("A column covers %s. ", traces.Plural(width, unit, unit+"s"))
}

const loadsMax = 1600

// Loaded reports whether a network's topology shows the frames of each medium.
func Loaded(n fabric.Network) bool {
	if sketch := n.Abilities().Description.Sketch; sketch != nil && n.Shape().Media <= loadsMax {
		_, ok := sketch()
		return ok
	}
	return false
}

type waiting struct {
	mark uint64 // hash of the frame
	slot uint32 // slot since which it waits
}

// departure is a frame sent on a medium. A frame on several media has a departure for each medium; all except the
// first are marked.
type departure struct {
	source, queued, medium uint32
	more                   bool
}

// blockBits is the binary logarithm of the processors in a block.
const blockBits = 11

// block holds the TX FIFOs of neighbouring processors. Empty blocks are freed.
type block struct {
	of   [1 << blockBits][]waiting
	used int // number of FIFOs that are not empty
}

// queues holds the TX FIFOs of a shard's processors.
type queues struct {
	blocks map[int]*block
	free   []*block
}

// get returns the waiting frames of a processor; set replaces them.
func (q *queues) get(processor int) []waiting {
	if b := q.blocks[processor>>blockBits]; b != nil {
		return b.of[processor&(1<<blockBits-1)]
	}
	return nil
}

func (q *queues) set(processor int, list []waiting) {
	key := processor >> blockBits
	b := q.blocks[key]
	if b == nil {
		if len(list) == 0 {
			return
		}
		if last := len(q.free) - 1; last >= 0 {
			b, q.free = q.free[last], q.free[:last]
		} else {
			b = new(block)
		}
		q.blocks[key] = b
	}
	at := &b.of[processor&(1<<blockBits-1)]
	before := len(*at)
	*at = append((*at)[:0], list...)
	switch {
	case before == 0 && len(list) > 0:
		b.used++
	case before > 0 && len(list) == 0:
		if b.used--; b.used == 0 {
			delete(q.blocks, key)
			q.free = append(q.free, b)
		}
	}
}

func (s *shard) look(bank *nic.Bank, cell int, slot uint32) {
	processor := bank.First + cell
	frames := min(int(bank.Registers[cell].TxCount), bank.TxFrames)
	before := s.queues.get(processor)
	if frames == 0 && len(before) == 0 {
		return
	}
	s.seen = s.seen[:0]
	next := 0
	for place := range frames {
		w := waiting{referees.MarkOf(bank.TxFrame(cell, place)), slot}
		if k := slices.IndexFunc(before[next:], func(b waiting) bool { return b.mark == w.mark }); k >= 0 {
			w.slot = before[next+k].slot
			next += k + 1
		}
		s.seen = append(s.seen, w)
	}
	s.queues.set(processor, s.seen)
}

func (s *shard) depart(processor int, frame nic.FrameView, slot uint32) {
	c, m := s.c, &s.now[slot&1]
	list, mark := s.queues.get(processor), referees.MarkOf(frame)
	d := departure{source: uint32(processor), queued: slot}
	k := slices.IndexFunc(list, func(w waiting) bool { return w.mark == mark })
	if k < 0 && len(list) > 0 { // the request list has determined the destination since the frame was queued
		k = 0
	}
	if k >= 0 {
		d.queued = list[k].slot
		s.seen = append(append(s.seen[:0], list[:k]...), list[k+1:]...)
		s.queues.set(processor, s.seen)
	}
	c.media(processor, frame, func(medium int) {
		d.medium = uint32(medium)
		m.departures = append(m.departures, d)
		d.more = true
	})
}

// judge matches the frames of a slot with their receptions at any receiver.
func (c *Collector) judge(slot uint32) {
	if !c.latencies {
		return
	}
	c.arrivals = c.arrivals[:0]
	for _, s := range c.shards {
		c.arrivals = append(c.arrivals, s.now[slot&1].arrivals...)
	}
	slices.Sort(c.arrivals)
	for _, s := range c.shards {
		departures := s.now[slot&1].departures
		for first := 0; first < len(departures); {
			received, k := false, first
			for ; k < len(departures) && (k == first || departures[k].more); k++ {
				if !received {
					_, received = slices.BinarySearch(c.arrivals, uint64(departures[k].source)<<32|uint64(departures[k].medium))
				}
			}
			if received {
				c.took[slot-min(departures[first].queued, slot)+1]++
			} else {
				c.unreceived++
			}
			first = k
		}
	}
}
