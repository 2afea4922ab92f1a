package runs

import (
	"context"
	"slices"
	"strings"

	"starloom/fabric/plant"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/outcome"
	"starloom/internal/rtl"
)

// components are what the kernel runs: the network, with RTL in the place of the routers that the scenario names.
func (r *bareRun) components(ctx context.Context, c *config.Config, inPlace rtl.InPlace) ([]hw.Component, error) {
	if len(c.RTL) == 0 {
		return r.network.Components(), nil
	}
	r.rtl = rtl.New(ctx, rtl.Wanted{Network: c.Network, Names: c.Network.Names(), Entries: c.RTL, Source: &c.Source, InPlace: inPlace})
	return plant.ReplaceRouters(r.rtl, r.kernel, r.network.Routers, r.network.Components())
}

// cycle runs one cycle, and reports whether the run goes on.
func (r *bareRun) cycle() (goesOn bool) {
	if r.rtl == nil {
		r.step()
		return r.watchErr == nil
	}
	plant.Guarded(r.rtl, r.step)
	return !r.rtl.Failed() && r.watchErr == nil
}

// step is one cycle.
func (r *bareRun) step() {
	r.kernel.DriveAndSettle()
	if r.watch != nil {
		r.watchErr = r.watch(r.kernel.Cycle())
	}
	r.kernel.Latch()
}

// tell adds to a report what was RTL, and how it has failed.
func (r *bareRun) tell(report *outcome.Report) {
	if r.rtl == nil {
		return
	}
	report.RTL = r.rtl.Reports()
	report.Aside.RTLCheck = "`" + strings.Join(slices.Compact(slices.Sorted(slices.Values(r.rtl.Checks))), "` or `") + "`"
	if r.rtl.Failed() {
		report.Verdict, report.ViolationsTotal, report.Violations = outcome.VerdictFail, 1, []outcome.Violation{r.rtl.Violation(1)}
	}
}

// close ends the devices.
func (r *bareRun) close() error {
	if r.rtl == nil {
		return nil
	}
	return r.rtl.Close()
}
