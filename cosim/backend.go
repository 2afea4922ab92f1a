package cosim

import "context"

const (
	BackendWasm   = "wasm"   // Verilator's C++ compiled to WebAssembly
	BackendIcarus = "icarus" // Icarus Verilog in a separate process
)

// Backends lists the names of all backends.
var Backends = []string{BackendWasm, BackendIcarus}

// A Backend builds devices from RTL. The program that assembles a machine supplies the backends; this package imports
// none.
type Backend struct {
	Name string

	// Build accepts sources. The backend compiles them at once or when a device is opened.
	Build func(ctx context.Context, s Source, o BuildOptions) (Design, error)

	// Load accepts an image built by `starloom cosim build`; nil for a backend that requires sources.
	Load func(image []byte) (Design, error)

	// Preprocess returns the text of Verilog sources after macros and includes, with `line directives; nil for a
	// backend that cannot.
	Preprocess func(ctx context.Context, s Source, o BuildOptions) (string, error)

	// PortsOf returns the ports of an instance in the top module, in order; nil for a backend that cannot.
	PortsOf func(ctx context.Context, s Source, instance string, o BuildOptions) ([]Port, error)
}

// A Design is RTL that a backend can run.
type Design interface {
	// Open opens a device with the ports of the RTL.
	Open(o Options) (Device, error)

	// Warnings returns the tool warnings that affect a verdict, nil if they are unknown. A backend that compiles in
	// Open does not know them before the first device.
	Warnings() []Warning

	// CaseBlind reports whether the RTL's names are case-insensitive.
	CaseBlind() bool

	// Close releases the build. All devices must have been closed before.
	Close() error
}
