package firmware

import (
	"fmt"

	"starloom/firmware/wasm"
)

// Limit lets a call of handlers trap that takes more than about ticks times wasm.TickTurns
// turns of its loops; 0: none does. It counts in whole ticks, so a handler that takes nearly
// as many may trap or not, by what ran before; one that never returns always does.
func (h *Host) Limit(ticks int) { h.ticks = ticks }

// Endless reports whether a call has trapped by Limit.
func (h *Host) Endless() bool { return h.endless.Load() }

// limit ends the call of an instance that has used up its ticks.
func (h *Host) limit(in *wasmInstance) {
	if h.ticks == 0 || in == nil {
		return
	}
	if in.ticks++; in.ticks > h.ticks {
		h.endless.Store(true)
		panic(endlessError(h.ticks))
	}
}

// endlessError ends a handler that does not return; its value is the limit in ticks.
type endlessError int

func (e endlessError) Error() string {
	return fmt.Sprintf("it has not returned after about %d turns of its loops", int(e)*wasm.TickTurns)
}
