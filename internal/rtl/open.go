package rtl

import (
	"context"
	"errors"
	"fmt"

	"starloom/cosim"
	"starloom/cosim/inloop"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/hw"
)

// icarusProcessesMax is how many simulator processes a machine starts. Our twins need
// one for all components of a kind, other RTL one for each component.
const icarusProcessesMax = 64

// partsOf opens a device for every component, or one for all of them where each would
// be a process of its own.
func (r *Devices) partsOf(ctx context.Context, source *rtlSource, pins *pinmap.Map, elements []int, paths []string) ([]inloop.Part, error) {
	if source.backend == cosim.BackendIcarus && source.own == nil && !r.Records {
		device, err := r.array(source, pins, len(elements))
		return []inloop.Part{{Device: device, Elements: elements}}, err
	}
	var parts []inloop.Part
	for k, i := range elements {
		device, err := r.device(ctx, source, pins, paths[k])
		if err != nil {
			return nil, err
		}
		parts = append(parts, inloop.Part{Device: device, Elements: []int{i}})
	}
	return parts, nil
}

// pinMap returns the map of a site's model with the parameters of an element.
func (r *Devices) pinMap(source *rtlSource, site *hw.Site, element int) (*pinmap.Map, error) {
	s, model, parameters := r.Source, site.Twin, twin.Parameters(site.Parameters(element))
	if parameters["COMPUTE_CYCLES"] > twin.SerialiserComputeMax {
		return nil, s.Refuse("firmware.cpu.budget_cycles",
			fmt.Sprintf("a transmitter in RTL cannot wait for %d cycles", parameters["COMPUTE_CYCLES"]),
			fmt.Sprintf("choose at most %d", twin.SerialiserComputeMax))
	}
	if source.own == nil {
		pins, err := pinmap.OfTwin(r.Source.Library(), model, parameters, "")
		if err != nil {
			return nil, r.refuse(source, err)
		}
		pins.Backend = source.backend
		r.Maps = append(r.Maps, pins)
		return pins, nil
	}
	for name, value := range source.own.Parameters {
		if want, ok := parameters[name]; ok && value != want {
			return nil, s.Refuse(source.key,
				fmt.Sprintf("the pin map has %s = %d, in this machine it is %d", name, value, want),
				"change the map, and the RTL's own parameters with it, or the scenario")
		}
	}
	pins := source.own
	if source.used { // for another place, whose parameters may be others
		if pins = source.own.In(parameters); pins != source.own {
			r.Maps = append(r.Maps, pins)
		}
	}
	pins.Parameters, source.used = parameters, true
	return pins, nil
}

// rtlSeed gives registers without a reset values that differ from zero, always the
// same: a missing reset shows, and shows again.
const rtlSeed = 1

// device opens the RTL once more.
func (r *Devices) device(ctx context.Context, source *rtlSource, pins *pinmap.Map, path string) (cosim.Device, error) {
	if r.Records {
		return r.record(path, source, pins)
	}
	if source.backend == cosim.BackendIcarus {
		if r.icarus++; r.icarus > icarusProcessesMax {
			return nil, r.Source.Refuse(source.at+".replace", fmt.Sprintf("more than %d components are RTL in Icarus, each a process", icarusProcessesMax),
				"replace fewer, or use backend: wasm")
		}
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

// record opens a model in the place of RTL and notes what it is a part of.
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
