package explore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/internal/explore"
	"starloom/internal/inside"
)

// exploredUntil raises the bounds of the kinds in faults.
func exploredUntil(t *testing.T, scenario, faults string, workers int) *outcome.Explored {
	t.Helper()
	s, err := starloom.ParseScenario("", []byte(scenario),
		starloom.Assignment{Key: "explore.faults", Value: faults})
	require.NoError(t, err)
	r, err := starloom.Explore(t.Context(), s, starloom.ExploreOptions{UntilFails: true, Workers: workers})
	require.NoError(t, err)
	return r
}

// The bounds rise by one in the order of the kinds, and every row has the counts of an exploration with its bounds.
func TestUntilFails(t *testing.T) {
	scenario := protocol(t, 6, 3) // breaks under two drops
	r := exploredUntil(t, scenario, "{miss: 1, drop: 1}", 1)
	require.Equal(t, outcome.Fails, r.Verdict)
	var rows []string
	for i := range r.Raised {
		b := &r.Raised[i]
		rows = append(rows, b.Text()+" "+string(b.Verdict))
		faults := "{" + strings.ReplaceAll(strings.ReplaceAll(b.Text(), "drop ", "drop: "), "miss ", "miss: ") + "}"
		once := explored(t, scenario, faults, explore.Options{})
		assert.Equal(t, once.Counts.States, b.States, faults)
		assert.Equal(t, once.Counts.Transitions, b.Transitions, faults)
		assert.Equal(t, once.Verdict, b.Verdict, faults)
	}
	require.Equal(t, "drop 1 holds", rows[0])
	require.Contains(t, rows[len(rows)-1], "fails")
	assert.True(t, strings.HasPrefix(r.Sentence(), "holds for "), r.Sentence())
	var one, two strings.Builder
	require.NoError(t, r.WriteJSON(&one))
	require.NoError(t, exploredUntil(t, scenario, "{miss: 1, drop: 1}", 3).WriteJSON(&two))
	assert.Equal(t, one.String(), two.String())
}

// A kind is no longer raised when a larger number of its faults leads to no further state: a much larger number has the
// same counts.
func TestAnyNumberOfFaults(t *testing.T) {
	image := build(t, `#include "starloom.h"
typedef struct { uint32_t slots, received; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)s; sl_listen(nic, 0); }
static void on_slot(sl_nic *nic, state_t *s) {
    while (sl_receive(nic)) s->received++;
    if (sl_self(nic) == 0 && s->slots < 3) sl_send(nic, 0, SL_KIND_DATA, 1, 4);
    if (s->slots++ == 6) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`)
	scenario := "starloom: 1\nfabric: {bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}}\nfirmware: {image: " + image + "}\n"
	r := exploredUntil(t, scenario, "{drop: 1}", 1)
	require.Equal(t, outcome.Holds, r.Verdict)
	last := r.Raised[len(r.Raised)-1]
	require.True(t, last.Bounds[0].All)
	require.Len(t, r.Raised, 4, "three frames are lost at most")
	many := explored(t, scenario, "{drop: 50}", explore.Options{})
	assert.Equal(t, many.Counts, r.Counts)
	assert.True(t, strings.HasPrefix(r.Sentence(), "for any number of drop: "), r.Sentence())
}

// build compiles firmware and returns the path of its image.
func build(t *testing.T, source string) string {
	t.Helper()
	folder := t.TempDir()
	c, image := filepath.Join(folder, "own.c"), filepath.Join(folder, "own.wasm")
	require.NoError(t, os.WriteFile(c, []byte(source), 0o600))
	require.NoError(t, firmware.Build(context.Background(), firmware.BuildOptions{Source: c, Output: image}))
	return image
}

// asker sends one frame to an answerer and waits for its answer.
const asker = `#include "starloom.h"
typedef struct { uint32_t sent; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)s; sl_listen(nic, 0); }
static void on_slot(sl_nic *nic, state_t *s) {
    for (const sl_frame *f; (f = sl_receive(nic));) {
        if (f->destination != sl_self(nic)) continue;
        if (sl_self(nic) == 1) sl_send(nic, 0, SL_KIND_CONTROL, 0, 4);
        sl_done(nic);
    }
    if (sl_self(nic) == 0 && !s->sent) {
        s->sent = 1;
        sl_send(nic, 0, SL_KIND_DATA, 1, 4);
    }
    WAIT
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

// A run that stops at its limit of slots is a deadlock if nothing changes up to it, and no handler would wake.
func TestDeadlock(t *testing.T) {
	for wait, dead := range map[string]bool{"": true, "sl_sleep(nic, SL_LONG);": true, "sl_sleep(nic, 300);": false,
		"s->sent += 2;": false} {
		image := build(t, strings.Replace(asker, "WAIT", wait, 1))
		r := explored(t, "starloom: 1\nfabric: {bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}}\nstop: {slots: 60}\n"+
			"firmware: {image: "+image+"}\n", "{drop: 1}", explore.Options{})
		require.Equal(t, outcome.Fails, r.Verdict, wait)
		if !dead {
			assert.Nil(t, r.Deadlock, wait)
			continue
		}
		require.NotNil(t, r.Deadlock, wait)
		assert.Equal(t, []string{"bus.nic[0]"}, r.Deadlock.Waiting, wait)
		assert.LessOrEqual(t, r.Deadlock.Since, uint32(4), wait)
		assert.GreaterOrEqual(t, r.Deadlock.Since, r.Schedule[0].Slot, wait)
	}
}

// An exploration that is interrupted while its machine is built is open, with nothing covered.
func TestInterruptedWhileBuilt(t *testing.T) {
	s, err := starloom.ParseScenario("", []byte(scatter4))
	require.NoError(t, err)
	c, err := inside.Config(s)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := explore.Of(ctx, c, explore.Bounds{}, explore.Options{})
	require.NoError(t, err)
	assert.Equal(t, outcome.Open, r.Verdict)
	assert.Equal(t, []string{"nothing: no slot is complete"}, r.Covered)
}
