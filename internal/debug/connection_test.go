package debug

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPackets: a packet with a wrong checksum is asked for again; an interrupt counts between packets; without
// acknowledgements there are none.
func TestPackets(t *testing.T) {
	gdb, server := net.Pipe()
	x := newConnection(server)
	read := func(bytes int) string {
		answer := make([]byte, bytes)
		n, err := gdb.Read(answer)
		require.NoError(t, err)
		return string(answer[:n])
	}
	write := func(text string) {
		_, err := gdb.Write([]byte(text))
		require.NoError(t, err)
	}
	write("+$g#00")
	require.Equal(t, "-", read(9))
	write("$g#67")
	require.Equal(t, "+", read(9))
	require.Equal(t, "g", <-x.packets)
	write("\x03$QStartNoAckMode#b0")
	require.Equal(t, "+", read(1))
	require.Equal(t, "$OK#9a", read(9))
	write("$m0,4#00")
	require.Equal(t, "m0,4", <-x.packets)
	require.True(t, x.interrupted.Load())
	require.NoError(t, gdb.Close())
	_, open := <-x.packets
	require.False(t, open)
}

// TestParts: the description arrives in pieces of any size.
func TestParts(t *testing.T) {
	text := description()
	require.Contains(t, text, `<reg name="fp" bitsize="32" type="data_ptr" regnum="8"/>`)
	require.Equal(t, 33, strings.Count(text, "<reg "))
	require.Equal(t, "m"+text[:16], part(text, "0,10"))
	require.Equal(t, "l"+text[16:], part(text, "10,ffff"))
	require.Equal(t, "l", part(text, "fffff,10"))
	require.Equal(t, "E01", part(text, "x"))
}

// TestPoints: each request of a breakpoint is withdrawn by one; unknown kinds are refused.
func TestPoints(t *testing.T) {
	s := New([]int{3})
	for _, text := range []string{"0,80000000,2", "1,80000000,2", "2,20000000,4", "3,20000004,1"} {
		require.True(t, s.point(text, true), text)
	}
	require.Equal(t, map[uint32]int{0x80000000: 2}, s.breaks)
	require.Equal(t, []watch{{"watch", 0x20000000, 4}, {"rwatch", 0x20000004, 1}}, s.watches)
	require.True(t, s.point("0,80000000,2", false))
	require.True(t, s.point("3,20000004,1", false))
	require.Equal(t, 1, s.breaks[0x80000000])
	require.Len(t, s.watches, 1)
	for _, text := range []string{"5,0,4", "2", "2,zz,4"} {
		require.False(t, s.point(text, true), text)
	}
}

// TestActions: vCont steps the thread that it names.
func TestActions(t *testing.T) {
	s := New([]int{3, 7})
	s.number, s.thread = 3, 3
	for actions, want := range map[string]int{"c": -1, "s:8;c": 7, "s": 3, "c:4;s:8": 7, "s:63": 3, "": -1} {
		require.Equal(t, want, s.stepped(actions), actions)
	}
}

// FuzzAnswer: no command ends the session or the process.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{"qSupported", "Hg0", "Hc-1", "T4", "qXfer:features:read:target.xml:0,fff", "Z0,0,2", "z2,1", "Z",
		"H", "qThreadExtraInfo,5", "vCont?", "qfThreadInfo"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, machine := range []string{"g", "p", "m", "qRcmd", "qThreadExtraInfo"} {
			if strings.HasPrefix(text, machine) {
				return // needs a machine
			}
		}
		New([]int{3}).answer(text)
	})
}
