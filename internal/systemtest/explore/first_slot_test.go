package explore

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
)

// timers: processor 0 sends every five slots by a timer, sleeps in between, and processor 1 requires that distance. DUE
// is the comparison of the slot with the timer.
const timers = `#include "starloom.h"
typedef struct { uint32_t at, count, last, now; } state_t;
static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}
static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t slot = sl_slot(nic);
    s->now++;
    for (const sl_frame *f; (f = sl_receive(nic));) {
        if (sl_self(nic) == 0) continue;
        sl_assert(nic, s->last == 0 || s->now == s->last + 5);
        s->last = s->now;
        s->count++;
    }
    if (sl_self(nic) == 0 && (s->count == 0 || (DUE))) {
        sl_send(nic, 0, SL_KIND_DATA, 1, 4);
        s->count++;
        s->at = slot + 5;
        if (s->count == 2) sl_sleep(nic, 4);
    }
    if (s->count >= 8) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

var comparisons = []struct {
	due    string
	breaks uint // power of two around which it is wrong, 0 for none
}{
	{"(int32_t)(slot - s->at) >= 0", 0},
	{"(uint16_t)(slot - s->at) < 0x8000", 0},
	{"(uint8_t)slot >= (uint8_t)s->at", 8},
	{"(uint16_t)slot >= (uint16_t)s->at", 16},
	{"(int32_t)slot >= (int32_t)s->at", 31},
	{"slot >= s->at", 32},
}

// Each mistake of slot arithmetic breaks a run whose slots cross its power of two, and no run from slot 0 on. Both
// engines and both modes agree; replays repeat.
func TestFirstSlot(t *testing.T) {
	for _, c := range comparisons {
		image := build(t, strings.ReplaceAll(timers, "DUE", c.due))
		for _, power := range []uint{0, 8, 16, 31, 32} {
			first := uint32(1<<power - 18) // a timer set three slots before the power ends after it
			if power == 0 {
				first = 0
			}
			var texts []string
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				for _, mode := range []string{"banked", "isolated"} {
					s, err := starloom.ParseScenario("", []byte(fmt.Sprintf("starloom: 1\n"+
						"fabric: {bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}}\n"+
						"firmware: {image: %s, first_slot: %d, mode: %s}\nstop: {slots: 60}\n", image, first, mode)))
					require.NoError(t, err)
					o := starloom.RunOptions{}
					o.Engine = engine
					r, err := starloom.Run(t.Context(), s, o)
					require.NoError(t, err)
					assert.Equal(t, c.breaks > 0 && c.breaks <= power && breaksAt(c.breaks, power), len(r.Violations) > 0,
						"%s from %d, %s", c.due, first, engine)
					var text bytes.Buffer
					require.NoError(t, r.WriteText(&text))
					texts = append(texts, fmt.Sprint(r.Slots, r.ViolationsTotal))
				}
			}
			for _, text := range texts {
				assert.Equal(t, texts[0], text)
			}
		}
	}
}

// breaksAt reports whether slots around 2^power cross a multiple of 2^bits, for 31 bits an odd one.
func breaksAt(bits, power uint) bool { return bits != 31 || power == 31 }
