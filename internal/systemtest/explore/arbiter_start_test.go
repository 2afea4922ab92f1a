package explore

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
)

// rivals: processors 0 and 1 send at once, and processor 2 expects the frame of processor 0 first.
const rivals = `#include "starloom.h"
typedef struct { uint32_t heard; } state_t;
static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
    if (sl_self(nic) < 2) sl_send(nic, 0, SL_KIND_DATA, 2, 4);
}
static void on_slot(sl_nic *nic, state_t *s) {
    for (const sl_frame *f; (f = sl_receive(nic));) {
        if (sl_self(nic) == 2) sl_assert(nic, s->heard || f->source == 0);
        s->heard++;
    }
    if (s->heard == 2) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

func rivalry(t *testing.T, choices string, more ...starloom.Assignment) *starloom.Scenario {
	t.Helper()
	s, err := starloom.ParseScenario("", []byte("starloom: 1\n"+
		"fabric: {bus: {vertices: 3, buses: [[0, 1, 2]], arbiter: round_robin}}\n"+
		"firmware: {image: "+build(t, rivals)+"}\nexplore: {"+choices+"faults: {clock_pause: 1}}\n"+
		"stop: {slots: 20}\n"), more...)
	require.NoError(t, err)
	return s
}

// The turn at the start decides who is first. The search finds it, and both engines repeat it.
func TestArbiterStart(t *testing.T) {
	r, err := starloom.Explore(t.Context(), rivalry(t, ""), starloom.ExploreOptions{})
	require.NoError(t, err)
	assert.Equal(t, outcome.Holds, r.Verdict)
	for workers := 1; workers <= 2; workers++ {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			var to bytes.Buffer
			r, err = starloom.Explore(t.Context(), rivalry(t, "choices: [arbiter_start], "),
				starloom.ExploreOptions{Engine: engine, Workers: workers, Counterexample: starloom.Writer(&to)})
			require.NoError(t, err)
			require.Equal(t, outcome.Fails, r.Verdict)
			assert.Empty(t, r.Schedule)
			assert.Equal(t, []outcome.ExploredStart{{Arbiter: "bus.bus.arbiter", First: 1}}, r.ArbiterStart)
			assert.Contains(t, to.String(), "choices: {arbiter_start: [{arbiter: bus.bus.arbiter, first: 1}]}")
		}
	}
	assert.Contains(t, r.Covered, "all 3 starts of 1 arbiter (round_robin)")
}

func TestArbiterStartRefused(t *testing.T) {
	for start, want := range map[string]string{
		"[{arbiter: bus.bus.arbiter, first: 3}]": "bus.bus.arbiter has the requesters 0 to 2",
		"[{arbiter: x, first: 0}]":               `there is no arbiter "x" with a turn`,
	} {
		s := rivalry(t, "", starloom.Assignment{Key: "choices.arbiter_start", Value: start})
		_, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		assert.ErrorContains(t, err, want)
	}
	s := rivalry(t, "choices: [arbiter_start], ", starloom.Assignment{Key: "fabric.bus.arbiter", Value: "fixed"})
	_, err := starloom.Explore(t.Context(), s, starloom.ExploreOptions{})
	assert.ErrorContains(t, err, "no arbiter of this machine has a turn")
}
