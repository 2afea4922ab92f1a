package twin

import "starloom/hw"

func (m *Model) cover(input string, things []string, happens func(c *Cycle) uint64) {
	m.Events = append(m.Events, Event{input, things, len(things), happens})
}

func (m *Model) coverPairs(names ...string) {
	for i, name := range names {
		a := m.Pin(name)
		for _, other := range names[i+1:] {
			b := m.Pin(other)
			m.cover(name, []string{"with " + other + " in the same cycle"}, func(c *Cycle) uint64 {
				return facts(a.any(c.Inputs) && b.any(c.Inputs))
			})
		}
	}
}

// coverGrants adds the interactions of requesters at an arbiter whose grant is registered and held while the request
// stays high. asking returns the requests that reach the arbiter; nil means all.
func (m *Model) coverGrants(asking func(c *Cycle) []uint64) {
	request, grant := m.Pin("request_i"), m.Pin("grant_o")
	if request.Bits < 2 {
		return
	}
	last := make([]uint64, (request.Bits+63)/64) // the requester served last
	m.cover("request_i", []string{
		"by another while one holds",
		"by another requester in the cycle in which the holder releases",
		"by several at once when there is no holder",
		"by the same requester again, beside another, when there is no holder",
	}, func(c *Cycle) uint64 {
		asks := request.Of(c.Inputs)
		if asking != nil {
			asks = asking(c)
		}
		if c.First {
			clear(last)
		}
		given := grant.any(c.Outputs)
		if given {
			copy(last, grant.Of(c.Outputs))
		}
		again, others := common(asks, last)
		return facts(given && again && others, given && !again && others, !given && several(asks), !given && again && others)
	})
}

func (m *Model) coverSlots(ports int) {
	if ports < 2 {
		return
	}
	start, request, tag := m.Pin("start_i"), m.Pin("request_i"), m.Pin("tag_i")
	m.cover("start_i", []string{"with requests of equal tags", "with requests of different tags"},
		func(c *Cycle) (bits uint64) {
			if !start.any(c.Inputs) {
				return 0
			}
			before, seen := uint64(0), false
			for i := range ports {
				if hw.GetBits(request.Of(c.Inputs), i, 1) == 0 {
					continue
				}
				now := hw.GetBits(tag.Of(c.Inputs), 16*i, 16)
				bits |= facts(seen && now == before, seen && now != before)
				before, seen = now, true
			}
			return bits
		})
}
