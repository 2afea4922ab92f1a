package explore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/traffic"
	"starloom/internal/config"
	"starloom/internal/emulator"
)

// search explores a machine slot by slot. It finds all states of a slot before the first state of the next slot, so
// that bounds, counts and counterexample are independent of the number of workers.
type search struct {
	limits  limits    `saved:"-"`
	kinds   []kind    `saved:"-"`
	workers []*worker `saved:"-"`

	nodes *nodes
	position

	count   outcome.ExploredCounts
	levels  []outcome.ExploredLevel
	tallied int    // states in levels
	open    string `saved:"-"` // reason of an incomplete search

	origins
	counterexample
	aside aside

	saved  *Saved          `saved:"-"`
	goes   bool            `saved:"-"` // the search goes on from a file
	stop   atomic.Bool     `saved:"-"` // the search is interrupted
	verify bool            `saved:"-"`
	kept   map[key]visited `saved:"-"` // states found so far, for verify
	err    error           `saved:"-"` // a difference found by verify
}

// counterexample is the best failure so far.
type counterexample struct {
	failed  *failure
	cut     uint32 // slot of the first failure, after which fewer faults are tried
	pruning bool   // there is a cut: a livelock is found after all states
}

// origins are where the explored runs begin.
type origins struct {
	workload workload // of the explored runs
	root     open     // first reset state of these runs

	starts [][]config.ArbiterStart `saved:"-"` // of the arbiters; nil if they start as usual
}

// position is the progress of a search.
type position struct {
	frontier []open // states of the slot that are still to be expanded
	next     []open // states found for the next slot
	slot     uint32 // number of slots that have crossed in the frontier's states
	faults   int    // maximum number of faults on a path in total
	started  bool   // the handlers of slot 0 have run
	inside   bool   // some states of the slot are expanded
}

// aside are facts beside the verdict.
type aside struct {
	wide     wide
	effects  effects
	branches []uint64 // taken in any step
	graph    *graph   // nil if it is not asked for
	met      []string // conditions after of rules that have held
}

// gather adds the effects, branches and conditions of the workers since the last chunk.
func (s *search) gather() {
	for _, w := range s.workers {
		s.aside.effects.take(w.effects)
		w.TakeBranches(&s.aside.branches)
		s.noteMet(w)
	}
}

// chunk is the number of states that workers expand between two merges. It limits the memory of successors, and makes
// the result independent of the number of workers.
const chunk = 1024

type worker struct {
	*emulator.Exploring
	search       *search
	future, rest []byte
	events       []event
	found        []successor
	usual        int     // of found: steps without faults
	effects      effects // since the last chunk
	arena        arena
}

func newSearch(ctx context.Context, c *config.Config, kinds []kind, l limits, o Options) (*search, error) {
	s := &search{limits: l, kinds: kinds, nodes: newNodes(), verify: o.Verify, saved: &o.Saved,
		aside: aside{effects: newEffects(kinds)}}
	if o.Graph {
		s.aside.graph = &graph{}
	}
	scripted := len(c.Faults) - len(kinds)
	for range max(1, o.Workers) {
		options := emulator.Options{Engine: o.Engine, HandlersCovered: o.Branches}
		if l.draws {
			options.Draws = &emulator.DrawScript{}
		}
		x, err := emulator.Explore(ctx, c, options, scripted, o.Classes)
		if err != nil {
			return s, err
		}
		if err := checkMisses(c, kinds, x.Engine()); err != nil {
			return s, errors.Join(err, x.Release())
		}
		s.workers = append(s.workers, &worker{Exploring: x, search: s, effects: newEffects(kinds)})
	}
	if l.starts {
		var err error
		s.starts, err = s.workers[0].Starts()
		return s, err
	}
	return s, nil
}

// checkMisses rejects misses in the cycle engine, in which a receiver misses a slot from its beginning, before the
// light of the slot is known.
func checkMisses(c *config.Config, kinds []kind, engine string) error {
	if engine != emulator.EngineCycle ||
		!slices.ContainsFunc(kinds, func(k kind) bool { return k.fault.Kind == fabric.FaultMiss }) {
		return nil
	}
	return c.Source.Refuse("explore.faults.miss", "misses can be explored only in the slot engine, but this machine "+
		"runs in the cycle engine", "delete miss, or use --engine slot without RTL")
}

// timed reports whether states of different slots differ.
func (s *search) timed() bool { return len(s.workers) > 0 && s.workers[0].SlotRead != "" }

func (s *search) close() {
	for _, w := range s.workers {
		_ = w.Release()
	}
}

// runAll explores the runs of every workload, until all states are expanded or a limit is reached.
func (s *search) runAll(ctx context.Context, workloads iter.Seq[workload], progress func()) error {
	defer context.AfterFunc(ctx, func() { s.stop.Store(true) })()
	for x := range workloads {
		if s.goes && !x.equal(s.workload) {
			continue // explored before the file was saved
		}
		if err := s.load(x); err != nil {
			return err
		}
		if !s.goes {
			s.begin()
		}
		s.goes = false
		if err := s.run(ctx, progress); err != nil {
			return err
		}
		if s.open != "" { // a livelock found in a part of the states would prune the others
			if err := s.saved.write(s); err != nil {
				return err
			}
		}
		if s.findLivelock(s.root.id); s.open != "" || s.err != nil {
			return s.err
		}
	}
	return s.saved.write(s)
}

// load makes all workers begin the runs of a workload.
func (s *search) load(x workload) error {
	s.workload = x
	if x.permutation == nil && x.arrivals == nil {
		return nil
	}
	if x.arrivals != nil {
		t := s.workers[0].Config.Traffic
		t.Rows, _ = traffic.Moved(t.Rows, s.limits.bounds.moves(x.arrivals), uint64(t.Timebase.Cycles))
	}
	for _, w := range s.workers {
		w.Given = x.permutation
		if err := w.Restart(w.Seed); err != nil {
			return err
		}
	}
	return nil
}

// walk runs steps of a failure's workload in worker 0, from the reset state. It calls each after every step, numbered
// from 0.
func (s *search) walk(f *failure, steps [][]event, each func(step int)) error {
	w := s.workers[0]
	if err := errors.Join(s.load(f.workload), w.Restart(w.Seed)); err != nil {
		return err
	}
	if s.starts != nil {
		w.StartAt(s.starts[f.start])
	}
	for i, chosen := range steps {
		w.choose(chosen)
		w.Advance()
		each(i)
	}
	return nil
}

// begin makes the reset states the only unexpanded states: one for each start of the arbiters.
func (s *search) begin() {
	s.nodes.forget()
	s.frontier, s.next = nil, nil
	w := s.workers[0]
	for i := range max(1, len(s.starts)) {
		if s.starts != nil {
			w.StartAt(s.starts[i])
		}
		future, rest := w.Save(nil, nil)
		s.frontier = append(s.frontier, open{uint32(len(s.nodes.all)), future, rest})
		s.nodes.all = append(s.nodes.all, node{key: keyOf(future), parent: none, same: none})
		s.aside.graph.state(0, 0, false)
	}
	s.root = s.frontier[0]
	s.slot, s.started, s.inside = 0, false, false
}

// startOf returns the number of the start of a node's path.
func (s *search) startOf(id uint32) int {
	for s.nodes.all[id].parent != none {
		id = s.nodes.all[id].parent
	}
	return int(id - s.root.id)
}

func (s *search) run(ctx context.Context, progress func()) error {
	for len(s.frontier) > 0 || s.inside {
		if !s.inside { // bounds change only at the end of a slot
			if s.open = s.limit(ctx); s.open != "" {
				return nil
			}
			s.faults, s.inside = s.budget(), true
		}
		if err := s.level(ctx); err != nil {
			return err
		}
		for _, w := range s.workers {
			if err := w.Statics(); err != nil {
				return err
			}
		}
		if s.err != nil {
			return s.err
		}
		if s.open != "" {
			return nil
		}
		s.frontier, s.next, s.inside = s.next, nil, false
		s.slot, s.started = s.nextSlot(), true
		s.tally(len(s.frontier))
		if s.timed() {
			s.nodes.forget()
		}
		progress()
	}
	return nil
}

// nextSlot returns the number of crossed slots in the states of s.next. The first level runs the handlers of slot 0
// without a crossing.
func (s *search) nextSlot() uint32 {
	if s.started {
		return s.slot + 1
	}
	return s.slot
}

// noteMet records the rules whose condition `after` has become true in a worker's step.
func (s *search) noteMet(w *worker) {
	rules := w.Config.Rules.States
	if len(rules) == 0 {
		return
	}
	unmet := w.Unmet()
	for i := range rules {
		if after := rules[i].After; after != "" && !slices.Contains(unmet, after) && !slices.Contains(s.aside.met, after) {
			s.aside.met = append(s.aside.met, after)
		}
	}
}

// budget returns the maximum number of faults of a useful path: fewer than in the failure, or equally many in fewer
// slots.
func (s *search) budget() (faults int) {
	for k := range s.kinds {
		faults += s.kinds[k].limit
	}
	switch f := s.failed; {
	case f == nil:
		return faults
	case s.slot+1 < f.slot:
		return f.faults
	default:
		return f.faults - 1
	}
}

// tally adds the states of a level to the states of its slot, over all permutations.
func (s *search) tally(running int) {
	if at := int(s.slot); at == len(s.levels) {
		s.levels = append(s.levels, outcome.ExploredLevel{Slot: s.slot})
	}
	l := &s.levels[s.slot]
	l.States, l.Running = l.States+s.count.States-s.tallied, l.Running+running
	s.tallied = s.count.States
}

const openBytes = 56

// memory returns the memory of states and snapshots in bytes.
func (s *search) memory() int {
	bytes := s.nodes.bytes()
	for _, list := range [][]open{s.frontier, s.next} {
		for i := range list {
			bytes += len(list[i].future) + len(list[i].rest) + openBytes
		}
	}
	return bytes
}

// full returns the reason of a search whose memory is used up, "" while some is left.
func (s *search) full() string {
	if s.memory() <= s.limits.bytes {
		return ""
	}
	return fmt.Sprintf("the limit of %d MiB of memory is reached", s.limits.bytes>>20)
}

func (s *search) limit(ctx context.Context) string {
	switch {
	case ctx.Err() != nil:
		return openInterrupted
	case s.slot >= s.limits.slots:
		return fmt.Sprintf("the limit of %d slots is reached", s.limits.slots)
	case s.count.States > s.limits.states:
		return fmt.Sprintf("the limit of %d states is reached", s.limits.states)
	}
	return s.full()
}

// level expands all states of a slot. An interruption, or the end of the memory, opens the search; all complete chunks
// are merged.
func (s *search) level(ctx context.Context) error {
	for len(s.frontier) > 0 {
		part := s.frontier[:min(chunk, len(s.frontier))]
		found := make([][]successor, len(part))
		var wait sync.WaitGroup
		for k, w := range s.workers {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for i := k; i < len(part) && ctx.Err() == nil; i += len(s.workers) {
					if n := &s.nodes.all[part[i].id]; !n.beaten && n.used.total() <= s.faults {
						found[i] = w.expand(&part[i], n.used)
					}
				}
			}()
		}
		wait.Wait()
		if ctx.Err() != nil {
			s.open = openInterrupted
			return nil
		}
		for i := range found {
			for k := range found[i] {
				s.merge(part[i].id, &found[i][k])
				s.link(part[i].id, &found[i][k])
			}
		}
		clear(part) // frees the snapshots
		s.frontier = s.frontier[len(part):]
		s.gather()
		if err := s.aside.graph.check(s.count.States); err != nil {
			return err
		}
		if s.open = s.full(); s.open != "" && len(s.frontier) > 0 {
			return nil
		}
		s.open = ""
		if s.saved.due() {
			if err := s.saved.write(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *search) merge(parent uint32, x *successor) {
	if x.wide {
		s.aside.wide.note(s.slot)
		return
	}
	if x.refused != nil && s.err == nil {
		s.err = x.refused
	}
	s.count.Transitions++
	if x.failure != nil {
		s.aside.effects.blame(append(s.nodes.path(parent), x.failure.choice))
	}
	if x.used.total() > s.faults {
		return
	}
	if f := x.failure; f != nil {
		s.aside.graph.step(parent, none, f.choice, f.violations[0].Rule)
		if s.failed == nil || f.faults < s.failed.faults || f.slot < s.failed.slot {
			if s.failed == nil {
				s.cut, s.pruning = f.slot, true
			}
			f.parent, f.workload, f.start = parent, s.workload, s.startOf(parent)
			s.failed, s.faults = f, f.faults-1
		}
		return
	}
	if known := s.nodes.dominating(x.key, x.used); known != none {
		s.aside.graph.step(parent, known, x.choice, "")
		if s.verify {
			s.compare(x)
		}
		s.count.Known++
		return
	}
	id, fresh := s.nodes.add(node{key: x.key, used: x.used, parent: parent, choice: s.nodes.number(x.choice)})
	if fresh {
		s.count.States++
	}
	s.aside.graph.state(s.nextSlot(), x.used, x.ended)
	s.aside.graph.step(parent, id, x.choice, "")
	switch {
	case x.ended && fresh:
		s.count.Ends++
	case !x.ended:
		s.next = append(s.next, open{id, x.future, x.rest})
		if s.verify {
			s.keep(x.key, s.next[len(s.next)-1])
		}
	}
}

// expand returns the successors of a state for all choices, beginning with the step without faults.
func (w *worker) expand(o *open, used vector) []successor {
	s := w.search
	w.found = nil
	w.branch(o, nil, used)
	w.usual = len(w.found)
	w.events = options(w.events[:0], s.kinds, w.Exploring, used)
	subsets(w.events, s.kinds, used, s.faults-used.total(), func(chosen []event, used vector) bool {
		w.branch(o, chosen, used)
		return !s.stop.Load()
	})
	return w.found
}

// branch takes the step with some faults for all outcomes of its draws.
func (w *worker) branch(o *open, faults []event, used vector) {
	first := len(w.found)
	w.step(o, faults, used)
	for d := w.Draws; d != nil && !d.Bare && !w.search.stop.Load(); {
		if d.Wide || len(w.found)-first > emulator.JointOutcomesMax {
			w.found = append(w.found[:first], successor{used: used, wide: true})
			return
		}
		if !d.Next() {
			return
		}
		w.take(o, faults, used)
	}
}

// choice returns the faults of the last step with the outcomes of its draws.
func (w *worker) choice(faults []event) []event {
	all := slices.Clone(faultsOf(faults))
	if w.Draws != nil {
		for _, d := range w.Draws.Made {
			all = append(all, drawEvent(d.Processor, d.Drawn))
		}
	}
	return all
}

// choose sets the faults and the first draws of the next step.
func (w *worker) choose(choice []event) {
	for k := range w.Script.Hit {
		w.Script.Hit[k].Clear()
	}
	faults := faultsOf(choice)
	for _, e := range faults {
		w.Script.Hit[e.kind].Add(int(e.target))
	}
	if w.Draws != nil {
		w.Draws.Chosen = w.Draws.Chosen[:0]
		for _, e := range choice[len(faults):] {
			_, value := e.draw()
			w.Draws.Chosen = append(w.Draws.Chosen, value)
		}
	}
}

// tell counts a step with faults. The first successors of a state are those of steps without faults.
func (w *worker) tell(faults []event, x *successor) {
	if len(faults) == 0 || len(w.found) == 0 {
		return
	}
	w.effects.step(faults, x.failure != nil || !slices.ContainsFunc(w.found[:w.usual], func(usual successor) bool {
		return usual.failure == nil && x.key == usual.key && x.ended == usual.ended
	}))
}

// step takes a step with the faults and the first draws of a choice.
func (w *worker) step(o *open, choice []event, used vector) {
	w.choose(choice)
	w.take(o, faultsOf(choice), used)
}

func (w *worker) take(o *open, faults []event, used vector) {
	w.Return(o.future, o.rest, w.search.slot)
	w.Advance()
	x := successor{used: used, ended: w.Ended()}
	if broken := w.Broken(); len(broken) > 0 {
		x.failure = &failure{choice: w.choice(faults), faults: used.total(), slot: w.Slots(),
			violations: slices.Clone(broken)}
		x.refused = w.BareDraw()
		w.tell(faults, &x)
		w.found = append(w.found, x)
		return
	}
	w.future, w.rest = w.Save(w.future[:0], w.rest[:0])
	x.key = keyOf(w.future)
	w.tell(faults, &x)
	if w.search.keepsAll() || !w.search.nodes.dominated(x.key, used) { // else only its key and faults count
		x.choice = w.choice(faults)
		if !x.ended {
			x.future, x.rest = w.arena.keep(w.future), w.arena.keep(w.rest)
		}
	}
	w.found = append(w.found, x)
}
