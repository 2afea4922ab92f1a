package lockstep

import (
	"math/bits"

	"starloom/cosim/twin"
)

// novelty records the behaviour that a model has shown and counts new items in each cycle:
//
//	values     each value of ports and registers up to 8 bits wide; of wider ones, the distance from 0,
//	           from all ones and from the reset value, in eighths of a power of two
//	crosses    every pair of events in one cycle, or in two consecutive ones; an event is a bit of a
//	           narrow port at 0 or 1, or a value that is 0, all ones, or the largest so far
//	events     declared by the twin (see Coverage)
//
// A hash of the events recognises recently seen cycles, which then cost little.
type novelty struct {
	observed []twin.Observed
	signals  []observedSignal
	seen     []uint64
	events   []uint64
	before   []uint64
	crosses  [2]pairs
	known    []uint64 // hashes of recent pairs of consecutive cycles
	fresh    bool     // the previous cycle is unknown
	coverage *Coverage

	shown int
}

type observedSignal struct {
	last, reset, most uint64
	earlier           uint64
	ups, downs        uint64 // number of changes in this phase
	values            int
	event             int
	eventBits         int
	wide              bool
}

const (
	narrowBits    = 8  // width up to which every value counts
	eventBitsMax  = 32 // width up to which every bit of a port is an event
	eventsMax     = 384
	distanceBits  = 3 // mantissa bits of a distance, without the leading one
	distancesMax  = 64 << distanceBits
	knownCrosses  = 1 << 12
	crossesBefore = 1 // index of the crosses with the previous cycle
)

func newNovelty(observed []twin.Observed, coverage *Coverage) *novelty {
	n := &novelty{observed: observed, coverage: coverage, fresh: true, known: make([]uint64, knownCrosses)}
	values, events := 0, 0
	for i := range observed {
		o := &observed[i]
		at := o.Value()
		s := observedSignal{last: at, reset: at, most: at, values: values, event: events, wide: o.Bits > narrowBits}
		values += 1 << min(o.Bits, narrowBits)
		if s.wide {
			values += 3*distancesMax - 1<<narrowBits
		}
		switch {
		case o.Bits == 1:
			s.eventBits = 2
		case o.Port && o.Bits <= eventBitsMax && events+o.Bits+3 <= eventsMax:
			s.eventBits = o.Bits + 3
		case events+3 <= eventsMax:
			s.eventBits = 3
		}
		events += s.eventBits
		n.signals = append(n.signals, s)
	}
	n.seen = make([]uint64, (values+63)/64)
	width := (events + 63) / 64
	n.events, n.before = make([]uint64, width), make([]uint64, width)
	for i := range n.crosses {
		n.crosses[i] = newPairs(width)
	}
	for i := range n.signals {
		n.put(i, n.signals[i].last)
	}
	return n
}

func (n *novelty) breakOff() { n.fresh = true }

func (n *novelty) begin() {
	for i := range n.signals {
		n.signals[i].ups, n.signals[i].downs = 0, 0
	}
}

// counter returns the number of a signal and direction as a possible counter (wider than 8 bits, no input), or -1 for
// other signals.
func (n *novelty) counter(i int, up bool) int {
	switch {
	case !n.signals[i].wide || n.observed[i].Input:
		return -1
	case up:
		return 2 * i
	}
	return 2*i + 1
}

func (n *novelty) moves(counters func(counter int) bool) bool {
	for i := range n.signals {
		s := &n.signals[i]
		if c := n.counter(i, s.last > s.earlier); c >= 0 && s.last != s.earlier && counters(c) {
			return true
		}
	}
	return false
}

// counts returns a counter that moved in one direction in at least half of the cycles of a phase, or -1.
func (n *novelty) counts(cycles uint64) int {
	for i := range n.signals {
		s := &n.signals[i]
		if c := n.counter(i, s.downs == 0); c >= 0 && min(s.ups, s.downs) == 0 && max(s.ups, s.downs) >= cycles/2 {
			return c
		}
	}
	return -1
}

func (n *novelty) see() (found int) {
	for i := range n.signals {
		s := &n.signals[i]
		value := n.observed[i].Value()
		s.earlier = s.last
		if value == s.last {
			continue
		}
		if value > s.last {
			s.ups++
		} else {
			s.downs++
		}
		s.last = value
		found += n.value(i, value)
		n.put(i, value)
	}
	found += n.cross()
	copy(n.before, n.events)
	n.fresh = false
	if n.coverage != nil {
		found += n.coverage.shown - n.shown
		n.shown = n.coverage.shown
	}
	return found
}

func (n *novelty) value(i int, value uint64) (found int) {
	s := &n.signals[i]
	s.most = max(s.most, value)
	if !s.wide {
		return n.note(s.values + int(value&(1<<narrowBits-1)))
	}
	width := n.observed[i].Bits
	away := value - s.reset
	if value < s.reset {
		away = s.reset - value
	}
	for k, distance := range [3]uint64{value, ^value & (^uint64(0) >> (64 - width)), away} {
		found += n.note(s.values + k*distancesMax + bucket(distance))
	}
	return found
}

func (n *novelty) note(bit int) int {
	if word, mask := &n.seen[bit/64], uint64(1)<<(bit%64); *word&mask == 0 {
		*word |= mask
		return 1
	}
	return 0
}

func bucket(distance uint64) int {
	length := bits.Len64(distance)
	if length <= distanceBits {
		return int(distance)
	}
	shift := length - 1 - distanceBits
	return (shift+1)<<distanceBits | int(distance>>shift)&(1<<distanceBits-1)
}

func (n *novelty) put(i int, value uint64) {
	s := &n.signals[i]
	if s.eventBits == 0 {
		return
	}
	var word uint64
	width := n.observed[i].Bits
	all := ^uint64(0) >> (64 - width)
	switch {
	case width == 1:
		word = 1 << (value & 1)
	default:
		word = value << 3
		if s.eventBits == 3 {
			word = 0
		}
		if value == 0 {
			word |= 1
		}
		if value == all {
			word |= 2
		}
		if value == s.most {
			word |= 4
		}
	}
	at, shift := s.event/64, s.event%64
	mask := uint64(1)<<s.eventBits - 1
	n.events[at] = n.events[at]&^(mask<<shift) | word<<shift
	if shift+s.eventBits > 64 {
		n.events[at+1] = n.events[at+1]&^(mask>>(64-shift)) | word>>(64-shift)
	}
}

func (n *novelty) cross() (found int) {
	if len(n.events) > 1 && n.knows() {
		return 0
	}
	found = n.crosses[0].add(n.events, n.events)
	if !n.fresh {
		found += n.crosses[crossesBefore].add(n.before, n.events)
	}
	return found
}

func (n *novelty) knows() bool {
	hash := uint64(0x9E3779B97F4A7C15)
	for i, word := range n.events {
		hash = (hash ^ word) * 0xBF58476D1CE4E5B9
		if !n.fresh {
			hash = (hash ^ hash>>29 ^ n.before[i]) * 0x94D049BB133111EB
		}
		hash ^= hash >> 32
	}
	known := &n.known[hash%knownCrosses]
	same := *known == hash
	*known = hash
	return same
}

type pairs struct {
	seen []uint64 // second events, by first event

	// common speeds up models with at most 64 events. common[i][b] is the set of events seen together with every
	// event of byte i whose bit is set in b.
	common *[8][256]uint64
}

func newPairs(words int) pairs {
	p := pairs{seen: make([]uint64, 64*words*words)}
	if words == 1 {
		p.common = new([8][256]uint64)
		for i := range p.common {
			p.common[i][0] = ^uint64(0)
		}
	}
	return p
}

func (p *pairs) add(first, second []uint64) (found int) {
	if p.common != nil && p.all(first[0], second[0]) {
		return 0
	}
	words := len(second)
	for w, word := range first {
		for ; word != 0; word &= word - 1 {
			row := p.seen[(64*w+bits.TrailingZeros64(word))*words:][:words]
			for k, other := range second {
				if more := other &^ row[k]; more != 0 {
					found += bits.OnesCount64(more)
					row[k] |= other
				}
			}
		}
	}
	if p.common != nil {
		p.index(first[0])
	}
	return found
}

func (p *pairs) all(first, second uint64) bool {
	common := ^uint64(0)
	for i := range p.common {
		common &= p.common[i][first>>(8*i)&255]
	}
	return second&^common == 0
}

func (p *pairs) index(events uint64) {
	for i := range p.common {
		if events>>(8*i)&255 == 0 {
			continue
		}
		common := &p.common[i]
		for some := 1; some < len(common); some++ {
			common[some] = common[some&(some-1)] & p.seen[8*i+bits.TrailingZeros(uint(some))]
		}
	}
}

func (n *novelty) sets() [3][]uint64 {
	return [3][]uint64{n.seen, n.crosses[0].seen, n.crosses[crossesBefore].seen}
}

func (n *novelty) count() (shown int) {
	for _, words := range n.sets() {
		for _, word := range words {
			shown += bits.OnesCount64(word)
		}
	}
	return shown + n.shown
}

// beyond counts the items that are in n but not in others, and then adds the items of others to n. others may be nil.
func (n *novelty) beyond(others *novelty) int {
	if others == nil {
		return n.count()
	}
	known := others.count()
	own := n.sets()
	for k, words := range others.sets() {
		for i, word := range words {
			own[k][i] |= word
		}
	}
	for i := range n.crosses {
		if n.crosses[i].common != nil {
			n.crosses[i].index(^uint64(0))
		}
	}
	n.shown = max(n.shown, others.shown)
	return n.count() - known
}
