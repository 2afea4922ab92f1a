package hw

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"
)

// ChannelDelayMax is the longest delay of a channel, in cycles.
const ChannelDelayMax = 1000

// channels are registers in a row, one row for each wire: what is put on wire w for a cycle is
// there in that cycle and in no other, however far away the cycle is. Readers own runs of wires and
// one bit for each of them, so that a reader without any costs a word. Who puts something there in
// Latch, and who takes it in another Latch, need no order, and may be in different shards.
type channels[T uint8 | uint64] struct {
	Registers
	clock  *Clock
	wires  int
	slots  int // a power of two, more than the longest delay
	ring   []T // [slot*wires + wire]
	lit    []uint64
	words  int      // of lit in each slot
	word   []uint32 // of each wire, its word of lit...
	bit    []uint8  // ...and the bit there
	reader []uint16 // the shard that reads each wire
	shards int
	cross  [][]uint32 // [writer*shards + reader]: slot*wires + wire, to be lit in the next Drive
	mail   []uint64   // of each reader: the set of writers with a list for it, by mailWords
	shown  []uint8    // of each reader: 1 for lit slots, by shownSlots

	// loses reports whether a fault loses what a shard puts on a wire for a cycle; nil without faults.
	loses func(shard int, wire uint32, cycle uint64, value T) bool

	saved struct {
		wire, wait []uint32
		value      []T
	}
}

// channelReader has the next wires of a bank of channels, as bits of a number of words.
type channelReader struct {
	wires, words int
	shard        uint16
}

type channelReaders []channelReader

func (c *channels[T]) build(path string, clock *Clock, readers channelReaders, delayMax, shards int) {
	c.clock, c.shards = clock, shards
	c.slots = 1 << bits.Len(uint(delayMax))
	for _, r := range readers {
		for bit := range r.wires {
			c.word = append(c.word, uint32(c.words+bit/64))
			c.bit = append(c.bit, uint8(bit%64))
			c.reader = append(c.reader, r.shard)
		}
		c.words += r.words
	}
	c.wires = len(c.word)
	c.ring, c.lit = make([]T, c.slots*c.wires), make([]uint64, c.slots*c.words)
	c.cross, c.mail, c.shown = make([][]uint32, shards*shards), make([]uint64, shards*mailWords), make([]uint8, shards*c.shownSlots())
	c.Registers = Declare(Declaration{
		Path: path,
		Registers: []Register{
			List("wire", &c.saved.wire, AtMost(uint32(c.wires-1))),
			List("wait", &c.saved.wait, AtMost(uint32(c.slots-1))),
			List("value", &c.saved.value),
		},
		Collect: c.collect,
		Derive:  c.fill,
	})
}

// Drives is the bank itself: the far ends of the channels.
func (c *channels[T]) Drives() []Wire { return []Wire{c} }

// mailWords hold one bit for each shard. They, and the slots of a shard, are cache lines of their own.
const mailWords = (ShardsMax + 63) / 64

func (c *channels[T]) shownSlots() int { return max(64, c.slots) }

func (c *channels[T]) Drive(s Shard) {
	c.shown[s.Index*c.shownSlots()+int(c.clock.cycle-1)&(c.slots-1)] = 0
	for k := range mailWords {
		mail := &c.mail[s.Index*mailWords+k]
		for ; *mail != 0; *mail &= *mail - 1 {
			list := &c.cross[(k*64+bits.TrailingZeros64(*mail))*c.shards+s.Index]
			for _, at := range *list {
				c.light(int(at)/c.wires, int(at)%c.wires)
			}
			*list = (*list)[:0]
		}
	}
}

func (c *channels[T]) light(slot, wire int) {
	c.lit[slot*c.words+int(c.word[wire])] |= 1 << (c.bit[wire] & 63)
	c.shown[int(c.reader[wire])*c.shownSlots()+slot] = 1
}

// shows reports whether a wire of a reading shard is lit in this cycle, or was before its take.
func (c *channels[T]) shows(shard int) bool {
	return c.shown[shard*c.shownSlots()+int(c.clock.cycle)&(c.slots-1)] != 0
}

// put puts a value on a wire for the cycle in delay cycles; the writer's shard calls it.
func (c *channels[T]) put(shard int, wire uint32, delay uint16, value T) {
	if c.loses != nil && c.loses(shard, wire, c.clock.cycle+uint64(delay), value) {
		return
	}
	slot := int(c.clock.cycle+uint64(delay)) & (c.slots - 1)
	c.ring[slot*c.wires+int(wire)] = value
	if reader := int(c.reader[wire]); reader != shard {
		list := &c.cross[shard*c.shards+reader]
		if len(*list) == 0 {
			atomic.OrUint64(&c.mail[reader*mailWords+shard/64], 1<<(shard&63))
		}
		*list = append(*list, uint32(slot*c.wires)+wire)
		return
	}
	c.light(slot, int(wire))
}

// now is what the wires show in this cycle, and the bits of those that show something, which their
// readers take back.
func (c *channels[T]) now() (values []T, lit []uint64) {
	slot := int(c.clock.cycle) & (c.slots - 1)
	return c.ring[slot*c.wires : (slot+1)*c.wires], c.lit[slot*c.words : (slot+1)*c.words]
}

// at is what a wire shows in a number of cycles, if that is something.
func (c *channels[T]) at(wire uint32, cycles uint16) (value T, lit bool) {
	slot := int(c.clock.cycle+uint64(cycles)) & (c.slots - 1)
	if lit = c.lit[slot*c.words+int(c.word[wire])]>>(c.bit[wire]&63)&1 != 0; lit {
		value = c.ring[slot*c.wires+int(wire)]
	}
	return value, lit
}

// lighting are the bits of the wires that show something in a number of cycles.
func (c *channels[T]) lighting(cycles int) []uint64 {
	slot := (int(c.clock.cycle) + cycles) & (c.slots - 1)
	return c.lit[slot*c.words : (slot+1)*c.words]
}

func (c *channels[T]) take(wire uint32) {
	slot := int(c.clock.cycle) & (c.slots - 1)
	c.lit[slot*c.words+int(c.word[wire])] &^= 1 << (c.bit[wire] & 63)
}

// QuietFor implements Quiet: nothing is on its way.
func (c *channels[T]) QuietFor(limit uint64) uint64 {
	for _, writers := range c.mail {
		if writers != 0 {
			return 0
		}
	}
	for shard := range c.shards {
		shown := c.shown[shard*c.shownSlots():][:c.slots]
		shown[int(c.clock.cycle-1)&(c.slots-1)] = 0 // it is taken, and no Drive forgets it if cycles are skipped
		if bytes.IndexByte(shown, 1) >= 0 {
			return 0
		}
	}
	return limit
}

// each yields what is on its way, as slot*wires + wire.
func (c *channels[T]) each(yield func(at int)) {
	for slot := range c.slots {
		for wire := range c.wires {
			if c.lit[slot*c.words+int(c.word[wire])]>>(c.bit[wire]&63)&1 != 0 {
				yield(slot*c.wires + wire)
			}
		}
	}
	for _, list := range c.cross {
		for _, at := range list {
			yield(int(at))
		}
	}
}

// collect makes the table of what is on its way, by wire and remaining time.
func (c *channels[T]) collect() {
	saved := &c.saved
	saved.wire, saved.wait, saved.value = saved.wire[:0], saved.wait[:0], saved.value[:0]
	var at []uint32
	c.each(func(x int) { at = append(at, uint32(x)) })
	wait := func(at uint32) uint32 { return (at/uint32(c.wires) - uint32(c.clock.cycle)) & uint32(c.slots-1) }
	slices.SortFunc(at, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(a%uint32(c.wires), b%uint32(c.wires)), cmp.Compare(wait(a), wait(b)))
	})
	for _, x := range at {
		saved.wire, saved.wait = append(saved.wire, x%uint32(c.wires)), append(saved.wait, wait(x))
		saved.value = append(saved.value, c.ring[x])
	}
}

func (c *channels[T]) fill() {
	clear(c.lit)
	clear(c.mail)
	clear(c.shown)
	for i := range c.cross {
		c.cross[i] = c.cross[i][:0]
	}
	for i, wire := range c.saved.wire {
		slot := int(uint32(c.clock.cycle)+c.saved.wait[i]) & (c.slots - 1)
		c.ring[slot*c.wires+int(wire)] = c.saved.value[i]
		c.light(slot, int(wire))
	}
}

func checkChannelDelay(path string, latency, further int) error {
	if latency < 1 || latency+further > ChannelDelayMax {
		return fmt.Errorf("%s: latency of %d cycles, allowed are 1 to %d", path, latency, ChannelDelayMax-further)
	}
	return nil
}

// CreditWires are the registers of credits on their way: for each channel the credit register of
// the unit that has freed a place, the latency's worth of its credit channel, and, into a router, the
// credit delay. A credit is the number of the virtual channel of which a slot is free again. What is
// put there in cycle s counts in cycle s+1+latency+delay (at a source s+1+latency).
//
// Wires 0, 1, ... are the output ports of all routers, then come the sources. Reset: no credit.
type CreditWires struct{ channels[uint8] }
