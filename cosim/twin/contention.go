package twin

import (
	"fmt"
	"math/bits"

	"starloom/hw"
)

func contention() Twin {
	return Twin{
		Name: "contention", Sources: []string{"contention.v"}, Components: []string{"hw.Contentions"},
		Does: "counts the contenders in a slot; a single transmitter has passed, several transmitters have collided",
		Sets: []Parameters{{"PORTS": 4}, {"PORTS": 5}, {"PORTS": 1}, {"PORTS": 16}, {"PORTS": matchingMax}},
		Mutants: []Mistake{
			{"all that request", "request_i[i] && |(accepts", "request_i[i] && |(~accepts | accepts"},
			{"filter ignored", "(!filter_i[k] || filter_tag_i", "(filter_i[k] || !filter_i[k] || filter_tag_i"},
			{"the count goes on", "count_d = {COUNT_BITS{1'b0}};", "count_d = count_q;"},
			{"counted in every cycle", "if (start_i) begin", "begin"},
			{"only who transmits at once collides", "sent_q | transmit_i", "transmit_i"},
			{"the first one passes", "several ? {PORTS{1'b0}} : sent_q", "sent_q & (~sent_q + ONE)"},
			{"missing reset", "      sent_q <= {PORTS{1'b0}};\n", ""},
		},
		Build: func(m *Model, p Parameters) error {
			ports := p["PORTS"]
			if ports > matchingMax {
				return fmt.Errorf("%d ports; the module supports 1 to %d", ports, matchingMax)
			}
			column, index := columnsOf(ports), max(1, bits.Len(uint(max(ports, 1)-1)))
			media, err := hw.NewContentions(hw.ContentionConfig{
				Bank: one("medium"), Ports: ports, Start: wire("start", 1),
				Request: column("request", 1), Addressee: column("addressee", index), Tag: column("tag", 16),
				Transmit: column("transmit", 1),
				Listen:   column("listen", 1), Filter: column("filter", 1), FilterTag: column("filter_tag", 16),
			})
			if err != nil {
				return err
			}
			if err := m.Stand(media); err != nil {
				return err
			}
			m.coverPairs("start_i", "transmit_i")
			slots, addressee, transmit := newSlots(m, ports), m.Pin("addressee_i"), m.Pin("transmit_i")
			if ports > 1 {
				m.cover("transmit_i", []string{"by two in the same cycle"},
					func(c *Cycle) uint64 { return facts(several(transmit.Of(c.Inputs))) })
			}
			m.Use = func(random *Random, inputs []uint64) {
				if slots.change(random, inputs) {
					slots.changeListeners(random, inputs)
					for w := range addressee.Of(inputs) {
						addressee.Of(inputs)[w] = random.Uint64()
					}
				}
				// usually no port, or a single one, begins to transmit
				inputs[transmit.Word] = 0
				if random.OneIn(4) {
					inputs[transmit.Word] = 1 << random.Below(ports)
				}
				if random.OneIn(16) {
					inputs[transmit.Word] = random.Sparse(2)
				}
			}
			return nil
		},
	}
}
