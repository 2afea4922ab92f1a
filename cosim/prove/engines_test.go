//go:build linux

package prove

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFramesIn: bmc3 counts frames from 0, and says how many there were if it ends by itself; one that was
// ended within a frame, or a line, has said it of the earlier ones only.
func TestFramesIn(t *testing.T) {
	const lines = `   0 + : Var =      66. Cla =       215. Conf =      0. Learn =      0.    0 MB   8 MB     0.00 sec 
   1 + : Var =     129. Cla =       492. Conf =      4. Learn =      4.    0 MB   8 MB     0.00 sec 
`
	require.Equal(t, 2, framesIn(lines))
	require.Equal(t, 2, framesIn(lines+"   2 - : Var =     195. Cla =       788. Conf =     31. Learn =     31.\n"))
	require.Equal(t, 2, framesIn(lines+"   2 +"))
	require.Equal(t, 3, framesIn(lines+"No output asserted in 3 frames. Resource limit reached (timeout 1 sec). Time =     1.00 sec\n"))
	require.Zero(t, framesIn(""))
}
