package firmware

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWatchedKeepsWhatHarms checks that calls are counted, not bytes or pieces; that a write into the bank is kept
// among any number of writes outside; and that dropped writes are reported.
func TestWatchedKeepsWhatHarms(t *testing.T) {
	w := &Watched{kinds: map[WriteKind]int{}}
	foreign := WriteKind{Column: "record", Neighbour: true}
	for w.call = range 3 {
		for k := range outsideMax + w.call/2 {
			w.note(&Write{WriteKind: WriteKind{Variable: fmt.Sprint(k)}})
		}
		if w.call < 2 {
			require.False(t, w.cut)
		}
		w.note(&Write{WriteKind: foreign, Cell: w.call})
		w.note(&Write{WriteKind: foreign, Cell: w.call})
		w.note(&Write{WriteKind: WriteKind{Grows: true}})
	}
	writes, cut := w.TakeWrites()
	require.True(t, cut)
	require.Len(t, writes, outsideMax+2)
	for _, write := range writes {
		require.Equal(t, 3, write.Calls)
		require.Zero(t, write.Cell, "the first")
	}
	writes, cut = w.TakeWrites()
	require.Empty(t, writes)
	require.False(t, cut)
	require.NotNil(t, w.note(&Write{WriteKind: foreign}), "as before the first")
}
