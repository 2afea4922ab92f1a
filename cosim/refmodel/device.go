package refmodel

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"starloom/cosim"
	"starloom/firmware/wasm"
)

// A Device is an instance of a model.
type Device struct {
	model  *Model
	ctx    context.Context
	module api.Module

	settle, edge, reset, follow api.Function

	inputs, outputs []uint64
	inside          []uint64 // by register
	at              []uint32 // address of each port's variable; 0 for clock and reset
	globals         []api.MutableGlobal
	turns           api.MutableGlobal

	ticks  int // host calls of the current call
	cycles uint64
	stack  [1]uint64
	err    error
}

type deviceKey struct{}

var errEndless = errors.New("a loop does not end")

// ticksMax bounds a call to about 2^30 loop iterations, as for RTL.
const ticksMax = 1 << 30 / wasm.TickTurns

func tick(ctx context.Context, _ api.Module, _ []uint64) {
	d := ctx.Value(deviceKey{}).(*Device)
	if d.ticks++; d.ticks > ticksMax {
		panic(errEndless)
	}
	d.turns.Set(wasm.TickTurns)
}

// Open opens a device in its reset state.
func (m *Model) Open(cosim.Options) (cosim.Device, error) {
	d, err := m.open()
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (m *Model) open() (*Device, error) {
	d := &Device{model: m}
	d.ctx = context.WithValue(context.Background(), deviceKey{}, d)
	var err error
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	if d.module, err = m.runtime.InstantiateModule(d.ctx, m.compiled, config); err != nil {
		return nil, refuse("does not start: "+cosim.FirstLine([]byte(err.Error())), "make its memory smaller")
	}
	in, out := cosim.Words(m.Ports())
	d.inputs, d.outputs = make([]uint64, in), make([]uint64, out)
	d.inside = make([]uint64, len(m.registers))
	d.turns = d.module.ExportedGlobal(wasm.TurnsName).(api.MutableGlobal)
	for _, g := range m.copy.Globals {
		d.globals = append(d.globals, d.module.ExportedGlobal(g.Export).(api.MutableGlobal))
	}
	d.settle, d.edge = d.module.ExportedFunction(exportSettle), d.module.ExportedFunction(exportEdge)
	d.reset, d.follow = d.module.ExportedFunction(exportReset), d.module.ExportedFunction(exportFollow)
	if m.copy.Start != "" {
		d.call(d.module.ExportedFunction(m.copy.Start))
	}
	if d.err == nil {
		d.findPorts()
	}
	if d.err == nil && m.clocked {
		d.call(d.reset)
	}
	if d.err == nil {
		d.err = d.Settle()
	}
	if d.err != nil {
		return nil, errors.Join(d.err, d.Close())
	}
	return d, nil
}

func (d *Device) findPorts() {
	for _, p := range d.model.ports {
		if p.export == "" {
			d.at = append(d.at, 0)
			continue
		}
		d.call(d.module.ExportedFunction(p.export))
		if d.err != nil {
			return
		}
		at := uint32(d.stack[0])
		if _, ok := d.module.Memory().Read(at, uint32(8*p.Words())); !ok {
			d.err = refuse(fmt.Sprintf("the variable of port %s is outside the memory", p.Name), remedyHeader)
			return
		}
		d.at = append(d.at, at)
	}
}

func (d *Device) call(f api.Function) {
	d.ticks = 0
	d.turns.Set(wasm.TickTurns)
	d.stack[0] = 0
	if err := f.CallWithStack(d.ctx, d.stack[:]); err != nil {
		d.err = d.fault(err)
	}
}

// codeOffset matches a code offset in wazero's stack trace.
var codeOffset = regexp.MustCompile(`(?m)^\t\t0x([0-9a-f]+):`)

func (d *Device) fault(trap error) error {
	f := &cosim.Fault{Kind: cosim.FaultFatal, Device: "the model", Cycle: d.cycles}
	if errors.Is(trap, errEndless) {
		f.Kind, f.Text = cosim.FaultHang, errEndless.Error()
	} else {
		f.Text = strings.TrimPrefix(cosim.FirstLine([]byte(trap.Error())), "wasm error: ")
	}
	for _, found := range codeOffset.FindAllStringSubmatch(trap.Error(), -1) {
		offset, err := strconv.ParseUint(found[1], 16, 32)
		if frames := d.model.copy.Places().Frames(offset); err == nil && len(frames) > 0 {
			f.Text += fmt.Sprintf(" in %s at %s", frames[0].Function, frames[0].Line())
			break
		}
	}
	return f
}

// The methods below implement cosim.Device.

func (d *Device) Ports() []cosim.Port { return d.model.Ports() }
func (d *Device) Inputs() []uint64    { return d.inputs }
func (d *Device) Outputs() []uint64   { return d.outputs }
func (d *Device) Unknown() []uint64   { return nil }

func mask(p *cosim.Port, word int) uint64 {
	if rest := p.Bits - 64*word; rest < 64 {
		return 1<<rest - 1
	}
	return ^uint64(0)
}

func (d *Device) push() {
	memory := d.module.Memory()
	for i := range d.model.ports {
		p := &d.model.ports[i].Port
		for w := range p.Words() {
			if p.Input && d.at[i] != 0 {
				memory.WriteUint64Le(d.at[i]+uint32(8*w), d.inputs[p.Word+w]&mask(p, w))
			}
		}
	}
}

func (d *Device) show() {
	memory := d.module.Memory()
	for i := range d.model.ports {
		p := &d.model.ports[i].Port
		for w := range p.Words() {
			if !p.Input {
				word, _ := memory.ReadUint64Le(d.at[i] + uint32(8*w))
				d.outputs[p.Word+w] = word & mask(p, w)
			}
		}
	}
	d.showInside()
}

func (d *Device) Settle() error {
	if d.err != nil {
		return d.err
	}
	d.push()
	if d.call(d.settle); d.err == nil {
		d.show()
	}
	return d.err
}

func (d *Device) Edge(clocks uint64) error {
	if d.err != nil {
		return d.err
	}
	if clocks&1 != 0 && d.model.clocked {
		// Settle first: edge may read outputs.
		if d.Settle() != nil {
			return d.err
		}
		change := d.edge
		if d.inputs[0]&1 != 0 {
			change = d.reset
		}
		if d.call(change); d.err != nil {
			return d.err
		}
		d.cycles++
	}
	return d.Settle()
}

func (d *Device) Step(clocks uint64, cycles int) error {
	for range cycles {
		if err := d.Edge(clocks); err != nil {
			return err
		}
	}
	return nil
}

// Left returns the names of the outputs that the model leaves to the RTL.
func (d *Device) Left() (names []string) {
	for _, p := range d.model.ports {
		if p.left {
			names = append(names, p.Name)
		}
	}
	return names
}

// Follow passes the RTL's values of the outputs that Left returns to the model, in the same order. The model adopts
// allowed values.
func (d *Device) Follow(values []uint64) {
	if d.err != nil {
		return
	}
	d.push()
	for i := range d.model.ports {
		if p := &d.model.ports[i]; p.left {
			d.module.Memory().WriteUint64Le(d.at[i], values[0]&mask(&p.Port, 0))
			values = values[1:]
		}
	}
	d.call(d.follow)
}

// memory returns the state's part in memory. A snapshot consists of the cycle, the globals and this memory without
// trailing zeros.

func (d *Device) memory() []byte {
	m := d.module.Memory()
	all, _ := m.Read(0, m.Size())
	return all
}

func (d *Device) head() (head []byte) {
	head = binary.LittleEndian.AppendUint64(head, d.cycles)
	for _, g := range d.globals {
		head = binary.LittleEndian.AppendUint64(head, g.Get())
	}
	return head
}

func (d *Device) Save() ([]byte, error) {
	if d.err != nil {
		return nil, d.err
	}
	return append(d.head(), cosim.WithoutZeros(d.memory())...), nil
}

func (d *Device) Restore(snapshot []byte) error {
	if d.err != nil {
		return d.err
	}
	saved, err := d.restoreHead(snapshot)
	if err != nil {
		return err
	}
	if missing := len(saved) - len(d.memory()); missing > 0 {
		const page = 64 << 10
		if _, ok := d.module.Memory().Grow(uint32((missing + page - 1) / page)); !ok {
			return fmt.Errorf("the snapshot of %d bytes does not fit into the model's memory", len(saved))
		}
	}
	memory := d.memory()
	clear(memory[copy(memory, saved):])
	d.show()
	return nil
}

func (d *Device) restoreHead(snapshot []byte) (rest []byte, err error) {
	if len(snapshot) < 8*(1+len(d.globals)) {
		return nil, fmt.Errorf("a state of %d bytes is too short for the model", len(snapshot))
	}
	d.cycles = binary.LittleEndian.Uint64(snapshot)
	for _, g := range d.globals {
		snapshot = snapshot[8:]
		g.Set(binary.LittleEndian.Uint64(snapshot))
	}
	return snapshot[8:], nil
}

// SaveSince and RestoreSince implement cosim.Keeper.

func (d *Device) SaveSince(snapshot []byte) (difference []byte, size int, err error) {
	if d.err != nil {
		return nil, 0, d.err
	}
	head, memory := d.head(), d.memory()
	return cosim.AppendDifference(head, 0, memory, snapshot[len(head):]), len(head) + len(memory), nil
}

func (d *Device) RestoreSince(snapshot, difference []byte) error {
	if err := d.Restore(snapshot); err != nil {
		return err
	}
	blocks, err := d.restoreHead(difference)
	if err != nil {
		return err
	}
	cosim.ApplyDifference(blocks, d.memory())
	d.show()
	return nil
}

// Close ends the device.
func (d *Device) Close() error {
	if d.err == nil {
		d.err = errors.New("the model is closed")
	}
	return d.module.Close(d.ctx)
}

var _ interface {
	cosim.Device
	cosim.Keeper
} = (*Device)(nil)

// Inside returns the values of registers. The slice belongs to the device.
func (d *Device) Inside() []uint64 { return d.inside }

func (d *Device) showInside() {
	memory := d.module.Memory()
	for i, r := range d.model.registers {
		word, _ := memory.ReadUint32Le(r.address)
		d.inside[i] = uint64(word)
	}
}
