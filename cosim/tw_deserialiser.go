package cosim

import (
	"strings"

	"starloom/hw"
	"starloom/nic"
)

// deserialiser. Rules of the wires around nic.Deserialisers: end_slot_i is EndSlot,
// and port_i is Listen in that cycle, to nothing for a port_i that is no port.
func deserialiser() Twin {
	return Twin{
		Name: "deserialiser", Sources: []string{"deserialiser.v", "crc16.v"}, Components: []string{"nic.Deserialisers"},
		Sets: []Parameters{
			{"PHIT_BITS": 8, "FRAME_BYTES_MAX": 32, "PORTS": 1}, {"PHIT_BITS": 64, "FRAME_BYTES_MAX": 24, "PORTS": 4},
			{"PHIT_BITS": 1, "FRAME_BYTES_MAX": 16, "PORTS": 2}, {"PHIT_BITS": 5, "FRAME_BYTES_MAX": 20, "PORTS": 3},
			{"PHIT_BITS": 48, "FRAME_BYTES_MAX": 19, "PORTS": 2},
		},
		Mutants: []Mistake{
			{"version unchecked", "whole[FRAME_BITS-1 -: 4] == VERSION && ", ""},
			{"last kind refused", "<= KIND_LAST[3:0]", "< KIND_LAST[3:0]"},
			{"CRC ignored", " && crc_next == 16'd0", ""},
			{"collision forgotten", "else if (state_q != VIOLATED) begin", "else begin"},
			{"gap tolerated", "(state_q == RECEIVING && !gap_q)", "state_q == RECEIVING"},
			{"length without the CRC", "20'd128", "20'd112"},
			{"frame upside down", "memory_order[8*k +: 8] =", "memory_order[FRAME_BITS-1-8*k -: 8] ="},
			{"slot does not end", "state_q <= IDLE;\n      port_q <= port_i;", "port_q <= port_i;"},
			{"late light counts for the next slot", "state_q <= IDLE;\n      port_q <= port_i;", "state_q <= light ? DAMAGED : IDLE;\n      port_q <= port_i;"},
			{"not switched after a dark slot", "if (end_slot_i) begin", "if (end_slot_i && state_q != IDLE) begin"},
		},
		build: func(m *Model, p Parameters) error {
			phit, frameMax, wires := p["PHIT_BITS"], p["FRAME_BYTES_MAX"], p["PORTS"]
			m.clocks()
			endSlot, port := m.input("end_slot_i", 1), m.input("port_i", 16)
			in1, in0 := m.input("rail1_i", wires*phit), m.input("rail0_i", wires*phit)
			state, bits := m.output("state_o", 3), m.output("bits_o", 16)
			status, length, frame := m.output("status_o", 3), m.output("length_o", 16), m.output("frame_o", 8*frameMax)

			readers := make([]uint32, wires)
			light, err := m.light(hw.Bank{Name: "fibre", Units: 1, PerUnit: wires}, in1, in0, phit, readers)
			if err != nil {
				return err
			}
			rx, err := nic.NewDeserialisers(nic.DeserialiserConfig{
				Bank: one("rx"), Clock: m.circuit().Clock(), Shards: m.shards(), PhitBits: phit, FrameBytesMax: frameMax,
				In: light, HeardBy: readers,
			})
			if err != nil {
				return err
			}
			m.circuit().Add(rx)
			m.events = []coverEvent{{"rail1_i and rail0_i", "lit together, as in a collision,", phit, func(inputs []uint64) (both uint64) {
				for i := range wires {
					both |= hw.GetBits(in1.of(inputs), i*phit, phit) & hw.GetBits(in0.of(inputs), i*phit, phit)
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
				if wire := int(m.get(port)); wire < wires {
					rx.Listen(0, wire)
				} else {
					rx.Listen(0, -1)
				}
			}
			traffic := newTraffic(phit, frameMax, wires)
			m.use = func(random *Random, inputs []uint64) {
				last := traffic.stimulate(random, in1.of(inputs), in0.of(inputs))
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
