package rtl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"starloom/cosim"
	"starloom/cosim/inloop"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/hw"
	"starloom/internal/config"
)

// Wanted is what a machine wants of its RTL.
type Wanted struct {
	Network fabric.Network
	Names   fabric.Names
	Entries []config.RTL
	Source  *config.Source
	InPlace InPlace
}

// InPlace is what stands in the places of RTL.
type InPlace uint8

const (
	// OfRTL is the RTL itself.
	OfRTL InPlace = iota
	// Models have the parameters of the RTL. Their inputs and outputs are noted.
	Models
	// Own are the machine's own components. Their outputs are noted.
	Own
)

// Devices is the RTL of a machine. It is a plant.RTL.
type Devices struct {
	Wanted
	components
	ctx  context.Context // while the machine is built
	Loop *inloop.Loop

	Report    []outcome.RTLReport // by path
	Checks    []string            // commands that compare the RTL with its models
	ChecksOwn []string            // those of pin maps
	Maps      []*pinmap.Map       // that end with the devices
	devices   []cosim.Device
	beside    []*watched // of these, those whose maps assume something
	icarus    int        // processes

	Outputs   Outputs // of what stands in the places of RTL
	Recorded  []PartRun
	Recorders []*lockstep.Recorder
	Kernel    *hw.Kernel
}

// PartRun is a component that the scenario replaces.
type PartRun struct {
	Path     string
	Map      *pinmap.Map
	Stimulus *lockstep.Stimulus
	Check    string // the command that checks the RTL with other inputs
}

// New returns the RTL of a machine, which opens it while the machine is built, up to the end of ctx.
func New(ctx context.Context, w Wanted) *Devices {
	return &Devices{Wanted: w, components: components{taken: map[string]int{}}, ctx: ctx}
}

func (r *Devices) Failed() bool { return r.Loop.Fault() != nil }

func (r *Devices) Broken(fault *hw.Fault) { r.Loop.Broken(fault) }

func (r *Devices) Close() error {
	var err error
	for _, d := range r.devices {
		err = errors.Join(err, d.Close())
	}
	for _, m := range r.Maps {
		err = errors.Join(err, m.Close())
	}
	return err
}

// Identity tells RTL apart in saved states.
func (r *Devices) Identity() string {
	sum := sha256.New()
	for _, x := range r.Report {
		fmt.Fprintln(sum, x.Path, x.Top, x.Backend, x.SHA256)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
