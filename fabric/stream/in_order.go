package stream

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"starloom/hw"
)

// Order checks the rule in_order. For each destination and source it holds the arrived packet with the latest
// creation.
type Order []map[uint32]Came

// Came is an arrived packet. Serial numbers order packets created in the same cycle.
type Came struct {
	Serial            uint64
	Created, Received uint32
}

// Note records an arrived packet. If a later packet of the same source has already arrived, Note returns it.
func (o Order) Note(source, destination uint32, c Came) (before Came, overtaken bool) {
	of := o[destination]
	if of == nil {
		of = map[uint32]Came{}
		o[destination] = of
	}
	before, overtaken = of[source]
	if overtaken = overtaken &&
		cmp.Or(cmp.Compare(before.Created, c.Created), cmp.Compare(before.Serial, c.Serial)) > 0; !overtaken {
		of[source] = c
	}
	return before, overtaken
}

// Text returns the message about a packet that arrived after a later packet. noun is "frame" or "packet", made is
// "queued" or "created", and unit, the unit of times, is "cycle" or "slot".
func (c *Came) Text(noun, made, unit string, source, destination uint32, before Came) string {
	return fmt.Sprintf("%s %d (%d to %d, %s in %s %d) arrived in %s %d, after %s %d (%s in %s %d), which arrived in %s "+
		"%d", noun,
		c.Serial,
		source, destination, made, unit, c.Created, unit, c.Received, noun, before.Serial, made, unit,
		before.Created, unit, before.Received)
}

// State visits the latest packet of each pair of source and destination.
func (o Order) State(v *hw.StateVisitor) {
	var sources, destinations, created, received []uint32
	var serials []uint64
	for destination, of := range o {
		for _, source := range slices.Sorted(maps.Keys(of)) {
			c := of[source]
			sources, destinations = append(sources, source), append(destinations, uint32(destination))
			serials, created, received = append(serials, c.Serial), append(created, c.Created), append(received, c.Received)
		}
	}
	hw.StateList(v, hw.Future, "order.source", &sources, hw.AtMost(uint32(len(o)-1)))
	hw.StateList(v, hw.Future, "order.destination", &destinations, hw.AtMost(uint32(len(o)-1)))
	hw.StateList(v, hw.Future, "order.serial", &serials)
	hw.StateList(v, hw.Future, "order.created", &created)
	hw.StateList(v, hw.Future, "order.received", &received)
	v.AfterRestore(func() {
		clear(o)
		for i := range min(len(sources), len(destinations), len(serials), len(created), len(received)) {
			o.Note(sources[i], destinations[i], Came{serials[i], created[i], received[i]})
		}
	})
}
