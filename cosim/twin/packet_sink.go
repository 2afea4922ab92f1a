package twin

import "starloom/hw"

// packetSink models one sink: outputs of flits follow the inputs within the cycle, and the credit is a register.
// hw.PacketSinks is a bank that shares its wires with routers, so it has no pins of its own. Exported machines compare
// the bank with the module.
func packetSink() Twin {
	return Twin{
		Name: "packet_sink", Sources: []string{"packet_sink.v"}, Components: []string{"hw.PacketSinks"},
		Does: "takes every flit, shows the data of heads and tails in the same cycle, and returns the credit one cycle later",
		Sets: []Parameters{
			{"VCS": 2, "DATA_BITS": 12}, {"VCS": 1, "DATA_BITS": 1}, {"VCS": 64, "DATA_BITS": 53}, {"VCS": 5, "DATA_BITS": 7},
		},
		Mutants: []Mistake{
			{"credit without a flit", "credit_q <= valid_i && !reset;", "credit_q <= !reset;"},
			{"credit of VC 0", "valid_i && !reset ? vc_i : {VC_BITS{1'b0}}", "{VC_BITS{1'b0}}"},
			{"tails without heads", "begin_o || end_o ? data_i", "end_o ? data_i"},
			{"missing reset", "credit_q <= valid_i && !reset;", "credit_q <= valid_i;"},
		},
		Build: func(m *Model, p Parameters) error {
			if err := p.within(map[string][2]int{"VCS": {1, 64}, "DATA_BITS": {1, hw.RouterDataBits}}); err != nil {
				return err
			}
			bits := hw.IndexBits(p["VCS"])
			credit := make([]uint64, 2)
			c := &circuit{twin: "packet_sink"}
			valid, head, tail := c.input("valid_i", 1), c.input("head_i", 1), c.input("tail_i", 1)
			vc, data := c.input("vc_i", bits), c.input("data_i", p["DATA_BITS"])
			c.output("begin_o", 1, func() uint64 { return *valid & *head })
			c.output("end_o", 1, func() uint64 { return *valid & *tail })
			c.output("data_o", p["DATA_BITS"], func() uint64 { return *data * (*valid & (*head | *tail)) })
			c.output("credit_o", 1, func() uint64 { return credit[0] })
			c.output("credit_vc_o", bits, func() uint64 { return credit[1] })
			c.latch = func() { credit[0], credit[1] = *valid, *valid**vc }
			c.declare(hw.Column("credit", credit, hw.AtMost(uint64(1)<<bits-1)))
			return m.Stand(c)
		},
	}
}
