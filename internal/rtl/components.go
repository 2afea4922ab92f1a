package rtl

import (
	"slices"

	"starloom/cosim/inloop"
	"starloom/hw"
)

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
