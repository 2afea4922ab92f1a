package starloom

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/config"
	"starloom/internal/runs"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// takeNeeds sets the sizes that the file omits to the values that the program needs, otherwise to the defaults. It
// does nothing for a scenario without a file.
func (s *Scenario) takeNeeds() {
	if _, parsed := s.file.places[""]; !parsed {
		return
	}
	var needs fabric.Needs
	p := s.program()
	if p != nil {
		needs = p.Needs
	}
	take := func(path string, needed, usual uint64) uint64 {
		if needed == 0 {
			s.decide(path, ByDefault, "")
			return usual
		}
		s.decide(path, ByProgram, p.Name)
		return needed
	}
	usual := DefaultScenario()
	for _, size := range []struct {
		path   string
		to     *int
		needed int
		usual  int
	}{
		{"nic.payload_bytes", &s.NIC.PayloadBytes, needs.PayloadBytes, usual.NIC.PayloadBytes},
		{"nic.rx_frames", &s.NIC.RXFrames, needs.RxFrames, usual.NIC.RXFrames},
		{"nic.tx_frames", &s.NIC.TXFrames, needs.TxFrames, usual.NIC.TXFrames},
	} {
		if _, given := s.file.places[size.path]; !given {
			*size.to = int(take(size.path, uint64(size.needed), uint64(size.usual)))
		}
	}
	if _, given := s.file.places["stop.slots"]; !given {
		slots := uint64(needs.Slots)
		if g := s.Workload.Gossip; g != nil {
			slots *= uint64(g.Count())
		}
		s.Stop.Slots = uint32(min(take("stop.slots", slots, uint64(usual.Stop.Slots)), SlotsMax))
		if spec, err := s.traffic(); err == nil && spec != nil { // errors of the workload are reported later
			s.Stop.Slots = spec.Slots()
		}
	}
}

// decide records the origin of the value at path.
func (s *Scenario) decide(path, by, of string) {
	if s.origins == nil {
		s.origins = map[string]config.Origin{}
	}
	s.origins[path] = config.Origin{By: by, Of: of}
}

// origin returns the origin of the value at path. A recorded origin has precedence over the file, whose value may
// have been replaced; the file has precedence over recorded origins of enclosing objects.
func (s *Scenario) origin(path string) config.Origin {
	if noted, ok := s.origins[path]; ok && path != "" {
		return noted
	}
	if place, ok := s.file.places[path]; ok {
		if strings.HasPrefix(place, strict.SetOption+" ") {
			return config.Origin{By: ByOption, Of: strict.SetOption}
		}
		return config.Origin{By: ByFile, Of: place}
	}
	for at := path; at != ""; {
		at = at[:max(0, strings.LastIndexAny(at, ".["))]
		if noted, ok := s.origins[at]; ok {
			return noted
		}
	}
	return config.Origin{By: ByCaller}
}

// noteNetwork records the changes of the network's keys by the network or the program, and returns the network with a
// value for every key.
func (s *Scenario) noteNetwork() fabric.Network {
	n, program := fabric.Settled(s.network())
	own, settled := reflect.Indirect(reflect.ValueOf(s.Fabric.network())), reflect.Indirect(reflect.ValueOf(n))
	if own.Kind() == reflect.Struct && own.Type() == settled.Type() {
		s.noteDifferences("fabric."+n.Kind(), own, settled, program)
	}
	return n
}

// noteDifferences records the keys of a network, or of an object in it, whose values in settled differ from own.
func (s *Scenario) noteDifferences(path string, own, settled reflect.Value, program []string) {
	for _, field := range strict.Fields(own.Type()) {
		a, b, at := own.FieldByIndex(field.Index), settled.FieldByIndex(field.Index), strict.Join(path, field.Key)
		switch {
		case reflect.DeepEqual(a.Interface(), b.Interface()):
		case a.Kind() == reflect.Pointer && !a.IsNil() && a.Elem().Kind() == reflect.Struct:
			s.noteDifferences(at, a.Elem(), b.Elem(), nil)
		case slices.Contains(program, field.Key):
			s.decide(at, ByProgram, s.Firmware.Program)
		default:
			s.decide(at, ByNetwork, s.Fabric.network().Kind())
		}
	}
}

// ratio returns the cost that a processor executes per cycle, 1 without clock_ratio.
func (c *CPU) ratio() uint64 { return uint64(max(c.ClockRatio, 1)) }

// trapBudgets is the number of budgets after which a handler without trap_cycles traps.
const trapBudgets = 1000

// trapCost returns the cost above which a call of the image traps, and the key that sets this limit. The key is ""
// without a limit, or if costs are not counted.
func (c *CPU) trapCost() (cost uint64, key string) {
	ratio := c.ratio()
	switch {
	case c.TrapCycles > 0:
		if cost = c.TrapCycles * ratio; cost < firmware.LimitMax {
			return cost, "trap_cycles"
		}
		return firmware.LimitMax, ""
	case c.BudgetCycles > 0:
		return min(trapBudgets*uint64(c.BudgetCycles)*ratio, firmware.LimitMax), ""
	}
	return firmware.LimitDefault, ""
}

// settled returns the fault with its defaults: probability 1, and every slot from the first to the last.
func (f *Fault) settled() *Fault {
	one := *f
	if one.Probability == nil {
		always := 1.0
		one.Probability = &always
	}
	if one.Slots != nil && one.Slots.List == nil {
		slots := *one.Slots
		slots.Every = max(slots.Every, 1)
		one.Slots = &slots
	}
	return &one
}

// DefaultScenario returns a scenario with all defaults. The caller sets Fabric and the program or image of Firmware.
func DefaultScenario() *Scenario {
	return &Scenario{
		Version:  1,
		Name:     "scenario",
		Seed:     1,
		Link:     Link{PhitBits: 64, PropagationCycles: 1, GuardCycles: 1},
		NIC:      NIC{PayloadBytes: 16, RXFrames: 4, TXFrames: 4},
		Firmware: Firmware{Mode: ModeBanked},
		Workload: Workload{Permutation: Permutation{Kind: PermutationRandom}},
		Stop:     Stop{Slots: 5000},
		arrivals: &arrivalsFile{},
	}
}

// network returns the scenario's network, with the program's values for open keys. It returns nil without a network.
func (s *Scenario) network() fabric.Network {
	n := s.Fabric.network()
	if n == nil {
		return nil
	}
	return fabric.Adapted(n, s.Firmware.Program, s.Firmware.Schedule, s.Firmware.Params)
}

// program returns the scenario's built-in program, nil for an image.
func (s *Scenario) program() *fabric.Program {
	n := s.network()
	if n == nil || s.Firmware.Program == "" {
		return nil
	}
	p := fabric.ProgramNamed(n, s.Firmware.Program)
	if p != nil {
		for _, idle := range p.Rules.Unbreakable(n) {
			idle.Delete()
		}
	}
	return p
}

// choosePermutation replaces `permutation: all` by permutation number k.
func (s *Scenario) choosePermutation(k uint64) error {
	if s.Workload.Permutation.Kind != PermutationAll {
		return input.Mistake("--permutation", "the scenario does not run all permutations, so they have no numbers",
			"delete the option, or write workload: {permutation: all}")
	}
	if err := s.Check(); err != nil {
		return err
	}
	if total := s.permutations(); k >= total {
		return &InputError{Place: "--permutation", Reason: fmt.Sprintf("there is no permutation %d", k),
			Remedy: fmt.Sprintf("allowed: 0 to %d", total-1)}
	}
	seed := runs.PermutationSeed(s.Seed, k)
	s.inReport.oneOf = fmt.Sprintf("permutation %d of the run with seed %d has seed %d when run alone", k, s.Seed, seed)
	s.Workload.Permutation = Permutation{Kind: PermutationList, List: runs.PermutationNumber(s.Processors(), k)}
	s.Seed = seed
	return nil
}
