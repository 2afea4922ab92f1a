package twin

import (
	"fmt"

	"starloom/hw"
	"starloom/nic"
)

func requester() Twin {
	return Twin{
		Name: "requester", Sources: []string{"requester.v", "crc16.v"}, Components: []string{"nic.Serialisers"},
		Does: "is a serialiser that requests an output ARBITRATION_CYCLES before the first phit, and stops there if " +
			"no output serves it",
		Sets: []Parameters{
			{"PHIT_BITS": 8, "FRAME_BYTES_MAX": 32, "COMPUTE_CYCLES": 3, "ARBITRATION_CYCLES": 2},
			{"PHIT_BITS": 64, "FRAME_BYTES_MAX": 24, "COMPUTE_CYCLES": 0, "ARBITRATION_CYCLES": 1},
			{"PHIT_BITS": 1, "FRAME_BYTES_MAX": 16, "COMPUTE_CYCLES": 1, "ARBITRATION_CYCLES": 1},
			{"PHIT_BITS": 5, "FRAME_BYTES_MAX": 20, "COMPUTE_CYCLES": 0, "ARBITRATION_CYCLES": 9},
			{"PHIT_BITS": 48, "FRAME_BYTES_MAX": 17, "COMPUTE_CYCLES": 300, "ARBITRATION_CYCLES": 30},
		},
		Mutants: []Mistake{
			{"first phit late", "wait_q <= WAIT_CYCLES[16:0];", "wait_q <= WAIT_CYCLES[16:0] + 17'd1;"},
			{"asks late", "wait_q <= ARBITRATION_CYCLES[16:0]", "wait_q < ARBITRATION_CYCLES[16:0]"},
			{"goes on without an output", "(first_q && serving_i == PORT_NONE[15:0])", "1'b0"},
			{"listens to serving all the time", "last || (first_q && serving_i", "last || (serving_i"},
			{"shortest frame refused", "length_i >= LENGTH_MIN", "length_i > LENGTH_MIN"},
			{"tag upside down", "{frame_i[96 +: 8], frame_i[104 +: 8]}", "{frame_i[104 +: 8], frame_i[96 +: 8]}"},
			{"destination stays", "addressed[DESTINATION +: 32] = {16'd0, serving_i};",
				"addressed[DESTINATION +: 32] = stream_q[DESTINATION +: 32];"},
			{"CRC stays", "sent = listed_q ?", "sent = listed_q && left_q > CRC_BITS + PHIT ?"},
			{"CRC of the frame before", ".start_i(sends && first_q)", ".start_i(reset)"},
			{"served is kept", "served_q <= PORT_NONE[15:0];\n        stream_q", "stream_q"},
			{"missing reset", "if (reset) begin\n      left_q <= 16'd0;", "if (reset) begin"},
		},
		Build: func(m *Model, p Parameters) error {
			frameMax, compute, arbitration := p["FRAME_BYTES_MAX"], p["COMPUTE_CYCLES"], p["ARBITRATION_CYCLES"]
			if compute < 0 || compute > SerialiserComputeMax || arbitration < 1 || arbitration > SerialiserComputeMax {
				return fmt.Errorf("requester: compute window of %d cycles, arbitration of %d; allowed: 0 to %d and 1 to %d",
					compute, arbitration, SerialiserComputeMax, SerialiserComputeMax)
			}
			if err := CheckFrame("requester", frameMax); err != nil {
				return err
			}
			tx, err := nic.NewSerialisers(nic.SerialiserConfig{
				Bank: one("tx"), Clock: m.Kernel().Clock(), Shards: m.Shards(), PhitBits: p["PHIT_BITS"], FrameBytesMax: frameMax,
				ComputeCycles: compute, ArbitrationCycles: arbitration,
			})
			if err != nil {
				return err
			}
			tx.Await(hw.NewPortSelect(one("tx"), "serving"))
			if err := m.Stand(tx); err != nil {
				return err
			}
			coverLoads(m)
			load, frame, length, port, serving := m.Pin("load_i"), m.Pin("frame_i"), m.Pin("length_i"),
				m.Pin("port_i"), m.Pin("serving_i")
			m.Use = func(random *Random, inputs []uint64) {
				inputs[load.Word] = random.Sparse(2) & 1
				inputs[length.Word] = uint64(nic.FrameBytesMin + random.Below(frameMax-nic.FrameBytesMin+1))
				if random.OneIn(8) {
					inputs[length.Word] = [...]uint64{0, 15, uint64(frameMax), uint64(frameMax) + 1, 0x2010, 0xFFFF}[random.Below(6)]
				}
				inputs[port.Word] = [...]uint64{0, 1, hw.PortNone, hw.PortNone, uint64(random.Below(1 << 16))}[random.Below(5)]
				inputs[serving.Word] = [...]uint64{0, 1, hw.PortNone, uint64(random.Below(1 << 16))}[random.Below(4)]
				bytes := frame.Of(inputs)
				bytes[random.Below(len(bytes))] = random.Uint64()
			}
			return nil
		},
	}
}
