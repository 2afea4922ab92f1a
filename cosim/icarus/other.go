//go:build !linux

package icarus

import (
	"runtime"

	"starloom/cosim"
)

// Open returns an error: the backend requires Linux for futexes and for processes that end with their parent.
func Open(source cosim.Source, o cosim.Options) (cosim.Device, error) {
	return OpenSeeing(source, o, cosim.Seeing{})
}

// OpenSeeing also requires Linux.
func OpenSeeing(source cosim.Source, _ cosim.Options, _ cosim.Seeing) (cosim.Device, error) {
	return nil, &cosim.InputError{
		Place:  source.Top,
		Reason: "Icarus cannot be driven on " + runtime.GOOS,
		Remedy: "build the circuit to wasm, or use Linux",
	}
}
