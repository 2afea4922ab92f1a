package rtl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/icarus"
	"starloom/cosim/inloop"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/hw"
)

// icarusProcessesMax is the maximum number of simulator processes of a machine. Twins share one process per kind and
// parameters; other RTL needs one process per component.
const icarusProcessesMax = 64

// partsOf opens a device for every element. If each device would need a process, partsOf opens a common device. All
// elements have equal parameters.
func (r *Devices) partsOf(ctx context.Context, source *rtlSource, pins *pinmap.Map, site *hw.Site,
	elements []int) ([]inloop.Part, error) {
	if source.backend == cosim.BackendIcarus && source.own == nil && r.InPlace == OfRTL {
		device, err := r.array(source, pins, len(elements))
		return []inloop.Part{{Device: device, Elements: elements}}, err
	}
	var parts []inloop.Part
	for _, i := range elements {
		device, err := r.device(ctx, source, pins, site.Path(i))
		if err != nil {
			return nil, err
		}
		parts = append(parts, inloop.Part{Device: device, Elements: []int{i}})
	}
	return parts, nil
}

func (r *Devices) pinMap(source *rtlSource, site *hw.Site, element int) (*pinmap.Map, error) {
	s, model, parameters := r.Source, site.Twin, twin.Parameters(site.Parameters(element))
	if parameters["COMPUTE_CYCLES"] > twin.SerialiserComputeMax {
		return nil, s.Refuse("firmware.cpu.budget_cycles",
			fmt.Sprintf("a transmitter in RTL cannot wait for %d cycles", parameters["COMPUTE_CYCLES"]),
			fmt.Sprintf("choose at most %d", twin.SerialiserComputeMax))
	}
	if source.own != nil {
		return r.ownMap(source, site.Path(element), parameters)
	}
	pins, err := pinmap.OfTwin(s.Library(), model, parameters, "")
	if err != nil {
		return nil, r.refuse(source, err)
	}
	pins.Backend = source.backend
	r.Maps = append(r.Maps, pins)
	return pins, nil
}

func (r *Devices) ownMap(source *rtlSource, path string, parameters twin.Parameters) (*pinmap.Map, error) {
	for _, name := range slices.Sorted(maps.Keys(source.own.Parameters)) {
		if value, ok := parameters[name]; ok && value != source.own.Parameters[name] {
			return nil,
				r.Source.Refuse(source.key,
					fmt.Sprintf("the pin map has %s = %d, but %s has %d", name, source.own.Parameters[name], path, value),
					fmt.Sprintf("delete %s from the map's parameters and give the RTL $%s in params; or change the map and the "+
						"RTL; or replace %s in another entry",
						name, name, path))
		}
	}
	for _, p := range source.places {
		if maps.Equal(p.pins.Parameters, parameters) {
			return p.pins, nil
		}
		for _, name := range slices.Sorted(maps.Keys(parameters)) {
			if value := p.pins.Parameters[name]; value != parameters[name] && !source.own.Takes(name) {
				return nil, r.Source.Refuse(source.key,
					fmt.Sprintf("%s has %s = %d, but %s has %d, and both use the same RTL", p.path, name,
						value, path, parameters[name]),
					fmt.Sprintf("give the RTL the value: params: {PARAMETER: $%s}; or replace %s in another entry", name, path))
			}
		}
	}
	pins := source.own.In(parameters)
	if pins != source.own {
		r.Maps = append(r.Maps, pins)
	}
	source.places = append(source.places, place{path, pins})
	return pins, nil
}

// rtlSeed initialises registers without a reset to fixed nonzero values, so that a missing reset is reproducible.
const rtlSeed = 1

func (r *Devices) device(ctx context.Context, source *rtlSource, pins *pinmap.Map, path string) (cosim.Device, error) {
	switch r.InPlace {
	case Models:
		return r.record(path, source, pins)
	case Own:
		return nil, nil
	}
	if err := r.process(source); err != nil {
		return nil, err
	}
	device, err := pins.Open(ctx, cosim.Options{Seed: rtlSeed})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, r.refuse(source, err)
	}
	if d := device.(*pinmap.Device); len(d.Terms().Assume) > 0 {
		if device, err = r.watch(d, pins, path); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	r.devices = append(r.devices, device)
	return device, nil
}

func (r *Devices) process(source *rtlSource) error {
	if source.backend != cosim.BackendIcarus {
		return nil
	}
	if r.icarus++; r.icarus > icarusProcessesMax {
		return r.Source.Refuse(source.at+".replace",
			fmt.Sprintf("RTL in Icarus needs more than %d processes", icarusProcessesMax),
			"replace fewer, or use backend: wasm")
	}
	return nil
}

func (r *Devices) record(path string, source *rtlSource, pins *pinmap.Map) (cosim.Device, error) {
	model, err := pins.NewModel()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	recorder := lockstep.NewRecorder(model, path)
	r.devices, r.Recorders = append(r.devices, recorder), append(r.Recorders, recorder)
	r.Recorded = append(r.Recorded, PartRun{path, pins, recorder.Stimulus, checkCommand(source, pins)})
	return recorder, nil
}

// array opens several instances of a twin in one simulator, with their ports side by side.
func (r *Devices) array(source *rtlSource, pins *pinmap.Map, count int) (device cosim.Device, err error) {
	if err := r.process(source); err != nil {
		return nil, err
	}
	model, err := pins.NewModel()
	if err != nil {
		return nil, r.refuse(source, err)
	}
	ports := slices.Clone(model.Ports())
	if err := model.Close(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "starloom-rtl-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	array := pins.Source
	array.Top = pins.Source.Top + "_array"
	file := filepath.Join(dir, array.Top+".v")
	if err := os.WriteFile(file, []byte(arrayVerilog(array.Top, &pins.Source, ports, count)), 0o644); err != nil {
		return nil, err
	}
	array.Files = append([]string{file}, pins.Source.Files...)
	array.Params = nil
	if pins.Clock != "" {
		array.Clocks = []string{pins.Clock}
	}
	device, err = icarus.Open(array, cosim.Options{})
	if err != nil {
		return nil, r.refuse(source, err)
	}
	r.devices = append(r.devices, device)
	return device, nil
}

func arrayVerilog(name string, source *cosim.Source, ports []cosim.Port, count int) string {
	var declared, connected, parameters []string
	for _, p := range ports {
		bits, direction := p.Bits*count, "output"
		if p.Clock || p.Name == "reset" {
			bits = 1
		}
		if p.Input {
			direction = "input"
		}
		declared = append(declared, fmt.Sprintf("  %s wire [%d:0] %s", direction, bits-1, p.Name))
		connected = append(connected, fmt.Sprintf(".%s(%s)", p.Name, p.Name))
	}
	for parameter, value := range source.Params {
		parameters = append(parameters, fmt.Sprintf(".%s(%s)", parameter, value))
	}
	slices.Sort(parameters)
	return fmt.Sprintf("`default_nettype none\nmodule %s (\n%s\n);\n  %s #(%s) part [%d:0] "+
		"(%s);\nendmodule\n`default_nettype wire\n",
		name, strings.Join(declared, ",\n"), source.Top, strings.Join(parameters, ", "), count-1,
		strings.Join(connected, ", "))
}
