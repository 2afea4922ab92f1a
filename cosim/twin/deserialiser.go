package twin

import (
	"starloom/hw"
	"starloom/nic"
)

func deserialiser() Twin {
	return Twin{
		Name: "deserialiser", Sources: []string{"deserialiser.v", "crc16.v"}, Components: []string{"nic.Deserialisers"},
		Does: "hears fibre port_i from the cycle after end_slot_i on; until end_slot_i it shows status and frame " +
			"of the slot",
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
			{"late light counts for the next slot", "state_q <= IDLE;\n      port_q <= port_i;",
				"state_q <= light ? DAMAGED : IDLE;\n      port_q <= port_i;"},
			{"not switched after a dark slot", "if (end_slot_i) begin", "if (end_slot_i && state_q != IDLE) begin"},
		},
		Build: func(m *Model, p Parameters) error {
			phit, frameMax, wires := p["PHIT_BITS"], p["FRAME_BYTES_MAX"], p["PORTS"]
			if err := CheckFrame("deserialiser", frameMax); err != nil {
				return err
			}
			hears := hw.Gather{Inputs: wires, Wires: make([]uint32, max(wires, 0))}
			for i := range hears.Wires {
				hears.Wires[i] = uint32(i)
			}
			light, err := hw.NewLight(hw.Bank{Name: "fibre", Units: 1, PerUnit: wires}, "light", phit, m.Shards(),
				make([]uint32, len(hears.Wires)))
			if err != nil {
				return err
			}
			rx, err := nic.NewDeserialisers(nic.DeserialiserConfig{
				Bank: one("rx"), Clock: m.Kernel().Clock(), Shards: m.Shards(), PhitBits: phit, FrameBytesMax: frameMax,
				In: light, Hears: hears,
			})
			if err != nil {
				return err
			}
			if err := m.Stand(rx); err != nil {
				return err
			}
			endSlot, port, in1, in0 := m.Pin("end_slot_i"), m.Pin("port_i"), m.Pin("rail1_i"), m.Pin("rail0_i")
			coverReceiver(m, wires, phit)
			traffic := newTraffic(phit, frameMax, wires)
			m.Use = func(random *Random, inputs []uint64) {
				last := traffic.stimulate(random, in1.Of(inputs), in0.Of(inputs))
				inputs[endSlot.Word] = 0
				if last != random.OneIn(4*traffic.slotCycles) {
					inputs[endSlot.Word] = 1
				}
				inputs[port.Word] = uint64(random.Below(wires))
				if random.OneIn(8) {
					inputs[port.Word] = [...]uint64{uint64(wires), hw.PortNone, uint64(random.Uint32())}[random.Below(3)]
				}
			}
			return nil
		},
	}
}

func coverReceiver(m *Model, wires, phit int) {
	endSlot, in1, in0, taken := m.Pin("end_slot_i"), m.Pin("rail1_i"), m.Pin("rail0_i"), m.Pin("bits_o")
	m.Events = []Event{{"rail1_i and rail0_i", []string{"lit together, as in a collision,"}, phit,
		func(c *Cycle) (both uint64) {
			for i := range wires {
				both |= hw.GetBits(in1.Of(c.Inputs), i*phit, phit) & hw.GetBits(in0.Of(c.Inputs), i*phit, phit)
			}
			return both
		}}}
	m.cover("end_slot_i",
		[]string{"in a cycle with light", "in two cycles one after the other", "in the midst of a frame"},
		func() func(c *Cycle) uint64 {
			before := false
			return func(c *Cycle) uint64 {
				ends, light := endSlot.any(c.Inputs), in1.any(c.Inputs) || in0.any(c.Inputs)
				bits := facts(ends && light, ends && before && !c.First, ends && light && c.Outputs[taken.Word] > 0)
				before = ends
				return bits
			}
		}())
}
