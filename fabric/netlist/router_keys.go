package netlist

import (
	"cmp"
	_ "embed"

	"starloom/fabric"
	"starloom/hw"
)

// routerSource is this file, whose comments describe keys of a scenario.
//
//go:embed router_keys.go
var routerSource string

// Router says that the nodes of mesh, torus, fly or anynet are routers with virtual channels, as those of BookSim 2:
// input queues, credits, wormhole switching. At each is a processor; of anynet, at each the nodes of the file. Without
// firmware processors are sources and sinks of bare packets.
type Router struct {
	// virtual channels of each port (default 2)
	VCs int `json:"vcs,omitempty" jsonschema:"minimum=1,maximum=256"`
	// flits of the buffer of a virtual channel (default 4)
	Depth int `json:"depth,omitempty" jsonschema:"minimum=1,maximum=4096"`
	// cycles for the route of a head; 0: it is known when the head arrives (default 1)
	RoutingDelay *int `json:"routing_delay,omitempty" jsonschema:"minimum=0,maximum=1"`
	// further cycles before a credit counts in a router (default 0)
	CreditDelay int `json:"credit_delay,omitempty" jsonschema:"minimum=0,maximum=500"`
	// a virtual channel is free for another packet when the credit of the tail is back, not when the tail leaves
	WaitForTailCredit bool `json:"wait_for_tail_credit,omitempty"`
	// of traffic, each of which has its own block of the virtual channels of every port: of 4 with 2 classes, 0 and 1, and 2 and 3; of
	// a processor with several ports, port i sends class i, and of one with one port the low bits of the tag of a frame say which (default 1)
	Classes int `json:"classes,omitempty" jsonschema:"minimum=1,maximum=64"`
	// of virtual channels and of the switch (default islip)
	Allocator string `json:"allocator,omitempty" jsonschema:"enum=islip,enum=separable_input_first"`
	// of virtual channels (default allocator)
	VCAllocator string `json:"vc_allocator,omitempty" jsonschema:"enum=islip,enum=separable_input_first"`
	// of the switch (default allocator)
	SwAllocator string `json:"sw_allocator,omitempty" jsonschema:"enum=islip,enum=separable_input_first"`
}

// Streaming is how processors at routers run firmware: their NICs send and receive frames flit by flit while the
// handlers run at the end of each tick.
type Streaming struct {
	// cycles between two calls of the handlers (default 16)
	Tick int `json:"tick,omitempty" jsonschema:"minimum=1,maximum=1048576"`
	// of a flit, as many of which as its header, payload and CRC need are a frame (default 64)
	FlitBits int `json:"flit_bits,omitempty" jsonschema:"minimum=1,maximum=512"`
	// of each processor at its router, where nodes do not say: a frame that leaves by port i comes at port i (default 1)
	Ports int `json:"ports,omitempty" jsonschema:"minimum=1,maximum=64"`
	// in which virtual channel of its class a frame leaves its NIC: turn: the next one that is free; tag: the one that the low bits of its tag
	// say (default turn)
	VC string `json:"vc,omitempty" jsonschema:"enum=turn,enum=tag"`
	// fifo: a NIC takes flits of frames that have a place in its RX FIFO, and the others wait in the network; sink: it
	// takes every flit, and frames that find the RX FIFO full are lost (default fifo)
	Eject string `json:"eject,omitempty" jsonschema:"enum=fifo,enum=sink"`
}

// Fly is one router with all processors.
type Fly struct {
	// processors, of one stage
	K []int `json:"k" jsonschema:"required,minItems=1,maxItems=1,minimum=1,maximum=256"`
}

func (Router) Declaration() string { return routerSource }
func (Fly) Declaration() string    { return routerSource }

func (Streaming) Declaration() string { return routerSource }

const (
	vcsDefault          = 2
	depthDefault        = 4
	routingDelayDefault = 1

	tickDefault     = 16
	flitBitsDefault = 64
)

func (s *Streaming) ports() int {
	if s == nil {
		return 1
	}
	return max(1, s.Ports)
}

// streams takes the keys, nil for none.
func (s *Streaming) streams(r *fabric.Routers) {
	if s == nil {
		s = &Streaming{}
	}
	r.Tick, r.Bits, r.Sink, r.ByTag = cmp.Or(s.Tick, tickDefault), cmp.Or(s.FlitBits, flitBitsDefault), s.Eject == "sink", s.VC == "tag"
}

func (r *Router) config() hw.RouterConfig {
	c := hw.RouterConfig{VCs: cmp.Or(r.VCs, vcsDefault), Depth: cmp.Or(r.Depth, depthDefault), RoutingDelay: routingDelayDefault,
		CreditDelay: r.CreditDelay, WaitForTail: r.WaitForTailCredit, Classes: cmp.Or(r.Classes, 1)}
	if r.RoutingDelay != nil {
		c.RoutingDelay = *r.RoutingDelay
	}
	kind := func(own string) hw.RouterAllocator {
		if cmp.Or(own, r.Allocator) == "separable_input_first" {
			return hw.SeparableInputFirst
		}
		return hw.ISLIP
	}
	c.VCAllocator, c.SwitchAllocator = kind(r.VCAllocator), kind(r.SwAllocator)
	return c
}
