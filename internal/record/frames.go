package record

import (
	"cmp"
	"slices"

	"starloom/fabric"
	"starloom/internal/emulator"
	"starloom/internal/outcome"
	"starloom/nic"
)

// Frames keeps the frames of a run, as a packet capture has them: those of the slots that are wanted, and of
// others as many as there is room for. It implements emulator.Observer.
type Frames struct {
	Most  int // that are kept of slots that are not wanted
	Wants func(slot uint32) bool
	Kept  []outcome.SceneFrame
	Whole bool // all frames up to now are there

	machine *emulator.Machine
	others  int
}

// KeepFrames looks at the frames of a machine from now on.
func (f *Frames) KeepFrames(m *emulator.Machine) {
	f.machine, f.Whole = m, true
	m.Attach(f, false, true)
}

// Cycle implements emulator.Observer.
func (f *Frames) Cycle(uint64) {}

// Dropped implements emulator.Observer.
func (f *Frames) Dropped() error { return nil }

// Boundary implements emulator.Observer.
func (f *Frames) Boundary() error {
	m := f.machine
	for i := range m.Shards {
		l := &m.Shards[i].Ledger
		for k := range l.Heard {
			f.take(&l.Heard[k], false, m.Timing().LastPhitCycle(l.Heard[k].Slot))
		}
		for k := range l.Sent {
			f.take(&l.Sent[k], true, m.Timing().FirstPhitCycle(l.Sent[k].Slot))
		}
	}
	return nil
}

// Sorted are the frames in the order of cycles, then of processors.
func (f *Frames) Sorted() []outcome.SceneFrame {
	slices.SortStableFunc(f.Kept, func(a, b outcome.SceneFrame) int {
		return cmp.Or(cmp.Compare(a.Cycle, b.Cycle), cmp.Compare(a.Processor, b.Processor), cmp.Compare(a.Path, b.Path))
	})
	return f.Kept
}

// take keeps a frame, if it is wanted or there is room.
func (f *Frames) take(c *fabric.Captured, sent bool, cycle uint64) {
	if !f.Wants(c.Slot) {
		if f.others >= f.Most {
			f.Whole = false
			return
		}
		f.others++
	}
	m, x := f.machine, outcome.SceneFrame{Cycle: cycle, Slot: uint64(c.Slot), Processor: c.Processor, Sent: sent}
	if len(c.Frame) > 0 {
		h := c.Frame.Header()
		x.Kind, x.Source, x.Destination, x.Payload = h.Kind.String(), h.Source, h.Destination, slices.Clone(c.Frame.Payload())
	}
	if sent {
		x.Path, x.Medium = f.sentAt(c, int(x.Destination))
	} else {
		x.Status = c.Status.String()
		x.Path, x.Medium = m.Names.Port(c.Processor, c.Port), m.Names.Medium(m.Names.HeardOn(c.Processor, c.Port))
	}
	f.Kept = append(f.Kept, x)
}

// sentAt is the port of a frame that is sent, and the medium that it leads to, "" for those of all ports.
func (f *Frames) sentAt(c *fabric.Captured, destination int) (port, medium string) {
	names := f.machine.Names
	switch {
	case c.Port != nic.PortAll:
		return names.Port(c.Processor, c.Port), names.Medium(names.SentOn(c.Processor, c.Port, destination))
	case destination < f.machine.Shape.Processors():
		return names.Processor(c.Processor), names.Medium(names.SentOn(c.Processor, c.Port, destination))
	}
	return names.Processor(c.Processor), ""
}
