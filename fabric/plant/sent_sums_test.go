package plant

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/nic"
	"starloom/traces"
)

// TestSentSums requires that a frame matches only in its slot and with all its bytes, and that a changed frame
// changes the digest.
func TestSentSums(t *testing.T) {
	s := newSentSums(4, 1)
	frame := func(source uint32, payload string) nic.Frame {
		return nic.Marshal(make([]byte, 64), nic.Header{Source: source}, []byte(payload))
	}
	s.begin(6, 0, 4)
	s.send(6, 1, frame(1, "packet"))
	s.begin(7, 0, 4)
	s.send(7, 1, frame(1, "other"))
	require.True(t, s.same(6, frame(1, "packet")))
	require.True(t, s.same(7, frame(1, "other")))
	require.False(t, s.same(7, frame(1, "packet")), "of the slot before")
	require.False(t, s.same(6, frame(1, "packed")))
	require.False(t, s.same(6, frame(2, "packet")), "no frame sent")
	require.False(t, s.same(6, frame(4, "packet")), "no such sender")
	s.begin(8, 0, 4)
	require.False(t, s.same(8, frame(1, "packet")), "two slots old")

	l := fabric.Ledger{}
	l.NoteAltered(1, 0, frame(1, "packed"))
	require.NotEqual(t, traces.Sum{}, l.Sum)
}
