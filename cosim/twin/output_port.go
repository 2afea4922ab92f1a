package twin

import (
	"fmt"

	"starloom/hw"
)

func outputPort() Twin {
	return Twin{
		Name: "output_port",
		Does: "is output_filter, followed by an arbiter of KIND: the grant is registered and held while its request stays " +
			"high and passes",
		Sources: []string{
			"output_port.v", "output_filter.v", "arbiter.v", "arbiter_choice.v", "arbiter_lock.v",
			"arbiter_fixed.v", "arbiter_round_robin.v", "arbiter_matrix.v", "arbiter_tdma.v",
		},
		Components: []string{"hw.OutputPorts"},
		Sets: []Parameters{
			{"INPUTS": 4, "KIND": 1}, {"INPUTS": 5, "KIND": 0}, {"INPUTS": 3, "KIND": 2}, {"INPUTS": 1, "KIND": 1},
			{"INPUTS": 65, "KIND": 1},
		},
		Mutants: []Mistake{
			{"all requests", ".request_i(request_i), .tag_i", ".request_i(request_i | {INPUTS{load_i}}), .tag_i"},
			{"listens late", ".listen_i(listen_i)", ".listen_i(listen_i && !request_i[0])"},
			{"kinds swapped", ".KIND(KIND)", ".KIND(KIND == 0 ? 1 : 0)"},
			{"another output's tag", ".accept_i(accept_i)", ".accept_i(accept_i ^ 16'd1)"},
		},
		Build: func(m *Model, p Parameters) error {
			inputs, kind := p["INPUTS"], p["KIND"]
			if inputs > requestersMax || kind < 0 || kind > int(hw.ArbiterMatrix) {
				return fmt.Errorf("%d inputs, kind %d; the module supports 1 to %d inputs, and kinds 0 to "+
					"2", inputs, kind, requestersMax)
			}
			filters, lines, err := newFilters(m, inputs)
			if err != nil {
				return err
			}
			arbiters, err := hw.NewArbiters(hw.ArbiterConfig{Bank: one("output"), Kind: hw.ArbiterKind(kind), Request: lines})
			if err != nil {
				return err
			}
			if err := m.Stand(hw.NewOutputPorts(filters, arbiters)); err != nil {
				return err
			}
			m.coverGrants(filtered(m, inputs))
			useFilter(m, inputs)
			return nil
		},
	}
}

// filtered returns the requests that pass the filter. It must be called in every cycle.
func filtered(m *Model, inputs int) func(c *Cycle) []uint64 {
	load, listen, accept, request, tag := m.Pin("load_i"), m.Pin("listen_i"), m.Pin("accept_i"),
		m.Pin("request_i"), m.Pin("tag_i")
	listens, accepts := false, uint64(0)
	asks := make([]uint64, (inputs+63)/64)
	return func(c *Cycle) []uint64 {
		listens = listens && !c.First
		clear(asks)
		for i := range inputs {
			tagged := accepts == hw.TagAny || accepts == hw.GetBits(tag.Of(c.Inputs), 16*i, 16)
			if listens && tagged {
				hw.PutBits(asks, i, 1, hw.GetBits(request.Of(c.Inputs), i, 1))
			}
		}
		if load.any(c.Inputs) {
			listens, accepts = listen.any(c.Inputs), c.Inputs[accept.Word]
		}
		return asks
	}
}
