package referees

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
)

// TestAnnouncedInUnit: with ArriveInUnit only frames tell a sender of an arrival, not announcements, not even of its
// own packet. (Otherwise acknowledgements pending between two boundaries would have to be saved.)
func TestAnnouncedInUnit(t *testing.T) {
	p := NewPackets(4)
	p.ArriveInUnit(2, 2)
	require.NoError(t,
		p.Load(&fabric.Load{Workload: &fabric.Workload{Permutation: fabric.Permutation{Kind: fabric.PermutationIdentity}}}))
	l := &fabric.Ledger{Referee: p, Checks: fabric.Checks{ExactlyOnce: true}}
	acknowledged := func() (origins []int) {
		p.Acknowledge(func(processor int) { origins = append(origins, processor) })
		return origins
	}
	p.Announce(l, 1, 1, 0)
	require.Empty(t, acknowledged())
	require.Zero(t, p.Arrived[1])
	p.Arrive(l, 0, []fabric.Arrival{{Processor: 0, Origin: 1}, {Processor: 3, Origin: 1}})
	require.Equal(t, []int{1}, acknowledged(), "processor 0 is of the unit of the destination, 3 is not")
	require.EqualValues(t, 1, p.Arrived[1])
	require.Empty(t, acknowledged())
}
