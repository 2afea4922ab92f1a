package explore

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/hw"
	"starloom/internal/explore"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// without explores a scenario with a column of the future left out, and compares the futures of states with one key. It
// reports whether the search shows that the column matters, and how many states it finds.
func without(t *testing.T, scenario, faults, left string) (shown bool, states int) {
	t.Helper()
	s, err := starloom.ParseScenario("", []byte(scenario), starloom.Assignment{Key: "explore.faults", Value: faults})
	require.NoError(t, err)
	c, err := inside.Config(s)
	require.NoError(t, err)
	r, err := explore.Of(t.Context(), c, *s.Explore, explore.Options{Verify: true,
		Classes: func(name string, class hw.Class) hw.Class {
			if name == left {
				return hw.Statistic
			}
			return class
		}})
	if err != nil {
		return true, 0
	}
	return false, r.Counts.States
}

// deaf: processor 0 sends three frames, and processor 1 stops listening after the first that it hears. The third breaks
// it.
const deaf = `#include "starloom.h"
typedef struct { uint32_t slots; } state_t;
static void on_start(sl_nic *nic, state_t *s) {
    (void)s;
    if (sl_self(nic) == 1) sl_listen(nic, 0);
}
static void on_slot(sl_nic *nic, state_t *s) {
    for (const sl_frame *f; (f = sl_receive(nic));) {
        if (*(const uint32_t *)f->payload == 2) sl_fail(nic, 1);
        sl_listen(nic, SL_PORT_NONE);
    }
    if (sl_self(nic) == 0 && s->slots < 3) *(uint32_t *)sl_send(nic, 0, SL_KIND_DATA, 1, 4)->payload = s->slots;
    if (++s->slots == 6) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

// Each column of the future is left out in turn. Then two states with different futures have one key, or no two states
// differ in the column alone.
func TestLongEachFutureColumn(t *testing.T) {
	all := append(slices.Clone(scenarios), struct{ name, scenario, faults string }{"deaf",
		"starloom: 1\nfabric: {pops: {groups: 1, group_size: 2}}\nfirmware: {image: " + build(t, deaf) +
			"}\nstop: {slots: 10}\n", "{drop: 2}"})
	if !*systemtest.Full {
		all = all[len(all)-1:]
	}
	index := regexp.MustCompile(`\[\d+\]`)
	matters, varies := map[string]bool{}, map[string]string{}
	for _, x := range all {
		_, whole := without(t, x.scenario, x.faults, "")
		for name := range columnsOf(t, x.scenario, x.faults, hw.Future) {
			shown, states := without(t, x.scenario, x.faults, name)
			plain := index.ReplaceAllString(name, "")
			matters[plain] = matters[plain] || shown
			if !shown && states < whole {
				varies[plain] = x.name
			}
		}
	}
	assert.True(t, matters["machine.listen"])
	for name, scenario := range varies {
		assert.True(t, matters[name] || equivalent[name] != "",
			"%s tells states of %s apart, and their futures agree", name, scenario)
	}
}

// equivalent are columns that tell states apart whose futures agree, with the reason.
var equivalent = map[string]string{
	"machine.rx_status": "handlers have read it, and the next slot writes it before they are called again",
}
