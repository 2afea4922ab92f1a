package runs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSetOnACommand checks that a key has one value on a command, independent of earlier values.
func TestSetOnACommand(t *testing.T) {
	const run = "starloom run s.yaml"
	for command, want := range map[string]string{
		run:                               run,
		run + ` --set faults={} --seed 3`: run + " --seed 3",
		run + ` --set 'faults={random: {kind: drop, rate: 0.1}}' --seed 3`: run + " --seed 3",
		run + ` --set faults.random.rate=0.1`:                              run,
		run + ` --set 'faults.schedule[0]={kind: drop}' --slots 3`:         run + " --slots 3",
		run + ` --set faultsome=1 --set 'name=it'\''s a --set faults={}'`:  run + ` --set faultsome=1 --set 'name=it'\''s a --set faults={}'`,
	} {
		require.Equal(t, want+" --set 'faults={}'", set(command, "faults", "{}"))
	}
}
