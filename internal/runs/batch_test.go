package runs

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/pops"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/emulator"
)

// TestBatchOnFewMachines holds that no one builds machines that have nothing to run,
// and that large ones get all workers.
func TestBatchOnFewMachines(t *testing.T) {
	for _, c := range []struct {
		groups, size   int
		asked          int
		runs           uint64
		machines, each int
	}{
		{2, 2, 64, 24, 1, 1},
		{2, 2, 64, chunkRuns + 1, 2, 1},
		{4, 2, 3, 40320, 3, 1},
		{5, 2, 1<<16 - 1, 3628800, hw.WorkersMax, 1},
		{4, 4, 0, 1 << 40, runtime.GOMAXPROCS(0), 1},
		{16, 16, 8, 64, 2, 1}, // 32 runs of 256 processors are a chunk
		{64, 64, 8, 5, 3, 1},
		{128, 128, 8, 5, 1, 8},
		{512, 512, 8, 5, 1, 8},
	} {
		b := &Batch{
			Config:  &config.Config{Network: pops.Network{Groups: c.groups, GroupSize: c.size}},
			Options: emulator.Options{Workers: c.asked},
		}
		machines, each := b.workers(c.runs)
		require.Equal(t, []int{c.machines, c.each}, []int{machines, each}, "%+v", c)
	}
}
