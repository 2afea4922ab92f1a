package record

import (
	"cmp"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/emulator"
	"starloom/nic"
)

// Frames records the frames of a run like a packet capture: all frames of wanted slots, and a limited number of other
// frames. It implements emulator.Observer.
type Frames struct {
	Most  int // largest number of frames of other slots
	Wants func(slot uint32) bool
	Kept  []outcome.SceneFrame
	Whole bool // no frame was dropped

	machine *emulator.Machine
	others  int
}

// KeepFrames starts the recording of a machine's frames.
func (f *Frames) KeepFrames(m *emulator.Machine) {
	f.machine, f.Whole = m, true
	m.Attach(f, false, true)
}

func (f *Frames) Cycle(uint64) {}

func (f *Frames) Dropped() error { return nil }

func (f *Frames) Boundary() error {
	m := f.machine
	for i := range m.Shards {
		l := &m.Shards[i].Ledger
		for k := range l.Heard {
			f.take(&l.Heard[k], false, l.Heard[k].Cycle(m.Timing().LastPhitCycle(l.Heard[k].Slot)))
		}
		for k := range l.Sent {
			f.take(&l.Sent[k], true, l.Sent[k].Cycle(m.Timing().FirstPhitCycle(l.Sent[k].Slot)))
		}
	}
	return nil
}

// Sorted returns the frames, sorted by cycle, then processor.
func (f *Frames) Sorted() []outcome.SceneFrame {
	SortFrames(f.Kept)
	return f.Kept
}

// SortFrames sorts frames by cycle, processor and port.
func SortFrames(frames []outcome.SceneFrame) {
	slices.SortStableFunc(frames, func(a, b outcome.SceneFrame) int {
		return cmp.Or(cmp.Compare(a.Cycle, b.Cycle), cmp.Compare(a.Processor, b.Processor), cmp.Compare(a.Path, b.Path))
	})
}

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
		f.sent(x, c.Port)
		return
	}
	x.Status, x.Path = c.Status.String(), m.Names.Port(c.Processor, c.Port)
	medium := m.Names.HeardOn(c.Processor, c.Port)
	x.Medium, x.Link = m.Names.Medium(medium), m.Names.Link(medium)
	f.Kept = append(f.Kept, x)
}

// sent records a sent frame like a capture: at its port, at the port towards its destination, or at each port.
func (f *Frames) sent(x outcome.SceneFrame, port uint16) {
	names := f.machine.Names
	f.machine.OnMedia(x.Processor, port, x.Destination, func(at uint16, medium int) {
		x.Path = names.Processor(x.Processor)
		if at != nic.PortAll {
			x.Path = names.Port(x.Processor, at)
		}
		x.Medium, x.Link = names.Medium(medium), names.Link(medium)
		f.Kept = append(f.Kept, x)
	})
}
