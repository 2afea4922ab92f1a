package crossbar

import (
	"fmt"
	"math/bits"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

// hopfield is an associative memory: the data of hopfield.c, and the energy of the results. Rows have the format of
// hopfield.c's ROM: a bit for each neuron, 1 for +1. The block of each processor is padded to whole words.
type hopfield struct {
	processors, neurons int // neurons of each processor
	blockWords          int
	patterns            int
	flips               int // flipped neurons in percent
	sessions, sweeps    int // sweeps of a recall
	given               [][]uint32

	// By pattern, for a seed.
	pattern, start [][]uint32

	judged *recall // recall that the rules follow
}

// Parameters of hopfield.c, with the defaults of the image. A test compares both.
const (
	neuronsDefault  = 16
	patternsDefault = 10
	flipsDefault    = 10

	neuronsMax    = 4096
	patternsMax   = 4096
	allNeuronsMax = 1 << 20
	storedBitsMax = 1 << 28 // limit of the bits of all patterns
	sweepsMax     = SessionsMax
	flipsMax      = 100
	bitsPerWord   = 32
	bitsPerResult = 64
)

func newHopfield(x Network, w *fabric.Gossip) (*hopfield, error) {
	h := &hopfield{processors: x.Ports, sessions: w.Count()}
	for _, p := range []struct {
		name            string
		to              *int
		open, low, high int64
	}{
		{"neurons", &h.neurons, neuronsDefault, 1, neuronsMax},
		{"patterns", &h.patterns, patternsDefault, 1, patternsMax},
		{"flips", &h.flips, flipsDefault, 0, flipsMax},
		{"sweeps", &h.sweeps, 0, 0, sweepsMax},
	} {
		var err error
		if *p.to, err = x.param(p.name, p.open, p.low, p.high); err != nil {
			return nil, err
		}
	}
	if h.sweeps == 0 { // all sessions are one recall
		h.sweeps = h.sessions
	}
	h.blockWords = (h.neurons + bitsPerWord - 1) / bitsPerWord
	if h.all() > allNeuronsMax || h.all()*h.patterns > storedBitsMax {
		return nil, &input.Error{
			Place:  "firmware.params.neurons",
			Reason: fmt.Sprintf("%d processors have %d neurons and %d patterns", h.processors, h.all(), h.patterns),
			Remedy: fmt.Sprintf("allowed: up to %d neurons, and up to %d bits in all patterns "+
				"together", allNeuronsMax, storedBitsMax),
		}
	}
	if err := onlyVoting(w); err != nil {
		return nil, err
	}
	if w.Vector != nil {
		return nil, &input.Error{Place: valuesKey, Reason: "patterns are no vector", Remedy: "give values"}
	}
	remedy := fmt.Sprintf("give a row for every pattern: %d numbers, comma-separated, each 1, -1 or 0, without a header",
		h.all())
	rows, path, err := valuesOf(w, 4096+4*storedBitsMax, remedy)
	if err != nil || path == "" {
		h.judged = h.newRecall()
		return h, err
	}
	if len(rows) == 0 || len(rows) > patternsMax {
		return nil,
			&input.Error{Place: path, Reason: fmt.Sprintf("there are %d patterns; allowed: 1 to %d", len(rows),
				patternsMax), Remedy: remedy}
	}
	h.patterns = len(rows)
	for _, row := range rows {
		if len(row.values) != h.all() {
			return nil, &input.Error{
				Place:  fmt.Sprintf("%s:%d", path, row.line),
				Reason: fmt.Sprintf("there are %d values for %d neurons", len(row.values), h.all()), Remedy: remedy,
			}
		}
		pattern := h.row()
		for neuron, value := range row.values {
			switch value {
			case 1:
				h.flip(pattern, neuron)
			case 0, -1:
			default:
				return nil,
					&input.Error{Place: fmt.Sprintf("%s:%d", path, row.line),
						Reason: fmt.Sprintf("neuron %d is %d", neuron, value), Remedy: remedy}
			}
		}
		h.given = append(h.given, pattern)
	}
	h.judged = h.newRecall()
	return h, nil
}

func (x Network) neuronBytes() int {
	neurons, err := x.param("neurons", neuronsDefault, 1, neuronsMax)
	if err != nil {
		return 0 // the parameter is rejected elsewhere
	}
	return (neurons + 7) / 8
}

func (h *hopfield) all() int { return h.processors * h.neurons }

func (h *hopfield) row() []uint32 { return make([]uint32, h.processors*h.blockWords) }

func (h *hopfield) flip(row []uint32, neuron int) {
	processor, k := neuron/h.neurons, neuron%h.neurons
	row[processor*h.blockWords+k/bitsPerWord] ^= 1 << (k % bitsPerWord)
}

// draw draws the patterns of a seed and an initial state for each pattern. The initial state is the pattern after the
// inversion of a given percentage of its neurons, rounded and chosen at random.
func (h *hopfield) draw(seed uint64) {
	d := newDraws(seed)
	h.pattern, h.start = h.given, nil
	if h.given == nil {
		h.pattern = make([][]uint32, h.patterns)
		for p := range h.pattern {
			h.pattern[p] = h.row()
			for neuron := range h.all() {
				if d.bits32()>>31 != 0 {
					h.flip(h.pattern[p], neuron)
				}
			}
		}
	}
	places := make([]uint32, h.all())
	fabric.FillIdentity(places)
	for _, pattern := range h.pattern {
		start := append([]uint32(nil), pattern...)
		for k := range (h.all()*h.flips + 50) / 100 {
			other := k + int(d.below(uint32(len(places)-k)))
			places[k], places[other] = places[other], places[k]
			h.flip(start, int(places[k]))
		}
		h.start = append(h.start, start)
	}
}

func (h *hopfield) words() (processor, machine int) {
	return 0, 2 * h.patterns * h.processors * h.blockWords
}

func (h *hopfield) processor(int, []uint32) {}

func (h *hopfield) machine(dst []uint32) {
	for _, rows := range [][][]uint32{h.pattern, h.start} {
		for _, row := range rows {
			dst = dst[copy(dst, row):]
		}
	}
}

func (h *hopfield) mute(int) string { return "" }

func (h *hopfield) block(r *fabric.Results, processor, session int, dst []uint32) (given bool) {
	words := (h.neurons + bitsPerResult - 1) / bitsPerResult
	for k := range words {
		value, given := r.Get(processor, uint32(session*words+k))
		if !given {
			return false
		}
		if dst[2*k] = uint32(value); 2*k+1 < len(dst) {
			dst[2*k+1] = uint32(value >> 32)
		}
	}
	return true
}

// overlaps computes, for each pattern, the number of neurons of a row that agree with the pattern minus the number
// that disagree.
func (h *hopfield) overlaps(row []uint32, dst []int64) {
	for p, pattern := range h.pattern {
		dst[p] = int64(h.all())
		for k, word := range row {
			dst[p] -= 2 * int64(bits.OnesCount32(word^pattern[k]))
		}
	}
}

// energy returns -1/2 of the sum of w(a,b) s(a) s(b) over all pairs of different neurons, computed from the overlap
// with each pattern.
func (h *hopfield) energy(overlap []int64) int64 {
	energy := int64(h.patterns) * int64(h.all())
	for _, m := range overlap {
		energy -= m * m
	}
	return energy / 2
}

// recall replays the results update by update: session by session, and within a session in the order of processors.
type recall struct {
	updates uint64 // updates replayed
	row     []uint32
	next    []uint32 // buffer for a processor's neurons
	overlap []int64  // overlap with each pattern
}

func (h *hopfield) newRecall() *recall {
	return &recall{row: h.row(), next: make([]uint32, h.blockWords), overlap: make([]int64, h.patterns)}
}

// follow replays new updates. After each session that all processors have ended, follow calls ended with all neurons
// and their energy. For each update of a sweep that has raised the energy, follow first calls rose with the
// processor. Both functions may be nil.
func (h *hopfield) follow(r *fabric.Results, c *recall, ended func(session int, row []uint32, energy int64),
	rose func(session, processor int, from, to int64),
) {
	for c.updates < uint64(h.sessions*h.processors) {
		session, processor := int(c.updates)/h.processors, int(c.updates)%h.processors
		if !h.block(r, processor, session, c.next) {
			return // later results depend on the missing one
		}
		c.updates++
		sweep := session%(1+h.sweeps) > 0
		block := c.row[processor*h.blockWords:][:h.blockWords]
		before := h.energy(c.overlap)
		for p := range c.overlap {
			own := h.pattern[p][processor*h.blockWords:]
			for k := range block {
				c.overlap[p] += 2 * int64(bits.OnesCount32(block[k]^own[k])-bits.OnesCount32(c.next[k]^own[k]))
			}
		}
		copy(block, c.next)
		if after := h.energy(c.overlap); sweep && rose != nil && after > before {
			rose(session, processor, before, after)
		}
		if processor < h.processors-1 {
			continue
		}
		if !sweep {
			h.overlaps(c.row, c.overlap)
		}
		if ended != nil {
			ended(session, c.row, h.energy(c.overlap))
		}
	}
}

// metrics adds energy, after each session; recalls, the number of started recalls; recalled, the number of recalls
// that reached their pattern; and wrong_bits, the number of wrong neurons of each ended recall.
func (h *hopfield) metrics(r *fabric.Results, m *fabric.Metrics) {
	energies, wrong := []int64{}, []int{}
	recalls, recalled := 0, 0
	h.follow(r, h.newRecall(), func(session int, row []uint32, energy int64) {
		energies = append(energies, energy)
		recall, sweep := session/(1+h.sweeps), session%(1+h.sweeps)
		recalls = recall + 1
		if sweep < h.sweeps && session+1 < h.sessions {
			return
		}
		away := 0
		for k, word := range h.pattern[recall%h.patterns] {
			away += bits.OnesCount32(word ^ row[k])
		}
		if wrong = append(wrong, away); away == 0 {
			recalled++
		}
	}, nil)
	m.Add("neurons", h.all())
	m.Add("patterns", h.patterns)
	m.Add("recalls", recalls)
	m.Add("recalled", recalled)
	m.Add("wrong_bits", wrong)
	m.Add("energy", energies)
}

func (h *hopfield) keeps() []string { return []string{fabric.RuleEnergy} }

func (h *hopfield) judge(r *fabric.Results, rules *fabric.Rules, _ []fabric.Result, yield func(fabric.Finding)) {
	if !rules.Energy {
		return
	}
	h.follow(r, h.judged, nil, func(session, processor int, from, to int64) {
		yield(fabric.Finding{Kind: fabric.FindEnergy, Index: processor,
			Text: fmt.Sprintf("raised the energy from %d to %d in session %d", from, to, session)})
	})
}

func (h *hopfield) reset() {
	h.judged.updates = 0
	clear(h.judged.row)
	clear(h.judged.overlap)
}

func (h *hopfield) state(v *hw.StateVisitor) {
	hw.StateScalar(v, hw.Future, "judged.updates", &h.judged.updates, hw.AtMost(uint64(h.sessions*h.processors)))
	hw.StateColumn(v, hw.Future, "judged.row", h.judged.row)
	hw.StateColumn(v, hw.Future, "judged.overlap", h.judged.overlap)
}
