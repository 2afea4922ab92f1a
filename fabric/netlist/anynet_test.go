package netlist

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// graphs are anynets with one mistake each, and their corrections according to the remedy.
var graphs = []struct{ name, text, says, mended string }{
	{"empty", "\n\n", "g: there is no router; write lines such as router 0", "router 0 node 0 router 1 3\n"},
	{"start", "router 0 router 1\nnode 0 router 1\n", `g:2: a line starts with "node"; start each line with router R`, "router 0 router 1\nrouter 1 node 0\n"},
	{"no number", "router 0 router 1\nrouter\n", "g:2: the line ends after router; write its number", "router 0 router 1\nrouter 1\n"},
	{"no node", "router 0 router 1 node\n", "g:1: the line ends after node; write its number", "router 0 router 1 node 0\n"},
	{"number", "router -1 router 0\n", `g:1: router has the number "-1"; write 0 to 65535`, "router 1 router 0\n"},
	{"gap", "router 0 router 2\n", "g: the file has 2 routers, but none with the number 1; number them from 0 on", "router 0 router 1\n"},
	{"gap of nodes", "router 0 router 1 node 1\n", "g: the file has 1 node, but none with the number 0", "router 0 router 1 node 0\n"},
	{"two routers", "router 0 node 0 router 1\nrouter 1 node 0\n", "g:2: node 0 is at router 1, and at router 0, at g:1; let a node have one router", "router 0 node 0 router 1\nrouter 1 node 1\n"},
	{"latency of a node", "router 0 node 0 2 router 1\n", "g:1: 2 after node 0: BookSim reads this number as a link to a router, not as a latency; delete it", "router 0 node 0 router 1\n"},
	{"latency 0", "router 0 router 1 0\n", `g:1: the latency "0" from router 0 to router 1; write 1 to 4096`, "router 0 router 1 1\n"},
	{"latency", "router 0 router 1 4097\n", `g:1: the latency "4097"`, "router 0 router 1 4096\n"},
	{"itself", "router 0 router 0\n", "g:1: a link leads from router 0 to itself; delete it", ""},
	{"item", "router 0 router 1 2 3\n", `g:1: "3" is no item; write node N, router S`, "router 0 router 1 2 node 0\n"},
	{"apart", "router 0 router 1\nrouter 2 router 3\n", "no way leads from r[0] to r[2] and 1 other", "router 0 router 1 router 2\nrouter 2 router 3\n"},
}

func readGraph(t testing.TB, text string) (*Net, error) {
	folder := t.TempDir()
	path := filepath.Join(folder, "n.yaml")
	require.NoError(t, os.WriteFile(path, []byte("anynet: g"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "g"), []byte(text), 0o600))
	n, err := ReadFile(path)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), folder+"/", ""))
	}
	return n.Net(), nil
}

// TestAnynetWrong: each mistake of a graph is reported with its line and a remedy that works.
func TestAnynetWrong(t *testing.T) {
	for _, g := range graphs {
		_, err := readGraph(t, g.text)
		require.ErrorContains(t, err, g.says, g.name)
		if g.mended != "" {
			_, err := readGraph(t, g.mended)
			require.NoError(t, err, g.name)
		}
	}
}

// TestAnynet: the ways there and back have latencies of their own, and the shortest way is BookSim's.
func TestAnynet(t *testing.T) {
	for _, text := range []string{
		"router 0 node 0 node 2 router 1 3 router 2\nrouter 1 node 1 router 0 2\nrouter 2 node 3 router 1\n",
		"router 1 node 1 router 0 2\n\nrouter 2 node 3 router 1\n  router 0  node 2 node 0 router 1 9 router 1 3 router 2 1\n", // the last counts
	} {
		n, err := readGraph(t, text)
		require.NoError(t, err)
		var b strings.Builder
		require.NoError(t, n.WriteYAML(&b))
		require.Equal(t, `links:
  - {endpoints: ["r[0]:0", "r[1]:0"], oneway: true, latency: 3}
  - {endpoints: ["r[0]:1", "r[2]:0"], latency: 1}
  - {endpoints: ["r[1]:0", "r[0]:0"], oneway: true, latency: 2}
  - {endpoints: ["r[1]:1", "r[2]:1"], latency: 1}
`, b.String()[strings.Index(b.String(), "links:"):])
		rom := newROM(n)
		require.Equal(t, uint32(1<<16|2), rom.next[1][0], "0 to 1 through 2: 1 + 1 is less than 3")
		require.Equal(t, uint32(0), rom.next[0][1], "1 to 0 directly: 2 is found before 1 + 1")
		require.Len(t, n.notes, 1)
		require.Contains(t, n.notes[0], "1 pair of routers have links with different latencies")
	}
	path := filepath.Join(t.TempDir(), "n.yaml")
	require.NoError(t, os.WriteFile(path, []byte("anynet: none"), 0o600))
	_, err := ReadFile(path)
	require.ErrorContains(t, err, "n.yaml:1:9: ")
}

// FuzzAnynet: every graph is read or rejected with a reason.
func FuzzAnynet(f *testing.F) {
	for _, g := range graphs {
		f.Add(g.text)
		f.Add(g.mended)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAnynet("g", text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		ways := map[[2]int]bool{}
		for _, l := range a.Links {
			ways[[2]int{l.From, l.To}] = true
		}
		for _, l := range a.Links {
			require.True(t, ways[[2]int{l.To, l.From}])
		}
		d := New("g").Apart()
		a.draw(d, "g")
		if n, err := d.Net(); err == nil {
			require.Len(t, n.Processors, len(a.Nodes))
			require.Len(t, n.Media, len(a.Links))
		}
	})
}
