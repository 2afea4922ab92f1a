package netlist

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/traces/input"
)

type routing struct {
	*drawer
	*Routes
	places map[[2]int]string
}

func (r *routing) draw() {
	r.net.noRoutes, r.places = r.none, map[[2]int]string{}
	strange := ""
	for i := range r.entries {
		e, before := &r.entries[i], r.count()
		if e.file != "" && e.file == strange {
			continue
		}
		from, ok := r.processors(cmp.Or(e.leaves, e.place), e.from)
		to, good := r.processors(e.place, e.to)
		if r.count() > before { // report no further mistakes of this file
			strange = e.file
		}
		if !ok || !good {
			continue
		}
		if len(from) == 1 && len(to) == 1 && from[0] == to[0] {
			r.add(e.place, fmt.Sprintf("a route leads from %s to itself", e.from), "delete it")
		}
		for _, f := range from {
			port, ok := r.outOf(f, e)
			if !ok || !r.give(e, f, to, port) {
				break
			}
		}
	}
	slices.SortFunc(r.net.routes, func(x, y Route) int { return cmp.Or(x.From-y.From, x.To-y.To) })
}

func (r *routing) name(processor int) string { return r.net.node(r.net.Processors[processor].Path) }

func (r *routing) give(e *routeEntry, from *placed, to []*placed, port int) bool {
	for _, t := range to {
		way := [2]int{from.number, t.number}
		if from == t {
			continue
		}
		if other := r.places[way]; other != "" {
			r.add(e.place, fmt.Sprintf("there are two routes from %s to %s; the first is at %s", from.name,
				t.name, other), "delete one")
			return false
		}
		r.places[way] = e.place
		r.net.routes = append(r.net.routes, Route{from.number, t.number, port})
	}
	return true
}

func (r *routing) processors(place, text string) (all []*placed, ok bool) {
	names, err := expand(text)
	if err != nil {
		r.add(place, fmt.Sprintf("a route of %q: %v", text, err), "write a range such as p[0..3]")
		return nil, false
	}
	for _, name := range names {
		p := r.nodes[name]
		if p == nil && r.hides(name) || p != nil && !p.known() {
			return nil, false
		}
		if (p == nil || p.kind != kindProcessor) && r.full() {
			r.found.More++
			return nil, false
		}
		if p == nil || p.kind != kindProcessor {
			some := make([]string, min(len(r.net.Processors), 1000))
			for i := range some {
				some[i] = r.name(i)
			}
			r.add(place, "there is no processor "+name, input.DidYouMean(name, some, "routes lead from processor to processor"))
			return nil, false
		}
		all = append(all, p)
	}
	return all, true
}

func (r *routing) outOf(p *placed, e *routeEntry) (port int, ok bool) {
	names, hidden := make([]string, len(p.ports)), p.vague || p.loose || r.keys["links"]
	for i := range p.ports {
		names[i] = p.ports[i].text(i)
	}
	if port = slices.Index(names, e.port); port < 0 {
		number, err := strconv.ParseUint(e.port, 10, 16)
		if err != nil || int(number) >= len(names) {
			if hidden {
				return None, false
			}
			r.add(e.place, fmt.Sprintf("%s has no port %s", p.name, e.port),
				input.DidYouMean(e.port, names, "its ports are "+strings.Join(names, ", ")))
			return None, false
		}
		port = int(number)
	}
	if p.ports[port].out == None {
		if !hidden && !p.ports[port].hidden {
			r.add(e.place, fmt.Sprintf("a route uses port %s of %s, which has no outgoing link", names[port], p.name),
				"add a link, or take another port")
		}
		return None, false
	}
	return port, true
}

func (r *routing) follow() {
	processors := len(r.net.Processors)
	if processors > nextHopsMax {
		r.add(r.entries[0].place,
			fmt.Sprintf("%d processors with routes: the table of routes has room for %d", processors, nextHopsMax),
			"delete them")
		return
	}
	next := newROM(r.net).next
	for d := range next {
		if r.full() {
			return
		}
		met, count := make([]int, processors), 1 // order of visits, from 1 on
		met[d] = 1
		for start := range next[d] {
			first, at, hops := count+1, start, []int(nil)
			for met[at] == 0 && next[d][at] != romNone {
				count++
				met[at], hops = count, append(hops, at)
				at = int(next[d][at] & (1<<hopBits - 1))
			}
			switch {
			case met[at] == 0 && !r.net.apart:
				r.add(r.place(at, d), fmt.Sprintf("no route leads from %s to %s", r.name(at), r.name(d)),
					"add one, or default: shortest")
				met[at] = 1
			case met[at] >= first:
				round, text := hops[met[at]-first:], ""
				for _, hop := range round[:min(len(round), cycleShown)] {
					text += r.name(hop) + " -> "
				}
				if more := len(round) - cycleShown; more > 0 {
					text += fmt.Sprintf("%d more -> ", more)
				}
				r.add(r.place(at, d), fmt.Sprintf("the routes to %s lead round: %s%s", r.name(d), text,
					r.name(at)), "change one of them")
			}
		}
	}
}

func (r *routing) place(from, to int) string {
	if place := r.places[[2]int{from, to}]; place != "" {
		return place
	}
	return r.entries[0].place
}
