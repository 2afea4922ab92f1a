package cosim

import "context"

// IcarusBackend is the backend that simulates in a process of its own.
func IcarusBackend() Backend {
	return Backend{
		Name:  BackendIcarus,
		Build: func(_ context.Context, s Source, _ BuildOptions) (Design, error) { return &icarusBuild{source: s}, nil },
	}
}

// icarusBuild is a source as a Design: every device is compiled on its own.
type icarusBuild struct {
	source   Source
	warnings []Warning // of the last device
}

func (b *icarusBuild) Open(o Options) (Device, error) {
	d, err := OpenIcarus(b.source, o)
	if err == nil {
		b.warnings = d.(interface{ Warnings() []Warning }).Warnings()
	}
	return d, err
}

func (b *icarusBuild) Warnings() []Warning { return b.warnings }
func (b *icarusBuild) CaseBlind() bool     { return false } // Verilog only
func (b *icarusBuild) Close() error        { return nil }
