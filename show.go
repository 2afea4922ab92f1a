package starloom

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"starloom/fabric"
	"starloom/firmware/check"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/rtl"
	"starloom/traces/input/strict"
)

// Explain describes the elaborated scenario without running it. It rejects what Run rejects, with two exceptions: it
// does not compile RTL, and it accepts rates of faults, which require many runs.
func (s *Scenario) Explain(ctx context.Context) (e *Explained, err error) {
	own := *s
	own.origins = maps.Clone(s.origins)
	one := &own
	if s.rates() != nil {
		one = s.withRate(s.rates()[0])
	}
	c, err := one.elaborate()
	if err != nil {
		return nil, err
	}
	m, err := emulator.New(ctx, c, emulator.Options{RTL: rtl.Models})
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, m.Close()) }()
	e = &Explained{Schema: ExplainedSchema, Scenario: s.Name, Settings: own.settings(), Rules: c.Checked(),
		Faults:   one.faultPlans(c, s.rates()),
		SlotsMax: c.Slots, Notes: c.Known.Notes,
		Memory: MemoryEstimate{Slot: m.MemoryBytesOf(EngineSlot), Cycle: m.MemoryBytesOf(EngineCycle)}, Bare: c.Bare()}
	if cpu := c.Firmware.CPU; cpu != nil {
		e.TrapCost = cpu.Meter.Limit
	}
	sizeOf(e, c)
	if m.Schedule != nil {
		e.Schedule = &ScheduleSize{Name: c.Firmware.Schedule, Slots: m.Schedule.Slots()}
	}
	if m.RTL != nil {
		for _, part := range m.RTL.Recorded {
			e.RTL = append(e.RTL, part.Path)
		}
	}
	return e, nil
}

func sizeOf(e *Explained, c *config.Config) {
	t, shape := c.Timing, c.Network.Shape()
	e.Slot = SlotShape{
		Cycles: t.SlotCycles(), ComputeCycles: t.ComputeCycles, ArbitrationCycles: t.ArbitrationCycles,
		FramePhits: t.FramePhits, Frames: t.Frames,
		PropagationCycles: t.PropagationCycles, GuardCycles: t.GuardCycles,
		FirstPhitCycle: int(t.FirstPhitCycle(0)), LastPhitCycle: int(t.LastPhitCycle(0)),
		BoundaryCycle: int(t.BoundaryCycle(0)),
	}
	e.CyclesMax = t.SlotCycle(c.Slots)
	lanes := shape.Lanes()
	e.Network = NetworkSize{
		Kind: c.Network.Kind(), Processors: shape.Processors(), Units: shape.Units, Media: shape.Media,
		Ports: shape.Ports, Lanes: lanes,
		RXFrames: lanes * c.NIC.RxFrames, TXFrames: lanes * c.NIC.TxFrames,
	}
	e.OneMedium, e.ManyMedia = c.Network.Names().MediumNoun()
}

// faultPlans counts the targets of each fault. rates are the fault rates of several runs, or nil.
func (s *Scenario) faultPlans(c *config.Config, rates []float64) (plans []FaultPlan) {
	if s.Faults == nil {
		return nil
	}
	faults, paths := s.Faults.all()
	for i := range c.Faults {
		p, f := &c.Faults[i], faults[i].settled()
		plan := FaultPlan{Key: paths[i], Kind: f.Kind, OnMedia: p.Kind.OnMedia(), Of: c.Network.Shape().Processors(),
			Slots: p.List, From: p.From, Every: p.Every,
			Probability: *f.Probability, RXFrames: p.RxFrames, TXFrames: p.TxFrames}
		if plan.OnMedia {
			plan.Of = fabric.FaultMedia(c.Network, p.Kind)
		}
		if plan.Receivers = p.HasReceivers(c.Network); plan.Receivers {
			_, plan.Of, _ = fabric.FaultTargets(c.Network, p.Kind)
		}
		if f.Slots != nil && f.Slots.To != 0 {
			plan.To = &p.To
		}
		if paths[i] == "faults.random" {
			plan.Rates = rates
		}
		plan.Targets = p.Targets.Count(0, plan.Of)
		plans = append(plans, plan)
	}
	return plans
}

// settings returns the values of all keys. It modifies the scenario, so the receiver must be a copy.
func (s *Scenario) settings() []Setting {
	n := s.noteNetwork()
	s.settle()
	l := config.Settings{Origin: s.origin}
	for _, field := range strict.Fields(reflect.TypeFor[Scenario]()) {
		if field.Key == "fabric" {
			l.Network(n)
			continue
		}
		l.Field(reflect.ValueOf(s).Elem(), &field, field.Key)
	}
	return l.List
}

// settle sets open keys with a meaningful default to that default, and clears keys that have no meaning beside
// others.
func (s *Scenario) settle() {
	p := s.program()
	if p != nil && p.Schedule != "" {
		s.Firmware.Schedule = p.Schedule
		s.decide("firmware.schedule", ByProgram, p.Name)
	}
	if p != nil && s.Rules == nil {
		s.decide("rules", ByProgram, p.Name)
	}
	rules := s.rules()
	s.Rules = &rules
	if c := &s.Firmware.CPU; c.metered() {
		c.ClockRatio = int(c.ratio())
	}
	if g := s.Workload.Gossip; g != nil {
		whole := *g
		whole.Sessions = g.Count()
		s.Workload.Gossip = &whole
	}
	if spec, err := s.traffic(); err == nil && spec != nil {
		s.Workload.Traffic = spec.Keys()
	}
	switch {
	case p != nil && p.Workloads == nil:
		s.Workload.Permutation = Permutation{}
		s.decide("workload.permutation", ByProgram, p.Name)
	case s.Workload.Kind() != fabric.WorkloadPermutation:
		s.Workload.Permutation = Permutation{}
	}
	if s.Faults != nil {
		faults := *s.Faults
		faults.Schedule = slices.Clone(faults.Schedule)
		for i := range faults.Schedule {
			faults.Schedule[i] = *faults.Schedule[i].settled()
		}
		s.Faults = &faults
	}
}

// keys returns the keys of an equivalent scenario file. The image is beside this file; other files have absolute
// paths.
func (s *Scenario) keys() (map[string]any, error) {
	own := *s
	own.RTL, own.Traces, own.Workload.File = nil, Traces{}, ""
	if own.Firmware.Program == "" {
		own.Firmware.Image = own.Firmware.imageName()
	}
	if g := own.Workload.Gossip; g != nil {
		whole := *g
		own.Workload.Gossip = &whole
		for _, file := range []struct {
			path string
			to   *string
		}{{g.Path, &whole.Orders}, {g.ValuesPath, &whole.Values}} {
			if file.path == "" {
				continue
			}
			absolute, err := filepath.Abs(file.path)
			if err != nil {
				return nil, err
			}
			*file.to = absolute
		}
	}
	if t := own.Workload.Traffic; t != nil && t.File != "" {
		whole := *t
		var err error
		if whole.File, err = filepath.Abs(s.resolve(t.File)); err != nil {
			return nil, err
		}
		own.Workload.Traffic = &whole
	}
	keys, err := strict.Keys(&own)
	if err != nil {
		return nil, err
	}
	if custom := s.Fabric.Custom; custom != nil {
		own, err := strict.Keys(custom)
		if err != nil {
			return nil, err
		}
		keys["fabric"] = map[string]any{custom.Kind(): own}
	}
	delete(keys, "traces")
	// the default, which excludes other workloads
	if workload := keys["workload"].(map[string]any); workload["permutation"] == PermutationRandom {
		delete(workload, "permutation")
		if len(workload) == 0 {
			delete(keys, "workload")
		}
	}
	return keys, nil
}

func (s *Scenario) checkedKeys() check.Keys {
	k := check.Keys{Explore: s.Explore, YAML: strict.WriteYAML, Read: func(keys map[string]any) (*config.Config, error) {
		data, err := json.Marshal(keys)
		if err != nil {
			return nil, err
		}
		small, err := s.file.foreign.ParseScenario("scenario", data)
		if err != nil {
			return nil, err
		}
		return small.elaborate()
	}}
	if s.Fabric.Custom == nil || len(s.file.foreign) > 0 {
		k.Own = s.keys
	}
	return k
}
