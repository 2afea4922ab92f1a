package twin

import (
	"fmt"

	"starloom/hw"
	"starloom/nic"
)

func crc16() Twin {
	return Twin{
		Name: "crc16", Sources: []string{"crc16.v"}, Components: []string{"nic.Checksum"},
		Does: "drives next_o with the CRC including the bits of this cycle, and crc_o with the registered CRC before them",
		Sets: []Parameters{{"PHIT_BITS": 8}, {"PHIT_BITS": 1}, {"PHIT_BITS": 5}, {"PHIT_BITS": 16}, {"PHIT_BITS": 64}},
		Mutants: []Mistake{
			{"wrong polynomial", "16'h1021", "16'h8005"},
			{"starts at 0", "START = 16'hFFFF", "START = 16'h0000"},
			{"start ignored", "start_i ? START : crc_q", "crc_q"},
			{"part of a phit from the wrong end", "data_i >> (PHIT - bits_i)", "data_i & ~({PHIT_BITS{1'b1}} << bits_i)"},
			{"missing reset", "crc_q <= reset ? START : next_o", "crc_q <= next_o"},
		},
		Build: func(m *Model, p Parameters) error {
			phit := p["PHIT_BITS"]
			if phit < 1 || phit > nic.PhitBitsMax {
				return fmt.Errorf("crc16: phit of %d bits; allowed: 1 to %d", phit, nic.PhitBitsMax)
			}
			if err := m.Stand(newCRCRegister(phit)); err != nil {
				return err
			}
			start, bits, data := m.Pin("start_i"), m.Pin("bits_i"), m.Pin("data_i")
			m.cover("start_i", []string{"with bits_i 0", "with fewer bits than a phit has"}, func(c *Cycle) uint64 {
				starts, count := start.any(c.Inputs), c.Inputs[bits.Word]
				return facts(starts && count == 0, starts && count > 0 && count < uint64(phit) || phit == 1)
			})
			m.OnlyInUse = append(m.OnlyInUse, bits)
			m.Use = func(random *Random, inputs []uint64) {
				inputs[start.Word] = 0
				if random.OneIn(40) {
					inputs[start.Word] = 1
				}
				inputs[data.Word] = random.Uint64()
				inputs[bits.Word] = uint64(phit)
				switch random.Below(8) {
				case 0:
					inputs[bits.Word] = 0
				case 1: // the end of a frame
					inputs[bits.Word] = uint64(random.Below(phit + 1))
				}
			}
			return nil
		},
	}
}

// crcRegister models crc16.v, which computes the CRC of a message phit by phit. Receivers call nic.Checksum for a
// whole frame instead.
type crcRegister struct {
	hw.Registers
	phit    int
	message crcMessage

	start bool
	bits  int
	data  uint64
}

func newCRCRegister(phit int) *crcRegister {
	c := &crcRegister{phit: phit, message: newCRCMessage()}
	c.Registers = hw.Declare(hw.Declaration{Bank: one("crc"), Registers: []hw.Register{
		hw.Column("bytes", c.message.bytes[:]).ResetTo(c.message.bytes[0], c.message.bytes[1], 0),
		hw.Column("bits", c.message.bits[:], hw.AtMost(uint8(7))),
	}})
	return c
}

// next returns the message with the inputs appended. Inputs with more bits than a phit are illegal and never
// stimulated.
func (c *crcRegister) next() crcMessage {
	now := c.message
	if c.start {
		now.clear()
	}
	for bit := c.phit - 1; bit >= c.phit-c.bits && bit >= 0; bit-- {
		now.append(byte(c.data >> bit & 1))
	}
	return now
}

func (c *crcRegister) Latches() []hw.Wire { return nil }
func (c *crcRegister) Latch(hw.Shard)     { c.message = c.next() }

func (c *crcRegister) Site() *hw.Site {
	input := func(name string, bits int, put func(value uint64)) hw.Port {
		return hw.Port{Name: name, Bits: bits, Input: true, Get: hw.GetPins(func(int, hw.Pins) {}),
			Put: hw.PutValue(func(_ int, value uint64) error {
				put(value)
				return nil
			})}
	}
	output := func(name string, get func() uint16) hw.Port {
		return hw.Port{Name: name, Bits: 16, Get: hw.GetValue(func(int) uint64 { return uint64(get()) }), Put: hw.Unread}
	}
	return &hw.Site{
		Twin: "crc16", What: "CRC registers", Parameters: hw.Same(map[string]int{"PHIT_BITS": c.phit}),
		Elements: 1, Path: func(int) string { return c.Path() }, Clocked: true, Combinational: true,
		Ports: []hw.Port{
			input("start_i", 1, func(value uint64) { c.start = value != 0 }),
			input("bits_i", 7, func(value uint64) { c.bits = int(value) }),
			input("data_i", c.phit, func(value uint64) { c.data = value }),
			output("next_o", func() uint16 {
				next := c.next()
				return next.crc()
			}),
			output("crc_o", func() uint16 { return c.message.crc() }),
		},
	}
}

// crcMessage represents a message by its CRC. nic.Checksum computes whole messages only, so crcMessage keeps two
// bytes with the same CRC, followed by the bits of an incomplete byte.
type crcMessage struct {
	table *[1 << 16]uint16 // two bytes with a given CRC, by CRC
	bytes [3]uint8         // two bytes, and further bits at the top of the third
	bits  [1]uint8         // number of further bits, 0 to 7
}

func newCRCMessage() crcMessage {
	m := crcMessage{table: new([1 << 16]uint16)}
	for pair := range m.table {
		m.table[nic.Checksum([]byte{byte(pair >> 8), byte(pair)})] = uint16(pair)
	}
	m.clear()
	return m
}

func (m *crcMessage) clear() {
	pair := m.table[nic.Checksum(nil)]
	m.bytes, m.bits = [3]uint8{byte(pair >> 8), byte(pair)}, [1]uint8{}
}

func (m *crcMessage) append(bit byte) {
	m.bytes[2] |= bit << (7 - m.bits[0])
	if m.bits[0]++; m.bits[0] == 8 {
		pair := m.table[nic.Checksum(m.bytes[:])]
		m.bytes, m.bits = [3]uint8{byte(pair >> 8), byte(pair)}, [1]uint8{}
	}
}

// crc returns the CRC of the message. It pads the last byte with zeros, and then removes the effect of the zeros.
func (m *crcMessage) crc() uint16 {
	if m.bits[0] == 0 {
		return nic.Checksum(m.bytes[:2])
	}
	crc := nic.Checksum(m.bytes[:])
	for range 8 - m.bits[0] {
		if crc&1 != 0 {
			crc = (crc^0x1021)>>1 | 0x8000
		} else {
			crc >>= 1
		}
	}
	return crc
}
