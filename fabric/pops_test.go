package fabric

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
		_, err := NewPOPS(c.groups, c.groupSize)
		require.ErrorContains(t, err, c.want)
	}
	p, err := NewPOPS(4096, 4096)
	require.NoError(t, err)
	require.Equal(t, 16777216, p.Processors())
	require.Equal(t, 16777216, p.Couplers())
}

// TestPOPSAddresses numbers everything by the definitions: processor i is number
// i mod d of group i div d, coupler (from,to) is one of those that leave from.
func TestPOPSAddresses(t *testing.T) {
	p, err := NewPOPS(3, 5)
	require.NoError(t, err)
	for i := range p.Processors() {
		require.Equal(t, fmt.Sprintf("pops.group[%d].nic[%d]", i/5, i%5), p.ProcessorPath(i))
		require.Equal(t, p.ProcessorPath(i)+".port[2]", p.PortPath(i, 2))
	}
	seen := map[int]bool{}
	for from := range 3 {
		for to := range 3 {
			c := p.Coupler(from, to)
			require.False(t, seen[c])
			seen[c] = true
			require.Equal(t, fmt.Sprintf("pops.group[%d].coupler[%d]", from, to), p.CouplerPath(c))
		}
	}
	require.Len(t, seen, p.Couplers())
}

func TestPermutations(t *testing.T) {
	for _, n := range []int{1, 2, 3, 100} {
		for _, p := range [][]uint32{Identity(n), Reverse(n)} {
			require.NoError(t, CheckPermutation(p, n))
		}
		p := make([]uint32, n)
		for seed := range uint64(50) {
			Random(p, seed)
			require.NoError(t, CheckPermutation(p, n))
		}
	}
	require.ErrorContains(t, CheckPermutation([]uint32{0}, 2), "1 destinations for 2 processors")
	require.ErrorContains(t, CheckPermutation([]uint32{0, 2}, 2), "destination 2 of processor 1")
	require.ErrorContains(t, CheckPermutation([]uint32{1, 1}, 2), "used twice")
}

// TestRandomIsUniform counts all 24 permutations of four: chi-square with 23
// degrees of freedom stays below 49.7 (0.1 %) for a fair source.
func TestRandomIsUniform(t *testing.T) {
	const runs = 24000
	counts := map[[4]uint32]int{}
	p := make([]uint32, 4)
	for seed := range uint64(runs) {
		Random(p, seed)
		counts[[4]uint32(p)]++
	}
	require.Len(t, counts, 24)
	chi := 0.0
	for _, count := range counts {
		d := float64(count) - runs/24
		chi += d * d / (runs / 24)
	}
	require.Less(t, chi, 49.7)
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
