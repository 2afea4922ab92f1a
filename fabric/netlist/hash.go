package netlist

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
)

// Hash returns a number that identifies a netlist. It depends on all nodes, ports, links, latencies and credits.
func (n *Net) Hash() uint32 {
	n.hash.Do(func() {
		h := sha256.New()
		b := bufio.NewWriterSize(h, 1<<16)
		n.write(b)
		_ = b.Flush() // a hash never returns an error
		n.sum = binary.BigEndian.Uint32(h.Sum(nil))
	})
	return n.sum
}

func (n *Net) write(b *bufio.Writer) {
	line := func(numbers []int, words ...string) {
		for _, word := range words {
			_, _ = b.WriteString(word)
			_ = b.WriteByte(' ')
		}
		for _, number := range numbers {
			_, _ = b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(number), 10))
			_ = b.WriteByte(' ')
		}
		_ = b.WriteByte('\n')
	}
	numbers := []int{bit(n.OnePort), bit(n.Switch) + 2*bit(n.Mixed), len(n.Processors), len(n.Media)}
	line(numbers, n.Name)
	for i := range n.Processors {
		p := &n.Processors[i]
		line(append(numbers[:0], len(p.Ports)), p.Path)
		for k := range p.Ports {
			line(append(numbers[:0], p.Ports[k].Sends, p.Ports[k].Hears, p.Ports[k].Asks), p.Ports[k].Path)
		}
	}
	for i := range n.Media {
		m := &n.Media[i]
		numbers = append(numbers[:0], bit(m.Star), bit(m.Bus), m.Latency, m.Opposite, m.Length)
		for _, tap := range m.Taps {
			numbers = append(numbers, tap.Processor, tap.Port)
		}
		for _, leg := range m.Legs {
			numbers = append(numbers, leg.Processor, leg.Port, bit(leg.Out), leg.Latency)
		}
		numbers = append(numbers, m.Weights...)
		if c := m.Credits; c != nil {
			numbers = append(numbers, c.Depth, c.Settled().RoundTripSlots, int(c.ResyncSlots))
		}
		line(numbers, m.Path, m.Link, m.Pair, m.Arbiter)
	}
	for i := range n.Crossbars {
		line(numbers[:0], fmt.Sprintf("%+v", n.Crossbars[i]))
	}
	if n.noRoutes {
		line(nil, routesNone)
	}
	for _, r := range n.routes {
		line(append(numbers[:0], r.From, r.To, r.Port), "route")
	}
}
