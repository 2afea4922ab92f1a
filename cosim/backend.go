package cosim

import "context"

// The names of the backends.
const (
	BackendWasm   = "wasm"   // Verilator's C++ as WebAssembly
	BackendIcarus = "icarus" // Icarus Verilog in a process of its own
)

// Backends are the names of all backends.
var Backends = []string{BackendWasm, BackendIcarus}

// A Backend makes devices of RTL. The program that assembles a machine says which backends
// there are: this package imports none of them.
type Backend struct {
	Name string

	// Build takes sources, and compiles them now or when a device is opened.
	Build func(ctx context.Context, s Source, o BuildOptions) (Design, error)

	// Load takes what `starloom cosim build` has made; nil for a backend that runs
	// sources only.
	Load func(image []byte) (Design, error)
}

// A Design is RTL that a backend can run.
type Design interface {
	// Open makes a device with the ports of the RTL.
	Open(o Options) (Device, error)

	// Warnings are what the tools said that bears on a verdict; nil if it is not known,
	// as before the first device of a backend that compiles then.
	Warnings() []Warning

	// CaseBlind reports whether names of the RTL are the same in upper and lower case.
	CaseBlind() bool

	// Close forgets what was built; all devices must be closed before.
	Close() error
}
