package picture

import (
	"slices"

	"starloom/fabric/referees"
	"starloom/nic"
)

type waiting struct {
	mark uint64 // it is known by what is in it
	slot uint32 // since when it waits
}

// departure is a frame that was sent on a medium; one on several media has one for each, marked but for the first.
type departure struct {
	source, queued, medium uint32
	more                   bool
}

// blockBits is how many processors side by side are a block: two to this power.
const blockBits = 11

// block are the TX FIFOs of some processors; one in which nothing waits is not kept.
type block struct {
	of   [1 << blockBits][]waiting
	used int // of them, those that are not empty
}

// queues are the TX FIFOs of the processors of a shard.
type queues struct {
	blocks map[int]*block
	free   []*block
}

// get returns what waits at a processor; set replaces it.
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
	if k < 0 && len(list) > 0 { // a frame to whom a list says: now it is known
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

// judge finds out which of the frames of a slot were received: by anyone.
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
