package starloom

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// RTL puts Verilog or VHDL in the place of components of the machine. Firmware,
// frames, metrics and digest are those of the model, as long as the RTL is right.
type RTL struct {
	Replace string `json:"replace" jsonschema:"required,minLength=1,description=what is replaced: a path or a glob of couplers\\, links (coupler[..].fibre)\\, transmitters (nic[..].tx)\\, receivers (nic[..].rx) or whole NICs; pops is all hardware at once"`
	Twin    string `json:"twin,omitempty" jsonschema:"minLength=1,description=Starloom's own Verilog: star_coupler\\, link\\, serialiser\\, deserialiser or pops_slot; if twin and map are left out\\, the twin of whatever is replaced"`
	Map     string `json:"map,omitempty" jsonschema:"minLength=1,description=path of a pin map that attaches other RTL\\, relative to the scenario's folder"`
	Backend string `json:"backend,omitempty" jsonschema:"enum=wasm,enum=icarus,enum=shared,description=what runs the RTL: wasm (Verilator\\, sandboxed\\, the default)\\, icarus (four states\\, slow) or shared (Verilator\\, native; needs a build with the tag purego)"`

	// PinMap attaches RTL instead of Map, for programs. A machine fills in its
	// parameters; the caller closes it.
	PinMap *cosim.PinMap `json:"-"`
}

// The rules that RTL can break. They end the run.
const (
	RuleRTLFault   = "rtl_fault"   // the RTL ended the simulation, does not settle, or says what cannot be
	RuleRTLUnknown = "rtl_unknown" // an output of the RTL was X or Z
)

// RTLReport says what was RTL in a run.
type RTLReport struct {
	Path    string `json:"path"` // of the component
	Top     string `json:"top"`  // module
	Backend string `json:"backend"`
	SHA256  string `json:"sha256"` // of the sources' text, or of the image
}

// rtlPath is the path that stands for all hardware.
const rtlPath = "pops"

// rtlComponentsMax is how many components of a machine can be RTL: those of
// POPS(16,16). Each is a device, with an address space of its own in wasm.
const rtlComponentsMax = 1024

// icarusProcessesMax is how many simulator processes a machine starts. Our twins need
// one for all components of a kind, other RTL one for each component.
const icarusProcessesMax = 64

// rtlKind is a kind of component that RTL can replace.
type rtlKind struct {
	twin  string
	what  string // for messages
	count func(fabric.POPS) int
	paths func(p fabric.POPS, i int) []string // of component i: its own, and that of what it is a part of
}

var rtlKinds = []rtlKind{
	{"star_coupler", "star couplers", fabric.POPS.Couplers, func(p fabric.POPS, i int) []string { return []string{p.CouplerPath(i)} }},
	{"link", "links", fabric.POPS.Couplers, func(p fabric.POPS, i int) []string { return []string{p.LinkPath(i)} }},
	{"serialiser", "transmitters", fabric.POPS.Processors, func(p fabric.POPS, i int) []string { return []string{p.TransmitterPath(i), p.ProcessorPath(i)} }},
	{"deserialiser", "receivers", fabric.POPS.Processors, func(p fabric.POPS, i int) []string { return []string{p.ReceiverPath(i), p.ProcessorPath(i)} }},
}

// rtlDatapath is the twin of all hardware.
const rtlDatapath = "pops_slot"

// rtlTwins are the twins that a machine has a place for.
func rtlTwins() (names []string) {
	for _, k := range rtlKinds {
		names = append(names, k.twin)
	}
	return append(names, rtlDatapath)
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
		return s.refuse(at+".replace", err.Error(), "correct the pattern; "+rtlExamples)
	}
	own := r.Map != "" || r.PinMap != nil
	switch {
	case own && r.Twin != "":
		return s.refuse(at+".twin", at+" has both twin and map", "delete one")
	case r.Twin != "" && !slices.Contains(rtlTwins(), r.Twin):
		return s.refuse(at+".twin", s.noPlaceFor(r.Twin), "choose one of "+strings.Join(rtlTwins(), ", "))
	case r.Twin != "" && (r.Twin == rtlDatapath) != (r.Replace == rtlPath):
		return s.refuse(at+".twin", fmt.Sprintf("%s does not fit %s", r.Twin, r.Replace), "pops_slot is the whole of pops: write replace: pops and twin: pops_slot, or another twin for a part")
	}
	return nil
}

const rtlExamples = "components are, for example, pops.group[0].coupler[1], pops.group[0].coupler[1].fibre, pops.group[0].nic[2].tx, pops.group[0].nic[2].rx, pops.group[*].nic[*], and pops for all hardware at once"

// noPlaceFor says why a model is not in a machine.
func (s *Scenario) noPlaceFor(model string) string {
	switch {
	case strings.Contains(model, "fifo"):
		return "a POPS machine has no FIFO component: the NIC's FIFOs are memory that it shares with the firmware"
	case strings.Contains(model, "arbiter"):
		return "a POPS machine has no arbiter: its couplers are passive"
	}
	return fmt.Sprintf("a POPS machine has no component %q", clip(model))
}

// machineRTL is the RTL of a machine.
type machineRTL struct {
	machine *Machine
	parts   fabric.RTL
	taken   map[string]int // entry of the scenario that has replaced a component
	report  []RTLReport
	devices []cosim.Device
	maps    []*cosim.PinMap
	icarus  int // processes
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
	if x.Replace == rtlPath {
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
		return s.refuse(at+".replace", fmt.Sprintf("%s are %s, and the RTL is a %s", x.Replace, strings.Join(others, " and "), wanted.model), rtlExamples)
	case strings.Contains(x.Replace, "fifo") || strings.Contains(x.Replace, "arbiter"):
		return s.refuse(at+".replace", s.noPlaceFor(x.Replace), rtlExamples)
	}
	return s.refuse(at+".replace", fmt.Sprintf("no component matches %q", clip(x.Replace)), rtlExamples)
}

// match lists the components of a kind that a pattern names.
func (r *machineRTL) match(kind *rtlKind, pattern *hw.Pattern) (elements []int) {
	for i := range kind.count(r.machine.pops) {
		if slices.ContainsFunc(kind.paths(r.machine.pops, i), pattern.Match) {
			elements = append(elements, i)
		}
	}
	return elements
}

// rtlSource is where an entry's RTL comes from: a pin map, or our own twins.
type rtlSource struct {
	at    string // of the entry
	key   string // that errors stand at
	own   *cosim.PinMap
	model string // "" for the twin of whatever is replaced
	names string // backend
}

// rtlUnread are outputs that only waveforms show.
var rtlUnread = []string{"state_o", "bits_o"}

func (r *machineRTL) open(at string, x *RTL) (*rtlSource, error) {
	s := r.machine.scenario
	source := &rtlSource{at: at, key: at + ".twin", own: x.PinMap, model: x.Twin, names: x.Backend}
	if x.Map != "" {
		source.key = at + ".map"
		var err error
		if source.own, err = LoadPinMap(s.resolve(x.Map)); err != nil {
			return nil, err
		}
		r.maps = append(r.maps, source.own)
	}
	if source.own == nil {
		if x.Twin == "" {
			source.key = at + ".replace"
		}
		source.names = or(x.Backend, cosim.BackendWasm)
		return source, nil
	}
	source.own.Backend = or(x.Backend, source.own.Backend)
	source.names = or(source.own.Backend, cosim.BackendWasm)
	source.model = source.own.Model
	if !slices.Contains(rtlTwins(), source.model) {
		return nil, s.refuse(source.key, s.noPlaceFor(source.model), "attach RTL whose model is one of "+strings.Join(rtlTwins(), ", "))
	}
	if (source.model == rtlDatapath) != (x.Replace == rtlPath) {
		return nil, s.refuse(source.key, fmt.Sprintf("%s does not fit %s", source.model, x.Replace), "pops_slot is the whole of pops, the other models are parts of it")
	}
	for _, output := range source.own.Absent {
		if !slices.Contains(rtlUnread, output) && !slices.Contains(rtlUnread, output+"_o") {
			return nil, s.refuse(source.key, fmt.Sprintf("the RTL has no %s, and the machine needs it", output), "make the output in a wrapper of the RTL")
		}
	}
	for output, latency := range source.own.Latency {
		if latency > 0 {
			return nil, s.refuse(source.key, fmt.Sprintf("the RTL shows %s %d cycles late, so nothing behind it would be right", output, latency),
				"attach it to the registers that hide the delay, or compare it alone with `starloom cosim check`")
		}
	}
	return source, nil
}

func or(value, otherwise string) string {
	if value != "" {
		return value
	}
	return otherwise
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
		return s.refuse(hw.Index("rtl", entry)+".replace", fmt.Sprintf("more than %d components are RTL", rtlComponentsMax), "replace fewer, for example those of one group: pops.group[0].**")
	}
	return nil
}

// replaceAll puts one device in place of all hardware.
func (r *machineRTL) replaceAll(ctx context.Context, entry int, source *rtlSource) error {
	m, s := r.machine, r.machine.scenario
	if len(r.taken) > 0 || len(s.RTL) > 1 {
		return s.refuse(source.at+".replace", "pops is all hardware, and another entry replaces a part of it", "delete the other entries")
	}
	if err := r.take(entry, []string{rtlPath}); err != nil {
		return err
	}
	pins, err := r.pinMap(source, rtlDatapath)
	if err != nil {
		return err
	}
	device, err := r.device(ctx, source, pins)
	if err != nil {
		return err
	}
	m.rtl.parts.Datapath = device
	return r.note(source, pins, []string{rtlPath})
}

// replaceKind puts devices in place of components of one kind.
func (r *machineRTL) replaceKind(ctx context.Context, entry int, source *rtlSource, kind *rtlKind, elements []int) error {
	var paths []string
	for _, i := range elements {
		paths = append(paths, kind.paths(r.machine.pops, i)[0])
	}
	if err := r.take(entry, paths); err != nil {
		return err
	}
	pins, err := r.pinMap(source, kind.twin)
	if err != nil {
		return err
	}
	parts, err := r.partsOf(ctx, source, pins, elements)
	if err != nil {
		return err
	}
	list := map[string]*[]fabric.RTLPart{
		"star_coupler": &r.parts.Couplers, "link": &r.parts.Links, "serialiser": &r.parts.Transmitters, "deserialiser": &r.parts.Receivers,
	}[kind.twin]
	*list = append(*list, parts...)
	return r.note(source, pins, paths)
}

// partsOf opens a device for every component, or one for all of them where each would
// be a process of its own.
func (r *machineRTL) partsOf(ctx context.Context, source *rtlSource, pins *cosim.PinMap, elements []int) ([]fabric.RTLPart, error) {
	if source.names == cosim.BackendIcarus && source.own == nil {
		device, err := r.array(source, pins, len(elements))
		return []fabric.RTLPart{{Device: device, Elements: elements}}, err
	}
	var parts []fabric.RTLPart
	for _, i := range elements {
		device, err := r.device(ctx, source, pins)
		if err != nil {
			return nil, err
		}
		parts = append(parts, fabric.RTLPart{Device: device, Elements: []int{i}})
	}
	return parts, nil
}

// parameters are those of a model in this machine.
func (r *machineRTL) parameters(model string) cosim.Parameters {
	m := r.machine
	phit, frame := m.timing.PhitBits, nic.FrameBytes(m.scenario.NIC.PayloadBytes)
	switch model {
	case "star_coupler":
		return cosim.Parameters{"D": m.pops.GroupSize, "PHIT_BITS": phit}
	case "link":
		return cosim.Parameters{"PHIT_BITS": phit, "DELAY_CYCLES": m.timing.PropagationCycles}
	case "serialiser":
		return cosim.Parameters{"PHIT_BITS": phit, "FRAME_BYTES_MAX": frame}
	case "deserialiser":
		return cosim.Parameters{"PHIT_BITS": phit, "FRAME_BYTES_MAX": frame, "PORTS": m.pops.Groups}
	default:
		return cosim.Parameters{
			"D": m.pops.GroupSize, "G": m.pops.Groups, "PHIT_BITS": phit, "FRAME_BYTES_MAX": frame,
			"COMPUTE_CYCLES": m.timing.ComputeCycles, "PROPAGATION_CYCLES": m.timing.PropagationCycles, "GUARD_CYCLES": m.timing.GuardCycles,
		}
	}
}

// waitCyclesMax is what the transmitters' wait_i holds.
const waitCyclesMax = 1<<16 - 1

// pinMap returns the map of a model with this machine's parameters.
func (r *machineRTL) pinMap(source *rtlSource, model string) (*cosim.PinMap, error) {
	s, parameters := r.machine.scenario, r.parameters(model)
	if compute := r.machine.timing.ComputeCycles; compute > waitCyclesMax && model == "serialiser" {
		return nil, s.refuse("firmware.cpu.budget_cycles", fmt.Sprintf("a transmitter in RTL cannot wait for %d cycles", compute), fmt.Sprintf("choose at most %d", waitCyclesMax))
	}
	if source.own == nil {
		pins, err := cosim.TwinMap(model, parameters, "")
		if err != nil {
			return nil, r.refuse(source, err)
		}
		pins.Backend = source.names
		r.maps = append(r.maps, pins)
		return pins, nil
	}
	for name, value := range source.own.Parameters {
		if want, ok := parameters[name]; ok && value != want {
			return nil, s.refuse(source.key, fmt.Sprintf("the pin map has %s = %d, in this machine it is %d", name, value, want), "change the map, and the RTL's own parameters with it, or the scenario")
		}
	}
	source.own.Parameters = parameters
	return source.own, nil
}

// rtlSeed gives registers without a reset values that differ from zero, always the
// same: a missing reset shows, and shows again.
const rtlSeed = 1

// device opens the RTL once more.
func (r *machineRTL) device(ctx context.Context, source *rtlSource, pins *cosim.PinMap) (cosim.Device, error) {
	if source.names == cosim.BackendIcarus {
		if r.icarus++; r.icarus > icarusProcessesMax {
			return nil, r.machine.scenario.refuse(source.at+".replace", fmt.Sprintf("more than %d components are RTL in Icarus, each a process", icarusProcessesMax),
				"replace fewer, or use backend: wasm")
		}
	}
	device, err := pins.Open(ctx, cosim.Options{Seed: rtlSeed})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, r.refuse(source, err)
	}
	r.devices = append(r.devices, device)
	return device, nil
}

// refuse gives errors of RTL and tools their place in the scenario.
func (r *machineRTL) refuse(source *rtlSource, err error) error {
	place := r.machine.scenario.Place(source.key)
	var input *cosim.InputError
	var fault *cosim.Fault
	switch {
	case errors.As(err, &input):
		reason := input.Reason
		if input.Place != "" {
			reason = input.Place + ": " + reason
		}
		return &InputError{Place: place, Reason: reason, Remedy: input.Remedy}
	case errors.As(err, &fault):
		return &InputError{Place: place, Reason: fmt.Sprintf("the RTL %s ends before the first cycle: %s: %s", fault.Device, fault.Kind, fault.Text), Remedy: "correct it, or its parameters"}
	case source.names == cosim.BackendShared:
		return &InputError{Place: place, Reason: err.Error(), Remedy: "choose backend: wasm"}
	}
	return fmt.Errorf("%s: %w", place, err)
}

// array opens a twin so many times in one simulator: each port of the device is the
// ports of all instances side by side.
func (r *machineRTL) array(source *rtlSource, pins *cosim.PinMap, count int) (device cosim.Device, err error) {
	model, err := pins.NewModel()
	if err != nil {
		return nil, r.refuse(source, err)
	}
	ports := slices.Clone(model.Ports())
	if err := model.Close(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "starloom-rtl-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }() // the simulator has read it
	array := pins.Source
	array.Top = pins.Source.Top + "_array"
	file := filepath.Join(dir, array.Top+".v")
	if err := os.WriteFile(file, []byte(arrayVerilog(array.Top, &pins.Source, ports, count)), 0o644); err != nil {
		return nil, err
	}
	array.Files = append([]string{file}, pins.Source.Files...)
	array.Params = nil
	if pins.Clock != "" {
		array.Clocks = []string{pins.Clock}
	}
	device, err = cosim.OpenIcarus(array, cosim.Options{})
	if err != nil {
		return nil, r.refuse(source, err)
	}
	r.devices = append(r.devices, device)
	return device, nil
}

// arrayVerilog is a module with an array of instances. Verilog cuts the vectors.
func arrayVerilog(name string, source *cosim.Source, ports []cosim.Port, count int) string {
	var declared, connected, parameters []string
	for _, p := range ports {
		bits, direction := p.Bits*count, "output"
		if p.Clock || p.Name == "reset" {
			bits = 1
		}
		if p.Input {
			direction = "input"
		}
		declared = append(declared, fmt.Sprintf("  %s wire [%d:0] %s", direction, bits-1, p.Name))
		connected = append(connected, fmt.Sprintf(".%s(%s)", p.Name, p.Name))
	}
	for parameter, value := range source.Params {
		parameters = append(parameters, fmt.Sprintf(".%s(%s)", parameter, value))
	}
	slices.Sort(parameters)
	return fmt.Sprintf("`default_nettype none\nmodule %s (\n%s\n);\n  %s #(%s) part [%d:0] (%s);\nendmodule\n`default_nettype wire\n",
		name, strings.Join(declared, ",\n"), source.Top, strings.Join(parameters, ", "), count-1, strings.Join(connected, ", "))
}

// note adds components to the report.
func (r *machineRTL) note(source *rtlSource, pins *cosim.PinMap, paths []string) error {
	sum := sha256.New()
	files := pins.Source.Files
	if pins.Image != "" {
		files = []string{pins.Image}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return r.refuse(source, fileError(file, err, "keep the sources where they are while the run goes on"))
		}
		fmt.Fprintf(sum, "%d\n%s", len(text), text)
	}
	top := pins.Source.Top
	if top == "" {
		top = filepath.Base(pins.Image)
	}
	for _, path := range paths {
		r.report = append(r.report, RTLReport{Path: path, Top: top, Backend: source.names, SHA256: hex.EncodeToString(sum.Sum(nil))})
	}
	return nil
}

// endByRTL ends the run when RTL has failed.
func (m *Machine) endByRTL() {
	if m.rtl == nil || m.rtlFailed {
		return
	}
	fault := m.cycles.RTLFault()
	if fault == nil {
		return
	}
	v := Violation{Rule: RuleRTLFault, Cycle: fault.Cycle, Slot: fault.Cycle / uint64(m.timing.SlotCycles()), Path: fault.Path, Message: fault.Err.Error()}
	var said *cosim.Fault
	switch {
	case fault.Unknown:
		v.Rule = RuleRTLUnknown
	case errors.As(fault.Err, &said):
		v.Message = fmt.Sprintf("%s: %s", said.Device, rtlFaultText[said.Kind])
		if said.Text != "" {
			v.Message += ": " + said.Text
		}
	}
	m.findings.add(v)
	m.rtlFailed, m.ended = true, true
}

// rtlFaultText says what a circuit has done.
var rtlFaultText = map[cosim.FaultKind]string{
	cosim.FaultFinish:      "the RTL ended the simulation ($finish or $stop)",
	cosim.FaultFatal:       "the RTL reported a fatal error ($fatal or an assertion)",
	cosim.FaultOscillation: "the RTL's combinational logic does not settle",
	cosim.FaultHang:        "the RTL does not answer",
	cosim.FaultDied:        "the simulator of the RTL is gone",
}

// rtlNotes say what to do next when a run with RTL has failed.
func (m *Machine) rtlNotes(failed bool) []string {
	if m.rtl == nil || !failed {
		return nil
	}
	var maps []string
	for i := range m.scenario.RTL {
		if path := m.scenario.resolve(m.scenario.RTL[i].Map); path != "" && !slices.Contains(maps, path) {
			maps = append(maps, path)
		}
	}
	check := "starloom cosim check"
	if len(maps) > 0 {
		check += " " + strings.Join(maps, ", "+check+" ")
	}
	return []string{fmt.Sprintf("%s of this run are RTL: if it passes without the key rtl, the RTL is wrong, and `%s` finds the first cycle in which it differs from its model",
		components(len(m.rtl.report)), check)}
}

func components(count int) string {
	if count == 1 {
		return "1 component"
	}
	return strconv.Itoa(count) + " components"
}

// rtlText is what the text form of a report says of RTL, one part per module and
// backend: 16 star_coupler (wasm).
func rtlText(list []RTLReport) string {
	var kinds []string
	counts := map[string]int{}
	for _, x := range list {
		kind := fmt.Sprintf("%s (%s)", printable(x.Top), x.Backend)
		if counts[kind]++; counts[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", counts[kind], kind)
	}
	return strings.Join(kinds, ", ")
}
