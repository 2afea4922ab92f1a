package netlist

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"starloom/hw"
	"starloom/traces/input"
)

// sample is a destination that represents its group at a router; to is -1 for a group without destinations.
type sample struct {
	to       int
	bits     uint64
	at, goal []int
}

// group assigns the destinations of each router to groups: destinations for which all conditions on router and
// destination and all words give the same.
func (c *relating) group() {
	for to, into := 0, linksInto(&c.built.Graph); to < len(c.names) && c.uses(routesShortest); to++ {
		c.ways = append(c.ways, distancesTo(to, into))
	}
	if c.sets.Sides = c.terms.grid; !c.separable() || !c.code() {
		c.sets.Sides, c.sets.Codes = nil, nil
		c.number()
	}
	c.sets.Begin(len(c.names), c.built.Graph.Nodes)
	c.groups = 1
	if c.sets.Groups != nil {
		c.groups += int(slices.Max(c.sets.Groups))
	}
	for _, codes := range c.sets.Codes {
		c.groups += int(slices.Max(codes))
	}
}

// code numbers the destinations of each dimension and coordinate. It returns false for too many groups.
func (c *relating) code() bool {
	stride := 1
	for d, k := range c.terms.grid {
		codes, most := make([]uint16, k*k), 0
		for x := range k {
			known := map[[2]uint64]int{}
			for t := range k {
				v := view{at: make([]int, len(c.terms.grid)), goal: make([]int, len(c.terms.grid))}
				v.at[d], v.goal[d] = x, t
				key := [2]uint64{c.bits(&v, 1<<d), c.direction(x, t, k)}
				code, ok := known[key]
				if !ok {
					code = len(known)
					known[key] = code
				}
				if codes[x*k+t] = uint16(code * stride); code*stride > math.MaxUint16 {
					return false
				}
			}
			most = max(most, len(known))
		}
		c.sets.Codes = append(c.sets.Codes, codes)
		if stride *= most; stride > 1<<16 {
			return false
		}
	}
	return true
}

// direction returns 0 for no distance, 1 and 2 for the two directions, and 3 for a tie.
func (c *relating) direction(x, t, k int) uint64 {
	if c.terms.direct && x != t {
		return uint64(1 + t)
	}
	switch step := stepsTo(x, t, k, c.terms.around); {
	case c.terms.around && step > 0 && 2*step == k:
		return 3
	case step > 0:
		return 1
	case step < 0:
		return 2
	}
	return 0
}

// bits evaluates the leaves that read only the given dimensions.
func (c *relating) bits(v *view, dimensions uint64) (bits uint64) {
	for i, l := range c.terms.leaves {
		if l.dimensions&^dimensions == 0 && l.holds(v) {
			bits |= 1 << i
		}
	}
	return bits
}

// number numbers the destinations of each router.
func (c *relating) number() {
	routers := len(c.names)
	c.sets.Groups = make([]uint16, routers*routers)
	places := make([][]int, routers)
	for r := range places {
		places[r] = c.coordinates(r)
	}
	var key []byte
	for router := range routers {
		known := map[string]uint16{}
		for to := range routers {
			v := view{router: router, to: to, at: places[router], goal: places[to]}
			key = fmt.Appendf(key[:0], "%x", c.bits(&v, ^uint64(0)))
			for d, k := range c.terms.grid {
				key = binary.LittleEndian.AppendUint16(key, uint16(c.direction(v.at[d], v.goal[d], k)))
			}
			key = c.wordKey(key, &v)
			number, ok := known[string(key)]
			if !ok {
				number = uint16(len(known))
				known[string(key)] = number
			}
			c.sets.Groups[router*routers+to] = number
		}
	}
}

func (c *relating) wordKey(key []byte, v *view) []byte {
	for _, word := range []string{routesShortest, toUp, toDown} {
		if !c.uses(word) {
			continue
		}
		key = append(key, ' ')
		for port, l := range c.far[v.router] {
			if l != nil && c.leads(&relatedCandidate{word: word}, l, v) {
				key = append(key, byte(port), ',')
			}
		}
	}
	return key
}

func (c *relating) coordinates(router int) (at []int) {
	for _, k := range c.terms.grid {
		at, router = append(at, router%k), router/k
	}
	return at
}

// samples returns a function that returns a destination for each group of a router, other than the router itself.
func (c *relating) samples() func(router int) []sample {
	routers, list := len(c.names), make([]sample, c.groups)
	return func(router int) []sample {
		for i := range list {
			list[i] = sample{to: -1}
		}
		at := c.coordinates(router)
		set := func(group, to int) {
			if list[group].to < 0 && to != router {
				v := view{router: router, to: to, at: at, goal: c.coordinates(to)}
				list[group] = sample{to: to, bits: c.bits(&v, ^uint64(0)), at: v.at, goal: v.goal}
			}
		}
		if c.sets.Groups != nil {
			for to := range routers {
				set(c.sets.Group(router, to), to)
			}
			return list
		}
		c.eachGroup(at, 0, 0, 0, 1, set)
		return list
	}
}

// eachGroup yields a destination for each group of a router of a grid, dimension by dimension.
func (c *relating) eachGroup(at []int, d, group, to, stride int, yield func(group, to int)) {
	if d == len(at) {
		yield(group, to)
		return
	}
	k := c.terms.grid[d]
	for t, code := range c.sets.Codes[d][at[d]*k : (at[d]+1)*k] {
		if slices.Index(c.sets.Codes[d][at[d]*k:(at[d]+1)*k], code) == t {
			c.eachGroup(at, d+1, group+int(code), to+t*stride, stride*k, yield)
		}
	}
}

// upDown is a tree of routers with the links that lead up and down. A link leads up to a router of a lower level, or
// of the same level and a lower number.
type upDown struct {
	level []int
	only  [][]int32 // [destination][router]: links of the shortest way down, -1 for none
	both  [][]int32 // [destination][router]: links of the shortest way up, then down
}

func (t *upDown) down(l *hw.RouterLink) bool {
	return t.level[l.To] > t.level[l.From] || t.level[l.To] == t.level[l.From] && l.To > l.From
}

func (t *upDown) leads(word string, l *hw.RouterLink, to int) bool {
	of := t.both[to]
	if word == toDown {
		of = t.only[to]
	}
	return t.down(l) == (word == toDown) && of[l.To] >= 0 && of[l.From] == of[l.To]+1
}

func (c *relating) newTree() (*upDown, error) {
	root := 0
	if c.Root != "" {
		if root = slices.Index(c.names, c.Root); root < 0 {
			return nil, input.Mistake(c.place("root"), "there is no router "+c.Root,
				input.DidYouMean(c.Root, c.names[:min(len(c.names), 1000)], "write the name of a router"))
		}
	}
	t := &upDown{level: slices.Repeat([]int{-1}, len(c.names))}
	t.level[root] = 0
	for open := []int{root}; len(open) > 0; open = open[1:] {
		for _, l := range c.far[open[0]] {
			if l != nil && t.level[l.To] < 0 {
				t.level[l.To] = t.level[open[0]] + 1
				open = append(open, l.To)
			}
		}
	}
	into := linksInto(&c.built.Graph)
	for to := range c.names {
		only := extend(onlyAt[int32](to, len(into)), into, func(l *hw.RouterLink) int { return bit(t.down(l)) })
		// ways up begin wherever ways down end, nearest first
		both := extend(slices.Clone(only), into, func(l *hw.RouterLink) int { return bit(!t.down(l)) })
		t.only, t.both = append(t.only, only), append(t.both, both)
	}
	return t, nil
}
