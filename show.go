package starloom

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"starloom/fabric"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/outcome"
	"starloom/internal/strict"
	"starloom/traces"
)

// Explained is what a scenario becomes: the value of every key with who has decided it, and what follows
// from them. Its JSON form is stable and versioned.
type Explained struct {
	Schema               int            `json:"schema"` // ExplainedSchema
	Scenario             string         `json:"scenario"`
	Settings             []Setting      `json:"settings"` // in the order of the schema
	Slot                 SlotShape      `json:"slot"`
	Network              NetworkSize    `json:"network"`
	Rules                []string       `json:"rules"`               // names of those that are checked
	Schedule             *ScheduleSize  `json:"schedule,omitempty"`  // nil if the firmware takes none
	Faults               []FaultPlan    `json:"faults,omitempty"`    // in the order of a report
	RTL                  []string       `json:"rtl,omitempty"`       // paths of the components that are RTL
	SlotsMax             uint32         `json:"slots_max"`           // after which a run that is not done fails
	CyclesMax            uint64         `json:"cycles_max"`          // the same in cycles
	TrapCost             uint64         `json:"trap_cost,omitempty"` // of a call of the image, above which it traps; 0 if handlers take no time
	Memory               MemoryEstimate `json:"memory_bytes"`
	Notes                []string       `json:"notes,omitempty"` // what a report notes of the scenario, whatever a run finds
	oneMedium, manyMedia string         // what media are called
}

// ExplainedSchema is the version of the JSON form of Explained. Keys are only added under one version.
const ExplainedSchema = 1

// Setting is the value of one key of a scenario.
type Setting struct {
	Key   string `json:"key"`          // as in errors: link.phit_bits
	Value any    `json:"value"`        // nil for a key that is left out and has no value then
	By    string `json:"by"`           // who has decided it: ByFile, ByOption, ...
	Of    string `json:"of,omitempty"` // file:line:column, the option, the name of the program, the kind of network
}

// SlotShape is the shape of a slot in cycles: the parts, and where the phits are, counted from its first
// cycle.
type SlotShape struct {
	Cycles            int `json:"cycles"`
	ComputeCycles     int `json:"compute_cycles"`
	ArbitrationCycles int `json:"arbitration_cycles"`
	FramePhits        int `json:"frame_phits"` // of one frame with the largest payload...
	Frames            int `json:"frames"`      // ...of which so many may cross a medium one after the other
	PropagationCycles int `json:"propagation_cycles"`
	GuardCycles       int `json:"guard_cycles"`
	FirstPhitCycle    int `json:"first_phit_cycle"` // the first phit is on the transmitter's wire
	LastPhitCycle     int `json:"last_phit_cycle"`  // the last one reaches the receivers
	BoundaryCycle     int `json:"boundary_cycle"`   // the handlers run
}

// NetworkSize is the size of the network and of its NICs. A NIC has lanes, transmitters and receivers: one,
// or one for each port if it sends and hears at all of them in a slot. Each lane has FIFOs.
type NetworkSize struct {
	Kind       string `json:"kind"`
	Processors int    `json:"processors"`
	Units      int    `json:"units"`
	Media      int    `json:"media"`
	Ports      int    `json:"ports"`
	Lanes      int    `json:"lanes"`
	RXFrames   int    `json:"rx_frames"` // of all lanes of a NIC
	TXFrames   int    `json:"tx_frames"`
}

// ScheduleSize is the schedule that the firmware takes.
type ScheduleSize struct {
	Name  string `json:"name"`
	Slots int    `json:"slots"`
}

// FaultPlan is a fault with the number of its targets.
type FaultPlan struct {
	Key         string    `json:"key"` // where it stands in the scenario
	Kind        string    `json:"kind"`
	OnMedia     bool      `json:"on_media"` // else on processors
	Targets     int       `json:"targets"`
	Of          int       `json:"of"`                  // so many processors or media
	Slots       []uint32  `json:"slots,omitempty"`     // when; without them
	From        uint32    `json:"from"`                // every Every-th slot from this one on
	To          *uint32   `json:"to,omitempty"`        // up to that one, nil for the end of the run
	Every       uint32    `json:"every"`               // 1 for all
	Probability float64   `json:"probability"`         // for each target in each of these slots
	Rates       []float64 `json:"rates,omitempty"`     // with --seeds, one after another in its place
	RXFrames    int       `json:"rx_frames,omitempty"` // of FIFOs that are smaller; 0 for as all others
	TXFrames    int       `json:"tx_frames,omitempty"`
}

// MemoryEstimate is about what a process takes that runs the scenario once, in bytes, with its image
// loaded: what a run is refused for if there is less.
type MemoryEstimate struct {
	Slot  uint64 `json:"slot,omitempty"` // in the slot engine; 0 with RTL, which it does not run
	Cycle uint64 `json:"cycle"`          // in the cycle engine
}

// Explain says what a scenario becomes, without running it. What is refused is what Run refuses, but for
// RTL, which is not compiled, and rates of faults, which are those of many runs.
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
	m, err := emulator.New(ctx, c, emulator.Options{RecordRTL: len(c.RTL) > 0})
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, m.Close()) }()
	e = &Explained{Schema: ExplainedSchema, Scenario: s.Name, Settings: own.settings(), Rules: c.Rules.Checked(), Faults: one.faultPlans(c, s.rates()),
		SlotsMax: c.Slots, Notes: c.Known.Notes, Memory: MemoryEstimate{Cycle: m.MemoryBytesOf(EngineCycle)}}
	if cpu := c.Firmware.CPU; cpu != nil {
		e.TrapCost = cpu.Meter.Limit
	}
	e.size(c)
	if m.Schedule != nil {
		e.Schedule = &ScheduleSize{c.Firmware.Schedule, m.Schedule.Slots()}
	}
	if m.RTL == nil {
		e.Memory.Slot = m.MemoryBytesOf(EngineSlot)
	} else {
		for _, part := range m.RTL.Recorded {
			e.RTL = append(e.RTL, part.Path)
		}
	}
	return e, nil
}

// size fills in what follows from timing and network.
func (e *Explained) size(c *config.Config) {
	t, shape := c.Timing, c.Network.Shape()
	e.Slot = SlotShape{
		Cycles: t.SlotCycles(), ComputeCycles: t.ComputeCycles, ArbitrationCycles: t.ArbitrationCycles, FramePhits: t.FramePhits, Frames: t.Frames,
		PropagationCycles: t.PropagationCycles, GuardCycles: t.GuardCycles,
		FirstPhitCycle: int(t.FirstPhitCycle(0)), LastPhitCycle: int(t.LastPhitCycle(0)), BoundaryCycle: int(t.BoundaryCycle(0)),
	}
	e.CyclesMax = t.SlotCycle(c.Slots)
	lanes := shape.Lanes()
	e.Network = NetworkSize{
		Kind: c.Network.Kind(), Processors: shape.Processors(), Units: shape.Units, Media: shape.Media, Ports: shape.Ports, Lanes: lanes,
		RXFrames: lanes * c.NIC.RxFrames, TXFrames: lanes * c.NIC.TxFrames,
	}
	e.oneMedium, e.manyMedia = c.Network.Names().MediumNoun()
}

// faultPlans counts the targets of each fault. rates are those of many runs, nil for none.
func (s *Scenario) faultPlans(c *config.Config, rates []float64) (plans []FaultPlan) {
	if s.Faults == nil {
		return nil
	}
	faults, paths := s.Faults.all()
	for i := range c.Faults {
		p, f := &c.Faults[i], faults[i].settled()
		plan := FaultPlan{Key: paths[i], Kind: f.Kind, OnMedia: p.Kind.OnMedia(), Of: c.Network.Shape().Processors(), Slots: p.List, From: p.From, Every: p.Every,
			Probability: *f.Probability, RXFrames: p.RxFrames, TXFrames: p.TxFrames}
		if plan.OnMedia {
			plan.Of = c.Network.Shape().Media
		}
		if f.Slots != nil && f.Slots.To != 0 {
			plan.To = &p.To
		}
		if paths[i] == "faults.random" {
			plan.Rates = rates
		}
		p.Targets.Each(0, plan.Of, func(int) { plan.Targets++ })
		plans = append(plans, plan)
	}
	return plans
}

// settings are the values of all keys. The scenario is a copy: it takes the notes of what is decided last.
func (s *Scenario) settings() []Setting {
	n := s.noteNetwork()
	s.settle()
	l := lister{scenario: s}
	for _, field := range strict.Fields(reflect.TypeFor[Scenario]()) {
		if field.Key == "fabric" {
			l.network(n)
			continue
		}
		l.value(reflect.ValueOf(s).Elem().Field(field.Index), field.Key, field.MayMiss())
	}
	return l.settings
}

// settle gives keys that mean something if they are left out that value, and takes it from those that mean
// nothing beside others.
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

// lister lists the values of a scenario.
type lister struct {
	scenario *Scenario
	settings []Setting
}

func (l *lister) add(path string, value any) {
	o := l.scenario.origin(path)
	l.settings = append(l.settings, Setting{path, value, o.By, o.Of})
}

// network lists the keys of a network; one from Go may have none.
func (l *lister) network(n fabric.Network) {
	at, before := "fabric."+n.Kind(), len(l.settings)
	if v := reflect.Indirect(reflect.ValueOf(n)); v.Kind() == reflect.Struct {
		l.value(v, at, false)
	}
	if len(l.settings) == before {
		l.add(at, map[string]any{})
	}
}

// value lists what stands at path: one line for a value, a list of values, or what is left out.
func (l *lister) value(v reflect.Value, path string, mayMiss bool) {
	if v.Type() == permutationType {
		l.permutation(v.Interface().(Permutation), path)
		return
	}
	if mayMiss && v.IsZero() && v.Kind() != reflect.Bool {
		l.add(path, nil)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			l.add(path, nil)
			return
		}
		l.value(v.Elem(), path, false)
	case reflect.Struct:
		l.object(v, path)
	case reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) }) {
			l.add(strict.Join(path, key.String()), v.MapIndex(key).Interface())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			l.add(path, v.Interface())
			return
		}
		for i := range v.Len() {
			l.value(v.Index(i), hw.Index(path, i), false)
		}
	default:
		l.add(path, v.Interface())
	}
}

// object lists the keys of an object.
func (l *lister) object(v reflect.Value, path string) {
	fields := strict.Fields(v.Type())
	if short, ok := v.Interface().(fabric.Shorthand); ok { // of which the file may have that value alone
		if key, _ := short.Short(); l.scenario.origin(path).By == ByFile {
			if at := strict.Join(path, key); l.scenario.places[at] == "" {
				l.scenario.decide(at, ByFile, l.scenario.places[path])
			}
		}
	}
	if len(fields) == 0 {
		l.add(path, map[string]any{})
	}
	for _, field := range fields {
		l.value(v.Field(field.Index), strict.Join(path, field.Key), field.MayMiss())
	}
}

// permutation lists a permutation, which is a word or a list.
func (l *lister) permutation(p Permutation, path string) {
	switch {
	case p.Kind == "":
		l.add(path, nil)
	case p.Kind == PermutationList:
		l.add(path, p.List)
	default:
		l.add(path, p.Kind)
	}
}

// WriteJSON writes the stable, versioned form.
func (e *Explained) WriteJSON(w io.Writer) error { return outcome.WriteJSON(w, e) }

// WriteText writes the form for people: a line for each key, then what follows from them.
func (e *Explained) WriteText(w io.Writer) error {
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for i := range e.Settings {
		s := &e.Settings[i]
		fmt.Fprintf(table, "%s\t%s\t%s\n", outcome.Printable(s.Key), outcome.Printable(s.text()), outcome.Printable(s.from()))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	b.WriteByte('\n')
	row := func(name, format string, values ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, outcome.Printable(fmt.Sprintf(format, values...)))
	}
	e.follow(row)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// follow writes what follows from the settings.
func (e *Explained) follow(row func(name, format string, values ...any)) {
	t, n := &e.Slot, &e.Network
	row("slot", "%s: %d for the firmware, %d arbitration, %s, %d propagation, %d guard", traces.Plural(t.Cycles, "cycle", "cycles"), t.ComputeCycles,
		t.ArbitrationCycles, t.phits(), t.PropagationCycles, t.GuardCycles)
	row("phits", "the first leaves in cycle %d of a slot, the last arrives in cycle %d; the handlers run in cycle %d",
		t.FirstPhitCycle, t.LastPhitCycle, t.BoundaryCycle)
	row("network", "%s: %s, %s", n.Kind, traces.Plural(n.Processors, "processor", "processors"), traces.Plural(n.Media, e.oneMedium, e.manyMedia))
	row("NIC", "%s; FIFOs of %s (receive) and %s (transmit)", n.lanes(),
		traces.Plural(n.RXFrames, "frame", "frames"), traces.Plural(n.TXFrames, "frame", "frames"))
	row("rules", "%s", strings.Join(e.Rules, ", "))
	schedule := "none"
	if e.Schedule != nil {
		schedule = fmt.Sprintf("%s, %s", e.Schedule.Name, traces.Plural(e.Schedule.Slots, "slot", "slots"))
	}
	row("schedule", "%s", schedule)
	for i := range e.Faults {
		row(fmt.Sprintf("fault[%d]", i), "%s", e.Faults[i].text(e.manyMedia))
	}
	if len(e.RTL) > 0 {
		row("RTL", "%s: %s", traces.Plural(len(e.RTL), "component", "components"), listText(e.RTL))
	}
	row("limit", "%s, %s", traces.Plural(e.SlotsMax, "slot", "slots"), traces.Plural(e.CyclesMax, "cycle", "cycles"))
	if e.TrapCost > 0 {
		row("trap", "a call of the image that costs more than %d", e.TrapCost)
	}
	memory := fmt.Sprintf("about %d MiB in the cycle engine", e.Memory.Cycle>>20)
	if e.Memory.Slot > 0 {
		memory += fmt.Sprintf(", %d MiB in the slot engine", e.Memory.Slot>>20)
	}
	row("memory", "%s", memory)
	for _, note := range e.Notes {
		row("note", "%s", note)
	}
}

// phits says how many there are in a slot.
func (t *SlotShape) phits() string {
	if t.Frames == 1 {
		return traces.Plural(t.FramePhits, "phit of a frame", "phits of a frame")
	}
	return fmt.Sprintf("%d phits of %d frames, %d of each", t.Frames*t.FramePhits, t.Frames, t.FramePhits)
}

// lanes says at how many ports a NIC is at once.
func (n *NetworkSize) lanes() string {
	ports := traces.Plural(n.Ports, "port", "ports")
	switch {
	case n.Ports == 1:
		return ports
	case n.Lanes == 1:
		return ports + ", one of them in a slot"
	}
	return ports + ", all at once"
}

// text says whom the fault happens to, and when.
func (f *FaultPlan) text(media string) string {
	targets := "processors"
	if f.OnMedia {
		targets = media
	}
	text := fmt.Sprintf("%s: %d of %d %s", f.Kind, f.Targets, f.Of, targets)
	if f.Kind == fabric.FaultNames[fabric.FaultBuffers] {
		for _, fifo := range []struct {
			key    string
			frames int
		}{{"rx_frames", f.RXFrames}, {"tx_frames", f.TXFrames}} {
			if fifo.frames > 0 {
				text += fmt.Sprintf(", %s %d", fifo.key, fifo.frames)
			}
		}
		return text
	}
	switch {
	case f.Slots != nil:
		slots := "slot "
		if len(f.Slots) > 1 {
			slots = "slots "
		}
		text += ", in " + slots + bareList(f.Slots)
	case f.From == 0 && f.To == nil && f.Every == 1:
		text += ", in every slot"
	default:
		text += fmt.Sprintf(", from slot %d", f.From)
		if f.To != nil {
			text += fmt.Sprintf(" to %d", *f.To)
		}
		if f.Every > 1 {
			text += fmt.Sprintf(", every %d", f.Every)
		}
	}
	switch {
	case f.Rates != nil:
		text += ", with a probability of " + bareList(f.Rates) + ", one after another with --seeds"
	case f.Probability < 1:
		text += ", with a probability of " + outcome.ExactFloat(f.Probability)
	}
	return text
}

// text is the value as a scenario has it; of a long list only the head.
func (s *Setting) text() string {
	if s.Value == nil {
		return "-"
	}
	if word, ok := s.Value.(string); ok && word != "" {
		return word
	}
	return listText(s.Value)
}

// listTextMax is how many characters of a list are shown.
const listTextMax = 48

// listText is a value as JSON; of a long list the head, and how many entries it has.
func listText(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("scenario: %v", err)) // only plain data is in it
	}
	text := strings.ReplaceAll(string(data), ",", ", ")
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && len(text) > listTextMax {
		head := text[:listTextMax]
		return fmt.Sprintf("%s, ... (%d entries)", head[:max(1, strings.LastIndex(head, ", "))], v.Len())
	}
	return text
}

// bareList is a list without its brackets.
func bareList(value any) string {
	return strings.TrimSuffix(strings.TrimPrefix(listText(value), "["), "]")
}

// from says who has decided the value.
func (s *Setting) from() string {
	switch s.By {
	case ByFile, ByOption:
		return s.Of
	}
	return strings.TrimSpace(s.By + " " + s.Of)
}
