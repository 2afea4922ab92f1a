package picture

import (
	"slices"

	"starloom/fabric"
	"starloom/nic"
)

// waiting is a frame in a TX FIFO.
type waiting struct {
	mark uint64 // it is known by what is in it
	slot uint32 // since when it waits
}

// departure is a frame that was sent on some media.
type departure struct {
	source uint32
	queued uint32
	media  []uint32
}

// look compares a TX FIFO with what was in it: handlers append frames and withdraw others.
func (c *Collector) look(bank *nic.Bank, cell int, slot uint32) {
	processor := bank.First + cell
	frames := min(int(bank.Registers[cell].TxCount), bank.TxFrames)
	before := c.waiting[processor]
	if frames == 0 && len(before) == 0 {
		return
	}
	now, next := make([]waiting, 0, frames), 0
	for place := range frames {
		w := waiting{fabric.MarkOf(bank.TxFrame(cell, place)), slot}
		if k := slices.IndexFunc(before[next:], func(b waiting) bool { return b.mark == w.mark }); k >= 0 {
			w.slot = before[next+k].slot
			next += k + 1
		}
		now = append(now, w)
	}
	c.waiting[processor] = now
}

// depart notes a frame that has left its TX FIFO.
func (s *shard) depart(processor int, frame nic.FrameView, slot uint32) {
	c := s.c
	list, mark := c.waiting[processor], fabric.MarkOf(frame)
	d := departure{source: uint32(processor), queued: slot}
	k := slices.IndexFunc(list, func(w waiting) bool { return w.mark == mark })
	if k < 0 && len(list) > 0 { // a frame to whom a list says: now it is known
		k = 0
	}
	if k >= 0 {
		d.queued = list[k].slot
		c.waiting[processor] = slices.Delete(list, k, k+1)
	}
	c.media(processor, frame, func(medium int) { d.media = append(d.media, uint32(medium)) })
	m := &s.now[slot&1]
	m.departures = append(m.departures, d)
}

// judge finds out which of the frames of a slot were received: by anyone.
func (c *Collector) judge(slot uint32, arrivals []uint64) {
	if c.waiting == nil {
		return
	}
	slices.Sort(arrivals)
	for _, s := range c.shards {
		for _, d := range s.now[slot&1].departures {
			received := slices.ContainsFunc(d.media, func(medium uint32) bool {
				_, ok := slices.BinarySearch(arrivals, uint64(d.source)<<32|uint64(medium))
				return ok
			})
			if received {
				c.took[slot-min(d.queued, slot)+1]++
			} else {
				c.unreceived++
			}
		}
	}
}
