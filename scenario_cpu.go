package starloom

import (
	"fmt"
	"slices"
	"strings"

	"starloom/firmware"
	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

func (c *CPU) metered() bool { return c.Model != "" }

func (s *Scenario) checkCPU() error {
	const path = "firmware.cpu"
	c := &s.Firmware.CPU
	if !c.metered() {
		for _, key := range []struct {
			name  string
			given bool
		}{{"cost", len(c.Cost) > 0}, {"core", len(c.Core) > 0}, {"clock_ratio", c.ClockRatio != 0},
			{"trap_cycles", c.TrapCycles != 0}} {
			if key.given {
				return s.refuse(strict.Join(path, key.name),
					fmt.Sprintf("%s.%s without a model: handlers take no time", path, key.name),
					"add model: unit, or delete the key")
			}
		}
		return nil
	}
	if err := s.checkCore(); err != nil {
		return err
	}
	if c.Model == ModelCustom && len(c.Cost) == 0 {
		return s.refuse(path+".model", "model: custom without costs", "add cost: {load: 3, ...}; other classes cost 1")
	}
	names := make([]string, 0, len(c.Cost))
	for name := range c.Cost {
		names = append(names, name)
	}
	slices.Sort(names) // the same error for the same file
	for _, name := range names {
		at := path + ".cost." + name
		if !slices.Contains(wasm.ClassNames(), name) {
			return s.refuse(at, fmt.Sprintf("there is no class of instructions %q", strict.Clip(name)),
				input.DidYouMean(name, wasm.ClassNames(), "classes are "+strings.Join(wasm.ClassNames(), ", ")))
		}
		if allowed := costSpan(name); c.Cost[name] < allowed.Min || c.Cost[name] > int64(allowed.Max) {
			return s.refuse(at, fmt.Sprintf("%s is %d", at, c.Cost[name]), allowed.Allowed())
		}
	}
	if budget := uint64(c.BudgetCycles); c.TrapCycles > 0 && c.TrapCycles < budget {
		return s.refuse(path+".trap_cycles",
			fmt.Sprintf("%s.trap_cycles is %d, less than budget_cycles, %d: a handler would trap before it misses its slot",
				path, c.TrapCycles, budget),
			fmt.Sprintf("give %d or more, or delete the key", budget))
	}
	if ratio := c.ratio(); c.TrapCycles > firmware.LimitMax/ratio {
		return s.refuse(path+".trap_cycles",
			fmt.Sprintf("%s.trap_cycles is %d, with a clock_ratio of %d", path, c.TrapCycles, ratio),
			fmt.Sprintf("allowed: 1 to %d: costs are counted to about %d", firmware.LimitMax/ratio,
				uint64(firmware.LimitMax)))
	}
	return nil
}

// ofCore reports whether the model is that of a RISC-V core, for ELFs.
func (c *CPU) ofCore() bool { return slices.Contains(rv32.Models(), c.Model) }

func (s *Scenario) checkCore() error {
	const path = "firmware.cpu"
	c := &s.Firmware.CPU
	switch {
	case !c.ofCore() && len(c.Core) > 0:
		return s.refuse(path+".core", "the model "+c.Model+" has no core with parameters",
			"delete core, or choose a model of "+strings.Join(rv32.Models(), ", "))
	case !c.ofCore():
		return nil
	case len(c.Cost) > 0:
		return s.refuse(path+".cost", "costs of WebAssembly instructions with the core "+c.Model,
			"delete cost: the core's timing is measured")
	}
	if _, err := rv32.NewCore(c.Model, c.Core); err != nil {
		return s.refuse(path+".core", err.Error(), "give parameters of a measured core")
	}
	return nil
}
