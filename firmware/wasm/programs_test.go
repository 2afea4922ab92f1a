package wasm_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/nic"
)

// testBank is a bank of a program's network, as far as its shape goes: an Eisenstein-Jacobi
// network of 37 processors, or 16 of anything else.
func testBank(cells int, ej bool) nic.BankConfig {
	c := nic.BankConfig{
		Cells: cells, Processors: 16, Shape: [nic.ShapeWords]uint32{4, 4, 2, 2}, Ports: 4,
		Sizes: nic.Sizes{PayloadBytes: 64, RxFrames: 8, TxFrames: 8}, ROMWords: 64, MachineROM: 64,
		Discipline: nic.Discipline{ListWords: 8}, Seed: 5,
	}
	if ej {
		c.Processors, c.Shape, c.Ports, c.AllPorts = 37, [nic.ShapeWords]uint32{37, 1, 3, 0}, 6, true
	}
	return c
}

// fill gives a bank workload and tables.
func fill(bank *nic.Bank) {
	random := rand.New(rand.NewPCG(3, 9))
	for cell := range bank.Workload {
		bank.Workload[cell] = uint32(15 - cell)
	}
	for _, words := range [][]uint32{bank.ROM, bank.Machine} {
		for i := range words {
			words[i] = random.Uint32N(16)
		}
	}
}

// traffic puts frames into the RX FIFOs of a bank and empties the TX FIFOs: the same for every
// bank with the same number of cells.
func traffic(bank *nic.Bank, slot uint32, fill func(frame nic.FrameView, cell int)) {
	for cell := range bank.Cells {
		bank.Registers[cell].TxCount = 0
		if !bank.Silenced(cell) && (slot+uint32(cell))%3 != 0 {
			frame := nic.FrameView(make([]byte, nic.FrameStride(bank.PayloadBytes)))
			fill(frame, cell)
			bank.SetRx(cell, uint16((slot+uint32(cell))%4), bank.PushRx(cell, uint16((slot+uint32(cell))%4), frame))
		}
	}
}

// TestProgramsCost: what a handler costs is what a counter before every instruction says, for
// every program and call, banked, alone in its instance and in the interpreter.
func TestProgramsCost(t *testing.T) {
	const cells, slots = 4, 12
	unit, _ := wasm.Model("unit")
	meter := &wasm.Meter{Costs: unit, Limit: 1_000_000}
	load := func(runtime string, binary []byte, meter *wasm.Meter) *firmware.Image {
		host, err := firmware.NewHost(context.Background(), runtime)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, host.Close()) })
		image, err := host.LoadMetered("program", binary, meter)
		require.NoError(t, err)
		return image
	}
	calls, whole := 0, 0
	for _, program := range firmware.Programs() {
		binary, err := firmware.ProgramImage(program)
		require.NoError(t, err)
		instance := func(image *firmware.Image, first, n int) firmware.Instance {
			config := testBank(n, program[:3] == "ej/")
			config.First = first
			in, err := image.NewInstance(config)
			require.NoError(t, err, program)
			fill(in.Bank())
			for cell := range in.Bank().Workload {
				in.Bank().Workload[cell] = uint32(15 - first - cell)
			}
			return in
		}
		naive := instance(load("compiler", wasm.Naive(binary, nil), nil), 0, cells)
		banked := instance(load("compiler", binary, meter), 0, cells)
		interpreted := instance(load("interpreter", binary, meter), 0, cells)
		image := load("compiler", binary, meter)
		var isolated []firmware.Instance
		for cell := range cells {
			isolated = append(isolated, instance(image, cell, 1))
			if rom := banked.Bank().ROM; rom != nil {
				copy(isolated[cell].Bank().ROM, rom[cell*64:])
				copy(isolated[cell].Bank().Machine, banked.Bank().Machine)
			}
		}
		counter := func() uint64 {
			globals := naive.Globals()
			return globals[len(globals)-1]
		}
		list := []uint32{0, 1, 2, 3}
		check := func(slot uint32, want []uint32) {
			require.Equal(t, want, banked.Costs(), "%s, slot %d", program, slot)
			require.Equal(t, want, interpreted.Costs(), "%s in the interpreter, slot %d", program, slot)
			for cell, in := range isolated {
				require.Equal(t, want[cell:cell+1], in.Costs(), "%s alone, slot %d, cell %d", program, slot, cell)
			}
		}
		trapped := false // the tables are not those of a network: some programs do not bear it
		for slot := uint32(0); slot < slots && !trapped; slot++ {
			random := rand.New(rand.NewPCG(uint64(slot), 1))
			var payload [64]byte
			for i := 0; i < len(payload); i += 4 {
				payload[i] = byte(random.UintN(16)) // words
			}
			for _, in := range append([]firmware.Instance{banked, interpreted, naive}, isolated...) {
				if slot == 0 && !trapped {
					in.Start()
				}
				first := in.Bank().First
				traffic(in.Bank(), slot+uint32(first), func(frame nic.FrameView, cell int) {
					h := nic.Header{Kind: nic.KindData, PayloadBytes: 64, Source: uint32((cell + first + 1) % 16),
						Destination: uint32(cell + first)}
					frame.PutWire(nic.Frame(nic.Marshal(make([]byte, nic.FrameBytes(64)), h, payload[:])))
				})
				for cell := range list {
					trapped = trapped || in == banked && banked.Bank().Silenced(cell)
				}
				if trapped || in == naive {
					continue
				}
				cells := list[:in.Bank().Cells]
				in.Slot(cells, slot)
			}
			for cell := range list {
				trapped = trapped || banked.Bank().Silenced(cell)
			}
			if trapped {
				break
			}
			var want []uint32
			for cell := range list {
				before := counter()
				naive.Slot(list[cell:cell+1], slot)
				cost := uint32(min(counter()-before, math.MaxUint32))
				calls++
				want = append(want, cost)
			}
			check(slot, want)
		}
		if !trapped {
			whole++
		}
	}
	require.GreaterOrEqual(t, whole, 17)
	require.Greater(t, calls, 15*cells*slots)
}
