package netlist

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

// relating compiles a relation into rows of candidates.
type relating struct {
	*placedRelation
	built *fabric.Routers
	terms terms
	rules []relatedRule
	tree  *upDown
	ways  [][]int // by destination: weight of the shortest way from each router
	sets  *hw.RouteSets
	// number of groups of a router's destinations
	groups int
	toMid  bool               // rows of packets on their way to mid are evaluated
	far    [][]*hw.RouterLink // link of each output port, nil for none
	into   []*hw.RouterLink   // by input port, counted through all routers: its link
	first  []int              // number of each router's first port
	names  []string           // of routers
}

type relatedRule struct {
	holds func(v *view) bool
	take  []relatedCandidate
	only  bool // all candidates lead toward mid
}

type relatedCandidate struct {
	holds   func(v *view) bool
	word    string   // dor, productive, shortest, up, down, or "" for ports by name
	order   []int    // dimensions of dor
	ports   []string // only these ports; nil for all
	classes []uint8
	mid     bool  // toward mid
	first   bool  // priority 1
	pick    uint8 // 1 + index in RouteSets.Picks; 0 for none
	option  int   // number of the option of a choice; -1: each port is an option
}

// Words of candidates.
const (
	toProductive = "productive"
	toUp         = "up"
	toDown       = "down"
)

// compile returns the rows of the relation. The order of mistakes is that of the file.
func (c *relating) compile() (*hw.RouteSets, error) {
	var err error
	if c.sets.Classes, err = c.Classes.ranges(c.built.Config.ClassVCs()); err != nil {
		return nil, err
	}
	if len(c.sets.Classes) > 255 {
		return nil, input.Mistake(c.place("classes"), "there are more than 255 classes of virtual channels", "write fewer")
	}
	if err = c.midway(); err != nil {
		return nil, err
	}
	c.wire()
	c.terms.names, c.terms.known, c.terms.ports = c.Classes.names, map[string]int{}, c.portNames()
	for i := range c.Rules {
		rule, err := c.rule(i)
		if err != nil {
			return nil, err
		}
		c.rules = append(c.rules, rule)
	}
	if c.needsTree() {
		if c.tree, err = c.newTree(); err != nil {
			return nil, err
		}
	}
	if !c.separable() && len(c.names) > relatedMax {
		return nil, input.Mistake(c.whole,
			fmt.Sprintf("rules that read more than one dimension at a time need a table for each pair of %d routers",
				len(c.names)), fmt.Sprintf("at most %d routers are allowed", relatedMax))
	}
	c.group()
	c.sets.Grid, c.sets.Around, c.sets.Direct = c.terms.grid, c.terms.around, c.terms.direct
	blocks, lists := map[string]uint32{}, map[string][]hw.RouteCandidate{}
	if c.sets.Midway != hw.NoMidway {
		c.toMid = true
		c.sets.MidBase, err = c.rows(blocks, lists)
		c.toMid = false
	}
	if err == nil {
		c.sets.Base, err = c.rows(blocks, lists)
	}
	return c.sets, err
}

// relatedMax is the maximum number of routers of a relation with a table of groups.
const relatedMax = 1 << 12

func (c *relating) wire() {
	g := &c.built.Graph
	c.first = []int{0}
	for r, ports := range g.Ports {
		c.first = append(c.first, c.first[r]+ports)
		c.far = append(c.far, make([]*hw.RouterLink, ports))
	}
	c.into = make([]*hw.RouterLink, c.first[len(g.Ports)])
	for i := range g.Links {
		l := &g.Links[i]
		c.far[l.From][l.Output], c.into[c.first[l.To]+l.Input] = l, l
	}
}

func (c *relating) port(router, port int) string {
	if c.built.Ports != nil {
		return c.built.Ports[router][port]
	}
	return fmt.Sprint(port)
}

// portNames returns the names of ports that lead to routers.
func (c *relating) portNames() (names []string) {
	seen := map[string]bool{}
	for router, ports := range c.far {
		for port, l := range ports {
			if name := c.port(router, port); l != nil && !seen[name] {
				names, seen[name] = append(names, name), true
			}
		}
	}
	return names
}

func (c *relating) rule(i int) (rule relatedRule, err error) {
	of := &c.Rules[i]
	c.terms.reads = false
	if rule.holds, err = c.terms.condition(of.If, c.place("rules[%d].if", i)); err != nil {
		return rule, err
	}
	pick, err := c.picks(i, c.terms.reads)
	if err != nil {
		return rule, err
	}
	rule.only = !slices.ContainsFunc(of.Take, func(take RouteCandidate) bool { return take.Toward == "" })
	for k := range of.Take {
		take, at := &of.Take[k], fmt.Sprintf("rules[%d].take[%d]", i, k)
		candidate, err := c.candidate(take.To, c.place("%s.to", at))
		if err != nil {
			return rule, err
		}
		if candidate.holds, err = c.terms.condition(take.If, c.place("%s.if", at)); err != nil {
			return rule, err
		}
		candidate.mid, candidate.first, candidate.option = take.Toward != "", take.Priority > 0, -1
		if of.Choose != nil {
			candidate.pick, candidate.option = pick, k
		} else if take.Pick != "" {
			candidate.pick = pick
		}
		class := slices.Index(c.Classes.names, take.Class)
		switch {
		case take.Class == "":
			for class := range c.sets.Classes {
				candidate.classes = append(candidate.classes, uint8(class))
			}
		case class < 0:
			return rule, input.Mistake(c.place("%s.class", at), "there is no class "+take.Class,
				input.DidYouMean(take.Class, c.Classes.names, "write classes: {"+take.Class+": 1}"))
		default:
			candidate.classes = []uint8{uint8(class)}
		}
		rule.take = append(rule.take, candidate)
	}
	return rule, nil
}

// candidate reads to: a word or a port, both optionally with names in parentheses.
func (c *relating) candidate(text, place string) (of relatedCandidate, err error) {
	word, list, some := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	word = strings.TrimSpace(word)
	inner := strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' })
	refuse := func(reason, remedy string) (relatedCandidate, error) {
		return of, input.Mistake(place, reason, remedy)
	}
	if some != strings.HasSuffix(text, ")") || some && len(inner) == 0 {
		return refuse(fmt.Sprintf("to is %q", text), "write a word or a port, or a word with names: productive(west south)")
	}
	isPort := slices.Contains(c.terms.ports, word)
	words := []string{routesShortest, toUp, toDown}
	if c.terms.grid != nil {
		words = append(words, routesDOR, toProductive)
	}
	switch {
	case isPort && (c.terms.grid != nil || !slices.Contains(words, word)): // up and down are ports in a grid
		if of.ports = []string{word}; some {
			return refuse(fmt.Sprintf("to is %q, but %s is a port", text, word), "write to: "+word)
		}
		return of, nil
	case (word == routesDOR || word == toProductive) && c.terms.grid == nil:
		return refuse("to: "+word+" is for a mesh, a torus, a ring, a cmesh or a flatfly",
			"write to: shortest, or ports by name")
	case !slices.Contains(words, word):
		return refuse("no port between routers is called "+word, nearWord(word, append(words, c.terms.ports...)))
	}
	of.word = word
	for d := range c.terms.grid {
		of.order = append(of.order, d)
	}
	if some && word == routesDOR {
		if of.order = c.terms.dimensions(inner); of.order == nil {
			return refuse(fmt.Sprintf("to is %q", text), "name each dimension once: dor(y x)")
		}
		return of, nil
	}
	for _, name := range inner {
		if !slices.Contains(c.terms.ports, name) {
			return refuse("no port between routers is called "+name, nearWord(name, c.terms.ports))
		}
		of.ports = append(of.ports, name)
	}
	return of, nil
}

// dimensions returns the dimensions of their names, nil unless each is named once.
func (t *terms) dimensions(names []string) (order []int) {
	for _, name := range names {
		if d := slices.Index(coordinateNames, name); d >= 0 && d < len(t.grid) && !slices.Contains(order, d) {
			order = append(order, d)
		}
	}
	if len(order) != len(t.grid) || len(names) != len(order) {
		return nil
	}
	return order
}

// nearWord is the remedy for an unknown word.
func nearWord(word string, words []string) string {
	return input.DidYouMean(word, words, "allowed: "+strings.Join(words[:min(len(words), 12)], ", "))
}

func (c *relating) needsTree() bool {
	if c.Root != "" || slices.Contains(c.conditionWords(), "came_down") {
		return true
	}
	return c.uses(toUp) || c.uses(toDown)
}

func (c *relating) conditionWords() (words []string) {
	for _, rule := range c.Rules {
		words = append(words, tokens(rule.If)...)
		for _, take := range rule.Take {
			words = append(words, tokens(take.If)...)
		}
	}
	return words
}

func (c *relating) uses(words ...string) bool {
	return slices.ContainsFunc(c.rules, func(rule relatedRule) bool {
		return slices.ContainsFunc(rule.take, func(of relatedCandidate) bool { return slices.Contains(words, of.word) })
	})
}

// separable reports whether the group of a destination follows from coordinates, dimension by dimension.
func (c *relating) separable() bool {
	if c.terms.grid == nil || hw.NewGridRoute(c.terms.grid, nil) == nil || c.uses(routesShortest, toUp, toDown) {
		return false
	}
	return !slices.ContainsFunc(c.terms.leaves,
		func(l leaf) bool { return l.numbers || l.dimensions&(l.dimensions-1) != 0 })
}

// rows evaluates the rules for each input port, class and group of destinations. Equal blocks of rows are stored once.
func (c *relating) rows(blocks map[string]uint32, lists map[string][]hw.RouteCandidate) ([]uint32, error) {
	g := &c.built.Graph
	groups := c.samples()
	all := make([]uint32, 0, len(c.into)*len(c.sets.Classes))
	var block []byte
	var candidates []hw.RouteCandidate
	for router := range g.Ports {
		samples := groups(router)
		for port := range g.Ports[router] {
			l := c.into[c.first[router]+port]
			for class := range c.sets.Classes {
				if !c.terms.comes && port+class > 0 {
					all = append(all, all[len(all)-1])
					continue
				}
				v := view{router: router, came: cameSource, class: -1}
				if l != nil {
					v.came, v.class, v.down = c.port(l.From, l.Output), class, c.tree != nil && c.tree.down(l)
				}
				block, candidates = block[:0], candidates[:0]
				var ends []int
				for _, s := range samples {
					if s.to >= 0 {
						v.to, v.bits, v.at, v.goal = s.to, s.bits, s.at, s.goal
						candidates = c.evaluate(&v, candidates)
					}
					ends = append(ends, len(candidates))
				}
				all = append(all, c.store(blocks, lists, block, candidates, ends))
			}
		}
	}
	if len(c.sets.Rows) > rowsMax {
		return nil, input.Mistake(c.whole, fmt.Sprintf("the rules give %d rows of candidates", len(c.sets.Rows)),
			fmt.Sprintf("at most %d are allowed; use fewer classes or simpler conditions", rowsMax))
	}
	return all, nil
}

const rowsMax = 1 << 24

func (c *relating) store(blocks map[string]uint32, lists map[string][]hw.RouteCandidate, block []byte,
	candidates []hw.RouteCandidate, ends []int) uint32 {
	begin := 0
	for _, end := range ends {
		block = append(block, byte(end-begin), byte((end-begin)>>8))
		for _, candidate := range candidates[begin:end] {
			block = append(block, candidate.Port, candidate.Class, candidate.Pick, candidate.Option,
				byte(bit(candidate.Mid)+2*bit(candidate.First)))
		}
		begin = end
	}
	base, ok := blocks[string(block)]
	if ok {
		return base
	}
	base, begin = uint32(len(c.sets.Rows)), 0
	rest := block
	for _, end := range ends {
		key := rest[:2+5*(end-begin)]
		list := lists[string(key)]
		if list == nil {
			list = slices.Clone(candidates[begin:end])
			lists[string(key)] = list
		}
		c.sets.Rows = append(c.sets.Rows, list)
		rest, begin = rest[len(key):], end
	}
	blocks[string(block)] = base
	return base
}

// evaluate appends the candidates of a head. The first rule that holds applies. Rules with no other candidates than
// those toward mid do not hold for packets that have been there.
func (c *relating) evaluate(v *view, candidates []hw.RouteCandidate) []hw.RouteCandidate {
	begin := len(candidates)
	for i := range c.rules {
		rule := &c.rules[i]
		if !rule.holds(v) || rule.only && !c.toMid {
			continue
		}
		for k := range rule.take {
			of := &rule.take[k]
			if of.mid != c.toMid || !of.holds(v) {
				continue
			}
			for ordinal, port := range c.ports(of, v) {
				if of.option >= 0 {
					ordinal = of.option
				}
				for _, class := range of.classes {
					one := hw.RouteCandidate{Port: uint8(port), Class: class, Pick: of.pick, Mid: of.mid, First: of.first}
					if of.pick > 0 {
						one.Option = uint8(ordinal)
					}
					if !slices.Contains(candidates[begin:], one) {
						candidates = append(candidates, one)
					}
				}
			}
		}
		return candidates
	}
	return candidates
}

// ports returns the linked ports of a candidate.
func (c *relating) ports(of *relatedCandidate, v *view) (ports []int) {
	for port, l := range c.far[v.router] {
		if l != nil && (of.ports == nil || slices.Contains(of.ports, c.port(v.router, port))) && c.leads(of, l, v) {
			ports = append(ports, port)
		}
	}
	if of.ports != nil && of.pick > 0 { // in the order of the rule
		place := func(port int) int { return slices.Index(of.ports, c.port(v.router, port)) }
		slices.SortFunc(ports, func(a, b int) int { return place(a) - place(b) })
	}
	return ports
}

func (c *relating) leads(of *relatedCandidate, l *hw.RouterLink, v *view) bool {
	switch of.word {
	case routesDOR, toProductive:
		for _, d := range of.order {
			k := c.terms.grid[d]
			step := stepsTo(v.at[d], v.goal[d], k, c.terms.around)
			if c.terms.direct && step != 0 {
				if coordinate(c.terms.grid, l.To, d) == v.goal[d] {
					return true
				}
				if of.word == routesDOR {
					return false
				}
				continue
			}
			output := l.Output - c.terms.local
			both := of.word == toProductive && c.terms.around && 2*step == k
			if output/2 == d && (output%2 == 0 && step > 0 || output%2 == 1 && step < 0 || both) {
				return true
			}
			if of.word == routesDOR && step != 0 {
				return false
			}
		}
		return false
	case routesShortest:
		to := c.ways[v.to]
		return to[l.To] >= 0 && to[v.router] == to[l.To]+weight(l.Latency)
	case toUp, toDown:
		return c.tree.leads(of.word, l, v.to)
	}
	return true
}
