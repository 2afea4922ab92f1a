package emulator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/outcome"
)

// TestFolded joins equal successive elements, and no others.
func TestFolded(t *testing.T) {
	var list []outcome.VariableHistory
	for _, text := range strings.Fields("sent=0 queue[0].at=0 queue[0].to=7 queue[1].at=0 queue[1].to=7 queue[2].at=0 " +
		"queue[2].to=8 grid[0][1]=0 grid[0][2]=0 grid[1][1]=0 queue[4].at=0 queue[3].other=0") {
		name, value, _ := strings.Cut(text, "=")
		list = append(list, outcome.VariableHistory{Name: name, Value: value})
	}
	var names []string
	for _, h := range folded(list) {
		names = append(names, h.Name+"="+h.Value)
	}
	require.Equal(t, []string{"sent=0", "queue[0..2].at=0", "queue[0..1].to=7", "queue[2].to=8", "grid[0][1..2]=0",
		"grid[1][1]=0", "queue[4].at=0", "queue[3].other=0"}, names)
}

// TestQuietCalls joins three and more calls without a line of their own.
func TestQuietCalls(t *testing.T) {
	var out strings.Builder
	q := quietCalls{out: &out}
	say := func(slot uint32, what, changes string) {
		c := ReplayCall{slot: slot}
		require.NoError(t, q.write(&c, c.when()+":"+what, changes))
	}
	require.NoError(t, q.write(&ReplayCall{Handler: callStart}, "start:", ""))
	for slot := range uint32(3) {
		say(slot, "", "")
	}
	say(3, " received", "sent 0 -> 1")
	say(4, "", "")
	say(5, "", "")
	say(8, "", "") // it slept
	say(9, "", "")
	say(10, "", "")
	say(11, "", "sent 1 -> 2")
	say(12, "", "")
	require.NoError(t, q.end())
	require.Equal(t, `start:
slots 0 to 2: no inputs, actions or changes
slot 3: received
slot 3 state: sent 0 -> 1
slot 4:
slot 5:
slots 8 to 10: no inputs, actions or changes
slot 11:
slot 11 state: sent 1 -> 2
slot 12:
`, out.String())
}
