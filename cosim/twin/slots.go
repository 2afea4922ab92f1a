package twin

import "starloom/hw"

// matchingMax bounds the ports of a Verilog port matcher and the positions of its list.
const matchingMax = 64

// columnsOf returns a constructor of signals with an element per port. Signals of illegal sizes are nil, and the
// components that read them report an error.
func columnsOf(ports int) func(name string, bits int) *hw.Signal {
	return func(name string, bits int) *hw.Signal {
		s, err := hw.NewSignal(hw.Bank{Name: "port", Units: 1, PerUnit: ports}, name, bits)
		if err != nil {
			return nil
		}
		return s
	}
}

// slots are the inputs of a port matcher in a crossbar. Requests, tags and listeners usually last a slot.
type slots struct {
	ports                                       int
	start, request, tag, listen, filter, accept Pin
}

func newSlots(m *Model, ports int) *slots {
	m.coverSlots(ports)
	s := &slots{ports: ports, start: m.Pin("start_i"), request: m.Pin("request_i"), tag: m.Pin("tag_i")}
	if m.Has("listen_i") {
		s.listen, s.filter, s.accept = m.Pin("listen_i"), m.Pin("filter_i"), m.Pin("filter_tag_i")
	}
	return s
}

func (s *slots) change(random *Random, inputs []uint64) bool {
	start := random.OneIn(2*s.ports + 1)
	inputs[s.start.Word] = 0
	if start {
		inputs[s.start.Word] = 1
	}
	if !start && !random.OneIn(16) {
		return false
	}
	for w := range s.request.Of(inputs) {
		s.request.Of(inputs)[w] = random.Uint64() | random.Uint64()&-uint64(random.Below(2))
	}
	s.changeTags(random, s.tag.Of(inputs))
	return true
}

func (s *slots) changeTags(random *Random, tags []uint64) {
	tagsMask := uint64(0x0003_0003_0003_0003) >> random.Below(2) // tags are 0 to 3, or 0 and 1
	for w := range tags {
		tags[w] = random.Uint64() & tagsMask
	}
	if random.OneIn(4) {
		clear(tags)
	}
	if random.OneIn(4) {
		hw.PutBits(tags, 16*random.Below(s.ports), 16, uint64(random.Uint32()))
	}
}

func (s *slots) changeListeners(random *Random, inputs []uint64) {
	for w := range s.listen.Of(inputs) {
		s.listen.Of(inputs)[w] = random.Uint64() | random.Uint64()
		s.filter.Of(inputs)[w] = random.Sparse(1 + random.Below(3))
	}
	s.changeTags(random, s.accept.Of(inputs))
}
