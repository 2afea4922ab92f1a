package fabrictest

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/wired"
	"starloom/firmware"
)

// Flood is the part of the suite that needs only a network. It has its own traffic. Firmware floods the network with
// frames of all kinds, under faults of each kind, and with illegal operations. The slot engine and the cycle engine,
// in every division, must have the results of the undivided cycle engine.
type Flood struct {
	Fabric starloom.Fabric
	RTL    []starloom.RTL // replaces hardware, one after the other
}

//go:embed testdata/flood.c
var floodSource []byte

// floodSlots is the number of slots in which firmware sends. The FIFOs drain in the remaining slots.
const (
	floodSlots     = 24
	floodSlotsStop = 34
)

// Run tests a network.
func (f Flood) Run(t *testing.T) {
	for _, traffic := range f.traffic() {
		t.Run(traffic.name, func(t *testing.T) { require.NoError(t, f.agree(t.Context(), &traffic)) })
	}
	for _, rtl := range f.RTL {
		t.Run("RTL "+rtl.Replace, func(t *testing.T) {
			_, err := f.replaced(t.Context(), rtl)
			require.NoError(t, err)
		})
	}
}

// Check is Run without a testing.T. It returns the first difference or error.
func (f Flood) Check(ctx context.Context) error {
	for _, traffic := range f.traffic() {
		if err := f.agree(ctx, &traffic); err != nil {
			return fmt.Errorf("%s: %w", traffic.name, err)
		}
	}
	return nil
}

type traffic struct {
	name    string
	run     floodRun
	cuts    []cut
	happens func(*starloom.Report) error                    // returns an error if an expected event has not happened
	further []func(context.Context, floodRun, string) error // further comparisons with a report
}

func (f Flood) traffic() []traffic {
	media := &starloom.Faults{Schedule: []starloom.Fault{
		{Kind: "drop", Probability: chance(0.1)}, {Kind: "bit_flip", Probability: chance(0.15)},
		{Kind: "stuck", Slots: &starloom.FaultSlots{From: 6, To: 9, Every: 3}},
	}}
	processors := &starloom.Faults{Schedule: []starloom.Fault{
		{Kind: "dead", Probability: chance(0.02)}, {Kind: "restart", Probability: chance(0.06)},
		{Kind: "clock_pause", Probability: chance(0.1)}, {Kind: "buffers", RXFrames: 1, TXFrames: 2},
	}}
	misses := &starloom.Faults{Schedule: []starloom.Fault{{Kind: "miss", Probability: chance(0.2)}}}
	type looks = []func(context.Context, floodRun, string) error
	return []traffic{
		{"frames", floodRun{}, f.cuts(), moves, looks{f.saved, f.again, f.captured}},
		{"faults of media", floodRun{faults: media, lossless: true}, f.oddCuts(), faulted, looks{f.saved, f.captured}},
		{"misses", floodRun{faults: misses, lossless: true}, f.oddCuts(), faulted, looks{f.saved}},
		{"faults of processors", floodRun{faults: processors}, f.oddCuts(), faulted, looks{f.saved, f.again}},
		{"illegal", floodRun{illegal: 1}, f.oddCuts(), silenced, nil},
		{"illegal, followed", floodRun{illegal: 4, lossless: true}, f.oddCuts(), silenced, nil},
	}
}

func chance(p float64) *float64 { return &p }

// floodRun holds the failures of a run and the division of its machine.
type floodRun struct {
	faults   *starloom.Faults
	illegal  int
	lossless bool // a rule forbids losses, so waiting frames are tracked
	cut
}

// cut is the division of a machine: units per bank, and cells of each unit per window; 0 means all. Workers are
// threads.
type cut struct {
	engine                 string
	units, window, workers int
	isolated               bool
}

func (f Flood) shapeOf(engine string) fabric.Shape {
	if engine == starloom.EngineSlot {
		return wired.ShapeOf(networkOf(f.Fabric))
	}
	return networkOf(f.Fabric).Shape()
}

// cuts returns all divisions: tiny banks and windows, uneven shards.
func (f Flood) cuts() (all []cut) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		shape := f.shapeOf(engine)
		odd := (shape.Units + 1) / 2
		all = append(all, cut{engine: engine})
		if shape.Units > 1 {
			all = append(all, cut{engine: engine, units: 1, workers: 2}, cut{engine: engine, units: odd, workers: 2})
		}
		if shape.PerUnit > 1 {
			all = append(all, cut{engine: engine, units: odd, window: 1}, cut{engine: engine, units: odd, window: 3})
		}
		if shape.PerUnit > 1 || networkOf(f.Fabric).Shape().PerUnit > 1 {
			all = append(all, cut{engine: engine, isolated: true})
		}
	}
	return all
}

func (f Flood) oddCuts() []cut {
	slot, cycle := (f.shapeOf(starloom.EngineSlot).Units+1)/2, (f.shapeOf(starloom.EngineCycle).Units+1)/2
	return []cut{
		{engine: starloom.EngineSlot, units: slot, window: 3},
		{engine: starloom.EngineSlot, units: slot, window: 1, workers: 2},
		{engine: starloom.EngineCycle, units: cycle, window: 3, workers: 2},
	}
}

// agree compares the report of a run in every division with that of the undivided cycle engine, and makes further
// comparisons.
func (f Flood) agree(ctx context.Context, t *traffic) error {
	r := t.run
	r.cut = cut{engine: starloom.EngineCycle}
	m, err := f.machine(ctx, r)
	if err != nil {
		return err
	}
	want, err := finished(ctx, m)
	if err := errors.Join(err, t.happens(m.Report()), m.Close()); err != nil {
		return err
	}
	for _, r.cut = range t.cuts {
		m, err := f.machine(ctx, r)
		if err != nil {
			return err
		}
		got, err := finished(ctx, m)
		if err := errors.Join(err, m.Close(), same(want, got, fmt.Sprintf("%+v", r.cut))); err != nil {
			return err
		}
	}
	for _, look := range t.further {
		if err := look(ctx, r, want); err != nil {
			return err
		}
	}
	return nil
}

// saved saves and restores a run at every boundary, alternating between two machines.
func (f Flood) saved(ctx context.Context, r floodRun, want string) error {
	for _, r.cut = range []cut{{engine: starloom.EngineSlot, units: 2}, {engine: starloom.EngineCycle}} {
		m, err := f.machine(ctx, r)
		if err != nil {
			return err
		}
		other, err := f.machine(ctx, r)
		if err != nil {
			return errors.Join(err, m.Close())
		}
		for err == nil && !m.Ended() {
			var state bytes.Buffer
			if err = errors.Join(m.Save(&state), other.Restore(&state), other.Step()); err == nil {
				m, other = other, m
			}
		}
		got, failed := reported(m)
		if err := errors.Join(err, failed, m.Close(), other.Close(),
			same(want, got, "saved and restored in every slot, "+r.engine)); err != nil {
			return err
		}
	}
	return nil
}

// again resets machines after an odd and after an even number of slots. Then it watches the cycle engine, which
// disables foresight.
func (f Flood) again(ctx context.Context, r floodRun, want string) error {
	for _, r.cut = range []cut{{engine: starloom.EngineSlot, units: 2}, {engine: starloom.EngineCycle}} {
		m, err := f.machine(ctx, r)
		if err != nil {
			return err
		}
		for slots := 9; slots <= 18 && err == nil; slots += 9 {
			for range slots {
				err = errors.Join(err, m.Step())
			}
			err = errors.Join(err, m.Reset(f.scenario(r, nil).Seed))
		}
		if r.engine == starloom.EngineCycle {
			err = errors.Join(err, m.Watch(func(uint64) error { return nil }))
		}
		got, failed := finished(ctx, m)
		if err := errors.Join(err, failed, m.Close(), same(want, got, "reset, "+r.engine)); err != nil {
			return err
		}
	}
	return nil
}

// captured compares the captures of both engines, which contain every frame.
func (f Flood) captured(ctx context.Context, r floodRun, want string) error {
	var captures [2]bytes.Buffer
	for i, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		r.cut = cut{engine: engine}
		m, err := f.machine(ctx, r)
		if err != nil {
			return err
		}
		recording, err := m.Record(starloom.RecordOptions{PCAPNG: starloom.Writer(&captures[i])})
		if err != nil {
			return errors.Join(err, m.Close())
		}
		got, err := finished(ctx, m)
		if err := errors.Join(err, recording.Close(), m.Close(), same(want, got, "captured, "+engine)); err != nil {
			return err
		}
	}
	if !bytes.Equal(captures[0].Bytes(), captures[1].Bytes()) {
		return errors.New("the engines capture other bytes")
	}
	return nil
}

// replaced replaces hardware by RTL. The report must not change. replaced returns the kinds of replaced parts.
func (f Flood) replaced(ctx context.Context, rtl starloom.RTL) (kinds []string, err error) {
	image, err := f.image(ctx)
	if err != nil {
		return nil, err
	}
	var texts [2]string
	for i, replaces := range [][]starloom.RTL{nil, {rtl}} {
		s := f.scenario(floodRun{}, image)
		s.RTL = replaces
		m, err := starloom.NewMachine(ctx, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
		if err != nil {
			return nil, err
		}
		err = m.Run(ctx, nil)
		report := m.Report()
		if err := errors.Join(err, m.Close()); err != nil {
			return nil, err
		}
		if len(report.RTL) == 0 != (replaces == nil) {
			return nil, fmt.Errorf("%d parts are RTL", len(report.RTL))
		}
		for i := range report.RTL {
			kinds = append(kinds, report.RTL[i].Top)
		}
		report.RTL, report.Notes = nil, nil // describe the checks of RTL
		if texts[i], err = written(report); err != nil {
			return nil, err
		}
	}
	return kinds, same(texts[0], texts[1], "with RTL")
}

func (f Flood) machine(ctx context.Context, r floodRun) (*starloom.Machine, error) {
	image, err := f.image(ctx)
	if err != nil {
		return nil, err
	}
	s, perUnit := f.scenario(r, image), f.shapeOf(r.engine).PerUnit
	return starloom.NewMachine(ctx, s,
		starloom.MachineOptions{Engine: r.engine, BankSize: perUnit * r.units, Workers: max(1, r.workers)})
}

// windowBytes is the approximate memory of a window of processors. With large states, a window has only a few cells.
const windowBytes = 512 << 10

func (f Flood) scenario(r floodRun, image []byte) *starloom.Scenario {
	shape := networkOf(f.Fabric).Shape()
	nics := shape.NIC()
	number := func(yes bool) int64 {
		if yes {
			return 1
		}
		return 0
	}
	s := starloom.DefaultScenario()
	s.Name, s.Fabric, s.Seed = "flood", f.Fabric, 3
	s.Stop.Slots, s.Faults = floodSlotsStop, r.faults
	s.NIC = starloom.NIC{PayloadBytes: 16, RXFrames: 2, TXFrames: 3}
	s.Link.PhitBits, s.Link.PropagationCycles = 16, 2
	s.Rules = &starloom.Rules{ExactlyOnce: true, NoLoss: r.lossless}
	if fabric.Holds(networkOf(f.Fabric), fabric.RuleCollisionFree) == "" {
		s.Rules.CollisionFree = &starloom.CollisionFree{Period: 2, Slots: []int{1}}
	}
	s.Firmware.Image, s.Firmware.ImageBytes = "flood.wasm", image
	s.Firmware.Params = map[string]int64{
		"slots": floodSlots, "illegal": int64(r.illegal), "idle": int64(max(1, shape.Processors()*shape.Lanes()/shape.Media)),
		"all_ports": number(nics.AllPorts), "to_all": number(!nics.Addressed && nics.Taps == nil && nics.Classes == nil),
	}
	if r.isolated {
		s.Firmware.Mode = starloom.ModeIsolated
	}
	if r.window > 0 {
		units := r.units
		if units == 0 {
			units = f.shapeOf(r.engine).Units
		}
		s.Firmware.Params["state_bytes"] = int64(windowBytes/(r.window*units) - 256) // the rest of a record is smaller
	}
	return s
}

// images caches images by macros.
var images sync.Map

// image returns the firmware for a network. All networks share it, except networks with individual ports of
// processors.
func (f Flood) image(ctx context.Context) ([]byte, error) {
	define := ""
	network := networkOf(f.Fabric)
	shape := network.Shape()
	own := shape.NIC().Own
	if shape.NIC().Taps != nil || own != nil && network.Abilities().ROM == nil {
		ports, sends := make([]string, shape.Processors()), make([]string, shape.Processors())
		for i := range ports {
			ports[i] = fmt.Sprint(shape.PortsOf(i))
			mask := uint64(0)
			for port := range min(64, shape.PortsOf(i)) {
				if own == nil || own.Sends(i, uint16(port)) {
					mask |= 1 << port
				}
			}
			sends[i] = fmt.Sprintf("%dull", mask)
		}
		define = "PORTS_OF={" + strings.Join(ports, ",") + "}"
		if own != nil {
			define += " SENDS_OF={" + strings.Join(sends, ",") + "}"
		}
	} else if own != nil || shape.NIC().Classes != nil {
		define = "OWN_PORTS=1"
	}
	build, _ := images.LoadOrStore(define, sync.OnceValues(func() ([]byte, error) { return built(ctx, define) }))
	return build.(func() ([]byte, error))()
}

// built compiles the suite's firmware with macro definitions, "" for none.
func built(ctx context.Context, define string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "starloom-flood-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	o := firmware.BuildOptions{Source: filepath.Join(folder, "flood.c"), Output: filepath.Join(folder, "flood.wasm")}
	if define != "" {
		o.Define = strings.Fields(define)
	}
	if err := os.WriteFile(o.Source, floodSource, 0o600); err != nil {
		return nil, err
	}
	if err := firmware.Build(ctx, o); err != nil {
		return nil, err
	}
	return os.ReadFile(o.Output)
}

func networkOf(f starloom.Fabric) fabric.Network {
	switch {
	case f.Netlist != nil:
		return *f.Netlist
	case f.POPS != nil:
		return *f.POPS
	case f.Crossbar != nil:
		return *f.Crossbar
	case f.Bus != nil:
		return *f.Bus
	case f.EJ != nil:
		return *f.EJ
	}
	return f.Custom
}

func finished(ctx context.Context, m *starloom.Machine) (string, error) {
	if err := m.Run(ctx, nil); err != nil {
		return "", err
	}
	return reported(m)
}

func reported(m *starloom.Machine) (string, error) { return written(m.Report()) }

// written returns a report as text, without the names of engine and mode.
func written(r *starloom.Report) (string, error) {
	result := *r
	result.Engine, result.Firmware.Mode, result.Firmware.Trusted = "", "", false
	var b bytes.Buffer
	err := result.WriteJSON(&b)
	return b.String(), err
}

// same returns an error with the first difference between two reports.
func same(want, got, how string) error {
	if want == got {
		return nil
	}
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(wants), len(gots)) {
		if wants[i] != gots[i] {
			return fmt.Errorf("%s: line %d is %s, want %s", how, i+1, gots[i], wants[i])
		}
	}
	return fmt.Errorf("%s: a report of %d lines, want %d", how, len(gots), len(wants))
}

func moves(r *starloom.Report) error {
	if f := r.Frames; f.Sent < 20 || f.Delivered < 15 || f.Overflow+f.Unheard+f.Collided+f.Blocked == 0 {
		return fmt.Errorf("little has happened: %+v", f)
	}
	return nil
}

func faulted(r *starloom.Report) error {
	for _, fault := range r.Faults {
		if fault.Count == 0 {
			return fmt.Errorf("there was no %s", fault.Kind)
		}
	}
	return nil
}

func silenced(r *starloom.Report) error {
	rules := map[string]int{}
	for _, v := range r.Violations {
		rules[v.Rule]++
	}
	if rules[starloom.RuleIllegalSend]+rules[starloom.RuleIllegalListen] == 0 || r.Frames.Delivered < 5 {
		return fmt.Errorf("nothing illegal has happened, or nothing else: %v, %d frames",
			slices.Sorted(maps.Keys(rules)), r.Frames.Delivered)
	}
	return nil
}
