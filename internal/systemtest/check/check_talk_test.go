package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
)

func talks(t *testing.T, scenario string) *starloom.FirmwareCheck {
	t.Helper()
	s, err := starloom.ParseScenario("", []byte(scenario))
	require.NoError(t, err)
	r, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{Fuzz: 2000})
	require.NoError(t, err)
	return r
}

// Correct protocols pass: arbitrary frames break assertions that the frames of the machine keep, under the losses that
// the scenario states. Programs without assertions pass in any scenario.
func TestCheckPassesCorrectProtocols(t *testing.T) {
	folder := t.TempDir()
	for name, machine := range map[string]string{
		"sliding_window":    "bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}",
		"alternating_bit":   "bus: {vertices: 4, buses: [[0, 1, 2, 3]], arbiter: fixed}",
		"bus/stop-and-wait": "bus: {vertices: 4, buses: [[0, 1, 2, 3]], arbiter: fixed}",
		"netlist/reliable":  "netlist: {ring: {n: 3}}",
	} {
		from, more := "program: "+name, "workload: {permutation: reverse}\n"
		if !strings.Contains(name, "/") {
			image := filepath.Join(folder, name+".wasm")
			require.NoError(t, firmware.Build(t.Context(),
				firmware.BuildOptions{Source: "testdata/firmware/" + name + ".c", Output: image}))
			from, more = "image: "+image, ""
		}
		for _, stated := range []string{"", "explore: {faults: {drop: 3}}\n"} {
			if stated == "" && more == "" {
				continue
			}
			r := talks(t, fmt.Sprintf("starloom: 1\nfabric: {%s}\nfirmware: {%s}\nstop: {slots: 400}\n%s%s", machine, from, more,
				stated))
			assert.Equal(t, starloom.VerdictPass, r.Verdict, "%s, %q: %v %v", name, stated, r.Talks, r.Fuzz)
			require.NotEmpty(t, r.Talks, name)
			assert.Equal(t, stated != "", r.Talks[0].Stated, name)
		}
	}
}

// Planted mistakes are found with a schedule, most of them also where the scenario does not state losses.
func TestCheckFindsMistakesOfProtocols(t *testing.T) {
	image := filepath.Join(t.TempDir(), "sliding_window.wasm")
	require.NoError(t, firmware.Build(t.Context(),
		firmware.BuildOptions{Source: "testdata/firmware/sliding_window.c", Output: image}))
	for mistake, faults := range map[int]string{1: "drop: 2", 2: "restart: 1", 3: "drop: 2", 4: "drop: 3, clock_pause: 3",
		5: "drop: 2", 6: "drop: 2", 7: "drop: 6"} {
		items, window := 12, 4
		if mistake == 4 {
			window = 1
		}
		if mistake == 6 {
			items, window = 140, 1
		}
		scenario := fmt.Sprintf("starloom: 1\nfabric: {bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}}\n"+
			"firmware: {image: %s, params: {bug: %d, items: %d, window: %d}}\nstop: {slots: 400}\n", image, mistake, items, window)
		r := talks(t, scenario+"explore: {faults: {"+faults+"}}\n")
		require.Equal(t, starloom.VerdictFail, r.Verdict, "mistake %d", mistake)
		require.True(t, r.Talks[0].Fails(), "mistake %d", mistake)
		assert.NotEmpty(t, r.Talks[0].Schedule, "mistake %d", mistake)
		if mistake == 3 || mistake == 5 { // they break an assertion
			r = talks(t, scenario)
			require.True(t, r.Talks[0].Fails(), "mistake %d", mistake)
			assert.Len(t, r.Talks[0].Schedule, 1)
		}
	}
}

// Firmware that does not claim to survive losses passes, with a note.
func TestCheckNotesLosses(t *testing.T) {
	r := talks(t, "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/sort}\nstop: {slots: 40}\n")
	assert.Equal(t, starloom.VerdictPass, r.Verdict)
	noted := false
	for i := range r.Talks {
		noted = noted || r.Talks[i].Note && r.Talks[i].Violation != nil
	}
	assert.True(t, noted)
	var page, text strings.Builder
	require.NoError(t, r.WriteText(&text))
	assert.Contains(t, text.String(), "note, with faults that the scenario does not state: ")
	require.NoError(t, r.Page("starloom firmware check", "starloom run").Write(&page))
	assert.Contains(t, page.String(), "With losses and restarts")
}

// pacing sends every five slots by a timer, and asserts so. DUE is the comparison of the slot with the timer.
const pacing = `#include "starloom.h"
typedef struct { uint32_t at, count, last, now; } state_t;
static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    sl_listen(nic, 0);
}
static void on_slot(sl_nic *nic, state_t *s) {
    uint32_t slot = sl_slot(nic);
    s->now++;
    while (sl_receive(nic));
    if (s->count == 0 || (DUE)) {
        sl_assert(nic, s->count == 0 || s->now >= s->last + 5);
        if (sl_self(nic) == 0) sl_send(nic, 0, SL_KIND_DATA, 1, 4);
        s->last = s->now;
        s->at = slot + 5;
        s->count++;
    }
    if (s->count >= 8) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

// Mistakes of slot arithmetic are found around their powers of two; right comparisons pass, as does firmware that
// begins in slot 0, with a note.
func TestCheckFindsFirstSlots(t *testing.T) {
	folder := t.TempDir()
	const counts = "slot >= 5 * s->count" // from slot 0
	for due, number := range map[string]uint32{
		counts:                              0,
		"(int32_t)(slot - s->at) >= 0":      0,
		"(uint16_t)(slot - s->at) < 0x8000": 0,
		"(uint8_t)slot >= (uint8_t)s->at":   1<<8 - 9,
		"(uint16_t)slot >= (uint16_t)s->at": 1<<16 - 9,
		"(int32_t)slot >= (int32_t)s->at":   1<<31 - 9,
	} {
		source, image := filepath.Join(folder, "pacing.c"), filepath.Join(folder, "pacing.wasm")
		require.NoError(t, os.WriteFile(source, []byte(strings.ReplaceAll(pacing, "DUE", due)), 0o666))
		require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image}))
		for _, stated := range []string{"", "explore: {faults: {drop: 2}}\n"} {
			r := talks(t, "starloom: 1\nfabric: {bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}}\n"+
				"firmware: {image: "+image+"}\nstop: {slots: 60}\n"+stated)
			require.NotEmpty(t, r.Talks)
			last := r.Talks[len(r.Talks)-1]
			if due == counts {
				assert.True(t, last.Note && last.FirstSlot != nil, due)
			} else if number == 0 {
				assert.True(t, last.FirstSlots, due)
			}
			if number == 0 {
				assert.Equal(t, starloom.VerdictPass, r.Verdict, "%s: %v %v", due, r.Talks, r.Fuzz)
				continue
			}
			require.Equal(t, starloom.VerdictFail, r.Verdict, due)
			require.NotNil(t, last.FirstSlot, due)
			assert.Equal(t, number, *last.FirstSlot, due)
			assert.True(t, last.Fails(), due)
			assert.Empty(t, last.Schedule)
			var text strings.Builder
			require.NoError(t, r.WriteText(&text))
			assert.Contains(t, text.String(), fmt.Sprintf("slot 0 has the number %d\n", number))
		}
	}
}
