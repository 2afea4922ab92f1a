package plant

import (
	"starloom/fabric"
	"starloom/hw"
)

// Hardware is a Transport of the cycle engine: a Plant, a Stream, or both in a Joint.
type Hardware interface {
	fabric.Transport
	Clock() *hw.Clock
	Probes(yield func(hw.Probe)) // but for those of routers
	Routers() *hw.RouterSignals  // nil for none
	Watching() *Watched
}

// Signals yields all signals.
func Signals(h Hardware, yield func(hw.Probe)) {
	h.Probes(yield)
	if r := h.Routers(); r != nil {
		r.Probes(yield)
	}
}

// Watched is somebody who looks at every cycle.
type Watched struct {
	// Watch, if set, is called in every cycle between Settle and Latch.
	Watch func(cycle uint64) error
	// WatchError is the first error of Watch; nothing is watched after it.
	WatchError error
}

// Watching is who looks.
func (w *Watched) Watching() *Watched { return w }

// Look lets who looks see a cycle.
func (w *Watched) Look(cycle uint64) {
	if w.Watch != nil && w.WatchError == nil {
		w.WatchError = w.Watch(cycle)
	}
}
