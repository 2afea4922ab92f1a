// Package inside shows tests of the whole system what package starloom hides from its users: it fills these functions, and nothing
// but tests calls them. Arguments are pointers to types of that package, which this one cannot import.
package inside

import (
	"starloom/cosim/pinmap"
	"starloom/fabric"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/outcome"
	"starloom/internal/runs"
)

var (
	Machine  func(machine any) *emulator.Machine        // what executes a Machine
	Options  func(options any) *emulator.Options        // those of MachineOptions that only tests set
	Executed func(options any) emulator.Options         // all of MachineOptions
	Config   func(scenario any) (*config.Config, error) // what a Scenario becomes before it runs
	Decided  func(scenario any) Scenario                // what is decided of a Scenario on the way
	Library  func() pinmap.Library                      // what a pin map may name without networks from Go
)

// Scenario is what is decided of one.
type Scenario struct {
	Network      fabric.Network
	Program      *fabric.Program // nil for an image
	Rules        fabric.Rules
	Known        config.Known
	ImagePath    string
	Schedule     string
	RunCommand   string
	CheckCommand string
	Rates        []float64 // of random faults, nil for one or none
	Permutations uint64    // of a run for each, else 0
	Carried      []string  // kinds of workload
	Keys         func() (map[string]any, error)
	Batch        func(outcome.Seeds, emulator.Options) (*runs.Batch, error)
}
