package hw

// Chance makes the draws of a packet for its routes. Draws of a file are in Packets.Choice; other draws are a function
// of the packet's number and of the ordinal of the draw, so that no order of evaluation matters.
type Chance struct {
	packets *Packets // nil: every draw is the number
	packet  uint32
}

// ChanceOf returns the draws of a packet.
func ChanceOf(packets *Packets, packet uint32) Chance { return Chance{packets, packet} }

// AlwaysDraws returns draws that are all equal to a number, modulo the number of outcomes.
func AlwaysDraws(number int) Chance { return Chance{packet: uint32(number)} }

const (
	// ChoiceBits is the number of bits of a draw in Packets.Choice. The first draw is in the lowest bits.
	ChoiceBits = 4
	// ChoicesMax is the maximum number of draws in Packets.Choice.
	ChoicesMax = 64 / ChoiceBits
)

// draw returns draw i of the packet, from 0 to outcomes-1.
func (c Chance) draw(i, outcomes int) int {
	switch {
	case c.packets == nil:
		return int(c.packet) % outcomes
	case c.packets.Choice != nil:
		return int(c.packets.Choice[c.packet]>>(ChoiceBits*i&63)&(1<<ChoiceBits-1)) % outcomes
	}
	return int(Below(Stream(0).Draw(c.packet, 0, uint16(i)), uint32(outcomes)))
}
