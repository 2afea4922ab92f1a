package contend

import (
	"starloom/hw"
	"starloom/nic"
)

// askPorts is the set of ports of a component that serves all inputs together: a list allocator, a cap arbiter or a
// medium without an arbiter. The ports present the requests of transmitters and the filters of outputs as signals.
// Turns start a given number of cycles after the first cycle with a request.
//
// Latency 0 cycles (combinational). Registers: listens and tag of the outputs, written at the boundary of a slot, and
// the number of cycles with requests. Reset: no output listens.
type askPorts struct {
	hw.Registers
	asks  *hw.Asks
	after uint8
	// unless nil, the arbiters' outputs, which select the inputs that may proceed
	busy, index *hw.Signal

	clock      *hw.Clock
	slotCycles int

	start, request, tag       *hw.Signal
	addressee, toss, slot     *hw.Signal
	listen, filter, filterTag *hw.Signal
	high                      []uint32 // inputs with a high request

	listens []uint8
	accepts []uint16
	cycles  []uint8 // one entry: number of cycles with requests, at most 2
}

func newAskPorts(component, inputs, outputs hw.Bank, asks *hw.Asks, after uint8, clock *hw.Clock,
	slotCycles int) (*askPorts, error) {
	n := inputs.Size()
	p := &askPorts{asks: asks, after: after, clock: clock, slotCycles: slotCycles, listens: make([]uint8, n),
		accepts: make([]uint16, n), cycles: make([]uint8, 1)}
	for _, s := range []struct {
		signal **hw.Signal
		bank   hw.Bank
		name   string
		bits   int
	}{
		{&p.start, component, "start", 1}, {&p.request, inputs, "request", 1}, {&p.tag, inputs, "tag", 16},
		{&p.addressee, inputs, "addressee", hw.IndexBits(n)}, {&p.toss, inputs, "toss", 1}, {&p.slot, component, "slot", 32},
		{&p.listen, outputs, "listen", 1}, {&p.filter, outputs, "filter", 1}, {&p.filterTag, outputs, "filter_tag", 16},
	} {
		var err error
		if *s.signal, err = hw.NewSignal(s.bank, s.name, s.bits); err != nil {
			return nil, err
		}
	}
	p.Registers = hw.Declare(hw.Declaration{
		Path: component.Path() + ".ports", Bank: component,
		Registers: []hw.Register{
			hw.Column("listens", p.listens, hw.AtMost[uint8](1)),
			hw.Column("accepts", p.accepts).ResetTo(nic.TagAny),
			hw.Column("cycles", p.cycles, hw.AtMost[uint8](2)),
		},
		Wires: []hw.Probed{p.start, p.request, p.tag, p.listen, p.filter, p.filterTag},
	})
	p.Reset()
	return p, nil
}

func (p *askPorts) Take(output int, listens bool, tag uint16) {
	p.listens[output], p.accepts[output] = 0, tag
	if listens {
		p.listens[output] = 1
	}
}

func (p *askPorts) Inputs() []hw.Wire {
	if p.busy != nil {
		return []hw.Wire{p.asks, p.busy, p.index}
	}
	return []hw.Wire{p.asks}
}

func (p *askPorts) Outputs() []hw.Wire {
	return []hw.Wire{p.start, p.request, p.tag, p.addressee, p.toss, p.slot, p.listen, p.filter, p.filterTag}
}

func (p *askPorts) Settle(s hw.Shard) {
	for _, i := range p.high {
		p.request.Value[i] = 0
	}
	p.high = p.high[:0]
	p.start.Value[0] = 0
	for _, i := range p.asks.High(s.Index) {
		if p.busy != nil {
			if to := int(p.asks.To[i]); to >= len(p.busy.Value) || p.busy.Value[to] == 0 || p.index.Value[to] != uint64(i) {
				continue
			}
		}
		p.request.Value[i], p.tag.Value[i], p.addressee.Value[i] = 1, uint64(p.asks.Tag[i]),
			uint64(p.asks.To[i])&(1<<p.addressee.Bits()-1)
		p.high = append(p.high, i)
	}
	if len(p.asks.High(s.Index)) == 0 {
		return
	}
	if p.cycles[0] != p.after {
		return
	}
	p.start.Value[0], p.slot.Value[0] = 1, p.clock.Cycle()/uint64(p.slotCycles)
	for i, listens := range p.listens {
		p.listen.Value[i], p.filter.Value[i], p.filterTag.Value[i] = uint64(listens), 1, uint64(p.accepts[i])
		if p.accepts[i] == nic.TagAny {
			p.filter.Value[i], p.filterTag.Value[i] = 0, 0
		}
	}
}

// Latches and Latch implement hw.Latcher. Latch counts the cycles with requests.

func (p *askPorts) Latches() []hw.Wire { return []hw.Wire{p.asks} }

func (p *askPorts) Latch(s hw.Shard) {
	if len(p.asks.High(s.Index)) == 0 {
		p.cycles[0] = 0
	} else if p.cycles[0] < 2 {
		p.cycles[0]++
	}
}

func (p *askPorts) QuietFor(limit uint64) uint64 {
	if !p.asks.Low() || p.cycles[0] != 0 || len(p.high) > 0 {
		return 0
	}
	return limit
}

// listMemory models the memories of the inputs: request lists, valid bits and first choices. It answers the allocator
// in the same cycle, for the current input. The NICs contain its registers.
type listMemory struct {
	path        string
	turn, input *hw.Signal
	lists       *hw.Lists
	bank        func(processor int) (bank *nic.Bank, cell int)
}

func (l *listMemory) Path() string           { return l.path }
func (l *listMemory) Reset()                 {}
func (l *listMemory) State(*hw.StateVisitor) {}
func (l *listMemory) Inputs() []hw.Wire      { return []hw.Wire{l.turn, l.input} }
func (l *listMemory) Outputs() []hw.Wire     { return []hw.Wire{l.lists} }

func (l *listMemory) Settle(hw.Shard) {
	if l.turn.Value[0] != 0 {
		l.lists.Answer[0] = listRequest(l.bank(int(l.input.Value[0])))
	}
}

func (l *listMemory) QuietFor(limit uint64) uint64 { return limit }

// coinGate lets contenders with heads transmit while they request the medium, but not in the first cycle of a slot.
type coinGate struct {
	path            string
	asks            *hw.Asks
	start           *hw.Signal
	contends, heads *hw.Signal
	transmit        *hw.Signal
	high            []uint32
}

func (g *coinGate) Path() string           { return g.path }
func (g *coinGate) Reset()                 {}
func (g *coinGate) State(*hw.StateVisitor) {}
func (g *coinGate) Inputs() []hw.Wire      { return []hw.Wire{g.asks, g.start, g.contends, g.heads} }
func (g *coinGate) Outputs() []hw.Wire     { return []hw.Wire{g.transmit} }

func (g *coinGate) Settle(s hw.Shard) {
	for _, i := range g.high {
		g.transmit.Value[i] = 0
	}
	g.high = g.high[:0]
	if g.start.Value[0] != 0 {
		return
	}
	for _, i := range g.asks.High(s.Index) {
		if g.contends.Value[i]&g.heads.Value[i] != 0 {
			g.transmit.Value[i] = 1
			g.high = append(g.high, i)
		}
	}
}

func (g *coinGate) QuietFor(limit uint64) uint64 {
	if !g.asks.Low() || len(g.high) > 0 {
		return 0
	}
	return limit
}
