// Package verilator builds devices from Verilog and VHDL with Verilator and a C++ compiler.
//
//	VHDL --ghdl--> Verilog --verilator--> C++ --clang++--> Circuit (wasm) --> Device
//
// Its tests also check that all backends, including Icarus, behave alike.
package verilator

import (
	"context"

	"starloom/cosim"
	"starloom/cosim/refmodel"
)

// Wasm returns the backend that compiles a circuit to WebAssembly and runs it in this process.
func Wasm() cosim.Backend {
	return cosim.Backend{
		Name: cosim.BackendWasm,
		Build: func(ctx context.Context, s cosim.Source, o cosim.BuildOptions) (cosim.Design, error) {
			return wasmDesign(Build(ctx, s, o))
		},
		Load: func(image []byte) (cosim.Design, error) {
			if refmodel.Is(image) {
				return refmodel.Load(image)
			}
			return wasmDesign(Load(image))
		},
		Preprocess: preprocess,
		PortsOf:    portsOf,
	}
}

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
