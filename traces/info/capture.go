package info

import (
	"errors"
	"fmt"
	"io"
	"math/big"

	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/pcapng"
)

// Capture summarises a packet capture.
type Capture struct {
	Application string `json:"application,omitempty"`
	Comment     string `json:"comment,omitempty"`
	Packets     uint64 `json:"packets"`
	Bytes       int64  `json:"bytes"`

	// First and Last are the minimum and maximum cycle.
	First uint64 `json:"first_cycle"`
	Last  uint64 `json:"last_cycle"`

	// FirstTime and LastTime are the minimum and maximum packet time, with the digits of the interface's resolution.
	FirstTime string `json:"first_time,omitempty"`
	LastTime  string `json:"last_time,omitempty"`

	Directions []Count     `json:"directions"`
	Statuses   []Count     `json:"statuses"` // statuses of received packets
	Foreign    uint64      `json:"foreign,omitempty"`
	Interfaces []Interface `json:"interfaces"`
}

// Count is a number of occurrences.
type Count struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
}

// Interface counts the packets of one interface.
type Interface struct {
	Name     string `json:"name"`
	Sent     uint64 `json:"sent"`
	Received uint64 `json:"received"`
}

const statusesCounted = 256

func readCapture(s *input.Stream, o Options) (*Capture, error) {
	defer s.Close()
	r := pcapng.NewReader(s, s.Name)
	t := captureTally{info: &Capture{Interfaces: []Interface{}}, names: map[string]int{}}
	for blocks := 0; ; blocks++ {
		if blocks%checkEvery == 0 {
			if err := o.Interrupted(); err != nil {
				return nil, err
			}
		}
		block, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t.finish(r.Bytes(), o.StatusNames), nil
		}
		if err != nil {
			return nil, err
		}
		t.block(&block)
	}
}

type captureTally struct {
	info     *Capture
	numbers  []int          // indices in info.Interfaces for the section's interfaces
	names    map[string]int // indices in info.Interfaces by name
	spans    []timeSpan     // time spans of the interfaces in all sections
	statuses [statusesCounted]uint64
	received uint64
	sent     uint64
	started  bool
}

type timeSpan struct {
	clock       pcapng.Clock
	first, last uint64
	used        bool
}

func (s *timeSpan) add(time uint64) {
	if !s.used {
		s.used, s.first, s.last = true, time, time
	}
	s.first, s.last = min(s.first, time), max(s.last, time)
}

func (t *captureTally) times() (first, last string) {
	var low, high *big.Rat
	for _, s := range t.spans {
		if !s.used {
			continue
		}
		if at := s.clock.Seconds(s.first); low == nil || at.Cmp(low) < 0 {
			low, first = at, s.clock.Text(s.first)
		}
		if at := s.clock.Seconds(s.last); high == nil || at.Cmp(high) > 0 {
			high, last = at, s.clock.Text(s.last)
		}
	}
	return first, last
}

func (t *captureTally) block(b *pcapng.Block) {
	switch b.Kind {
	case pcapng.BlockSection:
		t.numbers = t.numbers[:0]
		if t.info.Application == "" && t.info.Comment == "" {
			t.info.Application, t.info.Comment = b.Application, b.Comment
		}
	case pcapng.BlockInterface:
		t.addInterface(b.Name)
		t.spans = append(t.spans, timeSpan{clock: b.Clock})
	case pcapng.BlockPacket:
		t.packet(b)
	}
}

func (t *captureTally) addInterface(name string) {
	if name == "" {
		name = fmt.Sprintf("interface %d", len(t.numbers))
	}
	i, ok := t.names[name]
	if !ok {
		i = len(t.info.Interfaces)
		t.names[name] = i
		t.info.Interfaces = append(t.info.Interfaces, Interface{Name: name})
	}
	t.numbers = append(t.numbers, i)
}

func (t *captureTally) packet(b *pcapng.Block) {
	t.info.Packets++
	t.spans[len(t.spans)-len(t.numbers)+b.Interface].add(b.Time)
	header, err := pcapng.ParsePseudoHeader(b.Data)
	if err != nil {
		t.info.Foreign++ // packet of another program
		return
	}
	at := &t.info.Interfaces[t.numbers[b.Interface]]
	if header.Direction() == pcapng.Sent {
		t.sent++
		at.Sent++
	} else {
		t.received++
		at.Received++
		t.statuses[header.Status()]++
	}
	cycle := header.Cycle()
	if !t.started {
		t.started, t.info.First, t.info.Last = true, cycle, cycle
	}
	t.info.First, t.info.Last = min(t.info.First, cycle), max(t.info.Last, cycle)
}

func (t *captureTally) finish(bytes int64, statusNames []string) *Capture {
	t.info.Bytes = bytes
	t.info.FirstTime, t.info.LastTime = t.times()
	t.info.Directions = []Count{{pcapng.Sent.String(), t.sent}, {pcapng.Received.String(), t.received}}
	t.info.Statuses = []Count{}
	for status, count := range t.statuses {
		if count == 0 {
			continue
		}
		name := fmt.Sprintf("status %d", status)
		if status < len(statusNames) {
			name = statusNames[status]
		}
		t.info.Statuses = append(t.info.Statuses, Count{name, count})
	}
	return t.info
}

const interfacesShown = 5

func (i *Capture) write(w io.Writer) {
	t := newTable(w)
	t.row("kind", "pcapng")
	if i.Application != "" {
		t.row("written by", "%s", i.Application)
	}
	t.lines("comment", i.Comment)
	t.row("packets", "%d", i.Packets)
	if i.Packets > 0 {
		t.row("time", "%s to %s", i.FirstTime, i.LastTime)
	}
	if i.Packets > i.Foreign {
		t.row("cycles", "%d to %d", i.First, i.Last)
	}
	for _, d := range i.Directions {
		t.row("direction", "%s  %d", d.Name, d.Count)
	}
	for _, s := range i.Statuses {
		t.row("received", "%s  %d", s.Name, s.Count)
	}
	if i.Foreign > 0 {
		t.row("foreign", "%s without Starloom's pseudo-header", traces.Plural(i.Foreign, "packet", "packets"))
	}
	t.row("interfaces", "%d", len(i.Interfaces))
	for _, p := range i.Interfaces[:min(len(i.Interfaces), interfacesShown)] {
		t.row("interfaces", "%s  %d sent, %d received", p.Name, p.Sent, p.Received)
	}
	if more := len(i.Interfaces) - interfacesShown; more > 0 {
		t.row("interfaces", "and %d more", more)
	}
	t.flush()
}
