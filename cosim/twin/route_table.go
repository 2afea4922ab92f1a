package twin

import (
	"fmt"

	"starloom/hw"
)

func routeTable() Twin {
	set := func(ports, vcs, class, nodes, byInput int) Parameters {
		return Parameters{"PORTS": ports, "VCS": vcs, "CLASS_VCS": class, "NODES": nodes, "BY_INPUT": byInput}
	}
	return Twin{
		Name: "route_table", Sources: []string{"route_table.v"}, Components: []string{"hw.Routers"},
		Does: "selects the permitted output VCs of a head from a table, by its destination and, with BY_INPUT, by its " +
			"input and phase; an entry has the output port, the VCs within the head's class, and the next phase",
		Sets: []Parameters{
			set(3, 2, 1, 4, 1), set(5, 4, 2, 9, 0), set(2, 3, 3, 5, 1), set(1, 1, 1, 1, 0), set(4, 4, 4, 6, 0),
		},
		Mutants: []Mistake{
			{"phases swapped", "phase_i[i] ? routes_i[(2*i+1)*TABLE_BITS", "!phase_i[i] ? routes_i[(2*i+1)*TABLE_BITS"},
			{"routes of other flits", "head_i[i] && same && entry", "same && entry"},
			{"VCs of all classes", "head_i[i] && same && entry", "head_i[i] && entry"},
			{"destinations of input 0", "destination_i[i*NODE_BITS+:NODE_BITS] ==", "destination_i[0+:NODE_BITS] =="},
			{"phase of other flits", "head_i[i] && entry[ENTRY_BITS-1]", "entry[ENTRY_BITS-1]"},
		},
		Build: buildRouteTable,
	}
}

func buildRouteTable(m *Model, p Parameters) error {
	err := p.within(map[string][2]int{"PORTS": {1, 64}, "VCS": {1, 64}, "CLASS_VCS": {1, p["VCS"]}, "NODES": {1, 4096},
		"BY_INPUT": {0, 1}})
	if err != nil {
		return err
	}
	ports, vcs, class, nodes := p["PORTS"], p["VCS"], p["CLASS_VCS"], p["NODES"]
	if ports*vcs > 64 || vcs%class != 0 {
		return fmt.Errorf("route_table: %d ports with %d VCs in classes of %d; allowed: 64 VCs, and a divisor of VCS", ports,
			vcs, class)
	}
	portBits, vcBits, nodeBits := hw.IndexBits(ports), hw.IndexBits(vcs), hw.IndexBits(nodes)
	entryBits, tables := portBits+class+1, 1
	if p["BY_INPUT"] == 1 {
		tables = 2 * ports
	}
	pins := map[string]hw.Pins{}
	var all []hw.Port
	input := func(name string, bits int) {
		own := hw.Pins{Words: make([]uint64, (bits+63)/64), Bits: bits}
		pins[name] = own
		all = append(all, hw.Port{Name: name, Bits: bits, Input: true, Get: hw.GetPins(func(int, hw.Pins) {}),
			Put: hw.PutPins(func(_ int, from hw.Pins) error {
				for low := 0; low < bits; low += 64 {
					own.SetBits(low, min(64, bits-low), from.GetBits(low, min(64, bits-low)))
				}
				return nil
			})})
	}
	input("head_i", ports)
	input("vc_i", ports*vcBits)
	input("phase_i", ports)
	input("destination_i", ports*nodeBits)
	input("routes_i", tables*nodes*entryBits)
	// entry returns the entry of a head, 0 without a head or with an unknown destination.
	entry := func(i int) uint64 {
		node, table := int(pins["destination_i"].GetBits(i*nodeBits, nodeBits)), 0
		if tables > 1 {
			table = 2*i + int(pins["phase_i"].GetBits(i, 1))
		}
		if node >= nodes || pins["head_i"].GetBits(i, 1) == 0 {
			return 0
		}
		return pins["routes_i"].GetBits((table*nodes+node)*entryBits, entryBits)
	}
	route := func(_ int, to hw.Pins) {
		to.Clear()
		for i := range ports {
			e, vc := entry(i), int(pins["vc_i"].GetBits(i*vcBits, vcBits))
			port, set, first := int(e&(1<<portBits-1)), e>>portBits&(1<<class-1), vc/class*class
			if class == vcs { // one class
				first = 0
			}
			if port < ports && first < vcs {
				to.SetBits((i*ports+port)*vcs+first, class, set)
			}
		}
	}
	phase := func(_ int, to hw.Pins) {
		for i := range ports {
			to.SetBits(i, 1, entry(i)>>(portBits+class))
		}
	}
	c := &circuit{twin: "route_table", ports: append(all,
		hw.Port{Name: "route_o", Bits: ports * ports * vcs, Get: hw.GetPins(route), Put: hw.Unread},
		hw.Port{Name: "phase_o", Bits: ports, Get: hw.GetPins(phase), Put: hw.Unread})}
	c.declare()
	site := c.Site()
	site.Clocked = false
	return m.StandFor(site, c)
}
