package firmware

import (
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
