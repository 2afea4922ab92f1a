package starloom

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/fabric"
	"starloom/hw"
)

// RTL puts Verilog or VHDL in the place of components of the machine. Firmware,
// frames, metrics and digest are those of the model, as long as the RTL is right.
type RTL struct {
	Replace string `json:"replace" jsonschema:"required,minLength=1,description=what is replaced: a path or a glob of couplers\\, links (coupler[..].fibre)\\, transmitters (nic[..].tx)\\, receivers (nic[..].rx) or whole NICs; the name of the fabric is all hardware at once"`
	Twin    string `json:"twin,omitempty" jsonschema:"minLength=1,description=Starloom's own Verilog: star_coupler\\, link\\, serialiser\\, deserialiser or the whole network; if twin and map are left out\\, the twin of whatever is replaced"`
	Map     string `json:"map,omitempty" jsonschema:"minLength=1,description=path of a pin map that attaches other RTL\\, relative to the scenario's folder"`
	Backend string `json:"backend,omitempty" jsonschema:"enum=wasm,enum=icarus,enum=shared,description=what runs the RTL: wasm (Verilator\\, sandboxed\\, the default)\\, icarus (four states\\, slow) or shared (Verilator\\, native; needs a build with the tag purego)"`

	// PinMap attaches RTL instead of Map, for programs. A machine fills in its
	// parameters; the caller closes it.
	PinMap *pinmap.Map `json:"-"`
}

// rtlComponentsMax is how many components of a machine can be RTL: those of
// 16 groups of 16. Each is a device, with an address space of its own in wasm.
const rtlComponentsMax = 1024

// icarusProcessesMax is how many simulator processes a machine starts. Our twins need
// one for all components of a kind, other RTL one for each component.
const icarusProcessesMax = 64

// rtlKind is a kind of component that RTL can replace.
type rtlKind struct {
	twin  string
	what  string // for messages
	count func(fabric.Shape) int
	paths func(n fabric.Names, i int) []string // of component i: its own, and that of what it is a part of
}

var rtlKinds = []rtlKind{
	{"star_coupler", "star couplers", media, func(n fabric.Names, i int) []string { return []string{n.Medium(i)} }},
	{"link", "links", media, func(n fabric.Names, i int) []string { return []string{n.Link(i)} }},
	{"serialiser", "transmitters", fabric.Shape.Processors, func(n fabric.Names, i int) []string { return []string{n.Processor(i) + ".tx", n.Processor(i)} }},
	{"deserialiser", "receivers", fabric.Shape.Processors, func(n fabric.Names, i int) []string { return []string{n.Processor(i) + ".rx", n.Processor(i)} }},
}

func media(s fabric.Shape) int { return s.Media }

// rtlTwins are the twins that a machine has a place for, on any network.
func rtlTwins() (names []string) {
	for _, k := range rtlKinds {
		names = append(names, k.twin)
	}
	for _, n := range new(Fabric).kinds() {
		if own, _ := n.Twin(); own != nil {
			names = append(names, own.Name)
		}
	}
	return names
}

// datapath is the path that stands for all hardware, and its twin.
func (s *Scenario) datapath() (path, twin string) {
	n := s.Fabric.network()
	if own, _ := n.Twin(); own != nil {
		twin = own.Name
	}
	return n.Kind(), twin
}

// checkRTL checks what the scenario alone can tell.
func (s *Scenario) checkRTL() error {
	if len(s.RTL) > 0 && s.Workload.Permutation.Kind == PermutationAll {
		return s.refuse("rtl", "rtl and every permutation", "choose one permutation; --seed gives others")
	}
	for i := range s.RTL {
		if err := s.checkReplacement(hw.Index("rtl", i), &s.RTL[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scenario) checkReplacement(at string, r *RTL) error {
	if err := s.checkRanges(reflect.ValueOf(r).Elem(), at); err != nil {
		return err
	}
	if _, err := hw.CompilePattern(r.Replace); err != nil {
		return s.refuse(at+".replace", err.Error(), "correct the pattern; "+s.rtlExamples())
	}
	own := r.Map != "" || r.PinMap != nil
	path, datapath := s.datapath()
	switch {
	case own && r.Twin != "":
		return s.refuse(at+".twin", at+" has both twin and map", "delete one")
	case r.Twin != "" && !slices.Contains(rtlTwins(), r.Twin):
		return s.refuse(at+".twin", s.noPlaceFor(r.Twin), "choose one of "+strings.Join(rtlTwins(), ", "))
	case r.Twin != "" && (r.Twin == datapath) != (r.Replace == path):
		return s.refuse(at+".twin", fmt.Sprintf("%s does not fit %s", r.Twin, r.Replace), fmt.Sprintf("%s is the whole of %s: write replace: %s and twin: %s, or another twin for a part", datapath, path, path, datapath))
	}
	return nil
}

// rtlExamples names components.
func (s *Scenario) rtlExamples() string {
	n := s.Fabric.network()
	names, path := n.Names(), n.Kind()
	last := n.Shape().Processors() - 1
	return fmt.Sprintf("components are, for example, %s, %s, %s.tx, %s.rx, %s[*].nic[*], and %s for all hardware at once",
		names.Medium(0), names.Link(0), names.Processor(last), names.Processor(last), names.Unit(), path)
}

// noPlaceFor says why a model is not in a machine.
func (s *Scenario) noPlaceFor(model string) string {
	switch {
	case strings.Contains(model, "fifo"):
		return "this machine has no FIFO component: the NIC's FIFOs are memory that it shares with the firmware"
	case strings.Contains(model, "arbiter"):
		return "this machine has no arbiter: its media are passive"
	}
	return fmt.Sprintf("this machine has no component %q", clip(model))
}

// machineRTL is the RTL of a machine.
type machineRTL struct {
	machine   *Machine
	parts     fabric.RTL
	taken     map[string]int // entry of the scenario that has replaced a component
	report    []RTLReport
	checks    []string // commands that compare the RTL with its models
	checksOwn []string // those of pin maps
	devices   []cosim.Device
	maps      []*pinmap.Map
	icarus    int // processes

	recorded []RTLPartRun
}

// buildRTL opens the devices that the scenario names; nil for none.
func (m *Machine) buildRTL(ctx context.Context) (*fabric.RTL, error) {
	if len(m.scenario.RTL) == 0 {
		return nil, nil
	}
	m.rtl = &machineRTL{machine: m, taken: map[string]int{}}
	for i := range m.scenario.RTL {
		if err := m.rtl.replace(ctx, i); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(m.rtl.report, func(a, b RTLReport) int { return strings.Compare(a.Path, b.Path) })
	return &m.rtl.parts, nil
}

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
	s, x := r.machine.scenario, &r.machine.scenario.RTL[entry]
	at := hw.Index("rtl", entry)
	wanted, err := r.open(at, x)
	if err != nil {
		return err
	}
	if path, _ := s.datapath(); x.Replace == path {
		return r.replaceAll(ctx, entry, wanted)
	}
	pattern, err := hw.CompilePattern(x.Replace)
	if err != nil {
		return err
	}
	var others []string // kinds that match and that the RTL is not
	found := false
	for k := range rtlKinds {
		kind := &rtlKinds[k]
		elements := r.match(kind, pattern)
		switch {
		case len(elements) == 0:
		case wanted.model != "" && wanted.model != kind.twin:
			others = append(others, kind.what)
		default:
			found = true
			if err := r.replaceKind(ctx, entry, wanted, kind, elements); err != nil {
				return err
			}
		}
	}
	switch {
	case found:
		return nil
	case len(others) > 0:
		return s.refuse(at+".replace", fmt.Sprintf("%s are %s, and the RTL is a %s", x.Replace, strings.Join(others, " and "), wanted.model), s.rtlExamples())
	case strings.Contains(x.Replace, "fifo") || strings.Contains(x.Replace, "arbiter"):
		return s.refuse(at+".replace", s.noPlaceFor(x.Replace), s.rtlExamples())
	}
	return s.refuse(at+".replace", fmt.Sprintf("no component matches %q", clip(x.Replace)), s.rtlExamples())
}

// match lists the components of a kind that a pattern names, as far as there may be.
func (r *machineRTL) match(kind *rtlKind, pattern *hw.Pattern) (elements []int) {
	for i := range kind.count(r.machine.shape) {
		if len(elements) > rtlComponentsMax {
			break
		}
		if slices.ContainsFunc(kind.paths(r.machine.names, i), pattern.Match) {
			elements = append(elements, i)
		}
	}
	return elements
}

// take marks components as replaced, once each.
func (r *machineRTL) take(entry int, paths []string) error {
	s := r.machine.scenario
	for _, path := range paths {
		if other, ok := r.taken[path]; ok {
			return s.refuse(hw.Index("rtl", entry)+".replace", fmt.Sprintf("%s is replaced by %s already", path, hw.Index("rtl", other)), "name it in one entry only")
		}
		r.taken[path] = entry
	}
	if len(r.taken) > rtlComponentsMax {
		return s.refuse(hw.Index("rtl", entry)+".replace", fmt.Sprintf("more than %d components are RTL", rtlComponentsMax), fmt.Sprintf("replace fewer, for example those of one unit: %s[0].**", r.machine.names.Unit()))
	}
	return nil
}

// replaceAll puts one device in place of all hardware.
func (r *machineRTL) replaceAll(ctx context.Context, entry int, source *rtlSource) error {
	m, s := r.machine, r.machine.scenario
	path, twin := s.datapath()
	if len(r.taken) > 0 || len(s.RTL) > 1 {
		return s.refuse(source.at+".replace", path+" is all hardware, and another entry replaces a part of it", "delete the other entries")
	}
	if err := r.take(entry, []string{path}); err != nil {
		return err
	}
	pins, err := r.pinMap(source, twin)
	if err != nil {
		return err
	}
	device, err := r.device(ctx, source, pins, path)
	if err != nil {
		return err
	}
	m.rtl.parts.Datapath = device
	return r.note(source, pins, []string{path})
}

// replaceKind puts devices in place of components of one kind.
func (r *machineRTL) replaceKind(ctx context.Context, entry int, source *rtlSource, kind *rtlKind, elements []int) error {
	var paths []string
	for _, i := range elements {
		paths = append(paths, kind.paths(r.machine.names, i)[0])
	}
	if err := r.take(entry, paths); err != nil {
		return err
	}
	pins, err := r.pinMap(source, kind.twin)
	if err != nil {
		return err
	}
	parts, err := r.partsOf(ctx, source, pins, elements, paths)
	if err != nil {
		return err
	}
	list := map[string]*[]fabric.RTLPart{
		"star_coupler": &r.parts.Couplers, "link": &r.parts.Links, "serialiser": &r.parts.Transmitters, "deserialiser": &r.parts.Receivers,
	}[kind.twin]
	*list = append(*list, parts...)
	return r.note(source, pins, paths)
}
