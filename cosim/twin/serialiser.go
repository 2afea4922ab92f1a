package twin

import (
	"fmt"

	"starloom/hw"
	"starloom/nic"
)

func serialiser() Twin {
	return Twin{
		Name: "serialiser", Sources: []string{"serialiser.v"}, Components: []string{"nic.Serialisers"},
		Does: "loads a frame with load_i, waits COMPUTE_CYCLES cycles, then sends one phit per cycle; ignores " +
			"load_i while it sends",
		Sets: []Parameters{
			{"PHIT_BITS": 8, "FRAME_BYTES_MAX": 32, "COMPUTE_CYCLES": 3},
			{"PHIT_BITS": 64, "FRAME_BYTES_MAX": 24, "COMPUTE_CYCLES": 0},
			{"PHIT_BITS": 1, "FRAME_BYTES_MAX": 4, "COMPUTE_CYCLES": 1},
			{"PHIT_BITS": 5, "FRAME_BYTES_MAX": 20, "COMPUTE_CYCLES": 0},
			{"PHIT_BITS": 48, "FRAME_BYTES_MAX": 17, "COMPUTE_CYCLES": 300},
			{"PHIT_BITS": 64, "FRAME_BYTES_MAX": 1, "COMPUTE_CYCLES": 2},
		},
		Mutants: []Mistake{
			{"first phit late", "wait_q <= COMPUTE_CYCLES[15:0];", "wait_q <= COMPUTE_CYCLES[15:0] + 16'd1;"},
			{"last byte first", "wire_order[FRAME_BITS-1-8*k -: 8] =", "wire_order[8*k +: 8] ="},
			{"zeros after the end", "last ? ~((all >> 1) >> (left_q - 16'd1)) : all", "all"},
			{"loads while it sends", "load_i && left_q == 16'd0", "load_i && wait_q == 16'd0"},
			{"longest frame refused", "length_i <= LENGTH_MAX", "length_i < LENGTH_MAX"},
			{"missing reset", "if (reset) begin\n      left_q <= 16'd0;", "if (reset) begin"},
		},
		Build: func(m *Model, p Parameters) error {
			phit, frameMax, compute := p["PHIT_BITS"], p["FRAME_BYTES_MAX"], p["COMPUTE_CYCLES"]
			if compute < 0 || compute > SerialiserComputeMax {
				return fmt.Errorf("serialiser: compute window of %d cycles; allowed: 0 to %d", compute, SerialiserComputeMax)
			}
			if err := CheckFrame("serialiser", frameMax); err != nil {
				return err
			}
			tx, err := nic.NewSerialisers(nic.SerialiserConfig{
				Bank: one("tx"), Clock: m.Kernel().Clock(), Shards: m.Shards(), PhitBits: phit,
				FrameBytesMax: frameMax, ComputeCycles: compute,
			})
			if err != nil {
				return err
			}
			if err := m.Stand(tx); err != nil {
				return err
			}
			coverLoads(m)
			load, frame, length, port := m.Pin("load_i"), m.Pin("frame_i"), m.Pin("length_i"), m.Pin("port_i")
			m.Use = func(random *Random, inputs []uint64) {
				inputs[load.Word] = random.Sparse(2) & 1
				inputs[length.Word] = uint64(1 + random.Below(max(frameMax, 1)))
				if random.OneIn(8) {
					inputs[length.Word] = [...]uint64{0, uint64(frameMax), uint64(frameMax) + 1, 0x2001, 0xFFFF}[random.Below(5)]
				}
				inputs[port.Word] = [...]uint64{0, 1, hw.PortAll, hw.PortNone, uint64(random.Uint32())}[random.Below(5)]
				bytes := frame.Of(inputs)
				bytes[random.Below(len(bytes))] = random.Uint64()
			}
			return nil
		},
	}
}

// CheckFrame rejects frames that exceed the counters and ports of NICs in RTL. The model rejects frames that are too
// short.
func CheckFrame(name string, bytes int) error {
	if most := nic.FrameBytes(nic.PayloadBytesRTL); bytes > most {
		return fmt.Errorf("%s: frames of %d bytes; at most %d are allowed", name, bytes, most)
	}
	return nil
}

// SerialiserComputeMax is the largest compute delay that the counter of a Verilog transmitter holds, in cycles.
const SerialiserComputeMax = 1<<16 - 1

func coverLoads(m *Model) {
	load, busy := m.Pin("load_i"), m.Pin("busy_o")
	before := false
	m.cover("load_i", []string{"while a frame is under way", "in the first cycle after a frame"}, func(c *Cycle) uint64 {
		loads, sends := load.any(c.Inputs), busy.any(c.Outputs)
		bits := facts(loads && sends, loads && !sends && before && !c.First)
		before = sends
		return bits
	})
}
