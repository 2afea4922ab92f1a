package twin

import (
	"fmt"

	"starloom/hw"
)

func arbiters() (twins []Twin) {
	for _, kind := range hw.ArbiterKinds() {
		if kind.Spec().Mutants != nil {
			twins = append(twins, arbiter(kind))
		}
	}
	return twins
}

func arbiter(kind hw.ArbiterKind) Twin {
	spec := kind.Spec()
	t := Twin{
		Name: "arbiter_" + spec.Name, Sources: []string{"arbiter_" + spec.Name + ".v", "arbiter_lock.v"},
		Does: "grants " + spec.Does + ", from the cycle after the request on, and holds the grant while the request stays " +
			"high; index_o is the number of the granted requester, 0 without a grant",
		Components: []string{"hw.Arbiters"}, Own: spec.RTL,
		Mutants: []Mistake{
			{"holder not held", "else if (free_o)", "else"},
			{"late grant", "grant_q <= choice_i", "grant_q <= |grant_q ? {REQUESTERS{1'b0}} : choice_i"},
			{"missing reset of the grant", "if (reset) grant_q <= {REQUESTERS{1'b0}};\n    else if", "if"},
		},
	}
	switch {
	case spec.Slices:
		t.Does += "; a turn has SLICE_CYCLES cycles"
	case spec.Weighted:
		t.Does += "; weights are at weight_i"
	}
	for _, m := range spec.Mutants {
		t.Mutants = append(t.Mutants, Mistake(m))
	}
	for _, set := range [][2]int{{4, 4}, {100, 2}, {1, 1}, {5, 3}, {16, 7}, {64, 1}, {65, 1}, {requestersMax, 1}} {
		p := Parameters{"REQUESTERS": set[0]}
		if spec.Slices {
			p["SLICE_CYCLES"] = set[1]
		}
		t.Sets = append(t.Sets, p)
	}
	t.Build = func(m *Model, p Parameters) error {
		if p["REQUESTERS"] > requestersMax {
			return fmt.Errorf("%d requesters; the module supports 1 to %d", p["REQUESTERS"], requestersMax)
		}
		lines, err := hw.NewRequests(one("arbiter"), "request", p["REQUESTERS"], m.Shards())
		if err != nil {
			return err
		}
		arbiters,
			err := hw.NewArbiters(hw.ArbiterConfig{Bank: one("arbiter"), Kind: kind,
			SliceCycles: p["SLICE_CYCLES"], Request: lines})
		if err != nil {
			return err
		}
		if err := m.Stand(arbiters); err != nil {
			return err
		}
		m.coverGrants(nil)
		request, settings := m.Pin("request_i"), m.settings(spec)
		m.Use = func(random *Random, inputs []uint64) {
			changeRequests(random, request.Of(inputs))
			settings(random, inputs)
		}
		return nil
	}
	return t
}

// settings returns a function that draws weights and seeds. Weights and seeds change rarely. As in machines, weights
// are usually small.
func (m *Model) settings(spec hw.ArbiterSpec) func(random *Random, inputs []uint64) {
	var weights, seed Pin
	if spec.Weighted {
		weights = m.Pin("weight_i")
	}
	if spec.Seeded {
		seed = m.Pin("seed_i")
	}
	return func(random *Random, inputs []uint64) {
		if spec.Weighted && random.OneIn(64) {
			for i := range weights.Bits / 8 {
				hw.PutBits(weights.Of(inputs), 8*i, 8, uint64(random.Below(1<<random.Below(9))))
			}
		}
		if spec.Seeded && random.OneIn(64) {
			inputs[seed.Word] = random.Uint64() & 0xFFFFFFFF
		}
	}
}

const requestersMax = 1024

// changeRequests draws requests that last 8 cycles on average. Occasionally all requests change at once, or a single
// request replaces all others.
func changeRequests(random *Random, requests []uint64) {
	how := random.Below(64)
	if how == 4 && len(requests) > 1 {
		clear(requests)
		requests[random.Below(len(requests))] = 1 << random.Below(64)
		return
	}
	for w := range requests {
		switch how {
		case 0:
			requests[w] = 0
		case 1:
			requests[w] = ^uint64(0)
		case 2:
			requests[w] = random.Uint64()
		case 3:
			requests[w] = random.Sparse(4)
		default:
			requests[w] ^= random.Sparse(3)
		}
	}
}
