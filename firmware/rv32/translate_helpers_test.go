package rv32

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm"
	format "starloom/firmware/wasm/binary"
)

// machine is the copy of a translated program that the host would run, with one processor.
type machine struct {
	t       *testing.T
	module  api.Module
	counter api.MutableGlobal
	record  uint32
	ram     int
	slot    uint64
}

var errTrapped = errors.New("trapped")

// newMachine translates, meters and instantiates a program.
func newMachine(t *testing.T, tr *translator) *machine {
	image, err := newImage(tr)
	require.NoError(t, err)
	copied, err := wasm.RewriteMetered(image, wasm.Meter{Limit: 4_000_000_000})
	require.NoError(t, err)
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	t.Cleanup(func() { require.NoError(t, runtime.Close(ctx)) })
	m, err := format.Parse(image, false)
	require.NoError(t, err)
	builder := runtime.NewHostModuleBuilder("starloom")
	for k, name := range m.ImportNames {
		params := []api.ValueType(m.Types[m.Imported[k]].Params)
		builder.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(context.Context, []uint64) { panic(errTrapped) }), params,
			nil).Export(name[len("starloom."):])
	}
	_, err = builder.Instantiate(ctx)
	require.NoError(t, err)
	_, err = runtime.NewHostModuleBuilder(wasm.TickModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, _ []uint64) {
			m.ExportedGlobal(wasm.TurnsName).(api.MutableGlobal).Set(wasm.TickTurns)
		}), nil, nil).Export(wasm.TickName).Instantiate(ctx)
	require.NoError(t, err)
	x := &machine{t: t, ram: len(tr.RAM.Bytes)}
	x.module, err = runtime.Instantiate(ctx, copied.Binary)
	require.NoError(t, err)
	x.counter = x.module.ExportedGlobal(wasm.CounterName).(api.MutableGlobal)
	bank, err := x.module.ExportedFunction("starloom_bank").Call(ctx)
	require.NoError(t, err)
	x.put(uint32(bank[0])+236, 1) // lanes
	_, err = x.module.ExportedFunction("starloom_attach").Call(ctx, 1, 16, 1, 1)
	require.NoError(t, err)
	x.record = x.word(uint32(bank[0]) + 12)
	return x
}

func (x *machine) word(at uint32) uint32 {
	value, ok := x.module.Memory().ReadUint32Le(at)
	require.True(x.t, ok)
	return value
}

func (x *machine) put(at, value uint32) {
	require.True(x.t, x.module.Memory().WriteUint32Le(at, value))
}

// turn runs the processor until it waits, or an instruction of a stepping translation, and returns the cost. The first
// turn is that of the start.
func (x *machine) turn() (uint64, error) {
	x.counter.Set(0)
	x.put(x.calls(), 0)
	arguments, name := []uint64{1, 0, uint64(x.calls())}, "starloom_start"
	if x.slot > 0 {
		name, arguments[1] = "starloom_slot", x.slot-1
	}
	x.slot++
	_, err := x.module.ExportedFunction(wasm.EachName+name).Call(context.Background(), arguments...)
	return x.counter.Get(), err
}

func (x *machine) calls() uint32 {
	bank, err := x.module.ExportedFunction("starloom_bank").Call(context.Background())
	require.NoError(x.t, err)
	return x.word(uint32(bank[0]) + 176)
}

func (x *machine) registers() (registers [32]uint32) {
	for n := range registers {
		registers[n] = x.word(x.record + 4*uint32(n))
	}
	return registers
}

func (x *machine) setRegister(n int, value uint32) { x.put(x.record+4*uint32(n), value) }

func (x *machine) pc() uint32 { return x.word(x.record + statePC) }

func (x *machine) stack() uint32 { return x.word(x.record + stateStack) }

func (x *machine) memory() []byte {
	memory, ok := x.module.Memory().Read(x.record+stateBytes, uint32(x.ram))
	require.True(x.t, ok)
	return memory
}

// noWindow refuses all accesses.
type noWindow struct{}

func (noWindow) Load(address, bytes uint32) (uint32, error) { return 0, errTrapped }
func (noWindow) Store(address, bytes, value uint32) error   { return errTrapped }
func (noWindow) Deep() error                                { return errTrapped }

func littleEndian(words ...uint32) (bytes []byte) {
	for _, w := range words {
		bytes = binary.LittleEndian.AppendUint32(bytes, w)
	}
	return bytes
}
