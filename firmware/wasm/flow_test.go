package wasm

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Handlers without sl_slot, sl_sleep and sl_random do not read the number of the slot.
func TestReadsSlot(t *testing.T) {
	for program, want := range map[string]bool{
		"bus/stop-and-wait": false, "netlist/request-reply": false,
		"netlist/reliable": true, "scatter/sync": true, "bus/sensors": true, "pops/random": true,
	} {
		image, err := os.ReadFile(filepath.Join("..", "images", program+".wasm"))
		require.NoError(t, err)
		reads, err := ReadsSlot(image)
		require.NoError(t, err)
		assert.Equal(t, want, reads, program)
	}
	_, err := ReadsSlot([]byte("no module"))
	assert.Error(t, err)
}

// Sleeps of SL_LONG are long, and sl_slot and sl_random are other uses.
func TestSlotOnlyWakes(t *testing.T) {
	for program, want := range map[string]bool{
		"bus/stop-and-wait": true, "netlist/request-reply": true,
		"netlist/direct": false, "scatter/sync": false, "pops/random": false, "pops/sort": false,
	} {
		image, err := os.ReadFile(filepath.Join("..", "images", program+".wasm"))
		require.NoError(t, err)
		wakes, err := SlotOnlyWakes(image)
		require.NoError(t, err)
		assert.Equal(t, want, wakes, program)
	}
	_, err := SlotOnlyWakes([]byte("no module"))
	assert.Error(t, err)
}
