package netlist

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// read reads a netlist that is a file of its own.
func read(t testing.TB, text string) (*Net, error) {
	path := filepath.Join(t.TempDir(), "n.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	n, err := ReadFile(path)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), path, "n.yaml"))
	}
	return n.Net(), nil
}

// wrong are files with one mistake each, and the same without it, as the remedy says.
var wrong = []struct{ name, text, says, mended string }{
	{"empty", "", "n.yaml:1:1: the netlist is empty; write nodes", "nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"list", "[1]", "n.yaml:1:1: the netlist is a list; write an object", ""},
	{"no nodes", "links: [[a, b]]", "n.yaml:1:1: the netlist has no nodes; write nodes:", "nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"unknown key", "node: {}\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", `n.yaml:1:1: unknown key "node" in the netlist; did you mean "nodes"?`, ""},
	{"file in a file", "file: x.yaml\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", `n.yaml:1:1: unknown key "file" in the netlist`, ""},
	{"key twice", "nodes: {a: processor, a: star}", `n.yaml:1:23: key "a" is given twice in nodes, first at n.yaml:1:9; delete one`, ""},
	{"nodes a list", "nodes: [a]", `n.yaml:1:9: nodes[0] is the text "a"; write an object`, ""},
	{"unnamed", "nodes: [{kind: processor}]", "n.yaml:1:9: nodes[0] has no name; add name", "nodes: [{name: a, kind: processor}, {name: b, kind: processor}]\nlinks: [[a, b]]"},
	{"links an object", "nodes: {a: processor}\nlinks: {a: b}", "n.yaml:2:8: links is an object; write a list", ""},
	{"name", "name: a b\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", `fabric.netlist.name: path "a b", character 2`, "name: a_b\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"name a number", "name: 3\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:1:7: name is 3; write a text", ""},
	{"access", "access: two\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", `n.yaml:1:9: access is the text "two"; write all or one`, ""},
	{"words", "words: [1, 2, 3, 4, 5, 6, 7, 8, 9]\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:1:33: words has more than 8 entries; give fewer",
		"words: [1, 2, 3, 4, 5, 6, 7, 8]\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"word", "words: [-1]\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:1:9: words[0] is -1", ""},
	{"apart", "apart: maybe\nnodes: {a: processor, b: processor}\nlinks: [[a, b]]", "n.yaml:1:8: apart is", ""},
	{"unknown kind", "nodes: {a: procesor, b: processor}\nlinks: [[a, b]]", `n.yaml:1:12: the node "a" is of the kind procesor, which there is not; did you mean "processor"?`, "nodes: {a: processor, b: processor}\nlinks: [[a, b]]"},
	{"no kind", "nodes: {a: {}, b: processor}\nlinks: [[a, b]]", `n.yaml:1:12: the node "a" has no kind; add kind: processor or star`, "nodes: {a: {kind: processor}, b: processor}\nlinks: [[a, b]]"},
	{"kind a number", "nodes: {a: {kind: 1}, b: processor}\nlinks: [[a, b]]", `n.yaml:1:19: the node "a": kind is 1; write a text`, ""},
	{"node a number", "nodes: {a: 1, b: processor}\nlinks: [[a, b]]", `n.yaml:1:12: the node "a" is 1; write an object`, ""},
	{"key of a node", "nodes: {a: {kind: processor, port: [x]}, b: processor}\nlinks: [[a, b]]", `n.yaml:1:30: unknown key "port" in the node "a"; did you mean "ports"?`,
		"nodes: {a: {kind: processor, ports: [x]}, b: processor}\nlinks: [['a:x', b]]"},
	{"ports of a star", "nodes: {a: processor, s: {kind: star, ports: [x]}}\nlinks: [[a, s]]", `n.yaml:1:39: unknown key "ports" in the node "s"; allowed are kind`, "nodes: {a: processor, s: {kind: star}}\nlinks: [[a, s]]"},
	{"kind of kinds", "kinds: {cpu: {ports: [x]}}\nnodes: {a: cpu, b: processor}\nlinks: [['a:x', b]]", "n.yaml:1:14: kinds.cpu has no kind; add kind: processor or star",
		"kinds: {cpu: {kind: processor, ports: [x]}}\nnodes: {a: cpu, b: processor}\nlinks: [['a:x', b]]"},
	{"range", `nodes: {"p[3..1]": processor}` + "\nlinks: []", `n.yaml:1:9: the node "p[3..1]": [3..1] is no range`, ""},
	{"large range", `nodes: {"p[0..9999999]": processor}` + "\nlinks: []", `stands for more than 4194304 names; write a range`, ""},
	{"node name", "nodes: {1a: processor, b: processor}\nlinks: [[b, b]]", `n.yaml:1:9: the name of a node: path "1a", character 1`, ""},
	{"two nodes", `nodes: {"p[0..3]": processor, "p[3]": processor}` + "\nlinks: []", "n.yaml:1:31: there are two nodes p[3]; the first stands at n.yaml:1:9; rename one", ""},
	{"prefix", "nodes: {a: processor, a.b: processor}\nlinks: [[a, a.b]]", "n.yaml:1:23: the path of the node a.b is that of something in the node a, at n.yaml:1:9; rename one", "nodes: {a: processor, c.b: processor}\nlinks: [[a, c.b]]"},
	{"no processor", "nodes: {s: star}\nlinks: []", "n.yaml:1:9: there is no processor; add a node", ""},
	{"unknown node", "nodes: {alpha: processor, beta: processor}\nlinks: [[alpha, betta]]", "n.yaml:2:17: there is no node betta; did you mean \"beta\"?", "nodes: {alpha: processor, beta: processor}\nlinks: [[alpha, beta]]"},
	{"no ends", "nodes: {a: processor, b: processor}\nlinks: [{oneway: true}]", "n.yaml:2:9: links[0] has no endpoints; add endpoints", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b]}]"},
	{"one end", "nodes: {a: processor, b: processor}\nlinks: [[a]]", "n.yaml:2:9: a link has one end; write endpoints: [a, b]", ""},
	{"link a text", "nodes: {a: processor, b: processor}\nlinks: [a]", `n.yaml:2:9: links[0] is the text "a"; write an object`, ""},
	{"key of a link", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latncy: 2}]", `n.yaml:2:29: unknown key "latncy" in links[0]; did you mean "latency"?`,
		"nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latency: 2}]"},
	{"latency", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latency: 4097}]", "n.yaml:2:38: links[0].latency is 4097", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latency: 4096}]"},
	{"negative latency", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], latency: -1}]", "n.yaml:2:38: links[0].latency is -1", ""},
	{"duplex", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], duplex: both}]", `n.yaml:2:37: links[0].duplex is the text "both"; write full or half`, ""},
	{"oneway", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], oneway: 1}]", "n.yaml:2:37: links[0].oneway is 1; write true or false", ""},
	{"half and oneway", "apart: true\nnodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], oneway: true, duplex: half}]", "n.yaml:3:9: duplex is half, and the link is oneway; delete one",
		"nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], duplex: half}]"},
	{"ranges", `nodes: {"p[0..3]": processor, "q[0..2]": processor}` + "\nlinks: [[\"p[0..3]\", \"q[0..2]\"]]", "n.yaml:2:21: q[0..2] stands for 3 ends, and p[0..3] for 4; write ranges of one length",
		`nodes: {"p[0..3]": processor, "q[0..3]": processor}` + "\nlinks: [[\"p[0..3]\", \"q[0..3]\"], [\"p[0]\", \"p[1]\"], [\"p[0]\", \"p[2]\"], [\"p[0]\", \"p[3]\"]]"},
	{"range of an end", "nodes: {a: processor, b: processor}\nlinks: [[\"a:2..1\", b]]", `n.yaml:2:10: the end "a:2..1": 2..1 is no range`, ""},
	{"port of a star", "nodes: {a: processor, s: star}\nlinks: [[a, 's:0']]", "n.yaml:2:13: s is a star, and has no ports; write s", "nodes: {a: processor, s: star}\nlinks: [[a, s]]"},
	{"unknown port", "nodes: {a: {kind: processor, ports: [east, west]}, b: processor}\nlinks: [['a:esat', b]]", "n.yaml:2:10: a has no port esat; did you mean \"east\"?", ""},
	{"port above", "nodes: {a: {kind: processor, ports: [east]}, b: processor}\nlinks: [['a:1', b]]", "n.yaml:2:10: a has 1 port, and this is port 1, counted from 0; name one of them", "nodes: {a: {kind: processor, ports: [east]}, b: processor}\nlinks: [['a:0', b]]"},
	{"port without a name", "nodes: {a: {kind: processor, ports: [east]}, b: processor}\nlinks: [[a, b]]", "n.yaml:2:10: the ports of a have names; write a:east, or another one", "nodes: {a: {kind: processor, ports: [east]}, b: processor}\nlinks: [['a:east', b]]"},
	{"names and numbers", "nodes: {a: processor, b: processor}\nlinks: [['a:0', b], ['a:x', b]]", "n.yaml:2:22: the ports of a have numbers, and this one is called x; write a number", ""},
	{"port name", "nodes: {a: {kind: processor, ports: ['a b']}, b: processor}\nlinks: [['a:0', b]]", `n.yaml:1:9: "a b" is not the name of a port`, ""},
	{"reserved", "nodes: {a: {kind: processor, ports: [tx]}, b: processor}\nlinks: [['a:tx', b]]", "n.yaml:1:9: a port is called tx, as a part of each NIC is; rename it", "nodes: {a: {kind: processor, ports: [out]}, b: processor}\nlinks: [['a:out', b]]"},
	{"port twice", "nodes: {a: {kind: processor, ports: [x, x]}, b: processor}\nlinks: [['a:x', b]]", "n.yaml:1:9: a has two ports x; rename one", ""},
	{"many ports", "nodes: {a: processor, b: processor}\nlinks: [['a:72', b]]", "n.yaml:2:10: port 72 of a: a processor has at most 72 ports; use fewer, or access: one", ""},
	{"gap", "nodes: {a: processor, b: processor}\nlinks: [['a:1', b]]", "n.yaml:1:9: no link leads to port 0 of a; add one", "nodes: {a: processor, b: processor}\nlinks: [['a:0', b]]"},
	{"listed, not used", "nodes: {a: {kind: processor, ports: [x, y]}, b: processor}\nlinks: [['a:x', b]]", "n.yaml:1:9: no link leads to port y of a", ""},
	{"alone", "nodes: {a: processor, b: processor, c: processor}\nlinks: [[a, b]]", "n.yaml:1:37: no link leads to c; add one, or delete the node", "nodes: {a: processor, b: processor, c: processor}\nlinks: [[a, b], [b, c]]"},
	{"two ways out", "nodes: {a: processor, b: processor, c: processor}\nlinks: [['a:0', 'b:0'], ['a:0', 'c:0']]", "n.yaml:2:25: a:0 has two ways out; the first is drawn at n.yaml:2:9; use another port",
		"nodes: {a: processor, b: processor, c: processor}\nlinks: [['a:0', 'b:0'], ['a:1', 'c:0']]"},
	{"two ways in", "apart: true\nnodes: {a: processor, b: processor, c: processor}\nlinks: [{endpoints: ['a:0', 'b:0'], oneway: true}, {endpoints: ['c:0', 'b:0'], oneway: true}]",
		"n.yaml:3:52: b:0 has two ways in; the first is drawn at n.yaml:3:9", ""},
	{"to itself", "nodes: {a: processor, b: processor}\nlinks: [['a:0', 'a:0'], [a, b]]", "n.yaml:2:9: a link leads from a:0 to itself", ""},
	{"two stars", "nodes: {a: processor, s: star, r: star}\nlinks: [[a, s], [a, r], [s, r]]", "n.yaml:2:25: a link joins two stars", "nodes: {a: processor, s: star, r: star}\nlinks: [[a, s], [a, r]]"},
	{"three ends", "nodes: {a: processor, b: processor, c: processor}\nlinks: [[a, b, c]]", "n.yaml:2:9: a link has 3 ends; join two ports, or ports and a star", "nodes: {a: processor, b: processor, c: processor, s: star}\nlinks: [[a, b, c, s]]"},
	{"three ends, oneway", "nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, b, s], oneway: true}]", "n.yaml:2:9: a link with 3 ends is oneway; write one link for each way", ""},
	{"half into a star", "nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, b, s], duplex: half}]", "n.yaml:2:9: duplex is half, and s is a star", "nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, b, s]}]"},
	{"latency into a star", "nodes: {a: processor, b: processor, s: star}\nlinks: [[a, b, s], {endpoints: [a, s], oneway: true, latency: 2}]", "s by another port", ""},
	{"latency on the way in", "nodes: {a: processor, s: star}\nlinks: [{endpoints: ['a:0', s], oneway: true, latency: 2}, {endpoints: [s, 'a:0'], oneway: true}]", "n.yaml:2:9: a latency on the way into the star s",
		"nodes: {a: processor, s: star}\nlinks: [{endpoints: ['a:0', s], oneway: true}, {endpoints: [s, 'a:0'], oneway: true, latency: 2}]"},
	{"latencies out", "nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, s], latency: 2}, {endpoints: [b, s], latency: 3}]", "n.yaml:2:42: latencies of 2 and 3 cycles out of the star s; give all who hear it the same",
		"nodes: {a: processor, b: processor, s: star}\nlinks: [{endpoints: [a, s], latency: 3}, {endpoints: [b, s], latency: 3}]"},
	{"hears twice", "nodes: {a: processor, b: processor, s: star}\nlinks: [[a, b, s], {endpoints: [s, a], oneway: true}]", "n.yaml:2:20: a hears the star s by another port, too: n.yaml:2:9; let one port", "nodes: {a: processor, b: processor, s: star}\nlinks: [[a, b, s]]"},
	{"no driver", "nodes: {a: processor, s: star}\nlinks: [{endpoints: [s, a], oneway: true}]", "n.yaml:1:23: no one sends into the star s; add a link", ""},
	{"no listener", "nodes: {a: processor, s: star}\nlinks: [{endpoints: [a, s], oneway: true}]", "n.yaml:1:23: no one hears the star s; add a link", ""},
	{"apart from", "nodes: {a: processor, b: processor, c: processor, d: processor}\nlinks: [[a, b], [c, d]]", "n.yaml:1:37: no way leads from a to c and 1 other; link them, or write apart: true", "apart: true\nnodes: {a: processor, b: processor, c: processor, d: processor}\nlinks: [[a, b], [c, d]]"},
	{"no way back", "nodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], oneway: true}]", "n.yaml:1:23: no way leads to a from b; link them, or write apart: true", ""},
	{"not YAML", "nodes: {", "n.yaml:", ""},
	{"tag", "nodes: !x {}", "n.yaml:1:8: the tag !x is not supported; delete it", ""},
}

// TestWrong: each mistake is refused with its place and a remedy, and what the remedy says is read.
func TestWrong(t *testing.T) {
	require.Greater(t, len(wrong), 60)
	for _, w := range wrong {
		t.Run(w.name, func(t *testing.T) {
			_, err := read(t, w.text)
			require.ErrorContains(t, err, w.says)
			if w.mended != "" {
				_, err := read(t, w.mended)
				require.NoError(t, err)
			}
		})
	}
}

// TestMistakes: all of them at once, the first 20 one by one.
func TestMistakes(t *testing.T) {
	_, err := read(t, "nodes: {a: processor}\nlinks:\n"+strings.Repeat("- [a, x]\n", 25))
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, 21)
	require.Contains(t, lines[19], "n.yaml:22:7: there is no node x")
	require.Equal(t, "and 5 more", lines[20])
}

// TestWritten: what `netlist show --yaml` writes is the same network.
func TestWritten(t *testing.T) {
	for _, text := range []string{
		"nodes: {\"p[0..3]\": processor, s: star}\nlinks: [[\"p[0..3]:0\", s], [\"p[0]:1\", \"p[1]:1\"], {endpoints: [\"p[2]:1\", \"p[3]:1\"], duplex: half, latency: 3}]",
		"name: x\naccess: one\nwords: [1, 2]\nnodes: {a: {kind: processor, ports: [east, +x]}, b: processor}\nlinks: [[\"a:east\", b], {endpoints: [\"a:+x\", b], oneway: true}]",
		"apart: true\nnodes: {a: processor, b: processor}\nlinks: [{endpoints: [a, b], oneway: true}]",
	} {
		n, err := read(t, text)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, n.WriteYAML(&b))
		again, err := read(t, b.String())
		require.NoError(t, err, b.String())
		require.Equal(t, string(n.canonical()), string(again.canonical()))
		require.Equal(t, n.Words, again.Words)
		require.NoError(t, n.WriteText(&b))
		require.NoError(t, n.WriteDOT(&b))
	}
}

// TestNumbers: the order of a drawing gives the numbers, and a program draws what a file does.
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
	require.Equal(t, 7, n.Shape().Longest(1))
	require.Equal(t, 9, n.Shape().Longest(9))
	drawn, err := New("").Processors("b").Stars("s").Processors("a[1..2]").Stars("r").
		Link("b", "a[1]").Link("b", "s").Link("a[1..2]", "s").Link("a[1..2]", "r", Latency(7)).Net()
	require.NoError(t, err)
	require.Equal(t, string(n.canonical()), string(drawn.canonical()))
	_, err = New("x").Processors("p[0..1]").Link("p[0]", "q").Link("p[0]", "p[1]", OneWay(), Half(), Latency(-3)).Network()
	require.ErrorContains(t, err, "fabric.netlist.links[0]: there is no node q")
	require.ErrorContains(t, err, "fabric.netlist.links[1]: a latency of -3 cycles")
}

// FuzzRead: whatever a file says, it is read or refused with a reason.
func FuzzRead(f *testing.F) {
	for _, w := range wrong {
		f.Add(w.text)
		f.Add(w.mended)
	}
	path := filepath.Join(f.TempDir(), "n.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "999") { // ranges take time
			return
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
