package netlist

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readXML reads a netlist beside a graph g.
func readXML(t testing.TB, text, graph string) (*Net, error) {
	folder := t.TempDir()
	path := filepath.Join(folder, "n.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "g"), []byte(graph), 0o600))
	n, err := ReadFile(path)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), folder+"/", ""))
	}
	return n.Net(), nil
}

// networkX is how NetworkX writes a directed graph whose nodes are numbers, with attributes.
const networkX = `<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <key id="d2" for="edge" attr.name="latency" attr.type="long" />
  <key id="d1" for="node" attr.name="colour" attr.type="string" />
  <key id="d0" for="node" attr.name="kind" attr.type="string" />
  <graph edgedefault="directed">
    <node id="0"><data key="d1">red</data></node>
    <node id="1" />
    <node id="2"><data key="d0">star</data></node>
    <node id="10"><data key="d0">processor</data></node>
    <edge source="0" target="1"><data key="d2">3</data></edge>
    <edge source="1" target="0"><data key="d2">3</data></edge>
    <edge source="1" target="10"><data key="d2">4</data></edge>
    <edge source="10" target="1"><data key="d2">5.0</data></edge>
    <edge source="0" target="2" />
    <edge source="2" target="0" />
    <edge source="2" target="10" />
  </graph>
</graphml>
`

// yEd is as an editor writes it, with pictures that mean nothing here, ports, and names beside ids.
const yEd = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
  <key attr.name="name" attr.type="string" for="node" id="d3"/>
  <key for="node" id="d6" yfiles.type="nodegraphics"/>
  <key attr.name="kind" attr.type="string" for="node" id="k"><default>cpu</default></key>
  <key attr.name="latency" attr.type="int" for="edge" id="l"><default>2</default></key>
  <key attr.name="duplex" attr.type="string" for="edge" id="x"/>
  <graph edgedefault="undirected" id="G">
    <node id="n0"><data key="d3">row[0].a</data><data key="d6"><y:ShapeNode><y:NodeLabel>a</y:NodeLabel></y:ShapeNode></data></node>
    <node id="n1"><data key="d3">row[0].b</data><port name="up"/><port name="spare"/></node>
    <node id="n2"><data key="d3">hub</data><data key="k">bus</data></node>
    <edge source="n0" target="n1" targetport="up"><data key="l">7</data><data key="x">half</data></edge>
    <edge source="n0" target="n2"/>
  </graph>
</graphml>
`

// TestGraphML: a graph gives the same network as a hand-written netlist, with the same numbers;
// additional nodes and links follow it.
func TestGraphML(t *testing.T) {
	for _, c := range []struct{ text, graph, hand, notes string }{
		{"graphml: g", networkX, `nodes: {"n[0..1]": processor, "n[2]": star, "n[10]": processor}
links:
- {endpoints: ["n[0]:0", "n[1]:0"], latency: 3}
- {endpoints: ["n[1]:1", "n[10]:0"], latency: 4, oneway: true}
- {endpoints: ["n[10]:0", "n[1]:1"], latency: 5, oneway: true}
- ["n[0]:1", "n[2]"]
- {endpoints: ["n[2]", "n[10]:1"], oneway: true}
`, "ignored data: colour"},
		{"links: [[\"row[0].b:spare\", c]]\nnodes: {c: processor}\napart: true\nkinds: {cpu: {kind: processor}, bus: {arbiter: matrix}}\ngraphml: g", yEd,
			`kinds: {bus: {arbiter: matrix}}
apart: true
nodes: {"row[0].a": processor, "row[0].b": {kind: processor, ports: [up, spare]}, hub: bus, c: processor}
links:
- {endpoints: ["row[0].a:0", "row[0].b:up"], latency: 7, duplex: half}
- {endpoints: ["row[0].a:1", hub], latency: 2}
- ["row[0].b:spare", "c:0"]
`, "ignored data: d6"},
		{"graphml: g\nrouter: {vcs: 4}", `<graphml><key id="k" for="node"><default>router</default></key><graph edgedefault="undirected">
<node id="r0"/><node id="r1"/><node id="p"><data key="kind">processor</data></node><node id="q"><data key="kind">processor</data></node>
<edge source="r0" target="r1"/><edge source="p" target="r0"/><edge source="r1" target="q"/></graph></graphml>`,
			"router: {vcs: 4}\nnodes: {r0: router, r1: router, p: processor, q: processor}\nlinks: [[r0, r1], [p, r0], [r1, q]]", ""},
	} {
		graph := strings.Replace(c.graph, `id="k" for="node"><default>router`, `id="kind" for="node"><default>router`, 1)
		got, err := readXML(t, c.text, graph)
		require.NoError(t, err)
		want, err := read(t, c.hand)
		require.NoError(t, err)
		require.Equal(t, canonical(want), canonical(got))
		require.Contains(t, strings.Join(got.notes, "; "), c.notes)
	}
}

// TestGraphMLWrong reads graphs with one mistake each, and their corrections according to the remedy.
func TestGraphMLWrong(t *testing.T) {
	const two = `<node id="a"/><node id="b"/>`
	for _, c := range []struct{ text, says, mended string }{
		{"", "g:1:1: there is no element <graphml>; write <graphml><graph", two + `<edge source="a" target="b"/>`},
		{"<graphml>\n<graph>", "g:2: not XML: unexpected EOF; correct the syntax", two + `<edge source="a" target="b"/>`},
		{"<graphml/>", "g:1:1: there are 0 elements <graph>; write one", two + `<edge source="a" target="b"/>`},
		{"<graphml><graph/>\n<graph/></graphml>", "g:1:1: there are 2 elements <graph>; write one", two + `<edge source="a" target="b"/>`},
		{two + `<node id="a"/>`, `g:3:29: a <node> has the id "a", which is empty or not unique; give each node its own id`, two + `<edge source="a" target="b"/>`},
		{`<node/><node id="b"/>`, `g:3:1: a <node> has the id "", which`, two + `<edge source="a" target="b"/>`},
		{two + "\n" + `<edge source="a" target="c"/>`, `g:4:1: the target of an <edge> is "c", but there is no such <node>; write the id of one`, two + `<edge source="a" target="b"/>`},
		{`<node id="alpha"/><node id="b"/>` + "\n" + `<edge source="alpa" target="b"/>`, `did you mean "alpha"?`, `<node id="alpha"/><node id="b"/><edge source="alpha" target="b"/>`},
		{two + `<edge target="b"/>`, `g:3:29: the source of an <edge> is "", but there is no such <node>`, two + `<edge source="a" target="b"/>`},
		{two + `<edge source="a" target="a"/>`, "g:3:29: an <edge> leads from a to itself; delete it", two + `<edge source="a" target="b"/>`},
		{two + `<hyperedge><endpoint node="a"/><endpoint node="b"/></hyperedge>`, "g:3:29: a <hyperedge>; draw a node of the kind star or bus",
			two + `<node id="s"><data key="kind">star</data></node><edge source="a" target="s"/><edge source="b" target="s"/>`},
		{two + `<edge source="a" target="b"><data key="latency">long</data></edge>`, `g:3:29: the latency of an <edge> is "long"; write 0 to 4096`,
			two + `<edge source="a" target="b"><data key="latency">4096</data></edge>`},
		{two + `<edge source="a" target="b"><data key="latency">4097</data></edge>`, `g:3:29: the latency of an <edge> is "4097"; write 0 to 4096`,
			two + `<edge source="a" target="b"><data key="latency">0</data></edge>`},
		{two + `<edge source="a" target="b"><data key="duplex">both</data></edge>`, `g:3:29: duplex of an <edge> is "both"; write full or half`,
			two + `<edge source="a" target="b"><data key="duplex">full</data></edge>`},
		{`<node id="a-1"/><node id="b"/><edge source="a-1" target="b"/>`, `g:3:1: the name of a node: path "a-1", character 2: found '-'`,
			`<node id="a-1"><data key="name">p[3]</data></node><node id="b"/><edge source="a-1" target="b"/>`},
		{`<node id="a"><graph/></node><node id="b"/><edge source="a" target="b"/>`, `g:3:14: a <graph> in the node "a"; draw its nodes beside the others`, two + `<edge source="a" target="b"/>`},
		{`<node id="a"><data key="kind">cpu</data></node><node id="b"/><edge source="a" target="b"/>`, `g:3:1: the node "a" has the unknown kind cpu; kinds are processor`,
			`<node id="a"><data key="kind">processor</data></node><node id="b"/><edge source="a" target="b"/>`},
		{`<node id="a"><port name="x"/></node><node id="b"/><edge source="a" target="b"/>`, `g:3:51: the ports of a have names; write a:x`,
			`<node id="a"><port name="x"/></node><node id="b"/><edge source="a" target="b" sourceport="x"/>`},
		{two, "g:3:1: no link leads to a", two + `<edge source="a" target="b"/>`},
	} {
		whole := func(text string) string {
			if strings.HasPrefix(text, "<graphml") || text == "" {
				return text
			}
			return "<graphml>\n<graph>\n" + text + "</graph></graphml>"
		}
		_, err := readXML(t, "graphml: g", whole(c.text))
		require.ErrorContains(t, err, c.says, c.text)
		_, err = readXML(t, "graphml: g", whole(c.mended))
		require.NoError(t, err, c.mended)
	}
	_, err := readXML(t, "graphml: none", "")
	require.ErrorContains(t, err, "n.yaml:1:10: none cannot be read: no such file or directory; give a file in GraphML, relative to this one")
	_, err = readXML(t, "graphml: 3", "")
	require.ErrorContains(t, err, "n.yaml:1:10: graphml is 3; write a text")
}

// TestGraphMLDirected: a directed graph without a return path is rejected, and the message names
// the direction as the reason; the undirected graph is read.
func TestGraphMLDirected(t *testing.T) {
	for nodes, says := range map[string]string{
		`<node id="a"/><node id="b"/><node id="s"><data key="kind">star</data></node><edge source="a" target="s"/><edge source="b" target="s"/>`: "g:2:29: no port hears the star s",
		`<node id="a"/><node id="b"/><node id="s"><data key="kind">star</data></node><edge source="s" target="a"/><edge source="s" target="b"/>`: "g:2:29: no port sends into the star s",
		`<node id="a"/><node id="b"/><edge source="a" target="b"/>`:                                                                              "g:2:15: no way leads to a from b",
	} {
		graph := func(edges string) string {
			return "<graphml><graph edgedefault=\"" + edges + "\">\n" + nodes + "</graph></graphml>"
		}
		_, err := readXML(t, "graphml: g", graph("directed"))
		require.ErrorContains(t, err, says+": an edge leads in one direction because the graph at g:1:10 is directed; "+
			"write edgedefault=\"undirected\" there, so that edges lead both ways, or ")
		_, err = readXML(t, "graphml: g", graph("undirected"))
		require.NoError(t, err)
	}
}

// FuzzGraphML: every graph is read or rejected.
func FuzzGraphML(f *testing.F) {
	f.Add(networkX)
	f.Add(yEd)
	f.Add("<graphml><graph><node id='a'/><edge source='a' target='a'/><node")
	f.Fuzz(func(t *testing.T, graph string) {
		if strings.Contains(graph, "..") { // ranges of millions
			return
		}
		net, err := readXML(t, "graphml: g", graph)
		require.Equal(t, err == nil, net != nil)
	})
}
