package netlist

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/hw"
)

// rulesOf returns the rules of an example, for a netlist's key routes.
func rulesOf(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../examples/routers/routes", name+".yml"))
	require.NoError(t, err)
	return "routes:\n  " + strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", "\n  ") + "\n"
}

const (
	oneClass = "routes: {rules: [{if: came == source, take: [{to: dor(x y)}, {to: dor(y x)}]}, " +
		"{if: came == east or came == west, take: [{to: dor}]}, {take: [{to: dor(y x)}]}]}\n"
	dorOnly = "routes: {rules: [{take: [{to: dor}]}]}\n"
)

// TestRelationVerdicts: the verdicts on the published functions, and on the same with one thing left out.
func TestRelationVerdicts(t *testing.T) {
	graph := filepath.Join(t.TempDir(), "ring.txt")
	text := ""
	for i := range 8 {
		text += fmt.Sprintf("router %d node %d router %d\n", i, i, (i+1)%8)
	}
	require.NoError(t, os.WriteFile(graph, []byte(text+"router 0 router 3\nrouter 2 router 6\n"), 0o644))
	const productive = "routes: {rules: [{take: [{to: productive}]}]}\n"
	minimal := rulesOf(t, "min-adaptive")
	for _, x := range []struct{ name, network, routes, want string }{
		{"west-first", "mesh: {k: [5, 4]}\nrouter: {}", rulesOf(t, "west-first"), "free (Dally"},
		{"negative-first", "mesh: {k: [5, 4]}\nrouter: {}", rulesOf(t, "negative-first"), "free (Dally"},
		{"odd-even", "mesh: {k: [6, 6]}\nrouter: {}", rulesOf(t, "odd-even"), "free (Dally"},
		{"O1TURN", "mesh: {k: [4, 4]}\nrouter: {}", rulesOf(t, "o1turn"), "free (Dally"},
		{"O1TURN in one class", "mesh: {k: [4, 4]}\nrouter: {}",
			oneClass, "may deadlock: a cycle of "},
		{"productive", "mesh: {k: [2, 2]}\nrouter: {}", productive, "may deadlock: a cycle of 4 channels: a packet from"},
		{"productive of a torus", "torus: {k: [5]}\nrouter: {}", productive, "may deadlock: a cycle of 5 channels"},
		{"min-adaptive", "mesh: {k: [4, 4]}\nrouter: {vcs: 4, wait_for_tail_credit: true}", minimal, "free (Duato)"},
		{"min-adaptive without waiting", "mesh: {k: [4, 4]}\nrouter: {vcs: 4}", minimal, "write wait_for_tail_credit: true"},
		{"min-adaptive, escape left", "mesh: {k: [4, 4]}\nrouter: {vcs: 4, wait_for_tail_credit: true}",
			"routes: {classes: {escape: 1, free: 3}, rules: [{take: [{to: productive, class: free}, " +
				"{to: dor, class: escape}]}]}",
			"free (Duato)"},
		{"west-first escape, left", "mesh: {k: [4, 4]}\nrouter: {vcs: 4, wait_for_tail_credit: true}",
			"routes: {classes: {escape: 1, free: 3}, rules: [{take: [{to: west, class: escape, if: dx < 0}, " +
				"{to: productive, class: escape, if: dx >= 0}, {to: productive, class: free}]}]}", "free (Duato)"},
		{"escape somewhere only", "mesh: {k: [4, 4]}\nrouter: {vcs: 4, wait_for_tail_credit: true}",
			"routes: {classes: {escape: 1, free: 3}, rules: [{if: class == escape, take: [{to: dor, class: escape}]}, " +
				"{take: [{to: productive, class: free}, {to: dor, class: escape, if: dx != 0}]}]}", "do not request class escape"},
		{"odd-even escape, left", "mesh: {k: [6, 6]}\nrouter: {wait_for_tail_credit: true}", `routes:
  classes: {escape: 1, free: 1}
  rules:
    - {if: dx == 0 or dy == 0, take: [{to: productive, class: escape}, {to: productive, class: free}]}
    - if: dx > 0
      take:
        - {to: productive(north south), if: odd(x) or came != east, class: escape}
        - {to: east, if: not (near(dx) and even(x + dx)), class: escape}
        - {to: productive, class: free}
    - take:
        - {to: west, class: escape}
        - {to: productive(north south), if: even(x), class: escape}
        - {to: productive, class: free}
`, "packets leave class escape and request it again later, in a cycle of 4 channels: "},
		{"Valiant", "mesh: {k: [4, 4]}\nrouter: {vcs: 4}", rulesOf(t, "valiant"), "free (Dally"},
		{"Valiant on a torus", "torus: {k: [5]}\nrouter: {vcs: 4}", rulesOf(t, "valiant"), "may deadlock: a cycle of 5 channels: a packet holds"},
		{"Valiant in one class", "mesh: {k: [4, 4]}\nrouter: {}",
			"routes: {mid: node, rules: [{take: [{to: dor, toward: mid}]}, {take: [{to: dor}]}]}",
			"packets that have been at mid may go there again"},
		{"Valiant in classes that meet", "mesh: {k: [4, 4]}\nrouter: {}",
			"routes: {classes: {first: 1, second: 1}, mid: node, rules: [{if: came == source, take: [{to: dor, class: first, toward: mid}]}, " +
				"{if: class == first, take: [{to: dor, class: first, toward: mid}, {to: dor(y x), class: first, toward: mid}]}, " +
				"{take: [{to: dor, class: second}]}]}", "may deadlock: a cycle of 4 channels"},
		{"away from mid", "mesh: {k: [3, 3]}\nrouter: {}",
			"routes: {classes: {first: 1, second: 1}, mid: node, rules: [{if: came == source or class == first, " +
				"take: [{to: east, class: first, toward: mid}, {to: dor, class: first, toward: mid}]}, {take: [{to: dor, class: second}]}]}",
			"packets toward mid may circle for ever"},
		{"ROMM", "mesh: {k: [3, 3, 3]}\nrouter: {vcs: 4}", rulesOf(t, "romm"), "free (Dally"},
		{"UGAL", "flatfly: {k: 3, n: 2}\nrouter: {vcs: 4}", rulesOf(t, "ugal"), "free (Dally"},
		{"UGAL in one class", "flatfly: {k: 3, n: 2}\nrouter: {}",
			strings.Replace(rulesOf(t, "ugal"), "first: 2, second: 2", "first: 2", 1), "there is no class second"},
		{"a pick without rest", "mesh: {k: [3, 3]}\nrouter: {}", "routes: {rules: [{take: [{to: productive, pick: load}]}]}",
			"may deadlock: a cycle of 4 channels"},
		{"escape among the picked", "mesh: {k: [4, 4]}\nrouter: {vcs: 4, wait_for_tail_credit: true}",
			"routes: {classes: {escape: 1, free: 3}, rules: [{if: class == escape, take: [{to: dor, class: escape}]}, " +
				"{choose: {by: draw}, take: [{to: productive, class: free}, {to: dor, class: escape}]}]}", "do not request class escape"},
		{"escape beside the picked", "mesh: {k: [4, 4]}\nrouter: {vcs: 4, wait_for_tail_credit: true}",
			"routes: {classes: {escape: 1, free: 3}, rules: [{if: class == escape, take: [{to: dor, class: escape}]}, " +
				"{take: [{to: productive, class: free, pick: load}, {to: dor, class: escape}]}]}", "free (Duato)"},
		{"fat tree", "fattree: {k: 2, n: 3}\nrouter: {}", rulesOf(t, "anca"), "free (Dally"},
		{"a load too late", "mesh: {k: [4, 4]}\nrouter: {vcs: 4, routing_delay: 0}", rulesOf(t, "adaptive-xy-yx"),
			"write routing_delay: 1"},
		{"two picks", "mesh: {k: [3, 3]}\nrouter: {}",
			"routes: {rules: [{choose: {by: draw}, take: [{to: productive, pick: load}]}]}", "a rule has several picks"},
		{"draw with a bias", "mesh: {k: [3, 3]}\nrouter: {}", "routes: {rules: [{choose: {by: draw, bias: 2}, take: [{to: dor}]}]}",
			"by: draw compares no loads"},
		{"hops of a graph", "anynet: " + graph + "\nrouter: {}",
			"routes: {rules: [{choose: {by: load, times: hops}, take: [{to: shortest}]}]}", "delete times"},
		{"no mid", "mesh: {k: [3, 3]}\nrouter: {}", "routes: {rules: [{take: [{to: dor, toward: mid}]}]}", "packets have no mid"},
		{"mid and destination", "mesh: {k: [3, 3]}\nrouter: {}",
			"routes: {mid: node, rules: [{if: dx < 0, take: [{to: dor, toward: mid}]}, {take: [{to: dor}]}]}", "compare only class and came"},
		{"a priority among the picked", "mesh: {k: [3, 3]}\nrouter: {}",
			"routes: {rules: [{take: [{to: productive, pick: load, priority: 1}]}]}", "delete priority"},
		{"a box on a ring", "ring: {n: 5}\nrouter: {}", "routes: {mid: box, rules: [{take: [{to: dor}]}]}", "write mid: node"},
		{"dateline", "torus: {k: [4, 5]}\nrouter: {}", rulesOf(t, "dateline"), "free (Dally"},
		{"dateline in one class", "torus: {k: [4, 5]}\nrouter: {}", dorOnly, "may deadlock: a cycle of 4"},
		{"up*/down*", "anynet: " + graph + "\nrouter: {vcs: 1}", rulesOf(t, "up-down"), "free (Dally"},
		{"shortest", "anynet: " + graph + "\nrouter: {vcs: 1}", "routes: {rules: [{take: [{to: shortest}]}]}",
			"may deadlock: a cycle of"},
		{"shortest with an escape", "anynet: " + graph + "\nrouter: {wait_for_tail_credit: true}",
			rulesOf(t, "shortest-escape"), "free (Duato)"},
		{"a livelock", "mesh: {k: [3, 3]}\nrouter: {}",
			"routes: {rules: [{if: dx != 0, take: [{to: east}, {to: west}]}, {take: [{to: dor}]}]}",
			"may circle for ever"},
		{"no way", "mesh: {k: [3, 3]}\nrouter: {}", "routes: {rules: [{if: dx != 0, take: [{to: dor}]}]}",
			"no candidate for packets to p[3] at p[0], from its own source"},
	} {
		r, err := drawnRouters(t, x.network+"\n"+x.routes)
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = r.Shown
		}
		require.Contains(t, said, x.want, x.name)
	}
}

// unchecked returns the routers of a drawing with rules that may have been refused.
func unchecked(t *testing.T, text string) *fabric.Routers {
	t.Helper()
	file := filepath.Join(t.TempDir(), "drawn.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	r, err := readFile(file, file)
	require.NoError(t, err)
	config, err := r.router.config()
	require.NoError(t, err)
	w := &routed{Routers: &fabric.Routers{Config: config}, mistakes: &mistakes{}, unsure: r.unsure.clone(),
		routes: &r.routes, nicPorts: 1}
	_, err = r.Drawing.placeRouters(w, r.graph)
	require.NoError(t, err)
	w.name(r.Drawing.bareNet(len(w.Graph.Nodes)))
	w.relate()
	return w.Routers
}

// TestRefusedRelationsStand: with rules that are refused, a run is found that stands for ever.
func TestRefusedRelationsStand(t *testing.T) {
	const four = "mesh: {k: [4, 4]}\nrouter: {vcs: 2, depth: 1"
	for _, x := range []struct{ name, network, routes string }{
		{"productive", "mesh: {k: [2, 2]}\nrouter: {vcs: 1, depth: 1}\n", "routes: {rules: [{take: [{to: productive}]}]}\n"},
		{"productive with several VCs", four + "}\n", "routes: {rules: [{take: [{to: productive}]}]}\n"},
		{"O1TURN in one class", four + "}\n", oneClass},
		{"dateline in one class", "torus: {k: [5], latency: 1}\nrouter: {vcs: 1, depth: 1}\n", dorOnly},
	} {
		built, found := unchecked(t, x.network+x.routes), false
		nodes := len(built.Graph.Nodes)
		for seed := uint64(0); seed < 400 && !found; seed++ {
			r, packets := rand.New(rand.NewPCG(seed, 7)), &hw.Packets{}
			for i := range 40 * nodes {
				to := nodes - 1 - i%nodes
				if seed%2 == 0 {
					to = r.IntN(nodes)
				}
				packets.Add(uint32(i%nodes), uint32(to), uint16(1+r.IntN(8)), uint32(r.IntN(200)))
			}
			found = len(runRouters(t, &Network{routers: built}, packets)) > 0
		}
		assert.True(t, found, x.name)
	}
}

// TestEscapesWithoutWaiting: on a ring of 8 routers, packets stand for ever although each head also requests an
// escape, unless routers wait for the credit of the tail.
func TestEscapesWithoutWaiting(t *testing.T) {
	for _, wait := range []bool{false, true} {
		network := fmt.Sprintf("torus: {k: [8], latency: 1}\nrouter: {vcs: 3, depth: 1, wait_for_tail_credit: %v}\n", wait) +
			strings.Replace(rulesOf(t, "ring-adaptive"), "free: 2", "free: 1", 1)
		r, err := drawnRouters(t, network)
		if wait {
			require.NoError(t, err)
			require.Contains(t, r.Shown, "free (Duato)")
		} else {
			require.ErrorContains(t, err, "write wait_for_tail_credit: true")
			r = unchecked(t, network)
		}
		packets := &hw.Packets{}
		for i := range uint32(160) {
			packets.Add(i%8, (i+3)%8, 1, 0)
		}
		require.Equal(t, wait, len(runRouters(t, &Network{routers: r}, packets)) == 0)
	}
}
