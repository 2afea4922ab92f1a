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

// Wanted describes the RTL of a machine.
type Wanted struct {
	Network fabric.Network
	Names   fabric.Names
	Entries []config.RTL
	Source  *config.Source
	InPlace InPlace
}

// InPlace selects the replacement of the components: RTL, models or nothing.
type InPlace uint8

const (
	// OfRTL selects the RTL itself.
	OfRTL InPlace = iota
	// Models selects models with the parameters of the RTL, and records their inputs and outputs.
	Models
	// Own keeps the machine's components, and records their outputs.
	Own
)

// Devices is the RTL of a machine. It implements plant.RTL.
type Devices struct {
	Wanted
	components
	ctx  context.Context
	Loop *inloop.Loop

	Report    []outcome.RTLReport // sorted by path
	Checks    []string            // commands that compare the RTL with its models
	ChecksOwn []string            // commands of pin maps alone
	Maps      []*pinmap.Map       // maps to close with the devices
	devices   []cosim.Device
	beside    []*watched // devices whose maps make assumptions
	icarus    int

	Outputs   Outputs // recorded outputs of the replaced components
	Recorded  []PartRun
	Recorders []*lockstep.Recorder
	Kernel    *hw.Kernel
}

// PartRun is a component that the scenario replaces.
type PartRun struct {
	Path     string
	Map      *pinmap.Map
	Stimulus *lockstep.Stimulus
	Check    string // command that checks the RTL with other inputs
}

// New returns the RTL of a machine. The devices are opened when the machine is built; ctx limits this step.
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

// Identity distinguishes RTL in saved states.
func (r *Devices) Identity() string {
	sum := sha256.New()
	for _, x := range r.Report {
		fmt.Fprintln(sum, x.Path, x.Top, x.Backend, x.SHA256)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// rtlComponentsMax is the maximum number of RTL components in a machine, such as 16 groups of 16 processors. In wasm,
// each component is a device with its own address space.
const rtlComponentsMax = 1024

// components holds the parts of the hardware with ports (components, composites and the whole), and the selected
// parts.
type components struct {
	parts  int
	sites  []*hw.Site
	within [][]int  // parts of a composite, by site
	whole  *hw.Site // nil if the whole hardware has no ports
	chosen [][]inloop.Part
	all    *inloop.Part   // nil if parts are replaced
	taken  map[string]int // by component: scenario entry that replaces it
}

// see records the sites of all hardware and returns the components followed by the composites.
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
	return slices.ContainsFunc(c.within[composite],
		func(part int) bool { return len(c.match(c.sites[part], pattern)) > 0 })
}

// watched reports whether an output of a model is visible only in traces. The suffix _o of the output is optional.
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
