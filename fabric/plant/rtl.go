package plant

import (
	"slices"

	"starloom/hw"
)

// RTL is whoever puts RTL in the place of a machine's hardware. Every device has one edge
// per cycle, as the registers of the models have.
type RTL interface {
	// Replace is called once, when the hardware is built, with its components, those that
	// may stand for several of them, and whole, which stands for all of them at once and is
	// nil if there is no such RTL. It returns what the kernel runs: the parts, each itself,
	// replaced, or in a composite that is; or, if all is true, nothing but whole, replaced.
	Replace(kernel *hw.Kernel, parts []hw.Sited, composites []hw.Composite, whole hw.Sited) (run []hw.Component, all bool, err error)

	// Failed reports whether RTL has ended the run: the slot is not crossed any further.
	Failed() bool

	// Broken ends the run: a model has found what cannot be, and RTL beside it has sent what no model sends.
	Broken(fault *hw.Fault)
}

// ReplaceRouters puts RTL in the place of routers among the components of a network.
func ReplaceRouters(rtl RTL, kernel *hw.Kernel, routers *hw.Routers, components []hw.Component) ([]hw.Component, error) {
	run, _, err := rtl.Replace(kernel, []hw.Sited{routers}, nil, nil)
	return append(run, slices.DeleteFunc(components, func(c hw.Component) bool { return c == routers })...), err
}

// Guarded runs hardware of which some may be RTL, nil for none: what breaks an invariant of a model is then the RTL's fault.
func Guarded(rtl RTL, run func()) {
	if rtl != nil {
		defer func() {
			switch value := recover().(type) {
			case nil:
			case *hw.Fault:
				rtl.Broken(value)
			default:
				panic(value)
			}
		}()
	}
	run()
}
