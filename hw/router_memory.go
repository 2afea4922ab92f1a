package hw

import "math/bits"

// What routers take, in bytes, beside buffers and tables of routes: a virtual channel of a port, a port with its wiring and what is on its wires, a router.
const (
	memoryVC     = 6*2 + 4
	memoryPort   = 96
	memoryRouter = 64
	memoryNode   = 160
	memoryRoute  = 9 // while tables are made
)

// RouterBytes estimates what a network of routers takes, without its packets.
func RouterBytes(config *RouterConfig, graph *RouterGraph, routing *RouteTable) (bytes uint64) {
	ports, most, latency := 0, 1, 1
	for _, n := range graph.Ports {
		ports, most = ports+n, max(most, n)
	}
	for i := range graph.Links {
		latency = max(latency, graph.Links[i].Latency)
	}
	words := uint64(max(1, (most*config.VCs+63)/64))
	vcs, nodes, routers := uint64(ports*config.VCs), uint64(len(graph.Nodes)), uint64(len(graph.Ports))
	slots := uint64(1) << bits.Len(uint(latency+2+config.CreditDelay))
	bytes = vcs*(8*uint64(config.Depth)+8*words+memoryVC) + uint64(ports)*memoryPort + routers*(memoryRouter+7*8*words)
	bytes += slots * (uint64(ports) + nodes) * (8 + 1) // what is on wires: flits, and credits
	bytes += nodes*(memoryNode+4*uint64(config.VCs)) + memoryRoute*uint64(len(routing.Ports))
	return bytes + uint64(len(graph.Links))*8*5
}
