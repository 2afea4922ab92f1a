//go:build !linux

package cosim

import "runtime"

// OpenIcarus needs Linux: futexes, and processes that end with their owner.
func OpenIcarus(source Source, _ Options) (Device, error) {
	return nil, &InputError{Place: source.Top, Reason: "Icarus cannot be driven on " + runtime.GOOS, Remedy: "build the circuit to wasm, or use Linux"}
}
