package hw

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"
)

// ChannelDelayMax is the maximum delay of a channel in cycles.
const ChannelDelayMax = 1000

// channels is a bank of delay lines. A value put on a wire for a cycle appears in that cycle only. Each reader owns
// consecutive wires; an idle reader costs one word of lit bits. In Latch, one shard may put a value and another may
// take one in any order.
type channels[T uint8 | uint64] struct {
	Registers
	clock  *Clock
	wires  int
	slots  int // power of two above the longest delay
	ring   []T // [slot*wires + wire]
	lit    []uint64
	words  int      // words of lit in each slot
	word   []uint32 // by wire: index of its word of lit bits
	bit    []uint8  // by wire: position of its bit in that word
	reader []uint16 // by wire: shard that reads the wire
	shards int
	cross  [][]uint32 // [writer*shards + reader]: slot*wires + wire, for wires lit in the next Drive
	mail   []uint64   // by reader, mailWords each: bit set of the writers that have a list for the reader
	shown  []uint8    // by reader, shownSlots each: 1 for lit slots

	// loses reports whether a fault drops the value that a shard puts on a wire for a cycle; nil without faults.
	loses func(shard int, wire uint32, cycle uint64, value T) bool

	saved struct {
		wire, wait []uint32
		value      []T
	}
}

// channelReader owns the next wires of a bank. The lit bits of each reader have their own words.
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
	c.cross, c.mail, c.shown = make([][]uint32, shards*shards), make([]uint64, shards*mailWords),
		make([]uint8, shards*c.shownSlots())
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

func (c *channels[T]) Drives() []Wire { return []Wire{c} }

// mailWords is the number of words with one bit per shard. mailWords and shownSlots keep shards on separate cache
// lines.
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

// shows reports whether a wire of the reading shard is lit in this cycle, or was lit until its value was taken.
func (c *channels[T]) shows(shard int) bool {
	return c.shown[shard*c.shownSlots()+int(c.clock.cycle)&(c.slots-1)] != 0
}

// put shows a value on a wire in delay cycles. The writer's shard calls put.
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

// now returns the values of this cycle and the lit bits. Readers clear the bits of the values that they take.
func (c *channels[T]) now() (values []T, lit []uint64) {
	slot := int(c.clock.cycle) & (c.slots - 1)
	return c.ring[slot*c.wires : (slot+1)*c.wires], c.lit[slot*c.words : (slot+1)*c.words]
}

// at returns the value that a wire will have after the given number of cycles. lit reports whether the wire will then
// be lit.
func (c *channels[T]) at(wire uint32, cycles uint16) (value T, lit bool) {
	slot := int(c.clock.cycle+uint64(cycles)) & (c.slots - 1)
	if lit = c.lit[slot*c.words+int(c.word[wire])]>>(c.bit[wire]&63)&1 != 0; lit {
		value = c.ring[slot*c.wires+int(wire)]
	}
	return value, lit
}

// lighting returns the lit bits of the wires after the given number of cycles.
func (c *channels[T]) lighting(cycles int) []uint64 {
	slot := (int(c.clock.cycle) + cycles) & (c.slots - 1)
	return c.lit[slot*c.words : (slot+1)*c.words]
}

func (c *channels[T]) take(wire uint32) {
	slot := int(c.clock.cycle) & (c.slots - 1)
	c.lit[slot*c.words+int(c.word[wire])] &^= 1 << (c.bit[wire] & 63)
}

func (c *channels[T]) QuietFor(limit uint64) uint64 {
	for _, writers := range c.mail {
		if writers != 0 {
			return 0
		}
	}
	for shard := range c.shards {
		shown := c.shown[shard*c.shownSlots():][:c.slots]
		shown[int(c.clock.cycle-1)&(c.slots-1)] = 0 // values taken already; Drive does not clear the flag in skipped cycles
		if bytes.IndexByte(shown, 1) >= 0 {
			return 0
		}
	}
	return limit
}

// each yields every value in flight as slot*wires + wire.
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

// collect lists the values in flight by wire and by remaining cycles.
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
		return fmt.Errorf("%s: latency of %d cycles; allowed: 1 to %d", path, latency, ChannelDelayMax-further)
	}
	return nil
}

// CreditWires delays credits. The delay has three parts: the credit register of the unit that has freed a buffer
// place, the latency of the credit channel, and the credit delay of a router. The value of a credit is its virtual
// channel. A credit put in cycle s counts in cycle s+1+latency+delay (at a source s+1+latency).
//
// The wires of all routers' output ports come first, then the wires of the sources. Reset: no credits.
type CreditWires struct{ channels[uint8] }
