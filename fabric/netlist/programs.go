package netlist

import (
	"math"

	"starloom/fabric"
)

// packetBytes is the packet that every frame of a program carries.
const packetBytes = 8

// The programs.
const (
	floodProgram   = "netlist/flood"
	nextHopProgram = "netlist/next-hop"
)

// Programs implements fabric.Network.
func (n Network) Programs() []fabric.Program {
	net := n.drawn()
	processors, ports := len(net.Processors), max(1, net.ports)
	needs := fabric.Needs{PayloadMin: packetBytes, Slots: uint32(min(uint64(processors)*uint64(processors)*uint64(ports)+2, math.MaxUint32))}
	free := &fabric.CollisionFree{Period: 1, Slots: []int{1}}
	all := []fabric.Program{{Name: floodProgram, SlotsPerStep: 1, Needs: needs,
		Rules: fabric.Rules{CollisionFree: free}, Workloads: []string{fabric.WorkloadOneToAll}}}
	if !net.OnePort && processors <= nextHopsMax {
		all = append(all, fabric.Program{Name: nextHopProgram, SlotsPerStep: 1, Needs: needs,
			Rules: fabric.Rules{CollisionFree: free, ExactlyOnce: true}, Workloads: []string{fabric.WorkloadPermutation}})
	}
	return all
}
