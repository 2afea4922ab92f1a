package hw

// ArbiterTDMA gives each requester in ascending order a turn of SliceCycles cycles, even if the requester is silent.
// It grants only the requester whose turn it is. Turns never pause: a requester loses its turn if a frame of another
// requester occupies the medium until the turn ends.
const ArbiterTDMA ArbiterKind = 3

func init() {
	RegisterArbiter(ArbiterTDMA, ArbiterSpec{
		Name: "tdma", Does: "the requester whose turn it is",
		Uses: ForBuses, Slices: true,
		New:   newTDMA,
		Whole: true,
		Mutants: []Mistake{
			{"slice one cycle long", "LAST_CYCLE = SLICE_CYCLES - 1", "LAST_CYCLE = SLICE_CYCLES"},
			{"turns wait for the holder", "elapsed_q <= elapsed_q + 16'd1;", "if (take_i) elapsed_q <= elapsed_q + 16'd1;"},
			{"missing reset", "turn_q <= {INDEX_BITS{1'b0}};\n      elapsed_q", "elapsed_q"},
			{"a turn for no one", "LAST = REQUESTERS - 1", "LAST = REQUESTERS"},
		},
	})
}

type tdma struct {
	ArbiterShape
	Forgetful
	// All arbiters have equal turns, so each shard has one copy.
	turn    []uint16 // requester whose turn it is
	elapsed []uint16 // elapsed cycles of the slice
}

func newTDMA(s ArbiterShape) Arbitration {
	return &tdma{ArbiterShape: s, turn: make([]uint16, s.Shards), elapsed: make([]uint16, s.Shards)}
}

func (t *tdma) Rank(shard int, asks []Request, ranks []uint64) {
	turn := uint32(t.turn[shard])
	for k, q := range asks {
		if ranks[k] = NeverRank; q.Requester == turn {
			ranks[k] = 0
		}
	}
}

func (t *tdma) Pass(shard int, cycles uint64) {
	turn, elapsed := int(t.turn[shard]), uint64(t.elapsed[shard])+cycles
	if elapsed < uint64(t.SliceCycles) {
		t.elapsed[shard] = uint16(elapsed)
		return
	}
	if t.elapsed[shard] >= uint16(t.SliceCycles) || turn >= t.Requesters {
		broken(t.Path, "turn of requester %d of %d in cycle %d of a slice of %d", turn, t.Requesters,
			t.elapsed[shard]+1, t.SliceCycles)
	}
	slices := elapsed / uint64(t.SliceCycles)
	t.elapsed[shard] = uint16(elapsed % uint64(t.SliceCycles))
	t.turn[shard] = uint16((uint64(turn) + slices%uint64(t.Requesters)) % uint64(t.Requesters))
}

func (t *tdma) Memory() Declaration {
	return Declaration{
		Registers: []Register{
			Column("turn", t.turn[:1], AtMost(uint16(t.Requesters-1))),
			Column("elapsed", t.elapsed[:1], AtMost(uint16(t.SliceCycles-1))),
		},
		Derive: func() {
			for shard := range t.turn {
				t.turn[shard], t.elapsed[shard] = t.turn[0], t.elapsed[0]
			}
		},
	}
}
