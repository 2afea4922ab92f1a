package netlist

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/hw"
)

// yamlNode returns the YAML of the node with a medium, or "" if the medium has no node or the node is already
// written.
func (n *Net) yamlNode(medium int) string {
	m := &n.Media[medium]
	if x := n.crossbarOf(medium); x != nil {
		if medium > x.First {
			return ""
		}
		return fmt.Sprintf("%q: {%s%s}", n.node(x.Head), strings.Join(x.yamlKeys(), ", "), n.rtl[n.node(x.Head)].yaml())
	}
	more := n.rtl[n.node(m.Path)].yaml()
	if m.Legs != nil {
		more = ", align: true" + more
	}
	switch {
	case m.Bus:
		text := fmt.Sprintf("%q: {kind: bus", n.node(m.Path))
		if m.Arbiter != "" {
			text += ", arbiter: " + m.Arbiter
		}
		if m.Weights != nil {
			text += ", weights: " + listText(m.Weights)
		}
		if m.Length != 0 {
			text += fmt.Sprintf(", length: %d", m.Length)
		}
		return text + more + "}"
	case m.Star:
		return fmt.Sprintf("%q: {kind: star%s}", n.node(m.Path), more)
	}
	return ""
}

func (x *Crossbar) yamlKeys() []string {
	keys := []string{"kind: crossbar"}
	add := func(is bool, format string, value any) {
		if is {
			keys = append(keys, fmt.Sprintf(format, value))
		}
	}
	add(x.NoArbiter, "arbiter: %s", contend.ArbiterNone)
	add(x.Arbiter != hw.ArbiterFixed, "arbiter: %v", x.Arbiter)
	add(x.Weights != nil, "weights: %s", listText(x.Weights))
	add(x.List, "matching: %s", contend.MatchList)
	add(x.Queue > 0, "output: queue, queue_frames: %d", x.Queue)
	add(x.Cap > 0, "cap: %d", x.Cap)
	add(x.CapArbiter != hw.ArbiterFixed, "cap_arbiter: %v", x.CapArbiter)
	return keys
}

func listText(numbers []int) string { return strings.Join(strings.Fields(fmt.Sprint(numbers)), ", ") }

func (n *Net) yamlLegs(line func(from, to, more string, latency int), m *Medium) {
	for _, leg := range m.Legs {
		if end := n.end(leg.Processor, leg.Port); leg.Out {
			line(n.node(m.Path), end, ", oneway: true", leg.Latency)
		} else {
			line(end, n.node(m.Path), ", oneway: true", leg.Latency)
		}
	}
}

func (n *Net) yamlStar(line func(from, to, more string, latency int), m *Medium, senders, hearers []string) {
	for _, from := range senders {
		line(from, n.node(m.Path), ", oneway: true", Usual)
	}
	for _, to := range hearers {
		line(n.node(m.Path), to, ", oneway: true", m.Latency)
	}
}

func (n *Net) yamlTaps(line func(from, to, more string, latency int), node string, taps []Tap, bus int) {
	for k, tap := range taps {
		port, end := &n.Processors[tap.Processor].Ports[tap.Port], n.end(tap.Processor, tap.Port)
		in, out, latency := false, false, Usual
		if bus == None {
			x := n.Processors[tap.Processor].Ports[tap.Port]
			out = x.Asks != 0 && n.node(n.Crossbars[x.Asks-1].Head) == node
			of := n.crossbarNamed(node)
			if medium := of.First + min(k, of.Media()-1); port.Hears == medium {
				in, latency = true, n.Media[medium].Latency
			}
		} else if in, out = port.Hears == bus, port.Sends == bus; in {
			latency = n.Media[bus].Latency
		}
		if bus != None && n.Media[bus].Legs != nil {
			into := n.Media[bus].leg(tap, false)
			if latency = n.Media[bus].leg(tap, true); out && (!in || into != latency) {
				line(end, node, ", oneway: true", into)
				out = false
			}
			if !in {
				continue
			}
		}
		switch {
		case in && out:
			line(end, node, "", latency)
		case in:
			line(node, end, ", oneway: true", latency)
		default:
			line(end, node, ", oneway: true", Usual)
		}
	}
}

func (n *Net) crossbarNamed(node string) *Crossbar {
	for i := range n.Crossbars {
		if n.node(n.Crossbars[i].Head) == node {
			return &n.Crossbars[i]
		}
	}
	return nil
}

// dotCrossbar writes an output of a crossbar, and before the first output the crossbar's inputs.
func (n *Net) dotCrossbar(w io.Writer, x *Crossbar, medium int, node func(end string) string, hearers [][]string) {
	if medium == x.First {
		for _, tap := range x.Taps {
			if n.Processors[tap.Processor].Ports[tap.Port].Asks != 0 {
				fmt.Fprintf(w, "  %q -> %q;\n", n.node(n.Processors[tap.Processor].Path), n.node(x.Head))
			}
		}
	}
	for _, to := range hearers[medium] {
		fmt.Fprintf(w, "  %q -> %q;\n", n.node(x.Head), node(to))
	}
}

func (n *Net) writePadded(w io.Writer) {
	for i, head := 0, "\nfrom\tto\tlatency\tpadded by\n"; i < len(n.Media); i++ {
		m := &n.Media[i]
		in, out := m.longest()
		for _, leg := range m.Legs {
			from, to, longest := n.end(leg.Processor, leg.Port), n.node(m.Path), in
			if leg.Out {
				from, to, longest = to, from, out
			}
			if leg.Latency < longest {
				fmt.Fprintf(w, "%s%s\t%s\t%d\t%d\n", head, from, to, leg.Latency, longest-leg.Latency)
				head = ""
			}
		}
	}
}

func (n *Net) writeRTL(w io.Writer) {
	if len(n.rtl) > 0 {
		fmt.Fprint(w, "\nnode\tRTL\n")
	}
	for _, node := range slices.Sorted(maps.Keys(n.rtl)) {
		fmt.Fprintf(w, "%s\t%s\n", node, n.rtl[node].text())
	}
}

// yamlCredits returns the credits key of a link, "" for a link without credits.
func (n *Net) yamlCredits(medium int) string {
	if c := n.Media[medium].Credits; c != nil {
		return ", credits: " + creditText(c)
	}
	return ""
}

// creditText formats credits in the syntax of a netlist file; "-" means no credits.
func creditText(c *fabric.CreditLimits) string {
	if c == nil {
		return "-"
	}
	text := fmt.Sprintf("depth: %d", c.Depth)
	trip, usual := c.Settled().RoundTripSlots, fabric.CreditLimits{}.Settled().RoundTripSlots
	if trip == usual && c.ResyncSlots == 0 {
		return fmt.Sprint(c.Depth)
	}
	if trip != usual {
		text += fmt.Sprintf(", round_trip_slots: %d", trip)
	}
	if c.ResyncSlots != 0 {
		text += fmt.Sprintf(", resync_slots: %d", c.ResyncSlots)
	}
	return "{" + text + "}"
}
