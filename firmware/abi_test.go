package firmware

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLimits: the help has every row of the table. Package wasm holds the limits of code.
func TestLimits(t *testing.T) {
	lines := Limits()
	require.Len(t, lines, 17)
	require.Equal(t, []string{
		fmt.Sprintf("file: %d MiB", ImageBytesMax>>20),
		"code: 8 MiB",
		fmt.Sprintf("own data (static variables and tables, without the stack): %d MiB", ownBytesMax>>20),
	}, lines[:3])
	require.Equal(t, "br and br_if of a function: 8,192", lines[9])
	for _, line := range lines {
		require.Regexp(t, `^[a-z_, ()]+: [0-9][^:|]*$`, line)
	}
}
