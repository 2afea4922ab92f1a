package cosim

import (
	"math/bits"
	"slices"

	"starloom/hw"
)

var starCouplerTwin = Twin{
	Name: "star_coupler", Sources: []string{"star_coupler.v"}, Components: []string{"hw.StarCouplers"},
	Sets: []Parameters{
		{"D": 4, "PHIT_BITS": 8}, {"D": 1, "PHIT_BITS": 1}, {"D": 2, "PHIT_BITS": 64}, {"D": 3, "PHIT_BITS": 5}, {"D": 16, "PHIT_BITS": 33},
	},
	build: func(m *Model, p Parameters) error {
		d, phit := p["D"], p["PHIT_BITS"]
		in1, in0 := m.input("rail1_i", d*phit), m.input("rail0_i", d*phit)
		out1, out0, violation := m.output("rail1_o", phit), m.output("rail0_o", phit), m.output("violation_o", 1)

		in, err := m.light(hw.Bank{Name: "sender", Units: 1, PerUnit: d}, in1, in0, phit, nil)
		if err != nil {
			return err
		}
		// All senders are switched to the one coupler.
		ports := hw.NewPortSelect(in.Bank(), "port")
		clear(ports.Value)
		m.pins.wires = append(m.pins.wires, ports)
		out, err := hw.NewLight(one("coupler"), "light", phit, modelShards, nil)
		if err != nil {
			return err
		}
		couplers, err := hw.NewStarCouplers(in, ports, out, make([]uint32, d), 1)
		if err != nil {
			return err
		}
		m.kernel.Add(couplers)
		m.ahead = func() { couplers.ClearSlot(0) } // the module shows the violations of this cycle
		m.show = func() {
			m.put(out1, out.Rail1[0])
			m.put(out0, out.Rail0[0])
			m.put(violation, uint64(couplers.Violation[0]))
		}
		if d > 1 {
			m.events = []coverEvent{meeting("rail1_i", in1, d, phit), meeting("rail0_i", in0, d, phit)}
		}
		m.stimulate = func(random *Random, inputs []uint64) {
			stimulateLight(random, wordsOf(inputs, in1), wordsOf(inputs, in0), d, phit)
		}
		return nil
	},
}

// meeting is light of two senders or more on the same bit: where it is missing, a coupler
// that adds light in another way than by OR does not show.
func meeting(input string, rail modelPin, senders, phit int) coverEvent {
	return coverEvent{input, "lit by two senders at once", phit, func(inputs []uint64) (twice uint64) {
		once := uint64(0)
		for i := range senders {
			light := getBits(wordsOf(inputs, rail), i*phit, phit)
			twice |= once & light
			once |= light
		}
		return twice
	}}
}

var linkTwin = Twin{
	Name: "link", Sources: []string{"link.v"}, Components: []string{"hw.Fibre"},
	Sets: []Parameters{
		{"PHIT_BITS": 8, "DELAY_CYCLES": 1}, {"PHIT_BITS": 8, "DELAY_CYCLES": 0}, {"PHIT_BITS": 1, "DELAY_CYCLES": 2},
		{"PHIT_BITS": 13, "DELAY_CYCLES": 5}, {"PHIT_BITS": 64, "DELAY_CYCLES": 3},
	},
	build: func(m *Model, p Parameters) error {
		phit := p["PHIT_BITS"]
		m.clocks()
		in1, in0 := m.input("rail1_i", phit), m.input("rail0_i", phit)
		out1, out0 := m.output("rail1_o", phit), m.output("rail0_o", phit)

		in, err := m.light(one("near"), in1, in0, phit, nil)
		if err != nil {
			return err
		}
		out, err := hw.NewLight(one("far"), "light", phit, modelShards, nil)
		if err != nil {
			return err
		}
		fibre, err := hw.NewFibre("fibre", m.kernel.Clock(), in, out, p["DELAY_CYCLES"])
		if err != nil {
			return err
		}
		m.kernel.Add(fibre)
		m.show = func() {
			m.put(out1, out.Rail1[0])
			m.put(out0, out.Rail0[0])
		}
		m.stimulate = func(random *Random, inputs []uint64) {
			stimulateLight(random, wordsOf(inputs, in1), wordsOf(inputs, in0), 1, phit)
		}
		return nil
	},
}

var fifoTwin = Twin{
	Name: "fifo", Sources: []string{"fifo.v"}, Components: []string{"hw.FIFOs"},
	Sets: []Parameters{
		{"DEPTH": 4, "WIDTH": 8, "COUNT_BITS": 16}, {"DEPTH": 1, "WIDTH": 1, "COUNT_BITS": 1}, {"DEPTH": 3, "WIDTH": 64, "COUNT_BITS": 4},
		{"DEPTH": 5, "WIDTH": 17, "COUNT_BITS": 3}, {"DEPTH": 16, "WIDTH": 32, "COUNT_BITS": 32},
	},
	build: func(m *Model, p Parameters) error {
		depth, width := p["DEPTH"], p["WIDTH"]
		m.clocks()
		push, data, pop := m.input("push_i", 1), m.input("data_i", width), m.input("pop_i", 1)
		head, count := m.output("head_o", width), m.output("count_o", bits.Len(uint(depth)))
		overflow, overflows := m.output("overflow_o", 1), m.output("overflows_o", p["COUNT_BITS"])

		fifos, err := hw.NewFIFOs(hw.FIFOConfig{
			Bank: one("fifo"), Depth: depth, Width: width, CountBits: p["COUNT_BITS"],
			Push: m.signal("push", push), Data: m.signal("data", data), Pop: m.signal("pop", pop),
		})
		if err != nil {
			return err
		}
		m.kernel.Add(fifos)
		m.showSignal(head, fifos.Head())
		m.showSignal(count, fifos.Count())
		m.showSignal(overflow, fifos.Overflow())
		m.showSignal(overflows, fifos.Overflows())
		m.stimulate = func(random *Random, inputs []uint64) {
			// Mostly filling, then mostly emptying, in turns of 4 depths.
			pushes := 1 + 2*int(random.Cycle()/uint64(4*depth)%2)
			inputs[push.word], inputs[pop.word] = 0, 0
			if random.Below(4) < pushes {
				inputs[push.word] = 1
			}
			if random.Below(4) >= pushes {
				inputs[pop.word] = 1
			}
			inputs[data.word] = random.Uint64()
		}
		return nil
	},
}

var lfsrTwin = Twin{
	Name: "lfsr", Sources: []string{"lfsr.v"}, Components: []string{"hw.LFSRs"},
	Sets: []Parameters{{"SEED": 1}, {"SEED": 0x7EDCBA98}, {"SEED": 0x80000000}, {"SEED": 0xFFFFFFFF}},
	build: func(m *Model, p Parameters) error {
		m.clocks()
		enable, value := m.input("enable_i", 1), m.output("value_o", 32)
		lfsrs, err := hw.NewLFSRs(one("lfsr"), []uint32{uint32(p["SEED"])}, m.signal("enable", enable))
		if err != nil {
			return err
		}
		m.kernel.Add(lfsrs)
		m.showSignal(value, lfsrs.Value())
		m.stimulate = func(random *Random, inputs []uint64) {
			inputs[enable.word] = uint64(min(1, random.Below(8)))
		}
		return nil
	},
}

// arbiterTwin is the twin of hw.Arbiters of one kind.
func arbiterTwin(kind string) Twin {
	t := Twin{Name: "arbiter_" + kind, Sources: []string{"arbiter_" + kind + ".v"}, Components: []string{"hw.Arbiters"}}
	for _, set := range [][2]int{{4, 4}, {1, 1}, {5, 3}, {16, 7}, {64, 1}} {
		p := Parameters{"REQUESTERS": set[0]}
		if kind == hw.ArbiterTDMA.String() {
			p["SLICE_CYCLES"] = set[1]
		}
		t.Sets = append(t.Sets, p)
	}
	t.build = func(m *Model, p Parameters) error {
		n := p["REQUESTERS"]
		m.clocks()
		request, grant, index := m.input("request_i", n), m.output("grant_o", n), m.output("index_o", 6)
		arbiters, err := hw.NewArbiters(hw.ArbiterConfig{
			Bank: one("arbiter"), Kind: hw.ArbiterKind(slices.Index(hw.ArbiterKinds, kind)), Requesters: n,
			SliceCycles: p["SLICE_CYCLES"], Request: m.signal("request", request),
		})
		if err != nil {
			return err
		}
		m.kernel.Add(arbiters)
		m.showSignal(grant, arbiters.Grant())
		m.showSignal(index, arbiters.Index())
		m.stimulate = func(random *Random, inputs []uint64) {
			// Requests last for 8 cycles on average; now and then all change at once.
			switch random.Below(64) {
			case 0:
				inputs[request.word] = 0
			case 1:
				inputs[request.word] = ^uint64(0)
			case 2:
				inputs[request.word] = random.Uint64()
			case 3:
				inputs[request.word] = random.Sparse(4)
			default:
				inputs[request.word] ^= random.Sparse(3)
			}
		}
		return nil
	}
	return t
}
