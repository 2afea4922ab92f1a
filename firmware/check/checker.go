// Package check finds faults of firmware. It runs a scenario in all ways that must agree, observes the writes of
// handlers, and calls handlers with arbitrary input.
//
//	Config -> watch: a banked run, handler by handler
//	       -> compare: banked, isolated, interpreter, workers, engines, metered -> the first difference, explained
//	       -> campaign: draw -> run a sequence -> findings -> shrink -> scenarios that reproduce the findings
package check

import (
	"cmp"
	"context"

	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/explore"
	"starloom/internal/meter"
)

type checker struct {
	ctx      context.Context
	config   *config.Config // configuration without RTL
	keys     Keys
	alone    bool // the image serves one processor per instance, so it cannot run banked
	progress func(what string)
	report   Report

	reached   map[string]bool // lines of the firmware that its machine reaches, as file:line
	recursive []string        // functions of the image that may recurse
}

// Keys converts between a scenario and the keys of a scenario file.
type Keys struct {
	Explore *explore.Bounds                // faults that the firmware survives, nil if the scenario states none
	Own     func() (map[string]any, error) // nil for a network built in Go, which has no file form
	Read    func(keys map[string]any) (*config.Config, error)
	YAML    func(keys map[string]any) ([]byte, error) // encodes keys as a scenario file
}

// servesOne reports whether the image serves one processor per instance. It ignores errors of the image, which
// emulator.New reports.
func (c *checker) servesOne() bool {
	binary, err := c.imageBytes()
	if err != nil {
		return false
	}
	info, err := firmware.InspectImage(c.ctx, c.config.Firmware.Name, binary)
	return err == nil && info.Runtime
}

func (c *checker) imageBytes() ([]byte, error) {
	if c.config.Firmware.Bytes != nil {
		return c.config.Firmware.Bytes, nil
	}
	return firmware.ReadImage(c.config.Firmware.Path)
}

func (c *checker) processors() int { return c.config.Network.Shape().Processors() }

func (c *checker) wholeUnits(size int) int {
	shape := c.config.Network.Shape()
	return shape.WholeUnits(size) * shape.PerUnit
}

func (c *checker) mode() string {
	if c.alone {
		return config.ModeIsolated
	}
	return config.ModeBanked
}

func (c *checker) leave(what string) {
	c.report.NotCompared = append(c.report.NotCompared, what)
}

func (c *checker) machine(run *Run) (*emulator.Machine, error) {
	own := *c.config
	own.Firmware.Mode = run.Mode
	if run.Metered != (own.Firmware.CPU != nil) { // never with a budget
		own.Firmware.CPU = nil
		if run.Metered {
			own.Firmware.CPU = c.countingCPU()
		}
	}
	return emulator.New(c.ctx, &own, emulator.Options{
		Engine: run.Engine, Workers: run.Workers, BankSize: run.BankSize, Runtime: run.Runtime, Audit: true,
	})
}

// countingCPU executes an instruction in each cycle. It ignores errors of the image, which emulator.New reports.
func (c *checker) countingCPU() *meter.CPU {
	binary, _ := c.imageBytes()
	counts := firmware.CountingMeter(binary)
	counts.Limit = firmware.LimitMax
	return &meter.CPU{Model: cmp.Or(counts.Core, wasm.Models()[0]), Meter: counts, Ratio: 1}
}

// limits of a machine that calls its handlers one at a time
const (
	watchedProcessorsMax = 1 << 16
	watchedBank          = 256    // processors per bank, whose memory is compared after each call
	watchedTicks         = 1 << 8 // ticks per handler
)

// watched builds a machine with separate, bounded handler calls, banked if possible.
func (c *checker) watched(covered bool) (*emulator.Machine, error) {
	own := *c.config
	own.Firmware.Mode = c.mode()
	return emulator.New(c.ctx, &own, emulator.Options{
		Engine: c.engine(), Workers: 1, BankSize: min(watchedBank, c.processors()),
		HandlersWatched: true, HandlersCovered: covered, HandlerTicks: watchedTicks,
	})
}

func (c *checker) engine() string {
	if emulator.NoSlots(c.config.Network, false) != nil {
		return emulator.EngineCycle
	}
	return emulator.EngineSlot
}
