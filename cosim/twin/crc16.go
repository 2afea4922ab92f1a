package twin

import (
	"fmt"

	"starloom/hw"
	"starloom/nic"
)

func crc16() Twin {
	return Twin{
		Name: "crc16", Sources: []string{"crc16.v"}, Components: []string{"nic.Checksum"},
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
				return fmt.Errorf("crc16: phit of %d bits, allowed are 1 to %d", phit, nic.PhitBitsMax)
			}
			m.ClockAndReset()
			start, bits, data := m.Input("start_i", 1), m.Input("bits_i", 7), m.Input("data_i", phit)
			next, crc := m.Output("next_o", 16), m.Output("crc_o", 16)

			message := newCRCMessage()
			ahead := func() crcMessage {
				now := *message
				if m.Get(start) != 0 {
					now.clear()
				}
				// More bits than the phit has are not allowed, and are not stimulated.
				for word, bit := m.Get(data), phit-1; bit >= phit-int(m.Get(bits)) && bit >= 0; bit-- {
					now.append(byte(word >> bit & 1))
				}
				return now
			}
			m.Show = func() {
				after := ahead()
				m.Put(next, uint64(after.crc()))
				m.Put(crc, uint64(message.crc()))
			}
			m.Behind = func() { *message = ahead() }
			m.Cleared = message.clear
			m.Registers = func(v *hw.StateVisitor) {
				hw.StateColumn(v, "bytes", message.bytes[:])
				hw.StateScalar(v, "bits", &message.bits, hw.AtMost(uint8(7)))
			}
			m.OnlyInUse = append(m.OnlyInUse, bits) // never more than the phit has
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

// crcMessage is a message of which only the CRC is of interest, cut to two whole
// bytes with the CRC of all of it and the bits behind them. nic.Checksum takes bytes
// from the start of a message; this makes it the register of crc16.v.
type crcMessage struct {
	table *[1 << 16]uint16 // the two bytes of each CRC
	bytes [3]uint8         // two, and bits of a third at its top
	bits  uint8            // 0..7
}

func newCRCMessage() *crcMessage {
	m := &crcMessage{table: new([1 << 16]uint16)}
	for pair := range m.table {
		m.table[nic.Checksum([]byte{byte(pair >> 8), byte(pair)})] = uint16(pair)
	}
	m.clear()
	return m
}

// clear makes it the empty message.
func (m *crcMessage) clear() {
	pair := m.table[nic.Checksum(nil)]
	m.bytes, m.bits = [3]uint8{byte(pair >> 8), byte(pair)}, 0
}

func (m *crcMessage) append(bit byte) {
	m.bytes[2] |= bit << (7 - m.bits)
	if m.bits++; m.bits == 8 {
		pair := m.table[nic.Checksum(m.bytes[:])]
		m.bytes, m.bits = [3]uint8{byte(pair >> 8), byte(pair)}, 0
	}
}

// crc is that of the message with zeros up to the next byte, less those zeros.
func (m *crcMessage) crc() uint16 {
	if m.bits == 0 {
		return nic.Checksum(m.bytes[:2])
	}
	crc := nic.Checksum(m.bytes[:])
	for range 8 - m.bits {
		if crc&1 != 0 {
			crc = (crc^0x1021)>>1 | 0x8000
		} else {
			crc >>= 1
		}
	}
	return crc
}
