package firmware

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm"
)

// LimitDefault is what a call of an image may cost unless a limit is given: in `firmware inspect`,
// and in a run without a budget.
const LimitDefault = 1_000_000_000

// LimitMax is the largest limit: the cost of a call that is not ended has 32 bits.
const LimitMax = 4_000_000_000

func inspectMeter() *wasm.Meter {
	unit, _ := wasm.Model("unit")
	return &wasm.Meter{Costs: unit, Limit: LimitDefault}
}

// spentError ends a call that has cost more than the limit of its meter.
type spentError struct {
	limit uint64
	key   string
}

func (e spentError) Error() string {
	if e.key != "" {
		return fmt.Sprintf("it cost more than %s, which is %d by the cost table", e.key, e.limit)
	}
	return fmt.Sprintf("it is taken for endless: the call has cost more than %d by the cost table", e.limit)
}

// costsOf is the globals in which a module counts, all nil without a meter.
type costsOf struct {
	counter, place api.MutableGlobal
}

func (c *costsOf) zero() {
	if c.counter != nil {
		c.counter.Set(0)
	}
}

func costGlobals(module api.Module) (c costsOf) {
	get := func(name string) api.MutableGlobal {
		g, _ := module.ExportedGlobal(name).(api.MutableGlobal)
		return g
	}
	return costsOf{get(wasm.CounterName), get(wasm.PlaceName)}
}

func (h *Host) call(ctx context.Context, module api.Module, f api.Function, arguments ...uint64) ([]uint64, error) {
	costs := costGlobals(module)
	costs.zero()
	t, ok := ctx.Value(turnsKey{}).(*turns)
	if !ok {
		t = newTurns(module)
		ctx = context.WithValue(ctx, turnsKey{}, t)
	}
	t.begin()
	results, err := f.Call(ctx, arguments...)
	if err == nil {
		err = h.spent(module, costs)
	}
	return results, err
}

// spent is the error of a call that has returned, and has cost more than it may.
func (h *Host) spent(module api.Module, costs costsOf) error {
	if costs.counter == nil {
		return nil
	}
	if limit := module.ExportedGlobal(wasm.LimitName).Get(); costs.counter.Get() > limit {
		return spentError{limit, h.limitKey}
	}
	return nil
}

func (h *Host) endSpent(module api.Module) {
	if c := costGlobals(module); c.counter != nil && c.counter.Get() == wasm.Spent {
		panic(spentError{module.ExportedGlobal(wasm.LimitName).Get(), h.limitKey})
	}
}
