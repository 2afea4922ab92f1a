package rtl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/icarus"
	"starloom/cosim/pinmap"
)

// array opens a twin several times in one simulator: a device port is the ports of all instances side by side.
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
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }() // the simulator has read it
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

// arrayVerilog is a module with an array of instances. Verilog cuts the vectors.
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
	return fmt.Sprintf("`default_nettype none\nmodule %s (\n%s\n);\n  %s #(%s) part [%d:0] (%s);\nendmodule\n`default_nettype wire\n",
		name, strings.Join(declared, ",\n"), source.Top, strings.Join(parameters, ", "), count-1, strings.Join(connected, ", "))
}
