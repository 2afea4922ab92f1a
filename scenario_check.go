package starloom

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/runs"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Check checks a scenario that a Go program has built or changed; ParseScenario has already checked a file. The error
// is an *InputError, or *InputErrors for several mistakes.
func (s *Scenario) Check() error { return s.check(&reading{}) }

// check checks s. A mistake suppresses only the checks of the sections that it leaves unknown. Each check is listed
// with the sections that it reads; its mistakes concern the first section.
func (s *Scenario) check(r *reading) error {
	if len(r.lost) == 0 { // otherwise the decoder has checked the ranges
		if err := s.checkRanges(reflect.ValueOf(s).Elem(), ""); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		sections string
		check    func() error
	}{
		{"name", s.checkName}, {"fabric", s.checkFabric},
		{"workload fabric", r.readFile},
		{"workload fabric", func() error { return s.refusal(checkPriority(s.network(), s.Workload.Traffic)) }},
		{"workload firmware fabric", s.checkBare}, {"firmware fabric", s.checkProgram},
		{"firmware", func() error { return s.checkNamed(r.lost["fabric"]) }},
		{"nic firmware fabric", func() error { return s.checkPayload(r.takeNeeds) }},
		{"firmware", s.checkCPU}, {"firmware", s.checkFirmware}, {"firmware fabric", s.checkParams},
		{"rules", s.checkRules}, {"rules fabric", s.checkApart}, {"traces", s.checkTraces},
		{"workload", s.checkOneWorkload}, {"workload fabric", s.checkEndpoints}, {"workload firmware fabric", s.checkCarried},
		{"workload firmware fabric nic link", s.checkTraffic}, {"firmware workload", s.checkSchedule},
		{"rtl workload nic fabric", s.checkRTL}, {"faults", s.checkFaults},
		{"workload firmware fabric", func() error { return s.checkPermutation(r.entryPlace) }},
	} {
		sections := strings.Fields(c.sections)
		if c.check == nil || slices.ContainsFunc(sections, func(section string) bool { return r.lost[section] }) {
			continue
		}
		if err := c.check(); !r.note(sections[0], err) {
			return err
		}
	}
	return r.Err()
}

func (s *Scenario) refuse(path, reason, remedy string) error {
	return input.Mistake(s.Place(path), reason, remedy)
}

func (s *Scenario) checkRanges(v reflect.Value, path string) error {
	if at, reason, remedy := strict.OutOfRange(v, path, permutationType); reason != "" {
		return s.refuse(at, reason, remedy)
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
		for _, kind := range append(s.Fabric.kinds(), s.file.foreign...) {
			known = append(known, fmt.Sprintf("fabric: {%s: {%s}}", kind.Kind(), fabric.KeysOf(kind)))
		}
		return s.refuse("fabric", "the scenario has no fabric", "write "+strings.Join(known, " or "))
	}
	if custom := reflect.Indirect(reflect.ValueOf(s.Fabric.Custom)); custom.Kind() == reflect.Struct {
		if err := s.checkRanges(custom, "fabric."+n.Kind()); err != nil {
			return err
		}
	}
	var refused *InputError
	switch err := n.Check(); {
	case errors.As(err, &refused):
		return s.refusal(err)
	case err != nil:
		return s.refuse("fabric."+n.Kind(), err.Error(), "change the keys under fabric."+n.Kind())
	}
	return nil
}

func (s *Scenario) bare() bool {
	f, n := &s.Firmware, s.network()
	return fabric.RoutersOf(n) != nil && !fabric.Slotted(n) && f.Program == "" && f.Image == "" && f.ImageBytes == nil
}

func (s *Scenario) checkNamed(anywhere bool) error {
	name, known := s.Firmware.Program, firmware.Programs()
	if !anywhere || name == "" || len(s.file.foreign) > 0 || slices.Contains(known, name) {
		return nil
	}
	return s.refuse("firmware.program", fmt.Sprintf("unknown program %q", strict.Clip(name)),
		input.DidYouMean(name, known, config.KnownAre("program", known)))
}

func (s *Scenario) checkProgram() error {
	f, n := &s.Firmware, s.network()
	var known []string
	for _, p := range n.Programs() {
		known = append(known, p.Name)
	}
	switch {
	case s.bare():
	case f.Program == "" && f.Image == "" && f.ImageBytes == nil:
		remedy := "write image: router.wasm"
		if len(known) > 0 {
			remedy = fmt.Sprintf("write program: %s or image: router.wasm", known[0])
		}
		return s.refuse("firmware", "firmware has neither program nor image", remedy)
	case f.Program != "" && (f.Image != "" || f.ImageBytes != nil):
		return s.refuse("firmware.image", "firmware has both program and image", "delete one")
	case f.Program != "" && !slices.Contains(known, f.Program):
		reason, remedy := fmt.Sprintf("unknown program %q", strict.Clip(f.Program)),
			input.DidYouMean(f.Program, known, config.KnownAre("program", known))
		if slices.Contains(firmware.Programs(), f.Program) {
			reason, remedy = fabric.Refused(n, f.Program, remedy)
		}
		return s.refuse("firmware.program", reason, remedy)
	case f.Schedule != "" && !slices.Contains(n.Abilities().Schedules.Names, f.Schedule):
		return s.refuse("firmware.schedule", fmt.Sprintf("unknown schedule %q", strict.Clip(f.Schedule)),
			input.DidYouMean(f.Schedule, n.Abilities().Schedules.Names,
				config.KnownAre("schedule", n.Abilities().Schedules.Names)))
	}
	return nil
}

func (s *Scenario) checkBare() error {
	n := s.network()
	if !s.bare() {
		return nil
	}
	if s.Workload.Traffic == nil {
		return s.refuse("workload", "without firmware, routers carry bare packets, but workload has no traffic",
			"write workload: {traffic: {rate: 0.1}}, or firmware: {...}")
	}
	if reason, remedy := fabric.RoutersOf(n).Bare(); reason != "" {
		return s.refuse("fabric."+n.Kind(), reason, remedy)
	}
	if s.Rules == nil {
		return nil
	}
	every := (&Rules{}).Checked()
	for _, rule := range s.Rules.Checked() {
		if !slices.Contains(every, rule) && !slices.Contains(s.Rules.OfPackets(), rule) && rule != fabric.RuleFinishBy {
			return s.refuse("rules."+rule, fmt.Sprintf("without firmware, routers carry bare packets, for which the rule %s "+
				"is not checked", rule),
				"delete it; finishes and deadlock are always checked, and in_order, latency_max, deadline_slots and finish_by "+
					"may be requested")
		}
	}
	return nil
}

func (s *Scenario) checkFirmware() error {
	f := &s.Firmware
	if len(f.ImageBytes) > firmware.ImageBytesMax {
		return s.refuse("firmware.image", fmt.Sprintf("the firmware image has %d bytes", len(f.ImageBytes)),
			fmt.Sprintf("at most %d are allowed", firmware.ImageBytesMax))
	}
	if len(f.Params) > config.ParamsMax {
		return s.refuse("firmware.params", fmt.Sprintf("firmware.params has %d parameters", len(f.Params)),
			fmt.Sprintf("give at most %d", config.ParamsMax))
	}
	names := make([]string, 0, len(f.Params))
	for name := range f.Params {
		names = append(names, name)
	}
	sort.Strings(names) // so that equal files yield equal errors
	for _, name := range names {
		at := strict.Join("firmware.params", name)
		if !config.ParamName.MatchString(name) {
			return s.refuse(at, fmt.Sprintf("%q is not the name of a parameter", strict.Clip(name)),
				"write letters, digits and underscores, at most 63, not starting with a digit")
		}
		if value := f.Params[name]; value < math.MinInt32 || value > math.MaxInt32 {
			return s.refuse(at, fmt.Sprintf("%s is %d", at, value), config.ParamSpan.Allowed())
		}
	}
	return nil
}

func (s *Scenario) checkParams() error {
	p := s.program()
	if p == nil {
		return nil
	}
	for _, c := range p.Params {
		if value, given := s.Firmware.Params[c.Name]; given && !c.Allows(value) {
			return s.refuse(strict.Join("firmware.params", c.Name), fmt.Sprintf("firmware.params.%s is %d", c.Name, value),
				"allowed: "+c.Allowed())
		}
	}
	return nil
}

// checkPayload rejects frames that are too small for the program's messages, after takeNeeds has set the open sizes.
func (s *Scenario) checkPayload(takeNeeds func()) error {
	if takeNeeds != nil {
		takeNeeds()
	}
	p := s.program()
	if p == nil {
		return nil
	}
	least := max(p.Needs.PayloadBytes, p.Needs.PayloadMin)
	if s.NIC.PayloadBytes >= least {
		return nil
	}
	return s.refuse("nic.payload_bytes",
		fmt.Sprintf("nic.payload_bytes is %d, but a message of %s has %s", s.NIC.PayloadBytes, p.Name,
			traces.Plural(least, "byte", "bytes")),
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
				fmt.Sprintf("allowed: 1 to %d; the first slot is 1", free.Period))
		}
		if slices.Contains(free.Slots[:i], slot) {
			return s.refuse(at, fmt.Sprintf("slot %d is given twice", slot), "delete one")
		}
	}
	return nil
}

// checkApart rejects rules that no run can break on this network. Firmware for traffic may reorder packets on any
// network.
func (s *Scenario) checkApart() error {
	if s.Rules == nil {
		return nil
	}
	firmware := s.Firmware.Program != "" || s.Firmware.Image != ""
	for _, idle := range s.Rules.Unbreakable(s.network()) {
		if idle.Rule == fabric.RuleInOrder && firmware && s.Workload.Traffic != nil {
			continue
		}
		remedy := "delete it"
		if idle.Rule == fabric.RuleCollisionFree {
			remedy += "; no_loss finds frames that are lost"
		}
		return s.refuse("rules."+idle.Rule, "no run can break the rule "+idle.Rule+" here: "+idle.Why, remedy)
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

// checkPermutation checks that a list contains every processor exactly once. Its error names a repeated and a missing
// processor.
func (s *Scenario) checkPermutation(entryPlace func(i int) string) error {
	const path = "workload.permutation"
	p := &s.Workload.Permutation
	if program := s.program(); p.Kind == "" &&
		(s.Workload.Kind() != fabric.WorkloadPermutation || program != nil && program.Workloads == nil) {
		return nil
	}
	if p.Kind != PermutationList {
		if !slices.Contains(config.PermutationRules, p.Kind) {
			return s.refuse(path, fmt.Sprintf("%s is %q", path, p.Kind), "allowed: random, identity, reverse, all or a list")
		}
		if p.List != nil {
			return s.refuse(path, "a list is given for the permutation "+p.Kind, "set Kind to list, or delete the list")
		}
		return nil
	}
	entry, reason, remedy := fabric.Misplaced(p.List, s.Processors())
	place := s.Place(path)
	if entry >= 0 && entryPlace != nil {
		place = entryPlace(entry)
	}
	if reason != "" {
		return input.Mistake(place, reason, remedy)
	}
	return nil
}

// all returns all faults with their paths, the random fault last.
func (f *Faults) all() (faults []Fault, paths []string) {
	for i := range f.Schedule {
		faults, paths = append(faults, f.Schedule[i]), append(paths, fmt.Sprintf("faults.schedule[%d]", i))
	}
	if r := f.Random; r != nil {
		faults, paths = append(faults, Fault{Kind: r.Kind, Targets: r.Targets, Probability: r.Rate}),
			append(paths, "faults.random")
	}
	return faults, paths
}

// checkFaults rejects keys that are invalid for the kind of a fault. Targets are checked when a machine is built.
func (s *Scenario) checkFaults() error {
	if s.Faults == nil {
		return nil
	}
	faults, paths := s.Faults.all()
	if len(faults) > fabric.FaultsMax {
		return s.refuse("faults.schedule", fmt.Sprintf("there are %d faults", len(faults)),
			fmt.Sprintf("give at most %d; one fault may have many targets and slots", fabric.FaultsMax))
	}
	if err := s.checkRates(); err != nil {
		return err
	}
	for i := range faults {
		if err := s.checkFault(&faults[i], paths[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scenario) checkRates() error {
	r := s.Faults.Random
	if r == nil {
		return nil
	}
	const at = "faults.random.rates"
	switch {
	case r.Rate == nil && r.Rates == nil:
		return s.refuse("faults.random", "random has neither rate nor rates", "give a rate, 0 to 1")
	case r.Rate != nil && r.Rates != nil:
		return s.refuse(at, "random has both rate and rates", "delete one")
	case len(r.Rates) > config.RatesMax:
		return s.refuse(at, fmt.Sprintf("there are %d rates", len(r.Rates)), fmt.Sprintf("give at most %d", config.RatesMax))
	}
	for i, rate := range r.Rates {
		switch at := hw.Index(at, i); {
		case math.IsNaN(rate) || rate < 0 || rate > 1:
			return s.refuse(at, fmt.Sprintf("a probability of %v", rate), "allowed: 0 to 1")
		case i > 0 && rate <= r.Rates[i-1]:
			return s.refuse(at, fmt.Sprintf("%v follows %v", rate, r.Rates[i-1]), "write each rate once, in ascending order")
		}
	}
	return nil
}

func (s *Scenario) checkFault(f *Fault, at string) error {
	kind := slices.Index(fabric.FaultNames[:], f.Kind)
	if kind < 0 {
		return s.refuse(at+".kind", fmt.Sprintf("unknown fault %q", strict.Clip(f.Kind)),
			input.DidYouMean(f.Kind, fabric.FaultNames[:], "known are "+strings.Join(fabric.FaultNames[:], ", ")))
	}
	for k, glob := range f.Targets {
		if _, err := hw.CompilePattern(glob); err != nil {
			text := strings.ReplaceAll(fmt.Sprintf("%q is not a glob: %v", glob, err), glob, strict.Clip(glob))
			return s.refuse(fmt.Sprintf("%s.targets[%d]", at, k), text,
				"write a path; * matches any text, [*] any index, and ** any parts")
		}
	}
	if err := s.checkStrikes(f, fabric.FaultKind(kind), at); err != nil {
		return err
	}
	return s.checkBuffers(f, fabric.FaultKind(kind), at)
}

func (s *Scenario) checkStrikes(f *Fault, kind fabric.FaultKind, at string) error {
	if p := f.Probability; p != nil && (math.IsNaN(*p) || *p < 0 || *p > 1) {
		key := ".probability"
		if at == "faults.random" {
			key = ".rate"
		}
		return s.refuse(at+key, fmt.Sprintf("a probability of %v", *p), "allowed: 0 to 1")
	}
	switch {
	case f.Slots != nil && f.Slots.List != nil && (f.Slots.From != 0 || f.Slots.To != 0 || f.Slots.Every != 0):
		return s.refuse(at+".slots", "slots has both a list and from, to or every", "delete one")
	case f.Slots != nil && f.Slots.To != 0 && f.Slots.To < f.Slots.From:
		return s.refuse(at+".slots.to", fmt.Sprintf("the last slot is %d, but the first slot is %d", f.Slots.To,
			f.Slots.From), "exchange them")
	case f.Probability != nil && *f.Probability != 0 && kind == fabric.FaultStuck:
		return s.refuse(at+".probability", "a stuck medium is dark in each of its slots",
			"delete the key, write kind: drop, or write 0 to disable the fault")
	}
	return nil
}

func (s *Scenario) checkBuffers(f *Fault, kind fabric.FaultKind, at string) error {
	buffers := kind == fabric.FaultBuffers
	switch {
	case !buffers && (f.RXFrames != 0 || f.TXFrames != 0):
		return s.refuse(at, "rx_frames and tx_frames are for kind: buffers", "delete them")
	case buffers && f.RXFrames == 0 && f.TXFrames == 0:
		return s.refuse(at, "buffers has neither rx_frames nor tx_frames", "give one")
	case buffers && (f.Slots != nil || f.Probability != nil && *f.Probability != 0):
		return s.refuse(at, "buffers are smaller for the whole run",
			"delete slots and probability; a probability of 0 disables the fault")
	}
	return nil
}

func (s *Scenario) checkDepths(f *Fault, at string) error {
	for _, fifo := range []struct {
		key           string
		frames, limit int
	}{{"rx_frames", f.RXFrames, s.NIC.RXFrames}, {"tx_frames", f.TXFrames, s.NIC.TXFrames}} {
		if fifo.frames < 0 || fifo.frames > fifo.limit {
			return s.refuse(at+"."+fifo.key, fmt.Sprintf("%s is %d, but nic.%s is "+
				"%d", fifo.key, fifo.frames, fifo.key, fifo.limit),
				"give a smaller depth")
		}
	}
	return nil
}

func (c *CPU) metered() bool { return c.Model != "" }

func (s *Scenario) checkCPU() error {
	const path = "firmware.cpu"
	c := &s.Firmware.CPU
	if !c.metered() {
		for _, key := range []struct {
			name  string
			given bool
		}{{"cost", len(c.Cost) > 0}, {"core", len(c.Core) > 0}, {"clock_ratio", c.ClockRatio != 0},
			{"trap_cycles", c.TrapCycles != 0}, {"data_wait", c.DataWait != 0},
			{"stack", c.Stack != 0}, {"overrun", c.Overrun != ""}} {
			if key.given {
				return s.refuse(strict.Join(path, key.name),
					fmt.Sprintf("%s.%s without a model: handlers take no time", path, key.name),
					"add model: unit, or delete the key")
			}
		}
		return nil
	}
	if key, reason, remedy := c.wrongCore(); reason != "" {
		return s.refuse(strict.Join(path, key), reason, remedy)
	}
	if c.Model == ModelCustom && len(c.Cost) == 0 {
		return s.refuse(path+".model", "model: custom without costs", "add cost: {load: 3, ...}; other classes cost 1")
	}
	names := make([]string, 0, len(c.Cost))
	for name := range c.Cost {
		names = append(names, name)
	}
	slices.Sort(names) // the same error for the same file
	for _, name := range names {
		at := path + ".cost." + name
		if !slices.Contains(wasm.ClassNames(), name) {
			return s.refuse(at, fmt.Sprintf("there is no class of instructions %q", strict.Clip(name)),
				input.DidYouMean(name, wasm.ClassNames(), "classes are "+strings.Join(wasm.ClassNames(), ", ")))
		}
		if allowed := costSpan(name); c.Cost[name] < allowed.Min || c.Cost[name] > int64(allowed.Max) {
			return s.refuse(at, fmt.Sprintf("%s is %d", at, c.Cost[name]), allowed.Allowed())
		}
	}
	if budget := uint64(c.BudgetCycles); c.TrapCycles > 0 && c.TrapCycles < budget {
		return s.refuse(path+".trap_cycles",
			fmt.Sprintf("%s.trap_cycles is %d, less than budget_cycles, %d: a handler would trap before it misses its slot",
				path, c.TrapCycles, budget),
			fmt.Sprintf("give %d or more, or delete the key", budget))
	}
	if ratio := c.ratio(); c.TrapCycles > firmware.LimitMax/ratio {
		return s.refuse(path+".trap_cycles",
			fmt.Sprintf("%s.trap_cycles is %d, with a clock_ratio of %d", path, c.TrapCycles, ratio),
			fmt.Sprintf("allowed: 1 to %d, because costs are counted up to about %d", firmware.LimitMax/ratio,
				uint64(firmware.LimitMax)))
	}
	return nil
}

func costSpan(class string) strict.Span {
	return strict.Span{Min: int64(wasm.CostMin(class)), Max: wasm.CostMax}
}

func (s *Scenario) checkRTL() error {
	if len(s.RTL) > 0 && s.Workload.Permutation.Kind == PermutationAll {
		return s.refuse("rtl", "rtl and every permutation", "choose one permutation; --seed gives others")
	}
	if len(s.RTL) > 0 && s.NIC.PayloadBytes > nic.PayloadBytesRTL {
		return s.refuse("nic.payload_bytes",
			fmt.Sprintf("payload_bytes is %d; with rtl at most %d are possible", s.NIC.PayloadBytes, nic.PayloadBytesRTL),
			"choose a smaller payload, or delete the key rtl")
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
		names := s.network().Names()
		return s.refuse(at+".replace", err.Error(),
			"correct the pattern; components are, for example, "+names.Medium(0)+" and "+names.Link(0))
	}
	if r.Twin != "" && (r.Map != "" || r.PinMap != nil) {
		return s.refuse(at+".twin", at+" has both twin and map", "delete one")
	}
	return nil
}

func (s *Scenario) checkTraffic() error {
	_, err := s.traffic()
	return err
}

func (s *Scenario) checkSchedule() error {
	switch f := &s.Firmware; {
	case f.Schedule != "" && s.Workload.Traffic != nil:
		return s.refuse("firmware.schedule", "the words of the schedule carry the traffic", "delete schedule")
	case f.Schedule != "" && f.Program != "":
		return s.refuse("firmware.schedule", "a built-in program has its own schedule",
			"delete schedule, or give an image")
	}
	return nil
}

func (s *Scenario) checkOneWorkload() error {
	w := &s.Workload
	var given []string
	for _, kind := range []struct {
		name  string
		given bool
	}{
		{"one_to_all", w.OneToAll != nil}, {"all_to_all", w.AllToAll != nil}, {"gossip", w.Gossip != nil},
		{"scatter", w.Scatter != nil}, {"adversary", w.Adversary != nil}, {"traffic", w.Traffic != nil},
	} {
		if kind.given {
			given = append(given, kind.name)
		}
	}
	if len(given) > 1 {
		return s.refuse("workload", "workload has both "+strings.Join(given[:2], " and "), "delete one")
	}
	if _, permuted := s.file.places["workload.permutation"]; permuted && len(given) > 0 {
		return s.refuse("workload", "workload has a permutation and something else",
			"keep one of permutation, file, one_to_all, all_to_all, gossip, scatter, adversary and traffic")
	}
	return nil
}

func (s *Scenario) checkEndpoints() error {
	w, n := &s.Workload, s.Processors()
	if w.OneToAll != nil && w.OneToAll.Source >= n {
		return s.refuse("workload.one_to_all.source", fmt.Sprintf("workload.one_to_all.source is %d", w.OneToAll.Source),
			fmt.Sprintf("allowed: 0 to %d", n-1))
	}
	if w.Scatter != nil && n < 2 {
		return s.refuse("fabric."+s.network().Kind(), "scatter needs at least 2 processors",
			"choose a network of 2 processors or more")
	}
	if w.Scatter != nil && w.Scatter.Origin >= n {
		return s.refuse("workload.scatter.origin", fmt.Sprintf("workload.scatter.origin is %d", w.Scatter.Origin),
			fmt.Sprintf("allowed: 0 to %d", n-1))
	}
	if w.Adversary != nil && w.Adversary.Slots%2 != 0 {
		return s.refuse("workload.adversary.slots", fmt.Sprintf("workload.adversary.slots is %d", w.Adversary.Slots),
			"give an even number: a packet needs two slots for its two hops")
	}
	if w.Permutation.Kind == PermutationAll && n > runs.AllProcessorsMax {
		return s.refuse("workload.permutation", fmt.Sprintf("all permutations of %d processors are too many", n),
			fmt.Sprintf("use a network of at most %d processors", runs.AllProcessorsMax))
	}
	return nil
}

func (s *Scenario) checkCarried() error {
	w, kind, p := &s.Workload, s.Workload.Kind(), s.program()
	if carried := s.carried(); p == nil && !slices.Contains(carried, kind) {
		return s.refuse("workload."+kind, fmt.Sprintf("networks of the kind %s do not carry %s", s.network().Kind(), kind),
			"write "+workloadExamples(carried))
	}
	if p != nil && p.Workloads == nil {
		if _, stated := s.file.places["workload"]; stated || !w.Usual() {
			return s.refuse("workload", fmt.Sprintf("the program %s takes no workload", p.Name), "delete workload")
		}
	} else if p != nil && !slices.Contains(p.Workloads, kind) {
		path := "workload"
		if _, given := s.file.places[path]; !given {
			path = "firmware.program"
		}
		return s.refuse(path, fmt.Sprintf("the program %s does not carry %s", s.Firmware.Program, kind),
			"write "+workloadExamples(p.Workloads))
	}
	return nil
}

// carried returns the kinds of workloads of the network: those of every NIC, and those of the network's programs.
func (s *Scenario) carried() []string {
	kinds := []string{fabric.WorkloadPermutation, fabric.WorkloadOneToAll, fabric.WorkloadTraffic}
	for _, p := range s.network().Programs() {
		for _, kind := range p.Workloads {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

func workloadExamples(kinds []string) string {
	var write []string
	for _, kind := range kinds {
		write = append(write, fmt.Sprintf("workload: {%s: %s}", kind, config.WorkloadExample[kind]))
	}
	return strings.Join(write, " or ")
}

// reading holds the mistakes found while a scenario was read from a file, and the remaining work for check. The zero
// value is for a scenario from Go.
type reading struct {
	input.Errors
	lost map[string]bool // sections with unknown values
	// sets open sizes once network and program are correct, before the program's limits are checked
	takeNeeds  func()
	readFile   func() error       // reads the workload's file once the network is correct
	entryPlace func(i int) string // returns the place of entry i of the permutation; nil if unknown
}

// note records a mistake, and the path that it leaves unknown. It reports whether checks may continue.
func (r *reading) note(path string, err error) bool {
	if err == nil {
		return true
	}
	if r.lost == nil {
		r.lost = map[string]bool{}
	}
	section, _, _ := strings.Cut(strings.ReplaceAll(path, "[", "."), ".")
	r.lost[section] = true
	return r.Take(err)
}

// loseAbsent marks all absent sections as unknown if the file has a section with an unknown name.
func (r *reading) loseAbsent(places map[string]string) {
	sections, unknown := strict.Fields(reflect.TypeFor[Scenario]()), false
	for lost := range r.lost {
		unknown = unknown || !slices.ContainsFunc(sections, func(f strict.Field) bool { return f.Key == lost })
	}
	for _, section := range sections {
		if _, there := places[section.Key]; unknown && !there {
			r.lost[section.Key] = true
		}
	}
}

var permutationType = reflect.TypeFor[Permutation]()
