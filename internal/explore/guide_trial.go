package explore

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/zeebo/xxh3"

	"starloom/fabric/outcome"
)

// trial is a run from a state of the corpus: a slot with the chosen faults, then other slots.
type trial struct {
	first tried // the state of the corpus: options and waits are known if the first slot ran without faults
	steps []tried
	again uint64 // slots that ran a second time, with a fault
}

// tried is a step of a trial, with the state after it.
type tried struct {
	successor
	slot    uint32
	shows   []uint64
	options []event
	waits   bool
}

// trialSlots bounds the slots of a trial. patience is the number of slots after which a short trial ends if it
// shows nothing new and goes on changing. The run may go on in another trial.
const (
	trialSlots = 4096
	patience   = 16
)

// try makes a trial. It reads the states known before the round, so it does not depend on other trials.
func (g *guided) try(w *worker, l *looks, p *pick) (t trial) {
	s, used, chosen := g.search, p.used, p.chosen
	for _, e := range chosen {
		used = used.plus(int(e.kind))
	}
	random := rand.New(rand.NewPCG(p.seed, 0))
	t.first.future, t.first.rest, t.first.slot = p.future, p.rest, p.slot
	w.Return(p.future, p.rest, p.slot)
	l.begin(w)
	var own map[key]bool // states of this trial, if slots do not tell them apart
	if !s.timed() {
		own = map[key]bool{}
	}
	idle := 0
	for range trialSlots {
		w.choose(chosen)
		w.Advance()
		if len(chosen) == 0 {
			from := &t.first
			if n := len(t.steps); n > 0 {
				from = &t.steps[n-1]
			}
			w.events = options(w.events[:0], s.kinds, w.Exploring, used)
			from.options = slices.Clone(w.events)
			if n := len(w.events); n > 0 && p.manner == dense && random.IntN(denseMean) == 0 {
				k := oneOf(from.options, random)
				chosen, used = []event{from.options[k]}, used.plus(int(from.options[k].kind))
				from.options, from.waits = slices.Delete(from.options, k, k+1), true
				w.TakeBranches(&l.all)
				w.Return(from.future, from.rest, from.slot)
				w.choose(chosen)
				w.Advance()
				t.again++
			}
		}
		x := tried{successor: successor{used: used, choice: chosen, ended: w.Ended()}, slot: w.Slots()}
		if broken := g.broken(w); len(broken) > 0 {
			x.failure = &failure{choice: chosen, faults: used.total(), slot: w.Slots(), violations: slices.Clone(broken)}
			t.steps = append(t.steps, x)
			return t
		}
		w.future, w.rest = w.Save(w.future[:0], w.rest[:0])
		x.key, x.shows = keyOf(w.future), l.features(w)
		known := own[x.key] || s.nodes.dominated(x.key, used)
		if !known && !x.ended {
			x.future, x.rest = bytes.Clone(w.future), bytes.Clone(w.rest)
		}
		t.steps = append(t.steps, x)
		if known || x.ended || x.slot >= s.limits.slots {
			return t
		}
		if own != nil {
			own[x.key] = true
		}
		if idle++; l.still || g.shows(x.shows, l.own) {
			idle = 0
		}
		if chosen = nil; idle == patience && p.manner == short {
			break
		}
	}
	t.steps[len(t.steps)-1].waits = true
	return t
}

// broken returns the violations of the last step that count.
func (g *guided) broken(w *worker) []outcome.Violation {
	all := w.Broken()
	if g.judged == nil || len(all) == 0 {
		return all
	}
	w.Findings.Kept = w.Findings.Kept[:0]
	return slices.DeleteFunc(slices.Clone(all), func(v outcome.Violation) bool { return !g.judged(&v) })
}

// merge adds the new states of a trial to the known states and to the corpus.
func (g *guided) merge(p *pick, t *trial) {
	s, parent := g.search, p.id
	g.trials++
	s.count.Transitions += t.again
	if p.waits {
		p.options, p.waits = t.first.options, t.first.waits
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
			if g.judged == nil && s.circles(id) {
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
	still  bool     // no state has changed in the last step
	own    map[uint64]bool
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
	l.own = map[uint64]bool{}
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
	list, l.still = append(list, showsPath|xxh3.Hash(l.hash)>>2), true
	for i := range l.before {
		bank, cell := w.Cell(i)
		state := bank.State(cell)
		state = state[:min(len(state), looksAt)]
		if bytes.Equal(state, l.before[i]) {
			continue
		}
		l.still = false
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

// shows reports whether features have one that no state has shown, also none of the trial's own.
func (g *guided) shows(features []uint64, own map[uint64]bool) (fresh bool) {
	for _, f := range features {
		if f&showsType == showsState || g.seen[f] > 0 || own[f] || f&showsType == showsByte && g.values[f>>8] == valuesMax {
			continue
		}
		own[f], fresh = true, true
	}
	return fresh
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
