package nic

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// addressedBank is a bank of NICs whose frames go to the output of a processor; those with
// lists have all others as theirs.
func addressedBank(t *testing.T, listWords int) *Bank {
	c := BankConfig{
		Cells: 40, Processors: 40, Ports: 1, Discipline: Discipline{Addressed: true, Asks: true, ListWords: listWords},
		ROMWords: 39, Sizes: Sizes{PayloadBytes: 8, RxFrames: 2, TxFrames: 2},
	}
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
		{0, 0, 40, "sends to processor 40; processors are 0 to 39"},
		{0, 0, AnyDestination, "sends to processor 4294967295; processors are 0 to 39"},
		{0, PortAll, 3, "sends to all ports; this network delivers a frame to one processor"},
		{0, 1, 3, "sends to port 1; the NIC has only port 0, where the destination selects the processor"},
		{0, 0, ListedDestination, "sends to an addressee of its request list; this network has no request lists"},
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

// TestServedIsNotValidAnyMore: a served request becomes invalid, and no other bit changes.
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
	for _, asks := range []bool{false, true} {
		b := addressedBank(t, 0)
		b.Asks = asks
		for cell := range b.Registers {
			b.Registers[cell].Flags, b.Registers[cell].Wake = FlagSleeping, 9
		}
		b.Send(5, 0, KindData, 3, 8)
		b.Registers[7].RxCount = 1
		awake, _ := b.ListAwake(make([]uint32, 0, 40), 0, 40, 4)
		if asks {
			require.Equal(t, []uint32{7}, awake)
		} else {
			require.Equal(t, []uint32{5, 7}, awake)
		}
	}
}

// TestFiltersStartOpen: outputs accept every tag until their handlers select one.
func TestFiltersStartOpen(t *testing.T) {
	b := addressedBank(t, 0)
	require.EqualValues(t, TagAny, b.Accepts(3))
	b.AcceptTag = make([]uint16, 40)
	b.configure()
	require.EqualValues(t, TagAny, b.Accepts(3))
}

// TestAwakeOfAddressed compares the list of NICs that ask by themselves with the definition, slot
// by slot, over horizons and the wrap of wake. Only host accesses to a cell and the results of
// called handlers may change it.
func TestAwakeOfAddressed(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	c := BankConfig{Cells: 200, Processors: 200, Ports: 1, Discipline: Discipline{Addressed: true, Asks: true},
		Sizes: Sizes{PayloadBytes: 8, RxFrames: 2, TxFrames: 2}}
	memory, err := PlaceBank(64, c, 8, 1)
	require.NoError(t, err)
	b, err := AttachBank(memory, 64, c)
	require.NoError(t, err)
	b.Schedule = make([]uint64, c.Cells)
	for cell := range b.Registers {
		if random.IntN(2) == 0 {
			b.Registers[cell] = Registers{Wake: uint16(random.IntN(3000)), Flags: FlagSleeping | uint8(random.IntN(2))*FlagDone}
		}
	}
	frame, called, rested := make(FrameView, FrameStride(8)), 0, 0
	for slot := uint32(0); slot < 4000; slot++ {
		if slot == 3000 {
			slot = 1<<16 - 500
			b.Restored()
		}
		for range random.IntN(4) {
			switch cell := random.IntN(c.Cells); random.IntN(8) {
			case 0, 1, 2:
				b.PushRx(cell, 0, frame)
			case 3, 4:
				b.SetScheduleWord(cell, random.Uint64())
			case 5, 6:
				b.Wake(cell)
			case 7:
				if random.IntN(100) == 0 {
					b.Silence(cell)
				}
			}
		}
		cut := random.IntN(c.Cells + 1)
		for _, w := range [][2]int{{0, cut}, {cut, c.Cells}} {
			var want []uint32
			rest := 0
			for cell := w[0]; cell < w[1]; cell++ {
				r := &b.Registers[cell]
				sleeps := r.Flags&FlagSleeping != 0 && r.Wake != uint16(slot) && r.RxCount == 0
				switch {
				case !sleeps && r.Flags&FlagFaulty == 0:
					want = append(want, uint32(cell))
				case r.Flags&(FlagDone|FlagFaulty) != 0:
					rest++
				}
			}
			list, resting := b.ListAwake(nil, w[0], w[1], slot)
			require.Equal(t, want, list, "slot %d", slot)
			require.Equal(t, rest, resting, "slot %d", slot)
			called, rested = called+len(list), rested+resting
			for _, cell := range list { // their handlers
				r := &b.Registers[cell]
				r.RxCount, r.Flags = 0, r.Flags&^FlagSleeping
				switch random.IntN(10) {
				case 0:
				case 1, 2:
					b.Sleep(int(cell), slot+1+random.Uint32N(2000))
				default:
					b.Sleep(int(cell), slot+0xFFFF)
				}
				if random.IntN(50) == 0 {
					r.Flags |= FlagDone
				}
			}
		}
	}
	require.Positive(t, called)
	require.Positive(t, rested)
}
