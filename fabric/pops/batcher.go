package pops

import (
	"fmt"
	"math/bits"

	"starloom/traces/rounded"
)

// K. Batcher's merge exchange (D. Knuth, "The Art of Computer Programming", volume 3, algorithm 5.2.2M) on any number
// of keys, and its routes on POPS(d,g). Sorting the packets by destination routes a permutation: deterministic
// on-line routing (A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned Optical Passive Star Networks",
// section II-A, with Batcher's network instead of the AKS network).

// BatcherStages returns the number of stages for so many keys: k(k+1)/2 with k = ceil(log2 keys).
func BatcherStages(keys int) int {
	k := bits.Len(uint(keys - 1))
	return k * (k + 1) / 2
}

// batcherStage is a stage of comparators between i and i+distance for all i with i & bit == want. want is 0 or bit.
// distance is bit, or a multiple of 2*bit minus bit. Each key belongs to at most one comparator.
type batcherStage struct {
	n, bit, want, distance int
}

func newBatcherStage(n, stage int) batcherStage {
	if stage < 0 || stage >= BatcherStages(n) {
		panic(fmt.Sprintf("pops: stage %d of a network on %d keys, which has %d stages", stage, n, BatcherStages(n)))
	}
	// stages of one bit: first distance bit, then 2^(k-1)-bit, 2^(k-2)-bit, ..., 2*bit-bit; the highest bit has one
	// stage, the next bit two, and so on
	top := 1 << (bits.Len(uint(n-1)) - 1)
	bit := top
	for count := 1; stage >= count; count++ {
		stage -= count
		bit >>= 1
	}
	if stage == 0 {
		return batcherStage{n, bit, 0, bit}
	}
	return batcherStage{n, bit, bit, top>>(stage-1) - bit}
}

func (s batcherStage) partner(i int) int {
	if i&s.bit == s.want {
		if j := i + s.distance; j < s.n {
			return j
		}
		return i
	}
	if j := i - s.distance; j >= 0 {
		return j
	}
	return i
}

// StagePlan routes one stage of comparators on POPS(d,g). Every processor with a partner sends it a copy of its
// packet, off-line. After the last slot the processor with the lower number keeps the smaller packet, the other
// processor the larger. Processors without a partner keep their packets. A stage takes OfflineSlots slots, and a
// processor holds at most three packets.
//
// If d and g are powers of two, and often otherwise, a formula yields the colours: packet i has colour i mod k, k =
// max(d,g). Packets from one group then differ in colour, since d <= k. Packets to one group differ in colour in two
// cases. If 2*bit divides k, packets that go up and packets that go down differ in that bit of their colour, and
// packets of the same direction come from at most d adjacent processors. If d divides bit, all packets to a group
// come from one group. Such a plan has no tables and costs nothing. For the other stages, PlanOffline computes the
// colours.
type StagePlan struct {
	net    Network
	stage  batcherStage
	routes routes
	order  []uint32 // packets by class; nil if class i mod k holds packet i
}

// PlanStage plans a stage, 0..BatcherStages(n)-1, of the network on n = d*g keys. Cost: O(1) without memory if the
// formula of StagePlan applies, otherwise the cost of PlanOffline.
func PlanStage(p Network, stage int) *StagePlan {
	n := p.Processors()
	plan := &StagePlan{net: p, stage: newBatcherStage(n, stage), routes: routesOf(p)}
	if !plan.regular() {
		involution := make([]uint32, n)
		for i := range involution {
			involution[i] = uint32(plan.stage.partner(i))
		}
		plan.order = offlineOrder(p, involution)
	}
	return plan
}

func (s *StagePlan) regular() bool {
	return s.routes.classes%(2*s.stage.bit) == 0 || s.stage.bit%s.routes.groupSize == 0
}

func (s *StagePlan) Slots() int { return OfflineSlots(s.net) }

// Words implements Schedule. Cost: O(n). Words keeps no state, so calls may run in parallel.
func (s *StagePlan) Words(slot int, dst []uint64) {
	idleWords(dst)
	if s.net.GroupSize == 1 {
		for i := range dst {
			if to := s.stage.partner(i); to != i {
				dst[i] = wordListen(wordSend(dst[i], uint64(to), WordOwn), uint64(to), WordFinal)
			}
		}
	} else {
		s.hops(slot, dst)
	}
	if slot == s.Slots()-1 {
		for i := range dst {
			switch to := s.stage.partner(i); {
			case to > i:
				dst[i] |= WordKeepMin
			case to < i:
				dst[i] |= WordKeepMax
			}
		}
	}
}

func (s *StagePlan) hops(slot int, dst []uint64) {
	first, end, hop := s.routes.batch(slot)
	width := s.routes.width
	for class := first; class < end; class++ {
		for j := range width {
			packet := class + s.routes.classes*j
			if s.order != nil {
				packet = int(s.order[class*width+j])
			}
			if to := s.stage.partner(packet); to != packet {
				s.routes.hop(dst, hop, uint32(packet), uint32(to), class-first, j)
			}
		}
	}
}

// SortPlan is Batcher's whole network on POPS(d,g), stage after stage. It implements Schedule and keeps the plan of
// one stage; slots in ascending order cost one PlanStage per stage.
type SortPlan struct {
	net    Network
	number int
	stage  *StagePlan
}

// PlanSort returns the schedule that sorts one packet per processor, the smallest to processor 0.
func PlanSort(p Network) *SortPlan { return &SortPlan{net: p} }

// SortSlots returns the number of slots that sorting takes: BatcherStages(n) times OfflineSlots.
func SortSlots(p Network) int { return BatcherStages(p.Processors()) * OfflineSlots(p) }

func (s *SortPlan) Slots() int { return SortSlots(s.net) }

func (s *SortPlan) Words(slot int, dst []uint64) {
	if slot >= s.Slots() {
		endWords(dst)
		return
	}
	slots := OfflineSlots(s.net)
	if number := slot / slots; s.stage == nil || number != s.number {
		s.number, s.stage = number, PlanStage(s.net, number)
	}
	s.stage.Words(slot%slots, dst)
}

// PreviousSlots returns the number of slots of the best earlier deterministic algorithm, by A. Datta and S.
// Soundaralakshmi, as corrected and tabulated by Mei and Rizzi (section IV, column B of table I): 4(d/g)L^2 + 2(d/g)L
// + 21d/g + 3L + 7 with L = log2 g. The formula is exact for powers of two.
func PreviousSlots(p Network) float64 {
	ratio := float64(p.GroupSize) / float64(p.Groups)
	l := rounded.Log2(float64(p.Groups))
	return float64(4*ratio*l*l) + float64(2*ratio*l) + float64(21*ratio) + float64(3*l) + 7
}
