// Package inside gives tests of the whole system access to internals of package starloom. The root package sets these
// functions; only tests call them. Arguments are pointers to types of the root package, typed any to avoid an import
// cycle.
package inside

import (
	"starloom/cosim/pinmap"
	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/runs"
)

var (
	Machine  func(machine any) *emulator.Machine        // returns the emulator of a Machine
	Options  func(options any) *emulator.Options        // returns test-only MachineOptions
	Executed func(options any) emulator.Options         // returns all MachineOptions
	Config   func(scenario any) (*config.Config, error) // returns an elaborated Scenario
	Decided  func(scenario any) Scenario                // returns intermediate results of elaboration
	Library  func() pinmap.Library                      // returns components for pin maps, only of built-in networks
)

// Scenario holds intermediate results of elaboration.
type Scenario struct {
	Network      fabric.Network
	Program      *fabric.Program // nil for an image
	Rules        fabric.Rules
	Known        config.Known
	ImagePath    string
	Schedule     string
	RunCommand   string
	CheckCommand string
	Rates        []float64 // rates of random faults; nil for at most one rate
	Permutations uint64    // number of permutations, each with one run; otherwise 0
	Carried      []string
	Keys         func() (map[string]any, error)
	Batch        func(outcome.Seeds, emulator.Options) (*runs.Batch, error)
}
