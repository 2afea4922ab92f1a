package runs

import (
	"context"
	"slices"
	"strings"

	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/outcome"
	"starloom/internal/rtl"
)

// components are what the kernel runs: the network, with RTL in the place of the routers that the scenario names.
func (r *bareRun) components(ctx context.Context, c *config.Config) ([]hw.Component, error) {
	if len(c.RTL) == 0 {
		return r.network.Components(), nil
	}
	r.rtl = rtl.New(ctx, rtl.Wanted{Network: c.Network, Names: c.Network.Names(), Entries: c.RTL, Source: &c.Source})
	routers, _, err := r.rtl.Replace(r.kernel, []hw.Sited{r.network.Routers}, nil, nil)
	n := r.network
	return append(routers, n.Flits, n.Credits, n.Sources, n.Sinks), err
}

// cycle runs one cycle, and reports whether the run goes on. RTL may have failed then, or may have sent what its neighbours
// cannot take.
func (r *bareRun) cycle() (goesOn bool) {
	if r.rtl == nil {
		r.kernel.DriveAndSettle()
		r.kernel.Latch()
		return true
	}
	defer func() {
		if value := recover(); value != nil {
			fault, ok := value.(*hw.Fault)
			if !ok {
				panic(value)
			}
			r.failed = &outcome.Violation{
				Rule: outcome.RuleRTLFault, Path: fault.Path, Cycle: fault.Cycle, Slot: fault.Cycle,
				Message: fault.Text + ": RTL in this network has sent what no router sends",
			}
			goesOn = false
		}
	}()
	r.kernel.DriveAndSettle()
	r.kernel.Latch()
	if r.rtl.Failed() {
		failed := r.rtl.Violation(1)
		r.failed = &failed
	}
	return r.failed == nil
}

// tell adds to a report what was RTL, and how it has failed.
func (r *bareRun) tell(report *outcome.Report) {
	if r.rtl == nil {
		return
	}
	report.RTL = r.rtl.Reports()
	report.Aside.RTLCheck = "`" + strings.Join(slices.Compact(slices.Sorted(slices.Values(r.rtl.Checks))), "` or `") + "`"
	if r.failed != nil {
		report.Verdict, report.ViolationsTotal, report.Violations = outcome.VerdictFail, 1, []outcome.Violation{*r.failed}
	}
}

// close ends the devices.
func (r *bareRun) close() error {
	if r.rtl == nil {
		return nil
	}
	return r.rtl.Close()
}
