package pops

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/nic"
)

func TestPOPSSizes(t *testing.T) {
	for _, c := range []struct {
		groups, groupSize int
		want              string
	}{
		{0, 1, "groups is 0"},
		{1, 0, "group_size is 0"},
		{GroupsMax + 1, 1, "groups is 65534"},
		{1, GroupSizeMax + 1, "group_size is 65534"},
		{46341, 1, "couplers, at most"},
		{40000, 60000, "processors, at most"},
	} {
		_, err := New(c.groups, c.groupSize)
		require.ErrorContains(t, err, c.want)
	}
	p, err := New(4096, 4096)
	require.NoError(t, err)
	require.Equal(t, 16777216, p.Processors())
	require.Equal(t, 16777216, p.Couplers())
}

// TestPOPSAddresses numbers everything by the definitions: processor i is number
// i mod d of group i div d, coupler (from,to) is one of those that leave from.
func TestPOPSAddresses(t *testing.T) {
	p, err := New(3, 5)
	require.NoError(t, err)
	for i := range p.Processors() {
		require.Equal(t, fmt.Sprintf("pops.group[%d].nic[%d]", i/5, i%5), p.Names().Processor(i))
		require.Equal(t, p.Names().Processor(i)+".port[2]", p.Names().Port(i, 2))
	}
	seen := map[int]bool{}
	for from := range 3 {
		for to := range 3 {
			c := p.Coupler(from, to)
			require.False(t, seen[c])
			seen[c] = true
			require.Equal(t, fmt.Sprintf("pops.group[%d].coupler[%d]", from, to), p.Names().Medium(c))
		}
	}
	require.Len(t, seen, p.Couplers())
}

// TestScheduleWordsFollowTheRegisterMap holds the planners' words to what firmware
// reads: send_port, listen_port, and the actions in the upper half.
func TestScheduleWordsFollowTheRegisterMap(t *testing.T) {
	values := map[string]uint64{}
	for _, c := range nic.RegisterConstants {
		values[c.Name] = uint64(c.Value)
	}
	for name, word := range map[string]uint64{
		"action_own": WordOwn, "action_final": WordFinal, "action_keep_min": WordKeepMin, "action_keep_max": WordKeepMax, "action_end": WordEnd,
	} {
		require.Equal(t, values[name]<<32, word, name)
	}
	require.EqualValues(t, values["port_none"], WordPortNone)
	for _, block := range nic.RegisterMap {
		if block.Name == "schedule" {
			require.Equal(t, []string{"send_port", "listen_port", "actions"}, []string{block.Registers[0].Name, block.Registers[1].Name, block.Registers[2].Name})
			require.Equal(t, []int{WordListenShift, 16, 32}, []int{block.Registers[0].Bits, block.Registers[1].Bits, block.Registers[2].Bits})
			return
		}
	}
	t.Fatal("the register map has no schedule")
}
