package fabric

import "starloom/hw"

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
}
