package cosim

import (
	"io"
	"time"
)

// Options say how to open a device.
type Options struct {
	// Seed gives every register without a reset value a random one, the same for
	// the same seed; 0: all of them start at zero.
	Seed uint64

	// TimeLimit is how long one cycle may take before it is a FaultHang; 0: 5 s. An endless loop
	// is found earlier: by its turns, in Icarus by the processor time that it takes.
	TimeLimit time.Duration

	// Interpreter runs wasm slowly: the oracle of the compiler.
	Interpreter bool
}

// Limit is TimeLimit or its default.
func (o *Options) Limit() time.Duration {
	if o.TimeLimit > 0 {
		return o.TimeLimit
	}
	return 5 * time.Second
}

// Logger is a device that keeps what its circuit prints: about the last 64 KiB.
type Logger interface{ Log() string }

// BuildOptions say how to build.
type BuildOptions struct {
	Cache    string            // directory of earlier results; "" for the user's own
	Warnings io.Writer         // what the tools say of a source that they accept; nil: it is discarded
	Progress func(step string) // called when a step begins; may be nil
	Seeing   Seeing
}

// Step reports the beginning of a step.
func (o *BuildOptions) Step(text string) {
	if o.Progress != nil {
		o.Progress(text)
	}
}
