package crossbar

import (
	"fmt"

	"starloom/fabric"
	"starloom/fabric/crossbar/gossip"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces/input"
)

const ordersKey = "workload.gossip.orders"

// orders are those of a workload; the pipelined ones if it does not say.
func (x Network) orders(w *fabric.Gossip, seed uint64) (gossip.Orders, error) {
	N := x.Ports - 1
	switch {
	case N < 1:
		return nil, &input.Error{Place: "fabric.crossbar.ports", Reason: "gossip of one processor", Remedy: "give at least 2 ports"}
	case w == nil || w.Orders == "" && w.Given == nil:
		return gossip.Pipelined(N), nil
	case w.Given != nil:
		return w.Given, nil
	case w.FromFile():
		path := w.Path
		if path == "" {
			path = w.Orders
		}
		return gossip.ReadOrders(path, N)
	}
	orders, err := gossip.Named(w.Orders, N, seed)
	if refused, ok := err.(*input.Error); ok {
		refused.Place = ordersKey
	}
	return orders, err
}

// ROM implements fabric.Network: the orders, row i in the ROM of processor i.
func (x Network) ROM(w *fabric.Workload, p *fabric.Program) (fabric.ROM, error) {
	g := w.Gossip
	if g == nil {
		return nil, nil
	}
	if p != nil && p.Name == optimalProgram {
		if g.Given != nil || g.Orders != "" && g.Orders != gossip.WordOptimal {
			return nil, &input.Error{Place: ordersKey, Reason: p.Name + " has orders of its own", Remedy: "delete orders, or take the program " + fsaProgram}
		}
		g = &fabric.Gossip{Orders: gossip.WordOptimal}
	}
	_, err := x.orders(g, 0)
	return &ordersROM{net: x, gossip: g}, err
}

// ordersROM are the orders of a run; the random ones are those of its seed.
type ordersROM struct {
	net    Network
	gossip *fabric.Gossip

	seed   uint64
	orders gossip.Orders
}

func (r *ordersROM) Words() (processor, machine int) { return r.net.Ports - 1, 0 }

func (r *ordersROM) Processor(processor int, seed uint64, dst []uint32) {
	if r.orders == nil || seed != r.seed {
		r.seed = seed
		r.orders, _ = r.net.orders(r.gossip, seed) // no error since the machine was built
	}
	copy(dst, r.orders[processor])
}

func (r *ordersROM) Machine(uint64, []uint32) {}

// Referee implements fabric.Network: that of gossip, or of packets for firmware that brings
// something else about.
func (x Network) Referee(w *fabric.Workload, _ *fabric.Program) fabric.Referee {
	if w.Gossip == nil {
		return fabric.NewPackets(x.Ports)
	}
	return &gossipReferee{ports: x.Ports, sessions: w.Gossip.Count(), received: make([]uint16, x.Ports*x.Ports)}
}

// gossipReferee counts messages: every processor has to receive one of every other in each
// session. Who has sent a frame is what its NIC has written into it, so firmware cannot
// lie. A step is a slot; the run ends with the last message.
type gossipReferee struct {
	ports, sessions int
	received        []uint16 // messages, by receiver and sender
	used            []uint32 // by step: processors that sent or received
	steps           int      // to the last message
	table           *gossip.Table
	filled          []uint32 // columns of a processor's row, while there is a table
}

// SessionsMax is the largest number of sessions: each has a tag of its own.
const SessionsMax = 65534

// Load implements fabric.Referee.
func (r *gossipReferee) Load(l *fabric.Load) error {
	r.table, r.filled = nil, nil
	if l.Table {
		r.table, r.filled = gossip.NewTable(r.ports), make([]uint32, r.ports)
	}
	return nil
}

// Tell implements fabric.Referee: how many sessions there are.
func (r *gossipReferee) Tell(_ int, words []uint32) {
	for i := range words {
		words[i] = uint32(r.sessions)
	}
}

// Witness implements fabric.Referee.
func (r *gossipReferee) Witness(bool) fabric.Witness { return r }

// Sent implements fabric.Witness.
func (r *gossipReferee) Sent(_ *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	r.use(slot)
	r.cell(processor, slot, gossip.Cell{Action: gossip.Sent, Peer: frame.Destination()})
}

// Blocked implements fabric.Witness.
func (r *gossipReferee) Blocked(_ *fabric.Ledger, processor int, _ nic.FrameView, slot uint32) {
	r.cell(processor, slot, gossip.Cell{Action: gossip.Blocked})
}

// Received implements fabric.Witness: a message counts once in each session.
func (r *gossipReferee) Received(l *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	sender := frame.Source()
	r.use(slot)
	r.cell(processor, slot, gossip.Cell{Action: gossip.Received, Peer: sender})
	if frame.Kind() != nic.KindData {
		return
	}
	switch count := &r.received[processor*r.ports+int(sender)]; {
	case !l.Checks.ExactlyOnce:
		*count = min(*count, SessionsMax) + 1
	case int(sender) == processor:
		l.Find(fabric.Finding{Kind: fabric.FindMisrouted, Slot: slot, Index: processor, Value: sender})
	case int(*count) >= r.sessions:
		l.Find(fabric.Finding{Kind: fabric.FindDuplicate, Slot: slot, Index: processor, Value: sender})
	default:
		*count++
	}
}

// use counts a processor that sends or receives in a step.
func (r *gossipReferee) use(slot uint32) {
	for int(slot) >= len(r.used) {
		r.used = append(r.used, 0)
	}
	r.used[slot]++
}

// cell notes what a processor does in a step. Of firmware that sends and receives at once the
// table has what comes first.
func (r *gossipReferee) cell(processor int, slot uint32, c gossip.Cell) {
	if r.table == nil || slot < r.filled[processor] {
		return
	}
	r.filled[processor] = slot + 1
	r.table.Add(processor, slot, c)
}

// Metrics implements fabric.Referee: those of the paper (Definitions 7 to 13).
func (r *gossipReferee) Metrics(*fabric.End, bool) (m fabric.Metrics) {
	nu := make([]int, len(r.used))
	for i, used := range r.used {
		nu[i] = int(used)
	}
	measured := gossip.Measure(r.ports, nu)
	m.Add("lambda", measured.Lambda)
	m.Add("mu", measured.Mu.String())
	m.Add("epsilon", measured.Epsilon.String())
	m.Add("utilisation", nu)
	return m
}

// RunTable implements fabric.Tabled.
func (r *gossipReferee) RunTable() fabric.RunTable {
	if r.table == nil {
		return nil
	}
	return r.table
}

// Missing implements fabric.Referee.
func (r *gossipReferee) Missing(yield func(fabric.Finding) bool) {
	for receiver := range r.ports {
		for sender, count := range r.received[receiver*r.ports:][:r.ports] {
			if sender == receiver || int(count) >= r.sessions {
				continue
			}
			f := fabric.Finding{Kind: fabric.FindMissing, Index: receiver, Value: uint32(sender)}
			if r.sessions > 1 {
				f.Text = fmt.Sprintf("received %d of %d messages of processor %d", count, r.sessions, sender)
			}
			if !yield(f) {
				return
			}
		}
	}
}

// Overhears, Arrive, Announce, Acknowledges, Acknowledge and Routed implement
// fabric.Referee: messages are seen as frames, and there are no packets of several hops.

func (r *gossipReferee) Overhears() bool                                 { return false }
func (r *gossipReferee) Arrive(*fabric.Ledger, uint32, []fabric.Arrival) {}
func (r *gossipReferee) Announce(*fabric.Ledger, int, uint32, uint32)    {}
func (r *gossipReferee) Acknowledges() bool                              { return false }
func (r *gossipReferee) Acknowledge(func(int))                           {}
func (r *gossipReferee) Routed() *fabric.Packets                         { return nil }

// Reset implements fabric.Referee.
func (r *gossipReferee) Reset() {
	clear(r.received)
	r.used = r.used[:0]
}

// State implements fabric.Referee. A run-table is not saved.
func (r *gossipReferee) State(v *hw.StateVisitor) {
	hw.StateColumn(v, "received", r.received)
	hw.StateList(v, "used", &r.used)
}
