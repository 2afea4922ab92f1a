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

// routeCheck explores the states of routes for 64 destinations at a time. A state is an input port with the class of
// the head's VC; the last states are the sources of each router. The check visits only states that packets reach from
// a source. Destinations are routers for rules, and nodes for other routes, whose groups are the pairs of output port
// and class.
type routeCheck struct {
	d       *dependencies
	w       *relating // rules; nil for other routes
	ends    int       // number of destinations
	classes int
	sources int      // number of states before the sources
	width   int      // pairs of port and class of a router
	source  []int    // by router: an input port from a source, counted through all routers
	ways    *waySets // groups of routes that only router and destination determine; nil for others

	block int      // first of 64 destinations
	in    []uint64 // by state: destinations of the packets that reach it
	fresh []uint64 // by state: destinations still to be explored
	open  []int32  // states with fresh destinations, first in, first out
	asks  []bool   // [state*width + port*classes + class]: a packet in the state requests this candidate

	// Of rules.
	escapes []bool   // by class: it is an escape
	masks   []uint64 // [router*groups + group]: destinations
	later   []uint64 // by state of class escape: destinations of the packets that request it after other classes
	found   ruleFindings
	been    []bool // by state: packets have been at mid, and have any destination; nil without mid
}

// ruleFindings are what a check has found about rules.
type ruleFindings struct {
	far     bool      // a candidate does not lead nearer
	leaves  bool      // packets leave class escape
	lost    *lostHead // without a candidate
	without *lostHead // without a candidate of class escape
	back    *lostHead // a packet has been at mid, and would go there again
}

// lostHead is a head in a state without a suitable candidate.
type lostHead struct{ state, to int }

const indirectMax = 1 << 14

// newRouteCheck returns the check of rules, or of other routes if w is nil.
func newRouteCheck(d *dependencies, w *relating) *routeCheck {
	g, routes := &d.built.Graph, &d.built.Routes
	c := &routeCheck{d: d, w: w, ends: len(g.Nodes), classes: max(1, len(d.number)), source: make([]int, len(g.Ports))}
	c.escapes = make([]bool, c.classes)
	if w != nil {
		c.ends, c.masks = len(g.Ports), make([]uint64, len(g.Ports)*w.groups)
		for class, name := range w.Classes.names {
			c.escapes[class] = strings.HasPrefix(name, classEscape)
		}
	} else if routes.Outcomes() == 1 && (routes.Ports != nil || routes.Rule != nil) {
		c.ways = &waySets{d: d, classes: c.classes, to: make([]uint64, len(d.router)*c.classes)}
	}
	c.sources, c.width = len(d.router)*c.classes, slices.Max(g.Ports)*c.classes
	for node := range g.Nodes {
		at := g.Source(node)
		c.source[at.Router] = d.first[at.Router] + at.Port
	}
	states := c.sources + len(g.Ports)
	c.in, c.fresh = make([]uint64, states), make([]uint64, states)
	return c
}

// verdict explores all classes of traffic; no packet spans two of them.
func (c *routeCheck) verdict() verdict {
	d := c.d
	worst, count, traffic := verdict{free: true}, 0, max(1, d.built.Config.Classes)
	for d.class = range traffic {
		c.asks = make([]bool, len(c.in)*c.width)
		if c.w != nil && c.w.sets.MidBase != nil {
			if c.exploreMid(); c.found.far {
				return verdict{text: "packets toward mid may circle for ever",
					remedy: "let each candidate toward mid lead nearer to it"}
			}
		}
		c.explore(nil)
		if c.found.back != nil {
			return verdict{text: "packets that have been at mid may go there again: at " + c.describe(c.found.back.state),
				remedy: "write class == NAME as condition of rules toward mid, and another class after it"}
		}
		if c.found.lost == nil && c.found.far {
			if text := c.circle(c.w.names); text != "" {
				return verdict{text: text, remedy: "let each candidate lead nearer to the destination, or count the steps away"}
			}
		}
		if c.found.lost != nil {
			return verdict{text: fmt.Sprintf("no candidate for packets to %s at %s", c.w.names[c.found.lost.to],
				c.describe(c.found.lost.state)), remedy: "add a rule or a candidate"}
		}
		count += c.depend()
		judge := c.judge
		if c.w == nil {
			judge = d.judge
		}
		if v := judge(); v.worse(&worst) {
			worst = v
		}
	}
	what := fmt.Sprintf("%s x VCs, %s",
		traces.Plural(uint64(len(d.built.Graph.Links)*d.built.Config.VCs), "channel", "channels"),
		traces.Plural(uint64(count), "dependency", "dependencies"))
	if traffic > 1 {
		what += fmt.Sprintf(", in %d classes of traffic", traffic)
	}
	switch {
	case worst.escapes && c.w != nil:
		worst.text = "deadlock-free (Duato): " + what + "; each head also requests class escape, whose channels have no cycle"
	case worst.escapes:
		worst.text = "deadlock-free (Duato): " + what + "; packets of " + d.several() +
			" classes share VCs, and each state has a VC of its own class that leads on, without a cycle"
	case worst.free:
		worst.text = "deadlock-free (Dally and Seitz): no cycle among " + what
	}
	return worst
}

// nearer reports whether a step leads nearer to a destination, or all candidates are shortest ways.
func (w *relating) nearer(from, to, destination int) bool {
	if w.terms.grid != nil {
		return w.steps(to, destination) < w.steps(from, destination)
	}
	return !slices.ContainsFunc(w.Rules, func(rule RouteRule) bool {
		return slices.ContainsFunc(rule.Take,
			func(of RouteCandidate) bool { return !strings.HasPrefix(of.To, routesShortest) })
	})
}

func (w *relating) steps(router, to int) (steps int) {
	for _, k := range w.terms.grid {
		step := stepsTo(router%k, to%k, k, w.terms.around)
		if step = max(step, -step); w.terms.direct {
			step = min(step, 1)
		}
		steps += step
		router, to = router/k, to/k
	}
	return steps
}

// explore explores all destinations. then, unless nil, is called after each 64.
func (c *routeCheck) explore(then func()) {
	for c.block = 0; c.block < c.ends; c.block += 64 {
		clear(c.in)
		count := min(64, c.ends-c.block)
		if c.ways != nil {
			c.ways.fill(c.block, count)
		}
		clear(c.masks)
		for router := 0; c.w != nil && router < c.ends; router++ {
			for k := range count {
				if c.block+k != router {
					c.masks[router*c.w.groups+c.w.sets.Group(router, c.block+k)] |= 1 << k
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

// end returns the bit of the destination of a node, 0 outside of the block.
func (c *routeCheck) end(node int) uint64 {
	if c.w != nil {
		node = c.d.built.Graph.Nodes[node].Router
	}
	if node -= c.block; node < 0 || node >= 64 {
		return 0
	}
	return 1 << node
}

// seed adds the packets of all sources.
func (c *routeCheck) seed() {
	g := &c.d.built.Graph
	all := uint64(0)
	for node := range g.Nodes {
		all |= c.end(node)
	}
	for source := range g.Nodes {
		to := all
		if c.d.built.NIC != nil && (c.w == nil || !c.w.toMid) {
			to = 0
			for destination := range g.Nodes {
				if end := c.end(destination); end != 0 && c.d.sends(source, destination) {
					to |= end
				}
			}
		}
		c.reach(c.sources+g.Source(source).Router, to)
	}
	for state, is := range c.been {
		if is && !c.w.toMid {
			c.reach(state, all)
		}
	}
}

// exploreMid explores packets toward mid.
func (c *routeCheck) exploreMid() {
	c.been, c.w.toMid = make([]bool, len(c.in)), true
	c.explore(nil)
	c.w.toMid = false
}

// spreadMid explores a state of packets toward mid.
func (c *routeCheck) spreadMid(state int, to uint64) {
	port, _ := c.place(state)
	router := c.d.router[port]
	if at := router - c.block; at >= 0 && at < 64 && to>>at&1 == 1 {
		c.been[state] = true
	}
	for group, mask := range c.masks[router*c.w.groups : (router+1)*c.w.groups] {
		if mask &= to; mask == 0 {
			continue
		}
		row := c.row(state, group)
		// the others of a choice lead to the destination
		c.been[state] = c.been[state] || len(row) == 0 || row[0].Pick > 0 && c.w.mixed(row[0].Pick)
		c.take(state, router, mask, row, true)
	}
}

func (c *routeCheck) reach(state int, to uint64) {
	if to &^= c.in[state]; to == 0 {
		return
	}
	c.in[state] |= to
	if c.fresh[state] == 0 {
		c.open = append(c.open, int32(state))
	}
	c.fresh[state] |= to
}

// place returns the input port and the class of a state, -1 for a source.
func (c *routeCheck) place(state int) (port, class int) {
	if state >= c.sources {
		return c.source[state-c.sources], -1
	}
	return state / c.classes, state % c.classes
}

// row returns the candidates of a group in a state of rules.
func (c *routeCheck) row(state, group int) []hw.RouteCandidate {
	port, class := c.place(state)
	base := c.w.sets.Base
	if c.w.toMid {
		base = c.w.sets.MidBase
	}
	return c.w.sets.Rows[int(base[port*c.classes+max(0, class)])+group]
}

// spread explores the open states once. It reports whether states are open. Without through, it stops at class
// escape.
func (c *routeCheck) spread(through bool) bool {
	open := c.open
	c.open = nil
	for _, s := range open {
		state, to := int(s), c.fresh[s]
		c.fresh[s] = 0
		switch {
		case c.w != nil && c.w.toMid:
			c.spreadMid(state, to)
		case c.w != nil:
			c.spreadRows(state, to, through)
		case c.ways != nil:
			port, _ := c.place(state)
			first, end := c.d.first[c.d.router[port]], c.d.first[c.d.router[port]+1]
			for k, mask := range c.ways.to[first*c.classes : end*c.classes] {
				if mask &= to; mask != 0 && c.d.far[first+k/c.classes] >= 0 {
					c.asks[state*c.width+k] = true
					c.reach(c.d.far[first+k/c.classes]*c.classes+k%c.classes, mask)
				}
			}
		default:
			c.spreadHops(state, to)
		}
	}
	return len(c.open) > 0
}

// spreadHops explores a state of routes that depend on input port and class, one destination at a time.
func (c *routeCheck) spreadHops(state int, to uint64) {
	port, class := c.place(state)
	var list []walked
	for ; to != 0; to &= to - 1 {
		list = c.d.hops(list[:0], walked{port, class, class == 1}, c.block+bits.TrailingZeros64(to))
		for _, hop := range list {
			out := c.d.from[hop.port] - c.d.first[c.d.router[port]]
			c.asks[state*c.width+out*c.classes+hop.class] = true
			c.reach(hop.port*c.classes+hop.class, to&-to)
		}
	}
}

func (c *routeCheck) spreadRows(state int, to uint64, through bool) {
	port, _ := c.place(state)
	router := c.d.router[port]
	for group, mask := range c.masks[router*c.w.groups : (router+1)*c.w.groups] {
		if mask &= to; mask == 0 {
			continue
		}
		row := c.row(state, group)
		if c.take(state, router, mask, row, through); len(row) == 0 && c.found.lost == nil {
			c.found.lost = &lostHead{state, c.block + bits.TrailingZeros64(mask)}
		}
	}
}

// take follows the candidates of a row for some destinations. A head that picks surely requests an escape only if all
// options of the pick do.
func (c *routeCheck) take(state, router int, mask uint64, row []hw.RouteCandidate, through bool) {
	escapes, picks, free := false, false, false
	for _, of := range row {
		next := c.d.far[c.d.first[router]+int(of.Port)]*c.classes + int(of.Class)
		if through {
			c.asks[state*c.width+int(of.Port)*c.classes+int(of.Class)] = true
			c.note(state, router, next, c.block+bits.TrailingZeros64(mask))
		}
		if is := c.escapes[of.Class]; of.Pick == 0 {
			escapes = escapes || is
		} else {
			picks, free = true, free || !is
		}
		if through || !c.escapes[of.Class] {
			c.reach(next, mask)
		} else {
			c.later[next] |= mask
		}
	}
	if !(escapes || picks && !free) && len(row) > 0 && c.found.without == nil {
		c.found.without = &lostHead{state, c.block + bits.TrailingZeros64(mask)}
	}
}

// note records properties of a step.
func (c *routeCheck) note(state, router, next, to int) {
	if !c.found.far && !c.w.nearer(router, c.d.router[next/c.classes], to) {
		c.found.far = true
	}
	if state < c.sources && c.escapes[state%c.classes] && !c.escapes[next%c.classes] {
		c.found.leaves = true
	}
	if c.been != nil && !c.w.toMid && c.found.back == nil && c.w.leadsToMid(next) {
		c.found.back = &lostHead{next, to}
	}
}

// leadsToMid reports whether packets in a state between routers go toward mid.
func (w *relating) leadsToMid(state int) bool {
	base := int(w.sets.MidBase[state])
	return slices.ContainsFunc(w.sets.Rows[base:base+w.groups],
		func(row []hw.RouteCandidate) bool { return len(row) > 0 })
}

// mixed reports whether a pick has options toward mid, and others.
func (w *relating) mixed(pick uint8) bool {
	return slices.ContainsFunc(w.rules, func(rule relatedRule) bool {
		return !rule.only && slices.ContainsFunc(rule.take, func(of relatedCandidate) bool { return of.pick == pick })
	})
}

// depend adds the dependencies, and returns the number of pairs of virtual channels.
func (c *routeCheck) depend() (count int) {
	d, classes := c.d, c.classes
	d.next = make([][]uint32, len(d.kinds)*len(d.router))
	var held, asked []uint32
	for state := range c.sources {
		router := d.router[state/classes]
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
func (c *routeCheck) judge() verdict {
	d, w := c.d, c.w
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
	case c.found.without != nil:
		refused.text = fmt.Sprintf("packets to %s at %s do not request class escape, and they %s",
			w.names[c.found.without.to], c.describe(c.found.without.state), refused.text)
		refused.remedy = "add a candidate of class escape to each rule"
	case d.cycle(of) != nil:
		refused.text = "class escape " + "may deadlock: " + d.describe(d.cycle(of))
	case !c.found.leaves:
		return verdict{free: true, escapes: true}
	case !w.built.Config.WaitForTail:
		refused.text = "packets leave class escape, and their channels may hold other packets: " + refused.text
		refused.remedy = "write wait_for_tail_credit: true, or a first rule for class == escape that keeps this class"
	case c.been != nil:
		refused.text = "packets leave class escape on their way to mid or from there: " + refused.text
		refused.remedy = "write a first rule for class == escape that keeps this class"
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
func (c *routeCheck) again(of func(vertex uint32) bool) string {
	d, classes, reached := c.d, c.classes, make([]uint64, len(c.in))
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

// begins reports whether packets to all destinations begin in a state: at a source, or where they have been at mid.
func (c *routeCheck) begins(state int) bool {
	if state < c.sources {
		return c.been != nil && c.been[state]
	}
	g := &c.d.built.Graph
	for node := range g.Nodes {
		if g.Source(node).Router == state-c.sources {
			return true
		}
	}
	return false
}

// circle returns a description of a packet that may move in a circle, "" if there is none.
func (c *routeCheck) circle(names []string) string {
	g := &c.d.built.Graph
	const inside, done = 1, 2
	color, classes := make([]uint8, len(c.in)), c.classes
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
				f.row = c.row(state, c.w.sets.Group(router, to))
			}
			color[state] = inside
			stack = append(stack, f)
		}
		for start := range c.in {
			begins := c.begins(start)
			if router := c.router(start); !begins || router == to || color[start] != 0 {
				continue
			}
			for enter(start); len(stack) > 0; {
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

// router returns the router of a state.
func (c *routeCheck) router(state int) int {
	port, _ := c.place(state)
	return c.d.router[port]
}

// describe returns a state of rules in words.
func (c *routeCheck) describe(state int) string {
	port, class := c.place(state)
	names := c.w.names
	router := names[c.d.router[port]]
	if class < 0 {
		return router + ", from its own source"
	}
	text := fmt.Sprintf("%s, from %s", router, names[c.d.router[c.d.from[port]]])
	if classes := c.w.Classes.names; classes != nil {
		text += " in class " + classes[class]
	}
	return text
}
