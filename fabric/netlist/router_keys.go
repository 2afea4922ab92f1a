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

// Router turns the nodes of mesh, torus, ring, dragonfly, fly, cmesh, fattree, flatfly or anynet into routers with
// virtual channels, modelled on BookSim 2: input queues, credits, wormhole switching. Each router has one processor, or
// in an anynet the nodes of the file. Without firmware, processors are sources and sinks of bare packets.
type Router struct {
	// virtual channels per port (default 2)
	VCs int `json:"vcs,omitempty" jsonschema:"minimum=1,maximum=256"`
	// flits in the buffer of a virtual channel (default 4)
	Depth int `json:"depth,omitempty" jsonschema:"minimum=1,maximum=4096"`
	// cycles to route a head flit; 0: the route is known on arrival (default 1)
	RoutingDelay *int `json:"routing_delay,omitempty" jsonschema:"minimum=0,maximum=64"`
	// additional cycles before a returned credit counts (default 0)
	CreditDelay int `json:"credit_delay,omitempty" jsonschema:"minimum=0,maximum=500"`
	// true: a virtual channel becomes free for another packet when the tail's credit returns; false: when the tail
	// leaves
	WaitForTailCredit bool `json:"wait_for_tail_credit,omitempty"`
	// traffic classes. Each has its own block of the virtual channels of every port: with 4 channels and 2 classes, 0
	// and 1, and 2 and 3. Port i of a processor sends class i; with one port, the low bits of a frame's tag select
	// the class (default 1)
	Classes int `json:"classes,omitempty" jsonschema:"minimum=1,maximum=64"`
	// allocator of virtual channels and of the switch: islip, islip(N) or select(N) with N rounds,
	// separable_input_first or separable_output_first, also with (matrix), wavefront, rr_wavefront (default islip)
	Allocator string `json:"allocator,omitempty" jsonschema:"minLength=1"`
	// allocator of virtual channels (default allocator)
	VCAllocator string `json:"vc_allocator,omitempty" jsonschema:"minLength=1"`
	// allocator of the switch (default allocator)
	SwAllocator string `json:"sw_allocator,omitempty" jsonschema:"minLength=1"`
	RouterStages
}

// Streaming describes how processors at routers run firmware: NICs send and receive frames flit by flit, and handlers
// run at the end of each tick.
type Streaming struct {
	// cycles between two calls of the handlers (default 16)
	Tick int `json:"tick,omitempty" jsonschema:"minimum=1,maximum=1048576"`
	// bits of a flit; header, payload and CRC of a frame occupy whole flits (default 64)
	FlitBits int `json:"flit_bits,omitempty" jsonschema:"minimum=1,maximum=512"`
	// ports of each processor at its router, unless nodes are drawn: a frame from port i arrives at port i (default
	// 1)
	Ports int `json:"ports,omitempty" jsonschema:"minimum=1,maximum=64"`
	// virtual channel, within its class, in which a frame leaves its NIC: turn: the next free channel; tag: the
	// channel in the low bits of the frame's tag (default turn)
	VC string `json:"vc,omitempty" jsonschema:"enum=turn,enum=tag"`
	// fifo: a NIC accepts flits of frames with a place in its RX FIFO, and other frames wait in the network; sink: it
	// accepts every flit, and frames that find the RX FIFO full are lost (default fifo)
	Eject string `json:"eject,omitempty" jsonschema:"enum=fifo,enum=sink"`
}

func (Router) Declaration() string { return routerSource }

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

func (s *Streaming) streams(r *fabric.Routers) {
	if s == nil {
		s = &Streaming{}
	}
	r.Tick, r.Bits, r.Sink, r.ByTag = cmp.Or(s.Tick, tickDefault), cmp.Or(s.FlitBits, flitBitsDefault),
		s.Eject == "sink", s.VC == "tag"
}

func (r *Router) config() (c hw.RouterConfig, err error) {
	c = hw.RouterConfig{VCs: cmp.Or(r.VCs, vcsDefault), Depth: cmp.Or(r.Depth, depthDefault),
		RoutingDelay: routingDelayDefault,
		CreditDelay:  r.CreditDelay, WaitForTail: r.WaitForTailCredit, Classes: cmp.Or(r.Classes, 1)}
	if r.RoutingDelay != nil {
		c.RoutingDelay = *r.RoutingDelay
	}
	for _, key := range []struct {
		name string
		to   *hw.RouterAllocator
	}{{r.VCAllocator, &c.VCAllocator}, {r.SwAllocator, &c.SwitchAllocator}} {
		if *key.to, err = hw.RouterAllocatorOf(cmp.Or(key.name, r.Allocator, "islip")); err != nil {
			return c, err
		}
	}
	c.Stages, err = r.stages()
	r.Buffers.divide(&c)
	return c, err
}
