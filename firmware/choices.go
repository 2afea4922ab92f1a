package firmware

import (
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm"
)

// Draw is a random draw of a handler: sl_chance, sl_random_bits or sl_random_below.
type Draw struct {
	Processor int
	Drawn     uint32 // outcome by the seed
	Outcomes  uint32 // outcomes are 0..Outcomes-1, or only Drawn if Outcomes is 1; 0: sl_random, with 2^32 outcomes
}

// Choose makes images loaded from now on ask choose for the outcome of every draw. An error ends the handler like a
// trap. Handlers of different instances ask at once.
func (h *Host) Choose(choose func(Draw) (outcome uint32, err error)) { h.choose = choose }

type choiceGlobals struct{ drawn, outcomes, asked api.MutableGlobal }

func choiceGlobalsOf(module api.Module) (g choiceGlobals) {
	get := func(name string) api.MutableGlobal {
		global, _ := module.ExportedGlobal(name).(api.MutableGlobal)
		return global
	}
	return choiceGlobals{get(wasm.DrawnName), get(wasm.OutcomesName), get(wasm.AskedName)}
}

// answer answers a copy that asks for a draw. Draws before the handlers of the machine keep their outcome.
func (in *wasmInstance) answer() (asked bool) {
	if in == nil || in.choice.asked == nil || in.choice.asked.Get() == 0 {
		return false
	}
	in.choice.asked.Set(0)
	cell, ok := in.current()
	if !ok {
		return true
	}
	outcome, err := in.image.host.choose(Draw{in.bank.First + cell, uint32(in.choice.drawn.Get()),
		uint32(in.choice.outcomes.Get())})
	if err != nil {
		panic(err)
	}
	in.choice.drawn.Set(uint64(outcome))
	return true
}
