package twin

import (
	"fmt"

	"starloom/hw"
)

func listAllocator() Twin {
	return Twin{
		Name: "list_allocator", Sources: []string{"list_allocator.v"}, Components: []string{"hw.ListAllocators"},
		Does: "gives one input per cycle a turn, in the order of (tag, index); the input claims the first free " +
			"output of its list; ends when no input is left or CAP inputs have an output",
		Sets: []Parameters{
			{"PORTS": 5, "LIST": 4, "CAP": 3, "ROUND_ROBIN": 1}, {"PORTS": 4, "LIST": 3, "CAP": 0, "ROUND_ROBIN": 0},
			{"PORTS": 1, "LIST": 1, "CAP": 1, "ROUND_ROBIN": 1}, {"PORTS": 7, "LIST": 2, "CAP": 0, "ROUND_ROBIN": 1},
			{"PORTS": 16, "LIST": 15, "CAP": 4, "ROUND_ROBIN": 0},
			{"PORTS": matchingMax, "LIST": matchingMax, "CAP": 0, "ROUND_ROBIN": 1},
		},
		Mutants: []Mistake{
			{"tags ignored", "{tag_i[i*16 +: 16], ROUND_ROBIN", "{tag_i[i*16 +: 16] & 16'd0, ROUND_ROBIN"},
			{"the last of equals", "key < best", "key <= best"},
			{"two turns", "request_i[i] && !had[i]", "request_i[i]"},
			{"no cap", "(CAP == 0 || claims != CAP[COUNT_BITS-1:0])", "(CAP >= 0 || claims != CAP[COUNT_BITS-1:0])"},
			{"an output is claimed twice", "listen_i[k] && !claimed[k]", "listen_i[k]"},
			{"filter ignored", "(!filter_i[k] || filter_tag_i[k*16 +: 16] == best[16:1])",
				"(filter_i[k] || !filter_i[k] || filter_tag_i[k*16 +: 16] == best[16:1])"},
			{"first choice need not be valid", "k[$clog2(LIST+1)-1:0] == first_i && valid_i[k]",
				"got && k[$clog2(LIST+1)-1:0] == first_i"},
			{"no first choice", "k[$clog2(LIST+1)-1:0] == first_i &&",
				"k[$clog2(LIST+1)-1:0] == first_i && !first_i[0] && first_i[0] &&"},
			{"the last position first", "for (k = LIST - 1; k >= 0; k = k - 1)", "for (k = 0; k < LIST; k = k + 1)"},
			{"the pointer moves with every claim", "if (claims == {COUNT_BITS{1'b0}}) next_q", "next_q"},
			{"the pointer moves at once", "start_i ? next_q : first_q", "next_q"},
			{"the slot before is not forgotten", "start_i ? {PORTS{1'b0}} : claimed_q", "claimed_q"},
			{"it goes on without a turn", "busy_q <= turn;", "busy_q <= busy_q || start_i;"},
			{"missing reset", "      next_q <= {INDEX_BITS{1'b0}};\n", ""},
		},
		Build: buildListAllocator,
	}
}

func buildListAllocator(m *Model, p Parameters) error {
	ports, length := p["PORTS"], p["LIST"]
	if ports > matchingMax || length > matchingMax || p["ROUND_ROBIN"] < 0 || p["ROUND_ROBIN"] > 1 {
		return fmt.Errorf("%d ports, %d positions, kind %d; the module supports 1 to %d of both, and kinds 0 and "+
			"1", ports, length,
			p["ROUND_ROBIN"], matchingMax)
	}
	column := columnsOf(ports)
	lists, err := hw.NewLists(one("allocator"), "lists", length)
	if err != nil {
		return err
	}
	allocators, err := hw.NewListAllocators(hw.ListAllocatorConfig{
		Bank: one("allocator"), Ports: ports, Rule: hw.ListRule{RoundRobin: p["ROUND_ROBIN"] == 1, Cap: p["CAP"]},
		Start: wire("start", 1), Request: column("request", 1), Tag: column("tag", 16),
		Listen: column("listen", 1), Filter: column("filter", 1), FilterTag: column("filter_tag", 16), Lists: lists,
	})
	if err != nil {
		return err
	}
	if err := m.Stand(allocators); err != nil {
		return err
	}
	slots := newSlots(m, ports)
	list, valid, first := m.Pin("list_i"), m.Pin("valid_i"), m.Pin("first_i")
	m.Use = func(random *Random, inputs []uint64) {
		if slots.change(random, inputs) {
			slots.changeListeners(random, inputs)
		}
		for _, pin := range []Pin{list, valid} {
			words := pin.Of(inputs)
			for w := range words {
				words[w] = random.Uint64() | random.Sparse(1)
			}
		}
		inputs[first.Word] = uint64(random.Below(length + 1))
	}
	return nil
}
