package hw

import "math/bits"

// Crossings are where the flits of a network come out of channels, cycle by cycle, for who counts them. Channels are numbered as
// those of RouterFaults.
type Crossings struct {
	flits   *Flits
	channel []uint32 // [word*64 + bit] of what is lit
}

// Crossings are those of the network.
func (n *RouterNetwork) Crossings() *Crossings {
	x := &Crossings{n.Flits, make([]uint32, 64*n.Flits.words)}
	channels, _ := n.channels()
	for wire, channel := range channels {
		x.channel[int(n.Flits.word[wire])*64+int(n.Flits.bit[wire])] = channel
	}
	return x
}

// Each yields the channels out of which a flit comes in this cycle, between Settle and Latch.
func (x *Crossings) Each(yield func(channel int)) {
	for k, word := range x.flits.lighting(0) {
		for ; word != 0; word &= word - 1 {
			yield(int(x.channel[k*64+bits.TrailingZeros64(word)]))
		}
	}
}
