package emulator

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"starloom/firmware"
	"starloom/firmware/rv32"
	"starloom/nic"
	"starloom/traces/input"
)

func (m *Machine) remedyOfImage(err error) string {
	var known []string
	for _, p := range m.Network.Programs() {
		known = append(known, p.Name)
	}
	folder, name := filepath.Split(m.Config.Firmware.Image) // absolute if an option names the image
	return firmware.RemedyOfUnread(m.Config.Firmware.Path, filepath.Base(folder)+"/"+name, known, err)
}

type maker func(nic.BankConfig) (firmware.Instance, error)

// loadImage loads the firmware of a configuration. The returned text is the place of the firmware in the scenario,
// for error messages.
func (m *Machine) loadImage(ctx context.Context, config *nic.BankConfig) (maker, string, error) {
	f := &m.Config.Firmware
	place := m.Config.Source.Place("firmware.program")
	if m.options.Runtime == "native" {
		native, err := m.nativeMaker()
		return native, place, err
	}
	m.Image.Name = f.Name
	if m.Program == nil {
		place = m.Config.Source.Place("firmware.image")
	}
	wasm, err := m.readImage(place)
	if err != nil {
		return nil, place, err
	}
	if m.Host, err = firmware.NewHost(ctx, m.options.Runtime); err != nil {
		return nil, place, input.Mistake("--runtime", err.Error(), "change the option")
	}
	m.Host.Limit(m.options.HandlerTicks)
	if d := m.options.Debugger; d != nil {
		if !rv32.Is(wasm) {
			return nil, place, input.Mistake(place, fmt.Sprintf("the firmware image %s is WebAssembly, but a debugger follows "+
				"instructions of RISC-V", m.Image.Name), "build it with `starloom firmware build --target rv32imc`")
		}
		m.Host.Debug(d)
	}
	if m.options.HandlersCovered {
		m.Host.Cover()
	}
	if err := m.chooseDraws(wasm); err != nil {
		return nil, place, err
	}
	if f.Path != "" {
		m.Host.MapsIn(filepath.Dir(f.Path))
	}
	image, err := m.loadMetered(wasm)
	if err != nil { // err contains the remedy
		return nil, place, &input.Error{Place: place, Reason: fmt.Sprintf("the firmware image %s: %v", m.Image.Name, err)}
	}
	if image.Runtime && !f.Isolated() {
		return nil, place, input.Mistake(place,
			fmt.Sprintf("the firmware image %s: %v", m.Image.Name, firmware.ErrOneProcessor),
			"give firmware.mode: isolated, or --mode isolated")
	}
	m.Image.SHA256, m.Image.probes, m.Image.DataBytes, m.Image.announces = image.SHA256, image.Probes,
		image.DataBytes, image.Announces
	m.Image.results, m.Image.resultNames = image.Results, image.ResultNames
	m.Image.layout, m.Image.riscV = image.StateLayout, rv32.Is(wasm)
	m.Image.Recursive, m.Image.checked = image.Recursive(), image.Checked
	return image.NewInstance, place, m.setParams(image, config)
}

func (m *Machine) nativeMaker() (maker, error) {
	if m.Meter != nil {
		return nil, input.Mistake("--runtime",
			"the scenario has firmware.cpu.model, but handlers in Go have no instructions to count",
			"use compiler or interpreter")
	}
	if len(m.Config.Choices.Draws) > 0 {
		return nil, input.Mistake("--runtime", "the scenario has choices.draws, but the draws of handlers in Go are not "+
			"chosen",
			"use compiler or interpreter")
	}
	if m.Program == nil || m.Program.Native == nil {
		return nil, &input.Error{Place: "--runtime", Reason: "there is no native form of " + m.Config.Firmware.Name,
			Remedy: "use compiler or interpreter"}
	}
	m.Image.Name = m.Program.Name
	return m.Program.Native.NewInstance, nil
}

func (m *Machine) readImage(place string) (wasm []byte, err error) {
	f := &m.Config.Firmware
	if m.Program != nil {
		return firmware.ProgramImage(f.Name)
	}
	if f.Bytes != nil {
		return f.Bytes, nil
	}
	if wasm, err = firmware.ReadImage(f.Path); err != nil {
		return nil, input.Mistake(place,
			fmt.Sprintf("the firmware image cannot be read: %s: %v", f.Path, input.WithoutPath(err)), m.remedyOfImage(err))
	}
	return wasm, nil
}

func (m *Machine) setParams(image *firmware.Image, config *nic.BankConfig) error {
	for k, p := range image.Params {
		config.Params[k] = p.Default
	}
	for name, value := range m.Config.Firmware.Params {
		k := slices.IndexFunc(image.Params, func(p firmware.Param) bool { return p.Name == name })
		if k < 0 {
			var known []string
			for _, p := range image.Params {
				known = append(known, p.Name)
			}
			return m.Config.Source.Refuse("firmware.params."+name,
				fmt.Sprintf("the firmware %s has no parameter %q; it has %s", m.Image.Name, name, orNone(known)),
				"remove or rename the parameter")
		}
		config.Params[k] = int32(value)
	}
	return nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (m *Machine) loadMetered(binary []byte) (*firmware.Image, error) {
	if m.Meter == nil {
		return m.Host.Load(m.Image.Name, binary)
	}
	m.Image.metered = binary
	return m.Host.LoadMetered(m.Image.Name, binary, m.Config.Firmware.CPU.Meter)
}
