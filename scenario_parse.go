package starloom

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/fabric/netlist"
	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// scenarioBytesMax is the maximum size of a scenario file in bytes; longer permutations need a separate file.
const scenarioBytesMax = 64 << 20

// textKept is the maximum size, in bytes, of a scenario text that stays in memory.
const textKept = 1 << 20

// rivals lists, for each object, keys that exclude each other; nil means all keys of the object.
var rivals = map[string][]string{"fabric": nil, "workload": nil, "firmware": {"program", "image"},
	"rtl[]": {"twin", "map"}, "faults.random": {"rate", "rates"}}

// LoadScenario reads and checks the scenario file at path, with the assignments in set. The path - is standard input;
// paths in this scenario are relative to the working folder. Every error is an *InputError with file, line and
// column, or with the place of an assignment. Several mistakes yield *InputErrors.
func LoadScenario(path string, set ...Assignment) (*Scenario, error) {
	return Networks(nil).LoadScenario(path, set...)
}

// ParseScenario parses and checks a scenario, YAML or JSON, at most 64 MiB. place is the path of the file: errors
// begin with it, an unnamed scenario is named after it, and paths in the scenario are relative to its folder. If
// place is "", paths are relative to the working folder. Assignments in set replace values of the file before
// anything is checked. Every error is an *InputError, or *InputErrors for several mistakes.
func ParseScenario(place string, data []byte, set ...Assignment) (*Scenario, error) {
	return Networks(nil).ParseScenario(place, data, set...)
}

// Check rejects networks that no file can name. All methods call Check first.
func (list Networks) Check() error { return config.Networks(list).Check(new(Fabric).kinds()) }

// LoadScenario is the function LoadScenario for scenarios that may name these networks.
func (list Networks) LoadScenario(path string, set ...Assignment) (*Scenario, error) {
	data, path, err := input.Argument(path, scenarioBytesMax)
	if err != nil {
		return nil, input.Unreadable(path, err, "give the path of a scenario; `starloom schema` prints its keys")
	}
	return list.ParseScenario(path, data, set...)
}

// ParseScenario is the function ParseScenario for scenarios that may name these networks.
func (list Networks) ParseScenario(place string, data []byte, set ...Assignment) (*Scenario, error) {
	if err := list.Check(); err != nil {
		return nil, err
	}
	if len(data) > scenarioBytesMax {
		return nil, input.Mistake(place, fmt.Sprintf("larger than %d MiB", scenarioBytesMax>>20),
			"put a long permutation into a separate file: workload: {file: perm.csv}")
	}
	if place == "" {
		place = "scenario"
	}
	root, err := strict.Document(place, data, "scenario",
		"write starloom: 1, fabric: {...} and firmware: {...}; `starloom schema` prints all keys")
	if err != nil {
		return nil, err
	}
	if (strict.Has(root, "nodes") || strict.Has(root, "links")) && !strict.Has(root, "starloom") &&
		!strict.Has(root, "fabric") {
		return nil,
			&InputError{Place: place + ":1:1", Reason: "this is a netlist, the network alone",
				Remedy: fmt.Sprintf("write a scenario that names it: "+
					"starloom: 1, fabric: {netlist: {file: %s}} and firmware: {program: netlist/next-hop}; 'starloom netlist show' "+
					"prints its nodes and media", filepath.Base(place))}
	}
	d, err := list.decode(place, root, set)
	if err != nil {
		return nil, err
	}
	s := d.scenario
	if len(data) <= textKept {
		s.file.place, s.file.text = place, data
	}
	s.file.sum = traces.SHA256(data)
	s.Workload.Gossip.Resolve(s.resolve)
	if !d.lost["fabric"] {
		for _, r := range s.Fabric.Netlist.Replacements() {
			r.Stands(s.file.places, hw.Index("rtl", len(s.RTL)))
			s.RTL = append(s.RTL, RTL{Replace: r.Replace, Twin: r.Twin, Map: r.Map, Backend: r.Backend})
		}
	}
	if err := s.check(&d.reading); err != nil {
		return nil, err
	}
	return s, nil
}

// document returns the keys and values of the scenario's file with its assignments. Without a text it returns the
// scenario.
func (s *Scenario) document() (document any, err error) {
	if s.file.text == nil {
		return s, nil
	}
	root, err := strict.Document(s.file.place, s.file.text, "scenario", "")
	if err == nil {
		root, err = newScenarioDecoder(s.file.place, DefaultScenario()).Assign(root, s.file.set, rivals)
	}
	if err == nil {
		err = root.Decode(&document)
	}
	return document, err
}

// LoadNetlist reads the netlist in a file, which is a scenario or contains only the keys of fabric.netlist. A
// scenario is read as by LoadScenario, except that other files may be missing. Errors are *InputError, or
// *InputErrors for several mistakes.
func (list Networks) LoadNetlist(path string) (*netlist.Network, error) {
	root, path, err := netlist.Document(path)
	if err != nil {
		return nil, err
	}
	if !strict.Has(root, "starloom") && !strict.Has(root, "fabric") {
		n, err := netlist.Read(path, root)
		return &n, cmp.Or(err, n.Settle())
	}
	d, err := list.decode(path, root, nil)
	if err != nil {
		return nil, err
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	if n := d.scenario.Fabric.Netlist; n != nil {
		return n, n.Settle()
	}
	return nil, d.scenario.refuse("fabric", "the scenario has no netlist", "write fabric: {netlist: {nodes: {...}, "+
		"links: [...]}}")
}

// decode reads the keys of a scenario without checking their values. It records mistakes in the decoder's reading.
func (list Networks) decode(place string, root *yaml.Node, set []Assignment) (_ *scenarioDecoder, err error) {
	s := DefaultScenario()
	if place != input.StandardInputName {
		s.Name = strings.TrimSuffix(filepath.Base(place), filepath.Ext(place))
	}
	s.file.folder, s.file.set, s.file.foreign = filepath.Dir(place), set, list
	s.file.places, s.origins = map[string]string{}, map[string]config.Origin{"": {By: ByDefault}}
	d := newScenarioDecoder(place, s)
	if root, err = d.Assign(root, set, rivals); err != nil {
		return nil, err
	}
	if err := d.Decode(root, reflect.ValueOf(s).Elem(), "", strict.Limits{}); err != nil {
		return nil, err
	}
	d.loseAbsent(s.file.places)
	return d, nil
}

// scenarioDecoder fills a Scenario from YAML nodes and records the place of each value.
type scenarioDecoder struct {
	strict.Decoder
	reading
	scenario *Scenario
}

func newScenarioDecoder(place string, s *Scenario) *scenarioDecoder {
	d := &scenarioDecoder{scenario: s}
	d.reading.takeNeeds, d.reading.readFile = s.takeNeeds, d.readPermutationFile
	d.Decoder = strict.Decoder{File: place, Whole: "the scenario", Places: s.file.places, Special: d.special,
		Refuses: d.refuses, Param: paramRange,
		Note: func(path string, err error) { d.note(path, err) }}
	return d
}

func (d *scenarioDecoder) special(node *yaml.Node, v reflect.Value, path string) (taken bool, err error) {
	known := config.Networks(d.scenario.file.foreign)
	switch {
	case v.Type() == permutationType:
		d.entryPlace, err = config.DecodePermutation(&d.Decoder, node, v.Addr().Interface().(*Permutation), path)
		return true, err
	case len(known) > 0 && v.Type() == reflect.TypeFor[Fabric]():
		all := known.Fabric(v.Type())
		err := d.Decode(node, all, path, strict.Limits{})
		for _, field := range strict.Fields(v.Type()) {
			v.FieldByIndex(field.Index).Set(all.FieldByName(v.Type().FieldByIndex(field.Index).Name))
		}
		d.scenario.Fabric.Custom = known.Read(all)
		return true, err
	case known.Start(v):
		return true, d.Decode(node, v.Elem(), path, strict.Limits{})
	}
	return false, nil
}

// refuses rejects a second fabric before its keys are read. The decoder rejects all other keys.
func (d *scenarioDecoder) refuses(node *yaml.Node, path string) error {
	if path != "fabric" {
		return nil
	}
	fabrics := strict.Fields(config.Networks(d.scenario.file.foreign).Fabric(reflect.TypeFor[Fabric]()).Type())
	first := ""
	for i := 0; i < len(node.Content); i += 2 {
		key := node.Content[i]
		switch {
		case !slices.ContainsFunc(fabrics, func(of strict.Field) bool { return of.Key == key.Value }):
		case first == "":
			first = key.Value
		case first != key.Value:
			return d.Refuse(key, fmt.Sprintf("two fabrics: %s and %s", first, key.Value),
				"a scenario has exactly one; delete the other")
		}
	}
	return nil
}

func paramRange(path, key string) strict.Span {
	if path == "firmware.cpu.cost" {
		return costSpan(key)
	}
	return config.ParamSpan
}

func (d *scenarioDecoder) readPermutationFile() error {
	s := d.scenario
	if s.Workload.File == "" {
		return nil
	}
	place := s.Place("workload.file")
	if _, both := s.file.places["workload.permutation"]; both {
		return input.Mistake(place, "workload has both permutation and file", "delete one")
	}
	path := s.resolve(s.Workload.File)
	data, err := input.Read(path, int64(s.Processors()+2)*16)
	if err != nil {
		return input.Mistake(place, fmt.Sprintf("%s cannot be read: %v", path, input.WithoutPath(err)),
			"give a file with one destination per line for each processor of this fabric, relative to the scenario's folder")
	}
	list, firstLine, err := strict.Permutation(path, data)
	if err != nil {
		return err
	}
	s.Workload.Permutation = Permutation{Kind: PermutationList, List: list}
	s.decide("workload.permutation", ByFile, path)
	s.file.places["workload.permutation"] = path
	d.entryPlace = func(i int) string { return fmt.Sprintf("%s:%d:1", path, firstLine+i) }
	return nil
}

// Override replaces values and checks the scenario again. Errors name the option instead of a line of the file.
func (s *Scenario) Override(ctx context.Context, o Overrides) error {
	places := map[string]string{}
	maps.Copy(places, s.file.places)
	s.file.places, s.origins = places, maps.Clone(s.origins)
	option := func(path, name string) {
		places[path] = name
		s.decide(path, ByOption, name)
	}
	if o.Seed != nil {
		s.Seed = *o.Seed
		option("seed", "--seed")
		s.inReport.one = fmt.Sprintf(" --seed %d", s.Seed)
	}
	if o.Permutation != nil {
		if err := s.choosePermutation(*o.Permutation); err != nil {
			return err
		}
		option("workload.permutation", "--permutation")
		s.inReport.one += fmt.Sprintf(" --permutation %d", *o.Permutation)
		s.decide("seed", ByOption, "--permutation") // the seed of the permutation
	}
	if o.Slots != nil {
		s.Stop.Slots = *o.Slots
		option("stop.slots", "--slots")
		s.inReport.given += fmt.Sprintf(" --slots %d", *o.Slots)
	}
	if o.Mode != "" {
		s.Firmware.Mode = o.Mode
		option("firmware.mode", "--mode")
		s.inReport.given += " --mode " + outcome.ShellQuote(o.Mode)
	}
	if o.Image != "" {
		s.inReport.given += " --firmware " + outcome.ShellQuote(o.Image)
	}
	image := cmp.Or(o.ImagePlace, "--firmware")
	if o.ImageBytes != nil {
		s.keepProgram(func() (firmware.Info, error) { return firmware.InspectImage(ctx, o.Image, o.ImageBytes) })
		s.Firmware.Program, s.Firmware.Image, s.Firmware.ImageBytes = "", o.Image, o.ImageBytes
		option("firmware.image", image)
		s.decide("firmware.program", ByOption, image)
	} else if o.Image != "" && isProgram(o.Image) {
		// a program has its own schedule and, unless the scenario states rules, its own rules
		s.Firmware.Program, s.Firmware.Image, s.Firmware.ImageBytes, s.Firmware.Schedule = o.Image, "", nil, ""
		option("firmware.program", image)
		s.decide("firmware.image", ByOption, image)
		s.decide("firmware.schedule", ByOption, image)
		return s.check(&reading{takeNeeds: s.takeNeeds})
	} else if o.Image != "" {
		absolute, err := filepath.Abs(o.Image)
		if err != nil {
			return input.Mistake(image, err.Error(), "give the path of a WebAssembly image")
		}
		s.keepProgram(func() (firmware.Info, error) { return firmware.Inspect(ctx, absolute) })
		s.Firmware.Program, s.Firmware.Image, s.Firmware.ImageBytes = "", absolute, nil
		option("firmware.image", image)
		s.decide("firmware.program", ByOption, image)
	}
	return s.Check()
}
