package referees

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/nic"
)

// Lossy holds circumstances that cause losses.
type Lossy struct {
	Processors int
	Ports      uint16                   // maximum number of ports per processor
	Faults     *fabric.Faults           // nil for none
	Killed     func(processor int) bool // reports whether a fault has killed a processor
}

func keyOf(source, destination uint32) uint64 { return uint64(source)<<32 | uint64(destination) }

// lose finds the frames of the crossed slot without a receiver: the addressee, or for a frame without addressee any
// processor. Frames from one NIC to another in one slot on different ports are counted.
func (q *Queues) lose(l *fabric.Found, slots uint32, c *Lossy) {
	q.keys = q.keys[:0]
	for i := range q.shards {
		for _, r := range q.shards[i].receptions {
			if r.status == nic.StatusOK && r.any {
				q.keys = append(q.keys, keyOf(r.source, nic.AnyDestination))
			} else if r.status == nic.StatusOK {
				q.keys = append(q.keys, keyOf(r.source, r.processor))
			}
		}
	}
	slices.Sort(q.keys)
	q.used = append(q.used[:0], make([]bool, len(q.keys))...)
	for i := range q.shards {
		for k := range q.shards[i].departures {
			if d := &q.shards[i].departures[k]; d.slot < slots && !q.config.routed(d.processor, d.port) && !q.received(d) {
				q.report(l, q.lost(d, c))
			}
		}
		for k := range q.shards[i].ended {
			if e := &q.shards[i].ended[k]; e.how != fabric.FateReceived {
				q.report(l, e.lost(c))
			}
		}
	}
}

// loss is the finding of a lost frame. byFault means that a fault is the cause: it has harmed the light, killed the
// receiver, or shrunk the receiver's FIFO.
type loss struct {
	fabric.Finding
	byFault bool
}

func (q *Queues) report(l *fabric.Found, lost loss) {
	if lost.byFault && q.config.Spares {
		q.spared++
		return
	}
	l.Find(lost.Finding)
}

func (e *ending) lost(c *Lossy) loss {
	to := int(e.destination)
	why, byFault := "", true
	switch e.how {
	case fabric.FateOverflow:
		why, byFault = "its RX FIFO was full", c.Faults.Smaller(to, false)
		if byFault {
			why += ", which a fault has made smaller"
		}
	case fabric.FateDamaged:
		why = "a fault flipped a bit of the frame in flight; the frame was dropped because of its wrong CRC"
	case fabric.FateDropped:
		why = "a fault dropped the frame in flight"
	default:
		why, byFault = "its NIC is off the network", c.Killed(to)
		if byFault {
			why = "a fault has killed it"
		}
	}
	return loss{fabric.Finding{Kind: fabric.FindUnheard, Slot: e.slot, Index: to, Value: e.processor,
		Text: fmt.Sprintf("lost the frame of processor %d: %s", e.processor, why)}, byFault}
}

func (q *Queues) received(d *departure) bool {
	key := keyOf(d.processor, d.destination)
	k, ok := slices.BinarySearch(q.keys, key)
	if !ok || d.destination == nic.AnyDestination {
		return ok
	}
	for ; k < len(q.keys) && q.keys[k] == key; k++ {
		if !q.used[k] {
			q.used[k] = true
			return true
		}
	}
	return false
}

func (q *Queues) lost(d *departure, c *Lossy) loss {
	frame, towards, anybody := fmt.Sprintf("the frame of processor %d", d.processor), 0,
		d.destination == nic.AnyDestination
	known := uint64(d.destination) < uint64(c.Processors)
	if known {
		towards = int(d.destination)
	}
	if !anybody {
		frame += fmt.Sprintf(" for processor %d", d.destination)
	}
	if d.port == nic.PortAll && !known { // the frame was on many media
		return loss{fabric.Finding{Kind: fabric.FindUnheard, Slot: d.slot, Index: int(d.processor),
			Text: "sent a frame to all ports that no one received"}, false}
	}
	medium := q.names.SentOn(int(d.processor), d.port, towards)
	full, worst := q.listeners(d, medium)
	if full >= 0 {
		text := fmt.Sprintf("lost the frame of processor %d: its RX FIFO was full", d.processor)
		smaller := c.Faults.Smaller(full, false)
		if smaller {
			text += ", which a fault has made smaller"
		}
		return loss{fabric.Finding{Kind: fabric.FindUnheard, Slot: d.slot, Index: full, Value: d.processor, Text: text},
			smaller}
	}
	f := loss{fabric.Finding{Kind: fabric.FindLost, Slot: d.slot, Index: medium, Value: d.processor}, true}
	effect, fault, missed := fabric.Unharmed, 0, false
	if c.Faults != nil {
		effect, fault = c.Faults.OnMedium(medium, d.slot)
		if known {
			_, missed = c.Faults.MissedAt(towards, medium, c.Ports, d.slot)
		}
	}
	switch {
	case effect == fabric.Dark:
		f.Text = "a fault made it dark here"
	case missed:
		f.Text = fmt.Sprintf("by a fault processor %d missed it here", towards)
	case worst == nic.StatusCollision:
		f.Text, f.byFault = "it met another frame here", false
	case worst == nic.StatusCRC && effect == fabric.Flipped:
		f.Text = "here a fault " + c.Faults.FlipText(fault, medium, d.slot)
	case worst == nic.StatusCRC:
		f.Text, f.byFault = "it was damaged here", false
	case known && c.Killed(towards):
		f.Text = fmt.Sprintf("a fault has killed processor %d", towards)
	case known && !q.hears(towards, c.Ports, medium):
		f.byFault = false
		f.Text = fmt.Sprintf("no path leads from here to processor %d", towards)
	case known:
		f.byFault = false
		f.Text = fmt.Sprintf("processor %d did not listen here", towards)
	case anybody:
		f.Text, f.byFault = "no one listened here", false
	default:
		f.Text, f.byFault = "there is no such processor", false
	}
	f.Text = frame + " was lost: " + f.Text
	return f
}

func (q *Queues) hears(processor int, ports uint16, medium int) bool {
	for port := range ports {
		if q.names.HeardOn(processor, port) == medium {
			return true
		}
	}
	return false
}

// listeners checks the addressed receivers of a frame. It returns the lowest processor with a full RX FIFO, -1 for
// none, and the worst status of the other receivers on the medium, StatusIdle for none.
func (q *Queues) listeners(d *departure, medium int) (full int, worst nic.Status) {
	full = -1
	for i := range q.shards {
		for _, r := range q.shards[i].receptions {
			switch {
			case d.destination != nic.AnyDestination && d.destination != r.processor:
			case r.status == nic.StatusOverflow && r.source == d.processor:
				if full < 0 || int(r.processor) < full {
					full = int(r.processor)
				}
			case r.status == nic.StatusCollision && q.names.HeardOn(int(r.processor), r.port) == medium:
				worst = nic.StatusCollision
			case r.status == nic.StatusCRC && worst == nic.StatusIdle && q.names.HeardOn(int(r.processor), r.port) == medium:
				worst = nic.StatusCRC
			}
		}
	}
	return full, worst
}
