package pops

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
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
		{46341, 1, "couplers; at most"},
		{40000, 60000, "processors; at most"},
	} {
		_, err := New(c.groups, c.groupSize)
		require.ErrorContains(t, err, c.want)
	}
	p, err := New(4096, 4096)
	require.NoError(t, err)
	require.Equal(t, 16777216, p.Processors())
	require.Equal(t, 16777216, p.Couplers())
}

// TestPOPSAddresses checks the numbering against the definitions: processor i has index i mod d in
// group i div d, and coupler (from,to) belongs to the senders of group from.
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

// TestScheduleWordsAreTheHeaders checks that the planners' words have the layout that firmware
// reads: send_port and listen_port in the lower half, actions in the upper half.
func TestScheduleWordsAreTheHeaders(t *testing.T) {
	header, err := os.ReadFile("../../firmware/sdk/starloom_pops.h")
	require.NoError(t, err)
	values := map[string]uint64{}
	for _, m := range regexp.MustCompile(`(?m)^#define SL_ACTION_(\w+) 0x([0-9a-f]+)u`).FindAllStringSubmatch(string(header), -1) {
		values[m[1]], err = strconv.ParseUint(m[2], 16, 32)
		require.NoError(t, err)
	}
	require.Equal(t, map[string]uint64{
		"OWN": WordOwn >> 32, "FINAL": WordFinal >> 32, "KEEP_MIN": WordKeepMin >> 32, "KEEP_MAX": WordKeepMax >> 32, "END": WordEnd >> 32,
	}, values)
	require.EqualValues(t, nic.PortNone, WordPortNone)
	require.Contains(t, string(header), "{(uint16_t)word, (uint16_t)(word >> 16), (uint32_t)(word >> 32)}")
	require.Equal(t, []int{0, 16}, []int{WordSendShift, WordListenShift})
}
