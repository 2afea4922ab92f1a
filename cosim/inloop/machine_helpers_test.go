package inloop

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/hw"
	"starloom/nic"
)

// line is the timing of a machine's slot.
type line struct{ phitBits, compute, propagation, guard int }

// machine is serialisers -> couplers -> fibre -> deserialisers with four processors in two groups. replaced holds
// what replaces each.
type machine struct {
	timing nic.Timing
	kernel *hw.Kernel
	loop   *Loop

	tx       *nic.Serialisers
	couplers *hw.StarCouplers
	fibre    *hw.Fibre
	rx       *nic.Deserialisers
}

const groups, groupSize, payloadBytes = 2, 2, 6

// newMachine builds the machine. replace returns the component that the kernel runs in place of c; it is nil for a
// machine of models.
func newMachine(t *testing.T, l line, replace func(m *machine, c hw.Sited) (hw.Component, error)) (*machine, error) {
	timing, err := nic.NewTiming(l.phitBits, payloadBytes, l.compute, l.propagation, l.guard)
	require.NoError(t, err)
	workers := hw.NewWorkers(1)
	t.Cleanup(workers.Close)
	shards := hw.Shards(groups, groups)
	m := &machine{timing: timing, kernel: hw.NewKernel(workers, shards)}
	m.loop, err = New(m.kernel)
	require.NoError(t, err)
	bank := func(name, part string, perUnit int) hw.Bank {
		return hw.Bank{Unit: "group", Name: name, Part: part, Units: groups, PerUnit: perUnit}
	}
	m.tx, err = nic.NewSerialisers(nic.SerialiserConfig{
		Bank: bank("nic", "tx", groupSize), Clock: m.kernel.Clock(), Shards: shards,
		PhitBits: l.phitBits, FrameBytesMax: nic.FrameBytes(payloadBytes), ComputeCycles: l.compute, Ports: groups,
	})
	require.NoError(t, err)
	near, err := hw.NewLight(bank("coupler", "", groups), "light", l.phitBits, shards, nil)
	require.NoError(t, err)
	m.couplers, err = hw.NewStarCouplers(m.tx.Light(), m.tx.Ports(), near, []uint32{0, 0, 2, 2}, groups)
	require.NoError(t, err)
	hears := hw.Gather{Inputs: groups, Wires: []uint32{0, 2, 1, 3}}
	readers, err := hears.Readers(groups * groups)
	require.NoError(t, err)
	far, err := hw.NewLight(bank("coupler", "fibre", groups), "light", l.phitBits, shards, readers)
	require.NoError(t, err)
	m.fibre, err = hw.NewFibre(far.Bank().Path(), m.kernel.Clock(), near, far, l.propagation)
	require.NoError(t, err)
	m.rx, err = nic.NewDeserialisers(nic.DeserialiserConfig{
		Bank: bank("nic", "rx", groupSize), Clock: m.kernel.Clock(), Shards: shards,
		PhitBits: l.phitBits, FrameBytesMax: nic.FrameBytes(payloadBytes), In: far, Hears: hears,
	})
	require.NoError(t, err)
	for _, c := range []hw.Sited{m.tx, m.couplers, m.fibre, m.rx} {
		component := hw.Component(c)
		if replace != nil {
			if component, err = replace(m, c); err != nil {
				return nil, err
			}
		}
		m.kernel.Add(component)
	}
	require.NoError(t, m.kernel.Build())
	m.kernel.BeforeCycle0()
	return m, nil
}

// play runs slots with random traffic, which depends on the number of the slot, and returns everything visible. It
// ends if the RTL fails. at is called between slots and may return another machine.
func (m *machine) play(t *testing.T, from, slots uint32, at func(m *machine, slot uint32) *machine) string {
	var log bytes.Buffer
	cycle := func() {
		m.kernel.DriveAndSettle()
		fmt.Fprintf(&log, "%d:", m.kernel.Cycle())
		m.kernel.Probes(func(p hw.Probe) { fmt.Fprintf(&log, " %x", p.Value()) })
		fmt.Fprintln(&log)
	}
	if from == 0 {
		cycle()
	}
	for slot := from; slot < slots; slot++ {
		r := rand.New(rand.NewPCG(1, uint64(slot)))
		for cell := range groups * groupSize {
			status := m.rx.Status(cell)
			fmt.Fprint(&log, cell, status, " ")
			if status == nic.StatusOK {
				fmt.Fprintf(&log, "%x", []byte(m.rx.Frame(cell)))
			}
		}
		fmt.Fprintln(&log, slices.Sorted(slices.Values(m.couplers.Violated(0))))
		m.couplers.ClearSlot(0)
		m.rx.EndSlot(0)
		for cell := range groups * groupSize {
			payload := make([]byte, r.IntN(payloadBytes+1))
			for i := range payload {
				payload[i] = byte(r.Uint32())
			}
			frame := nic.Marshal(make([]byte, nic.FrameBytes(len(payload))),
				nic.Header{Source: uint32(cell), Destination: r.Uint32()}, payload)
			if r.IntN(3) > 0 {
				m.tx.Load(cell, frame, []uint16{0, 1, hw.PortAll, hw.PortNone}[min(3, r.IntN(7)/2)])
			}
			m.rx.Listen(cell, []uint32{0, 1, nic.NoInput}[min(2, r.IntN(5)/2)])
		}
		m.kernel.Latch()
		if at != nil {
			m = at(m, slot)
		}
		for boundary := m.timing.BoundaryCycle(slot); ; m.kernel.Latch() {
			if cycle(); m.loop.Fault() != nil {
				return log.String()
			}
			if m.kernel.Cycle() == boundary {
				break
			}
		}
	}
	return log.String()
}

func device(t *testing.T, site *hw.Site, element int) cosim.Device {
	found, err := twin.Find(twin.All(), site.Twin)
	require.NoError(t, err)
	model, err := found.New(site.Parameters(element))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	return model
}

// array presents several devices side by side as one.
type array struct {
	cosim.Device
	devices []cosim.Device
	ports   []cosim.Port
	in, out []uint64
}

func newArray(devices []cosim.Device) *array {
	a := &array{Device: devices[0], devices: devices}
	for _, p := range devices[0].Ports() {
		if !p.Clock && p.Name != "reset" {
			p.Bits *= len(devices)
		}
		column := &a.out
		if p.Input {
			column = &a.in
		}
		if p.Word >= 0 {
			p.Word = len(*column)
			*column = append(*column, make([]uint64, p.Words())...)
		}
		a.ports = append(a.ports, p)
	}
	a.move(false)
	return a
}

func (a *array) Ports() []cosim.Port { return a.ports }
func (a *array) Inputs() []uint64    { return a.in }
func (a *array) Outputs() []uint64   { return a.out }

func (a *array) move(in bool) {
	for i, p := range a.ports {
		own := a.Device.Ports()[i]
		for k, d := range a.devices {
			for bit := range own.Bits {
				at := 64*p.Word + bit
				if own.Bits != p.Bits {
					at += k * own.Bits
				}
				switch {
				case p.Clock || p.Input != in:
				case in:
					hw.PutBits(d.Inputs(), 64*own.Word+bit, 1, hw.GetBits(a.in, at, 1))
				default:
					hw.PutBits(a.out, at, 1, hw.GetBits(d.Outputs(), 64*own.Word+bit, 1))
				}
			}
		}
	}
}

func (a *array) each(do func(d cosim.Device) error) error {
	a.move(true)
	for _, d := range a.devices {
		if err := do(d); err != nil {
			return err
		}
	}
	a.move(false)
	return nil
}

func (a *array) Settle() error { return a.each(cosim.Device.Settle) }
func (a *array) Edge(clocks uint64) error {
	return a.each(func(d cosim.Device) error { return d.Edge(clocks) })
}
