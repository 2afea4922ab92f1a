package firmware

import (
	"context"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
)

// TurnsMax is the maximum number of loop iterations of a call without a meter. It corresponds to at least 10^9
// instructions, because the shortest loop has four. A call of a recursive function counts as an iteration. Long loops
// and functions count an additional iteration per 256 instructions.
const TurnsMax = 250_000_000

// Limit makes calls of exports trap after ticks times wasm.TickTurns loop iterations; 0 means TurnsMax, or no limit
// with a meter. If the image marks the start of each handler (wasm.Copy.Laps), a handler's iterations are counted
// separately. Otherwise the iterations of all handlers of a bank in a slot are counted together.
func (h *Host) Limit(ticks int) {
	h.turns = uint64(ticks) * wasm.TickTurns
	h.endless.Store(false)
}

// Endless reports whether a call has trapped because of Limit.
func (h *Host) Endless() bool { return h.endless.Load() }

type endlessError struct {
	turns     uint64   // iteration limit
	recursive []string // recursive functions that may have exhausted the limit without loops
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
	start     int64  // initial value of left
	used      uint64 // turns of the lap, before start
	all       uint64 // turns of the call, before start
	laps      uint64 // laps allowed in the call
}

// noLap is the value of lap before another lap begins.
const noLap = math.MinInt32

type turnsKey struct{}

func newTurns(module api.Module) *turns {
	get := func(name string) api.MutableGlobal { return module.ExportedGlobal(name).(api.MutableGlobal) }
	return &turns{left: get(wasm.TurnsName), lap: get(wasm.LapName),
		metered: module.ExportedGlobal(wasm.CounterName) != nil, start: wasm.TickTurns, laps: 1}
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

// ask adds the iterations since the last call, and reports whether the handler may continue.
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

// LimitDefault is the cost limit of a call in `firmware inspect`, and in a run without a budget.
const LimitDefault = 1_000_000_000

// LimitMax is the maximum limit, because costs have 32 bits.
const LimitMax = 4_000_000_000

// CountingMeter counts the instructions of an image: those of RISC-V for an ELF.
func CountingMeter(image []byte) *wasm.Meter {
	if rv32.Is(image) {
		return &wasm.Meter{Core: rv32.Instructions().Model, Limit: LimitDefault}
	}
	unit, _ := wasm.Model("unit")
	return &wasm.Meter{Costs: unit, Limit: LimitDefault}
}

type spentError struct {
	limit uint64
	key   string
}

func (e spentError) Error() string {
	if e.key != "" {
		return fmt.Sprintf("it cost more than %s, the equivalent of %d in the cost table", e.key, e.limit)
	}
	return fmt.Sprintf("it is considered endless: the call has cost more than %d by the cost table", e.limit)
}

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
