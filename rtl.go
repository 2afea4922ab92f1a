package starloom

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/inloop"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/fabric"
	"starloom/hw"
	"starloom/internal/strict"
)

// rtlComponentsMax is how many components of a machine can be RTL: those of
// 16 groups of 16. Each is a device, with an address space of its own in wasm.
const rtlComponentsMax = 1024

// icarusProcessesMax is how many simulator processes a machine starts. Our twins need
// one for all components of a kind, other RTL one for each component.
const icarusProcessesMax = 64

// noPlaceFor says that a model is not in a machine.
func noPlaceFor(model string) string {
	return fmt.Sprintf("this machine has no component of the kind %s", strict.Clip(model))
}

// machineRTL is the RTL of a machine. It is a fabric.RTL.
type machineRTL struct {
	network fabric.Network
	names   fabric.Names
	entries []RTLConfig
	source  *Source
	records bool            // models in the place of RTL, whose inputs are kept
	ctx     context.Context // while the machine is built
	loop    *inloop.Loop

	// What the hardware has ports for: its components, so many parts, then composites, and
	// all of it.
	parts  int
	sites  []*hw.Site
	whole  *hw.Site // nil for none
	chosen [][]inloop.Part
	all    *inloop.Part // nil if parts are replaced

	taken     map[string]int // entry of the scenario that has replaced a component
	report    []RTLReport
	checks    []string // commands that compare the RTL with its models
	checksOwn []string // those of pin maps
	devices   []cosim.Device
	maps      []*pinmap.Map
	icarus    int // processes

	recorded  []RTLPartRun
	recorders []*lockstep.Recorder
	kernel    *hw.Kernel
}

// openRTL prepares the RTL that the scenario names; nil for none.
func (m *Machine) openRTL(ctx context.Context) fabric.RTL {
	if len(m.config.RTL) == 0 {
		return nil
	}
	m.rtl = &machineRTL{network: m.network, names: m.names, entries: m.config.RTL, source: &m.config.Source, records: m.options.recordRTL, ctx: ctx, taken: map[string]int{}}
	return m.rtl
}

// Replace implements fabric.RTL: it opens the devices that the scenario names.
func (r *machineRTL) Replace(kernel *hw.Kernel, parts []hw.Sited, composites []hw.Composite, whole hw.Sited) (run []hw.Component, all bool, err error) {
	r.kernel = kernel
	if r.loop, err = inloop.New(kernel); err != nil {
		return nil, false, err
	}
	r.parts = len(parts)
	for _, composite := range composites {
		parts = append(parts[:len(parts):len(parts)], composite)
	}
	for _, part := range parts {
		r.sites = append(r.sites, part.Site())
	}
	if whole != nil {
		r.whole = whole.Site()
	}
	r.chosen = make([][]inloop.Part, len(parts))
	for i := range r.entries {
		if err := r.ctx.Err(); err != nil { // builds that are reused would not notice
			return nil, false, err
		}
		if err := r.replace(r.ctx, i); err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(r.report, func(a, b RTLReport) int { return strings.Compare(a.Path, b.Path) })
	if r.all != nil {
		component, err := r.loop.Replace(whole, *r.all)
		return []hw.Component{component}, true, err
	}
	held, err := r.held(parts)
	if err != nil {
		return nil, false, err
	}
	for i, part := range parts {
		if held[i] {
			continue
		}
		component := hw.Component(part)
		if len(r.chosen[i]) > 0 {
			if component, err = r.loop.Replace(part, r.chosen[i]...); err != nil {
				return nil, false, err
			}
		}
		run = append(run, component)
	}
	return run, false, nil
}

// held says which of the parts do not run: those of a composite that is replaced, and
// composites that are not.
func (r *machineRTL) held(parts []hw.Sited) ([]bool, error) {
	held := make([]bool, len(parts))
	for i := r.parts; i < len(parts); i++ {
		if held[i] = len(r.chosen[i]) == 0; held[i] {
			continue
		}
		for _, part := range parts[i].(hw.Composite).Parts() {
			k := slices.Index(parts, part)
			if len(r.chosen[k]) > 0 {
				return nil, r.source.Refuse("rtl", fmt.Sprintf("%s are replaced, and %s, which are parts of them", r.sites[i].What, r.sites[k].What), "replace the ones or the others")
			}
			held[k] = true
		}
	}
	return held, nil
}

// Failed implements fabric.RTL.
func (r *machineRTL) Failed() bool { return r.loop.Fault() != nil }

// models are the sites of the components and of all hardware.
func (r *machineRTL) models() []*hw.Site {
	if r.whole == nil {
		return r.sites
	}
	return append(r.sites[:len(r.sites):len(r.sites)], r.whole)
}

// twins are the twins that the machine has a place for.
func (r *machineRTL) twins() (names []string) {
	for _, site := range r.models() {
		names = append(names, site.Twin)
	}
	return names
}

// isWhole reports whether a path, or a model, is all hardware.
func (r *machineRTL) isWhole(path string) bool       { return r.whole != nil && path == r.whole.Path(0) }
func (r *machineRTL) isWholeModel(model string) bool { return r.whole != nil && model == r.whole.Twin }

// close ends all devices.
func (r *machineRTL) close() error {
	var err error
	for _, d := range r.devices {
		err = errors.Join(err, d.Close())
	}
	for _, m := range r.maps {
		err = errors.Join(err, m.Close())
	}
	return err
}

// identity tells RTL apart in saved states.
func (r *machineRTL) identity() string {
	sum := sha256.New()
	for _, x := range r.report {
		fmt.Fprintln(sum, x.Path, x.Top, x.Backend, x.SHA256)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// replace does what one entry of the scenario says.
func (r *machineRTL) replace(ctx context.Context, entry int) error {
	s, x := r.source, &r.entries[entry]
	at := hw.Index("rtl", entry)
	if twin, _ := fabric.TwinOf(r.network); twin != nil && r.whole == nil && (x.Replace == r.network.Kind() || x.Twin == twin.Name) {
		return s.Refuse(at+".replace", fmt.Sprintf("%s is all hardware at once, and faults of media act between its parts", twin.Name),
			fmt.Sprintf("replace %s.**, which is all parts, or leave drop, bit_flip and stuck out of faults", r.network.Kind()))
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
	var others []string // kinds that match and that the RTL is not
	found := false
	for part, site := range r.sites {
		elements := r.match(site, pattern)
		switch {
		case len(elements) == 0:
		case part >= r.parts && wanted.model != site.Twin && (found || len(others) > 0): // its parts are meant
		case wanted.model != "" && wanted.model != site.Twin:
			others = append(others, site.What)
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
		return s.Refuse(at+".replace", fmt.Sprintf("%s are %s, and the RTL is %s", x.Replace, strings.Join(others, " and "), withArticle(wanted.model)), r.examples())
	}
	return s.Refuse(at+".replace", fmt.Sprintf("no component matches %q", strict.Clip(x.Replace)), r.examples())
}

// examples names a component of each kind.
func (r *machineRTL) examples() string {
	var paths []string
	for _, site := range r.sites {
		paths = append(paths, site.Path(site.Elements-1))
	}
	network := r.network.Kind()
	text := fmt.Sprintf("components are, for example, %s, and %s.** for all of them", strings.Join(paths, ", "), network)
	if r.whole != nil {
		text += fmt.Sprintf("; %s is all hardware at once", network)
	}
	return text
}

// withArticle puts a or an in front of the name of a model.
func withArticle(model string) string {
	if strings.ContainsRune("aeiou", rune(model[0])) {
		return "an " + model
	}
	return "a " + model
}

// match lists the elements of a site that a pattern names, as far as there may be.
func (r *machineRTL) match(site *hw.Site, pattern *hw.Pattern) (elements []int) {
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

// take marks components as replaced, once each.
func (r *machineRTL) take(entry int, paths []string) error {
	s := r.source
	for _, path := range paths {
		if other, ok := r.taken[path]; ok {
			return s.Refuse(hw.Index("rtl", entry)+".replace", fmt.Sprintf("%s is replaced by %s already", path, hw.Index("rtl", other)), "name it in one entry only")
		}
		r.taken[path] = entry
	}
	if len(r.taken) > rtlComponentsMax {
		return s.Refuse(hw.Index("rtl", entry)+".replace", fmt.Sprintf("more than %d components are RTL", rtlComponentsMax), "replace fewer, for example "+r.names.Medium(0))
	}
	return nil
}

// replaceAll puts one device in place of all hardware.
func (r *machineRTL) replaceAll(ctx context.Context, entry int, source *rtlSource) error {
	s, path := r.source, r.whole.Path(0)
	if len(r.taken) > 0 || len(r.entries) > 1 {
		return s.Refuse(source.at+".replace", path+" is all hardware, and another entry replaces a part of it", "delete the other entries")
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

// replaceElements puts devices in place of elements of one component.
func (r *machineRTL) replaceElements(ctx context.Context, entry int, source *rtlSource, part int, elements []int) error {
	site := r.sites[part]
	var paths []string
	for _, i := range elements {
		paths = append(paths, site.Path(i))
	}
	if err := r.take(entry, paths); err != nil {
		return err
	}
	pins, err := r.pinMap(source, site, elements[0])
	if err != nil {
		return err
	}
	parts, err := r.partsOf(ctx, source, pins, elements, paths)
	if err != nil {
		return err
	}
	r.chosen[part] = append(r.chosen[part], parts...)
	return r.note(source, pins, paths)
}
