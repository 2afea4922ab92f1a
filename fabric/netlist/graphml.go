package netlist

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/hw"
	"starloom/traces/input"
)

// graphML reads a graph in GraphML (Brandes et al., "GraphML Progress Report", 2002) into a drawing.
type graphML struct {
	*reader
	keys   map[string]graphKey
	number map[string]int      // number of each node by id, None for a rejected node
	ports  map[string]int      // number of used ports of each node without port names
	single map[[2]string][]int // one-way links without an opposite link, by the ids of source and target
	unread map[string]bool

	directed string // place that declares edges directed, or ""
}

type graphKey struct{ name, of, usual string }

var graphNumber = regexp.MustCompile(`^[0-9]+$`)

func (r *reader) readGraphML(value *yaml.Node, where string) {
	if err := r.Text(value, where, &r.graphml); err != nil {
		r.take(err)
		r.lose("graphml")
		return
	}
	path := r.beside(r.graphml)
	data, err := input.Read(path, fileBytesMax)
	if err != nil {
		r.add(r.Place(value), fmt.Sprintf("%s cannot be read: %v", path, input.WithoutPath(err)),
			"give a file in GraphML, relative to this one")
		r.lose("graphml")
		return
	}
	root, err := readElements(path, data)
	if err != nil {
		r.take(err)
		r.lose("graphml")
		return
	}
	whole := root.all("graphml")
	if len(whole) == 0 {
		r.add(root.place, "there is no element <graphml>",
			"write <graphml><graph edgedefault=\"undirected\">...</graph></graphml>")
		r.lose("graphml")
		return
	}
	graphs := whole[0].all("graph")
	if len(graphs) != 1 {
		r.add(whole[0].place, fmt.Sprintf("there are %d elements <graph>", len(graphs)), "write one")
		r.lose("graphml")
		return
	}
	g := &graphML{reader: r, keys: map[string]graphKey{}, number: map[string]int{}, ports: map[string]int{},
		single: map[[2]string][]int{},
		unread: map[string]bool{}}
	for _, key := range whole[0].all("key") {
		k := graphKey{name: cmp.Or(key.given["attr.name"], key.given["id"]), of: key.given["for"]}
		for _, usual := range key.all("default") {
			k.usual = usual.text
		}
		g.keys[key.given["id"]] = k
	}
	if graphs[0].given["edgedefault"] == "directed" {
		g.directed = graphs[0].place
	}
	for _, node := range graphs[0].all("node") {
		g.node(node)
	}
	for _, edge := range graphs[0].all("hyperedge") {
		r.add(edge.place, "a <hyperedge>", "draw a node of the kind star or bus, and an <edge> from it to each end")
		r.lose("links")
	}
	for _, edge := range graphs[0].all("edge") {
		g.edge(edge, g.directed != "")
	}
	if len(g.unread) > 0 {
		r.notes = append(r.notes,
			fmt.Sprintf("%s: ignored data: %s", r.graphml, strings.Join(slices.Sorted(maps.Keys(g.unread)), ", ")))
	}
}

func (g *graphML) data(e *element, read ...string) map[string]string {
	all := map[string]string{}
	for _, key := range g.keys {
		if key.usual != "" && (key.of == e.name || key.of == "all" || key.of == "") {
			all[key.name] = key.usual
		}
	}
	for _, data := range e.all("data") {
		if name := cmp.Or(g.keys[data.given["key"]].name, data.given["key"]); slices.Contains(read, name) {
			all[name] = data.text
		} else {
			g.unread[name] = true
		}
	}
	return all
}

func (g *graphML) node(e *element) {
	id, data := e.given["id"], g.data(e, "name", "kind")
	name := cmp.Or(data["name"], id)
	if graphNumber.MatchString(name) {
		name = "n[" + name + "]"
	}
	if _, twice := g.number[id]; id == "" || twice {
		g.add(e.place, fmt.Sprintf("a <node> has the id %q, which is empty or not unique", id),
			"give each node its own id")
		g.lose("nodes")
		return
	}
	g.number[id] = None
	if err := hw.CheckPath(name); err != nil {
		g.add(e.place, fmt.Sprintf("the name of a node: %v", err),
			`write words of letters, digits and _, or such a name beside the id: <data key="name">p[3]</data>`)
		g.loseNames(name)
		return
	}
	if inside := e.all("graph"); len(inside) > 0 {
		g.add(inside[0].place, fmt.Sprintf("a <graph> in the node %q", id), "draw its nodes beside the others")
		g.lose("nodes")
		return
	}
	n := node{place: e.place, name: name, directed: g.directed}
	g.ofKind(&n, cmp.Or(data["kind"], kindProcessor), e.place, fmt.Sprintf("the node %q", id), true)
	for _, port := range e.all("port") {
		n.ports = append(n.ports, port.given["name"])
	}
	if n.kind == kindProcessor && len(e.all("port")) > 0 {
		n.open = n.ports
	}
	g.number[id] = len(g.nodes)
	g.nodes = append(g.nodes, n)
}

func (g *graphML) end(e *element, which string) (text string) {
	id, given := e.given[which]
	at, known := g.number[id]
	if !given || !known {
		g.add(e.place, fmt.Sprintf("the %s of an <edge> is %q, but there is no such <node>", which, id),
			input.DidYouMean(id, slices.Sorted(maps.Keys(g.number)), "write the id of one"))
		return ""
	}
	if at == None {
		return ""
	}
	n := &g.nodes[at]
	switch port := e.given[which+"port"]; {
	case n.kind == kindStar || n.kind == kindBus || n.kind == kindCrossbar:
		return n.name
	case port != "":
		return n.name + ":" + port
	case n.ports != nil:
		return n.name
	}
	g.ports[id]++
	return fmt.Sprintf("%s:%d", n.name, g.ports[id]-1)
}

// edge reads an edge. Two edges in opposite directions share their ports.
func (g *graphML) edge(e *element, directed bool) {
	data := g.data(e, "latency", "duplex")
	if own := e.given["directed"]; own != "" {
		directed = own == "true"
	}
	l := link{place: e.place, places: []string{e.place, e.place}, latency: Usual, oneway: directed}
	if text := data["latency"]; text != "" {
		latency, err := strconv.ParseUint(strings.TrimSuffix(text, ".0"), 10, 31)
		if err != nil || latency > latencyMax {
			g.add(e.place, fmt.Sprintf("the latency of an <edge> is %q", text), fmt.Sprintf("write 0 to %d", latencyMax))
			l.wrong, g.delays = true, true
		} else {
			l.latency = int(latency)
		}
	}
	switch word := data["duplex"]; word {
	case "", "full", "half":
		l.half = word == "half"
	default:
		g.add(e.place, fmt.Sprintf("duplex of an <edge> is %q", word), "write full or half")
	}
	way, back := [2]string{e.given["source"], e.given["target"]}, [2]string{e.given["target"], e.given["source"]}
	if others := g.single[back]; directed && len(others) > 0 && e.given["sourceport"] == "" &&
		e.given["targetport"] == "" {
		g.single[back] = others[1:]
		there := &g.links[others[0]]
		if there.oneway = there.latency != l.latency || there.half != l.half; !there.oneway {
			return // both edges are one link
		}
		l.ends = []string{there.ends[1], there.ends[0]}
		g.links = append(g.links, l)
		return
	}
	l.ends = []string{g.end(e, "source"), g.end(e, "target")}
	switch {
	case l.ends[0] == "" || l.ends[1] == "": // the known end counts as linked
		l.vague = true
		l.ends = slices.DeleteFunc(l.ends, func(end string) bool { return end == "" })
		g.lose("links")
	case way == back:
		g.add(e.place, fmt.Sprintf("an <edge> leads from %s to itself", way[0]), "delete it")
		l.vague = true
	case directed && e.given["sourceport"] == "" && e.given["targetport"] == "":
		g.single[way] = append(g.single[way], len(g.links))
	}
	g.links = append(g.links, l)
}

type element struct {
	name   string
	place  string
	given  map[string]string
	text   string // text between child elements, trimmed
	inside []*element
}

func readElements(file string, data []byte) (*element, error) {
	in := xml.NewDecoder(bytes.NewReader(data))
	whole := &element{place: file + ":1:1"}
	open := []*element{whole}
	for {
		line, column := in.InputPos()
		token, err := in.Token()
		last := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, place: fmt.Sprintf("%s:%d:%d", file, line, column), given: map[string]string{}}
			for _, a := range token.Attr {
				e.given[a.Name.Local] = a.Value
			}
			last.inside, open = append(last.inside, e), append(open, e)
		case xml.EndElement:
			last.text = strings.TrimSpace(last.text)
			open = open[:len(open)-1]
		case xml.CharData:
			last.text += string(token)
		}
		var syntax *xml.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return whole, nil
		case errors.As(err, &syntax):
			return nil, input.Mistake(fmt.Sprintf("%s:%d", file, syntax.Line), "not XML: "+syntax.Msg, "correct the syntax")
		case err != nil:
			return nil, input.Mistake(fmt.Sprintf("%s:%d", file, line), "not XML: "+err.Error(), "write it in UTF-8")
		}
	}
}

func (e *element) all(name string) (found []*element) {
	for _, inside := range e.inside {
		if inside.name == name {
			found = append(found, inside)
		}
	}
	return found
}
