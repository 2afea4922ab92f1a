package netlist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Anynet is a graph of routers in BookSim's anynet format. Each line reads "router R item item ...". An item is "node
// N" or "router S"; a latency may follow either.
type Anynet struct {
	Nodes   [][]int
	Links   []AnynetLink // directions of links, sorted by From, then To
	Unequal int          // number of router pairs with different latencies in the two directions
}

// AnynetLink is one direction of a link between two routers, with its latency in cycles.
type AnynetLink struct {
	From, To, Latency int
	place             string
}

type anynetReader struct {
	mistakes
	file  string
	of    map[int]int    // router of each node
	at    map[int]string // place that declares each node
	ways  map[[2]int]*AnynetLink
	known map[int]string // place that first names each router
}

func readAnynet(path, place string) (*Anynet, error) {
	data, err := input.Read(path, fileBytesMax)
	if err != nil {
		return nil, input.Mistake(place, fmt.Sprintf("%s cannot be read: %v", path, input.WithoutPath(err)),
			"give a file with lines such as router 0 node 0 router 1 3")
	}
	return parseAnynet(path, string(data))
}

func parseAnynet(file, text string) (*Anynet, error) {
	r := &anynetReader{file: file, of: map[int]int{}, at: map[int]string{},
		ways: map[[2]int]*AnynetLink{}, known: map[int]string{}}
	line := 0
	for row := range strings.SplitSeq(text, "\n") {
		if line++; strings.TrimSpace(row) == "" {
			continue
		}
		if place, fields := fmt.Sprintf("%s:%d", file, line), strings.Fields(row); fields[0] == "router" {
			r.line(fields, place)
		} else { // report no further mistakes of this file
			r.add(place, fmt.Sprintf("a line starts with %q", strict.Clip(fields[0])),
				"start each line with router R, then node N and router S")
			break
		}
	}
	a := r.graph()
	return a, r.err()
}

func (r *anynetReader) number(fields []string, at int, place, what string) (number int, ok bool) {
	if at >= len(fields) {
		r.add(place, fmt.Sprintf("the line ends after %s", what), "write its number")
		return 0, false
	}
	n, err := strconv.ParseUint(fields[at], 10, 31)
	if err != nil || n >= nodesMax {
		r.add(place, fmt.Sprintf("%s has the number %q", what, fields[at]), fmt.Sprintf("write 0 to %d", nodesMax-1))
		return 0, false
	}
	return int(n), true
}

func (r *anynetReader) line(fields []string, place string) {
	router, ok := r.number(fields, 1, place, "router")
	if !ok {
		return
	}
	r.meet(router, place)
	for at := 2; at < len(fields); {
		switch word := fields[at]; word {
		case "node":
			number, ok := r.number(fields, at+1, place, "node")
			if at += 2; !ok {
				return
			}
			if other, twice := r.of[number]; twice {
				r.add(place, fmt.Sprintf("node %d is at router %d, and at router %d, at %s", number, router, other, r.at[number]),
					"let a node have one router")
			}
			r.of[number], r.at[number] = router, place
			if at < len(fields) && fields[at] != "node" && fields[at] != "router" {
				r.add(place, fmt.Sprintf("%s after node %d: BookSim reads this number as a link to a router, not as a latency",
					fields[at], number), "delete it")
				return
			}
		case "router":
			number, ok := r.number(fields, at+1, place, "router")
			if at += 2; !ok {
				return
			}
			latency := 1
			if at < len(fields) && fields[at] != "node" && fields[at] != "router" {
				n, err := strconv.ParseUint(fields[at], 10, 31)
				if err != nil || n < 1 || n > latencyMax {
					r.add(place, fmt.Sprintf("the latency %q from router %d to router %d", fields[at], router, number),
						fmt.Sprintf("write 1 to %d", latencyMax))
					return
				}
				latency, at = int(n), at+1
			}
			r.way(router, number, latency, place)
		default:
			r.add(place, fmt.Sprintf("%q is no item", word), "write node N, router S, or router S LATENCY")
			return
		}
	}
}

func (r *anynetReader) meet(router int, place string) {
	if r.known[router] == "" {
		r.known[router] = place
	}
}

// way declares one direction of a link; the last declaration counts. It also creates the opposite direction, by
// default with latency 1.
func (r *anynetReader) way(from, to, latency int, place string) {
	r.meet(to, place)
	if from == to {
		r.add(place, fmt.Sprintf("a link leads from router %d to itself", from), "delete it")
		return
	}
	r.ways[[2]int{from, to}] = &AnynetLink{From: from, To: to, Latency: latency, place: place}
	if r.ways[[2]int{to, from}] == nil {
		r.ways[[2]int{to, from}] = &AnynetLink{From: to, To: from, Latency: 1, place: place}
	}
}

func (r *anynetReader) graph() *Anynet {
	a := &Anynet{}
	if len(r.known) == 0 && r.count() == 0 {
		r.add(r.file, "there is no router", "write lines such as router 0 node 0 router 1 3")
	}
	gap := func(what string, count int, has func(int) bool) {
		for i := range count {
			if !has(i) {
				r.add(r.file, fmt.Sprintf("the file has %s, but none with the number %d", traces.Plural(count, what, what+"s"), i),
					"number them from 0 on without gaps")
				return
			}
		}
	}
	gap("router", len(r.known), func(i int) bool { return r.known[i] != "" })
	gap("node", len(r.of), func(i int) bool { return r.at[i] != "" })
	if r.count() > 0 {
		return nil
	}
	a.Nodes = make([][]int, len(r.known))
	for node := range len(r.of) {
		a.Nodes[r.of[node]] = append(a.Nodes[r.of[node]], node)
	}
	for _, l := range r.ways {
		a.Links = append(a.Links, *l)
		if back := r.ways[[2]int{l.To, l.From}]; l.From < l.To && back.Latency != l.Latency {
			a.Unequal++
		}
	}
	slices.SortFunc(a.Links, func(x, y AnynetLink) int { return (x.From-y.From)*nodesMax + x.To - y.To })
	return a
}

func (a *Anynet) draw(d *Drawing, place string) {
	d.nodes = append(d.nodes, node{place: place, name: fmt.Sprintf("r[0..%d]", len(a.Nodes)-1), kind: kindProcessor})
	port, ports := map[[2]int]string{}, make([]int, len(a.Nodes))
	latency := map[[2]int]int{}
	for _, l := range a.Links {
		way := [2]int{l.From, l.To}
		port[way], latency[way] = fmt.Sprintf("r[%d]:%d", l.From, ports[l.From]), l.Latency
		ports[l.From]++
	}
	add := func(from, to, place string, latency int, oneway bool) {
		d.links = append(d.links,
			link{place: place, ends: []string{from, to}, places: []string{place, place}, latency: latency, oneway: oneway})
	}
	for _, l := range a.Links {
		way, back := [2]int{l.From, l.To}, [2]int{l.To, l.From}
		switch {
		case latency[way] != latency[back]:
			add(port[way], port[back], l.place, l.Latency, true)
		case l.From < l.To:
			add(port[way], port[back], l.place, l.Latency, false)
		}
	}
	if note := a.note(); note != "" {
		d.notes = append(d.notes, note)
	}
}

func (a *Anynet) note() string {
	var notes []string
	if a.Unequal > 0 {
		notes = append(notes, fmt.Sprintf("%s of routers have links with different latencies in the two directions: "+
			"in anynet a latency holds from the router of the line to the other router; the opposite direction has 1 unless "+
			"a line of "+
			"the other router says more",
			traces.Plural(a.Unequal, "pair", "pairs")))
	}
	for r := range a.Nodes {
		if len(a.Nodes[r]) != 1 || a.Nodes[r][0] != r {
			notes = append(notes, "each router of the anynet is a processor; its nodes are ignored")
			break
		}
	}
	return strings.Join(notes, "; ")
}
