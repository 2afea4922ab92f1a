package verilator

import (
	"context"

	"starloom/cosim"
)

// Wasm is the backend that runs a circuit as WebAssembly.
func Wasm() cosim.Backend {
	return cosim.Backend{
		Name: cosim.BackendWasm,
		Build: func(ctx context.Context, s cosim.Source, o cosim.BuildOptions) (cosim.Design, error) {
			return wasmDesign(Build(ctx, s, o))
		},
		Load: func(image []byte) (cosim.Design, error) { return wasmDesign(Load(image)) },
	}
}

// wasmBuild is a Circuit as a Design.
type wasmBuild struct{ circuit *Circuit }

func wasmDesign(c *Circuit, err error) (cosim.Design, error) {
	if err != nil {
		return nil, err
	}
	return wasmBuild{c}, nil
}

func (b wasmBuild) Open(o cosim.Options) (cosim.Device, error) { return Open(b.circuit, o) }
func (b wasmBuild) Warnings() []cosim.Warning                  { return b.circuit.Warnings }
func (b wasmBuild) CaseBlind() bool                            { return b.circuit.CaseBlind }
func (b wasmBuild) Close() error                               { return b.circuit.Close() }

// Native is the backend that loads a circuit as a library of the machine; see Shared.
func Native() cosim.Backend {
	return cosim.Backend{
		Name: cosim.BackendShared,
		Build: func(ctx context.Context, s cosim.Source, o cosim.BuildOptions) (cosim.Design, error) {
			shared, err := BuildShared(ctx, s, o)
			if err != nil {
				return nil, err
			}
			return sharedBuild{shared}, nil
		},
	}
}

// sharedBuild is a Shared as a Design. A library stays loaded.
type sharedBuild struct{ shared *Shared }

func (b sharedBuild) Open(o cosim.Options) (cosim.Device, error) { return OpenShared(b.shared, o) }
func (b sharedBuild) Warnings() []cosim.Warning                  { return b.shared.Warnings }
func (b sharedBuild) CaseBlind() bool                            { return b.shared.CaseBlind }
func (b sharedBuild) Close() error                               { return nil }
