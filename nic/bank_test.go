package nic

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

const testDescriptor = 64

func testConfig() BankConfig {
	return BankConfig{
		First: 8, Cells: 4, Processors: 16, Shape: [ShapeWords]uint32{4, 4}, Ports: 4,
		Sizes: Sizes{PayloadBytes: 12, RxFrames: 2, TxFrames: 3}, Seed: 5,
	}
}

func testBank(t testing.TB) (*Bank, []byte) {
	memory, err := PlaceBank(testDescriptor, testConfig(), 20, 3)
	require.NoError(t, err)
	bank, err := AttachBank(memory, testDescriptor, testConfig())
	require.NoError(t, err)
	return bank, memory
}

// TestAttachBankRefuses changes one word of a good descriptor at a time.
func TestAttachBankRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		offset int
		value  uint32
		want   string
	}{
		"abi":            {offBankABI, 99, "abi is 99, want 3"},
		"cells":          {offBankCells, 5, "cells is 5, want 4"},
		"payload":        {offBankPayloadBytes, 13, "payload_bytes is 13"},
		"rx depth":       {offBankRxFrames, 1, "rx_frames is 1"},
		"tx depth":       {offBankTxFrames, 255, "tx_frames is 255"},
		"frame stride":   {offBankFrameStride, 8, "frame_stride is 8"},
		"odd state":      {offBankRx, 20, "a state of 20 bytes"},
		"huge state":     {offBankRx, 1 << 30, "a state of 1073741824 bytes"},
		"tx in rx":       {offBankTx, 24 + 24, "the TX FIFO after the RX FIFO, at 56"},
		"odd record":     {offBankRecordStride, 188, "a record of 188 bytes"},
		"short record":   {offBankRecordStride, 80, "at least 88"},
		"long record":    {offBankRecordStride, 1 << 20, "outside the memory"},
		"far plane":      {offBankRxMore, 1 << 30, "rx_more at 0x40000000"},
		"no plane":       {offBankTxMore, 0, "tx_more is not set; it is required"},
		"record outside": {offBankRecord, 1 << 30, "outside the memory"},
		"record at zero": {offBankRecord, 0, "record is not set; it is required"},
		"overlap":        {offBankRecord, testDescriptor, "overlaps descriptor"},
		"odd registers":  {offBankProcessor, 257, "not aligned"},
		"odd workload":   {offBankWorkload, 258, "not aligned"},
		"no workload":    {offBankWorkload, 0, "workload is not set; it is required"},
		"workload is rx": {offBankWorkload, 0xFFFFFFFC, "outside the memory"},
		"odd calls":      {offBankCalls, 258, "not aligned"},
		"odd table":      {offBankListen, 257, "not aligned"},
		"no table":       {offBankListenSlots, 0, "a listening table of 0 slots"},
		"huge table":     {offBankListenSlots, 65, "a listening table of 65 slots"},
		"odd schedule":   {offBankSchedule, 12, "not aligned"},
	} {
		t.Run(name, func(t *testing.T) {
			_, memory := testBank(t)
			binary.LittleEndian.PutUint32(memory[testDescriptor+c.offset:], c.value)
			_, err := AttachBank(memory, testDescriptor, testConfig())
			require.ErrorContains(t, err, c.want)
		})
	}
	_, memory := testBank(t)
	for _, address := range []uint32{0, 4, 65, uint32(len(memory)), 0xFFFFFFF8} {
		_, err := AttachBank(memory, address, testConfig())
		require.Error(t, err, "%#x", address)
	}
}

// FuzzAttachBank writes arbitrary bytes over a descriptor: it is rejected or usable, and never causes a panic, under
// any firmware.
func FuzzAttachBank(f *testing.F) {
	f.Add(uint16(0), []byte{1, 2, 3, 4}, uint8(7))
	f.Fuzz(func(t *testing.T, at uint16, data []byte, cell uint8) {
		_, memory := testBank(t)
		copy(memory[min(int(at), len(memory)):], data)
		bank, err := AttachBank(memory, testDescriptor, testConfig())
		if err != nil {
			return
		}
		copy(memory[min(int(at), len(memory)):], data)
		k := int(cell) % bank.Cells
		if bank.Registers[k].TxCount > 0 {
			if frame := bank.TxHead(k); bank.Legal(k, frame) {
				frame.AppendWire(nil)
				bank.PopTx(k)
			} else {
				require.NotEmpty(t, bank.Refusal(k, frame))
			}
		}
		bank.PushRx(k, 1, make(FrameView, FrameStride(bank.PayloadBytes)))
		bank.Current()
		bank.ListAwake(make([]uint32, 0, bank.Cells), 0, bank.Cells, 3)
		bank.Listen(3)
	})
}

// TestFIFOs sends and receives random frames through a cell's FIFOs and compares
// with plain queues; neighbours must not notice.
func TestFIFOs(t *testing.T) {
	bank, _ := testBank(t)
	random := rand.New(rand.NewPCG(1, 2))
	var tx, rx [][2]uint32
	for range 2000 {
		const cell = 2
		switch random.IntN(4) {
		case 0:
			a, b := random.Uint32(), random.Uint32()
			bank.SendPacket(cell, 1, AnyDestination, a, b)
			if len(tx) < bank.TxFrames {
				tx = append(tx, [2]uint32{a, b})
			} else {
				require.NotZero(t, bank.Registers[cell].Flags&FlagTxOverflow)
			}
		case 1:
			if len(tx) > 0 {
				frame := bank.TxHead(cell)
				require.True(t, bank.Legal(cell, frame))
				require.Equal(t, tx[0][0], binary.LittleEndian.Uint32(frame.Payload()))
				bank.PopTx(cell)
				tx = tx[1:]
			}
		case 2:
			view := make(FrameView, FrameStride(bank.PayloadBytes))
			a := random.Uint32()
			view.PutWire(Marshal(make([]byte, 64), Header{Source: a}, binary.LittleEndian.AppendUint32(nil, a)))
			status := bank.PushRx(cell, 3, view)
			if len(rx) < bank.RxFrames {
				require.Equal(t, StatusOK, status)
				rx = append(rx, [2]uint32{a})
			} else {
				require.Equal(t, StatusOverflow, status)
			}
		case 3:
			if len(rx) > 0 {
				frame := bank.RxHead(cell)
				require.Equal(t, rx[0][0], frame.Source())
				require.EqualValues(t, 3, frame.Port())
				bank.PopRx(cell)
				rx = rx[1:]
			}
		}
		require.EqualValues(t, len(tx), bank.Registers[cell].TxCount)
		require.EqualValues(t, len(rx), bank.Registers[cell].RxCount)
		for _, other := range []int{0, 1, 3} {
			require.Zero(t, bank.Registers[other])
		}
	}
}

// TestCopyToHidesOldBytes checks that nothing but the frame reaches the fabric.
func TestCopyToHidesOldBytes(t *testing.T) {
	dirty := make(FrameView, FrameStride(12))
	for i := range dirty {
		dirty[i] = 0xEE
	}
	dirty.PutWire(Marshal(make([]byte, 64), Header{Kind: KindData}, []byte{1, 2, 3, 4, 5}))
	for i := sizeFrame + 5; i < len(dirty); i++ {
		dirty[i] = 0xEE
	}
	clean := make([]byte, len(dirty))
	dirty.CopyTo(clean)
	require.Equal(t, []byte{1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, clean[sizeFrame:])
}

// TestWordsAreRegisters compares the shifts of the scanning loops with the layout of the struct.
func TestWordsAreRegisters(t *testing.T) {
	bank, _ := testBank(t)
	bank.Registers[1] = Registers{Wake: 0x1234, RxCount: 0x78, TxCount: 0x9A, Held: 0xBC, Flags: 0xDE}
	w := bank.Words[1]
	require.EqualValues(t, 0x1234, uint16(w>>WordWakeShift))
	require.EqualValues(t, 0x78, uint8(w>>WordRxCountShift))
	require.EqualValues(t, 0x9A, uint8(w>>WordTxCountShift))
	require.EqualValues(t, 0xBC, uint8(w>>WordHeldShift))
	require.EqualValues(t, 0xDE, uint8(w>>WordFlagsShift))
}

// TestListAwake compares the branch-free list with its definition, on random
// registers.
func TestListAwake(t *testing.T) {
	bank, _ := testBank(t)
	random := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		slot := random.Uint32N(3) + 0x1FFFF
		first := random.IntN(bank.Cells)
		end := first + random.IntN(bank.Cells-first+1)
		want, rest := []uint32{99}, 0
		for cell := range bank.Registers {
			r := Registers{Wake: uint16(slot + random.Uint32N(2)), Flags: uint8(random.Uint32()) & 0x1F,
				Held: uint8(random.Uint32())}
			if random.IntN(3) == 0 {
				r.RxCount = uint8(random.IntN(3))
				r.TxCount = uint8(random.IntN(3)) << 6
			}
			bank.Registers[cell] = r
			if cell < first || cell >= end {
				continue
			}
			sleeps := r.Flags&FlagSleeping != 0 && r.Wake != uint16(slot) && r.RxCount == 0 && r.TxCount == 0
			switch {
			case !sleeps && r.Flags&FlagFaulty == 0:
				want = append(want, uint32(cell))
			case r.Flags&(FlagDone|FlagFaulty) != 0:
				rest++
			}
		}
		list, resting := bank.ListAwake(append(make([]uint32, 0, 99), 99), first, end, slot)
		require.Equal(t, want, list)
		require.Equal(t, rest, resting)
	}
}

// TestSmallFrames compares the word view of a frame with the byte view.
func TestSmallFrames(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		view := make(FrameView, FrameStride(8))
		for i := range view {
			view[i] = uint8(random.Uint32())
		}
		view[offFrameKind] &= 3
		binary.LittleEndian.PutUint16(view[offFramePayloadBytes:], uint16([]int{0, 8, 8, 5, 9}[random.IntN(5)]))
		binary.LittleEndian.PutUint16(view[offFramePort:], uint16(random.IntN(6)))
		words := make([]uint64, 3)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 24), view)
		small := SmallAt(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 24), 0)
		n := view.PayloadBytes()
		plain := view.Kind() < KindCount && (n == 0 || n == 8) && view.Port() < 4
		require.Equal(t, plain, small.Plain(4))
		if !plain {
			continue
		}
		require.EqualValues(t, view.Port(), small.Port())
		require.Equal(t, view.Destination(), small.Destination())
		require.Equal(t, view.Kind() == KindData && n == 8, small.IsPacket())
		sent := small.From(77)
		view.SetSource(77)
		clean := make(FrameView, len(view))
		view.CopyTo(clean)
		heard := sent.On(3)
		copyFrame(clean, append(FrameView(nil), clean...), 3)
		a, b := clean.Words()
		require.Equal(t, []uint64{a, b, binary.LittleEndian.Uint64(clean[16:])},
			[]uint64{heard.Head, heard.Route, heard.Packet})
		require.EqualValues(t, 77, heard.Source())
	}
}
