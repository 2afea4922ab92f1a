// Package rtl replaces components of a machine, or all of its hardware, by RTL. It depends on networks and pin maps,
// not on machines.
//
//	entries of the key rtl --match--> components --open--> devices, in step with the kernel (cosim/inloop)
package rtl

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/cosim/inloop"
	"starloom/cosim/pinmap"
	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/hw"
	"starloom/traces/input/strict"
)

// Replace implements plant.RTL. It opens the devices named in the scenario.
func (r *Devices) Replace(kernel *hw.Kernel, parts []hw.Sited, composites []hw.Composite,
	whole hw.Sited) (run []hw.Component, all bool, err error) {
	r.Kernel = kernel
	if r.Loop, err = inloop.New(kernel); err != nil {
		return nil, false, err
	}
	parts = r.see(parts, composites, whole)
	for i := range r.Entries {
		if err := r.ctx.Err(); err != nil { // cached builds do not check the context
			return nil, false, err
		}
		if err := r.replace(r.ctx, i); err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(r.Report, func(a, b outcome.RTLReport) int { return strings.Compare(a.Path, b.Path) })
	if r.InPlace != OfRTL {
		r.watchOutputs()
	}
	if r.all != nil && r.InPlace != Own {
		component, err := r.Loop.Replace(whole, *r.all)
		return []hw.Component{component}, true, err
	}
	run, err = r.running(parts)
	return run, false, err
}

// running returns the components that the kernel runs: each part, its replacement, or the composite in its place.
func (r *Devices) running(parts []hw.Sited) (run []hw.Component, err error) {
	if r.InPlace == Own {
		for _, part := range parts[:r.parts] {
			run = append(run, part)
		}
		return run, nil
	}
	held, err := r.held()
	if err != nil {
		return nil, err
	}
	for i, part := range parts {
		if held[i] {
			continue
		}
		component := hw.Component(part)
		if len(r.chosen[i]) > 0 {
			if component, err = r.Loop.Replace(part, r.chosen[i]...); err != nil {
				return nil, err
			}
		}
		run = append(run, component)
	}
	return run, nil
}

// held reports the sites that do not run: parts of a replaced composite, and composites that are not replaced.
func (r *Devices) held() ([]bool, error) {
	held := make([]bool, len(r.sites))
	for i := r.parts; i < len(r.sites); i++ {
		if held[i] = len(r.chosen[i]) == 0; held[i] {
			continue
		}
		for _, k := range r.within[i] {
			if len(r.chosen[k]) > 0 {
				return nil, r.Source.Refuse("rtl",
					fmt.Sprintf("both %s and their parts %s are replaced", r.sites[i].What, r.sites[k].What),
					"replace one or the other")
			}
			held[k] = true
		}
	}
	return held, nil
}

func (r *Devices) replace(ctx context.Context, entry int) error {
	s, x := r.Source, &r.Entries[entry]
	at := hw.Index("rtl", entry)
	if twin, _ := fabric.TwinOf(r.Network); twin != nil && r.whole == nil &&
		(x.Replace == r.Network.Kind() || x.Twin == twin.Name) {
		return s.Refuse(at+".replace",
			fmt.Sprintf("%s is the whole hardware, but faults of media act between its parts", twin.Name),
			fmt.Sprintf("replace %s.**, which covers all parts, or leave drop, miss, bit_flip and stuck out of faults",
				r.Network.Kind()))
	}
	wanted, err := r.open(at, x)
	if err != nil {
		return err
	}
	if r.isWhole(x.Replace) {
		return r.replaceAll(ctx, entry, wanted)
	}
	pattern, err := hw.CompilePattern(x.Replace)
	if err != nil {
		return err
	}
	var others, models []string // other components that match, and their models
	found := false
	for part, site := range r.sites {
		elements := r.match(site, pattern)
		switch {
		case len(elements) == 0:
		case wanted.model != site.Twin && r.matchWithin(part, pattern):
		case wanted.model != "" && wanted.model != site.Twin:
			others, models = append(others, fmt.Sprintf("%s (model %s)", site.What, site.Twin)), append(models, site.Twin)
		default:
			found = true
			if err := r.replaceElements(ctx, entry, wanted, part, elements); err != nil {
				return err
			}
		}
	}
	switch {
	case found:
		return nil
	case len(others) > 0:
		return s.Refuse(at+".replace",
			fmt.Sprintf("%s are %s, but the RTL is %s", x.Replace, strings.Join(others, " and "), withArticle(wanted.model)),
			r.remedyOfModel(wanted.model, models))
	}
	if fabric.Slotted(r.Network) && r.routers(pattern) {
		return s.Refuse(at+".replace", fmt.Sprintf("%s are routers, which cannot be RTL in a network with stars, buses, "+
			"crossbars or links", strict.Clip(x.Replace)),
			"use a network of routers alone, or replace other parts: "+r.examples())
	}
	remedy := r.examples()
	if parts := r.partsBelow(pattern); len(parts) > 1 {
		remedy = "replace its parts one by one: " + strings.Join(parts, ", ")
	}
	return s.Refuse(at+".replace", fmt.Sprintf("no component matches %q", strict.Clip(x.Replace)), remedy)
}

func (r *Devices) routers(pattern *hw.Pattern) bool {
	for i := range fabric.RoutersOf(r.Network).Graph.Ports {
		if pattern.Match(hw.Index(hw.Join(r.Network.Kind(), "router"), i)) {
			return true
		}
	}
	return false
}

func (r *Devices) remedyOfModel(wanted string, models []string) string {
	var paths []string
	for _, site := range r.sites {
		if site.Twin == wanted {
			paths = append(paths, site.Path(site.Elements-1))
		}
	}
	text := fmt.Sprintf("use RTL of the model %s, or replace %s", strings.Join(models, " or "), strings.Join(paths, ", "))
	if strings.HasPrefix(wanted, "arbiter_") && strings.HasPrefix(models[0], "arbiter_") {
		text += "; the scenario sets the kind of its arbiters"
	}
	return text
}

func (r *Devices) examples() string {
	var paths []string
	for _, site := range r.sites {
		paths = append(paths, site.Path(site.Elements-1))
	}
	network := r.Network.Kind()
	text := fmt.Sprintf("components are, for example, %s, and %s.** for all of them", strings.Join(paths, ", "), network)
	if r.whole != nil {
		text += fmt.Sprintf("; %s is the whole hardware", network)
	}
	return text
}

// partsBelow returns, for each kind, the first component directly below a match of a pattern.
func (r *Devices) partsBelow(pattern *hw.Pattern) (parts []string) {
	for _, site := range r.sites {
		for element := range site.Elements {
			path := site.Path(element)
			if at := strings.LastIndexByte(path, '.'); at > 0 && strings.Contains(path[:at], ".") && pattern.Match(path[:at]) {
				parts = append(parts, path)
				break
			}
		}
	}
	return parts
}

func withArticle(model string) string {
	if strings.ContainsRune("aeiou", rune(model[0])) {
		return "an " + model
	}
	return "a " + model
}

func (r *Devices) take(entry int, paths []string) error {
	s := r.Source
	for _, path := range paths {
		if other, ok := r.taken[path]; ok {
			return s.Refuse(hw.Index("rtl", entry)+".replace",
				fmt.Sprintf("%s is already replaced by %s", path, hw.Index("rtl", other)), "name it in one entry only")
		}
		r.taken[path] = entry
	}
	if len(r.taken) > rtlComponentsMax {
		return s.Refuse(hw.Index("rtl", entry)+".replace",
			fmt.Sprintf("more than %d components are RTL", rtlComponentsMax),
			"replace fewer, for example "+r.Names.Medium(0))
	}
	return nil
}

func (r *Devices) replaceAll(ctx context.Context, entry int, source *rtlSource) error {
	s, path := r.Source, r.whole.Path(0)
	if len(r.taken) > 0 || len(r.Entries) > 1 {
		return s.Refuse(source.at+".replace", path+" is the whole hardware, but another entry replaces a part of it",
			"delete the other entries")
	}
	if err := r.take(entry, []string{path}); err != nil {
		return err
	}
	pins, err := r.pinMap(source, r.whole, 0)
	if err != nil {
		return err
	}
	device, err := r.device(ctx, source, pins, path)
	if err != nil {
		return err
	}
	r.all = &inloop.Part{Device: device, Elements: []int{0}}
	return r.note(source, pins, []string{path})
}

func (r *Devices) replaceElements(ctx context.Context, entry int, source *rtlSource, part int, elements []int) error {
	site := r.sites[part]
	if err := r.take(entry, site.Paths(elements)); err != nil {
		return err
	}
	groups := alike(site, elements)
	pins := make([]*pinmap.Map, len(groups)) // all maps are checked before the first build starts
	for k, group := range groups {
		var err error
		if pins[k], err = r.pinMap(source, site, group[0]); err != nil {
			return err
		}
	}
	for k, group := range groups {
		parts, err := r.partsOf(ctx, source, pins[k], site, group)
		if err != nil {
			return err
		}
		r.chosen[part] = append(r.chosen[part], parts...)
		if err := r.note(source, pins[k], site.Paths(group)); err != nil {
			return err
		}
	}
	return nil
}

func alike(site *hw.Site, elements []int) (groups [][]int) {
	var parameters []map[string]int
	for _, element := range elements {
		own := site.Parameters(element)
		at := slices.IndexFunc(parameters, func(other map[string]int) bool { return maps.Equal(own, other) })
		if at < 0 {
			at, groups, parameters = len(groups), append(groups, nil), append(parameters, own)
		}
		groups[at] = append(groups[at], element)
	}
	return groups
}
