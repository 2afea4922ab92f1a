package hw

import (
	"fmt"
	"math/bits"
)

// ContentionMatching computes the slots of a medium without an arbiter (slotted ALOHA), with the results of
// Contentions and Coins. A ContentionMatching must not be used concurrently. It allocates only while its buffers
// grow.
type ContentionMatching struct {
	Stream Stream

	transmitted []uint32
}

// Slot counts the contenders: the requesting inputs whose addressee accepts their tag. Each contender tosses a coin
// (Stream.CoinSeed, Toss) and transmits on heads. A single frame passes; if several inputs transmit, all frames are
// lost. requesting lists inputs in any order; addressees and tags cover all inputs, and listeners covers all outputs.
// Input i uses the coin of processor i. The result is valid until the next call.
func (m *ContentionMatching) Slot(slot uint32, requesting, addressees []uint32, tags []uint16,
	listeners []Listener) (contenders int, transmitted []uint32) {
	for _, input := range requesting {
		if contends(addressees[input], tags[input], listeners) {
			contenders++
		}
	}
	m.transmitted = m.transmitted[:0]
	for _, input := range requesting {
		if contends(addressees[input], tags[input], listeners) && Toss(m.Stream.CoinSeed(input, slot), uint32(contenders)) {
			m.transmitted = append(m.transmitted, input)
		}
	}
	return contenders, m.transmitted
}

func contends(addressee uint32, tag uint16, listeners []Listener) bool {
	return int(addressee) < len(listeners) && listeners[addressee].Accepts(tag)
}

// Contentions is a bank of media without an arbiter. At the start of a slot, a medium counts the contenders: the
// requesting inputs whose addressee accepts their tag. A single transmission passes; several transmissions collide.
//
//	cycle       0    1    2    3
//	start      /-\_______________
//	count           3             a, b, c contend: each transmits with probability 1/count
//	transmit        a    a    a,c
//	passed               a    -   until another input transmits in the slot
//	collided                  a,c
//
// Every transmission since start counts, even one of an input that does not contend.
//
// Reset: no contender, no transmission. Parameters: ports. Inputs: start; request, addressee, tag and transmit of
// each input port; listening, filter and tag of each output port. Registered outputs: count, contends, passed,
// collided. Twin: contention.v.
type Contentions struct {
	Registers
	bank  Bank
	ports int

	start, request, addressee, tag, transmit, listen, filter, filterTag *Signal
	count, contends, passed, collided                                   *Signal

	// Registers.
	contenders []uint32
	contending []uint8 // by input: 1 if the input contends in this slot
	sent       []uint8 // by input: 1 if the input has transmitted in this slot

	changed []bool // outputs differ from the registers
}

// ContentionConfig holds the parameters of a bank of media. Signals of inputs and outputs have Ports elements per
// medium, side by side.
type ContentionConfig struct {
	Bank  Bank
	Ports int // 1..AllocatorPortsMax

	Start             *Signal // 1 bit per medium
	Request, Transmit *Signal // 1 bit per input
	Addressee         *Signal // IndexBits(Ports) bits per input
	Tag               *Signal // 16 bits per input
	Listen            *Signal // 1 bit per output
	Filter, FilterTag *Signal // 1 bit and 16 bits per output
}

// NewContentions returns a bank in its reset state.
func NewContentions(c ContentionConfig) (*Contentions, error) {
	if err := c.Bank.Check(); err != nil {
		return nil, err
	}
	path := c.Bank.Path()
	if c.Ports < 1 || c.Ports > AllocatorPortsMax {
		return nil, fmt.Errorf("%s: %d ports; allowed: 1 to %d", path, c.Ports, AllocatorPortsMax)
	}
	cells, all := c.Bank.Size(), c.Bank.Size()*c.Ports
	for _, err := range []error{
		c.Start.checkColumn(path, "start", cells, 1),
		c.Request.checkColumn(path, "request", all, 1), c.Addressee.checkColumn(path, "addressee", all, IndexBits(c.Ports)),
		c.Tag.checkColumn(path, "tag", all, 16), c.Transmit.checkColumn(path, "transmit", all, 1),
		c.Listen.checkColumn(path, "listen", all, 1), c.Filter.checkColumn(path, "filter", all, 1),
		c.FilterTag.checkColumn(path, "filter tag", all, 16),
	} {
		if err != nil {
			return nil, err
		}
	}
	m := &Contentions{
		bank: c.Bank, ports: c.Ports,
		start: c.Start, request: c.Request, addressee: c.Addressee, tag: c.Tag, transmit: c.Transmit,
		listen: c.Listen, filter: c.Filter, filterTag: c.FilterTag,
		contenders: make([]uint32, cells), contending: make([]uint8, all), sent: make([]uint8, all),
		changed: make([]bool, cells),
	}
	for _, out := range []struct {
		wire **Signal
		bank Bank
		name string
		bits int
	}{
		{&m.count, c.Bank, "count", bits.Len(uint(c.Ports))}, {&m.contends, c.Request.bank, "contends", 1},
		{&m.passed, c.Request.bank, "passed", 1}, {&m.collided, c.Request.bank, "collided", 1},
	} {
		var err error
		if *out.wire, err = NewSignal(out.bank, out.name, out.bits); err != nil {
			return nil, err
		}
	}
	m.Registers = Declare(Declaration{
		Bank: c.Bank,
		Registers: []Register{
			Column("contenders", m.contenders, AtMost(uint32(c.Ports))), Column("contending", m.contending, AtMost[uint8](1)),
			Column("sent", m.sent, AtMost[uint8](1)),
		},
		Wires:  []Probed{m.count, m.contends, m.passed, m.collided},
		Derive: func() { fill(m.changed, true) },
	})
	m.Reset()
	return m, nil
}

// Count returns the number of contenders of each medium.
func (m *Contentions) Count() *Signal { return m.count }

// Contends returns a wire per input: 1 if the input contends.
func (m *Contentions) Contends() *Signal { return m.contends }

// Collided returns a wire per input: 1 if the input and another input have transmitted in this slot.
func (m *Contentions) Collided() *Signal { return m.collided }

func (m *Contentions) Site() *Site {
	column := func(name string, signal *Signal, input bool) Port { return ColumnPort(name, signal, input, m.ports) }
	return &Site{
		Twin: "contention", What: "media without an arbiter", Parameters: Same(map[string]int{"PORTS": m.ports}),
		Elements: m.bank.Size(), Path: m.bank.Element, Clocked: true,
		Ports: []Port{
			SignalPort("start_i", m.start, true), column("request_i", m.request, true), column("addressee_i", m.addressee, true),
			column("tag_i", m.tag, true), column("transmit_i", m.transmit, true),
			column("listen_i", m.listen, true), column("filter_i", m.filter, true), column("filter_tag_i", m.filterTag, true),
			SignalPort("count_o", m.count, false), column("contends_o", m.contends, false),
			column("passed_o", m.passed, false), column("collided_o", m.collided, false),
		},
	}
}

func (m *Contentions) Drives() []Wire { return []Wire{m.count, m.contends, m.passed, m.collided} }

func (m *Contentions) Drive(s Shard) {
	first, end := m.bank.CentralCells(s)
	for i := first; i < end; i++ {
		if !m.changed[i] {
			continue
		}
		m.changed[i] = false
		m.count.Value[i] = uint64(m.contenders[i])
		sent := 0
		for _, s := range m.sent[i*m.ports:][:m.ports] {
			sent += int(s)
		}
		for k := i * m.ports; k < (i+1)*m.ports; k++ {
			m.contends.Value[k] = uint64(m.contending[k])
			m.passed.Value[k], m.collided.Value[k] = uint64(m.sent[k]), 0
			if sent > 1 {
				m.passed.Value[k], m.collided.Value[k] = 0, uint64(m.sent[k])
			}
		}
	}
}

func (m *Contentions) Latches() []Wire {
	return []Wire{m.start, m.request, m.addressee, m.tag, m.transmit, m.listen, m.filter, m.filterTag}
}

func (m *Contentions) Latch(s Shard) {
	first, end := m.bank.CentralCells(s)
	for i := first; i < end; i++ {
		if m.start.Value[i] != 0 {
			m.begin(i)
		}
		for k := i * m.ports; k < (i+1)*m.ports; k++ {
			if m.transmit.Value[k] != 0 && m.sent[k] == 0 {
				m.sent[k], m.changed[i] = 1, true
			}
		}
	}
}

func (m *Contentions) begin(i int) {
	m.changed[i] = true
	m.contenders[i] = 0
	ports := i * m.ports
	for k := ports; k < ports+m.ports; k++ {
		m.sent[k], m.contending[k] = 0, 0
		if m.request.Value[k] == 0 || m.addressee.Value[k] >= uint64(m.ports) {
			continue
		}
		to := ports + int(m.addressee.Value[k])
		listener := Listener{m.listen.Value[to] != 0, m.filter.Value[to] != 0, uint16(m.filterTag.Value[to])}
		if listener.Accepts(uint16(m.tag.Value[k])) {
			m.contending[k] = 1
			m.contenders[i]++
		}
	}
}

func (m *Contentions) QuietFor(limit uint64) uint64 {
	for i, start := range m.start.Value {
		if start != 0 || m.changed[i] {
			return 0
		}
	}
	for k, sent := range m.sent {
		if m.transmit.Value[k] != 0 && sent == 0 {
			return 0
		}
	}
	return limit
}
