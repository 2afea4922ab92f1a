package rtl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

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

// rtlComponentsMax is how many components of a machine can be RTL: those of
// 16 groups of 16. Each is a device, with an address space of its own in wasm.
const rtlComponentsMax = 1024

// components are what the hardware has ports for: its components, so many parts, then composites, and
// all of it; and what has been chosen of them.
type components struct {
	parts  int
	sites  []*hw.Site
	within [][]int  // by site: which are the parts of a composite
	whole  *hw.Site // nil for none
	chosen [][]inloop.Part
	all    *inloop.Part   // nil if parts are replaced
	taken  map[string]int // entry of the scenario that has replaced a component
}

// see takes the sites of all hardware, and returns its components with the composites after them.
func (c *components) see(parts []hw.Sited, composites []hw.Composite, whole hw.Sited) []hw.Sited {
	c.parts, c.within = len(parts), make([][]int, len(parts), len(parts)+len(composites))
	for _, composite := range composites {
		var within []int
		for _, part := range composite.Parts() {
			within = append(within, slices.Index(parts, part))
		}
		parts, c.within = append(parts[:len(parts):len(parts)], composite), append(c.within, within)
	}
	for _, part := range parts {
		c.sites = append(c.sites, part.Site())
	}
	if whole != nil {
		c.whole = whole.Site()
	}
	c.chosen = make([][]inloop.Part, len(parts))
	return parts
}

func (c *components) models() []*hw.Site {
	if c.whole == nil {
		return c.sites
	}
	return append(c.sites[:len(c.sites):len(c.sites)], c.whole)
}

func (c *components) twins() (names []string) {
	for _, site := range c.models() {
		names = append(names, site.Twin)
	}
	return names
}

func (c *components) isWhole(path string) bool       { return c.whole != nil && path == c.whole.Path(0) }
func (c *components) isWholeModel(model string) bool { return c.whole != nil && model == c.whole.Twin }

// match lists the elements of a site that a pattern names, as far as there may be.
func (c *components) match(site *hw.Site, pattern *hw.Pattern) (elements []int) {
	for i := range site.Elements {
		if len(elements) > rtlComponentsMax {
			break
		}
		if pattern.Match(site.Path(i)) || site.Whole != nil && pattern.Match(site.Whole(i)) {
			elements = append(elements, i)
		}
	}
	return elements
}

func (c *components) matchWithin(composite int, pattern *hw.Pattern) bool {
	return slices.ContainsFunc(c.within[composite], func(part int) bool { return len(c.match(c.sites[part], pattern)) > 0 })
}

// watched reports whether only traces show an output of a model; its _o may be missing.
func (c *components) watched(model, output string) bool {
	for _, site := range c.models() {
		for _, p := range site.Ports {
			if site.Twin == model && p.Watched && (p.Name == output || p.Name == output+"_o") {
				return true
			}
		}
	}
	return false
}
