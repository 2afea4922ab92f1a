package starloom

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/traffic"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/estimate"
	"starloom/internal/meter"
	"starloom/internal/runs"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// elaborate sets everything that a scenario leaves open, and rejects contradictions. A run executes the returned
// Config.
//
//	Scenario -> Check -> network and program -> rules -> timing -> FIFOs -> faults -> Config
func (s *Scenario) elaborate() (*config.Config, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if settle := s.network().Abilities().Settle; settle != nil {
		if err := settle(); err != nil {
			return nil, err
		}
	}
	own := *s // later changes by the caller have no effect
	s = &own
	p := s.program()
	c := &config.Config{
		Name: s.Name, Seed: s.Seed, Network: s.network(), Workload: s.Workload, Rules: s.rules(), Slots: s.Stop.Slots,
		NIC:      config.NIC{PayloadBytes: s.NIC.PayloadBytes, RxFrames: s.NIC.RXFrames, TxFrames: s.NIC.TXFrames},
		Firmware: s.elaborateFirmware(p), Known: s.known(p), Source: s.source(),
	}
	c.Rules.Deadlock = fabric.RoutersOf(c.Network) != nil && len(s.RTL) == 0 // waits inside RTL are unknown
	if cpu := c.Firmware.CPU; cpu != nil {
		c.Rules.MeetsBudget = cpu.Budget > 0
	}
	for i := range s.RTL {
		r := &s.RTL[i]
		c.RTL = append(c.RTL,
			config.RTL{Replace: r.Replace, Twin: r.Twin, Map: s.resolve(r.Map), Backend: r.Backend, PinMap: r.PinMap})
	}
	if t := s.Traces.VCD; t != nil {
		c.VCD = config.Wave{Signals: t.Signals, From: t.From, To: t.To, Triggered: t.Trigger == TriggerFirstViolation,
			Before: t.Before, After: t.After}
	}
	c.PerPort = s.Traces.PCAPNG != nil && s.Traces.PCAPNG.Interfaces == "port"
	for _, step := range []func(*config.Config) error{s.elaborateTiming, s.checkLanes, s.elaborateFaults} {
		if err := step(c); err != nil {
			return nil, err
		}
	}
	var err error
	if c.Traffic, err = s.traffic(); err != nil {
		return nil, err
	}
	if c.Traffic != nil && c.Bare() {
		c.Slots = min(c.Slots, c.Traffic.Slots())
	}
	if t := c.Traffic; t != nil && t.Closed > 0 && p != nil { // the size of the program's state depends on this parameter
		c.Firmware.Params = maps.Collect(maps.All(c.Firmware.Params)) // a copy, never nil
		c.Firmware.Params["closed"] = int64(t.Closed)
	}
	for _, step := range []func(*config.Config) error{s.elaborateChoices, s.elaborateStates, s.elaborateEnd} {
		if err := step(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// elaborateChoices takes the choices, whose processors must exist.
func (s *Scenario) elaborateChoices(c *config.Config) error {
	if s.Choices == nil {
		return nil
	}
	c.Choices = *s.Choices
	if len(c.Choices.Arrivals) > 0 && (c.Traffic == nil || c.Traffic.Rows == nil) {
		return s.refuse("choices.arrivals", "the workload has no file of packets",
			"write workload: {traffic: {file: packets.csv}}")
	}
	n := c.Network.Shape().Processors()
	for i, x := range c.Choices.Draws {
		if x.Processor >= n {
			return s.refuse(hw.Index("choices.draws", i)+".processor", fmt.Sprintf("there is no processor %d", x.Processor),
				fmt.Sprintf("give 0 to %d", n-1))
		}
	}
	return nil
}

// elaborateStates copies the rules of explore, with their times in slots.
func (s *Scenario) elaborateStates(c *config.Config) error {
	if s.Explore == nil {
		return nil
	}
	each := c.Timing.SlotCycles()
	for i, rule := range s.Explore.Rules {
		if rule.Within != nil {
			at := hw.Index("explore.rules", i) + ".within"
			within := *rule.Within
			if within.Unit == "" {
				within.Unit = fabric.UnitSlots
			}
			known, cycles, err := fabric.TimebaseOf(c.Network, c.Bare(), each).Of(within, at)
			if err != nil {
				return s.refusal(err)
			}
			slots := cycles / uint64(each)
			if cycles%uint64(each) != 0 || slots == 0 || slots > SlotsMax {
				return s.refuse(at, fmt.Sprintf("%s is %s, but conditions are judged once per slot of %d cycles", at, known, each),
					"write slots: 40 slots")
			}
			rule.Slots = uint32(slots)
		}
		c.Rules.States = append(c.Rules.States, rule)
	}
	return nil
}

// elaborateEnd computes the deadline for the end of a run. It refuses a deadline that no run can miss.
func (s *Scenario) elaborateEnd(c *config.Config) error {
	by := c.Rules.FinishBy
	if by == nil {
		return nil
	}
	const at = "rules." + fabric.RuleFinishBy
	each := c.Timing.SlotCycles()
	known, cycles, err := fabric.TimebaseOf(c.Network, c.Bare(), each).Of(*by, at)
	if err != nil {
		return s.refusal(err)
	}
	c.Rules.FinishBy, c.FinishBy = &known, cycles
	one, many := "slot", "slots"
	if c.Bare() {
		one, many = "cycle", "cycles"
	}
	last, why := uint64(c.Slots), "stop.slots ends the run after "+traces.Plural(c.Slots, one, many)
	if t := c.Traffic; t != nil && !c.Bare() && uint64(t.Slots()) <= last {
		last, why = uint64(t.Slots())-1, "the windows of traffic end the run after "+traces.Plural(t.Slots(), one, many)
	}
	switch {
	case cycles/uint64(each) <= last:
	case s.Rules == nil: // the rules are those of a program
		c.Rules.FinishBy, c.FinishBy = nil, 0
	default:
		return s.refuse(at, fmt.Sprintf("%s is %s, but %s: the rule could never be broken", at, known, why),
			"write a lower limit, or make the run longer")
	}
	return nil
}

// traffic fills in the defaults of the workload traffic and reads its file. It returns nil for other workloads.
func (s *Scenario) traffic() (*traffic.Spec, error) {
	t := s.Workload.Traffic
	if t == nil {
		return nil, nil
	}
	c := &config.Config{Network: s.network()}
	if err := s.elaborateTiming(c); err != nil {
		return nil, err
	}
	own := *t
	if own.File != "" && own.Rows == nil {
		var err error
		own.Path = s.resolve(own.File)
		if own.Rows, own.RowClasses, err = s.arrivals.read(own.Path); err != nil {
			return nil, err
		}
	}
	base := fabric.TimebaseOf(c.Network, s.bare(), c.Timing.SlotCycles())
	if s.Choices != nil && len(s.Choices.Arrivals) > 0 {
		if err := s.moveArrivals(&own, uint64(base.Cycles)); err != nil {
			return nil, s.refusal(err)
		}
	}
	spec, err := traffic.Settle(&own, c.Network, s.program(), base)
	if err == nil && s.NIC.PayloadBytes < traffic.HeadBytes {
		err = s.refuse("nic.payload_bytes",
			fmt.Sprintf("nic.payload_bytes is %d, but a frame of traffic has %d bytes", s.NIC.PayloadBytes, traffic.HeadBytes),
			fmt.Sprintf("give at least %d", traffic.HeadBytes))
	}
	if err == nil {
		err = s.checkClasses(spec)
	}
	if err != nil {
		return nil, s.refusal(err)
	}
	return spec, nil
}

func (s *Scenario) source() config.Source {
	return config.Source{
		Place: s.Place, Refusal: s.refusal, Values: len(s.file.places), Hash: s.Hash, Library: s.library,
		Provenance: s.provenance(), RunCommand: s.runCommand(), RunOne: s.inReport.one, CheckCommand: s.checkCommand(),
		With: func(program string, params map[string]int64) (*config.Config, error) {
			other := *s
			other.Firmware.Program, other.Firmware.Params = program, params
			return other.elaborate()
		},
		Smaller: s.smaller,
		Identity: func() string {
			rest := *s
			rest.Seed, rest.Firmware.Image = 0, ""
			return rest.Hash()
		},
	}
}

// on returns the scenario on another network of its kind, and the differing keys. It returns nil if other is nil or
// the scenario is invalid on other.
func (s *Scenario) on(other fabric.Network) (*Scenario, []estimate.Key) {
	if other == nil {
		return nil, nil
	}
	n, one := s.Fabric.network(), *s
	one.origins = maps.Clone(s.origins)
	one.Fabric.keep(other)
	if one.check(&reading{takeNeeds: one.takeNeeds}) != nil {
		return nil, nil // other keys do not fit this size
	}
	return &one, estimate.Differences("fabric."+n.Kind(), n, other)
}

// smaller returns the Config for a network with its only size reduced by a number, and the key of this size. It
// returns nil if several keys differ.
func (s *Scenario) smaller(by int) (c *config.Config, key string, value int) {
	one, keys := s.on(estimate.Less(s.Fabric.network(), by))
	if len(keys) != 1 {
		return nil, "", 0
	}
	c, err := one.elaborate()
	if err != nil {
		return nil, "", 0
	}
	return c, keys[0].Key, keys[0].Value
}

func (s *Scenario) elaborateFirmware(p *fabric.Program) config.Firmware {
	f := &s.Firmware
	return config.Firmware{Program: p, Name: cmp.Or(f.Program, f.imageName()), Image: f.Image, Path: s.imagePath(),
		Bytes: f.ImageBytes, Params: f.Params,
		Schedule: s.schedule(), Mode: f.Mode, CPU: f.CPU.elaborate(), FirstSlot: f.FirstSlot}
}

// elaborate returns the core, nil if handlers take no time.
func (c *CPU) elaborate() *meter.CPU {
	if !c.metered() {
		return nil
	}
	counts := &wasm.Meter{DataWait: uint32(c.DataWait), StackBytesMax: uint32(c.Stack)}
	if c.ofCore() {
		counts.Core, counts.Parameters = c.Model, c.Core
		if c.Overrun != OverrunRestart {
			counts.Window = uint64(c.BudgetCycles) * c.ratio()
		}
	} else {
		costs, err := wasm.Table(c.Model, c.Cost)
		if err != nil {
			panic(fmt.Sprintf("firmware.cpu: %v", err)) // checkCPU has refused it
		}
		counts.Costs = costs
	}
	counts.Limit, counts.Key = c.trapCost()
	return &meter.CPU{
		Model: c.Model, Meter: counts,
		Ratio: c.ratio(), Budget: uint64(c.BudgetCycles),
	}
}

func (s *Scenario) elaborateTiming(c *config.Config) (err error) {
	shape := c.Network.Shape()
	c.Timing,
		err = nic.NewTiming(s.Link.PhitBits, s.NIC.PayloadBytes, s.Firmware.CPU.BudgetCycles,
		s.Link.PropagationCycles, s.Link.GuardCycles)
	if err != nil {
		return s.refuse("link", err.Error(), "change the value")
	}
	if shape.Latencies != nil {
		least, most := shape.Latencies(s.Link.PropagationCycles)
		// no hardware combines a wire, the link of 0 cycles, with registers
		if c.Timing.PropagationCycles = most; least == 0 && most > 0 {
			return s.refuse("fabric", fmt.Sprintf("some links have a latency of 0 cycles, but others of up to %d", most),
				"give all links 0 cycles, or all at least 1; links without a latency use link.propagation_cycles")
		}
	}
	c.Timing.ArbitrationCycles, c.Timing.Frames = shape.ArbitrationCycles, max(1, shape.FramesPerSlot)
	if err := fabric.Pace(c.Network, s.Firmware.Program == "" && s.Firmware.Image == "" &&
		s.Firmware.ImageBytes == nil, &c.Timing); err != nil {
		return s.refusal(err)
	}
	if cycles := c.Timing.SlotCycles(); cycles > hw.SlotCyclesMax {
		return s.refuse("link", fmt.Sprintf("a slot takes %d cycles; at most %d are allowed", cycles, hw.SlotCyclesMax),
			"use more link.phit_bits, a smaller nic.payload_bytes, or a shorter queue")
	}
	return nil
}

// framesMax is the maximum depth of a FIFO in frames, over all ports together.
const framesMax = 255

func (s *Scenario) checkLanes(c *config.Config) error {
	lanes := c.Network.Shape().Lanes()
	if lanes > nic.LanesMax {
		return s.refuse("fabric."+c.Network.Kind(), fmt.Sprintf("a NIC sends and receives at all %d ports at once; at "+
			"most %d are possible", lanes, nic.LanesMax),
			"choose a network of fewer ports")
	}
	for _, fifo := range []struct {
		key    string
		frames int
	}{{"nic.rx_frames", c.NIC.RxFrames}, {"nic.tx_frames", c.NIC.TxFrames}} {
		if fifo.frames*lanes > framesMax {
			return s.refuse(fifo.key,
				fmt.Sprintf("%s is %d for each of %d ports; a NIC holds at most %d frames in each direction", fifo.key,
					fifo.frames, lanes, framesMax),
				fmt.Sprintf("choose %d or less", framesMax/lanes))
		}
	}
	if check := c.Network.Abilities().CheckFIFOs; check != nil {
		return s.refusal(check(c.NIC.RxFrames))
	}
	return nil
}

func (s *Scenario) elaborateFaults(c *config.Config) error {
	if s.Faults == nil {
		return nil
	}
	if s.rates() != nil {
		return s.refuse("faults.random.rates", "one run has one rate",
			"write rate: "+outcome.ExactFloat(s.rates()[0])+", or run many seeds with --seeds")
	}
	faults, paths := s.Faults.all()
	matches, err := match(c.Network, faults)
	if err != nil {
		return s.refuse("faults", err.Error(),
			"combine several targets in one glob, or begin with a prefix of only a few paths")
	}
	c.Faults = make([]fabric.Fault, len(faults))
	for i := range faults {
		f, p := faults[i].settled(), &c.Faults[i]
		*p = fabric.Fault{Kind: kindOfFault(f), To: math.MaxUint32, Every: 1, Chance: fabric.Chance(*f.Probability),
			RxFrames: f.RXFrames, TxFrames: f.TXFrames,
			Key: strings.Replace(paths[i]+".probability", "random.probability", "random.rate", 1)}
		if err := s.checkDepths(f, paths[i]); err != nil {
			return err
		}
		if slots := f.Slots; slots != nil {
			p.List, p.From, p.Every = slots.List, slots.From, slots.Every
			if slots.To != 0 {
				p.To = slots.To
			}
		}
		if p.Targets, err = s.targets(c.Network, p.Kind, f.Targets, matches, paths[i]); err != nil {
			return err
		}
		if err := p.Suits(c.Network, c.Bare()); err != nil {
			err.Place = paths[i] + err.Place
			return s.refusal(err)
		}
		// credits inside RTL routers are unknown
		c.Rules.Credits = c.Rules.Credits || p.Kind == fabric.FaultCredit &&
			(len(s.RTL) == 0 || fabric.RoutersOf(c.Network) == nil)
	}
	return nil
}

// targets returns the processors or media whose paths match a glob; nil globs match all.
func (s *Scenario) targets(n fabric.Network, kind fabric.FaultKind, globs []string, matches globMatches,
	at string) (hw.Set, error) {
	what, count, path := fabric.FaultTargets(n, kind)
	set := hw.NewSet(count)
	if globs == nil && kind.OnMedia() {
		set.Fill(fabric.FaultMedia(n, kind))
	} else if globs == nil {
		set.Fill(n.Shape().Processors())
	}
	for k, glob := range globs {
		match := matches[what][glob]
		if match.one == nil && (match.pattern == nil || match.many.Next(0, count) == count) {
			return set,
				s.refuse(fmt.Sprintf("%s.targets[%d]", at, k), fmt.Sprintf("%q is the path of no %s", strict.Clip(glob), what),
					fmt.Sprintf("paths are %s to %s", path(0), lastPath(count, path)))
		}
		for _, i := range match.one {
			set.Add(i)
		}
		if match.pattern != nil {
			set.Join(match.many)
		}
	}
	return set, nil
}

func lastPath(count int, path func(i int) string) string {
	last := count - 1
	for last > 0 && path(last) == "" {
		last--
	}
	return path(last)
}

// imagePath returns the path of Firmware.Image relative to the working folder, "" without a file.
func (s *Scenario) imagePath() string {
	if s.Firmware.ImageBytes != nil {
		return ""
	}
	return s.resolve(s.Firmware.Image)
}

// provenance names the scenario's file and the replacements of its values.
func (s *Scenario) provenance() *traces.Provenance {
	p := &traces.Provenance{Version: outcome.Version(), SHA256: s.file.sum}
	byKey := func(a, b Assignment) int { return cmp.Compare(a.Key, b.Key) }
	for _, a := range slices.SortedStableFunc(slices.Values(s.file.set), byKey) {
		p.Set = append(p.Set, a.Key+"="+a.Value)
	}
	return p
}

func (s *Scenario) resolve(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.file.folder, path)
}

// ratedBatch elaborates a scenario for several seeds and every rate of faults.random.rates.
func (s *Scenario) ratedBatch(seeds Seeds, o emulator.Options) (*runs.Batch, error) {
	if s.rates() == nil {
		return s.batch(seeds, o)
	}
	var b *runs.Batch
	var rates []runs.Rated
	for _, rate := range s.rates() {
		var err error
		if b, err = s.withRate(rate).batch(seeds, o); err != nil {
			return nil, err
		}
		rates = append(rates, runs.Rated{Rate: rate, Config: b.Config})
	}
	b.Config, b.Rates = rates[0].Config, rates
	return b, nil
}

func (s *Scenario) batch(seeds Seeds, o emulator.Options) (*runs.Batch, error) {
	c, err := s.elaborate()
	if err != nil {
		return nil, err
	}
	b := &runs.Batch{Config: c, Seeds: outcome.Seeds(seeds), Permutations: s.permutations(), Options: o}
	b.Alone = func(permutation uint64) (*config.Config, error) {
		one := *s
		if err := one.choosePermutation(permutation); err != nil {
			return nil, err
		}
		return one.elaborate()
	}
	return b, nil
}

// rules returns the scenario's own rules, or the rules of its program.
func (s *Scenario) rules() Rules {
	if s.Rules != nil {
		return *s.Rules
	}
	if p := s.program(); p != nil {
		return p.Rules
	}
	return Rules{}
}

// noteUnmetered is the note on a budget without effect.
const noteUnmetered = "budget_cycles reserves time at the start of every slot, and no handler is held to it: " +
	"without a model, handlers take no time; to check deadlines add firmware: {cpu: {model: rv32-inorder}}"

// packetsStated reports whether the scenario states a workload of packets, so that a deadline applies to them.
func (s *Scenario) packetsStated() bool {
	packets := []string{fabric.WorkloadPermutation, fabric.WorkloadOneToAll, fabric.WorkloadAllToAll,
		fabric.WorkloadAdversary}
	source := config.Source{Place: s.Place}
	return slices.Contains(packets, s.Workload.Kind()) && (!s.Workload.Usual() || source.StatesWorkload())
}

// known returns the facts for reports; p is nil for an image.
func (s *Scenario) known(p *fabric.Program) config.Known {
	k := config.Known{SlotsPerStep: 1, Carries: s.rules().ExactlyOnce || p == nil &&
		s.rules().DeadlineSlots > 0 && s.packetsStated()}
	for _, note := range []string{s.inReport.oneOf, s.inReport.ofImage, s.otherInBookSim()} {
		if note != "" {
			k.Notes = append(k.Notes, note)
		}
	}
	if c := &s.Firmware.CPU; c.BudgetCycles > 0 && !c.metered() {
		k.Notes = append(k.Notes, noteUnmetered)
	}
	switch r := s.Rules; {
	case p != nil:
		k.SlotsPerStep, k.Carries = p.SlotsPerStep, k.Carries || p.Rules.ExactlyOnce
		if p.Note != "" {
			k.Notes = append(k.Notes, p.Note)
		}
		if note := p.Replaced(r); note != "" {
			k.Notes = append(k.Notes, note)
		}
		if g := s.Workload.Gossip; g != nil && g.Count() == 1 && p.NoteOnce != "" {
			k.Notes = append(k.Notes, p.NoteOnce)
		}
	case r != nil && r.CollisionFree != nil:
		k.SlotsPerStep = r.CollisionFree.Period
	}
	return k
}

// otherInBookSim returns a note if BookSim's pattern of the same name differs on this network, otherwise "".
func (s *Scenario) otherInBookSim() string {
	t, n := s.Workload.Traffic, s.Fabric.Netlist
	if t == nil || n == nil || t.Dimensions != nil ||
		t.Pattern != fabric.PatternTornado && t.Pattern != fabric.PatternNeighbour {
		return ""
	}
	if grid := cmp.Or(n.Mesh, n.Torus); grid == nil || len(grid.K) == 1 {
		return ""
	}
	return "pattern: " + t.Pattern + " applies to the numbers of processors, but BookSim's pattern applies to each " +
		"dimension; for BookSim's destinations, add the sides of the network: traffic: {dimensions: [8, 8]}"
}

// permutations returns the number of runs per seed for `permutation: all`, 0 for other workloads. Permutations are
// numbered from 0 in lexicographic order.
func (s *Scenario) permutations() uint64 {
	if s.Workload.Permutation.Kind != PermutationAll {
		return 0
	}
	total := uint64(1)
	for i := range s.Processors() {
		total *= uint64(i + 1)
	}
	return total
}

// checkCommand returns the command that compares the RTL with the models, "" for a scenario without a file.
func (s *Scenario) checkCommand() string {
	place, ok := s.file.places[""]
	if !ok {
		return ""
	}
	command := "starloom cosim check " + s.fileWords(place, false)
	if s.file.places["seed"] == "--seed" {
		command += fmt.Sprintf(" --seed %d", s.Seed)
	}
	return command
}

// placeFile matches the line and column of a place.
var placeFile = regexp.MustCompile(`:\d+:\d+$`)

// rates returns the rates of faults.random, nil without a list of rates.
func (s *Scenario) rates() []float64 {
	if s.Faults == nil || s.Faults.Random == nil {
		return nil
	}
	return s.Faults.Random.Rates
}

// withRate returns the scenario with one rate.
func (s *Scenario) withRate(rate float64) *Scenario {
	one, faults, random := *s, *s.Faults, *s.Faults.Random
	random.Rate, random.Rates = &rate, nil
	faults.Random, one.Faults = &random, &faults
	return &one
}

// refusal adds the place in the scenario to an error of a network. It keeps a place in another file.
func (s *Scenario) refusal(err error) error {
	var refusal *InputError
	if errors.As(err, &refusal) && isKey(refusal.Place) {
		return s.refuse(refusal.Place, refusal.Reason, refusal.Remedy)
	}
	return err
}

func isKey(place string) bool {
	head, _, _ := strings.Cut(place, ".")
	return !strings.ContainsAny(place, "/:") &&
		slices.ContainsFunc(strict.Fields(reflect.TypeFor[Scenario]()), func(f strict.Field) bool { return f.Key == head })
}

func (s *Scenario) schedule() string {
	if s.Workload.Traffic != nil {
		return traffic.Schedule
	}
	if p := s.program(); p != nil {
		return p.Schedule
	}
	return s.Firmware.Schedule
}

// Processors returns the number of processors of the fabric.
func (s *Scenario) Processors() int {
	n := s.network()
	if n == nil {
		return 0
	}
	return n.Shape().Processors()
}

// keepProgram copies the rules, the network and the schedule of the scenario's program into the scenario, before an
// image replaces the program. It copies the schedule only if the image needs one.
func (s *Scenario) keepProgram(inspect func() (firmware.Info, error)) {
	p := s.program()
	if p == nil {
		return
	}
	if s.Rules == nil {
		s.Rules = &p.Rules
		s.decide("rules", ByProgram, p.Name)
	} else {
		s.inReport.ofImage = p.Replaced(s.Rules)
	}
	s.noteNetwork()
	s.Fabric.keep(s.network()) // the network as adapted by the program
	if p.Schedule == "" {
		return
	}
	// an unreadable image is rejected when the machine is built
	if info, err := inspect(); err == nil && info.Schedule {
		s.Firmware.Schedule = p.Schedule
		s.decide("firmware.schedule", ByProgram, p.Name)
	}
}

// Inputs returns the files that a run of the scenario reads, relative to the working folder: image, workload and pin
// maps, without the files named in pin maps.
func (s *Scenario) Inputs() (paths []string) {
	all := []string{s.imagePath(), s.resolve(s.Workload.File)}
	if g := s.Workload.Gossip; g != nil {
		all = append(all, g.Path, g.ValuesPath)
	}
	if t := s.Workload.Traffic; t != nil {
		all = append(all, s.resolve(t.File))
	}
	for i := range s.RTL {
		all = append(all, s.resolve(s.RTL[i].Map))
	}
	return slices.DeleteFunc(all, func(path string) bool { return path == "" })
}

// fileWords returns the scenario's file and its changed keys; those of an exploration only where explored is set.
func (s *Scenario) fileWords(place string, explored bool) string {
	file := placeFile.ReplaceAllString(place, "")
	if file == input.StandardInputName {
		file = "-"
	}
	words := outcome.ShellQuote(file)
	for _, a := range s.file.set {
		if !explored && (a.Key == "explore" || strings.HasPrefix(a.Key, "explore.")) {
			continue // no run reads them
		}
		words += " " + strict.SetOption + " " + outcome.ShellQuote(a.Key+"="+a.Value)
	}
	return words
}

// runCommand returns the command that repeats the run of the scenario's file, "" for a scenario without a file.
func (s *Scenario) runCommand() string {
	place, ok := s.file.places[""]
	if !ok {
		return ""
	}
	return "starloom run " + s.fileWords(place, false) + s.inReport.given
}
