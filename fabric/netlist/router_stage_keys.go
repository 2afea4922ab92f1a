package netlist

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"starloom/hw"
)

// routerStagesSource is this file, whose comments describe keys of a scenario.
//
//go:embed router_stage_keys.go
var routerStagesSource string

// RouterStages are the options of a router's stages, with the meaning of BookSim 2.
type RouterStages struct {
	// crossbar inputs of each input port: virtual channel v uses input v mod input_speedup (default 1)
	InputSpeedup int `json:"input_speedup,omitempty" jsonschema:"minimum=1,maximum=16"`
	// crossbar outputs of each output port: input port i uses output i mod output_speedup (default 1)
	OutputSpeedup int `json:"output_speedup,omitempty" jsonschema:"minimum=1,maximum=16"`
	// steps of the router in a cycle of the links, also 1.5 (default 1)
	InternalSpeedup float64 `json:"internal_speedup,omitempty" jsonschema:"minimum=1,maximum=16"`
	// flits after the crossbar at which an output accepts no more (default: no limit)
	OutputBuffer int `json:"output_buffer,omitempty" jsonschema:"minimum=1,maximum=1048576"`
	// cycles of the crossbar; a batch of flits enters when the previous batch has left (default 1)
	CrossbarDelay int `json:"crossbar_delay,omitempty" jsonschema:"minimum=1,maximum=64"`
	// heads request the switch together with an output virtual channel; {} for the defaults (default: only after it)
	Speculative *Speculative `json:"speculative,omitempty"`
	// a packet keeps its connection through the switch while it has flits and credits
	HoldSwitch bool `json:"hold_switch,omitempty"`
	// heads do not request output virtual channels without credit
	VCBusyWhenFull bool `json:"vc_busy_when_full,omitempty"`
	// heads prefer output virtual channels without outstanding flits, if the allocator knows priorities
	VCPrioritizeEmpty bool `json:"vc_prioritize_empty,omitempty"`
	// the allocator of virtual channels numbers its inputs by channel, then port
	VCShuffleRequests bool `json:"vc_shuffle_requests,omitempty"`
	// flits with priority; islip ignores it. age: the oldest packet; network_age: the flit that left its source first;
	// local_age: the flit that reached the router first; queue_length: the longest queue; hop_count: the most hops;
	// sequence: the packet with the lowest ordinal at its source; class: the priority of the packet's class (default
	// none)
	Priority string `json:"priority,omitempty" jsonschema:"enum=none,enum=age,enum=network_age,enum=local_age,enum=queue_length,enum=hop_count,enum=sequence,enum=class"`
	// a virtual channel has the highest priority in its queue, not that of its first flit
	PriorityDonation bool `json:"priority_donation,omitempty"`
	// buffers of an input port that its virtual channels share (default: depth flits for each)
	Buffers *RouterBuffers `json:"buffers,omitempty"`
}

// RouterBuffers are the buffers of an input port, with the meaning of BookSim 2.
type RouterBuffers struct {
	// shared: the virtual channels share all flits except private ones; private: each has an equal part
	Policy string `json:"policy" jsonschema:"required,enum=shared,enum=private"`
	// flits of an input port (default vcs * depth)
	Size int `json:"size,omitempty" jsonschema:"minimum=1,maximum=4096"`
	// shared: flits that only one pool may use (default 1)
	Private *int `json:"private,omitempty" jsonschema:"minimum=0,maximum=4096"`
	// shared: pools of virtual channels (default vcs: one for each)
	Pools int `json:"pools,omitempty" jsonschema:"minimum=1,maximum=256"`
}

// Speculative are the options of speculative requests for the switch.
type Speculative struct {
	// only if a virtual channel of the route is free (default true)
	CheckVC *bool `json:"check_vc,omitempty"`
	// only if a free virtual channel of the route has credit (default true)
	CheckCredit *bool `json:"check_credit,omitempty"`
	// an allocator of its own for speculative requests; its matches yield to those of other flits (default: the
	// allocator of the switch, with the least priority)
	Allocator string `json:"allocator,omitempty" jsonschema:"minLength=1"`
	// with an allocator of its own: a match yields even to a request of another flit for the output
	MaskByRequests bool `json:"mask_by_requests,omitempty"`
}

func (RouterStages) Declaration() string { return routerStagesSource }
func (Speculative) Declaration() string  { return routerStagesSource }

func (RouterBuffers) Declaration() string { return routerStagesSource }

// divide sets the depth and the buffers of a configuration.
func (b *RouterBuffers) divide(c *hw.RouterConfig) {
	if b == nil {
		return
	}
	size := cmp.Or(b.Size, c.VCs*c.Depth)
	if b.Policy == "private" {
		c.Depth = size / c.VCs
		return
	}
	c.Depth = size
	c.Stages.Buffers = hw.RouterBuffers{Shared: true, Private: 1, Pools: cmp.Or(b.Pools, c.VCs)}
	if b.Private != nil {
		c.Stages.Buffers.Private = *b.Private
	}
}

func (r *RouterStages) stages() (s hw.RouterStages, err error) {
	s = hw.RouterStages{InputSpeedup: r.InputSpeedup, OutputSpeedup: r.OutputSpeedup, InternalSpeedup: r.InternalSpeedup,
		OutputBuffer: r.OutputBuffer, CrossbarDelay: r.CrossbarDelay, HoldSwitch: r.HoldSwitch,
		BusyWhenFull: r.VCBusyWhenFull, PrioritizeEmpty: r.VCPrioritizeEmpty, ShuffleRequests: r.VCShuffleRequests,
		Priority: hw.RouterPriority(max(0, slices.Index(hw.RouterPriorities(), r.Priority))), Donate: r.PriorityDonation}
	if y := r.Speculative; y != nil {
		s.Speculation = hw.RouterSpeculation{On: true, AnyVC: y.CheckVC != nil && !*y.CheckVC,
			AnyCredit: y.CheckCredit != nil && !*y.CheckCredit, Own: y.Allocator != "", MaskByRequests: y.MaskByRequests}
		s.Speculation.Allocator, err = hw.RouterAllocatorOf(cmp.Or(y.Allocator, "islip"))
	}
	return s, err
}

// refusal returns why the stages contradict each other, and what to write instead, "" if they do not. err is a name
// that is unknown.
func (r *RouterStages) refusal(err error) (reason, remedy string) {
	y, b := r.Speculative, r.Buffers
	switch {
	case err != nil:
		return err.Error(), "write one of them"
	case b != nil && b.Policy == "private" && (b.Private != nil || b.Pools > 0):
		return "buffers: private and pools are for the policy shared", "delete them, or write policy: shared"
	case y != nil && y.CheckVC != nil && !*y.CheckVC && (y.CheckCredit == nil || *y.CheckCredit):
		return "speculative: check_credit without check_vc: no head would request the switch", "add check_credit: false"
	case y != nil && y.MaskByRequests && y.Allocator == "":
		return "speculative: mask_by_requests is for an allocator of its own", "add allocator: islip"
	}
	return "", ""
}

// stageKeys returns the keys of a configuration that differ from their defaults, each with a comma before it.
func stageKeys(c *hw.RouterConfig) string {
	s, keys := &c.Stages, []string{""}
	add := func(differs bool, key, value string) {
		if differs {
			keys = append(keys, key+": "+value)
		}
	}
	number := func(key string, value, usual int) { add(value != usual && value != 0, key, form(value)) }
	number("input_speedup", s.InputSpeedup, 1)
	number("output_speedup", s.OutputSpeedup, 1)
	add(s.InternalSpeedup > 1, "internal_speedup", form(s.InternalSpeedup))
	number("output_buffer", s.OutputBuffer, 0)
	number("crossbar_delay", s.CrossbarDelay, 1)
	for _, on := range []struct {
		key string
		is  bool
	}{{"hold_switch", s.HoldSwitch}, {"vc_busy_when_full", s.BusyWhenFull}, {"vc_prioritize_empty", s.PrioritizeEmpty},
		{"vc_shuffle_requests", s.ShuffleRequests}, {"priority_donation", s.Donate}} {
		add(on.is, on.key, "true")
	}
	add(s.Priority != hw.NoPriority, "priority", s.Priority.String())
	if b := s.Buffers; b.Shared {
		keys = append(keys,
			fmt.Sprintf("buffers: {policy: shared, size: %d, private: %d, pools: %d}", c.Depth, b.Private, b.Pools))
	}
	if y := s.Speculation; y.On {
		var options []string
		for _, option := range []struct {
			text string
			is   bool
		}{{"check_vc: false", y.AnyVC}, {"check_credit: false", y.AnyCredit}, {"allocator: " + y.Allocator.String(), y.Own},
			{"mask_by_requests: true", y.MaskByRequests}} {
			if option.is {
				options = append(options, option.text)
			}
		}
		keys = append(keys, "speculative: {"+strings.Join(options, ", ")+"}")
	}
	return strings.Join(keys, ", ")
}
