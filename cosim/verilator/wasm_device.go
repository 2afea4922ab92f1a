package verilator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"starloom/cosim"
)

// wasmDevice is an instance of a Circuit. Inputs and Outputs are views of its linear memory, which never moves.
type wasmDevice struct {
	circuit *Circuit
	limit   time.Duration
	clocks  uint64
	ctx     context.Context
	module  api.Module
	memory  *wasmMemory

	calls
	self  uint64
	stack [4]uint64
	views

	turns loopTurns // loop iterations of the current call
	seen
	err error
}

type calls struct{ settle, edge, step, play api.Function }

type views struct {
	inputs, outputs []uint64
	rows            []uint64
	cycles, played  *uint64
	printed         *glueLog
	text, log       []byte
	passing         [2]uint32 // address range excluded from snapshots
}

const wasmMemoryBytesMax = 1 << 30

var (
	errLate    = errors.New("a loop does not end in time")
	errEndless = errors.New("a loop does not end")
)

type loopTurns struct {
	cycle, rounds uint64 // rounds of 65,536 iterations
	since         time.Time
}

type deviceKey struct{}

// late is called from wasm after every 65,536 loop iterations of a cycle.
func late(ctx context.Context, _ api.Module, stack []uint64) {
	d := ctx.Value(deviceKey{}).(*wasmDevice)
	t := &d.turns
	if t.rounds == 0 || t.cycle != stack[0] {
		*t = loopTurns{cycle: stack[0], since: time.Now()}
	}
	t.rounds++
	switch {
	case t.rounds > hangTurns/glueTurns:
		panic(errEndless)
	case time.Since(t.since) > d.limit:
		panic(errLate)
	}
}

// Open opens a device of a circuit. It is two-valued, can save its state, and keeps the circuit's output as a Logger.
// $time counts edges.
//
// It returns a *Fault if the circuit ends the simulation before the first cycle.
func Open(c *Circuit, o cosim.Options) (cosim.Device, error) {
	r, err := c.runtime(o.Interpreter)
	if err != nil {
		return nil, err
	}
	memory, err := newWasmMemory()
	if err != nil {
		return nil, err
	}
	d := &wasmDevice{circuit: c, limit: o.Limit(), memory: memory, clocks: cosim.ClockMask(c.Ports)}
	d.ctx = context.WithValue(context.Background(), deviceKey{}, d)
	if err := d.open(r, o.Seed); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *wasmDevice) open(r *circuitRuntime, seed uint64) (err error) {
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").
		WithStdout(&d.kept).WithStderr(&d.kept).WithRandSource(zeros{}).
		WithFSConfig(wazero.NewFSConfig().WithFSMount(d.circuit.dataFiles(), "/"))
	ctx := experimental.WithMemoryAllocator(d.ctx, d.memory)
	if d.module, err = r.InstantiateModule(ctx, r.compiled, config); err != nil {
		return fmt.Errorf("%s: does not start: %s", d.circuit.Device, cosim.FirstLine([]byte(err.Error())))
	}
	self, err := d.module.ExportedFunction("sl_open").Call(d.ctx, seed, uint64(d.limit.Nanoseconds()))
	if err != nil {
		return d.ended(err)
	}
	d.self = self[0]
	if err := d.findParts(); err != nil {
		return err
	}
	d.settle, d.edge, d.step = d.module.ExportedFunction("sl_settle"), d.module.ExportedFunction("sl_edge"),
		d.module.ExportedFunction("sl_step")
	d.play = d.module.ExportedFunction(playExport)
	d.stack[0] = d.self
	if err := d.module.ExportedFunction("sl_start").CallWithStack(d.ctx, d.stack[:]); err != nil || d.stack[0] != 0 {
		return d.after(err)
	}
	return d.findPoints()
}

// zeros replaces the random source of WASI, because a circuit gets a seed.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func (d *wasmDevice) findParts() error {
	part := d.module.ExportedFunction("sl_part")
	var at [partCount]uint32
	for i := range at {
		address, err := part.Call(d.ctx, d.self, uint64(i))
		if err != nil {
			return d.ended(err)
		}
		at[i] = uint32(address[0])
	}
	in, out := cosim.Words(d.circuit.Ports)
	var cycles, log []uint64
	var ok [partCount]bool
	d.inputs, ok[0] = d.memory.words(at[partInputs], in)
	d.outputs, ok[1] = d.memory.words(at[partOutputs], out)
	cycles, ok[2] = d.memory.words(at[partCycles], 1)
	log, ok[3] = d.memory.words(at[partLog], int(unsafe.Sizeof(glueLog{}))/8)
	d.text, ok[4] = d.module.Memory().Read(at[partText], textBytes)
	d.log, ok[5] = d.module.Memory().Read(at[partLogText], logBytes)
	ok[6], ok[7] = true, true
	if at[partRows] != 0 {
		var played []uint64
		d.rows, ok[6] = d.memory.words(at[partRows], rowWords)
		if played, ok[7] = d.memory.words(at[partPlayed], 1); ok[7] {
			d.played = &played[0]
		}
		d.passing = [2]uint32{at[partRows], at[partLogText] + logBytes}
	}
	if slices.Contains(ok[:], false) {
		return &cosim.InputError{Place: d.circuit.Device, Reason: "the circuit's columns are not in its memory",
			Remedy: errNotBuilt.Remedy}
	}
	d.cycles, d.printed = &cycles[0], (*glueLog)(unsafe.Pointer(&log[0]))
	return nil
}

func (d *wasmDevice) Ports() []cosim.Port { return d.circuit.Ports }
func (d *wasmDevice) Inputs() []uint64    { return d.inputs }
func (d *wasmDevice) Outputs() []uint64   { return d.outputs }
func (d *wasmDevice) Unknown() []uint64   { return nil }
func (d *wasmDevice) Log() string         { return string(d.kept) }

func (d *wasmDevice) Settle() error {
	if d.err != nil {
		return d.err
	}
	d.turns.rounds = 0
	d.stack[0] = d.self
	if err := d.settle.CallWithStack(d.ctx, d.stack[:]); err != nil || d.stack[0] != 0 {
		return d.after(err)
	}
	return nil
}

func (d *wasmDevice) Edge(clocks uint64) error {
	if d.err != nil || clocks&^d.clocks != 0 {
		return refuseClocks(d.err, &d.circuit.Description, clocks)
	}
	d.turns.rounds = 0
	d.stack[0], d.stack[1] = d.self, clocks
	if err := d.edge.CallWithStack(d.ctx, d.stack[:]); err != nil || d.stack[0] != 0 {
		return d.after(err)
	}
	return nil
}

// Rows and Play implement cosim.Player.

func (d *wasmDevice) Rows() []uint64 { return d.rows }

func (d *wasmDevice) Play(clocks uint64, cycles int) (halves int, err error) {
	if d.err != nil || clocks&^d.clocks != 0 {
		return 0, refuseClocks(d.err, &d.circuit.Description, clocks)
	}
	for halves < 2*cycles {
		d.turns.rounds = 0
		d.stack = [4]uint64{d.self, clocks, uint64(halves), uint64(cycles)}
		trap := d.play.CallWithStack(d.ctx, d.stack[:])
		halves = int(*d.played)
		if trap != nil || d.stack[0] != 0 {
			if err := d.after(trap); err != nil {
				return halves, err
			}
		}
	}
	return halves, nil
}

func (d *wasmDevice) Step(clocks uint64, cycles int) error {
	if d.err != nil || clocks&^d.clocks != 0 {
		return refuseClocks(d.err, &d.circuit.Description, clocks)
	}
	for cycles > 0 {
		part := min(cycles, stepCyclesMax)
		d.turns.rounds = 0
		d.stack = [4]uint64{d.self, clocks, uint64(part)}
		if err := d.step.CallWithStack(d.ctx, d.stack[:]); err != nil || d.stack[0] != 0 {
			if err := d.after(err); err != nil {
				return err
			}
		}
		cycles -= part
	}
	return nil
}

// after collects the printed text and classifies the end of a call. After a trap, the reason is found only in the
// memory.
func (d *wasmDevice) after(trap error) error {
	takeLog(&d.kept, d.log, d.printed)
	kind, ended := endKinds[d.printed.end]
	switch {
	case errors.Is(trap, errEndless):
		d.err = hangFault(&d.circuit.Description, *d.cycles, 0)
	case errors.Is(trap, errLate):
		d.err = hangFault(&d.circuit.Description, *d.cycles, d.limit)
	case trap != nil && !ended:
		return d.ended(trap)
	case !ended:
		return nil
	default:
		d.err = fault(kind, &d.circuit.Description, *d.cycles, d.text)
	}
	return d.err
}

func (d *wasmDevice) ended(trap error) error {
	cycle := uint64(0)
	if d.cycles != nil {
		cycle = *d.cycles
	}
	d.err = &cosim.Fault{
		Kind:   cosim.FaultDied,
		Device: d.circuit.Device,
		Cycle:  cycle,
		Text:   cosim.FirstLine([]byte(trap.Error())),
		Tool:   "WebAssembly",
	}
	return d.err
}

// A snapshot consists of a hash of the circuit and the circuit's linear memory. The memory lacks the stack, the
// temporary data of a call and trailing zeros.
const snapshotHead = 16

func (d *wasmDevice) hash() [snapshotHead]byte {
	var head [snapshotHead]byte
	copy(head[:], d.circuit.Hash)
	return head
}

func (d *wasmDevice) Save() ([]byte, error) {
	if d.err != nil {
		return nil, d.err
	}
	head := d.hash()
	low, high := d.state()
	return slices.Concat(head[:], low, cosim.WithoutZeros(high)), nil
}

func (d *wasmDevice) own(snapshot []byte) error {
	if head := d.hash(); !bytes.HasPrefix(snapshot, head[:]) {
		return fmt.Errorf("%s: the snapshot comes from another build", d.circuit.Device)
	}
	return nil
}

func (d *wasmDevice) state() (low, high []byte) {
	memory := d.memory.bytes()
	return memory[wasmStackBytes:max(d.passing[0], wasmStackBytes)], memory[max(d.passing[1], wasmStackBytes):]
}

func (d *wasmDevice) Restore(snapshot []byte) error {
	if d.err != nil {
		return d.err
	}
	if err := d.own(snapshot); err != nil {
		return err
	}
	saved := snapshot[snapshotHead:]
	low, high := d.state()
	if missing := len(saved) - len(low) - len(high); missing > 0 {
		if _, ok := d.module.Memory().Grow(uint32((missing + wasmPageBytes - 1) / wasmPageBytes)); !ok {
			return fmt.Errorf("%s: the snapshot of %d bytes does not fit into the memory", d.circuit.Device, len(saved))
		}
	}
	counted, err := d.Counts() // counters are cumulative over runs
	if err != nil {
		return err
	}
	low, high = d.state()
	saved = saved[copy(low, saved):]
	clear(high[copy(high, saved):])
	d.putCounts(counted)
	return nil
}

// SaveSince and RestoreSince implement cosim.Keeper.

func (d *wasmDevice) SaveSince(snapshot []byte) (difference []byte, size int, err error) {
	if d.err != nil {
		return nil, 0, d.err
	}
	if err := d.own(snapshot); err != nil {
		return nil, 0, err
	}
	low, high := d.state()
	saved := snapshot[snapshotHead:]
	first := min(len(low), len(saved))
	difference = cosim.AppendDifference(nil, 0, low, saved[:first])
	difference = cosim.AppendDifference(difference, len(low), high, saved[first:])
	return difference, snapshotHead + len(low) + len(cosim.WithoutZeros(high)), nil
}

func (d *wasmDevice) RestoreSince(snapshot, difference []byte) error {
	counted, err := d.Counts()
	if err != nil {
		return err
	}
	if err := d.Restore(snapshot); err != nil {
		return err
	}
	low, high := d.state()
	cosim.ApplyDifference(difference, low, high)
	d.putCounts(counted)
	return nil
}

func (d *wasmDevice) Close() error {
	if d.memory == nil {
		return nil
	}
	var err error
	if d.module != nil {
		err = d.module.Close(d.ctx)
	}
	releaseMemory(d.memory.all)
	d.memory, d.inputs, d.outputs, d.text, d.log = nil, nil, nil, nil, nil
	d.err = errClosed(&d.circuit.Description)
	return err
}

type wasmMemory struct {
	all  []byte
	used int
}

const wasmPageBytes = 64 << 10

func newWasmMemory() (*wasmMemory, error) {
	all, err := reserveMemory(wasmMemoryBytesMax)
	return &wasmMemory{all: all}, err
}

func (m *wasmMemory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

func (m *wasmMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) || useMemory(m.all[:size]) != nil {
		return nil
	}
	m.used = int(size)
	return m.all[:size]
}

// Free implements experimental.LinearMemory; Close releases the memory.
func (m *wasmMemory) Free() {}

func (m *wasmMemory) bytes() []byte { return m.all[:m.used] }

func (m *wasmMemory) words(at uint32, count int) ([]uint64, bool) {
	end := uint64(at) + uint64(count)*8
	if at%8 != 0 || end > uint64(m.used) {
		return nil, false
	}
	if count == 0 {
		return nil, true
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&m.all[at])), count), true
}
