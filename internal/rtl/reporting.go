package rtl

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/fabric/outcome"
	"starloom/traces/input"
)

func (r *Devices) note(source *rtlSource, pins *pinmap.Map, paths []string) error {
	sum := sha256.New()
	files := pins.Source.AllFiles()
	if pins.Image != "" {
		files = []string{pins.Image}
	}
	for _, file := range files {
		text, err := input.Read(file, cosim.InputBytesMax)
		if err != nil {
			return r.refuse(source, input.Unreadable(file, err, "do not move the sources during the run"))
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
		r.Report = append(r.Report, outcome.RTLReport{
			Path: path, Top: top, Backend: source.backend, SHA256: hex.EncodeToString(sum.Sum(nil)), Derived: source.derived,
		})
	}
	return nil
}

func checkCommand(source *rtlSource, pins *pinmap.Map) string {
	command := "starloom cosim check "
	if source.own == nil {
		command += "--twin " + pins.Model
	} else {
		command += outcome.ShellQuote(cmp.Or(pins.File, "MAP"))
	}
	for _, name := range slices.Sorted(maps.Keys(pins.Parameters)) {
		if _, given := pins.Places["parameters."+name]; !given { // otherwise the machine gives the parameter
			command += fmt.Sprintf(" -G %s=%d", name, pins.Parameters[name])
		}
	}
	if source.backend != cosim.BackendWasm {
		command += " --backend " + source.backend
	}
	return command
}

// Violation returns the fault of the RTL that ended the run. A slot has slotCycles cycles.
func (r *Devices) Violation(slotCycles uint64) outcome.Violation {
	fault := r.Loop.Fault()
	v := outcome.Violation{Rule: outcome.RuleRTLFault, Cycle: fault.Cycle, Slot: fault.Cycle / slotCycles,
		Path: fault.Path, Message: fault.Err.Error()}
	var said *cosim.Fault
	switch {
	case fault.Unknown:
		v.Rule = outcome.RuleRTLUnknown
	case errors.As(fault.Err, &said):
		v.Message = FaultText(said)
		if said.Tool != "" {
			v.Rule = outcome.RuleRTLTool
		}
	}
	return v
}

// FaultText describes a fault of a circuit in one line.
func FaultText(f *cosim.Fault) string {
	text := f.Device + ": " + map[cosim.FaultKind]string{
		cosim.FaultFinish:      "the RTL ended the simulation ($finish or $stop)",
		cosim.FaultFatal:       "the RTL reported a fatal error ($fatal or an assertion)",
		cosim.FaultOscillation: "the RTL's combinational logic does not settle: add a register to the loop",
		cosim.FaultHang:        "the RTL does not answer",
		cosim.FaultDied:        "the simulator of the RTL is gone",
		cosim.FaultLimit:       "a value exceeds the limits of the map",
	}[f.Kind]
	if f.Tool != "" && f.Kind == cosim.FaultHang {
		text = f.Device + ": the simulator of the RTL does not respond"
	}
	if f.Text != "" {
		text += ": " + f.Text
	}
	return text
}
