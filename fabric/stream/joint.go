package stream

import (
	"starloom/fabric"
	"starloom/fabric/plant"
	"starloom/hw"
	"starloom/nic"
)

// Joint is the hardware of a machine with slotted ports and ports at routers: a Plant and a Stream in step, cycle by
// cycle. A tick is a slot.
//
//	boundary    Hear: first the slotted ports' frames of the slot, then the frames that have arrived through routers,
//	            in the order of their tails
//	            ... the handlers ...
//	            Send: slotted ports send or request with their first frame; the others take all new frames
//
// Each port has its own places in the RX FIFO.
type Joint struct {
	*plant.Plant
	*flying
}

// flying is the routed part of a Joint. It implements Flying.
type flying struct{ stream *Stream }

// NewJoint builds the hardware of a network with both kinds of ports. rtl, unless nil, replaces slotted parts.
func NewJoint(n fabric.Network, c *fabric.Config, workers *hw.Workers, rtl plant.RTL) (*Joint, error) {
	s, err := New(n, c, workers, nil)
	if err != nil {
		return nil, err
	}
	p, err := plant.New(n, c, workers, rtl)
	if err != nil {
		return nil, err
	}
	return &Joint{p, &flying{s}}, nil
}

// StreamOf returns the routed part of a transport, nil if it has none.
func StreamOf(t fabric.Transport) *Stream {
	switch t := t.(type) {
	case *Stream:
		return t
	case *Joint:
		return t.stream
	}
	return nil
}

func (j *Joint) Start() {
	j.Plant.Start()
	j.stream.Start()
}

func (j *Joint) Begin(shard int, slot uint32, exact bool) {
	j.Plant.Begin(shard, slot, exact)
	j.stream.Begin(shard, slot, exact)
}

func (j *Joint) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	j.Plant.Hear(shard, bank, ledger, slot, window)
	j.stream.Hear(shard, bank, ledger, slot, window)
}

func (j *Joint) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, cells []uint32) {
	j.Plant.Send(shard, bank, ledger, slot, window, cells)
	j.stream.Send(shard, bank, ledger, slot, window, cells)
}

func (j *Joint) Cross(slot uint32) {
	j.stream.begin(slot)
	j.Plant.CrossBeside(slot, j.stream.kernel)
	j.stream.crossed()
}

func (j *Joint) Latch() {
	j.Plant.Latch()
	j.stream.Latch()
}

func (j *Joint) Reset(seed uint64) {
	j.Plant.Reset(seed)
	j.stream.Reset(seed)
}

func (j *Joint) Probes(yield func(hw.Probe)) {
	j.Plant.Probes(yield)
	j.stream.Probes(yield)
}

func (j *Joint) State(v *hw.StateVisitor) {
	j.Plant.State(v)
	v.Within(j.stream)
}

func (f *flying) InFlight() (frames int) { return f.stream.InFlight() }

func (f *flying) Stands() bool { return f.stream.Stands() }

func (f *flying) Deadlocked() bool { return f.stream.Deadlocked() }

func (f *flying) AtEnd(checks *fabric.Checks, find func(fabric.Finding)) {
	f.stream.AtEnd(checks, find)
}

func (f *flying) Forget(processor int) (goOn int) { return f.stream.Forget(processor) }

// Flying is a Transport with frames in flight at a boundary. A run ends only after these frames have arrived.
type Flying interface {
	InFlight() (frames int)
	// Stands reports whether no frame in flight will ever arrive. AtEnd reports findings about frames in flight at
	// the end of a run.
	Stands() bool
	// Deadlocked reports whether frames wait for each other forever; this ends the run.
	Deadlocked() bool
	AtEnd(checks *fabric.Checks, find func(fabric.Finding))
	// Forget empties the TX FIFO of a processor. Frames already in the NIC remain in flight; Forget returns their
	// number.
	Forget(processor int) (goOn int)
}
