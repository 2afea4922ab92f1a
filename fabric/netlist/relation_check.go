package netlist

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"starloom/hw"
	"starloom/traces"
)

// classEscape begins the names of the classes of VCs that keep a network free of deadlocks although the other classes
// have cycles.
const classEscape = "escape"

// relationCheck explores the states of a relation for 64 destinations at a time. A state is an input port with the
// class of the head's VC; the last states are the sources of each router. The check visits only states that packets
// reach from a source.
type relationCheck struct {
	d       *dependencies
	sets    *hw.RouteSets
	names   []string // of classes
	groups  int
	sources int      // number of states before the sources
	width   int      // pairs of port and class of a router
	escapes []bool   // by class: it is an escape
	source  []uint32 // by router: row of group 0 at its sources
	nearer  func(from, to, destination int) bool

	block int      // first of 64 destinations
	in    []uint64 // by state: destinations of the packets that reach it
	fresh []uint64 // by state: destinations still to be explored
	open  []int32  // states with fresh destinations, first in, first out
	masks []uint64 // [router*groups + group]: destinations
	later []uint64 // by state of class escape: destinations of the packets that request it after other classes
	asks  []bool   // [state*width + port*classes + class]: a packet in the state requests this candidate

	far     bool // a candidate does not lead nearer
	leaves  bool // packets leave class escape
	lost    *lostHead
	without *lostHead
}

// lostHead is a head in a state without a suitable candidate.
type lostHead struct{ state, to int }

const indirectMax = 1 << 14

// check explores a compiled relation and returns the verdict.
func (w *relating) check() verdict {
	d := newDependencies(w.built)
	d.classify()
	c := &relationCheck{d: d, sets: w.sets, names: w.Classes.names, nearer: w.nearer()}
	c.groups, c.escapes = groupsOf(c.sets), make([]bool, len(c.sets.Classes))
	for class, name := range c.names {
		c.escapes[class] = strings.HasPrefix(name, classEscape)
	}
	classes := len(c.sets.Classes)
	c.sources, c.width = len(d.router)*classes, slices.Max(w.built.Graph.Ports)*classes
	states := c.sources + len(w.built.Graph.Ports)
	c.source = make([]uint32, len(w.built.Graph.Ports))
	for node := range w.built.Graph.Nodes {
		at := w.built.Graph.Source(node)
		c.source[at.Router] = c.sets.Base[(d.first[at.Router]+at.Port)*classes]
	}
	c.in, c.fresh = make([]uint64, states), make([]uint64, states)
	c.masks = make([]uint64, len(w.built.Graph.Ports)*c.groups)
	worst := verdict{free: true}
	count, traffic := 0, max(1, w.built.Config.Classes)
	for d.class = range traffic {
		c.asks = make([]bool, states*c.width)
		c.explore(nil)
		if c.lost == nil && c.far {
			if text := c.circle(w.names); text != "" {
				return verdict{text: text, remedy: "let each candidate lead nearer to the destination, or count the steps away"}
			}
		}
		if c.lost != nil {
			return verdict{text: fmt.Sprintf("no candidate for packets to %s at %s", w.names[c.lost.to],
				c.describe(c.lost.state, w)), remedy: "add a rule or a candidate"}
		}
		count += c.depend()
		if v := c.judge(w); v.worse(&worst) {
			worst = v
		}
	}
	what := fmt.Sprintf("%s x VCs, %s",
		traces.Plural(uint64(len(w.built.Graph.Links)*w.built.Config.VCs), "channel", "channels"),
		traces.Plural(uint64(count), "dependency", "dependencies"))
	switch {
	case worst.escapes:
		worst.text = "deadlock-free (Duato): " + what + "; each head also requests class escape, whose channels have no cycle"
	case worst.free:
		worst.text = "deadlock-free (Dally and Seitz): no cycle among " + what
	}
	return worst
}

// nearer returns a function that reports whether a step leads nearer to a destination, nil if all candidates are
// shortest ways.
func (w *relating) nearer() func(from, to, destination int) bool {
	switch {
	case w.terms.grid != nil:
		return func(from, to, destination int) bool { return w.steps(to, destination) < w.steps(from, destination) }
	case !slices.ContainsFunc(w.Rules, func(rule RouteRule) bool {
		return slices.ContainsFunc(rule.Take,
			func(of RouteCandidate) bool { return !strings.HasPrefix(of.To, routesShortest) })
	}):
		return nil
	}
	return func(_, _, _ int) bool { return false }
}

func (w *relating) steps(router, to int) (steps int) {
	for _, k := range w.terms.grid {
		step := stepsTo(router%k, to%k, k, w.terms.around)
		steps += max(step, -step)
		router, to = router/k, to/k
	}
	return steps
}

func groupsOf(sets *hw.RouteSets) (groups int) {
	if sets.Groups != nil {
		return 1 + int(slices.Max(sets.Groups))
	}
	for _, codes := range sets.Codes {
		groups += int(slices.Max(codes))
	}
	return groups + 1
}

// explore explores all destinations. then, unless nil, is called after each 64.
func (c *relationCheck) explore(then func()) {
	routers := len(c.d.built.Graph.Ports)
	for c.block = 0; c.block < routers; c.block += 64 {
		clear(c.in)
		clear(c.masks)
		for router := range routers {
			for k := range min(64, routers-c.block) {
				if c.block+k != router {
					c.masks[router*c.groups+c.sets.Group(router, c.block+k)] |= 1 << k
				}
			}
		}
		c.seed()
		for c.spread(true) {
		}
		if then != nil {
			then()
		}
	}
}

// seed adds the packets of all sources.
func (c *relationCheck) seed() {
	g := &c.d.built.Graph
	all := uint64(0)
	for _, node := range g.Nodes {
		if at := node.Router - c.block; at >= 0 && at < 64 {
			all |= 1 << at
		}
	}
	for source := range g.Nodes {
		to := all
		if c.d.built.NIC != nil {
			to = 0
			for destination, home := range g.Nodes {
				if at := home.Router - c.block; at >= 0 && at < 64 && c.d.sends(source, destination) {
					to |= 1 << at
				}
			}
		}
		c.reach(c.sources+g.Source(source).Router, to)
	}
}

func (c *relationCheck) reach(state int, to uint64) {
	if to &^= c.in[state]; to == 0 {
		return
	}
	c.in[state] |= to
	if c.fresh[state] == 0 {
		c.open = append(c.open, int32(state))
	}
	c.fresh[state] |= to
}

func (c *relationCheck) router(state int) int {
	if state >= c.sources {
		return state - c.sources
	}
	return c.d.router[state/len(c.sets.Classes)]
}

func (c *relationCheck) base(state int) int {
	if state < c.sources {
		return int(c.sets.Base[state])
	}
	return int(c.source[state-c.sources])
}

// spread explores the open states once. It reports whether states are open. Without through, it stops at class
// escape.
func (c *relationCheck) spread(through bool) bool {
	open := c.open
	c.open = nil
	for _, s := range open {
		state, router, to := int(s), c.router(int(s)), c.fresh[s]
		c.fresh[s] = 0
		base, classes := c.base(state), len(c.sets.Classes)
		for group, mask := range c.masks[router*c.groups : (router+1)*c.groups] {
			if mask &= to; mask == 0 {
				continue
			}
			row, escapes := c.sets.Rows[base+group], false
			for _, of := range row {
				far := c.d.far[c.d.first[router]+int(of.Port)]
				next := far*classes + int(of.Class)
				if through {
					c.asks[state*c.width+int(of.Port)*classes+int(of.Class)] = true
					c.note(state, router, next, c.block+bits.TrailingZeros64(mask))
				}
				escapes = escapes || c.escapes[of.Class]
				if through || !c.escapes[of.Class] {
					c.reach(next, mask)
				} else {
					c.later[next] |= mask
				}
			}
			if head := (&lostHead{state, c.block + bits.TrailingZeros64(mask)}); len(row) == 0 && c.lost == nil {
				c.lost = head
			} else if !escapes && c.without == nil {
				c.without = head
			}
		}
	}
	return len(c.open) > 0
}

// note records properties of a step.
func (c *relationCheck) note(state, router, next, to int) {
	classes := len(c.sets.Classes)
	if !c.far && c.nearer != nil && !c.nearer(router, c.d.router[next/classes], to) {
		c.far = true
	}
	if state < c.sources && c.escapes[state%classes] && !c.escapes[next%classes] {
		c.leaves = true
	}
}

// depend adds the dependencies, and returns the number of pairs of virtual channels.
func (c *relationCheck) depend() (count int) {
	d, classes := c.d, len(c.sets.Classes)
	d.next = make([][]uint32, len(d.kinds)*len(d.router))
	var held, asked []uint32
	for state := range c.sources {
		router := c.router(state)
		for out := range d.built.Graph.Ports[router] * classes {
			if !c.asks[state*c.width+out] {
				continue
			}
			held = d.vertices(held[:0], state/classes, state%classes)
			asked = d.vertices(asked[:0], d.far[d.first[router]+out/classes], out%classes)
			for _, a := range held {
				for _, b := range asked {
					count += d.add(a, b)
				}
			}
		}
	}
	return count
}

// judge returns the verdict on one class of traffic.
func (c *relationCheck) judge(w *relating) verdict {
	d := c.d
	cycle := d.cycle(func(uint32) bool { return true })
	if cycle == nil {
		return verdict{free: true}
	}
	refused := verdict{text: "may deadlock: " + d.describe(cycle),
		remedy: "forbid a turn, or add a class escape without a cycle, and wait_for_tail_credit: true"}
	if !slices.Contains(c.escapes, true) {
		return refused
	}
	refused.remedy = "change the rules"
	kinds := make([]bool, len(d.kinds))
	for class, is := range c.escapes {
		kinds[d.classes[class][0]] = is
	}
	of := func(vertex uint32) bool { return kinds[int(vertex)%len(d.kinds)] }
	switch {
	case !w.built.Config.WaitForTail && !w.built.Config.Stages.BusyWhenFull:
		refused.remedy = "write wait_for_tail_credit: true: without it, class escape does not protect, since VCs are " +
			"allocated while their buffers are full"
	case c.without != nil:
		refused.text = fmt.Sprintf("packets to %s at %s do not request class escape, and they %s", w.names[c.without.to],
			c.describe(c.without.state, w), refused.text)
		refused.remedy = "add a candidate of class escape to each rule"
	case d.cycle(of) != nil:
		refused.text = "class escape " + "may deadlock: " + d.describe(d.cycle(of))
	case !c.leaves:
		return verdict{free: true, escapes: true}
	case !w.built.Config.WaitForTail:
		refused.text = "packets leave class escape, and their channels may hold other packets: " + refused.text
		refused.remedy = "write wait_for_tail_credit: true, or a first rule for class == escape that keeps this class"
	case c.sources > indirectMax:
		refused.text += fmt.Sprintf("; packets leave class escape, which is only checked up to %d ports times classes",
			indirectMax)
		refused.remedy = "write a first rule for class == escape that keeps this class"
	default:
		if text := c.again(of); text != "" {
			refused.text = text
			break
		}
		return verdict{free: true, escapes: true}
	}
	return refused
}

// again checks escapes that packets leave: it adds the dependencies of each escape on the next one after other
// classes, and returns a cycle among escapes, "" for none.
func (c *relationCheck) again(of func(vertex uint32) bool) string {
	d, classes, reached := c.d, len(c.sets.Classes), make([]uint64, len(c.in))
	c.later = make([]uint64, len(c.in))
	c.explore(func() {
		copy(reached, c.in)
		for state := range c.sources {
			if reached[state] == 0 || !c.escapes[state%classes] {
				continue
			}
			clear(c.in)
			clear(c.later)
			c.reach(state, reached[state])
			for c.spread(false) {
			}
			held := d.vertices(nil, state/classes, state%classes)[0]
			for next, to := range c.later[:c.sources] {
				if to != 0 {
					d.add(held, d.vertices(nil, next/classes, next%classes)[0])
				}
			}
		}
	})
	cycle := d.cycle(of)
	if cycle == nil {
		return ""
	}
	var names []string
	for _, v := range cycle[:min(len(cycle), cycleShown)] {
		names = append(names, d.name(v))
	}
	return fmt.Sprintf("may deadlock: packets leave class escape and request it again later, in a cycle of %d "+
		"channels: %s", len(cycle), strings.Join(names, ", "))
}

// circle returns a description of a packet that may move in a circle, "" if there is none.
func (c *relationCheck) circle(names []string) string {
	g := &c.d.built.Graph
	const inside, done = 1, 2
	color, classes := make([]uint8, len(c.in)), len(c.sets.Classes)
	type frame struct {
		state int
		row   []hw.RouteCandidate
	}
	for to := range g.Ports {
		clear(color)
		var stack []frame
		enter := func(state int) {
			f := frame{state: state}
			if router := c.router(state); router != to {
				f.row = c.sets.Rows[c.base(state)+c.sets.Group(router, to)]
			}
			color[state] = inside
			stack = append(stack, f)
		}
		for node := range g.Nodes {
			source := c.sources + g.Source(node).Router
			if source == c.sources+to || color[source] != 0 {
				continue
			}
			for enter(source); len(stack) > 0; {
				top := &stack[len(stack)-1]
				if len(top.row) == 0 {
					color[top.state] = done
					stack = stack[:len(stack)-1]
					continue
				}
				of := top.row[0]
				top.row = top.row[1:]
				next := c.d.far[c.d.first[c.router(top.state)]+int(of.Port)]*classes + int(of.Class)
				if color[next] == inside {
					text := ""
					for _, f := range stack[slices.IndexFunc(stack, func(f frame) bool { return f.state == next }):] {
						text += names[c.router(f.state)] + " -> "
					}
					return fmt.Sprintf("packets to %s may circle for ever: %s%s", names[to], text, names[c.router(next)])
				}
				if color[next] == 0 {
					enter(next)
				}
			}
		}
	}
	return ""
}

// describe returns a state in words.
func (c *relationCheck) describe(state int, w *relating) string {
	router := w.names[c.router(state)]
	if state >= c.sources {
		return router + ", from its own source"
	}
	port, class := state/len(c.sets.Classes), state%len(c.sets.Classes)
	text := fmt.Sprintf("%s, from %s", router, w.names[c.d.router[c.d.from[port]]])
	if c.names != nil {
		text += " in class " + c.names[class]
	}
	return text
}
