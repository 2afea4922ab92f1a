package outcome

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// How late is late: what came is told apart from what never did, and no deadline is named that would not do.
func TestLatenessText(t *testing.T) {
	l := &Lateness{What: [2]string{"packet", "packets"}, Deadline: 20, Late: 1, Most: 21, Never: "never came"}
	require.Equal(t, "1 packet missed the deadline of 20 slots: all came late, the last after 21 slots, 1 late. The smallest deadline that all meet is 21.", l.Text())
	require.Equal(t, uint64(21), l.Meets())
	l.Late, l.Lost, l.Most = 5, 2, 30
	require.Equal(t, "5 packets missed the deadline of 20 slots: 3 came late, the last after 30 slots, 10 late; 2 never came. "+
		"The smallest deadline that those meet which came is 30.", l.Text())
	require.Zero(t, l.Meets(), "two are lost")
	l.Lost = 5
	require.Equal(t, "5 packets missed the deadline of 20 slots: 5 never came.", l.Text())
	l.List = []LatePacket{{"p", "m", 7}}
	require.Equal(t, 7, l.From(&Violation{Path: "p", Message: "m"}))
	require.Equal(t, -1, l.From(&Violation{Path: "p"}))
	require.Equal(t, -1, (*Lateness)(nil).From(&Violation{}))
	require.Zero(t, (*Lateness)(nil).Meets())
}
