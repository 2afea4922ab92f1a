package pops

import (
	"fmt"
	"math"

	"starloom/fabric"
)

// Two-hop routing and its adversary (A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned Optical Passive
// Star Networks", section II-B, theorem II.12: no deterministic two-hop algorithm routes all permutations in fewer
// than Omega(log n) slots).
//
// A deterministic two-hop algorithm is a table. In each odd slot t = 1, 3, 5, ... every undelivered packet i goes
// from its source to the group choice(i,t). In the following even slot it goes from that group to its destination
// group. Two frames on a coupler are both lost. A packet is delivered when it reaches its destination group, in
// either slot; its source then discards it at once.

// ChoiceTable is the table of a deterministic two-hop algorithm.
type ChoiceTable struct {
	// Group has one row per odd slot: Group[h][i] is the group to which packet i goes in slot 2h+1.
	Group [][]uint16
	// Heard marks the couplers with a listener, one row per odd slot, indexed as POPS.Coupler. Nil means that all
	// couplers have a listener, which requires d >= g.
	Heard [][]bool
}

// NewChoiceTable tabulates choice(packet, t) for the odd slots t = 1, 3, ... below slots. All couplers are heard.
func NewChoiceTable(p Network, slots int, choice func(packet, slot int) int) ChoiceTable {
	table := ChoiceTable{Group: make([][]uint16, slots/2)}
	for h := range table.Group {
		row := make([]uint16, p.Processors())
		for i := range row {
			row[i] = uint16(choice(i, 2*h+1))
		}
		table.Group[h] = row
	}
	return table
}

func (c ChoiceTable) check(p Network, slots int) error {
	switch {
	case slots < 2 || slots%2 != 0:
		return fmt.Errorf("%d slots: the number must be even, and 2 or more", slots)
	case len(c.Group) < slots/2:
		return fmt.Errorf("the choice table has %d odd slots, but %d slots need %d", len(c.Group), slots, slots/2)
	case c.Heard == nil && p.GroupSize < p.Groups:
		return fmt.Errorf("group_size %d is below groups %d, so not all couplers can be heard: the choice table must state "+
			"which are", p.GroupSize, p.Groups)
	case c.Heard != nil && len(c.Heard) < slots/2:
		return fmt.Errorf("the table of heard couplers has %d odd slots, but %d slots need %d", len(c.Heard), slots, slots/2)
	}
	for h, row := range c.Group[:slots/2] {
		if len(row) != p.Processors() {
			return fmt.Errorf("slot %d: the choice table has %d packets, but the network has %d processors", 2*h+1,
				len(row), p.Processors())
		}
		for i, r := range row {
			if int(r) >= p.Groups {
				return fmt.Errorf("slot %d: packet %d goes to group %d, but groups are 0 to %d", 2*h+1, i, r, p.Groups-1)
			}
		}
		if c.Heard != nil && len(c.Heard[h]) != p.Couplers() {
			return fmt.Errorf("slot %d: the table of heard couplers has %d entries, but the network has %d couplers", 2*h+1,
				len(c.Heard[h]), p.Couplers())
		}
	}
	return nil
}

// RouteTwoHops runs a two-hop algorithm on a permutation. It returns, by packet, the slot of delivery, counted from
// 1, or 0 for none. In even slots all couplers are heard. It returns an error for an invalid table or permutation.
// Cost: O(slots*(n + g*g)).
func RouteTwoHops(p Network, choice ChoiceTable, destination []uint32, slots int) ([]uint32, error) {
	if err := choice.check(p, slots); err != nil {
		return nil, fmt.Errorf("two-hops routing: %w", err)
	}
	if err := fabric.CheckPermutation(destination, p.Processors()); err != nil {
		return nil, fmt.Errorf("two-hops routing: %w", err)
	}
	delivered := make([]uint32, len(destination))
	odd, even := make([]uint32, p.Couplers()), make([]uint32, p.Couplers())
	for h, row := range choice.Group[:slots/2] {
		clear(odd)
		clear(even)
		for i, r := range row {
			if delivered[i] == 0 {
				odd[p.Coupler(i/p.GroupSize, int(r))]++
			}
		}
		for hop := range 2 {
			for i, r := range row {
				if delivered[i] != 0 {
					continue
				}
				coupler := p.Coupler(i/p.GroupSize, int(r))
				if odd[coupler] != 1 || choice.Heard != nil && !choice.Heard[h][coupler] {
					continue
				}
				to := int(destination[i]) / p.GroupSize
				switch second := p.Coupler(int(r), to); {
				case hop == 0 && int(r) == to:
					delivered[i] = uint32(2*h + 1)
				case hop == 0:
					even[second]++
				case even[second] == 1:
					delivered[i] = uint32(2*h + 2)
				}
			}
		}
	}
	return delivered, nil
}

// Adversary builds a permutation that a deterministic two-hop algorithm does not route in an even number of slots. It
// returns destination[i] of every packet i, and the packet start, which is not delivered.
//
// All marked packets get destinations in the group a0, the group on which the fewest processors shoot. Only packets
// that never shoot on a0 are marked, so each needs two hops. At every odd slot t before it was marked, a marked
// packet collides:
//
//   - If another processor of its group shoots on the same group in slot t (a multi), one such packet is marked, too,
//     and the two packets collide in slot t.
//   - Otherwise (a single) the packet passes, and another single on the same group is marked. Both packets go on to
//     a0 in slot t+1 and collide there.
//
// The published proof accepts any packet with the same choice as the partner. This leaves a gap (see
// PublishedAdversary), which the two kinds of buckets close. A packet without a possible partner at some slot must
// not be marked before that slot. Fail(t) holds these packets: the packets that shoot on a0 and, for all slots up to
// t, the last packet of each bucket whose other packets are all in Fail(t-2). Any start outside the last Fail is
// suitable, and marks at most 2^(slots/2) packets; a0 has room for d packets.
//
// An error means that the network is too small. It states the largest number of slots for which this construction
// succeeds. With choice.Heard, a single without a listener needs no partner and cannot be a partner. Cost: O(slots*n)
// for the first start. If slots > 2*log2 d, all starts are tried until one marks at most d packets.
func Adversary(p Network, choice ChoiceTable, slots int) (destination []uint32, start int, err error) {
	if err := choice.check(p, slots); err != nil {
		return nil, 0, fmt.Errorf("adversary: %w", err)
	}
	a := newAdversary(p, choice)
	if destination, start, ok := a.build(slots); ok {
		return destination, start, nil
	}
	for fewer := slots - 2; fewer >= 2; fewer -= 2 {
		if _, _, ok := a.build(fewer); ok {
			return nil, 0, fmt.Errorf("adversary: no permutation found on %d groups of %d for %d slots;"+
				" the largest number of slots possible is %d", p.Groups, p.GroupSize, slots, fewer)
		}
	}
	return nil, 0, fmt.Errorf("adversary: no permutation found on %d groups of %d for %d slots, nor for fewer: the "+
		"network is too small",
		p.Groups, p.GroupSize, slots)
}

type adversary struct {
	net    Network
	choice ChoiceTable
	// by odd slot: the bucket of each packet, noIndex for none, and the packets of each bucket, ascending
	bucket  [][]uint32
	members [][][]uint32
}

// newAdversary sorts the packets of every odd slot into buckets: multis by coupler, singles by destination group of
// the hop.
func newAdversary(p Network, choice ChoiceTable) *adversary {
	a := &adversary{net: p, choice: choice}
	senders := make([]uint32, p.Couplers())
	for h, row := range choice.Group {
		clear(senders)
		for i, r := range row {
			senders[p.Coupler(i/p.GroupSize, int(r))]++
		}
		bucket := make([]uint32, len(row))
		for i, r := range row {
			switch coupler := p.Coupler(i/p.GroupSize, int(r)); {
			case senders[coupler] > 1:
				bucket[i] = uint32(coupler)
			case choice.Heard != nil && !choice.Heard[h][coupler]:
				bucket[i] = noIndex
			default:
				bucket[i] = uint32(p.Couplers()) + uint32(r)
			}
		}
		a.addRow(bucket, p.Couplers()+p.Groups)
	}
	return a
}

func (a *adversary) addRow(bucket []uint32, buckets int) {
	members := make([][]uint32, buckets)
	for i, b := range bucket {
		if b != noIndex {
			members[b] = append(members[b], uint32(i))
		}
	}
	a.bucket = append(a.bucket, bucket)
	a.members = append(a.members, members)
}

func (a *adversary) build(slots int) (destination []uint32, start int, ok bool) {
	odd := slots / 2
	a0, shoots := a.rarest(odd)
	// fail[h] is Fail(2h-1): packets that must not be marked before the end of slot 2h+1
	fail := [][]bool{shoots}
	for h := range odd {
		next := append([]bool(nil), fail[h]...)
		for _, members := range a.members[h] {
			if only := onlyOutside(members, fail[h]); only != noIndex {
				next[only] = true
			}
		}
		fail = append(fail, next)
	}
	for start := range a.net.Processors() {
		if fail[odd][start] {
			continue
		}
		if marked, ok := a.mark(start, odd, fail); ok {
			return a.permutation(marked, a0), start, true
		}
	}
	return nil, 0, false
}

// rarest returns the group at which the fewest processors shoot in the first odd slots, and a mark for each of these
// processors. There are at most d*odd marks.
func (a *adversary) rarest(odd int) (group int, shoots []bool) {
	n, g := a.net.Processors(), a.net.Groups
	shooters := make([]int, g)
	last := make([]uint32, g) // by group: 1 + last counted processor
	for i := range n {
		for _, row := range a.choice.Group[:odd] {
			if r := row[i]; last[r] != uint32(i)+1 {
				last[r] = uint32(i) + 1
				shooters[r]++
			}
		}
	}
	for r := range shooters {
		if shooters[r] < shooters[group] {
			group = r
		}
	}
	shoots = make([]bool, n)
	for _, row := range a.choice.Group[:odd] {
		for i, r := range row {
			if int(r) == group {
				shoots[i] = true
			}
		}
	}
	return group, shoots
}

func onlyOutside(members []uint32, set []bool) uint32 {
	only := uint32(noIndex)
	for _, i := range members {
		if set[i] {
			continue
		}
		if only != noIndex {
			return noIndex
		}
		only = i
	}
	return only
}

// mark marks the packets that prevent the delivery of start. ok is false if the marked packets do not fit into a
// group.
func (a *adversary) mark(start, odd int, fail [][]bool) (marked []uint32, ok bool) {
	marked = []uint32{uint32(start)}
	for h := odd - 1; h >= 0; h-- {
		met := make(map[uint32]int)
		for _, i := range marked {
			met[a.bucket[h][i]]++
		}
		for _, i := range marked { // every packet marked here has a partner
			b := a.bucket[h][i]
			if b == noIndex || met[b] > 1 {
				continue
			}
			partner := uint32(noIndex)
			for _, k := range a.members[h][b] {
				if k != i && !fail[h][k] {
					partner = k
					break
				}
			}
			if partner == noIndex {
				panic(fmt.Sprintf("pops: packet %d has no partner in slot %d, though it is outside Fail", i, 2*h+1))
			}
			if marked = append(marked, partner); len(marked) > a.net.GroupSize {
				return nil, false
			}
			met[b]++
		}
	}
	return marked, true
}

func (a *adversary) permutation(marked []uint32, group int) []uint32 {
	n := a.net.Processors()
	destination := make([]uint32, n)
	for i := range destination {
		destination[i] = noIndex
	}
	first := group * a.net.GroupSize
	for k, i := range marked {
		destination[i] = uint32(first + k)
	}
	next := 0
	for i := range destination {
		if destination[i] != noIndex {
			continue
		}
		if next == first {
			next += len(marked)
		}
		destination[i] = uint32(next)
		next++
	}
	return destination
}

// PublishedAdversary is the construction of the paper. From the packets that never shoot on a0 it removes the packets
// that share their choice in some slot with fewer than sqrt(g) others (lemma II.11). It starts with the first
// remaining packet, and gives every marked packet at every odd slot an unmarked partner with the same choice.
//
// The construction can fail: an unmarked packet of the partner's group may block the partner in the odd slot, and the
// marked packet then passes alone. GapTable is an example.
func PublishedAdversary(p Network, choice ChoiceTable, slots int) (destination []uint32, start int, err error) {
	if err := choice.check(p, slots); err != nil {
		return nil, 0, fmt.Errorf("published adversary: %w", err)
	}
	odd := slots / 2
	a := &adversary{net: p, choice: choice}
	for _, row := range choice.Group[:odd] {
		bucket := make([]uint32, len(row))
		for i, r := range row {
			bucket[i] = uint32(r)
		}
		a.addRow(bucket, p.Groups)
	}
	a0, out := a.rarest(odd)
	for dropped := true; dropped; {
		dropped = false
		for h := range odd {
			for _, members := range a.members[h] {
				left := 0
				for _, i := range members {
					if !out[i] {
						left++
					}
				}
				if left == 0 || float64(left) >= math.Sqrt(float64(p.Groups)) {
					continue
				}
				for _, i := range members {
					out[i] = true
				}
				dropped = true
			}
		}
	}
	for start < len(out) && out[start] {
		start++
	}
	if start == len(out) {
		return nil, 0, fmt.Errorf("published adversary: no robust set of packets on %d groups of %d for %d slots: fewer "+
			"slots are needed",
			p.Groups, p.GroupSize, slots)
	}
	isMarked := make([]bool, len(out))
	isMarked[start] = true
	marked := []uint32{uint32(start)}
	for h := odd - 1; h >= 0; h-- {
		for _, i := range marked {
			partner := uint32(noIndex)
			for _, k := range a.members[h][a.bucket[h][i]] {
				if !out[k] && !isMarked[k] {
					partner = k
					break
				}
			}
			if partner == noIndex || len(marked) == p.GroupSize {
				return nil, 0, fmt.Errorf("published adversary: too many packets to mark on %d groups of %d for %d slots: fewer "+
					"slots are needed",
					p.Groups, p.GroupSize, slots)
			}
			isMarked[partner] = true
			marked = append(marked, partner)
		}
	}
	return a.permutation(marked, a0), start, nil
}

// GapTable returns a choice table of two slots, for an even d = g of at least 4, on which the published construction
// fails. With g = 64 and T = 2 the condition of its theorem, T < log2(g)/2, is met. The packets of group 0 go to g
// different groups and pass. The packets of each other group go in pairs to the same group and never pass. Every
// packet that shares a choice with a packet of group 0 belongs to another group, so the packet of group 0 passes
// beside any partner.
func GapTable(p Network) ChoiceTable {
	return NewChoiceTable(p, 2, func(packet, _ int) int {
		group, index := packet/p.GroupSize, packet%p.GroupSize
		if group == 0 {
			return index
		}
		return (index/2 + group*p.GroupSize/2) % p.Groups
	})
}
