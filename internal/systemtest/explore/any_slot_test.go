package explore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/fabric/outcome"
	"starloom/internal/explore"
)

// repeater: processors 0 and 1 repeat their frame to the last processor until an answer comes. All have a timer of
// their own, and nothing reads the slot.
const repeater = `#include "starloom.h"
typedef struct { uint32_t timer, got; } state_t;
static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}
static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t last = sl_processors(nic) - 1;
    for (const sl_frame *f; (f = sl_receive(nic));) {
        if (sl_self(nic) == last) sl_send(nic, 0, SL_KIND_CONTROL, f->source, 4);
        s->got |= 1u << f->source;
    }
    if (sl_self(nic) == last ? s->got == 3 : s->got != 0) sl_done(nic);
    else if (sl_self(nic) != last && s->timer-- == 0) {
        sl_send(nic, 0, SL_KIND_DATA, last, 4);
        s->timer = 3;
    }
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

// On crossbars with arbiters, states of different slots are one state, and their futures agree.
func TestCrossbarsOfAnySlot(t *testing.T) {
	image, merged := build(t, repeater), false
	for keys, free := range map[string]bool{
		"arbiter: fixed":                      true,
		"arbiter: round_robin":                true,
		"arbiter: matrix":                     true,
		"arbiter: lottery":                    true,
		"arbiter: round_robin, output: queue": true,
		"arbiter: fixed, cap: 1":              true,
		"arbiter: weighted_round_robin":       true,
		"medium: aloha":                       false,
	} {
		scenario := "starloom: 1\nfabric: {crossbar: {ports: 3, " + keys + "}}\nfirmware: {image: " + image + "}\n"
		r := explored(t, scenario, "{drop: 1, miss: 1}", explore.Options{Verify: true})
		length := r.Covered[len(r.Covered)-2]
		if !free {
			assert.Contains(t, length, "the network reads the slot number", keys)
			continue
		}
		assert.Contains(t, length, "runs of any length", keys)
		timed := explored(t, scenario+"stop: {slots: 200}\n", "{drop: 1, miss: 1}", explore.Options{})
		require.Equal(t, outcome.Holds, timed.Verdict, keys)
		assert.Equal(t, outcome.Holds, r.Verdict, keys)
		assert.LessOrEqual(t, r.Counts.States, timed.Counts.States, "%s: registers of arbiters may tell all slots apart", keys)
		merged = merged || r.Counts.States < timed.Counts.States
	}
	assert.True(t, merged)
}
