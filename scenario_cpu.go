package starloom

import (
	"fmt"
	"slices"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/internal/strict"
	"starloom/traces/input"
	"strings"
)

// metered reports whether handlers take time.
func (c *CPU) metered() bool { return c.Model != "" }

// checkCPU checks what the keys of firmware.cpu need of each other.
func (s *Scenario) checkCPU() error {
	const path = "firmware.cpu"
	c := &s.Firmware.CPU
	if !c.metered() {
		for _, key := range []struct {
			name  string
			given bool
		}{{"cost", len(c.Cost) > 0}, {"clock_ratio", c.ClockRatio != 0}, {"trap_cycles", c.TrapCycles != 0}} {
			if key.given {
				return s.refuse(strict.Join(path, key.name), fmt.Sprintf("%s.%s without a model: handlers take no time", path, key.name), "add model: unit, or delete the key")
			}
		}
		return nil
	}
	if c.Model == ModelCustom && len(c.Cost) == 0 {
		return s.refuse(path+".model", "model: custom without costs", "add cost: {load: 3, ...}; what is left out costs 1")
	}
	names := make([]string, 0, len(c.Cost))
	for name := range c.Cost {
		names = append(names, name)
	}
	slices.Sort(names) // the same error for the same file
	for _, name := range names {
		at := path + ".cost." + name
		if !slices.Contains(wasm.ClassNames(), name) {
			return s.refuse(at, fmt.Sprintf("there is no class of instructions %q", strict.Clip(name)), input.DidYouMean(name, wasm.ClassNames(), "classes are "+strings.Join(wasm.ClassNames(), ", ")))
		}
		if allowed := costSpan(name); c.Cost[name] < allowed.Min || c.Cost[name] > int64(allowed.Max) {
			return s.refuse(at, fmt.Sprintf("%s is %d", at, c.Cost[name]), allowed.Allowed())
		}
	}
	if budget := uint64(c.BudgetCycles); c.TrapCycles > 0 && c.TrapCycles < budget {
		return s.refuse(path+".trap_cycles", fmt.Sprintf("%s.trap_cycles is %d, less than budget_cycles, %d: a handler would trap before it misses its slot", path, c.TrapCycles, budget),
			fmt.Sprintf("give %d or more, or delete the key", budget))
	}
	if ratio := uint64(max(c.ClockRatio, 1)); c.TrapCycles > firmware.LimitMax/ratio {
		return s.refuse(path+".trap_cycles", fmt.Sprintf("%s.trap_cycles is %d, with a clock_ratio of %d", path, c.TrapCycles, ratio),
			fmt.Sprintf("allowed are 1 to %d: costs are counted to about %d", firmware.LimitMax/ratio, uint64(firmware.LimitMax)))
	}
	return nil
}

// costSpan is the range of the cost of a class of instructions.
func costSpan(class string) strict.Span {
	return strict.Span{Min: int64(wasm.CostMin(class)), Max: wasm.CostMax}
}
