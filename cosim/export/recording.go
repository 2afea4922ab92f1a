package export

import (
	"fmt"
	"slices"
	"strings"

	"starloom/hw"
)

// EventBytesMax is the maximum size in bytes of the text of a run's events: 200 MB.
const EventBytesMax = 200_000_000

// Recording holds the events of a run: inputs from outside the hardware, and results that receivers show at the end
// of a slot.
type Recording struct {
	Slot   int // cycles of a slot
	Cycles int // cycles recorded so far
	Bytes  int // of all events
	Events int // changes of inputs from outside

	observer *Observer
	raised   bool // the previous cycle was the last cycle of a slot
	streams  []*stream
}

// stream holds the events of some ports of a column: the cycles in which their values change, element by element.
type stream struct {
	column *column
	checks bool // the ports are outputs
	period int  // cycles between two values that count
	ports  []*hw.Port
	bits   int
	gets   [][]func()
	pins   []hw.Pins // by element: all ports side by side
	last   [][]uint64
	lines  []string
}

// eventOffset is the number of rising clock edges up to the beginning of cycle 0. Reset is on at the first three
// edges.
const eventOffset = 4

// Record binds the ports of a machine to a Recording. slotCycles is the length of a slot in cycles.
func (t *Top) Record(slotCycles int) *Recording {
	r := &Recording{Slot: slotCycles, observer: t.wiring.Observe()}
	for _, c := range t.columns {
		r.add(c, false, func(port *hw.Port) bool { return port.Input && port.Outside })
		r.add(c, true, func(port *hw.Port) bool { return port.Polled })
	}
	return r
}

func (r *Recording) add(c *column, checks bool, chosen func(*hw.Port) bool) {
	s := &stream{column: c, checks: checks, period: r.Slot}
	if c.site.Always {
		s.period = 1
	}
	for p := range c.site.Ports {
		if port := &c.site.Ports[p]; chosen(port) {
			s.ports, s.bits = append(s.ports, port), s.bits+port.Bits
		}
	}
	if len(s.ports) == 0 {
		return
	}
	for _, element := range c.elements {
		pins, low := pinsOf(s.bits), 0
		var gets []func()
		for _, port := range s.ports {
			gets = append(gets, port.Get(element, pins.Slice(low, port.Bits)))
			low += port.Bits
		}
		s.gets, s.pins = append(s.gets, gets), append(s.pins, pins)
		s.last = append(s.last, make([]uint64, len(pins.Words)))
	}
	r.streams = append(r.streams, s)
}

// Look must be called in every cycle from 0 on, when its wires are final. It compares all inputs with their
// expressions, and records results in the last cycle of a slot. It returns an error if the events exceed EventBytesMax.
func (r *Recording) Look(cycle uint64) error {
	r.Cycles = int(cycle) + 1
	if err := r.observer.Look(cycle); err != nil {
		return err
	}
	r.note(cycle, false, func(s *stream) bool { return r.raised || s.period == 1 }) // strobes fall
	r.raised = false
	r.note(cycle, true, func(s *stream) bool { return (cycle+1)%uint64(s.period) == 0 })
	return r.full()
}

// Boundary must be called in the last cycle of each slot and in the cycle before cycle 0 (hw.CycleOfReset), after
// firmware has set the inputs. It returns an error if the events exceed EventBytesMax.
func (r *Recording) Boundary(cycle uint64) error {
	r.note(cycle, false, func(*stream) bool { return true })
	r.raised = true
	return r.full()
}

func (r *Recording) full() error {
	if r.Bytes > EventBytesMax {
		return fmt.Errorf("the events take more than %d MB", EventBytesMax/1_000_000)
	}
	return nil
}

func (r *Recording) note(cycle uint64, checks bool, due func(*stream) bool) {
	for _, s := range r.streams {
		if s.checks == checks && due(s) {
			before := len(s.lines)
			r.Bytes += s.note(uint32(cycle + eventOffset - 1))
			if !checks {
				r.Events += len(s.lines) - before
			}
		}
	}
}

func (s *stream) note(key uint32) (bytes int) {
	for element, gets := range s.gets {
		for _, get := range gets {
			get()
		}
		words := s.pins[element].Words
		if slices.Equal(words, s.last[element]) {
			continue
		}
		copy(s.last[element], words)
		var b strings.Builder
		fmt.Fprintf(&b, "%08x%08x", key, s.column.slot[s.column.elements[element]])
		for digit := (s.bits+3)/4 - 1; digit >= 0; digit-- {
			fmt.Fprintf(&b, "%x", s.pins[element].GetBits(4*digit, min(4, s.bits-4*digit)))
		}
		s.lines = append(s.lines, b.String())
		bytes += b.Len() + 1
	}
	return bytes
}

// width returns the width of an event in bits: the number of edges, the element, and the values in whole hexadecimal
// digits.
func (s *stream) width() int { return 64 + (s.bits+3)/4*4 }

func (s *stream) name() string {
	if s.checks {
		return s.column.name + "_results"
	}
	return s.column.name + "_events"
}

// text returns the events as a file for $readmemh. A final line of ones marks the end.
func (s *stream) text() string {
	return strings.Join(append(slices.Clone(s.lines), strings.Repeat("f", s.width()/4)), "\n") + "\n"
}
