// Package icarus simulates Verilog with Icarus in a separate process, with four states. It requires Linux.
//
//	Device --commands, inputs--> shared memory <--> ../vpi in vvp
//	       <--outputs, X and Z--
package icarus

import (
	"context"

	"starloom/cosim"
)

// Backend returns the backend that simulates in a separate process.
func Backend() cosim.Backend {
	return cosim.Backend{
		Name: cosim.BackendIcarus,
		Build: func(_ context.Context, s cosim.Source, o cosim.BuildOptions) (cosim.Design, error) {
			return &uncompiled{source: s, seeing: o.Seeing}, nil
		},
	}
}

// uncompiled is a source as a Design. Every device compiles it separately.
type uncompiled struct {
	source   cosim.Source
	seeing   cosim.Seeing
	warnings []cosim.Warning
}

func (b *uncompiled) Open(o cosim.Options) (cosim.Device, error) {
	d, err := OpenSeeing(b.source, o, b.seeing)
	if err == nil {
		b.warnings = d.(interface{ Warnings() []cosim.Warning }).Warnings()
	}
	return d, err
}

func (b *uncompiled) Warnings() []cosim.Warning { return b.warnings }
func (b *uncompiled) CaseBlind() bool           { return false }
func (b *uncompiled) Close() error              { return nil }
