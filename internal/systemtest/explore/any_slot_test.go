package explore

import (
	"fmt"
	"strings"
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

// caller: processor 0 repeats a frame to all until an answer comes, and sleeps between repetitions. USE is what else it
// does with the slot number.
const caller = `#include "starloom.h"
typedef struct { uint32_t got, used; } state_t;
static uint32_t port(sl_nic *nic) { return sl_ports(nic) == 1 ? 0 : SL_PORT_ALL; }
static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, port(nic));
    START;
}
static void on_slot(sl_nic *nic, state_t *s) {
    USE;
    for (const sl_frame *f; (f = sl_receive(nic));) {
        if (f->source == sl_self(nic)) continue;
        if (sl_self(nic) > 0) sl_send(nic, port(nic), SL_KIND_CONTROL, SL_ANY, 4);
        s->got = 1;
    }
    if (s->got) sl_done(nic);
    else if (sl_self(nic) == 0) {
        sl_send(nic, port(nic), SL_KIND_DATA, SL_ANY, 4);
        sl_sleep(nic, 3 + (s->used & 1));
    } else sl_sleep(nic, WAIT);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

func callers(t *testing.T, start, use, wait string) string {
	t.Helper()
	return build(t, strings.NewReplacer("START", start, "USE", use, "WAIT", wait).Replace(caller))
}

// The slot number that flows into sleeps alone leaves states of different slots comparable, on every kind of network.
func TestSleepsOfAnySlot(t *testing.T) {
	image := callers(t, "", "", "2")
	for network, faults := range map[string]string{
		"bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}": "{drop: 2, restart: 1}",
		"pops: {groups: 1, group_size: 2}":                    "{drop: 2, restart: 1}",
		"netlist: {ring: {n: 3}}":                             "{drop: 1, clock_pause: 1}",
		"ej: {a: 1, b: 2, dimensions: 1}":                     "{restart: 1}",
	} {
		scenario := "starloom: 1\nfabric: {" + network + "}\nfirmware: {image: " + image + "}\n"
		r := explored(t, scenario, faults, explore.Options{Verify: true})
		timed := explored(t, scenario+"stop: {slots: 60}\n", faults, explore.Options{})
		assert.Contains(t, r.Covered[len(r.Covered)-2], "runs of any length", network)
		assert.Equal(t, timed.Verdict, r.Verdict, network)
		assert.Less(t, r.Counts.States, timed.Counts.States, network)
	}
}

// Each reader of the slot number keeps it in the states, and the verdict names the reader.
func TestReadersOfSlot(t *testing.T) {
	image := callers(t, "", "", "2")
	on := "starloom: 1\nfabric: {bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}}\nfirmware: {image: %s}\n"
	for _, x := range []struct{ scenario, reader string }{
		{fmt.Sprintf(on, image), ""},
		{fmt.Sprintf(on, image) + "stop: {slots: 100}\n", "stop.slots"},
		{fmt.Sprintf(on, image) + "rules: {deadline_slots: 50}\n", "rules.deadline_slots"},
		{fmt.Sprintf(on, image) + "rules: {finish_by: 50 slots}\n", "rules.finish_by"},
		{fmt.Sprintf(on, image) + "faults: {schedule: [{kind: drop, slots: {list: [3]}}]}\n", "the scenario's faults"},
		{fmt.Sprintf(on, callers(t, "", "s->used = sl_slot(nic)", "2")), "the firmware"},
		{fmt.Sprintf(on, callers(t, "", "s->used = sl_chance(nic, 1, 2)", "2")), "the firmware"},
		{fmt.Sprintf(on, callers(t, "", "if (sl_slot(nic) == 4) s->used = 1", "2")), "the firmware"},
		{fmt.Sprintf(on, callers(t, "", "", "sl_slot(nic) % 3 + 1")), "the firmware"},
		{fmt.Sprintf(on, callers(t, "", "", "SL_LONG")), "the firmware"},
		{fmt.Sprintf(on, callers(t, "sl_sleep(nic, 4)", "", "2")), "the firmware"},
	} {
		r := explored(t, x.scenario, "{drop: 1}", explore.Options{})
		length := r.Covered[len(r.Covered)-2]
		switch x.reader {
		case "":
			assert.Contains(t, length, "runs of any length")
		case "stop.slots":
			assert.Contains(t, length, "(stop.slots)")
		default:
			assert.Contains(t, length, x.reader+" reads the slot number", x.scenario)
		}
	}
}
