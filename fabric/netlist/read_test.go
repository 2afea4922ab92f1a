package netlist

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
)

// read reads a netlist from a separate file.
func read(t testing.TB, text string) (*Net, error) {
	n, err := readNetwork(t, text)
	return n.Net(), err
}

func readNetwork(t testing.TB, text string) (Network, error) {
	path := filepath.Join(t.TempDir(), "n.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	writeBeside(t, filepath.Dir(path))
	n, err := ReadFile(path)
	if err != nil {
		return Network{}, errors.New(strings.ReplaceAll(err.Error(), path, "n.yaml"))
	}
	return n, nil
}

// writeBeside writes the files that others name.
func writeBeside(t testing.TB, folder string) {
	for name, text := range map[string]string{"star.yml": "model: star_coupler", "g.anynet": "router 0 node 0 router 1\nrouter 1 node 1",
		"g.graphml": "<graphml><graph><node id='a'/><node id='b'/><edge source='a' target='b'/></graph></graphml>"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
}

// wrong are files with one mistake each, and their corrections according to the remedy.
var wrong = []struct{ name, text, says, mended string }{
	{"empty", "", "n.yaml:1:1: the netlist is empty; write nodes", "nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"list", "[1]", "n.yaml:1:1: the netlist is a list; write an object", "nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"names without quotes", "nodes: {\"p[0..1]\": processor, s: star}\nlinks: [[p[0..1], s]]", `n.yaml:2:11: not YAML: did not find expected ',' or ']' while parsing a flow sequence; put names with brackets into quotes`,
		"nodes: {\"p[0..1]\": processor, s: star}\nlinks: [[\"p[0..1]\", s]]"},
	{"a list of kinds", "nodes: [{\"p[0..1]\": processor}, {s: star}]\nlinks: [[\"p[0..1]\", s]]", `n.yaml:1:9: nodes[0] has no name; write {name: "p[0..1]", kind: processor}`,
		"nodes: [{name: \"p[0..1]\", kind: processor}, {name: s, kind: star}]\nlinks: [[\"p[0..1]\", s]]"},
	{"scenario without", "starloom: 1\nfabric: netlist\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:2:9: the scenario has no netlist; write fabric: {netlist: ",
		"starloom: 1\nfabric: {netlist: {nodes: {a: processor, b: processor}, links: [[a, b]]}}"},
	{"no nodes", "links: [[a, b]]", "n.yaml:1:1: the netlist has no nodes; write nodes:", "nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"unknown key", "node: {a: processor, b: processor}\nlinks: [[a, b]]", `n.yaml:1:1: unknown key "node" in the netlist; did you mean "nodes"?`,
		"nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"file in a file", "file: x.yaml\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:1:1: a netlist file refers to another netlist file; delete the key file, or write that file's keys here",
		"nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"key twice", "nodes: {a: processor, a: star, b: processor}\nlinks: [[a, b]]", `n.yaml:1:23: key "a" is given twice in nodes, first at n.yaml:1:9; delete one`,
		"nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"nodes a list", "nodes: [a, {name: b, kind: processor}]\nlinks: [[a, b]]", `n.yaml:1:9: nodes[0] is the text "a"; write an object: {name: a, kind: processor}`,
		"nodes: [{name: a, kind: processor}, {name: b, kind: processor}]\nlinks: [[a, b]]"},
	{"unnamed", "nodes: [{kind: processor}]", "n.yaml:1:9: nodes[0] has no name; add name", "nodes: [{name: a, kind: processor}, {name: b, kind: processor}]\nlinks: [[a, b]]"},
	{"links an object", "nodes: {a: processor, b: processor}\nlinks: {a: b}", "n.yaml:2:8: links is an object; write a list",
		"nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"name", "name: a b\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", `n.yaml:1:7: path "a b", character 2`, "name: a_b\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"name a number", "name: 3\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:1:7: name is 3; write a text",
		"name: n3\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"access", "access: two\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", `n.yaml:1:9: access is the text "two"; write all or one`,
		"access: all\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"words", "words: [1, 2, 3, 4, 5, 6, 7, 8, 9]\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:1:33: words has more than 8 entries; give fewer",
		"words: [1, 2, 3, 4, 5, 6, 7, 8]\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"word", "words: [-1]\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:1:9: words[0] is -1",
		"words: [0]\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"apart", "apart: maybe\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:1:8: apart is",
		"apart: true\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"unknown kind", "nodes: {a: procesor, b: processor}\nlinks: [[a, b]]", `n.yaml:1:12: the node "a" has the unknown kind procesor; did you mean "processor"?`, "nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"no kind", "nodes: {a: {}, b: processor}\nlinks: [[a, b]]", `n.yaml:1:12: the node "a" has no kind; add kind: processor or star`, "nodes: {a: {kind: processor}, b: processor}\nlinks: [[a, b]]"},
	{"kind a number", "nodes: {a: {kind: 1}, b: processor}\nlinks: [[a, b]]", `n.yaml:1:19: the node "a": kind is 1; write a text`,
		"nodes: {a: {kind: processor}, b: processor}\nlinks: [[a, b]]"},
	{"node a number", "nodes: {a: 1, b: processor}\nlinks: [[a, b]]", `n.yaml:1:12: the node "a" is 1; write a kind, such as processor, or an object`,
		"nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"key of a node", "nodes: {a: {kind: processor, port: [x]}, b: processor}\nlinks: [[a, b]]", `n.yaml:1:30: unknown key "port" in the node "a"; did you mean "ports"?`,
		"nodes: {a: {kind: processor, ports: [x]}, b: processor}\nlinks: [['a:x', b]]"},
	{"ports of a star", "nodes: {a: processor, s: {kind: star, ports: [x]}}\nlinks: [[a, s]]", `n.yaml:1:39: unknown key "ports" in the node "s"; allowed: kind`, "nodes: {a: processor, s: {kind: star}}\nlinks: [[a, s]]"},
	{"kind of kinds", "kinds: {cpu: {ports: [x]}}\nnodes: {a: cpu, b: processor}\nlinks: [['a:x', b]]", "n.yaml:1:14: kinds.cpu has no kind; add kind: processor or star",
		"kinds: {cpu: {kind: processor, ports: [x]}}\nnodes: {a: cpu, b: processor}\nlinks: [['a:x', b]]"},
	{"range", `nodes: {"p[3..1]": processor, h: star}` + "\nlinks: [[\"p[1..3]\", h]]", `n.yaml:1:9: the node "p[3..1]": [3..1] is not a range`,
		`nodes: {"p[1..3]": processor, h: star}` + "\nlinks: [[\"p[1..3]\", h]]"},
	{"number of a range", "nodes: {\"p[0..99999999999]\": processor}\nlinks: []", "[0..99999999999] is not a range: a range goes from a smaller number to a larger one, up to 2147483647", "ring: {n: 4}"},
	{"large range", `nodes: {"p[0..9999999]": processor}` + "\nlinks: []", `with the node p[0..9999999] there are 10000000 nodes; draw at most 65536; pops, ej and bus have more`, "ring: {n: 4}"},
	{"node name", "nodes: {1a: processor, b: processor}\nlinks: [[1a, b]]", `n.yaml:1:9: the name of a node: path "1a", character 1`,
		"nodes: {a1: processor, b: processor}\nlinks: [[a1, b]]"},
	{"two nodes", `nodes: {"p[0..3]": processor, "p[3]": star}` + "\nlinks: [[\"p[0..3]\", h]]", "n.yaml:1:31: there are two nodes p[3]; the first is at n.yaml:1:9; rename one",
		`nodes: {"p[0..3]": processor, h: star}` + "\nlinks: [[\"p[0..3]\", h]]"},
	{"prefix", "nodes: {a: processor, a.b: processor}\nlinks: [[a, a.b]]", "n.yaml:1:23: the path of the node a.b belongs to a part of the node a, at n.yaml:1:9; rename one", "nodes: {a: processor, c.b: processor}\nlinks: [[a, c.b]]"},
	{"no processor", "nodes: {s: star}\nlinks: []", "n.yaml:1:9: there is no processor; add a node",
		"nodes: {s: star, \"p[0..3]\": {kind: processor}}\nlinks: [[s, \"p[0..3]\"]]"},
	{"unknown node", "nodes: {alpha: processor, beta: processor}\nlinks: [[alpha, betta]]", "n.yaml:2:17: there is no node betta; did you mean \"beta\"?", "nodes: {alpha: processor, beta: processor}\nlinks: [[alpha, beta]]"},
	{"no ends", "nodes: {a: processor, b: processor}\nlinks: [{oneway: true}]", "n.yaml:2:9: links[0] has no endpoints; add endpoints", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b]}]"},
	{"one end", "nodes: {a: processor, b: processor}\nlinks: [[a]]", "n.yaml:2:9: a link has 1 end; write endpoints: [a, b]",
		"nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"ranges of stars", `nodes: {"p[0..3]": processor, "q[0..1]": processor, "s[0..1]": star}` + "\nlinks: [[\"p[0..3]\", \"q[0..1]\", \"s[0..1]\"]]",
		"n.yaml:2:10: p[0..3] stands for 4 ends, but s[0..1] for 2; write ranges of equal length, or with a common beginning",
		`nodes: {"p[0..1].a[0..1]": processor, "q[0..1]": processor, "s[0..1]": star}` + "\napart: true\nlinks: [[\"p[0..1].a[0..1]\", \"q[0..1]\", \"s[0..1]\"]]"},
	{"link with keys among its ends", "nodes: {a: processor, b: processor}\nlinks: [[a, b, {latency: 3}]]",
		"n.yaml:2:16: links[0][2] is an object; write the keys of a link beside its ends: {endpoints: [a, b], latency: 3}",
		"nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latency: 3}]"},
	{"link a text", "nodes: {a: processor, b: processor}\nlinks: [a]", `n.yaml:2:9: links[0] is the text "a"; write its ends: [a, b], or an object`,
		"nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"key of a link", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latncy: 2}]", `n.yaml:2:29: unknown key "latncy" in links[0]; did you mean "latency"?`,
		"nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latency: 2}]"},
	{"latency", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latency: 4097}]", "n.yaml:2:38: links[0].latency is 4097", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latency: 4096}]"},
	{"negative latency", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latency: -1}]", "n.yaml:2:38: links[0].latency is -1",
		"nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latency: 0}]"},
	{"duplex", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], duplex: both}]", `n.yaml:2:37: links[0].duplex is the text "both"; write full or half`,
		"nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], duplex: half}]"},
	{"oneway", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], oneway: 1}]", "n.yaml:2:37: links[0].oneway is 1; write true or false",
		"apart: true\nnodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], oneway: true}]"},
	{"half and oneway", "apart: true\nnodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], oneway: true, duplex: half}]", "n.yaml:3:9: duplex is half, but the link is oneway; delete one",
		"nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], duplex: half}]"},
	{"ranges", `nodes: {"p[0..3]": processor, "q[0..2]": processor}` + "\nlinks: [[\"p[0..3]\", \"q[0..2]\"]]", "n.yaml:2:21: q[0..2] stands for 3 ends, but p[0..3] for 4; write ranges of equal length",
		`nodes: {"p[0..3]": processor, "q[0..3]": processor}` + "\nlinks: [[\"p[0..3]\", \"q[0..3]\"], [\"p[0]\", \"p[1]\"], [\"p[0]\", \"p[2]\"], [\"p[0]\", \"p[3]\"]]"},
	{"range of an end", "nodes: {a: processor, b: processor}\nlinks: [[\"a:2..1\", b]]", `n.yaml:2:10: the end "a:2..1": 2..1 is not a range`,
		"nodes: {a: processor, b: processor}\nlinks: [[\"a:0..1\", b]]"},
	{"port of a star", "nodes: {a: processor, s: star}\nlinks: [[a, 's:0']]", "n.yaml:2:13: s is a star, which has no ports; write s", "nodes: {a: processor, s: star}\nlinks: [[a, s]]"},
	{"unknown port", "nodes: {a: {kind: processor, ports: [east, west]}, b: processor}\nlinks: [['a:esat', b]]", "n.yaml:2:10: a has no port esat; did you mean \"east\"?",
		"nodes: {a: {kind: processor, ports: [east, west], open: [west]}, b: processor}\nlinks: [['a:east', b]]"},
	{"port above", "nodes: {a: {kind: processor, ports: [east]}, b: processor}\nlinks: [['a:1', b]]", "n.yaml:2:10: a has 1 port, but this is port 1, counted from 0; name one of them", "nodes: {a: {kind: processor, ports: [east]}, b: processor}\nlinks: [['a:0', b]]"},
	{"port without a name", "nodes: {a: {kind: processor, ports: [east]}, b: processor}\nlinks: [[a, b]]", "n.yaml:2:10: the ports of a have names; write a:east, or another one", "nodes: {a: {kind: processor, ports: [east]}, b: processor}\nlinks: [['a:east', b]]"},
	{"names and numbers", "nodes: {a: processor, b: processor}\nlinks: [['a:0', b], ['a:x', b]]", "n.yaml:2:22: the ports of a have numbers, but this port is named x; write a number",
		"nodes: {a: processor, b: processor}\nlinks: [['a:0', b], ['a:1', b]]"},
	{"port name", "nodes: {a: {kind: processor, ports: ['a b']}, b: processor}\nlinks: [['a:0', b]]", `n.yaml:1:9: "a b" is not the name of a port`,
		"nodes: {a: {kind: processor, ports: [east]}, b: processor}\nlinks: [['a:0', b]]"},
	{"port name, ends without", "nodes: {a: {kind: processor, ports: [0A]}, b: processor}\nlinks: [[a, b]]", `n.yaml:1:9: "0A" is not the name of a port`,
		"nodes: {a: {kind: processor, ports: [A]}, b: processor}\nlinks: [['a:A', b]]"},
	{"reserved", "nodes: {a: {kind: processor, ports: [tx]}, b: processor}\nlinks: [['a:tx', b]]", "n.yaml:1:9: a port is named tx, like a part of each NIC; rename it", "nodes: {a: {kind: processor, ports: [out]}, b: processor}\nlinks: [['a:out', b]]"},
	{"port twice", "nodes: {a: {kind: processor, ports: [x, x]}, b: processor}\nlinks: [['a:x', b]]", "n.yaml:1:9: a has two ports x; rename one",
		"nodes: {a: {kind: processor, ports: [x, y], open: [y]}, b: processor}\nlinks: [['a:x', b]]"},
	{"many ports", "nodes: {a: processor, b: processor}\nlinks: [['a:72', b]]", "n.yaml:2:10: port 72 of a: a processor has at most 72 ports; use fewer, or access: one",
		"nodes: {a: processor, b: processor}\nlinks: [['a:0', b]]"},
	{"gap", "nodes: {a: processor, b: processor}\nlinks: [['a:1', b]]", "n.yaml:1:9: no link leads to port 0 of a; add a link", "nodes: {a: processor, b: processor}\nlinks: [['a:0', b]]"},
	{"listed, not used", "nodes: {a: {kind: processor, ports: [x, y]}, b: processor}\nlinks: [['a:x', b]]", "n.yaml:1:9: no link leads to port y of a",
		"nodes: {a: {kind: processor, ports: [x, y], open: [y]}, b: processor}\nlinks: [['a:x', b]]"},
	{"alone", "nodes: {a: processor, b: processor, c: processor}\nlinks: [[a, b]]", "n.yaml:1:37: no link leads to c; add one, or delete the node", "nodes: {a: processor, b: processor, c: processor}\nlinks: [[a, b], [b, c]]"},
	{"two ways out", "nodes: {a: processor, b: processor, c: processor}\nlinks: [['a:0', 'b:0'], ['a:0', 'c:0']]", "n.yaml:2:25: a:0 has two links out; the first is drawn at n.yaml:2:9; use another port",
		"nodes: {a: processor, b: processor, c: processor}\nlinks: [['a:0', 'b:0'], ['a:1', 'c:0']]"},
	{"two ways in", "apart: true\nnodes: {a: processor, b: processor, c: processor}\nlinks: [{endpoints: ['a:0', 'b:0'], oneway: true}, {endpoints: ['c:0', 'b:0'], oneway: true}]",
		"n.yaml:3:52: b:0 has two links in; the first is drawn at n.yaml:3:9",
		"apart: true\nnodes: {a: processor, b: processor, c: processor}\nlinks: [{endpoints: ['a:0', 'b:0'], oneway: true}, {endpoints: ['c:0', 'b:1'], oneway: true}]"},
	{"to itself", "nodes: {a: processor, b: processor}\nlinks: [['a:0', 'a:0'], [a, b]]", "n.yaml:2:9: a link leads from a:0 to itself",
		"nodes: {a: processor, b: processor}\nlinks: [{endpoints: ['a:0', 'a:0'], oneway: true}, [a, b]]"},
	{"two stars", "nodes: {a: processor, s: star, r: star}\nlinks: [[a, s], [a, r], [s, r]]", "n.yaml:2:25: a link joins two stars", "nodes: {a: processor, s: star, r: star}\nlinks: [[a, s], [a, r]]"},
	{"three ends", "nodes: {a: processor, b: processor, c: processor}\nlinks: [[a, b, c]]", "n.yaml:2:9: a link has 3 ends; join two ports, or ports and a star", "nodes: {a: processor, b: processor, c: processor, s: star}\nlinks: [[a, b, c, s]]"},
	{"bus and star", "nodes: {a: processor, b: bus, r: star}\nlinks: [[a, b], [a, r], [b, r]]", "n.yaml:2:25: a link joins the bus b and the star r; put a processor", "nodes: {a: processor, b: bus, r: star}\nlinks: [[a, b], [a, r]]"},
	{"key of a bus", "nodes: {\"a[0..1]\": processor, b: {kind: bus, cap: 1}}\nlinks: [[\"a[0..1]\", b]]", `n.yaml:1:46: unknown key "cap" in the node "b"; allowed: kind, rtl, arbiter, weights, length, align`, "nodes: {\"a[0..1]\": processor, b: {kind: bus}}\nlinks: [[\"a[0..1]\", b]]"},
	{"arbiter", "nodes: {a: processor, b: {kind: bus, arbiter: raffle}}\nlinks: [[a, b]]", "n.yaml:1:47: the node \"b\": arbiter is \"raffle\"; allowed: none, fixed",
		"nodes: {a: processor, b: {kind: bus, arbiter: fixed}}\nlinks: [[a, b]]"},
	{"arbiter of a crossbar", "nodes: {a: processor, b: {kind: crossbar, arbiter: tdma}}\nlinks: [[a, b]]", "n.yaml:1:52: the node \"b\": arbiter",
		"nodes: {a: processor, b: {kind: crossbar, arbiter: fixed}}\nlinks: [[a, b]]"},
	{"length without a switch", "nodes: {\"a[0..1]\": processor, b: {kind: bus, length: 2}}\nlinks: [[\"a[0..1]\", b]]", "n.yaml:1:31: the bus b has a length, but all ports are on it in every slot; delete length, or use access: switch",
		"access: switch\nnodes: {\"a[0..1]\": processor, b: {kind: bus, length: 2}}\nlinks: [[\"a[0..1]\", b]]"},
	{"switch at a star", "access: switch\nnodes: {\"a[0..1]\": processor, s: star}\nlinks: [[\"a[0..1]\", s]]", "n.yaml:2:31: s is a star, but NICs with one switch need buses; make it a bus", "access: switch\nnodes: {\"a[0..1]\": processor, s: bus}\nlinks: [[\"a[0..1]\", s]]"},
	{"switch at a link", "access: switch\nnodes: {\"a[0..1]\": processor}\nlinks: [[\"a[0]\", \"a[1]\"]]", "n.yaml:2:9: port 0 of a[0] is not a tap of a bus: a NIC with one switch sends and listens at the same place",
		"access: switch\nnodes: {\"a[0..1]\": processor, b: bus}\nlinks: [[\"a[0..1]\", b]]"},
	{"half a tap", "access: switch\nnodes: {\"a[0..1]\": processor, b: bus}\nlinks: [[\"a[0..1]:0\", b], {endpoints: [\"a[0]:1\", b], oneway: true}]", "a[0] also sends into the bus b by another port",
		"access: switch\nnodes: {\"a[0..1]\": processor, b: bus}\nlinks: [[\"a[0..1]:0\", b]]"},
	{"arbiters of a switch", "access: switch\nnodes: {\"a[0..1]\": processor, b: bus, c: {kind: bus, arbiter: fixed}}\nlinks: [[\"a[0..1]:0\", b], [\"a[0..1]:1\", c]]", "n.yaml:2:39: the arbiter of c is fixed, but the arbiter of b is none; give all buses",
		"access: switch\nnodes: {\"a[0..1]\": processor, b: bus, c: {kind: bus, arbiter: none}}\nlinks: [[\"a[0..1]:0\", b], [\"a[0..1]:1\", c]]"},
	{"list and matrix", "nodes: {\"a[0..1]\": processor, x: {kind: crossbar, matching: list, arbiter: matrix}}\nlinks: [[\"a[0..1]\", x]]", "n.yaml:1:31: of the crossbar x: matching is list, but lists need arbiter fixed or round_robin, and arbiter is matrix; use one of these arbiters, or delete matching",
		"nodes: {\"a[0..1]\": processor, x: {kind: crossbar, matching: list, arbiter: fixed}}\nlinks: [[\"a[0..1]\", x]]"},
	{"queue frames", "nodes: {\"a[0..1]\": processor, x: {kind: crossbar, queue_frames: 2}}\nlinks: [[\"a[0..1]\", x]]", "n.yaml:1:31: of the crossbar x: queue_frames is 2, but output is rendezvous, not queue; delete queue_frames, or use output: queue",
		"nodes: {\"a[0..1]\": processor, x: {kind: crossbar, output: queue, queue_frames: 2}}\nlinks: [[\"a[0..1]\", x]]"},
	{"no arbiter and a cap", "nodes: {\"a[0..1]\": processor, x: {kind: crossbar, arbiter: none, cap: 2}}\nlinks: [[\"a[0..1]\", x]]", "of the crossbar x: cap is 2, but only one frame crosses a crossbar with arbiter: none in a slot",
		"nodes: {\"a[0..1]\": processor, x: {kind: crossbar, arbiter: fixed, cap: 2}}\nlinks: [[\"a[0..1]\", x]]"},
	{"lists beside others", "nodes: {\"a[0..1]\": processor, x: {kind: crossbar, matching: list}}\nlinks: [[\"a[0..1]:0\", x], [\"a[0]:1\", \"a[1]:1\"]]", "the crossbar x is not the whole network: lists, queues",
		"nodes: {\"a[0..1]\": processor, x: {kind: crossbar, arbiter: fixed}}\nlinks: [[\"a[0..1]:0\", x], [\"a[0]:1\", \"a[1]:1\"]]"},
	{"crossbar unheard", "apart: true\nnodes: {\"a[0..1]\": processor, x: crossbar}\nlinks: [{endpoints: [\"a[0..1]\", x], oneway: true}]", "no port hears the crossbar x; add a link",
		"apart: true\nnodes: {\"a[0..1]\": processor, x: crossbar}\nlinks: [{endpoints: [\"a[0..1]\", x], oneway: true}, {endpoints: [x, \"a[0..1]:0\"], oneway: true}]"},
	{"all at arbiters", "access: all\nnodes: {\"a[0..1]\": processor, b: {kind: bus, arbiter: fixed}}\nlinks: [[\"a[0..1]\", b]]", "n.yaml:1:9: the bus b has an arbiter, but with access all NICs do not request media; take access: mixed",
		"access: mixed\nnodes: {\"a[0..1]\": processor, b: {kind: bus, arbiter: fixed}}\nlinks: [[\"a[0..1]\", b]]"},
	{"one at a crossbar", "access: one\nnodes: {\"a[0..1]\": processor, x: crossbar}\nlinks: [[\"a[0..1]:0\", x], [\"a[0]:1\", \"a[1]:1\"]]", "n.yaml:1:9: the crossbar x is not the whole network, but with access one NICs do not request media",
		"access: mixed\nnodes: {\"a[0..1]\": processor, x: crossbar}\nlinks: [[\"a[0..1]:0\", x], [\"a[0]:1\", \"a[1]:1\"]]"},
	{"mixed of one kind", "access: mixed\nnodes: {\"a[0..1]\": processor, s: star}\nlinks: [[\"a[0..1]\", s]]", "n.yaml:1:9: access is mixed, but no port requests media; use access: all", "access: all\nnodes: {\"a[0..1]\": processor, s: star}\nlinks: [[\"a[0..1]\", s]]"},
	{"three ends, oneway", "nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, b, s], oneway: true}]", "n.yaml:2:9: a link with 3 ends is oneway; write one link for each direction",
		"apart: true\nnodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, s], oneway: true}, {endpoints: [s, b], oneway: true}]"},
	{"half into a star", "nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, b, s], duplex: half}]", "n.yaml:2:9: duplex is half, but s is a star", "nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, b, s]}]"},
	{"latency into a star", "nodes: {a: processor, b: processor, s: star}\nlinks: [[a, b, s], {endpoints: [a, s], oneway: true, latency: 2}]", "s by another port",
		"nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, b, s], latency: 2}]"},
	{"latency on the way in", "nodes: {a: processor, s: star}\nlinks: [{endpoints: ['a:0', s], oneway: true, latency: 2}, {endpoints: [s, 'a:0'], oneway: true}]", "n.yaml:2:9: a latency on a link into the star s",
		"nodes: {a: processor, s: star}\nlinks: [{endpoints: ['a:0', s], oneway: true}, {endpoints: [s, 'a:0'], oneway: true, latency: 2}]"},
	{"latencies out", "nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, s], latency: 2}, {endpoints: [b, s], latency: 3}]", "n.yaml:2:42: links with latencies of 2 cycles and 3 cycles lead out of the star s; give all its listeners the same",
		"nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, s], latency: 3}, {endpoints: [b, s], latency: 3}]"},
	{"one latency out", "nodes: {a: processor, b: processor, s: star}\nlinks: [[a, s], {endpoints: [b, s], latency: 3}]", "n.yaml:2:17: links with latencies of link.propagation_cycles and 3 cycles lead out of the star s; give all its listeners the same",
		"nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, s], latency: 3}, {endpoints: [b, s], latency: 3}]"},
	{"hears twice", "nodes: {a: processor, b: processor, s: star}\nlinks: [[a, b, s], {endpoints: [s, a], oneway: true}]", "n.yaml:2:20: a also listens to the star s by another port: n.yaml:2:9; let one port", "nodes: {a: processor, b: processor, s: star}\nlinks: [[a, b, s]]"},
	{"no driver", "nodes: {a: processor, s: star}\nlinks: [{endpoints: [s, a], oneway: true}]", "n.yaml:1:23: no port sends into the star s; add a link",
		"nodes: {a: processor, s: star}\nlinks: [{endpoints: [s, a], oneway: true}, {endpoints: [a, s], oneway: true}]"},
	{"no listener", "nodes: {a: processor, s: star}\nlinks: [{endpoints: [a, s], oneway: true}]", "n.yaml:1:23: no port hears the star s; add a link",
		"nodes: {a: processor, s: star}\nlinks: [{endpoints: [a, s], oneway: true}, {endpoints: [s, a], oneway: true}]"},
	{"apart from", "nodes: {a: processor, b: processor, c: processor, d: processor}\nlinks: [[a, b], [c, d]]", "n.yaml:1:37: no way leads from a to c and 1 other; link them, or write apart: true", "apart: true\nnodes: {a: processor, b: processor, c: processor, d: processor}\nlinks: [[a, b], [c, d]]"},
	{"no way back", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], oneway: true}]", "n.yaml:1:23: no way leads to a from b; link them, or write apart: true",
		"nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"routes", "ring: {n: 4}\nroutes: long", `n.yaml:2:9: routes is the text "long"; write shortest or none`, "ring: {n: 4}\nroutes: none"},
	{"default of routes", "ring: {n: 4}\nroutes: {default: 3}", `n.yaml:2:19: routes.default is 3; write shortest or none`,
		"ring: {n: 4}\nroutes: {default: shortest}"},
	{"route a list", "ring: {n: 4}\nroutes: {'p[0]': [east]}", `n.yaml:2:18: routes.p[0] is a list; write an object`, "ring: {n: 4}\nroutes: {'p[0]': {'p[1]': east}}"},
	{"port of a route", "ring: {n: 4}\nroutes: {'p[0]': {'p[1]': []}}", `n.yaml:2:27: routes.p[0].p[1] is a list; write the name or the number of a port`,
		"ring: {n: 4}\nroutes: {'p[0]': {'p[1]': 0}}"},
	{"route of no one", "ring: {n: 4}\nroutes: {'p[4]': {'p[1]': east}}", `n.yaml:2:10: there is no processor p[4]; did you mean "p[0]"?`,
		"ring: {n: 4}\nroutes: {'p[0]': {'p[1]': east}}"},
	{"range of a route", "ring: {n: 4}\nroutes: {'p[0]': {'p[2..1]': east}}", `n.yaml:2:19: a route of "p[2..1]": [2..1] is not a range`, "ring: {n: 4}\nroutes: {'p[0]': {'p[1..2]': east}}"},
	{"route of a star", "nodes: {a: processor, b: processor, s: star}\nlinks: [[a, b, s]]\nroutes: {a: {s: 0}}", `n.yaml:3:14: there is no processor s; routes lead from processor to processor`,
		"nodes: {a: processor, b: processor, s: star}\nlinks: [[a, b, s]]\nroutes: {a: {b: 0}}"},
	{"route by no port", "ring: {n: 4}\nroutes: {'p[0]': {'p[1]': eest}}", `n.yaml:2:19: p[0] has no port eest; did you mean "east"?`, "ring: {n: 4}\nroutes: {'p[0]': {'p[1]': 0}}"},
	{"route by an open port", "mesh: {k: [3, 2]}\nroutes: {'p[0]': {'p[1]': west}}", `n.yaml:2:19: a route uses port west of p[0], which has no outgoing link; add a link`, "mesh: {k: [3, 2]}\nroutes: {'p[0]': {'p[1]': east}}"},
	{"two routes", "ring: {n: 4}\nroutes: {'p[0]': {'p[1]': east}, 'p[0..1]': {'p[1]': west}}", `n.yaml:2:46: there are two routes from p[0] to p[1]; the first is at n.yaml:2:19; delete one`,
		"ring: {n: 4}\nroutes: {'p[0]': {'p[1]': east}}"},
	{"route to itself", "ring: {n: 4}\nroutes: {'p[0]': {'p[0]': east}}", `n.yaml:2:19: a route leads from p[0] to itself; delete it`,
		"ring: {n: 4}\nroutes: {'p[0]': {}}"},
	{"no route", "ring: {n: 4}\nroutes: {default: none, 'p[0]': {'p[1..3]': east}}", `no route leads from p[1] to p[0]; add one, or default: shortest`, "ring: {n: 4}\nroutes: {default: none, 'p[0..3]': {'p[0..3]': east}}"},
	{"route round", "ring: {n: 4}\nroutes: {'p[0]': {'p[1]': west}}", `n.yaml:2:19: the routes to p[1] lead round: p[0] -> p[3] -> p[0]; change one of them`,
		"ring: {n: 4}\nroutes: {'p[0]': {'p[1]': west}, 'p[3]': {'p[1]': west}}"},
	{"long way round", "ring: {n: 6}\nroutes: {'p[1..4]': {'p[0]': east}, 'p[5]': {'p[0]': west}}", `the routes to p[0] lead round: p[4] -> p[5] -> p[4]`,
		"ring: {n: 6}\nroutes: {'p[1..4]': {'p[0]': east}, 'p[5]': {'p[0]': east}}"},
	{"size", "mesh: {k: [4, 1]}", "n.yaml:1:15: mesh.k[1] is 1; allowed: 2 to 65536 (nodes in each dimension", "mesh: {k: [4, 2]}"},
	{"large torus", "torus: {k: [2048, 2049]}", "n.yaml:1:8: torus: 4196352 nodes; draw at most 65536", "torus: {k: [4, 5]}"},
	{"dimensions", "mesh: {k: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]}", "n.yaml:1:11: mesh.k has 17 entries; give at most 16", "mesh: {k: [4, 4, 4]}"},
	{"no size", "mesh: {}", `n.yaml:1:7: missing key "k" in mesh; add "k"`, "mesh: {k: [2, 2]}"},
	{"ring of one", "ring: {n: 1}", "n.yaml:1:11: ring.n is 1; allowed: 2 to 65536", "ring: {n: 2}"},
	{"high tree", "tree: {arity: 3, levels: 20}", "n.yaml:1:7: tree: more than 1073741824 nodes; draw at most 65536", "tree: {arity: 3, levels: 4}"},
	{"bits", "hypercube: {dimensions: 23}", "n.yaml:1:25: hypercube.dimensions is 23; allowed: 1 to 22", "hypercube: {dimensions: 3}"},
	{"key of a mesh", "mesh: {k: [2, 2], latncy: 3}", `n.yaml:1:19: unknown key "latncy" in mesh; did you mean "latency"?`, "mesh: {k: [2, 2], latency: 3}"},
	{"two shorthands", "mesh: {k: [2, 2]}\nring: {n: 4}", "n.yaml:2:7: there are two nodes p[0]; the first is at n.yaml:1:7 (and 3 others); rename one",
		"mesh: {k: [2, 2], ports: [x]}\nring: {n: 4, node: q, ports: [x]}\nlinks: [['p[0..3]:x', 'q[0..3]:x']]"},
	{"ports of a mesh", "mesh: {k: [2, 2], ports: [east]}", "n.yaml:1:7: p[0] has two ports east; rename one", "mesh: {k: [2, 2], ports: [out]}"},
	{"open, unlisted", "nodes: {a: {kind: processor, open: [x]}, b: processor}\nlinks: [[a, b]]", "n.yaml:1:9: a has open ports, but lists no ports; add ports",
		"nodes: {a: {kind: processor, ports: [x, y], open: [x]}, b: processor}\nlinks: [['a:y', b]]"},
	{"open, unknown", "nodes: {a: {kind: processor, ports: [left], open: [lef]}, b: processor}\nlinks: [['a:left', b]]", `n.yaml:1:9: a has no port lef that could stay open; did you mean "left"?`,
		"nodes: {a: {kind: processor, ports: [left], open: [left]}, b: processor}\nlinks: [['a:left', b]]"},
	{"anynet", "anynet: 3", "n.yaml:1:9: anynet is 3; write a text", "anynet: g.anynet"},
	{"RTL by a map that is not there", "nodes: {a: processor, s: {kind: star, rtl: {map: none.yml}}}\nlinks: [[a, s]]", "none.yml cannot be read: no such file or directory; give a pin map", "nodes: {a: processor, s: {kind: star, rtl: {twin: star_coupler}}}\nlinks: [[a, s]]"},
	{"RTL by a file that is no map", "nodes: {a: processor, s: {kind: star, rtl: {map: n.yaml}}}\nlinks: [[a, s]]", "n.yaml:1:1: the pin map names no model; write model: star_coupler",
		"nodes: {a: processor, s: {kind: star, rtl: {map: star.yml}}}\nlinks: [[a, s]]"},
	{"RTL of a kind", "kinds: {c: {kind: star, rtl: {twin: coupler}}}\nnodes: {a: processor, s: c}\nlinks: [[a, s]]", `n.yaml:1:30: the twin is coupler, which is unknown; did you mean "counter"? write star_coupler`, "kinds: {c: {kind: star, rtl: {backend: icarus}}}\nnodes: {a: processor, s: c}\nlinks: [[a, s]]"},
	{"RTL of both", "nodes: {a: processor, s: {kind: star, rtl: {map: x.yml, twin: link}}}\nlinks: [[a, s]]", `n.yaml:1:44: the node "s": rtl has both map and twin; delete one`,
		"nodes: {a: processor, s: {kind: star, rtl: {twin: link}}}\nlinks: [[a, s]]"},
	{"RTL a text", "nodes: {a: processor, s: {kind: star, rtl: x.yml}}\nlinks: [[a, s]]", `n.yaml:1:44: the node "s": rtl is the text "x.yml"; write an object`,
		"nodes: {a: processor, s: {kind: star, rtl: {map: star.yml}}}\nlinks: [[a, s]]"},
	{"key of RTL", "nodes: {a: {kind: processor, rtl: {maps: x}}, b: processor}\nlinks: [[a, b]]", `n.yaml:1:36: unknown key "maps" in the node "a": rtl; did you mean "map"?`,
		"nodes: {a: {kind: processor, rtl: {map: star.yml}}, b: processor}\nlinks: [[a, b]]"},
	{"latencies into a star", "nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, s], latency: 2}, {endpoints: [b, s], latency: 3}]", "or write align: true at the star s",
		"nodes: {a: processor, b: processor, s: {kind: star, align: true}}\nlinks: [{endpoints: [a, s], latency: 2}, {endpoints: [b, s], latency: 3}]"},
	{"one way of an aligned star", "nodes: {a: processor, b: processor, s: {kind: star, align: true}}\nlinks: [[a, s], {endpoints: [b, s], latency: 3}]",
		"n.yaml:1:37: the star s is aligned, but only some of its links have a latency; the link of netlist.a has none; " +
			"give all of its links a latency, or none",
		"nodes: {a: processor, b: processor, s: {kind: star, align: true}}\nlinks: [[a, s], [b, s]]"},
	{"long ways of an aligned star", "nodes: {a: processor, b: processor, s: {kind: star, align: true}}\nlinks: [{endpoints: [a, s], latency: 4000}, {endpoints: [b, s], latency: 3}]",
		"n.yaml:1:37: the longest links into and out of the star s take 8000 cycles together; give at most 4096 cycles " +
			"for both together",
		"nodes: {a: processor, b: processor, s: {kind: star, align: true}}\nlinks: [{endpoints: [a, s], latency: 2048}, {endpoints: [b, s], latency: 3}]"},
	{"aligned with an arbiter", "nodes: {\"a[0..1]\": processor, b: {kind: bus, arbiter: fixed, align: true}}\nlinks: [{endpoints: [\"a[0]\", b], latency: 2}, {endpoints: [\"a[1]\", b], latency: 3}]",
		"n.yaml:1:31: the bus b has align and an arbiter, but arbitrated senders already start together at the bus; " +
			"delete align, or the arbiter",
		"nodes: {\"a[0..1]\": processor, b: {kind: bus, align: true}}\nlinks: [{endpoints: [\"a[0]\", b], latency: 2}, {endpoints: [\"a[1]\", b], latency: 3}]"},
	{"GraphML", "graphml: [g.graphml]", "n.yaml:1:10: graphml is a list; write a text", "graphml: g.graphml"},
	{"dragonfly without groups", "dragonfly: {a: 4, h: 0}", "n.yaml:1:22: dragonfly.h is 0; allowed: 1 to 255", "dragonfly: {a: 4, h: 1}"},
	{"dragonfly without a", "dragonfly: {h: 2}", "n.yaml:1:12: missing key \"a\" in dragonfly; add \"a\"", "dragonfly: {a: 2, h: 2}"},
	{"dragonfly of processors with processors", "dragonfly: {p: 2, a: 4, h: 2}", "n.yaml:1:12: dragonfly: p is 2, but has no meaning without routers; add router: {} beside dragonfly, or delete p",
		"dragonfly: {p: 2, a: 4, h: 2}\nrouter: {}"},
	{"large dragonfly", "dragonfly: {a: 255, h: 255}", "n.yaml:1:12: dragonfly: 16581630 nodes; draw at most 65536", "dragonfly: {a: 3, h: 2}"},
	{"dragonfly with one channel", "dragonfly: {a: 4, h: 2}\nrouter: {vcs: 1}", "n.yaml:2:9: routes: minimal needs two classes of virtual channels, but there is only one channel; write vcs: 2 or more",
		"dragonfly: {a: 4, h: 2}\nrouter: {vcs: 2}"},
	{"dragonfly of classes", "dragonfly: {a: 4, h: 2}\nrouter: {vcs: 2, classes: 2}", "n.yaml:2:9: routes: minimal needs two classes of virtual channels, but there is only one channel; write vcs: 4 or more",
		"dragonfly: {a: 4, h: 2}\nrouter: {vcs: 4, classes: 2}"},
	{"dragonfly with many ports", "dragonfly: {p: 250, a: 4, h: 4}\nrouter: {}", "n.yaml:1:12: dragonfly: routers of 257 ports; at most 256 are allowed", "dragonfly: {p: 2, a: 4, h: 4}\nrouter: {}"},
	{"dragonfly with half-duplex links", "dragonfly: {a: 2, h: 2, duplex: half}\nrouter: {}", "n.yaml:1:12: dragonfly: duplex is half: ", "dragonfly: {a: 2, h: 2}\nrouter: {}"},
	{"dragonfly with cables of no length", "dragonfly: {a: 2, h: 2, global_latency: 0}\nrouter: {}",
		"n.yaml:1:12: dragonfly: latency is 0, but a link between routers has at least one register; allowed: 1 to " +
			"500", "dragonfly: {a: 2, h: 2, global_latency: 1}\nrouter: {}"},
	{"minimal routes of a mesh", "mesh: {k: [3, 3]}\nrouter: {}\nroutes: minimal", "n.yaml:3:9: routes: minimal does not suit this network of routers; dor is for a mesh",
		"mesh: {k: [3, 3]}\nrouter: {}\nroutes: dor"},
	{"credits", "ring: {n: 4, ports: [x]}\nlinks: [{endpoints: ['p[0]:x', 'p[1]:x'], credits: 0}]", "n.yaml:2:52: links[0].credits is 0; allowed: 1 to 255", "ring: {n: 4, ports: [x]}\nlinks: [{endpoints: ['p[0]:x', 'p[1]:x'], credits: 1}]"},
	{"key of credits", "ring: {n: 4, credits: {depth: 2, resync: 3}}", `n.yaml:1:34: unknown key "resync" in ring.credits; did you mean "resync_slots"?`, "ring: {n: 4, credits: {depth: 2, resync_slots: 3}}"},
	{"round trip", "ring: {n: 4, credits: {depth: 2, round_trip_slots: 1}}", "n.yaml:1:52: ring.credits.round_trip_slots is 1; allowed: 2 to 64", "ring: {n: 4, credits: {depth: 2, round_trip_slots: 2}}"},
	{"credits of a star", "nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, b, s], credits: 2}]", "n.yaml:2:9: credits on a link to the star s: a credit is a place at one receiver", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], credits: 2}]"},
	{"credits of one port", "access: one\nring: {n: 4, credits: 2}", "n.yaml:2:7: credits with access one: a NIC that listens to one port", "access: all\nring: {n: 4, credits: 2}"},
	{"credits of routers", "nodes: {a: processor, b: processor, r: router}\nlinks: [[a, r], {endpoints: [b, r], credits: 4}]", "n.yaml:2:17: routers have their own credits, one for each entry of a buffer; delete credits",
		"nodes: {a: processor, b: processor, r: router}\nlinks: [[a, r], [b, r]]\nrouter: {depth: 4}"},
	{"credits of a mesh of routers", "mesh: {k: [2, 2], credits: 4}\nrouter: {}", "n.yaml:1:7: mesh: routers have their own credits",
		"mesh: {k: [2, 2]}\nrouter: {depth: 4}"},
	{"width", "ring: {n: 4, ports: [x]}\nlinks: [{endpoints: ['p[0]:x', 'p[1]:x'], width: 8}]", "n.yaml:2:43: links of different widths are not supported: all media have the same width; delete width; link.phit_bits applies to all",
		"ring: {n: 4, ports: [x]}\nlinks: [{endpoints: ['p[0]:x', 'p[1]:x']}]"},
	{"not YAML", "nodes: {", "n.yaml:", "nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"tag", "nodes: !x {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:1:8: the tag !x is not supported; delete it",
		"nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"a mesh without nodes", "mesh: {k: [0, 4]}", "n.yaml:1:12: mesh.k[0] is 0; allowed: 2 to 65536", "mesh: {k: [2, 4]}"},
	{"a mesh of less than nothing", "mesh: {k: [4, -2]}", "n.yaml:1:15: mesh.k[1] is -2; allowed: 2 to 65536", "mesh: {k: [4, 2]}"},
	{"a mesh without dimensions", "mesh: {k: []}", "n.yaml:1:11: mesh.k is an empty list; delete the key, or give nodes", "mesh: {k: [2]}"},
	{"a mesh with a number", "mesh: {k: 4}", "n.yaml:1:11: mesh.k is 4; write a list", "mesh: {k: [4]}"},
	{"a mesh that is a list", "mesh: [4, 4]", "n.yaml:1:7: mesh is a list; write an object: {k: ...}", "mesh: {k: [4, 4]}"},
	{"a fraction of a mesh", "mesh: {k: [4.5, 2]}", "n.yaml:1:12: mesh.k[0] is 4.5; write an integer: 2 to 65536", "mesh: {k: [4, 2]}"},
	{"a torus of one", "torus: {k: [1]}", "n.yaml:1:13: torus.k[0] is 1; allowed: 2 to 65536", "torus: {k: [2]}"},
	{"a huge torus", "torus: {k: [65536, 65536, 65536, 65536]}", "n.yaml:1:8: torus: more than 1073741824 nodes; draw at most 65536", "torus: {k: [4, 4]}"},
	{"above all integers", "mesh: {k: [99999999999999999999, 2]}", "n.yaml:1:12: mesh.k[0] is 99999999999999999999; allowed: 2 to 65536", "mesh: {k: [9, 2]}"},
	{"a ring of none", "ring: {n: 0}", "n.yaml:1:11: ring.n is 0; allowed: 2 to 65536", "ring: {n: 2}"},
	{"a large ring", "ring: {n: 4194305}", "n.yaml:1:11: ring.n is 4194305; allowed: 2 to 65536", "ring: {n: 5}"},
	{"a ring that is a number", "ring: 8", "n.yaml:1:7: ring is 8; write an object: {n: ...}", "ring: {n: 8}"},
	{"a tree without levels", "tree: {arity: 2, levels: 0}", "n.yaml:1:26: tree.levels is 0; allowed: 2 to 22 (number of levels, the root included)", "tree: {arity: 2, levels: 2}"},
	{"a tree without children", "tree: {arity: 0, levels: 2}", "n.yaml:1:15: tree.arity is 0; allowed: 1 to 71", "tree: {arity: 1, levels: 2}"},
	{"children and no ports", "tree: {arity: 72, levels: 2}", "n.yaml:1:15: tree.arity is 72; allowed: 1 to 71", "tree: {arity: 71, levels: 2}"},
	{"a port more than children", "tree: {arity: 71, levels: 2, ports: [x]}", "n.yaml:1:7: p[0] has 73 ports, but a NIC that uses all at once has at most 72 (and 71 others); use fewer, or access: one", "access: one\ntree: {arity: 71, levels: 2, ports: [x]}"},
	{"a large hypercube", "hypercube: {dimensions: 30}", "n.yaml:1:25: hypercube.dimensions is 30; allowed: 1 to 22 (bits of a node's number)", "hypercube: {dimensions: 1}"},
	{"a hypercube of one", "hypercube: {dimensions: 0}", "n.yaml:1:25: hypercube.dimensions is 0; allowed: 1 to 22 (bits of a node's number)", "hypercube: {dimensions: 1}"},
	{"a fly of none", "fly: {k: [0]}\nrouter: {}", "n.yaml:1:11: fly.k[0] is 0; allowed: 1 to 256", "fly: {k: [1]}\nrouter: {}"},
	{"a large fly", "fly: {k: [257]}\nrouter: {}", "n.yaml:1:11: fly.k[0] is 257; allowed: 1 to 256", "fly: {k: [8]}\nrouter: {}"},
	{"a fly of unequal stages", "fly: {k: [4, 2]}\nrouter: {}", "n.yaml:1:6: fly: k is [4 2]; give each stage the same number", "fly: {k: [4, 4]}\nrouter: {}"},
	{"a fly without routers", "fly: {k: [4]}", "n.yaml:1:1: the netlist has the key fly, which draws routers, but not the key router; add router: {vcs: 2, depth: 4}", "fly: {k: [4]}\nrouter: {vcs: 2, depth: 4}"},
	{"no channels", "mesh: {k: [2, 2]}\nrouter: {vcs: 0}", "n.yaml:2:15: router.vcs is 0; allowed: 1 to 256", "mesh: {k: [2, 2]}\nrouter: {vcs: 1}"},
	{"no buffers", "mesh: {k: [2, 2]}\nrouter: {depth: 0}", "n.yaml:2:17: router.depth is 0; allowed: 1 to 4096", "mesh: {k: [2, 2]}\nrouter: {depth: 1}"},
	{"no tick", "mesh: {k: [2, 2]}\nrouter: {}\nstreaming: {tick: 0}", "n.yaml:3:19: streaming.tick is 0; allowed: 1 to 1048576", "mesh: {k: [2, 2]}\nrouter: {}\nstreaming: {tick: 1}"},
	{"routes of routers", "mesh: {k: [2, 2]}\nroutes: dor", "n.yaml:2:9: routes: dor is for routers, but the network has none; write shortest or none, or add router: {}", "mesh: {k: [2, 2]}\nroutes: dor\nrouter: {}"},
	{"access of routers", "mesh: {k: [2, 2]}\nrouter: {}\naccess: all", "n.yaml:2:9: the netlist has both routers and access; delete access", "mesh: {k: [2, 2]}\nrouter: {}"},
	{"latency of a mesh", "mesh: {k: [2, 2], latency: 5000}", "n.yaml:1:28: mesh.latency is 5000; allowed: 0 to 4096", "mesh: {k: [2, 2], latency: 4096}"},
	{"duplex of a mesh", "mesh: {k: [2, 2], duplex: both}", `n.yaml:1:27: mesh.duplex is "both"; allowed: full, half`, "mesh: {k: [2, 2], duplex: half}"},
	{"node of a mesh", "mesh: {k: [2, 2], node: a b}", `n.yaml:1:7: mesh: the node "a b"; write one name`, "mesh: {k: [2, 2], node: a_b}"},
	{"range of a mesh", "mesh: {k: [2, 2], node: 'p[0..3]'}", `n.yaml:1:7: mesh: the node "p[0..3]"; write one name`, "mesh: {k: [2, 2], node: r}"},
	{"port name of a mesh", "mesh: {k: [2, 2], ports: [a b]}", `n.yaml:1:7: "a b" is not the name of a port; write a word`, "mesh: {k: [2, 2], ports: [out]}"},
	{"depth of a ring", "ring: {n: 4, credits: 256}", "n.yaml:1:23: ring.credits is 256; allowed: 1 to 255", "ring: {n: 4, credits: 255}"},
	{"length of one", "access: switch\nnodes: {\"a[0..1]\": processor, b: {kind: bus, length: 1}}\nlinks: [[\"a[0..1]\", b]]", "n.yaml:2:54: the node \"b\": length is 1; allowed: 2 to 2147483647",
		"access: switch\nnodes: {\"a[0..1]\": processor, b: {kind: bus, length: 2}}\nlinks: [[\"a[0..1]\", b]]"},
	{"a cap below none", "nodes: {\"a[0..1]\": processor, x: {kind: crossbar, cap: -1}}\nlinks: [[\"a[0..1]\", x]]", "n.yaml:1:56: the node \"x\": cap is -1; allowed: 0 to 65534",
		"nodes: {\"a[0..1]\": processor, x: {kind: crossbar, cap: 0}}\nlinks: [[\"a[0..1]\", x]]"},
	{"a queue for none", "nodes: {\"a[0..1]\": processor, x: {kind: crossbar, output: queue, queue_frames: 0}}\nlinks: [[\"a[0..1]\", x]]", "n.yaml:1:80: the node \"x\": queue_frames is 0; allowed: 1 to 65533",
		"nodes: {\"a[0..1]\": processor, x: {kind: crossbar, output: queue, queue_frames: 1}}\nlinks: [[\"a[0..1]\", x]]"},
	{"latency into a crossbar", "nodes: {\"a[0..1]\": processor, x: crossbar}\nlinks: [{endpoints: [\"a[0]:0\", x], oneway: true, latency: 2}, {endpoints: [x, \"a[0]:0\"], oneway: true}, [\"a[1]\", x]]",
		"n.yaml:2:9: a latency on a link into the crossbar x: frames of one slot start there together; give the latency " +
			"to the links out of it",
		"nodes: {\"a[0..1]\": processor, x: crossbar}\nlinks: [{endpoints: [\"a[0]:0\", x], oneway: true}, {endpoints: [x, \"a[0]:0\"], oneway: true, latency: 2}, [\"a[1]\", x]]"},
	{"latencies at an arbiter", "nodes: {\"a[0..1]\": processor, b: {kind: bus, arbiter: fixed}}\nlinks: [{endpoints: [\"a[0]\", b], latency: 2}, [\"a[1]\", b]]", "out of the bus b; give all its listeners the same latency",
		"nodes: {\"a[0..1]\": processor, b: {kind: bus, arbiter: fixed}}\nlinks: [{endpoints: [\"a[0..1]\", b], latency: 2}]"},
	{"ports with access one", "access: one\nnodes: {a: processor, b: processor}\nlinks: [['a:65533', b]]", "n.yaml:3:10: port 65533 of a: a processor has at most 65533 ports; use fewer", "access: one\nnodes: {a: processor, b: processor}\nlinks: [['a:0', b]]"},
	{"ports of a router", "nodes: {a: processor, b: processor, r: router}\nlinks: [[a, 'r:0'], [b, 'r:256']]", "n.yaml:2:25: port 256 of r: a router has at most 256 ports; use fewer", "nodes: {a: processor, b: processor, r: router}\nlinks: [[a, 'r:0'], [b, 'r:1']]\nrouter: {}"},
	{"a port of many digits", "nodes: {a: processor, b: processor}\nlinks: [['a:99999', b]]", "n.yaml:2:10: port 99999 of a: a processor has at most 72 ports; use fewer", "nodes: {a: processor, b: processor}\nlinks: [['a:0', b]]"},
	{"a port without a word", "nodes: {a: processor, b: processor}\nlinks: [['a:', b]]", `n.yaml:2:10: "" is not the name of a port; write a word such as east, or a label such as +x, or a number`, "nodes: {a: processor, b: processor}\nlinks: [['a:east', b]]"},
	{"an end without a word", "nodes: {a: processor, b: processor}\nlinks: [['', b]]", `n.yaml:2:10: links[0][0] is the text ""; write one that is not empty`, "nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"no nodes in nodes", "nodes: {}", "n.yaml:1:1: there is no processor; add a node", "nodes: {\"p[0..3]\": {kind: processor}, h: star}\nlinks: [[\"p[0..3]\", h]]"},
	{"kinds a list", "kinds: [cpu]\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:1:8: kinds is a list; write an object: {cpu: {kind: processor", "kinds: {cpu: {kind: processor, ports: [east, west]}}\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"kind of a kind", "kinds: {cpu: gpu}\nnodes: {a: cpu, b: cpu}\nlinks: [[a, b]]", "n.yaml:1:14: kinds.cpu has the unknown kind gpu; kinds are processor", "kinds: {cpu: processor}\nnodes: {a: cpu, b: cpu}\nlinks: [[a, b]]"},
	{"anynet that is not there", "anynet: none.anynet", "none.anynet cannot be read: no such file or directory; give a file with lines such as", "anynet: g.anynet"},
}

// TestWrong: each mistake is reported with its place and a remedy, and the corrected file is read.
func TestWrong(t *testing.T) {
	require.Greater(t, len(wrong), 150)
	for _, w := range wrong {
		t.Run(w.name, func(t *testing.T) {
			_, err := read(t, w.text)
			require.ErrorContains(t, err, w.says)
			for _, line := range strings.Split(err.Error(), "\n") {
				require.Regexp(t, `\.(yaml|yml|anynet):[0-9]+:.*[^ ]; [^ ]`, line)
			}
			_, err = read(t, w.mended)
			require.NoError(t, err)
		})
	}
}

// TestMistakes: all mistakes are reported at once, the first 20 individually.
func TestMistakes(t *testing.T) {
	_, err := read(t, "nodes: {a: processor}\nlinks:\n"+strings.Repeat("- [a, x]\n", 25))
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, 21)
	require.Contains(t, lines[19], "n.yaml:22:7: there is no node x")
	require.Equal(t, "and 5 more", lines[20])
}

// TestPortsWithAndWithoutNames: ends of links that mix numbers and names at one node are one
// mistake, reported at the minority.
func TestPortsWithAndWithoutNames(t *testing.T) {
	for links, want := range map[string]string{
		`["p[0..2]", s], ["p[2..4]:first", t], ["p[0..4]", x], ["p[0]", "p[4]"], ["p[1]", "p[3]"]`: "n.yaml:2:26: the ports of p[2] have numbers, but this port is named first (and 2 others); " +
			"write a number, or names for all of them",
		`["p[0..4]:a", s], ["p[0..4]:b", t], ["p[0..4]", x]`:                                             "n.yaml:2:46: the ports of p[0] have names (and 4 others); write p[0]:a, or another one",
		`["p[0..4]:a", s], ["p[0..4]", x], ["p[0]:b", "p[1]:b"], ["p[2]:b", "p[3]:b"], ["p[0..4]:c", t]`: "n.yaml:2:28: the ports of p[0] have names (and 4 others); write p[0]:a, or another one",
	} {
		_, err := read(t, `nodes: {"p[0..4]": processor, s: star, t: {kind: bus, arbiter: fixed}, x: crossbar}`+"\nlinks: ["+links+"]")
		require.EqualError(t, err, want)
	}
}

// TestNodesLikeOne: of an index that is not there those are named that are.
func TestNodesLikeOne(t *testing.T) {
	for end, want := range map[string]string{
		"p[7]": "there are 5, from p[0] to p[4]", "q[7]": "there is q[3]", "p": "name one of nodes", "x[0].p[9]": "there are 2, from x[0].p[0] to x[0].p[1]",
	} {
		_, err := read(t, `nodes: {"p[0..4]": processor, "q[3]": processor, "x[0..1].p[0..1]": processor}`+"\nlinks: [['p[0]', '"+end+"']]")
		require.Contains(t, err.Error()+"\n", "n.yaml:2:18: there is no node "+end+"; "+want+"\n")
	}
}

// TestLoopOfANode: a link from a node to itself uses two ports, and the network has a note about it
// unless the netlist names both ports.
func TestLoopOfANode(t *testing.T) {
	for links, want := range map[string][]string{
		"[p, q], [p, p]":                {"1 link leads from a node to itself: netlist.link[1] of p; name its two ports if this is intended"},
		"[p, q], [p, p], [q, q]":        {"2 links lead from a node to itself: netlist.link[1] of p; name its two ports if this is intended"},
		"['p:0', q], ['p:1', 'p:2']":    nil,
		"['p:a', q], ['p:in', 'p:out']": nil,
	} {
		n, err := read(t, "nodes: {p: processor, q: processor}\nlinks: ["+links+"]")
		require.NoError(t, err)
		require.Equal(t, want, n.notes)
	}
}

// TestMistakesOfValues: a value out of range neither hides mistakes of other kinds nor adds false
// ones.
func TestMistakesOfValues(t *testing.T) {
	_, err := read(t, `access: two
nodes: {"p[0..3]": processor, s: star, b: {kind: bus, length: 1}}
links:
- {endpoints: ["p[0..1]:0", s], latency: 5000}
- {endpoints: ["p[2..3]:0", s], latency: 5, duplex: both}
- {endpoints: ["p[0..3]:1", b]}
- {endpoints: ["p[0]:2", x]}
- {endpoints: ["p[0]:0", "p[1]:2"]}`)
	require.ErrorContains(t, err, "n.yaml:8:3: p[0]:0 has two links in")
	var places []string
	for _, line := range strings.Split(err.Error(), "\n") {
		place, _, _ := strings.Cut(line, ": ")
		places = append(places, strings.TrimPrefix(place, "n.yaml:"))
	}
	require.Equal(t, []string{"1:9", "2:63", "4:42", "5:53", "7:26", "8:3", "8:3"}, places, err.Error())
}

// canonical returns the complete contents of a netlist as text.
func canonical(n *Net) string {
	var all bytes.Buffer
	b := bufio.NewWriter(&all)
	n.write(b)
	_ = b.Flush()
	return all.String()
}

// TestWritten: the output of `netlist show --yaml` describes the same network.
func TestWritten(t *testing.T) {
	for _, text := range []string{
		"nodes: {\"p[0..3]\": processor, s: star}\nlinks: [[\"p[0..3]:0\", s], [\"p[0]:1\", \"p[1]:1\"], {endpoints: [\"p[2]:1\", \"p[3]:1\"], duplex: half, latency: 3}]",
		"name: x\naccess: one\nwords: [1, 2]\nnodes: {a: {kind: processor, ports: [east, +x]}, b: processor}\nlinks: [[\"a:east\", b], {endpoints: [\"a:+x\", b], oneway: true}]",
		"apart: true\nnodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], oneway: true}]",
		"access: switch\nnodes: {\"p[0..2]\": processor, b: {kind: bus, arbiter: matrix}, c: {kind: bus, arbiter: matrix, length: 2}}\nlinks: [[\"p[2]\", b], [\"p[0..1]\", b], {endpoints: [\"p[0..2]\", c], latency: 3}]",
		"nodes: {\"p[0..3]\": processor, b: {kind: bus, arbiter: tdma}, x: {kind: crossbar, arbiter: matrix}, s: star}\nlinks: [[\"p[0..3]:0\", b], {endpoints: [\"p[0..2]:1\", x], latency: 2}, {endpoints: [x, \"p[3]:1\"], oneway: true}, [\"p[0..3]:2\", s]]",
		"nodes: {\"p[0..2]\": processor, b: bus}\nlinks: [[\"p[0..2]\", b], [\"p[0]\", \"p[1]\"]]",
		"nodes: {\"p[0..3]\": processor, x: {kind: crossbar, matching: list, arbiter: round_robin, cap: 2, cap_arbiter: matrix}}\nlinks: [[\"p[0..2]\", x], {endpoints: [\"p[3]\", x], latency: 2}]",
		"nodes: {\"p[0..3]\": processor, x: {kind: crossbar, output: queue}}\nlinks: [[\"p[0..3]\", x]]",
		"nodes: {\"p[0..3]\": processor, x: {kind: crossbar, arbiter: none}}\nlinks: [[\"p[0..3]\", x]]",
		"nodes: {\"p[0..3]\": {kind: processor, rtl: {twin: serialiser, backend: icarus}}, s: {kind: star, align: true}, b: {kind: bus, align: true, rtl: {}}}\n" +
			"links: [{endpoints: [\"p[0..1]:0\", s], latency: 3}, {endpoints: [\"p[2]:0\", s], latency: 5}, {endpoints: [\"p[0..1]:1\", b], latency: 1}, " +
			"{endpoints: [\"p[3]:0\", b], latency: 4, oneway: true}, {endpoints: [b, \"p[3]:0\"], latency: 2, oneway: true}]",
		"mesh: {k: [2, 3], credits: 2}\nnodes: {q: processor}\nlinks: [{endpoints: [q, q], oneway: true, credits: {depth: 1, resync_slots: 4}}]\napart: true",
		"nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], duplex: half, credits: {depth: 9, round_trip_slots: 3}}]",
		"torus: {k: [3, 3], latency: 2}\nroutes: none", "mesh: {k: [4, 4]}\nroutes: {'p[5]': {'p[6]': north, 'p[0]': 1}}",
		"ring: {n: 4}\nroutes: {default: none, 'p[0..3]': {'p[0..3]': west}}",
	} {
		n, err := read(t, text)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, n.WriteYAML(&b))
		again, err := read(t, b.String())
		require.NoError(t, err, b.String())
		require.Equal(t, canonical(n), canonical(again))
		require.Equal(t, n.Words, again.Words)
		require.Equal(t, n.rtl, again.rtl)
		require.NoError(t, n.WriteText(&b))
		require.NoError(t, n.WriteDOT(&b))
	}
}

// TestNumbers: the order of entries determines the numbers, in a file and in a program alike.
func TestNumbers(t *testing.T) {
	n, err := read(t, "nodes: {b: processor, s: star, \"a[1..2]\": processor, r: star}\nlinks: [[b, \"a[1]\"], [b, \"a[1..2]\", s], {endpoints: [\"a[1..2]\", r], latency: 7}]")
	require.NoError(t, err)
	var paths []string
	for i := range n.Processors {
		paths = append(paths, n.Processors[i].Path)
	}
	require.Equal(t, []string{"netlist.b", "netlist.a[1]", "netlist.a[2]"}, paths)
	var media []string
	for i := range n.Media {
		media = append(media, n.Media[i].Path)
	}
	require.Equal(t, []string{"netlist.s", "netlist.r", "netlist.link[0].forth", "netlist.link[0].back"}, media)
	require.Equal(t, 7, n.Media[1].Latency)
	least, most := n.Shape().Latencies(1)
	require.Equal(t, [2]int{1, 7}, [2]int{least, most})
	least, most = n.Shape().Latencies(9)
	require.Equal(t, [2]int{7, 9}, [2]int{least, most})
	drawn, err := New("").Processors("b").Stars("s").Processors("a[1..2]").Stars("r").
		Link("b", "a[1]").Link("b", "s").Link("a[1..2]", "s").Link("a[1..2]", "r", Latency(7)).Net()
	require.NoError(t, err)
	require.Equal(t, canonical(n), canonical(drawn))
	_, err = New("x").Processors("p[0..1]").Link("p[0]", "q").Link("p[0]", "p[1]", OneWay(), Half(), Latency(-3)).Network()
	require.ErrorContains(t, err, "fabric.netlist.links[0]: there is no node q")
	require.ErrorContains(t, err, "fabric.netlist.links[1]: a latency of -3 cycles")
	for _, limits := range []fabric.CreditLimits{{}, {Depth: 256}, {Depth: 1, RoundTripSlots: 1},
		{Depth: 1, RoundTripSlots: 65}} {
		_, err = New("").Processors("p[0..1]").Link("p[0]", "p[1]", Credits(limits)).Network()
		require.ErrorContains(t, err, "fabric.netlist.links[0]: credits.")
	}
	for _, shorthand := range []*Drawing{New("").Mesh(), New("").Mesh(0, 4), New("").Torus(1), New("").Ring(0), New("").Tree(0, 2), New("").Tree(2, 0), New("").Hypercube(30), New("").Hypercube(-1), New("").Dragonfly(0, 2), New("").Dragonfly(2, -1)} {
		_, err = shorthand.Network()
		require.Error(t, err)
	}
}

// FuzzRead: every file is read or rejected with a reason.
func FuzzRead(f *testing.F) {
	for _, w := range wrong {
		f.Add(w.text)
		f.Add(w.mended)
	}
	f.Add(square + `routes: {"r[0]": {"p[2]": west, "p[3]": "east:1..2"}, "r[1..2]": {"p[3]": "0:3"}}`)
	f.Add(strings.Replace(square, `"p[0..3]": processor`, `"p[0..3]": processor, s: star, q: {kind: bus, arbiter: fixed}`, 1))
	path := filepath.Join(f.TempDir(), "n.yaml")
	odd, powers := regexp.MustCompile("(?i)[0-9][xob_]"), regexp.MustCompile("tree|hypercube")
	f.Fuzz(func(t *testing.T, text string) {
		size := len(text) / 16 // at most, of what ranges and shorthands stand for: large networks take time and memory
		if odd.MatchString(text) {
			return
		}
		for _, number := range regexp.MustCompile("[0-9]+").FindAllString(text, -1) {
			n, err := strconv.Atoi(number)
			if size *= max(1, min(n, 1<<20)); err != nil || size > 1<<15 || n > 5 && powers.MatchString(text) {
				return
			}
		}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		n, err := ReadFile(path)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.Positive(t, len(n.Net().Processors))
		require.NoError(t, n.Net().WriteYAML(new(bytes.Buffer)))
	})
}

// TestIdle: media without a route are listed, including both directions of a link and links on
// longer routes; without routes the list is empty.
func TestIdle(t *testing.T) {
	for text, note := range map[string]string{
		"nodes: {\"p[0..3]\": processor, hub: star}\nlinks: [[\"p[0..3]:0\", hub], [\"p[0]:1\", \"p[1]:1\"]]":   "note: on no way that firmware reads: link[0].forth, link[0].back\n",
		"nodes: {a: processor, b: processor}\nlinks: [[a, b], {endpoints: [a, b], latency: 3}, [a, b], [a, b]]": "note: on no way that firmware reads: link[1].forth, link[1].back, link[2].forth, link[2].back and 2 others\n",
		"ring: {n: 5}": "", "nodes: {\"p[0..2]\": processor, x: crossbar}\nlinks: [[\"p[0..2]\", x]]": "",
		"nodes: {a: processor, b: processor}\nlinks: [[a, b], [a, b]]\nroutes: none":        "",
		"nodes: {a: processor, b: processor}\nlinks: [[a, b], [a, b]]\nroutes: {a: {b: 1}}": "note: on no way that firmware reads: link[0].forth, link[1].back\n",
	} {
		n, err := read(t, text)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, n.WriteText(&b))
		_, rest, _ := strings.Cut(b.String(), "\n")
		found := ""
		if strings.HasPrefix(rest, "note: ") {
			found, _, _ = strings.Cut(rest, "\n")
			found += "\n"
		}
		require.Equal(t, note, found, text)
	}
}

// TestRangesBegin: endpoints with the same leading ranges are joined row by row, with one star per
// row, as if every row had its own line; an unreadable name is reported once.
func TestRangesBegin(t *testing.T) {
	const nodes = "nodes: {'f[0..2].p[0..1]': processor, 'f[0..2].q': processor, 'f[0..2].s': star, t: star}\nlinks:\n- ['f[0..2].q', t]\n"
	var want []byte
	for _, links := range []string{
		"- ['f[0].p[0..1]', 'f[0].q', 'f[0].s']\n- ['f[1].p[0..1]', 'f[1].q', 'f[1].s']\n- ['f[2].p[0..1]', 'f[2].q', 'f[2].s']",
		"- ['f[0..2].p[0..1]', 'f[0..2].q', 'f[0..2].s']",
		"- ['f[0..2].p[0..1]', 'f[0..2].s']\n- ['f[0..2].s', 'f[0..2].q']",
	} {
		net, err := read(t, nodes+links)
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, net.WriteText(&text))
		if want == nil {
			want = text.Bytes()
		}
		require.Equal(t, string(want), text.String())
	}
	_, err := read(t, "nodes: {a-1: processor, b: processor}\nlinks: [[a-1, b]]")
	require.Len(t, strings.Split(err.Error(), "\n"), 1, err.Error())
}
