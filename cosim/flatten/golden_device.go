package flatten

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/icarus"
	"starloom/cosim/verilator"
)

// Build compiles the print of a Golden to WebAssembly. Devices have the ports of the source and implement Unknown.
func (m *Golden) Build(ctx context.Context, o cosim.BuildOptions) (cosim.Design, error) {
	print, err := m.source(o)
	if err != nil {
		return nil, err
	}
	o.Seeing = cosim.Seeing{}
	design, err := verilator.Wasm().Build(ctx, print, o)
	if err != nil {
		return nil, err
	}
	return &goldenDesign{design, m, false}, nil
}

type goldenDesign struct {
	cosim.Design
	*Golden
	forks bool // devices have an additional last output with the branches
}

func (d *goldenDesign) Open(o cosim.Options) (cosim.Device, error) {
	inner, err := d.Design.Open(o)
	if err != nil {
		return nil, err
	}
	words := 0
	for _, p := range d.Ports {
		if !p.Input {
			words += p.Words()
		}
	}
	device := &GoldenDevice{Device: inner, golden: d.Golden, words: words}
	if d.forks {
		return &forkedDevice{GoldenDevice: device, unknown: make([]uint64, len(inner.Outputs()))}, nil
	}
	return device, nil
}

// A GoldenDevice runs the print of a Golden with the ports of its source.
type GoldenDevice struct {
	cosim.Device
	golden *Golden
	words  int // of the source's outputs
}

func (d *GoldenDevice) Ports() []cosim.Port { return d.golden.Ports }
func (d *GoldenDevice) Outputs() []uint64   { return d.Device.Outputs()[:d.words] }
func (d *GoldenDevice) Unknown() []uint64   { return d.Device.Outputs()[d.words : 2*d.words] }

// Inside returns the values of the registers, one word each, followed by words with a bit for each branch, 1 if the
// branch is taken. The slice belongs to the device.
func (d *GoldenDevice) Inside() []uint64 { return d.Device.Outputs()[2*d.words:] }

// A forkedDevice is a GoldenDevice with the branches as an output, for a guide.
type forkedDevice struct {
	*GoldenDevice
	unknown []uint64
}

func (d *forkedDevice) Outputs() []uint64 { return d.Device.Outputs() }

func (d *forkedDevice) Unknown() []uint64 {
	copy(d.unknown, d.GoldenDevice.Unknown())
	return d.unknown
}

func (d *forkedDevice) Ports() []cosim.Port {
	all := d.Device.Ports()
	if last := all[len(all)-1]; last.Name == goldenBranches {
		return append(slices.Clone(d.golden.Ports), last)
	}
	return d.golden.Ports
}

// SaveSince and RestoreSince implement cosim.Keeper.

func (d *GoldenDevice) SaveSince(snapshot []byte) (difference []byte, bytes int, err error) {
	return d.Device.(cosim.Keeper).SaveSince(snapshot)
}

func (d *GoldenDevice) RestoreSince(snapshot, difference []byte) error {
	return d.Device.(cosim.Keeper).RestoreSince(snapshot, difference)
}

// Compare runs the Golden beside its source, in Verilator or in Icarus Verilog, with random inputs. Bits that are X
// in the Golden or the source are not compared. A difference is a *Difference.
func (m *Golden) Compare(ctx context.Context, s cosim.Source, o cosim.BuildOptions, second bool) (done Second,
	err error) {
	c := &comparison{
		Module: &Module{Top: m.Top, Ports: m.Ports}, s: s, cycles: CompareCycles, seed: 1, restarts: restartsMax,
		powerOn: 1, quiet: true, random: rand.New(rand.NewPCG(1, 0x5eed)), hidden: map[string]int{},
	}
	backend := verilator.Wasm()
	if second {
		backend, c.s = icarus.Backend(), s.ForVerilator()
		c.cycles, c.restarts = SecondCycles, secondRestartsMax
	}
	guided := m.Module
	guided.Branches, guided.BranchPort = m.Forks, goldenBranches
	c.guide = newGuide(&guided, c.random)
	for _, build := range []func() (cosim.Design, error){
		func() (cosim.Design, error) { return backend.Build(ctx, c.s, o) },
		func() (cosim.Design, error) {
			design, err := m.Build(ctx, o)
			if err != nil {
				return nil, err
			}
			design.(*goldenDesign).forks = true
			return design, nil
		},
	} {
		design, err := build()
		switch {
		case err != nil && second:
			return done.without(ctx, err)
		case err != nil:
			return done, err
		}
		defer func() { err = errors.Join(err, design.Close()) }()
		c.designs = append(c.designs, design)
	}
	_, err = c.run()
	done = Second{Cycles: c.done.Cycles, Unknown: c.often(c.hidden), Led: true, Branches: len(m.Forks),
		Taken: len(m.Forks) - c.guide.left}
	_, done.Untaken = c.guide.untaken()
	var differs *Difference
	switch {
	case errors.As(err, &differs):
		differs.Second, differs.Turned = second, m.Turned
	case second && err != nil:
		return done.without(ctx, err)
	}
	return done, err
}

// without records the reason why a second simulator did not run. It returns the context's error.
func (s Second) without(ctx context.Context, err error) (Second, error) {
	s.Absent, _, _ = strings.Cut(cosim.OneLine([]byte(err.Error())), "; ")
	return s, ctx.Err()
}
