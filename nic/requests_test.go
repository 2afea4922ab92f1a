package nic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// addressedBank is a bank of NICs whose frames go to the output of a processor; those with
// lists have all others as theirs.
func addressedBank(t *testing.T, listWords int) *Bank {
	c := BankConfig{Cells: 40, Processors: 40, Ports: 1, Addressed: true, ListWords: listWords, ROMWords: 39, PayloadBytes: 8, RxFrames: 2, TxFrames: 2}
	memory, err := PlaceBank(64, c, 8, 1)
	require.NoError(t, err)
	b, err := AttachBank(memory, 64, c)
	require.NoError(t, err)
	if listWords > 0 { // native programs take no lists
		b.ROM, b.Choice, b.Valid = make([]uint32, 40*39), make([]uint32, 40), make([]uint64, 40*b.ValidWords())
		for cell := range 40 {
			for k := range 39 {
				b.ROM[cell*39+k] = uint32((cell + 1 + k) % 40)
			}
		}
	}
	return b
}

func TestAddresseesAreProcessors(t *testing.T) {
	for _, c := range []struct {
		lists       int
		port        uint16
		destination uint32
		says        string
	}{
		{0, 0, 0, ""},
		{0, 0, 39, ""},
		{0, 0, 40, "sends to processor 40; there are 0 to 39"},
		{0, 0, AnyDestination, "sends to processor 4294967295; there are 0 to 39"},
		{0, PortAll, 3, "sends to all ports; this network takes a frame to one processor"},
		{0, 1, 3, "sends to port 1; the NIC has ports 0 to 0, 0xfffe is all"},
		{0, 0, ListedDestination, "sends to whom its request list says; this network has no request lists"},
		{39, 0, ListedDestination, ""},
		{39, 0, 7, ""},
	} {
		b := addressedBank(t, c.lists)
		b.Send(5, c.port, KindData, c.destination, 8)
		frame := b.TxHead(5)
		require.Equal(t, c.says == "", b.Legal(5, frame), c)
		if c.says != "" {
			require.Equal(t, c.says, b.Refusal(5, frame))
		}
	}
	b := addressedBank(t, 39)
	b.Choice = nil
	b.Send(5, 0, KindData, ListedDestination, 8)
	require.False(t, b.Legal(5, b.TxHead(5)))
	require.Contains(t, b.Refusal(5, b.TxHead(5)), "STARLOOM_REQUESTS is not defined")
}

// TestServedIsNotValidAnyMore: the frame says who it was, and no other bit changes.
func TestServedIsNotValidAnyMore(t *testing.T) {
	b := addressedBank(t, 39)
	list, valid, first := b.Requests(5)
	require.Len(t, list, 39)
	require.Len(t, valid, 1)
	require.Zero(t, first)
	valid[0] = 1<<39 - 1
	b.Choice[5] = 38
	b.Send(5, 0, KindData, ListedDestination, 8)
	b.SentListed(5, 33)
	require.EqualValues(t, (5+1+33)%40, b.TxHead(5).Destination())
	_, valid, first = b.Requests(5)
	require.Equal(t, []uint64{1<<39 - 1 - 1<<33}, valid)
	require.EqualValues(t, 38, first)
	_, valid, _ = b.Requests(6)
	require.Equal(t, []uint64{0}, valid)
}

// TestAskingNICsMaySleep: a frame that waits does not wake the handler where NICs ask by
// themselves, and a frame that was received does.
func TestAskingNICsMaySleep(t *testing.T) {
	for _, addressed := range []bool{false, true} {
		b := addressedBank(t, 0)
		b.Addressed = addressed
		for cell := range b.Registers {
			b.Registers[cell].Flags, b.Registers[cell].Wake = FlagSleeping, 9
		}
		b.Send(5, 0, KindData, 3, 8)
		b.Registers[7].RxCount = 1
		awake, _ := b.ListAwake(make([]uint32, 0, 40), 0, 40, 4)
		if addressed {
			require.Equal(t, []uint32{7}, awake)
		} else {
			require.Equal(t, []uint32{5, 7}, awake)
		}
	}
}

// TestFiltersStartOpen: outputs take any tag until their handlers say one.
func TestFiltersStartOpen(t *testing.T) {
	b := addressedBank(t, 0)
	require.EqualValues(t, TagAny, b.Accepts(3))
	b.AcceptTag = make([]uint16, 40)
	b.configure()
	require.EqualValues(t, TagAny, b.Accepts(3))
}
