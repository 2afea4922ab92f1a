package explore

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/zeebo/xxh3"
)

// trial is a run from a state of the corpus: a slot with the chosen faults, then slots without faults.
type trial struct {
	options []event // faults for the first slot, if it ran without faults
	steps   []tried
}

// tried is a step of a trial, with the state after it.
type tried struct {
	successor
	slot    uint32
	shows   []uint64
	options []event
	waits   bool
}

// trialSlots bounds the slots of a trial. A longer run goes on in another trial.
const trialSlots = 4096

// try makes a trial. It reads the states known before the round, so it does not depend on other trials.
func (w *worker) try(p *pick) (t trial) {
	s, used, chosen := w.search, p.used, p.chosen
	for _, e := range chosen {
		used = used.plus(int(e.kind))
	}
	w.Return(p.future, p.rest, p.slot)
	w.looks.begin(w)
	var own map[key]bool // states of this trial, if slots do not tell them apart
	if !s.timed() {
		own = map[key]bool{}
	}
	for range trialSlots {
		w.choose(chosen)
		w.Advance()
		if len(chosen) == 0 {
			w.events = options(w.events[:0], s.kinds, w.Exploring, used)
			if n := len(t.steps); n > 0 {
				t.steps[n-1].options = slices.Clone(w.events)
			} else {
				t.options = slices.Clone(w.events)
			}
		}
		x := tried{successor: successor{used: used, choice: chosen, ended: w.Ended()}, slot: w.Slots()}
		if broken := w.Broken(); len(broken) > 0 {
			x.failure = &failure{choice: chosen, faults: used.total(), slot: w.Slots(), violations: slices.Clone(broken)}
			t.steps = append(t.steps, x)
			return t
		}
		w.future, w.rest = w.Save(w.future[:0], w.rest[:0])
		x.key, x.shows = keyOf(w.future), w.looks.features(w)
		known := own[x.key] || s.nodes.dominated(x.key, used)
		if !known && !x.ended {
			x.future, x.rest = bytes.Clone(w.future), bytes.Clone(w.rest)
		}
		t.steps = append(t.steps, x)
		if known || x.ended {
			return t
		}
		if own != nil {
			own[x.key] = true
		}
		chosen = nil
	}
	t.steps[len(t.steps)-1].waits = true
	return t
}

// mergeTrial adds the new states of a trial to the known states and to the corpus.
func (s *search) mergeTrial(p *pick, t *trial) {
	g, parent := s.guide, p.id
	g.trials++
	if p.waits {
		p.options, p.waits = t.options, false
		g.add(p.entry, false)
	}
	for k := range t.steps {
		x := &t.steps[k]
		s.count.Transitions++
		if f := x.failure; f != nil {
			s.aside.effects.step(x.choice, true)
			s.aside.effects.blame(append(s.nodes.path(parent), f.choice))
			f.parent, s.failed = parent, f
			return
		}
		known := s.nodes.dominating(x.key, x.used)
		s.aside.effects.step(x.choice, known == none)
		id := known
		if known == none {
			var fresh bool
			id, fresh = s.nodes.add(node{key: x.key, used: x.used, parent: parent, choice: s.nodes.number(x.choice)})
			if fresh {
				s.count.States++
			}
			if x.ended && fresh {
				s.count.Ends++
			}
		}
		if len(x.choice) == 0 {
			s.link(parent, &x.successor)
		}
		if known != none {
			s.count.Known++
			if s.circles(id) {
				s.findLivelock(s.root.id)
			}
			return
		}
		fresh := g.learn(x)
		if !x.ended {
			g.add(entry{open: open{id, x.future, x.rest}, slot: x.slot, used: x.used, options: x.options, waits: x.waits,
				shows: x.shows}, fresh)
		}
		parent = id
	}
}

// circles reports whether the run without further faults returns to a state.
func (s *search) circles(id uint32) bool {
	if s.timed() {
		return false
	}
	n := s.nodes
	seen := map[uint32]bool{}
	for {
		head := n.head(id)
		if seen[head] {
			return true
		}
		seen[head] = true
		next := none
		for at := head; at != none && next == none; at = n.all[at].same {
			if int(at) < len(n.next) {
				next = n.next[at]
			}
		}
		if next == none {
			return false
		}
		id = next
	}
}

// looks are the features of a worker's state. A feature is a number with its type in the highest bits.
type looks struct {
	taken  []uint64 // branches of the last step
	all    []uint64 // branches since the last gathering
	before [][]byte // state of the firmware by processor, before the step
	hash   []byte
}

// types of features
const (
	showsPath  = 1 << 62 // the set of branches that a step takes
	showsByte  = 2 << 62 // the value of a byte of a processor's state
	showsState = 3 << 62 // the state of one processor
	showsRules = 0       // the rules on probes and results that wait, and the figures that they judge
	showsType  = 3 << 62
)

const (
	valuesMax     = 12  // a byte with more values is no counter of steps
	looksAt       = 256 // bytes of a state
	looksAtFrames = 64  // processors
)

// begin looks at the state from which a trial starts.
func (l *looks) begin(w *worker) {
	w.TakeBranches(&l.all)
	for i := range min(looksAtFrames, w.Shape.Processors()) {
		bank, cell := w.Cell(i)
		if i == len(l.before) {
			l.before = append(l.before, nil)
		}
		state := bank.State(cell)
		l.before[i] = append(l.before[i][:0], state[:min(len(state), looksAt)]...)
	}
}

// features returns the features of the state after a step.
func (l *looks) features(w *worker) (list []uint64) {
	clear(l.taken)
	w.TakeBranches(&l.taken)
	l.hash = l.hash[:0]
	for k, word := range l.taken {
		if k == len(l.all) {
			l.all = append(l.all, 0)
		}
		l.all[k] |= word
		l.hash = binary.LittleEndian.AppendUint64(l.hash, word)
	}
	list = append(list, showsPath|xxh3.Hash(l.hash)>>2)
	for i := range l.before {
		bank, cell := w.Cell(i)
		state := bank.State(cell)
		state = state[:min(len(state), looksAt)]
		if bytes.Equal(state, l.before[i]) {
			continue
		}
		for at, value := range state {
			if value != l.before[i][at] {
				list = append(list, showsByte|uint64(i)<<32|uint64(at)<<8|uint64(value))
			}
		}
		list = append(list, showsState|(xxh3.Hash(state)^uint64(i))>>2)
		l.before[i] = append(l.before[i][:0], state...)
	}
	l.hash = w.RulesSeen(l.hash[:0])
	if len(l.hash) > 0 {
		list = append(list, showsRules|xxh3.Hash(l.hash)>>2)
	}
	return list
}

// learn counts the features of a state and keeps the rarest. fresh reports a new path, value or figure; nearly every
// state of a processor is new, so such a state does not count.
func (g *guided) learn(x *tried) (fresh bool) {
	x.shows = slices.DeleteFunc(x.shows, func(f uint64) bool {
		if f&showsType != showsByte || g.seen[f] > 0 {
			return false
		}
		place := f >> 8
		if g.values[place] == valuesMax {
			return true
		}
		g.values[place]++
		return false
	})
	for _, f := range x.shows {
		fresh = fresh || g.seen[f] == 0 && f&showsType != showsState
		g.seen[f]++
	}
	slices.SortStableFunc(x.shows, func(a, b uint64) int { return int(g.seen[a]) - int(g.seen[b]) })
	x.shows = slices.Clone(x.shows[:min(showsMax, len(x.shows))])
	return fresh
}

// gather moves the branches of a worker's trials to a set.
func (l *looks) gather(to *[]uint64) {
	if n := len(l.all); len(*to) < n {
		*to = append(*to, make([]uint64, n-len(*to))...)
	}
	for k, word := range l.all {
		(*to)[k] |= word
	}
	clear(l.all)
}
