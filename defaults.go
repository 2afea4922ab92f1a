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

// takeNeeds gives the sizes that the file leaves open the values that the program needs, else the usual
// ones. It does nothing to scenarios that are from no file.
func (s *Scenario) takeNeeds() {
	if _, parsed := s.places[""]; !parsed {
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
		if _, given := s.places[size.path]; !given {
			*size.to = int(take(size.path, uint64(size.needed), uint64(size.usual)))
		}
	}
	if _, given := s.places["stop.slots"]; !given {
		slots := uint64(needs.Slots)
		if g := s.Workload.Gossip; g != nil {
			slots *= uint64(g.Count())
		}
		s.Stop.Slots = uint32(min(take("stop.slots", slots, uint64(usual.Stop.Slots)), SlotsMax))
		if spec, err := s.traffic(); err == nil && spec != nil { // what is wrong with it is refused later
			s.Stop.Slots = spec.Slots()
		}
	}
}

// decide notes who has decided the value at path. It is called where that is done.
func (s *Scenario) decide(path, by, of string) {
	if s.origins == nil {
		s.origins = map[string]config.Origin{}
	}
	s.origins[path] = config.Origin{By: by, Of: of}
}

// origin is who has decided the value at path: what is noted of it comes before the file, which may
// have said something else, and the file before what is noted of all around it.
func (s *Scenario) origin(path string) config.Origin {
	if noted, ok := s.origins[path]; ok && path != "" {
		return noted
	}
	if place, ok := s.places[path]; ok {
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

// noteNetwork notes the network's or program's changes to its keys, and returns the network with all keys decided.
func (s *Scenario) noteNetwork() fabric.Network {
	n, program := fabric.Settled(s.network())
	own, settled := reflect.Indirect(reflect.ValueOf(s.Fabric.network())), reflect.Indirect(reflect.ValueOf(n))
	if own.Kind() == reflect.Struct && own.Type() == settled.Type() {
		s.noteDifferences("fabric."+n.Kind(), own, settled, program)
	}
	return n
}

// noteDifferences notes the keys of a network, or of an object in it, with another value after they are settled.
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

// ratio is how many costs a processor works off in a cycle: one, if clock_ratio is left out.
func (c *CPU) ratio() uint64 { return uint64(max(c.ClockRatio, 1)) }

// trapBudgets is how many budgets a handler may take before it traps, unless trap_cycles is set.
const trapBudgets = 1000

// trapCost is the cost above which a call of the image traps, and the key that says so, "" for
// none or if costs are not counted further.
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

// settled is the fault with its defaults: always, and in every slot from the first to the last.
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

// DefaultScenario returns a scenario in which everything that has a default has
// it; Fabric and what Firmware runs are left to the caller.
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
	}
}

// network returns the scenario's network, with what its program wants where the scenario
// leaves something open; nil if there is none.
func (s *Scenario) network() fabric.Network {
	n := s.Fabric.network()
	if n == nil {
		return nil
	}
	return fabric.Adapted(n, s.Firmware.Program, s.Firmware.Schedule, s.Firmware.Params)
}

// program returns what is known of the scenario's built-in program, nil for an image.
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

// choosePermutation makes one run of the many of `permutation: all`: number k.
func (s *Scenario) choosePermutation(k uint64) error {
	if s.Workload.Permutation.Kind != PermutationAll {
		return input.Mistake("--permutation", "the scenario does not run all permutations, so none of them has a number",
			"delete the option, or write workload: {permutation: all}")
	}
	if err := s.Check(); err != nil {
		return err
	}
	if total := s.permutations(); k >= total {
		return &InputError{Place: "--permutation", Reason: fmt.Sprintf("there is no permutation %d", k), Remedy: fmt.Sprintf("allowed are 0 to %d", total-1)}
	}
	seed := runs.PermutationSeed(s.Seed, k)
	s.oneOf = fmt.Sprintf("this is permutation %d of all with the seed %d: alone it has the seed %d", k, s.Seed, seed)
	s.Workload.Permutation = Permutation{Kind: PermutationList, List: runs.PermutationNumber(s.Processors(), k)}
	s.Seed = seed
	return nil
}
