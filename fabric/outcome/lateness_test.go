package outcome

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
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
	late := &Violation{Rule: fabric.RuleDeadline, Subject: Subject{Index: 3, Value: 7}}
	require.Equal(t, -1, l.From(late), "a frame, of which the report knows no sender")
	l.Packets = true
	require.Equal(t, 7, l.From(late))
	require.Equal(t, -1, (*Lateness)(nil).From(late))
	require.Equal(t, -1, l.From(&Violation{Rule: fabric.RuleCollisionFree, Subject: late.Subject}), "it is about a medium")
	require.Zero(t, (*Lateness)(nil).Meets())
}

// The latest packet: what its sender did before it crossed, as far as that is known.
func TestLatestPathText(t *testing.T) {
	p := &LatestPath{From: 9, To: 2}
	require.Equal(t, "The latest is that of processor 9 for processor 2", p.Text(), "it came by way of others")
	p.Known, p.First, p.Crossed, p.Idle, p.Others, p.Waited = true, 17, 26, 17, 7, 2
	require.Equal(t, "The latest is that of processor 9 for processor 2: it crossed in slot 26, the first being 0. In the 26 slots before, processor 9 "+
		"sent nothing in 17, sent frames to other processors in 7, and waited to send this one, as the output of its destination was taken, in 2; its first frame crossed in slot 17", p.Text())
	p.Idle, p.Others, p.Crossed = 0, 24, 26
	require.Contains(t, p.Text(), "processor 9 sent frames to other processors in 24 and waited to send this one")
	p.Did = []Did{{From: 0, To: 1},
		{From: 2, To: 24, What: DidHear, With: make([]int, 23)}, {From: 25, To: 25, What: DidWait, With: []int{2}},
		{From: 26, To: 26, What: DidSend, With: []int{2}}}
	require.Contains(t, p.Text(), "In the 26 slots before, processor 9 neither sent nor heard a frame in slots 0 and 1, heard frames in slots 2 to 24, "+
		"and waited to send this one, as the output of its destination was taken, in slot 25; its first")
	p.Did[2].With[0] = 3
	require.Contains(t, p.Text(), "and waited to send another one, as the output of its destination was taken, in slot 25")
}
