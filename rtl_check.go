package starloom

import (
	"context"
	"errors"
	"fmt"

	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
)

// RTLRun is what the inputs of a scenario's RTL are in a run of the model.
type RTLRun struct {
	Parts []RTLPartRun

	maps []*pinmap.Map
}

// RTLPartRun is a component that the scenario replaces.
type RTLPartRun struct {
	Path     string
	Map      *pinmap.Map
	Stimulus *lockstep.Stimulus
	Check    string // the command that checks the RTL with other inputs
}

// Close closes the pin maps.
func (r *RTLRun) Close() error {
	var err error
	for _, m := range r.maps {
		err = errors.Join(err, m.Close())
	}
	return err
}

// RecordRTL runs a scenario with models in the place of its RTL and keeps the inputs of
// each. CosimCheck runs the RTL of a part in lockstep with its model on them: Map and,
// as the options' Stimulus, Stimulus. The caller closes what it gets.
func RecordRTL(ctx context.Context, s *Scenario) (run *RTLRun, err error) {
	if len(s.RTL) == 0 {
		return nil, s.refuse("", "the scenario has no RTL to check", "add the key rtl; `starloom cosim check --help` shows how to check RTL without a scenario")
	}
	m, err := NewMachine(ctx, s, MachineOptions{recordRTL: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if err := m.Run(ctx, nil); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	run = &RTLRun{Parts: m.rtl.recorded, maps: m.rtl.maps}
	m.rtl.maps = nil
	return run, nil
}

// record opens a model in the place of RTL and notes what it is a part of.
func (r *machineRTL) record(path string, source *rtlSource, pins *pinmap.Map) (cosim.Device, error) {
	model, err := pins.NewModel()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	recorder := lockstep.NewRecorder(model)
	r.devices = append(r.devices, recorder)
	r.recorded = append(r.recorded, RTLPartRun{path, pins, recorder.Stimulus, checkCommand(source, pins)})
	return recorder, nil
}

// IsScenario reports whether a YAML file is a scenario and no pin map: it has a fabric.
func IsScenario(path string) bool {
	data, err := readMap(path, "")
	if err != nil {
		return false
	}
	_, root, err := parseMap(path, data, "", "")
	return err == nil && fabricKey(root) != nil
}

// fabricKey returns the key that only scenarios have, nil for none.
func fabricKey(root *yaml.Node) *yaml.Node {
	for i := 0; root.Kind == yaml.MappingNode && i < len(root.Content); i += 2 {
		if root.Content[i].Value == "fabric" {
			return root.Content[i]
		}
	}
	return nil
}
