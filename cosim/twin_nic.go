package cosim

import (
	"fmt"
	"strings"

	"starloom/hw"
	"starloom/nic"
)

var crc16Twin = Twin{
	Name: "crc16", Sources: []string{"crc16.v"}, Components: []string{"nic.Checksum"},
	Sets: []Parameters{{"PHIT_BITS": 8}, {"PHIT_BITS": 1}, {"PHIT_BITS": 5}, {"PHIT_BITS": 16}, {"PHIT_BITS": 64}},
	build: func(m *Model, p Parameters) error {
		phit := p["PHIT_BITS"]
		if phit < 1 || phit > nic.PhitBitsMax {
			return fmt.Errorf("crc16: phit of %d bits, allowed are 1 to %d", phit, nic.PhitBitsMax)
		}
		m.clocks()
		start, bits, data := m.input("start_i", 1), m.input("bits_i", 7), m.input("data_i", phit)
		next, crc := m.output("next_o", 16), m.output("crc_o", 16)

		message := newCRCMessage()
		ahead := func() crcMessage {
			now := *message
			if m.get(start) != 0 {
				now.clear()
			}
			// More bits than the phit has are not allowed, and are not stimulated.
			for word, bit := m.get(data), phit-1; bit >= phit-int(m.get(bits)) && bit >= 0; bit-- {
				now.append(byte(word >> bit & 1))
			}
			return now
		}
		m.show = func() {
			after := ahead()
			m.put(next, uint64(after.crc()))
			m.put(crc, uint64(message.crc()))
		}
		m.behind = func() { *message = ahead() }
		m.cleared = message.clear
		m.state = func(v *hw.StateVisitor) {
			hw.StateColumn(v, "bytes", message.bytes[:])
			hw.StateScalar(v, "bits", &message.bits, hw.AtMost(uint8(7)))
		}
		m.asInUse = append(m.asInUse, bits) // never more than the phit has
		m.stimulate = func(random *Random, inputs []uint64) {
			inputs[start.word] = 0
			if random.OneIn(40) {
				inputs[start.word] = 1
			}
			inputs[data.word] = random.Uint64()
			inputs[bits.word] = uint64(phit)
			switch random.Below(8) {
			case 0:
				inputs[bits.word] = 0
			case 1: // the end of a frame
				inputs[bits.word] = uint64(random.Below(phit + 1))
			}
		}
		return nil
	},
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

// serialiserTwin. Rules of the wires around nic.Serialisers: load_i is Load; what Load
// would refuse, and a load while a frame waits or is sent, is ignored.
var serialiserTwin = Twin{
	Name: "serialiser", Sources: []string{"serialiser.v"}, Components: []string{"nic.Serialisers"},
	Sets: []Parameters{
		{"PHIT_BITS": 8, "FRAME_BYTES_MAX": 32, "COMPUTE_CYCLES": 3}, {"PHIT_BITS": 64, "FRAME_BYTES_MAX": 24, "COMPUTE_CYCLES": 0},
		{"PHIT_BITS": 1, "FRAME_BYTES_MAX": 4, "COMPUTE_CYCLES": 1}, {"PHIT_BITS": 5, "FRAME_BYTES_MAX": 20, "COMPUTE_CYCLES": 0},
		{"PHIT_BITS": 48, "FRAME_BYTES_MAX": 17, "COMPUTE_CYCLES": 300}, {"PHIT_BITS": 64, "FRAME_BYTES_MAX": 1, "COMPUTE_CYCLES": 2},
	},
	build: func(m *Model, p Parameters) error {
		phit, frameMax, compute := p["PHIT_BITS"], p["FRAME_BYTES_MAX"], p["COMPUTE_CYCLES"]
		if compute < 0 || compute > serialiserComputeMax {
			return fmt.Errorf("serialiser: compute window of %d cycles, allowed are 0 to %d", compute, serialiserComputeMax)
		}
		m.clocks()
		load, frame := m.input("load_i", 1), m.input("frame_i", 8*max(frameMax, 1))
		length, port := m.input("length_i", 16), m.input("port_i", 16)
		out1, out0 := m.output("rail1_o", phit), m.output("rail0_o", phit)
		outPort, busy := m.output("port_o", 16), m.output("busy_o", 1)

		tx, err := nic.NewSerialisers(nic.SerialiserConfig{
			Bank: one("tx"), Clock: m.kernel.Clock(), Shards: modelShards, PhitBits: phit, FrameBytesMax: frameMax, ComputeCycles: compute,
		})
		if err != nil {
			return err
		}
		m.kernel.Add(tx)
		m.show = func() {
			m.put(out1, tx.Light().Rail1[0])
			m.put(out0, tx.Light().Rail0[0])
			m.put(outPort, uint64(tx.Ports().Value[0]))
			m.put(busy, uint64(len(tx.Busy(0))))
		}
		buffer := make([]byte, frameMax)
		m.take = func() {
			bytes := int(m.get(length))
			if m.get(load) != 0 && len(tx.Busy(0)) == 0 && bytes >= 1 && bytes <= frameMax {
				getBytes(m.in(frame), 0, buffer[:bytes])
				tx.Load(0, buffer[:bytes], uint16(m.get(port)))
			}
		}
		m.stimulate = func(random *Random, inputs []uint64) {
			inputs[load.word] = random.Sparse(2) & 1
			inputs[length.word] = uint64(1 + random.Below(max(frameMax, 1)))
			if random.OneIn(8) {
				inputs[length.word] = [...]uint64{0, uint64(frameMax), uint64(frameMax) + 1, 0x2001, 0xFFFF}[random.Below(5)]
			}
			inputs[port.word] = [...]uint64{0, 1, hw.PortAll, hw.PortNone, uint64(random.Uint32())}[random.Below(5)]
			bytes := wordsOf(inputs, frame)
			bytes[random.Below(len(bytes))] = random.Uint64()
		}
		return nil
	},
}

// serialiserComputeMax is what the counter of a transmitter in Verilog holds.
const serialiserComputeMax = 1<<16 - 1

// deserialiserTwin. Rules of the wires around nic.Deserialisers: end_slot_i is EndSlot,
// and port_i is Listen in that cycle, to nothing for a port_i that is no port.
var deserialiserTwin = Twin{
	Name: "deserialiser", Sources: []string{"deserialiser.v", "crc16.v"}, Components: []string{"nic.Deserialisers"},
	Sets: []Parameters{
		{"PHIT_BITS": 8, "FRAME_BYTES_MAX": 32, "PORTS": 1}, {"PHIT_BITS": 64, "FRAME_BYTES_MAX": 24, "PORTS": 4},
		{"PHIT_BITS": 1, "FRAME_BYTES_MAX": 16, "PORTS": 2}, {"PHIT_BITS": 5, "FRAME_BYTES_MAX": 20, "PORTS": 3},
		{"PHIT_BITS": 48, "FRAME_BYTES_MAX": 19, "PORTS": 2},
	},
	build: func(m *Model, p Parameters) error {
		phit, frameMax, wires := p["PHIT_BITS"], p["FRAME_BYTES_MAX"], p["PORTS"]
		m.clocks()
		endSlot, port := m.input("end_slot_i", 1), m.input("port_i", 16)
		in1, in0 := m.input("rail1_i", wires*phit), m.input("rail0_i", wires*phit)
		state, bits := m.output("state_o", 3), m.output("bits_o", 16)
		status, length, frame := m.output("status_o", 3), m.output("length_o", 16), m.output("frame_o", 8*frameMax)

		hears := hw.Gather{Inputs: wires, Wires: make([]uint32, wires)}
		for i := range hears.Wires {
			hears.Wires[i] = uint32(i)
		}
		light, err := m.light(hw.Bank{Name: "fibre", Units: 1, PerUnit: wires}, in1, in0, phit, make([]uint32, wires))
		if err != nil {
			return err
		}
		rx, err := nic.NewDeserialisers(nic.DeserialiserConfig{
			Bank: one("rx"), Clock: m.kernel.Clock(), Shards: modelShards, PhitBits: phit, FrameBytesMax: frameMax,
			In: light, Hears: hears,
		})
		if err != nil {
			return err
		}
		m.kernel.Add(rx)
		m.events = []coverEvent{{"rail1_i and rail0_i", "lit together, as in a collision,", phit, func(inputs []uint64) (both uint64) {
			for i := range wires {
				both |= getBits(wordsOf(inputs, in1), i*phit, phit) & getBits(wordsOf(inputs, in0), i*phit, phit)
			}
			return both
		}}}
		stateProbe, bitsProbe := probeOf(rx, ".state"), probeOf(rx, ".bits")
		m.show = func() {
			m.put(state, stateProbe.Value())
			m.put(bits, bitsProbe.Value())
			heard := nic.Frame(nil)
			if rx.Status(0) == nic.StatusOK {
				heard = rx.Frame(0)
			}
			m.put(status, uint64(rx.Status(0)))
			m.put(length, uint64(len(heard)))
			clear(m.out(frame))
			putBytes(m.out(frame), 0, heard)
		}
		m.take = func() {
			if m.get(endSlot) == 0 {
				return
			}
			rx.EndSlot(0)
			if input := m.get(port); input < uint64(wires) {
				rx.Listen(0, uint16(input))
			} else {
				rx.Listen(0, hw.PortNone)
			}
		}
		traffic := newTraffic(phit, frameMax, wires)
		m.stimulate = func(random *Random, inputs []uint64) {
			last := traffic.stimulate(random, wordsOf(inputs, in1), wordsOf(inputs, in0))
			inputs[endSlot.word] = 0
			if last != random.OneIn(4*traffic.slotCycles) {
				inputs[endSlot.word] = 1
			}
			inputs[port.word] = uint64(random.Below(wires))
			if random.OneIn(8) {
				inputs[port.word] = [...]uint64{uint64(wires), hw.PortNone, uint64(random.Uint32())}[random.Below(3)]
			}
		}
		return nil
	},
}

// probeOf finds the one signal of a component whose path ends so.
func probeOf(component hw.Probed, suffix string) (found hw.Probe) {
	component.Probes(func(p hw.Probe) {
		if strings.HasSuffix(p.Path, suffix) {
			found = p
		}
	})
	return found
}
