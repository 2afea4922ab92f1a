package starloom

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/config"
	"starloom/internal/strict"
	"starloom/traces"
	"starloom/traces/input"
)

// paramsMax is the number of firmware parameters: the register map has a
// register for each.
const paramsMax = 16

// paramSpan is the range of a firmware parameter, a signed 32-bit register.
var paramSpan = strict.Span{Min: math.MinInt32, Max: math.MaxInt32}

// paramName is what a firmware parameter may be called: a C identifier.
var paramName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// permutationRules are the permutations that have a name.
var permutationRules = []string{PermutationRandom, PermutationIdentity, PermutationReverse, PermutationAll}

// Check checks a scenario that was built or changed by a program; ParseScenario
// has done it for a file. The error is an *InputError.
func (s *Scenario) Check() error { return s.check(nil) }

// check checks s. entryPlace says where entry i of the permutation stands, if
// that is known.
func (s *Scenario) check(entryPlace func(i int) string) error {
	if err := s.checkRanges(reflect.ValueOf(s).Elem(), ""); err != nil {
		return err
	}
	for _, check := range []func() error{s.checkName, s.checkFabric, s.checkFirmware, s.checkRules, s.checkTraces, s.checkWorkload, s.checkRTL, s.checkFaults} {
		if err := check(); err != nil {
			return err
		}
	}
	return s.checkPermutation(entryPlace)
}

func (s *Scenario) refuse(path, reason, remedy string) error {
	return &InputError{Place: s.Place(path), Reason: reason, Remedy: remedy}
}

// checkRanges checks every value in v against the limits in its field's tag.
func (s *Scenario) checkRanges(v reflect.Value, path string) error {
	for _, field := range strict.Fields(v.Type()) {
		value := v.Field(field.Index)
		at := strict.Join(path, field.Key)
		if value.Kind() == reflect.Pointer {
			if value.IsNil() {
				continue
			}
			value = value.Elem()
		}
		if value.Kind() == reflect.Struct {
			if value.Type() == permutationType {
				continue
			}
			if err := s.checkRanges(value, at); err != nil {
				return err
			}
			continue
		}
		if field.OmitEmpty && value.IsZero() {
			continue
		}
		if reason, remedy := field.Limits.Refuse(value); reason != "" {
			return s.refuse(at, at+" "+reason, remedy)
		}
	}
	return nil
}

func (s *Scenario) checkName() error {
	if !utf8.ValidString(s.Name) || strings.ContainsFunc(s.Name, unicode.IsControl) {
		return s.refuse("name", "name has control characters", "write printable characters only")
	}
	return nil
}

func (s *Scenario) checkFabric() error {
	n := s.network()
	if n == nil {
		var known []string
		for _, kind := range s.Fabric.kinds() {
			var keys []string
			for _, field := range strict.Fields(reflect.TypeOf(kind).Elem()) {
				if field.Limits.Required {
					keys = append(keys, field.Key+": ...")
				}
			}
			known = append(known, fmt.Sprintf("fabric: {%s: {%s}}", kind.Kind(), strings.Join(keys, ", ")))
		}
		return s.refuse("fabric", "the scenario has no fabric", "write "+strings.Join(known, " or "))
	}
	var refused *InputError
	switch err := n.Check(); {
	case errors.As(err, &refused):
		return s.refusal(err)
	case err != nil:
		return s.refuse("fabric."+n.Kind(), err.Error(), "change what stands under fabric."+n.Kind())
	}
	return nil
}

func (s *Scenario) checkFirmware() error {
	f, n := &s.Firmware, s.network()
	var known []string
	for _, p := range n.Programs() {
		known = append(known, p.Name)
	}
	switch {
	case f.Program == "" && f.Image == "" && f.ImageBytes == nil:
		remedy := "write image: router.wasm"
		if len(known) > 0 {
			remedy = fmt.Sprintf("write program: %s or image: router.wasm", known[0])
		}
		return s.refuse("firmware", "firmware has neither program nor image", remedy)
	case f.Program != "" && (f.Image != "" || f.ImageBytes != nil):
		return s.refuse("firmware.image", "firmware has both program and image", "delete one")
	case f.Program != "" && !slices.Contains(known, f.Program):
		reason := fmt.Sprintf("unknown program %q", strict.Clip(f.Program))
		if slices.Contains(firmware.Programs(), f.Program) {
			reason = fmt.Sprintf("the program %s is for another fabric", f.Program)
		}
		return s.refuse("firmware.program", reason, input.DidYouMean(f.Program, known, config.KnownAre("program", known)))
	case f.Schedule != "" && !slices.Contains(fabric.SchedulesOf(n), f.Schedule):
		return s.refuse("firmware.schedule", fmt.Sprintf("unknown schedule %q", strict.Clip(f.Schedule)),
			input.DidYouMean(f.Schedule, fabric.SchedulesOf(n), config.KnownAre("schedule", fabric.SchedulesOf(n))))
	}
	if err := s.checkPayload(); err != nil {
		return err
	}
	if err := s.checkCPU(); err != nil {
		return err
	}
	if len(f.ImageBytes) > firmware.ImageBytesMax {
		return s.refuse("firmware.image", fmt.Sprintf("the firmware image has %d bytes", len(f.ImageBytes)), fmt.Sprintf("allowed are %d", firmware.ImageBytesMax))
	}
	if len(f.Params) > paramsMax {
		return s.refuse("firmware.params", fmt.Sprintf("firmware.params has %d parameters", len(f.Params)),
			fmt.Sprintf("give at most %d", paramsMax))
	}
	names := make([]string, 0, len(f.Params))
	for name := range f.Params {
		names = append(names, name)
	}
	sort.Strings(names) // so that the same file gives the same error
	for _, name := range names {
		at := strict.Join("firmware.params", name)
		if !paramName.MatchString(name) {
			return s.refuse(at, fmt.Sprintf("%q is not the name of a parameter", strict.Clip(name)),
				"write letters, digits and underscores, at most 63, not starting with a digit")
		}
		if p := s.program(); p != nil {
			at := slices.IndexFunc(p.Params, func(c fabric.Choice) bool { return c.Name == name })
			if at >= 0 && !p.Params[at].Allows(f.Params[name]) {
				return s.refuse(strict.Join("firmware.params", name), fmt.Sprintf("firmware.params.%s is %d", name, f.Params[name]), "allowed are "+p.Params[at].Allowed())
			}
		}
		if value := f.Params[name]; value < math.MinInt32 || value > math.MaxInt32 {
			return s.refuse(at, fmt.Sprintf("%s is %d", at, value), paramSpan.Allowed())
		}
	}
	return nil
}

// checkPayload refuses frames that are too small for what the program says in them. What a file
// leaves open becomes what the program needs.
func (s *Scenario) checkPayload() error {
	_, parsed := s.places[""]
	_, given := s.places["nic.payload_bytes"]
	p := s.program()
	if p == nil || parsed && !given {
		return nil
	}
	least := max(p.Needs.PayloadBytes, p.Needs.PayloadMin)
	if s.NIC.PayloadBytes >= least {
		return nil
	}
	return s.refuse("nic.payload_bytes",
		fmt.Sprintf("nic.payload_bytes is %d, and a message of %s has %s", s.NIC.PayloadBytes, p.Name, traces.Plural(least, "byte", "bytes")),
		fmt.Sprintf("give at least %d", least))
}

func (s *Scenario) checkRules() error {
	if s.Rules == nil || s.Rules.CollisionFree == nil {
		return nil
	}
	free := s.Rules.CollisionFree
	for i, slot := range free.Slots {
		at := fmt.Sprintf("rules.collision_free.slots[%d]", i)
		if slot < 1 || slot > free.Period {
			return s.refuse(at, fmt.Sprintf("slot %d is not in a period of %d", slot, free.Period),
				fmt.Sprintf("allowed are 1 to %d; the first slot is 1", free.Period))
		}
		if slices.Contains(free.Slots[:i], slot) {
			return s.refuse(at, fmt.Sprintf("slot %d is given twice", slot), "delete one")
		}
	}
	return nil
}

func (s *Scenario) checkTraces() error {
	vcd := s.Traces.VCD
	if vcd == nil {
		return nil
	}
	for i, glob := range vcd.Signals {
		if strings.TrimSpace(glob) == "" {
			return s.refuse(fmt.Sprintf("traces.vcd.signals[%d]", i), "an empty glob selects nothing",
				`write a path such as "**.coupler[0].**", or leave signals out for all`)
		}
	}
	if vcd.To != 0 && vcd.To < vcd.From {
		return s.refuse("traces.vcd.to", fmt.Sprintf("the window ends at cycle %d, before it starts at %d", vcd.To, vcd.From),
			"write a later cycle, or 0 for the end of the run")
	}
	if vcd.Trigger == "" && (vcd.Before != 0 || vcd.After != 0) {
		at := "traces.vcd.before"
		if vcd.Before == 0 {
			at = "traces.vcd.after"
		}
		return s.refuse(at, "before and after need a trigger", "add trigger: "+TriggerFirstViolation)
	}
	return nil
}

// checkPermutation checks that a list holds every processor exactly once, and
// says which one is doubled and which one is missing.
func (s *Scenario) checkPermutation(entryPlace func(i int) string) error {
	const path = "workload.permutation"
	p := &s.Workload.Permutation
	if program := s.program(); p.Kind == "" && (s.Workload.Kind() != fabric.WorkloadPermutation || program != nil && program.Workloads == nil) {
		return nil
	}
	if p.Kind != PermutationList {
		if !slices.Contains(permutationRules, p.Kind) {
			return s.refuse(path, fmt.Sprintf("%s is %q", path, p.Kind), "allowed are random, identity, reverse, all or a list")
		}
		if p.List != nil {
			return s.refuse(path, "a list is given for the permutation "+p.Kind, "set Kind to list, or delete the list")
		}
		return nil
	}
	refuse := func(i int, reason, remedy string) error {
		place := s.Place(path)
		if entryPlace != nil {
			place = entryPlace(i)
		}
		return &InputError{Place: place, Reason: reason, Remedy: remedy}
	}
	count := s.Processors()
	if len(p.List) != count {
		return s.refuse(path, fmt.Sprintf("the permutation has %s, the fabric %s", traces.Plural(len(p.List), "destination", "destinations"), traces.Plural(count, "processor", "processors")),
			fmt.Sprintf("give %s: entry i is where processor i's packet goes", traces.Plural(count, "destination", "destinations")))
	}
	given := make([]bool, count)
	for i, destination := range p.List {
		if int(destination) >= count {
			return refuse(i, fmt.Sprintf("entry %d of the permutation is %d", i, destination),
				fmt.Sprintf("allowed are 0 to %d", count-1))
		}
		if given[destination] {
			missing := slices.Index(present(p.List, count), false)
			return refuse(i, fmt.Sprintf("no permutation: destination %d is given twice, by entries %d and %d, and %d is missing",
				destination, slices.Index(p.List, destination), i, missing),
				"give every processor exactly one packet")
		}
		given[destination] = true
	}
	return nil
}

// present marks which of 0..count-1 are in list.
func present(list []uint32, count int) []bool {
	marks := make([]bool, count)
	for _, value := range list {
		if int(value) < count {
			marks[value] = true
		}
	}
	return marks
}
