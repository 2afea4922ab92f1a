package pops

import (
	"embed"
	"fmt"
	"io/fs"

	"starloom/cosim/twin"
	"starloom/fabric"
	"starloom/fabric/plant"
	"starloom/hw"
	"starloom/nic"
)

//go:embed rtl
var rtl embed.FS

func (p Network) twin() (*twin.Twin, twin.Parameters) {
	t := Twin()
	return &t, twin.Parameters{"D": p.GroupSize, "G": p.Groups}
}

// Twin is the Verilog of all hardware of the network, with the ports of Build.
func Twin() twin.Twin {
	files, err := fs.Sub(rtl, "rtl")
	if err != nil {
		panic(err)
	}
	return twin.Twin{
		Own:        files,
		Name:       "pops_slot",
		Does:       "sends, couples and receives one frame of each NIC in a slot: all hardware of a POPS network",
		Sources:    []string{"pops_slot.v", "serialiser.v", "star_coupler.v", "link.v", "deserialiser.v", "crc16.v"},
		Components: []string{"nic.Serialisers", "hw.StarCouplers", "hw.Fibre", "nic.Deserialisers"},
		Sets: []twin.Parameters{
			{"D": 2, "G": 2, "PHIT_BITS": 8, "FRAME_BYTES_MAX": 24, "COMPUTE_CYCLES": 0,
				"PROPAGATION_CYCLES": 1, "GUARD_CYCLES": 1},
			{"D": 1, "G": 1, "PHIT_BITS": 64, "FRAME_BYTES_MAX": 16, "COMPUTE_CYCLES": 0,
				"PROPAGATION_CYCLES": 0, "GUARD_CYCLES": 1},
			{"D": 3, "G": 2, "PHIT_BITS": 16, "FRAME_BYTES_MAX": 20, "COMPUTE_CYCLES": 3,
				"PROPAGATION_CYCLES": 2, "GUARD_CYCLES": 1},
			{"D": 2, "G": 3, "PHIT_BITS": 5, "FRAME_BYTES_MAX": 17, "COMPUTE_CYCLES": 1,
				"PROPAGATION_CYCLES": 0, "GUARD_CYCLES": 2},
			{"D": 4, "G": 4, "PHIT_BITS": 64, "FRAME_BYTES_MAX": 24, "COMPUTE_CYCLES": 2,
				"PROPAGATION_CYCLES": 1, "GUARD_CYCLES": 1},
		},
		Mutants: []twin.Mistake{
			{Name: "guard off by one", Old: "PROPAGATION_CYCLES + GUARD_CYCLES;", New: "PROPAGATION_CYCLES + GUARD_CYCLES + 1;"},
			{Name: "port for all reaches none", Old: " || nic[j].port == PORT_ALL[15:0]", New: ""},
			{Name: "rail 1 crossed", Old: "group[a].coupler[b].far1", New: "group[b].coupler[a].far1"},
			{Name: "no compute window", Old: ".COMPUTE_CYCLES(COMPUTE_CYCLES)", New: ".COMPUTE_CYCLES(0)"},
			{Name: "loads within the slot", Old: "load_i[I] && last", New: "load_i[I]"},
			{Name: "violation of the slot before", Old: "seen_q <= !last && (seen_q || violation)",
				New: "seen_q <= seen_q || violation"},
		},
		Build: build,
	}
}

func build(m *twin.Model, p twin.Parameters) error {
	d, g, phit, frameMax := p["D"], p["G"], p["PHIT_BITS"], p["FRAME_BYTES_MAX"]
	switch compute := p["COMPUTE_CYCLES"]; {
	case d < 1 || d > 64 || g < 1 || g > 64:
		return fmt.Errorf("pops_slot: %d groups of %d processors; allowed: 1 to 64 of 1 to 64", g, d)
	case compute < 0 || compute > twin.SerialiserComputeMax:
		return fmt.Errorf("pops_slot: compute window of %d cycles; allowed: 0 to %d", compute, twin.SerialiserComputeMax)
	}
	if err := twin.CheckFrame("pops_slot", frameMax); err != nil {
		return err
	}
	timing, err := nic.NewTiming(phit, frameMax-nic.FrameBytesMin, p["COMPUTE_CYCLES"],
		p["PROPAGATION_CYCLES"], p["GUARD_CYCLES"])
	if err != nil {
		return fmt.Errorf("pops_slot: %w", err)
	}
	network := Network{Groups: g, GroupSize: d}
	m.Units(g)
	plant, err := plant.Lay(network,
		&fabric.Config{Timing: timing, Sizes: nic.Sizes{PayloadBytes: frameMax - nic.FrameBytesMin},
			Shards: m.Shards()}, m.Kernel())
	if err != nil {
		return err
	}
	var parts []hw.Component
	for _, part := range plant.Components() {
		parts = append(parts, part)
	}
	if err := m.StandFor(plant.Whole(network).Site(), parts...); err != nil {
		return err
	}
	stimulate(m, network, frameMax)
	return nil
}

// stimulate drives the twin: in every cycle one processor gets a new frame, and other processors become senders.
func stimulate(m *twin.Model, network Network, frameMax int) {
	n, frameBits := network.Processors(), 8*frameMax
	load, frame, length, port, hear := m.Pin("load_i"), m.Pin("frame_i"), m.Pin("length_i"),
		m.Pin("port_i"), m.Pin("hear_i")
	buffer := make([]byte, frameMax)
	m.Use = func(random *twin.Random, inputs []uint64) {
		i := random.Below(n)
		own := random.Frame(buffer)
		if random.OneIn(16) {
			own[random.Below(len(own))] ^= 1 << random.Below(8)
		}
		hw.Pins{Words: frame.Of(inputs)}.SetBytes(i*frameBits, own)
		bytes := len(own)
		if random.OneIn(16) {
			bytes = [...]int{0, 1, frameMax, frameMax + 1, 0xFFFF}[random.Below(5)]
		}
		hw.PutBits(length.Of(inputs), 16*i, 16, uint64(bytes))
		hw.PutBits(port.Of(inputs), 16*i, 16, randomPort(random, network.Groups))
		hw.PutBits(hear.Of(inputs), 16*i, 16, randomPort(random, network.Groups))
		density := random.Below(4)
		loads := load.Of(inputs)
		for w := range loads {
			loads[w] = random.Sparse(density)
		}
	}
}

// randomPort returns a port below ports, or rarely PortAll, PortNone or an illegal port.
func randomPort(random *twin.Random, ports int) uint64 {
	switch random.Below(16) {
	case 0:
		return hw.PortAll
	case 1:
		return hw.PortNone
	case 2:
		return uint64(ports)
	}
	return uint64(random.Below(ports))
}
