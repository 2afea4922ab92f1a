package cosim

import (
	"fmt"

	"starloom/hw"
	"starloom/nic"
)

// serialiser. Rules of the wires around nic.Serialisers: load_i is Load; what Load
// would refuse, and a load while a frame waits or is sent, is ignored.
func serialiser() Twin {
	return Twin{
		Name: "serialiser", Sources: []string{"serialiser.v"}, Components: []string{"nic.Serialisers"},
		Sets: []Parameters{
			{"PHIT_BITS": 8, "FRAME_BYTES_MAX": 32, "COMPUTE_CYCLES": 3}, {"PHIT_BITS": 64, "FRAME_BYTES_MAX": 24, "COMPUTE_CYCLES": 0},
			{"PHIT_BITS": 1, "FRAME_BYTES_MAX": 4, "COMPUTE_CYCLES": 1}, {"PHIT_BITS": 5, "FRAME_BYTES_MAX": 20, "COMPUTE_CYCLES": 0},
			{"PHIT_BITS": 48, "FRAME_BYTES_MAX": 17, "COMPUTE_CYCLES": 300}, {"PHIT_BITS": 64, "FRAME_BYTES_MAX": 1, "COMPUTE_CYCLES": 2},
		},
		Mutants: []Mistake{
			{"first phit late", "wait_q <= COMPUTE_CYCLES[15:0];", "wait_q <= COMPUTE_CYCLES[15:0] + 16'd1;"},
			{"last byte first", "wire_order[FRAME_BITS-1-8*k -: 8] =", "wire_order[8*k +: 8] ="},
			{"zeros after the end", "last ? ~((all >> 1) >> (left_q - 16'd1)) : all", "all"},
			{"loads while it sends", "load_i && left_q == 16'd0", "load_i && wait_q == 16'd0"},
			{"longest frame refused", "length_i <= LENGTH_MAX", "length_i < LENGTH_MAX"},
			{"missing reset", "if (reset) begin\n      left_q <= 16'd0;", "if (reset) begin"},
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
				Bank: one("tx"), Clock: m.circuit().Clock(), Shards: m.shards(), PhitBits: phit, FrameBytesMax: frameMax, ComputeCycles: compute,
			})
			if err != nil {
				return err
			}
			m.circuit().Add(tx)
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
			m.use = func(random *Random, inputs []uint64) {
				inputs[load.word] = random.Sparse(2) & 1
				inputs[length.word] = uint64(1 + random.Below(max(frameMax, 1)))
				if random.OneIn(8) {
					inputs[length.word] = [...]uint64{0, uint64(frameMax), uint64(frameMax) + 1, 0x2001, 0xFFFF}[random.Below(5)]
				}
				inputs[port.word] = [...]uint64{0, 1, hw.PortAll, hw.PortNone, uint64(random.Uint32())}[random.Below(5)]
				bytes := frame.of(inputs)
				bytes[random.Below(len(bytes))] = random.Uint64()
			}
			return nil
		},
	}
}

// serialiserComputeMax is what the counter of a transmitter in Verilog holds.
const serialiserComputeMax = 1<<16 - 1
