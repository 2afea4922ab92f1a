package netlist

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// naiveHead is what a condition reads, and naiveRule one rule of a random relation with its own evaluation.
type naiveHead struct {
	at, goal [2]int
	came     string
	class    string
}

type naiveRule struct {
	text  string
	holds func(h naiveHead) bool
	take  []naiveTake
}

type naiveTake struct {
	text    string
	to      func(h naiveHead) []int // ports, in the order of compass
	classes []string
}

// naive is a random relation on a small grid, and a checker that walks all its states one by one.
type naive struct {
	k      [2]int
	around bool
	wait   bool
	busy   bool // routers allocate only VCs with a credit
	names  []string
	rules  []naiveRule
}

func (n *naive) step(d, at, to int) int {
	s := to - at
	if n.around && 2*s > n.k[d] {
		s -= n.k[d]
	} else if n.around && 2*s <= -n.k[d] {
		s += n.k[d]
	}
	return s
}

func (n *naive) far(router, port int) int {
	at := [2]int{router % n.k[0], router / n.k[0]}
	d := port / 2
	at[d] += 1 - 2*(port%2)
	if n.around {
		at[d] = (at[d] + n.k[d]) % n.k[d]
	}
	if at[d] < 0 || at[d] >= n.k[d] {
		return -1
	}
	return at[0] + at[1]*n.k[0]
}

func (n *naive) condition(r *rand.Rand) (string, func(h naiveHead) bool) {
	d := r.IntN(2)
	name, far := []string{"x", "y"}[d], func(h naiveHead) int { return n.step(d, h.at[d], h.goal[d]) }
	switch r.IntN(10) {
	case 0:
		return "d" + name + " < 0", func(h naiveHead) bool { return far(h) < 0 }
	case 1:
		return "d" + name + " >= 1", func(h naiveHead) bool { return far(h) > 0 }
	case 2:
		return "odd(" + name + ")", func(h naiveHead) bool { return h.at[d]%2 == 1 }
	case 3:
		return "near(d" + name + ")", func(h naiveHead) bool { return far(h) == 1 || far(h) == -1 }
	case 4:
		return "dx == 0 or dy == 0", func(h naiveHead) bool {
			return h.at[0] == h.goal[0] || h.at[1] == h.goal[1]
		}
	case 5:
		return "wraps(d" + name + ")", func(h naiveHead) bool { return h.at[d]+far(h) != h.goal[d] }
	case 6:
		return "x + dx == y * 2 - 1", func(h naiveHead) bool {
			return h.at[0]+n.step(0, h.at[0], h.goal[0]) == 2*h.at[1]-1
		}
	case 7:
		port := append([]string{cameSource}, compass[:4]...)[r.IntN(5)]
		return "came != " + port, func(h naiveHead) bool { return h.came != port }
	case 8:
		a, f := n.condition(r)
		b, g := n.condition(r)
		return "not (" + a + ") and (" + b + ")", func(h naiveHead) bool { return !f(h) && g(h) }
	}
	if n.names == nil {
		return "router mod 3 != destination div 2", func(h naiveHead) bool {
			return (h.at[0]+h.at[1]*n.k[0])%3 != (h.goal[0]+h.goal[1]*n.k[0])/2
		}
	}
	class := n.names[r.IntN(len(n.names))]
	return "class == " + class, func(h naiveHead) bool { return h.class == class }
}

func (n *naive) take(r *rand.Rand) (t naiveTake) {
	leads := func(h naiveHead, port int) bool {
		d := port / 2
		s := n.step(d, h.at[d], h.goal[d])
		return s > 0 && port%2 == 0 || s < 0 && port%2 == 1 || n.around && 2*s == n.k[d]
	}
	only := []int{r.IntN(4), r.IntN(4)}
	switch kind := r.IntN(12); {
	case kind < 6:
		t.text, t.to = "productive", func(h naiveHead) (ports []int) {
			for port := range 4 {
				if leads(h, port) {
					ports = append(ports, port)
				}
			}
			return ports
		}
	case kind < 9:
		t.text, t.to = "dor(y x)", func(h naiveHead) []int {
			for _, port := range []int{2, 3, 0, 1} {
				if leads(h, port) {
					return []int{port}
				}
			}
			return nil
		}
	case kind < 11:
		t.text = "productive(" + compass[only[0]] + " " + compass[only[1]] + ")"
		t.to = func(h naiveHead) (ports []int) {
			for _, port := range only {
				if leads(h, port) {
					ports = append(ports, port)
				}
			}
			return ports
		}
	default:
		t.text, t.to = compass[only[0]], func(naiveHead) []int { return only[:1] }
	}
	t.text, t.classes = "{to: "+t.text, n.names
	if n.names == nil {
		t.classes = []string{""}
	} else if r.IntN(4) > 0 {
		t.classes = n.names[r.IntN(len(n.names)):][:1]
		t.text += ", class: " + t.classes[0]
	}
	return t
}

// only returns a take without its last brace under a condition.
func (t naiveTake) only(text string, holds func(h naiveHead) bool) naiveTake {
	to := t.to
	return naiveTake{t.text + ", if: " + text, func(h naiveHead) []int {
		if !holds(h) {
			return nil
		}
		return to(h)
	}, t.classes}
}

func randomRelation(r *rand.Rand) *naive {
	n := &naive{k: [2]int{2 + r.IntN(3), 2 + r.IntN(2)}, around: r.IntN(3) == 0, wait: r.IntN(4) > 0, busy: r.IntN(3) == 0}
	if n.around {
		n.k = [2]int{3 + r.IntN(2), 3}
	}
	switch r.IntN(3) {
	case 0:
		n.names = []string{"a", "b"}
	case 1:
		n.names = []string{"free", classEscape}
	}
	for i := range 1 + r.IntN(3) {
		rule := naiveRule{holds: func(naiveHead) bool { return true }}
		if i < 2 && r.IntN(4) > 0 {
			rule.text, rule.holds = n.condition(r)
		}
		for range 1 + r.IntN(2) {
			take := n.take(r)
			if r.IntN(4) == 0 {
				take = take.only(n.condition(r))
			}
			take.text += "}"
			rule.take = append(rule.take, take)
		}
		n.rules = append(n.rules, rule)
	}
	if r.IntN(4) > 0 {
		last := naiveRule{holds: func(naiveHead) bool { return true }}
		for last.take == nil {
			if take := n.take(r); strings.HasPrefix(take.text, "{to: productive") || strings.HasPrefix(take.text, "{to: dor") {
				take.text += "}"
				last.take = []naiveTake{take}
			}
		}
		n.rules = append(n.rules, last)
	}
	if len(n.names) == 2 && n.names[1] == classEscape && r.IntN(3) > 0 { // often with a sound escape
		escape := func(word string) naiveTake {
			for {
				if t := n.take(r); t.text == "{to: "+word || strings.HasPrefix(t.text, "{to: "+word+",") {
					return naiveTake{"{to: " + word + ", class: escape", t.to, n.names[1:]}
				}
			}
		}
		takes := []naiveTake{escape("dor(y x)")}
		if r.IntN(2) == 0 { // of a head in two cases
			text, holds := n.condition(r)
			takes = []naiveTake{escape("productive").only(text, holds),
				takes[0].only("not ("+text+")", func(h naiveHead) bool { return !holds(h) })}
		}
		for i := range takes {
			takes[i].text += "}"
		}
		for i := range n.rules {
			n.rules[i].take = append(n.rules[i].take, takes...)
		}
		keeps := naiveRule{"class == escape", func(h naiveHead) bool { return h.class == classEscape }, takes}
		if r.IntN(2) == 0 {
			n.rules = append([]naiveRule{keeps}, n.rules...)
		}
		n.rules = append(n.rules, naiveRule{"", func(naiveHead) bool { return true }, takes})
	}
	return n
}

func (n *naive) text() string {
	kind := map[bool]string{false: "mesh", true: "torus"}[n.around]
	text := fmt.Sprintf("%s: {k: [%d, %d], latency: 1}\nrouter: {vcs: %d, depth: 1, wait_for_tail_credit: %v, "+
		"vc_busy_when_full: %v}\nroutes:\n", kind, n.k[0], n.k[1], max(1, len(n.names)), n.wait, n.busy)
	if n.names != nil {
		text += "  classes: {" + n.names[0] + ": 1, " + n.names[1] + ": 1}\n"
	}
	text += "  rules:\n"
	for _, rule := range n.rules {
		var take []string
		for _, t := range rule.take {
			take = append(take, t.text)
		}
		text += "    - {"
		if rule.text != "" {
			text += "if: " + rule.text + ", "
		}
		text += "take: [" + strings.Join(take, ", ") + "]}\n"
	}
	return text
}

// naiveState is a head at a router: the port by which it left the previous router (-1 at a source) and its class.
type naiveState struct {
	router, port int
	class        string
}

func (n *naive) next(s naiveState, to int) (all []naiveState) {
	h := naiveHead{[2]int{s.router % n.k[0], s.router / n.k[0]}, [2]int{to % n.k[0], to / n.k[0]}, cameSource, s.class}
	if s.port >= 0 {
		h.came = compass[s.port]
	}
	for _, rule := range n.rules {
		if !rule.holds(h) {
			continue
		}
		for _, t := range rule.take {
			for _, port := range t.to(h) {
				for _, class := range t.classes {
					if far := n.far(s.router, port); far >= 0 {
						all = append(all, naiveState{far, port, class})
					}
				}
			}
		}
		return all
	}
	return nil
}

// verdict walks all states towards all destinations.
func (n *naive) verdict() string {
	routers, lost, circles, without, leaves := n.k[0]*n.k[1], false, false, false, false
	edges, escapes := map[[2]naiveState]bool{}, map[[2]naiveState]bool{}
	for to := range routers {
		color := map[naiveState]int{}
		var visit func(s naiveState)
		visit = func(s naiveState) {
			color[s] = 1
			if s.router != to {
				all := n.next(s, to)
				lost = lost || len(all) == 0
				without = without || !slices.ContainsFunc(all, func(s naiveState) bool { return s.class == classEscape })
				for _, next := range all {
					leaves = leaves || s.class == classEscape && next.class != classEscape
					if s.port >= 0 {
						edges[[2]naiveState{s, next}] = true
					}
					if color[next] == 1 {
						circles = true
					} else if color[next] == 0 {
						visit(next)
					}
				}
			}
			color[s] = 2
		}
		for source := range routers {
			visit(naiveState{source, -1, ""})
		}
		n.addEscapes(color, to, escapes)
	}
	switch {
	case lost:
		return "no candidate"
	case circles:
		return "may circle"
	case !naiveCyclic(edges):
		return "free (Dally"
	case slices.Contains(n.names, classEscape) && (n.wait || n.busy && !leaves) && !without && !naiveCyclic(escapes):
		return "free (Duato"
	}
	return "may deadlock"
}

// addEscapes adds the escapes that a packet to a router requests after each escape.
func (n *naive) addEscapes(color map[naiveState]int, to int, escapes map[[2]naiveState]bool) {
	for s := range color {
		if s.class != classEscape {
			continue
		}
		met := map[naiveState]bool{}
		for open := []naiveState{s}; len(open) > 0; open = open[1:] {
			if open[0].router == to {
				continue
			}
			for _, next := range n.next(open[0], to) {
				if next.class == classEscape {
					escapes[[2]naiveState{s, next}] = true
				} else if !met[next] {
					met[next] = true
					open = append(open, next)
				}
			}
		}
	}
}

// naiveCyclic removes edges to vertices without successors until none is left to remove.
func naiveCyclic(edges map[[2]naiveState]bool) bool {
	for {
		out, before := map[naiveState]int{}, len(edges)
		for e := range edges {
			out[e[0]]++
		}
		for e := range edges {
			if out[e[1]] == 0 {
				delete(edges, e)
			}
		}
		if len(edges) == before {
			return before > 0
		}
	}
}

// TestRelationsLikeNaive: the verdicts on random rules are those of a checker that walks all states. With accepted
// rules no run stands.
func TestRelationsLikeNaive(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 52))
		n := randomRelation(r)
		text := n.text()
		built, err := drawnRouters(t, text)
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = built.Shown
		}
		want := n.verdict()
		counts[want]++
		require.Contains(t, said, want, "%d\n%s", seed, text)
		if err == nil && seed%4 == 0 {
			packets := &hw.Packets{}
			for range 400 {
				packets.Add(uint32(r.IntN(n.k[0]*n.k[1])), uint32(r.IntN(n.k[0]*n.k[1])), uint16(1+r.IntN(4)), uint32(r.IntN(20)))
			}
			require.Empty(t, runRouters(t, &Network{routers: built}, packets), text)
		}
	}
	t.Log(counts)
	for _, verdict := range []string{"no candidate", "free (Dally", "free (Duato", "may deadlock"} {
		require.Greater(t, counts[verdict], 50, verdict)
	}
	require.NotZero(t, counts["may circle"])
}
