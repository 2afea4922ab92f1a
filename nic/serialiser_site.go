package nic

import (
	"fmt"
	"slices"

	"starloom/hw"
)

// serialiserSite is the additional state of transmitters that RTL replaces, and of stand-alone transmitters.
type serialiserSite struct {
	replaced []bool
	load     []bool   // input of this cycle: Load was called, or load_i is 1
	length   []uint16 // length that accompanies load; the idle transmitter's register holds the frame
	port     []uint16 // input that accompanies load
}

// Site describes the ports of a transmitter. Load corresponds to load_i with the other inputs; illegal ports select
// nothing. A transmitter ignores a load that Load would reject, and a load while a frame waits or is being sent. If
// outputs require a request, the twin is a requester.
func (t *Serialisers) Site() *hw.Site {
	if t.site == nil {
		cells := t.bank.Size()
		t.site = &serialiserSite{
			replaced: make([]bool, cells),
			load:     make([]bool, cells),
			length:   make([]uint16, cells),
			port:     make([]uint16, cells),
		}
	}
	own := func(cell, _ int) uint32 { return uint32(cell) }
	name, ports := "serialiser", t.loadPorts()
	parameters := map[string]int{
		"PHIT_BITS": t.phitBits, "FRAME_BYTES_MAX": t.frameMax, "COMPUTE_CYCLES": int(t.compute),
	}
	if t.asks != nil {
		ports = append(ports, t.servingPort())
	}
	ports = append(ports, hw.LightPorts("rail1_o", "rail0_o", t.light, false, 1, own)...)
	ports = append(ports, t.portPort(), t.busyPort())
	if t.asks != nil {
		name, ports = "requester", append(ports, t.askPorts()...)
		parameters["ARBITRATION_CYCLES"] = int(t.arbitration)
	}
	return &hw.Site{
		Twin: name, What: "transmitters", Parameters: hw.Same(parameters),
		Elements: t.bank.Size(), Path: t.bank.Element, Whole: t.bank.WholeOf(), Clocked: true, Ports: ports,
		Take:    t.takeInputs,
		Replace: func(cell int, _ func() bool) { t.site.replaced[cell] = true },
	}
}

func (t *Serialisers) takeInputs(cell int) {
	x := t.site
	bytes := int(x.length[cell])
	if x.load[cell] && t.length[cell] == 0 && bytes >= t.shortest() && bytes <= t.frameMax {
		t.Load(cell, t.frames[cell*t.stride:][:bytes], x.port[cell])
	}
	x.load[cell] = false
}

func (t *Serialisers) loadPorts() []hw.Port {
	x := t.site
	whileLoaded := func(value func(cell int) uint64) func(cell int, to hw.Pins) func() {
		return func(cell int, to hw.Pins) func() {
			field := to.Field()
			return func() {
				if x.load[cell] {
					field.Set(value(cell))
				}
			}
		}
	}
	return []hw.Port{
		{
			Name: "load_i", Bits: 1, Input: true, Outside: true,
			Get: hw.GetValue(func(cell int) uint64 { return oneIf(x.load[cell]) }),
			Put: hw.PutValue(func(cell int, value uint64) error {
				x.load[cell] = value != 0
				return nil
			}),
		}, {
			Name: "frame_i", Bits: 8 * t.frameMax, Input: true, Outside: true,
			Get: func(cell int, to hw.Pins) func() {
				return func() {
					if x.load[cell] {
						to.SetBytes(0, t.frames[cell*t.stride:][:t.length[cell]])
					}
				}
			},
			Put: hw.PutPins(func(cell int, from hw.Pins) error {
				if x.load[cell] && t.length[cell] == 0 {
					from.GetBytes(0, t.frames[cell*t.stride:][:t.frameMax])
				}
				return nil
			}),
		}, {
			Name: "length_i", Bits: 16, Input: true, Outside: true,
			Get: whileLoaded(func(cell int) uint64 { return uint64(t.length[cell]) }),
			Put: hw.PutValue(func(cell int, value uint64) error {
				x.length[cell] = uint16(value)
				return nil
			}),
		}, {
			Name: "port_i", Bits: 16, Input: true, Outside: true,
			Get: whileLoaded(func(cell int) uint64 { return uint64(x.port[cell]) }),
			Put: hw.PutValue(func(cell int, value uint64) error {
				if x.port[cell] = uint16(value); !t.hasPort(x.port[cell]) {
					x.port[cell] = hw.PortNone
				}
				return nil
			}),
		},
	}
}

func (t *Serialisers) servingPort() hw.Port {
	return hw.Port{
		Name: "serving_i", Bits: 16, Input: true,
		From: func(cell int) hw.Expression { return hw.Carried(t.serving.Of(cell)) },
		Get:  hw.GetValue(func(cell int) uint64 { return uint64(t.serving.Value[cell]) }),
		Put: hw.PutValue(func(cell int, value uint64) error {
			t.serving.Value[cell] = uint16(value)
			return nil
		}),
	}
}

func (t *Serialisers) portPort() hw.Port {
	return hw.Port{
		Name: "port_o", Bits: 16, Shows: "port",
		Lines: func(cell int) []hw.Line {
			if t.asks != nil {
				return []hw.Line{t.ports.Of(cell), t.asks.Of(hw.FieldTo, cell)}
			}
			return []hw.Line{t.ports.Of(cell)}
		},
		Get: hw.GetValue(func(cell int) uint64 { return uint64(t.ports.Value[cell]) }),
		Put: hw.PutValue(func(cell int, value uint64) error {
			port := uint16(value)
			if !t.hasPort(port) || t.asks != nil && port == hw.PortAll {
				t.ports.Value[cell] = hw.PortNone
				return fmt.Errorf("output port_o is %d, but the transmitter has %d ports", port, t.portCount)
			}
			t.ports.Value[cell] = port
			return nil
		}),
	}
}

func (t *Serialisers) busyPort() hw.Port {
	return hw.Port{
		Name: "busy_o", Bits: 1,
		Get: hw.GetValue(func(cell int) uint64 { return oneIf(t.length[cell] != 0) }),
		Put: hw.PutValue(func(cell int, value uint64) error {
			if value == 0 {
				t.length[cell] = 0
			}
			return nil
		}),
	}
}

func (t *Serialisers) askPorts() []hw.Port {
	owner := func(cell int) int { return int(t.owner[cell/t.bank.PerUnit]) }
	return []hw.Port{
		{
			Name: "tag_o", Bits: 16, Shows: "tag",
			Lines: func(cell int) []hw.Line { return []hw.Line{t.asks.Of(hw.FieldTag, cell)} },
			Get:   hw.GetValue(func(cell int) uint64 { return uint64(t.tag[cell]) }),
			Put: hw.PutValue(func(cell int, value uint64) error {
				t.tag[cell] = uint16(value)
				return nil
			}),
		}, {
			Name: "request_o", Bits: 1,
			Lines: func(cell int) []hw.Line { return []hw.Line{t.asks.Of(hw.FieldHigh, cell)} },
			Get:   hw.GetValue(func(cell int) uint64 { return oneIf(slices.Contains(t.asks.High(owner(cell)), uint32(cell))) }),
			Put: hw.PutValue(func(cell int, value uint64) error {
				if value != 0 {
					t.asks.Raise(owner(cell), uint32(cell), t.ports.Value[cell], t.tag[cell])
				}
				return nil
			}),
		}, {
			Name: "served_o", Bits: 16, Shows: "served",
			Get: hw.GetValue(func(cell int) uint64 { return uint64(t.served[cell]) }),
			Put: hw.PutValue(func(cell int, value uint64) error {
				output := uint16(value)
				if t.served[cell] = hw.PortNone; output != hw.PortNone && int(output) >= t.portCount {
					return fmt.Errorf("output served_o is %d, but there are %d outputs", output, t.portCount)
				}
				t.served[cell] = output
				return nil
			}),
		},
	}
}

// offer is Load for a replaced transmitter. The model's registers hold its inputs at first, and then the length of
// its frame until the transmitter is idle.
func (t *Serialisers) offer(cell int, frame []byte, port uint16) {
	copy(t.frames[cell*t.stride:], frame)
	t.length[cell] = uint16(len(frame))
	t.show(cell, port)
}

// show sets the inputs load_i and port_i until Latch.
func (t *Serialisers) show(cell int, port uint16) {
	t.site.load[cell], t.site.port[cell] = true, port
	shard := &t.shards[t.owner[cell/t.bank.PerUnit]]
	shard.loads = append(shard.loads, uint32(cell))
}

func (t *Serialisers) hasPort(port uint16) bool {
	return int(port) < t.portCount || port == hw.PortAll || port == hw.PortNone
}

func oneIf(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}
