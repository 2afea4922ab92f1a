package picture

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces"
)

// Channels counts flits by channel and time in runs without firmware. Its memory depends on the network, not on the
// length of the run.
type Channels struct {
	network   fabric.Network
	crossings *hw.Crossings
	from      uint64 // first cycle of the run
	links     int    // channels between routers; two for each processor follow
	row       []int  // by channel, -1 for none
	shown     int    // channels with a row
	names     []string
	width     []int  // channels of each row
	stride    int    // distance of the watched processors
	flits     series // by row
	acts      [actions]series
}

const channelRowsMax = 64

// Crossing returns counters of a network of routers; from is the first cycle of the run.
func Crossing(n fabric.Network, network *hw.RouterNetwork, from uint64) *Channels {
	built := fabric.RoutersOf(n)
	links, processors := built.Graph.Links, len(built.Graph.Nodes)
	c := &Channels{network: n, crossings: network.Crossings(), from: from, links: len(links),
		row: slices.Repeat([]int{-1}, len(links)+2*processors), stride: 1}
	c.rows(built)
	if processors > watchedMax {
		c.stride = (processors+lanesMax-1)/lanesMax | 1
	}
	c.flits = newSeries(len(c.names))
	for k := range c.acts {
		c.acts[k] = newSeries((processors + c.stride - 1) / c.stride)
	}
	return c
}

// rows assigns rows to the channels between routers, in the order of the sending routers. A network without such
// channels shows the channels to processors. In a large network, a row combines the channels of several routers or
// processors.
func (c *Channels) rows(built *fabric.Routers) {
	links, names := built.Graph.Links, c.network.Names()
	var order []int // channels
	for i := range links {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(links[a].From, links[b].From), cmp.Compare(links[a].Output, links[b].Output))
	})
	of := func(channel int) int { return links[channel].From }
	one := func(channel int) string {
		return built.Channel(links[channel].From, links[channel].Output, links[channel].To)
	}
	owner, owners := built.Router, len(built.Graph.Ports)
	if len(links) == 0 {
		owner, owners = names.Processor, len(built.Graph.Nodes)
		of = func(channel int) int { return channel / 2 }
		one = func(channel int) string { return "to " + owner(channel/2) }
		for node := range owners {
			order = append(order, 2*node+1)
		}
	}
	c.shown = len(order)
	each := 0 // owners of a row
	if c.shown > channelRowsMax {
		each = (owners + mediaRowsMax - 1) / mediaRowsMax
	}
	last := -1
	for _, channel := range order {
		group := channel
		if each > 0 {
			group = of(channel) / each
		}
		if group != last || each == 0 {
			name := one(channel)
			if from, to := group*each, min((group+1)*each, owners)-1; each == 1 {
				name = "at " + owner(from)
			} else if each > 1 {
				name = fmt.Sprintf("at %s to %s", owner(from), owner(to))
			}
			c.names, c.width, last = append(c.names, name), append(c.width, 0), group
		}
		c.row[channel] = len(c.names) - 1
		c.width[len(c.names)-1]++
	}
}

// Cycle counts the flits of a cycle. Call it between Settle and Latch.
func (c *Channels) Cycle(cycle uint64) {
	at := uint32(cycle - c.from)
	c.crossings.Each(func(channel int) {
		if row := c.row[channel]; row >= 0 {
			c.flits.add(at, row, 1)
		}
		if node := channel - c.links; node >= 0 && node/2%c.stride == 0 {
			c.acts[[2]int{sends, hears}[node%2]].add(at, node/2/c.stride, 1)
		}
	})
}

// wait records that a processor had a packet in its source queue in the cycles from to to-1.
func (c *Channels) wait(processor int, from, to uint64) {
	if processor%c.stride == 0 {
		for cycle := from; cycle < to; cycle++ {
			c.acts[waits].add(uint32(cycle-c.from), processor/c.stride, 1)
		}
	}
}

// collector returns a Collector with the counts of the first cycles.
func (c *Channels) collector(cycles uint64, p *hw.Packets) *Collector {
	l := &Collector{names: c.network.Names(), shape: c.network.Shape(), from: uint32(c.from),
		slots: uint32(cycles - c.from), stride: c.stride, unit: "cycle"}
	c.waiting(cycles, p)
	l.acts = c.acts
	l.done = slices.Repeat([]uint32{never}, c.acts[sends].rows)
	l.faulty = l.done
	return l
}

func (c *Channels) waiting(cycles uint64, p *hw.Packets) {
	order := make([]int, p.Count())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.Source[a], p.Source[b]), cmp.Compare(p.Created[a], p.Created[b]))
	})
	source, until := uint32(never), uint64(0)
	for _, i := range order {
		if p.Source[i] != source {
			source, until = p.Source[i], c.from
		}
		sent := cycles
		if p.Sent[i] != hw.PacketPending {
			sent = min(sent, uint64(p.Sent[i]))
		}
		if from := max(until, uint64(p.Created[i])); from < sent {
			c.wait(int(source), from, sent)
			until = sent
		}
	}
}

// Timeline shows the actions of processors up to a cycle.
func (c *Channels) Timeline(title string, cycles uint64, p *hw.Packets, violations []Violation) *Timeline {
	return c.collector(cycles, p).Timeline(title, violations)
}

// Heat shows the flits of each channel up to a cycle.
func (c *Channels) Heat(title string, cycles uint64) *Heat {
	all := uint32(cycles - c.from)
	if all > 0 {
		c.flits.extend(all - 1)
	}
	h := &Heat{Title: title, From: uint32(c.from), Width: c.flits.width, Rows: c.names, unit: "cycle"}
	panel := Panel{Label: "flits per cycle and channel"}
	for row := range c.names {
		values := make([]float64, max(1, len(c.flits.sums)))
		for k := range c.flits.sums {
			values[k] = float64(c.flits.sums[k][row]) / float64(c.width[row]) / float64(c.flits.slots(k, all))
		}
		panel.Values = append(panel.Values, values)
	}
	h.Panels = []Panel{panel}
	if len(c.names) < c.shown {
		h.Note = fmt.Sprintf("A row combines the channels that begin at its label; there are %s in total. ",
			traces.Plural(c.shown, "channel", "channels"))
		if c.links == 0 {
			h.Note = fmt.Sprintf("A row combines the channels that end at its label; there are %s in total. ",
				traces.Plural(c.shown, "channel", "channels"))
		}
	}
	h.Note += columnOf(h.Width, "cycle")
	if c.from > 0 {
		h.Note += fmt.Sprintf("The picture begins at cycle %d, at which the run was restored. ", c.from)
	}
	return h
}
