package cosim

import (
	"io"
	"time"
)

// Options control opening a device.
type Options struct {
	// Seed initialises registers without a reset value randomly; equal seeds yield equal values. 0 initialises them
	// with zero.
	Seed uint64

	// TimeLimit is the maximum time of a cycle before a FaultHang; 0 selects 5 s. Endless loops are usually detected
	// earlier, by the number of iterations or, in Icarus, by processor time.
	TimeLimit time.Duration

	// Interpreter selects interpretation of wasm, which is slow. The interpreter is the reference for the compiler.
	Interpreter bool
}

// Limit returns TimeLimit or its default.
func (o *Options) Limit() time.Duration {
	if o.TimeLimit > 0 {
		return o.TimeLimit
	}
	return 5 * time.Second
}

// Logger is a device that keeps the last part of its circuit's output, about 64 KiB.
type Logger interface{ Log() string }

// BuildOptions control a build.
type BuildOptions struct {
	Cache    string            // directory of earlier results; "" for the user's cache
	Warnings io.Writer         // tool messages about accepted sources; nil: discarded
	Progress func(step string) // called at the beginning of each step; nil for no calls
	Seeing   Seeing
}

// Step reports the beginning of a step.
func (o *BuildOptions) Step(text string) {
	if o.Progress != nil {
		o.Progress(text)
	}
}
