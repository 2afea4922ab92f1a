package rtl

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	stdmaps "maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/icarus"
	"starloom/cosim/inloop"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/maps"
	"starloom/internal/outcome"
	"starloom/traces"
	"starloom/traces/input"
)

// rtlSource is where an entry's RTL comes from: a pin map, or our own twins.
type rtlSource struct {
	at      string // of the entry
	key     string // that errors stand at
	own     *pinmap.Map
	model   string // "" for the twin of whatever is replaced
	backend string
}

func (r *Devices) open(at string, x *config.RTL) (*rtlSource, error) {
	s := r.Source
	source := &rtlSource{at: at, key: at + ".twin", own: x.PinMap, model: x.Twin, backend: x.Backend}
	if x.Map != "" {
		source.key = at + ".map"
		var err error
		if source.own, err = maps.LoadPin(x.Map, r.Source.Library()); err != nil {
			return nil, err
		}
		r.Maps = append(r.Maps, source.own)
	}
	if source.own == nil {
		switch {
		case x.Twin == "":
			source.key = at + ".replace"
		case !slices.Contains(r.twins(), x.Twin):
			return nil, s.Refuse(source.key, noPlaceFor(x.Twin), "choose one of "+strings.Join(r.twins(), ", "))
		case r.isWholeModel(x.Twin) != r.isWhole(x.Replace):
			return nil, r.misfit(source.key, x.Twin, x.Replace)
		}
		source.backend = cmp.Or(x.Backend, cosim.BackendWasm)
		return source, nil
	}
	source.own.Backend = cmp.Or(x.Backend, source.own.Backend)
	source.backend = cmp.Or(source.own.Backend, cosim.BackendWasm)
	source.model = source.own.Model
	if !slices.Contains(r.twins(), source.model) {
		return nil, s.Refuse(source.key, noPlaceFor(source.model), "attach RTL whose model is one of "+strings.Join(r.twins(), ", "))
	}
	if r.isWholeModel(source.model) != r.isWhole(x.Replace) {
		return nil, r.misfit(source.key, source.model, x.Replace)
	}
	for _, output := range source.own.Absent {
		if !r.watched(source.model, output) {
			return nil, s.Refuse(source.key, fmt.Sprintf("the RTL has no %s, and the machine needs it", output), "make the output in a wrapper of the RTL")
		}
	}
	for output, latency := range source.own.Latency {
		if latency > 0 {
			late := traces.Plural(latency, "cycle", "cycles")
			return nil, s.Refuse(source.key, fmt.Sprintf("the RTL shows %s %s late, so nothing after it would be right", output, late),
				"attach it to the registers that hide the delay, or compare it alone with `starloom cosim check`")
		}
	}
	return source, nil
}

// misfit says why RTL of a model cannot stand for a path.
func (r *Devices) misfit(key, model, path string) error {
	all := r.whole.Path(0)
	return r.Source.Refuse(key, fmt.Sprintf("%s does not fit %s", model, path),
		fmt.Sprintf("%s is the whole of %s: write replace: %s and twin: %s, or another twin for a part", r.whole.Twin, all, all, r.whole.Twin))
}

// watched reports whether nothing but traces show an output of a model; its _o may be
// missing.
func (r *Devices) watched(model, output string) bool {
	for _, site := range r.models() {
		for _, p := range site.Ports {
			if site.Twin == model && p.Watched && (p.Name == output || p.Name == output+"_o") {
				return true
			}
		}
	}
	return false
}

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
	source.own.Parameters = parameters
	return source.own, nil
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
	r.devices = append(r.devices, device)
	return device, nil
}

// refuse gives errors of RTL and tools their place in the scenario.
func (r *Devices) refuse(source *rtlSource, err error) error {
	place := r.Source.Place(source.key)
	var bad *input.Error
	var fault *cosim.Fault
	switch {
	case errors.As(err, &bad):
		reason := bad.Reason
		if bad.Place != "" {
			reason = bad.Place + ": " + reason
		}
		return &input.Error{Place: place, Reason: reason, Remedy: bad.Remedy}
	case errors.As(err, &fault):
		return &input.Error{Place: place, Reason: "before the first cycle, " + FaultText(fault), Remedy: "correct it, or its parameters"}
	case source.backend == cosim.BackendShared:
		return &input.Error{Place: place, Reason: err.Error(), Remedy: "choose backend: wasm"}
	}
	return fmt.Errorf("%s: %w", place, err)
}

// array opens a twin several times in one simulator: each port of the device is the
// ports of all instances side by side.
func (r *Devices) array(source *rtlSource, pins *pinmap.Map, count int) (device cosim.Device, err error) {
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

// note adds components to the report.
func (r *Devices) note(source *rtlSource, pins *pinmap.Map, paths []string) error {
	sum := sha256.New()
	files := pins.Source.Files
	if pins.Image != "" {
		files = []string{pins.Image}
	}
	for _, file := range files {
		text, err := input.Read(file, cosim.InputBytesMax)
		if err != nil {
			return r.refuse(source, input.Unreadable(file, err, "keep the sources where they are while the run goes on"))
		}
		fmt.Fprintf(sum, "%d\n%s", len(text), text)
	}
	command := checkCommand(source, pins)
	r.Checks = append(r.Checks, command)
	if source.own != nil && !slices.Contains(r.ChecksOwn, command) {
		r.ChecksOwn = append(r.ChecksOwn, command)
	}
	top := pins.Source.Top
	if top == "" {
		top = filepath.Base(pins.Image)
	}
	for _, path := range paths {
		r.Report = append(r.Report, outcome.RTLReport{Path: path, Top: top, Backend: source.backend, SHA256: hex.EncodeToString(sum.Sum(nil))})
	}
	return nil
}

// checkCommand is the command line that compares RTL with its model.
func checkCommand(source *rtlSource, pins *pinmap.Map) string {
	command := "starloom cosim check "
	if source.own == nil {
		command += "--twin " + pins.Model
	} else {
		command += outcome.ShellQuote(cmp.Or(pins.File, "MAP"))
	}
	for _, name := range slices.Sorted(stdmaps.Keys(pins.Parameters)) {
		if _, given := pins.Places["parameters."+name]; !given { // by the map: it is the machine's
			command += fmt.Sprintf(" -G %s=%d", name, pins.Parameters[name])
		}
	}
	if source.backend != cosim.BackendWasm {
		command += " --backend " + source.backend
	}
	return command
}
