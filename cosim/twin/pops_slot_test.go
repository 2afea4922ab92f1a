package twin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "starloom/cosim/twin"
	"starloom/fabric/pops"
	"starloom/nic"
)

// all returns the twins of all components and fabrics.
func all() []Twin { return append(All(), pops.Twin()) }

func TestPopsSlotRefusesParameters(t *testing.T) {
	requireRefused(t, pops.Twin(), map[string][]int{
		"D": {0, 65}, "G": {0, 65}, "FRAME_BYTES_MAX": {15, 1041}, "COMPUTE_CYCLES": {-1, 65536},
		"PROPAGATION_CYCLES": {-1, 4097}, "GUARD_CYCLES": {-1, 0, 4097},
	})
}

// TestPopsSlotStimulusReaches counts what each of the four receivers of a POPS(2,2) received.
func TestPopsSlotStimulusReaches(t *testing.T) {
	v := map[string]map[uint64]int{"status_o": {}}
	seen(t, "pops_slot", 0, 100_000, v)
	statuses := map[uint64]int{}
	for packed, count := range v["status_o"] {
		for ; packed != 0; packed >>= 3 {
			statuses[packed&7] += count
		}
	}
	for _, status := range []nic.Status{nic.StatusOK, nic.StatusCollision, nic.StatusCRC} {
		require.Greater(t, statuses[uint64(status)], 100, "status %d", status)
	}
}
