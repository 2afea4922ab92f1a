package explore

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/explore"
)

// The graph has every step of the search and every state. Graphviz reads it.
func TestGraph(t *testing.T) {
	for _, scenario := range []string{protocol(t, 0, 3), protocol(t, 2, 3)} {
		r := explored(t, scenario, "{drop: 2}", explore.Options{Graph: true, Workers: 2})
		require.NotNil(t, r.Graph)
		ends, failing, known := 0, 0, map[int]bool{}
		for _, x := range r.Graph.States {
			if x.Ended {
				ends++
			}
		}
		for _, x := range r.Graph.Steps {
			if known[x.To] = true; x.To < 0 {
				failing++
				assert.NotEmpty(t, x.Rule)
				continue
			}
		}
		assert.GreaterOrEqual(t, ends, r.Counts.Ends)
		assert.Equal(t, r.Verdict == outcome.Fails, failing > 0)
		for id := range r.Graph.States[1:] {
			assert.True(t, known[id+1], "a step leads to state %d", id+1)
		}
		if r.Verdict == outcome.Holds {
			assert.EqualValues(t, r.Counts.Transitions, len(r.Graph.Steps))
		}
		var dot bytes.Buffer
		require.NoError(t, r.Graph.WriteDOT(&dot))
		path, err := exec.LookPath("dot")
		if err != nil {
			t.Log("without Graphviz")
			continue
		}
		c := exec.Command(path, "-Tsvg")
		c.Stdin = &dot
		svg, err := c.CombinedOutput()
		require.NoError(t, err, "%s", svg)
		assert.Equal(t, len(r.Graph.States)+failing, strings.Count(string(svg), `class="node"`))
		assert.Equal(t, len(r.Graph.Steps), strings.Count(string(svg), `class="edge"`))
	}
	s, err := starloom.ParseScenario("", []byte(protocol(t, 0, 30)), starloom.Assignment{Key: "explore.faults", Value: "{drop: 3}"})
	require.NoError(t, err)
	_, err = starloom.Explore(t.Context(), s, starloom.ExploreOptions{Graph: true})
	var refused *starloom.InputError
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, err.Error(), "more than 500 states")
}

// The counts of targets are those of the steps of the graph.
func TestTargetsCounted(t *testing.T) {
	r := explored(t, protocol(t, 6, 3), "{drop: 2, miss: 1}", explore.Options{Workers: 3})
	require.Equal(t, outcome.Fails, r.Verdict)
	failing := uint64(0)
	for _, x := range r.Targets {
		assert.LessOrEqual(t, x.Differ, x.Steps)
		assert.Positive(t, x.Steps)
		failing += x.Failing
	}
	assert.GreaterOrEqual(t, failing, uint64(len(r.Schedule)), "the schedule itself")
	graph := explored(t, protocol(t, 0, 3), "{drop: 1}", explore.Options{Graph: true})
	with := 0
	for _, x := range graph.Graph.Steps {
		if x.Choice != "" {
			with++
		}
	}
	require.Len(t, graph.Targets, 1)
	assert.EqualValues(t, with, graph.Targets[0].Steps)
	assert.Zero(t, graph.Targets[0].Failing)
}

// A branch that only a loss reaches is missing without losses, and reached with one. Code that nothing calls is never
// reached.
func TestBranchesReached(t *testing.T) {
	source := strings.Replace(asker, "WAIT", `if (sl_self(nic) == 0 && ++s->sent == 12) {
        sl_send(nic, 0, SL_KIND_DATA, 1, 8); /* again */
    }
    if (s->sent == 99) sl_fail(nic, 9); /* never */`, 1)
	lineOf := func(mark string) string {
		before, _, found := strings.Cut(source, mark)
		require.True(t, found)
		return fmt.Sprintf("own.c:%d", 1+strings.Count(before, "\n"))
	}
	scenario := "starloom: 1\nfabric: {bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}}\nstop: {slots: 60}\n" +
		"firmware: {image: " + build(t, source) + "}\n"
	unreached := func(faults string) (lines []string) {
		r := explored(t, scenario, faults, explore.Options{Branches: true, Workers: 2})
		require.NotEmpty(t, r.Lines)
		assert.Contains(t, r.BranchesText(), "branches of the firmware are not reached")
		for _, l := range r.Unreached() {
			lines = append(lines, l.Source)
		}
		return lines
	}
	without, with := unreached("{clock_pause: 1}"), unreached("{drop: 1}")
	assert.Contains(t, with, lineOf("if (s->sent == 99)"))
	assert.Contains(t, without, lineOf("++s->sent == 12"))
	assert.NotContains(t, with, lineOf("++s->sent == 12"))
}

// The facts beside the verdict are the same for any number of workers.
func TestDetailsAndWorkers(t *testing.T) {
	for mistake := range 3 {
		var first string
		for workers := 1; workers <= 3; workers++ {
			var text, dot bytes.Buffer
			r := explored(t, protocol(t, mistake, 3), "{drop: 2, miss: 1}", explore.Options{Branches: true, Workers: workers})
			require.NoError(t, r.WriteJSON(&text))
			require.NotEmpty(t, r.Lines)
			r = explored(t, protocol(t, mistake, 2), "{drop: 1}", explore.Options{Graph: true, Workers: workers})
			require.NoError(t, r.Graph.WriteDOT(&dot))
			if all := text.String() + dot.String(); first == "" {
				first = all
			} else {
				assert.Equal(t, first, all, "%d workers", workers)
			}
		}
	}
}
