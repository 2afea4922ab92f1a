package flatten

import (
	"fmt"
	"slices"
	"strings"
)

type sensitivity struct {
	event
	v *variable
}

func (d *design) clock(n *node) {
	items := d.sensitivities(n)
	at := d.clockOf(n, items)
	c := &clocked{design: d, n: n, clock: items[at].event, resets: slices.Delete(slices.Clone(items), at, at+1),
		off: map[*variable]*expr{}}
	for _, r := range c.resets {
		if r.v == nil {
			panic(d.refuse(n, "an asynchronous reset that is an expression", "give it a name: `wire rst = ...`"))
		}
		c.off[r.v] = d.g.bit(r.falling)
	}
	// Verilator sorts the sensitivity list, so the priority of resets must be found by trial.
	slices.SortFunc(c.resets, func(a, b sensitivity) int { return a.v.index - b.v.index })
	p, s := c.run(c.off, false)
	var problem error
	for orders := permutations(c.resets); len(orders) > 0; orders = orders[1:] {
		c.resets, c.found = orders[0], nil
		why := c.reset(s)
		if why == nil {
			problem = nil
			break
		}
		if problem == nil {
			problem = why
		}
	}
	if problem != nil {
		panic(problem)
	}
	for _, f := range c.found {
		f.v.registers = append(f.v.registers, f.register)
	}
	c.ports(p)
}

type clocked struct {
	*design
	n      *node
	clock  event
	resets []sensitivity
	off    map[*variable]*expr
	found  []registerOf
}

type registerOf struct {
	v *variable
	register
}

func permutations(list []sensitivity) (all [][]sensitivity) {
	if len(list) < 2 {
		return [][]sensitivity{list}
	}
	for i := range list {
		for _, rest := range permutations(slices.Delete(slices.Clone(list), i, i+1)) {
			all = append(all, append([]sensitivity{list[i]}, rest...))
		}
	}
	return all
}

func (c *clocked) run(fixed map[*variable]*expr, on bool) (*process, *state) {
	p := c.newProcess()
	p.clocked, p.fixed, p.fixedReset = true, fixed, on
	return p, p.run(c.n.operands[1], newState(nil))
}

// reset finds the effect of each reset. The first active reset has priority.
func (c *clocked) reset(s *state) error {
	states := []*state{s}
	for i, r := range c.resets {
		fixed := map[*variable]*expr{r.v: c.g.not(c.off[r.v])}
		for _, before := range c.resets[:i] {
			fixed[before.v] = c.off[before.v]
		}
		q, on := c.run(fixed, true)
		states = append(states, on)
		for _, v := range q.violations {
			c.drop(v.at, "an assertion while an asynchronous reset is active")
		}
	}
	for _, k := range touched(nil, states...) {
		if err := c.register(k, states); err != nil {
			return err
		}
	}
	return nil
}

// ports collects the memory writes and assertions of the process. Both are disabled during reset.
func (c *clocked) ports(p *process) {
	active := c.g.bit(true)
	for _, r := range c.resets {
		on := c.g.variable(r.v)
		if r.falling {
			on = c.g.not(on)
		}
		active = c.g.and(active, c.g.not(on))
	}
	for _, w := range p.writes {
		w.when = c.g.and(w.when, active)
		w.v.ports = append(w.v.ports, writePort{w, c.clock, c.n})
	}
	for _, v := range p.violations {
		c.check(v, c.eventText(c.clock), c.g.and(v.when, active))
	}
}

func (d *design) sensitivities(n *node) (items []sensitivity) {
	p := d.newProcess()
	for _, item := range n.one(1).operands[0] {
		s := sensitivity{event: event{falling: strings.Contains(item.rest, "[NEG]")}}
		s.e = p.eval(item.one(1), newState(nil))
		if item.one(1).kind == "VARREF" {
			s.v = d.variableOf(item.one(1))
		}
		if s.e.op == opConst || s.e.width != 1 {
			panic(d.refuse(item, "a clock that is not one bit", "name one bit: posedge clk[0]"))
		}
		items = append(items, s)
	}
	return items
}

func (d *design) clockOf(n *node, items []sensitivity) int {
	if len(items) == 1 {
		return 0
	}
	var unread []int
	for i, item := range items {
		if item.v != nil && slices.Contains(d.clocks, item.v.name) {
			return i
		}
		read := false
		for _, statement := range n.operands[1] {
			statement.each(func(n *node) { read = read || n.kind == "VARREF" && item.v != nil && d.variableOf(n) == item.v })
		}
		if !read {
			unread = append(unread, i)
		}
	}
	if len(unread) != 1 {
		panic(d.refuse(n, "several edges, each of which may be the clock",
			"name the clock, and test every asynchronous reset"))
	}
	return unread[0]
}

func (c *clocked) register(k key, states []*state) error {
	if both := states[0].find(key{k.v, !k.later}); both != nil && k.later {
		return c.refuse(c.n, k.v.name+" has blocking and nonblocking assignments in one process", "use one kind")
	}
	if k.v.temp {
		return nil
	}
	plain := &process{design: c.design}
	values := make([]*value, len(states))
	for i, s := range states {
		if values[i] = s.find(k); values[i] == nil {
			values[i] = plain.entry(k)
		}
	}
	for _, bounds := range cuts(values) {
		low, width := bounds[0], bounds[1]-bounds[0]
		written := func(v *value) bool { return v.parts[v.at(low)].written }
		if !slices.ContainsFunc(values, written) {
			continue
		}
		self := c.g.slice(c.g.variable(k.v), low, width)
		r := register{low: low, width: width, clock: c.clock, next: values[0].get(c.g, low, width),
			process: c.n, blocking: !k.later}
		for i, v := range values[1:] {
			e := v.get(c.g, low, width)
			if e != self && e.op != opConst {
				e = c.settle(e, c.resets[i])
			}
			switch {
			case e == self:
				e = nil
			case e.op != opConst:
				return c.refuse(c.n,
					fmt.Sprintf("%s is assigned a value that is not a constant while %s is active", k.v.name, c.resets[i].v.name),
					"reset it to a constant, or synchronously")
			}
			r.resets = append(r.resets, reset{c.resets[i].event, e})
		}
		c.found = append(c.found, registerOf{k.v, r})
	}
	return nil
}

func cuts(values []*value) (ranges [][2]int) {
	var bounds []int
	for _, v := range values {
		for _, p := range v.parts {
			bounds = append(bounds, p.low, p.end())
		}
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	for i := 1; i < len(bounds); i++ {
		ranges = append(ranges, [2]int{bounds[i-1], bounds[i]})
	}
	return ranges
}

// settle evaluates e again with a reset active, through one-bit nets that depend on the reset.
func (d *design) settle(e *expr, r sensitivity) *expr {
	known := map[*expr]*expr{}
	var again func(e *expr, depth int) *expr
	again = func(e *expr, depth int) *expr {
		if r, ok := known[e]; ok {
			return r
		}
		made := e
		switch {
		case e.op == opVar && e.v == r.v:
			made = d.g.bit(!r.falling)
		case e.op == opVar && depth < 64 && len(e.v.comb) > 0 && e.v.what.bits == 1:
			known[e] = e
			if found := again(e.v.comb[0].e, depth+1); found.op == opConst {
				made = found
			}
		case len(e.args) > 0:
			args := make([]*expr, len(e.args))
			for i, a := range e.args {
				args[i] = again(a, depth)
			}
			made = d.g.rebuild(e, args)
		}
		known[e] = made
		return made
	}
	return again(e, 0)
}

func (d *design) eventText(e event) string {
	edge := "posedge "
	if e.falling {
		edge = "negedge "
	}
	if e.e.v != nil {
		return edge + e.e.v.name
	}
	return edge + "of an expression"
}
