package firmware

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/nic"
)

// TestStateOfTheShape: the size of a state may depend on the network, and states of neighbours do not overlap.
func TestStateOfTheShape(t *testing.T) {
	wasm, err := os.ReadFile(build(t, "testdata/shape_state.c"))
	require.NoError(t, err)
	image, err := newHost(t, "compiler").Load("shape", wasm)
	require.NoError(t, err)
	for _, n := range []uint32{1, 3, 1000} {
		c := config(3)
		c.Shape[0], c.First, c.RxFrames = n, 7, 1
		in, err := image.NewInstance(c)
		require.NoError(t, err)
		require.EqualValues(t, (4+4*n+7)/8*8, in.Bank().StateBytes())
		for range 2 {
			in.Start()
			for slot := range 2 * n {
				in.Slot(all(in), slot)
			}
			for cell := range uint64(3) {
				require.Equal(t, 2*(cell+8), in.Probes()[2*cell])
				require.Equal(t, 2*(cell+8), in.Probes()[2*cell+1])
			}
			in.Reset(7)
		}
	}
	c := config(2)
	c.Shape[0], c.Params[0] = 1, nic.StateBytesMax-8
	in, err := image.NewInstance(c)
	require.NoError(t, err)
	require.EqualValues(t, nic.StateBytesMax, in.Bank().StateBytes())
	in.Start()
	in.Slot(all(in), 0)
	require.Empty(t, in.TakeEvents())
	c.Params[0]++
	_, err = image.NewInstance(c)
	require.ErrorIs(t, err, nic.ErrLargeState)
	require.EqualError(t, err, "the firmware has a state of 1048577 bytes; at most 1048576 are allowed")
}

// TestUntouchedPages: creating and resetting an instance reads no untouched page: some operating systems would then
// allocate it.
func TestUntouchedPages(t *testing.T) {
	if pageTable() == nil {
		t.Skip("the operating system does not say which pages were touched")
	}
	if huge, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); bytes.Contains(huge, []byte("[always]")) {
		t.Skip("one touch makes a huge page")
	}
	in, err := bank(t, "large_data.c", 3)
	require.NoError(t, err)
	memory := in.Memory()
	mapped := func() (places []int) {
		for at := range touched(memory) {
			places = append(places, at)
		}
		return places
	}
	first := mapped()
	require.NotEmpty(t, first)
	require.Less(t, len(first)*len(zeros), len(memory)/2)
	last := len(memory) - len(zeros)
	require.NotContains(t, first, last)
	memory[len(memory)-1] = 1
	require.Equal(t, append(first, last), mapped())
	in.Reset(7)
	require.Zero(t, memory[len(memory)-1])
	require.Equal(t, append(first, last), mapped())
}
