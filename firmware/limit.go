package firmware

import (
	"context"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm"
)

// TurnsMax is how many iterations of its loops a call of an image without a meter may take: with four
// instructions in the shortest loop, 10^9 instructions or more. A call of a function that may call
// itself is a turn, too; long loops and long functions count one more for each 256 instructions.
const TurnsMax = 250_000_000

// Limit lets a call of any export trap that takes more than ticks times wasm.TickTurns turns of its
// loops; 0: more than TurnsMax, and of an image with a meter as many as it likes. A handler's turns
// are its own, whoever ran before it in its bank, if the image says when a cell's turn begins
// (wasm.Copy.Laps); otherwise those of all of a bank's handlers in a slot count as one's.
func (h *Host) Limit(ticks int) {
	h.turns = uint64(ticks) * wasm.TickTurns
	h.endless.Store(false)
}

// Endless reports whether a call has trapped by Limit.
func (h *Host) Endless() bool { return h.endless.Load() }

type endlessError struct {
	turns     uint64   // the limit
	recursive []string // functions that may have taken them without a loop
}

func (e endlessError) Error() string {
	text := fmt.Sprintf("it has not returned after %d ", e.turns)
	if len(e.recursive) > 0 {
		text += fmt.Sprintf("calls of functions that may call themselves (%s) or ", some(e.recursive))
	}
	return text + "iterations of its loops"
}

type turns struct {
	left, lap api.MutableGlobal // wasm.TurnsName, wasm.LapName
	metered   bool
	start     int64  // what left was set to
	used      uint64 // of the lap, up to then
	all       uint64 // of the call, up to then
	laps      uint64 // that the call may have
}

// noLap is in lap as long as no other lap has begun.
const noLap = math.MinInt32

// turnsKey finds the turns of a call in its context.
type turnsKey struct{}

func newTurns(module api.Module) *turns {
	get := func(name string) api.MutableGlobal { return module.ExportedGlobal(name).(api.MutableGlobal) }
	return &turns{left: get(wasm.TurnsName), lap: get(wasm.LapName), metered: module.ExportedGlobal(wasm.CounterName) != nil, start: wasm.TickTurns, laps: 1}
}

func (t *turns) begin() {
	t.used, t.all, t.laps = 0, 0, 1
	t.set(wasm.TickTurns)
}

func (t *turns) set(turns uint64) {
	t.start = int64(turns)
	t.left.Set(uint64(uint32(turns)))
	t.lap.Set(noLap & math.MaxUint32)
}

// ask takes in what has run since the last time, and returns whether the call may go on.
func (t *turns) ask(limit uint64) bool {
	left, lap := int64(int32(t.left.Get())), int64(int32(t.lap.Get()))
	since := uint64(t.start - left)
	t.all += since
	if t.used += since; lap != noLap {
		t.used = uint64(lap - left)
	}
	on := t.used <= limit && t.all/(t.laps+1) <= limit
	if on {
		t.set(min(limit-t.used, wasm.TickTurns))
	} else {
		t.set(wasm.TickTurns)
	}
	return on
}

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
