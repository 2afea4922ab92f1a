package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"starloom/fabric/outcome"
)

// guided is a search that tries runs instead of covering them, as greybox fuzzers do (Zalewski, AFL, 2013; Boehme et
// al., Coverage-based Greybox Fuzzing as Markov Chain, CCS 2016). Its corpus holds states with faults left to try. A
// trial takes a state, applies a fault in the next slot, and goes on until it meets a known state.
// States that show something rare are preferred.
type guided struct {
	search  *search
	looks   []looks           `saved:"-"` // by worker
	fresh   []entry           // states that showed something new, the newest last
	corpus  []entry           // all other states with something left to try
	seen    map[uint64]uint32 // number of states with a feature
	values  map[uint64]uint8  // number of values of a state byte
	rounds  uint64
	trials  uint64
	held    int    // bytes of snapshots
	dropped uint64 // states dropped for memory
	shorter shortened
	judged  func(v *outcome.Violation) bool `saved:"-"`
}

// entry is a state with something left to try.
type entry struct {
	open
	slot    uint32
	used    vector
	options []event // effective faults of the next slot, not tried yet
	waits   bool    // the next slot has not run without faults either
	shows   []uint64
	picks   uint32
}

func (e *entry) bytes() int { return len(e.future) + len(e.rest) }

// sizes of the corpus and of a round
const (
	freshMax  = 64
	freshLast = 8 // the newest states; one is picked
	corpusMax = 1 << 16
	trialsMax = 16 // in a round
	rivals    = 4  // states compared for one pick
	showsMax  = 4
	waitsLess = 8
	pairEvery = 8  // one of so many trials has two faults in its slot
	denseMean = 16 // slots from fault to fault of a dense trial
)

// pick is a trial to be made.
type pick struct {
	entry
	chosen []event
	manner manner
	seed   uint64 // of the faults of a dense trial
}

// manner is how a trial goes on after its first slot.
type manner uint8

const (
	inFull manner = iota // without faults, to the end of the run
	short                // without faults, until nothing new shows for some slots
	dense                // with random faults
)

// GuideSlots is the default budget of a guided search, in slots.
const GuideSlots = 1_000_000

// guide tries runs until a rule breaks, nothing is left to try, or budget slots have run.
func (s *search) guide(ctx context.Context, o *Options) (*guided, error) {
	budget, progress := o.Guide, o.Progress
	g := &guided{search: s, looks: make([]looks, len(s.workers)), seen: map[uint64]uint32{}, values: map[uint64]uint8{},
		judged: o.Judged}
	found, err := s.saved.read(g)
	if err != nil {
		return nil, err
	}
	if !found {
		s.begin()
		g.add(entry{open: s.root, waits: true}, false)
	}
	for s.failed == nil {
		if s.open = g.limit(ctx, budget); s.open != "" {
			break
		}
		if err := g.round(); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(Progress{uint32(s.count.Transitions), uint32(budget), len(g.fresh) + len(g.corpus), s.count.States,
				s.count.Transitions})
		}
		if s.saved.due() {
			if err := s.saved.write(g); err != nil {
				return nil, err
			}
		}
	}
	if err := errors.Join(s.err, s.saved.write(g)); err != nil || s.failed == nil {
		return g, err
	}
	s.open = "the search was guided"
	if s.failed.never == nil {
		g.shorten()
	}
	return g, nil
}

func (g *guided) limit(ctx context.Context, budget uint64) string {
	s, left := g.search, len(g.fresh)+len(g.corpus)
	switch {
	case ctx.Err() != nil:
		return openInterrupted
	case left == 0 && g.dropped == 0:
		return "every state was tried with each fault alone in its slot"
	case left == 0:
		return "nothing is left to try in the states kept"
	case s.count.Transitions >= budget:
		return fmt.Sprintf("the budget of %d slots is used", budget)
	case s.count.States > s.limits.states:
		return fmt.Sprintf("the limit of %d states is reached", s.limits.states)
	}
	return ""
}

// round makes some trials and merges them in order. Their number depends only on the number of the round.
func (g *guided) round() error {
	s := g.search
	random := rand.New(rand.NewPCG(s.workers[0].Seed, g.rounds))
	var picks []pick
	for range min(trialsMax, 1+g.rounds/trialsMax) {
		if len(g.fresh)+len(g.corpus) > 0 {
			picks = append(picks, g.pick(random, s.kinds))
		}
	}
	g.rounds++
	results := make([]trial, len(picks))
	var wait sync.WaitGroup
	for k := range min(len(s.workers), len(picks)) {
		run := func() {
			for i := k; i < len(picks); i += len(s.workers) {
				results[i] = g.try(s.workers[k], &g.looks[k], &picks[i])
			}
		}
		if len(picks) == 1 {
			run()
		} else {
			wait.Go(run)
		}
	}
	wait.Wait()
	for i := range results {
		if s.failed == nil {
			g.merge(&picks[i], &results[i])
		}
	}
	s.gather()
	for k, w := range s.workers {
		g.looks[k].gather(&s.aside.branches)
		if err := w.Statics(); err != nil {
			return err
		}
	}
	g.shrink(s.limits.bytes - s.nodes.bytes())
	return nil
}

func (g *guided) add(e entry, fresh bool) {
	if len(e.options) == 0 && !e.waits {
		return
	}
	g.held += e.bytes()
	if !fresh {
		g.corpus = append(g.corpus, e)
		return
	}
	g.fresh = append(g.fresh, e)
	if len(g.fresh) > freshMax {
		g.corpus = append(g.corpus, g.fresh[0])
		g.fresh = slices.Delete(g.fresh, 0, 1)
	}
}

// pick takes the next trial: mostly from a new state, otherwise from the rarest of a few states.
func (g *guided) pick(random *rand.Rand, kinds []kind) pick {
	list, i := &g.corpus, 0
	if n := len(g.fresh); len(g.corpus) == 0 || n > 0 && random.IntN(4) > 0 {
		list, i = &g.fresh, n-1-random.IntN(min(n, freshLast))
	} else {
		i = random.IntN(len(g.corpus))
		for range rivals - 1 {
			if k := random.IntN(len(g.corpus)); g.rarity(&g.corpus[k]) > g.rarity(&g.corpus[i]) {
				i = k
			}
		}
	}
	e := &(*list)[i]
	e.picks++
	p := pick{entry: *e, seed: random.Uint64(), manner: []manner{inFull, inFull, inFull, inFull, short, short, short,
		dense}[random.IntN(8)]}
	switch {
	case e.waits:
		if p.manner = inFull; g.trials == 0 {
			p.manner = dense
		}
		e.options, e.waits = nil, false
	default:
		k := oneOf(e.options, random)
		p.chosen = []event{e.options[k]}
		e.options = slices.Delete(slices.Clone(e.options), k, k+1)
		if n := len(e.options); n > 0 && random.IntN(pairEvery) == 0 {
			other := e.options[random.IntN(n)]
			if used := p.used.plus(int(p.chosen[0].kind)); used.of(int(other.kind)) < kinds[other.kind].limit &&
				!excluded(p.chosen, other, kinds) {
				p.chosen = append(p.chosen, other)
			}
		}
	}
	if len(e.options) == 0 {
		g.held -= e.bytes()
		*list = slices.Delete(*list, i, i+1)
	}
	return p
}

// oneOf chooses a kind of fault, then a fault of the kind.
func oneOf(options []event, random *rand.Rand) int {
	var of [8]int
	kinds := 0
	for _, e := range options {
		if of[e.kind]++; of[e.kind] == 1 {
			kinds++
		}
	}
	skip, kind := random.IntN(kinds), 0
	for ; of[kind] == 0 || skip > 0; kind++ {
		if of[kind] > 0 {
			skip--
		}
	}
	skip = random.IntN(of[kind])
	return slices.IndexFunc(options, func(e event) bool {
		if int(e.kind) == kind {
			skip--
		}
		return skip < 0
	})
}

// rarity is higher for states with features that few states have, and lower after each pick and each fault, and for
// runs that only go on.
func (g *guided) rarity(e *entry) (sum float64) {
	for _, f := range e.shows {
		sum += 1 / float64(g.seen[f])
	}
	if e.waits {
		sum /= waitsLess
	}
	return sum / float64((1+int(e.picks))*(1+e.used.total()))
}

// shrink drops the commonest half of a corpus that is too large.
func (g *guided) shrink(bytes int) {
	if len(g.corpus) <= corpusMax && g.held <= bytes || len(g.corpus) < 2 {
		return
	}
	slices.SortStableFunc(g.corpus, func(a, b entry) int { return cmp.Compare(g.rarity(&b), g.rarity(&a)) })
	half := len(g.corpus) / 2
	for i := range g.corpus[half:] {
		g.held -= g.corpus[half+i].bytes()
	}
	g.dropped += uint64(len(g.corpus) - half)
	g.corpus = slices.Clone(g.corpus[:half])
}
