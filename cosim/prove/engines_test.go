//go:build linux

package prove

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFramesIn checks the number of frames: bmc3 counts from 0 and prints the total if it ends by itself. If it was
// stopped within a frame or a line, it has printed earlier frames only.
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
