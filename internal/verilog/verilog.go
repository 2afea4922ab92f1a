// Package verilog runs a scenario and writes the hardware of its machine as a folder of Verilog, with the events and
// the waveform of the run.
//
//	scenario --emulator--> machine --Watch, each boundary--> cosim/export --> folder, which appears whole
package verilog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim/export"
	"starloom/cosim/twin"
	"starloom/fabric/outcome"
	"starloom/fabric/plant"
	"starloom/fabric/stream"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// Report is an exported folder.
type Report struct {
	Dir      string
	Scenario string
	Kinds    []string // modules of the parts
	Parts    int
	Signals  int // in expected.vcd
	Cycles   int // in expected.vcd
	Events   int
	Bytes    int // of the events' text
	Verdict  outcome.Verdict
}

// WriteText prints the report.
func (r *Report) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, `%s  %s

parts      %d of %d kinds: %s
run        %s, %d events, %d bytes
waveform   expected.vcd: %d signals over %d cycles, the last boundary included

make -C %s icarus      or verilator; lint, yosys
make -C %s compare     needs starloom; EQUAL means: this run's waveform is equal in %d signals over %d cycles
`, r.Dir, r.Scenario, r.Parts, len(r.Kinds), strings.Join(r.Kinds, ", "), r.Verdict, r.Events, r.Bytes, r.Signals,
		r.Cycles, r.Dir, r.Dir, r.Signals, r.Cycles)
	return err
}

// Options of an export.
type Options struct {
	Twins   []twin.Twin // all known twins
	Command string      // named in the README
}

// Write runs a scenario and writes the folder dir, which must not exist. Hardware without Verilog is an *input.Error.
func Write(ctx context.Context, c *config.Config, dir string, o Options) (report *Report, err error) {
	if _, err := os.Lstat(dir); err == nil {
		return nil, input.Mistake(dir, "it exists, but an export writes a new folder", "delete it, or name another folder")
	}
	m, top, err := built(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	x := &run{c: c, m: m, top: top, events: top.Record(c.Timing.SlotCycles())}
	if err := x.run(ctx); err != nil {
		return nil, err
	}
	files, err := top.Files(x.events, x.signals, o.Twins, export.About{
		Scenario: c.Name, Version: outcome.Version(), Command: o.Command, Seed: c.Seed, Unshown: x.unshown,
	})
	if err != nil {
		return nil, err
	}
	files["expected.vcd"] = x.wave.String()
	report = &Report{Dir: dir, Scenario: c.Name, Kinds: top.Twins, Signals: len(x.signals), Cycles: x.events.Cycles,
		Events: x.events.Events, Bytes: x.events.Bytes, Verdict: m.Report().Verdict}
	for _, count := range top.Parts {
		report.Parts += count
	}
	return report, appear(dir, files)
}

// Check returns an error if the hardware of a machine cannot be exported: an *input.Error names it and a remedy. A run
// may still have too many events.
func Check(ctx context.Context, c *config.Config) error {
	m, _, err := built(ctx, c)
	if err != nil {
		return err
	}
	return m.Close()
}

func built(ctx context.Context, c *config.Config) (*emulator.Machine, *export.Top, error) {
	if err := refuse(c); err != nil {
		return nil, nil, err
	}
	m, err := emulator.New(ctx, c, emulator.Options{Engine: emulator.EngineCycle, Workers: 1})
	if err != nil {
		return nil, nil, err
	}
	top, err := topOf(c, m)
	if err != nil {
		return nil, nil, errors.Join(err, m.Close())
	}
	return m, top, nil
}

// appear writes a folder under a temporary name beside its final path, then renames it.
func appear(dir string, files map[string]string) error {
	temporary, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), ".export-")
	if err != nil {
		return err
	}
	for name, text := range files {
		if err = os.WriteFile(filepath.Join(temporary, name), []byte(text), 0o644); err != nil {
			break
		}
	}
	if err == nil {
		err = errors.Join(os.Chmod(temporary, 0o755), os.Rename(temporary, dir))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temporary))
	}
	return nil
}

func refuse(c *config.Config) error {
	key := "fabric." + c.Network.Kind()
	switch {
	case len(c.RTL) > 0:
		return c.Source.Refuse("rtl", "an export contains the twins of all parts, and no other RTL", "delete rtl")
	case c.Timing.Frames > 1:
		return c.Source.Refuse(key, fmt.Sprintf("a slot has up to %d frames, but no Verilog module queues "+
			"them", c.Timing.Frames),
			"use output: block, or a program that sends one frame in a slot")
	}
	return nil
}

func topOf(c *config.Config, m *emulator.Machine) (*export.Top, error) {
	key := "fabric." + c.Network.Kind()
	sites, err := Sites(m)
	if err != nil {
		return nil, c.Source.Refuse(key, err.Error(), "choose an option that the Verilog modules have")
	}
	if m.Plant == nil {
		return topOfSites(c, m, sites)
	}
	for _, site := range sites {
		if site.Twin == "light_tap" {
			return nil, c.Source.Refuse("faults", "faults of media act between the parts, where the export has no Verilog",
				"remove drop, bit_flip and stuck of media from faults; faults of processors may remain")
		}
	}
	if others := m.Plant.Others(); len(others) > 0 {
		return nil, c.Source.Refuse(key, others[0].Path()+" has no Verilog", remedy)
	}
	return topOfSites(c, m, sites)
}

// Sites describes the hardware of a machine. It returns an error for routers that the Verilog modules lack.
func Sites(m *emulator.Machine) (sites []*hw.Site, err error) {
	if routers := routersOf(m); routers != nil {
		if sites, err = routers.Sites(); err != nil {
			return nil, err
		}
	}
	if m.Plant != nil {
		for _, part := range m.Plant.Components() {
			sites = append(sites, part.Site())
		}
	}
	return sites, nil
}

// routersOf returns the signals of the routers of a machine, nil without routers.
func routersOf(m *emulator.Machine) *hw.RouterSignals {
	if s := stream.StreamOf(m.Hardware); s != nil {
		return s.Routers()
	}
	return m.Hardware.Routers()
}

// signals yields all signals of the hardware.
func signals(m *emulator.Machine, yield func(hw.Probe)) {
	plant.Signals(m.Hardware, yield)
	if r := routersOf(m); r != nil && m.Plant != nil { // whose waveforms have no routers
		r.Probes(yield)
	}
}

const remedy = "export a network of passive stars, of outputs with an arbiter each, or of links drawn in fabric.netlist"

func topOfSites(c *config.Config, m *emulator.Machine, sites []*hw.Site) (*export.Top, error) {
	key := "fabric." + c.Network.Kind()
	w, err := export.New(sites)
	if err != nil {
		return nil, err
	}
	if refused := w.Refusals(); len(refused) > 0 {
		r := refused[0]
		return nil, c.Source.Refuse(key, fmt.Sprintf("%s of %s cannot be exported: %s", r.Port, r.Path, r.Reason), remedy)
	}
	known := map[string]bool{}
	signals(m, func(p hw.Probe) { known[p.Path] = true })
	top, err := w.Top(func(path string) bool { return known[path] })
	if err != nil {
		return nil, c.Source.Refuse(key, err.Error(), remedy)
	}
	return top, nil
}

// run is the run of an exported machine.
type run struct {
	c       *config.Config
	m       *emulator.Machine
	top     *export.Top
	events  *export.Recording
	wave    bytes.Buffer
	signals []export.Signal
	unshown []string

	vcd    *vcd.Writer
	probes []hw.Probe
}

func (x *run) run(ctx context.Context) error {
	if err := x.declare(); err != nil {
		return err
	}
	if err := x.m.Watch(x.look); err != nil {
		return err
	}
	clock := x.m.Hardware.Clock()
	if err := x.m.Run(ctx, x.boundary); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if bare, ok := x.m.Hardware.(*stream.Bare); ok { // settle the wires of the cycle after the last boundary
		bare.Settle()
	} else {
		x.m.Hardware.Start()
	}
	if err := x.look(clock.Cycle()); err != nil {
		return err
	}
	return x.vcd.Close(clock.Cycle() + 1)
}

// boundary notes the inputs that firmware has set. A machine with bare packets has none.
func (x *run) boundary() error {
	if x.c.Bare() {
		return nil
	}
	return x.tooMany(x.events.Boundary(x.m.Hardware.Clock().Cycle()))
}

func (x *run) tooMany(err error) error {
	if err == nil {
		return nil
	}
	return x.c.Source.Refuse("stop.slots", fmt.Sprintf("%v after %d cycles", err, x.events.Cycles),
		fmt.Sprintf("choose at most %d slots", max(1, x.events.Cycles/x.c.Timing.SlotCycles())))
}

// declare declares the signals that both the machine's waveform and the Verilog have.
func (x *run) declare() (err error) {
	probes := map[string]hw.Probe{}
	signals(x.m, func(p hw.Probe) { probes[p.Path] = p })
	comments := []string{"scenario " + x.c.Name, fmt.Sprint("seed ", x.c.Seed), "signals of the hardware alone"}
	if x.vcd, err = vcd.NewWriter(&x.wave, vcd.Options{Comments: comments}); err != nil {
		return err
	}
	for _, signal := range x.top.Signals {
		probe := probes[signal.Path]
		delete(probes, signal.Path)
		if _, err := x.vcd.Declare(signal.Path, signal.Bits); err != nil {
			return err
		}
		x.signals, x.probes = append(x.signals, signal), append(x.probes, probe)
	}
	for path := range probes {
		if name := index.ReplaceAllString(path, "[*]"); !slices.Contains(x.unshown, name) {
			x.unshown = append(x.unshown, name)
		}
	}
	slices.Sort(x.unshown)
	return x.vcd.Begin()
}

var index = regexp.MustCompile(`\[[^\]]*\]`)

func (x *run) look(cycle uint64) error {
	if err := x.events.Look(cycle); err != nil {
		if x.events.Bytes > export.EventBytesMax {
			return x.tooMany(err)
		}
		return err
	}
	if err := x.vcd.Cycle(cycle); err != nil {
		return err
	}
	for i := range x.probes {
		x.vcd.Set(vcd.SignalID(i), x.probes[i].Value())
	}
	return nil
}
