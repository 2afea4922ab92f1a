package twin

import (
	"fmt"

	"starloom/hw"
)

func outputFilter() Twin {
	return Twin{
		Name: "output_filter", Sources: []string{"output_filter.v"}, Components: []string{"hw.Filters"},
		Does: "passes the requests of the selected inputs in the same cycle; load_i loads the selection, valid " +
			"from the next cycle on",
		Sets: []Parameters{{"INPUTS": 4}, {"INPUTS": 5}, {"INPUTS": 1}, {"INPUTS": 65}},
		Mutants: []Mistake{
			{"tag ignored", "tag_i[i*16 +: 16] == tag_q", "1'b1"},
			{"half of the tag", "tag_i[i*16 +: 16] == tag_q", "tag_i[i*16 +: 8] == tag_q[7:0]"},
			{"any tag is one of the tags", "tag_q == ANY || ", ""},
			{"listens always", "request_i[i] && listens_q", "request_i[i]"},
			{"only the tag is loaded", "listens_q <= listen_i;", "listens_q <= listens_q || listen_i;"},
			{"load ignored", "else if (load_i)", "else"},
			{"missing reset", "listens_q <= 1'b0;\n      ", ""},
		},
		Build: func(m *Model, p Parameters) error {
			inputs := p["INPUTS"]
			if inputs > requestersMax {
				return fmt.Errorf("%d inputs; the module supports 1 to %d", inputs, requestersMax)
			}
			filters, _, err := newFilters(m, inputs)
			if err != nil {
				return err
			}
			if err := m.Stand(filters); err != nil {
				return err
			}
			m.coverPairs("load_i", "request_i")
			useFilter(m, inputs)
			return nil
		},
	}
}

func newFilters(m *Model, inputs int) (*hw.Filters, *hw.Requests, error) {
	lines, err := hw.NewRequests(one("output"), "request", inputs, m.Shards())
	if err != nil {
		return nil, nil, err
	}
	asks := hw.NewAsks(hw.Bank{Name: "input", Units: 1, PerUnit: inputs}, "ask", 1)
	filters, err := hw.NewFilters(one("output"), asks, lines)
	return filters, lines, err
}

func useFilter(m *Model, inputs int) {
	load, listen, accept, request, tag := m.Pin("load_i"), m.Pin("listen_i"), m.Pin("accept_i"),
		m.Pin("request_i"), m.Pin("tag_i")
	tags := slots{ports: inputs}
	m.Use = func(random *Random, words []uint64) {
		changeRequests(random, request.Of(words))
		tags.changeTags(random, tag.Of(words))
		words[load.Word], words[listen.Word] = 0, 0
		if random.OneIn(8) {
			words[load.Word] = 1
		}
		if !random.OneIn(4) {
			words[listen.Word] = 1
		}
		words[accept.Word] = uint64(random.Below(4))
		if random.OneIn(4) {
			words[accept.Word] = hw.TagAny
		}
	}
}
