package explore

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/hw"
	"starloom/internal/config"
)

// boundsSource is this file, whose comments describe keys of a scenario.
//
//go:embed bounds.go
var boundsSource string

// Bounds limits an exploration: the choices of the environment, and the number of states. In a scenario, the bounds
// are under the key explore.
type Bounds struct {
	// maximum number of faults of each kind in one run; default: one drop and one restart
	Faults *Limits `json:"faults,omitempty"`
	// globs over the paths of processors and of media that faults may hit; all if left out
	Targets []string `json:"targets,omitempty" jsonschema:"minItems=1"`
	// choices beside faults: draws are all outcomes of sl_chance, sl_random_bits and sl_random_below; arbiter_start are
	// all first turns of round-robin arbiters; arrivals are all slots of the key arrivals
	Choices []string `json:"choices,omitempty" jsonschema:"minItems=1,enum=draws,enum=arbiter_start,enum=arrivals"`
	// packets of the workload's file, each created in any of its slots; at most 4096 combinations
	Arrivals []Arrival `json:"arrivals,omitempty" jsonschema:"minItems=1"`
	// conditions on probes and results of the firmware; runs judge them, too
	Rules []fabric.StateRule `json:"rules,omitempty" jsonschema:"minItems=1"`
	// number of slots to explore; 0: to the end of every run
	Slots uint32 `json:"slots,omitempty" jsonschema:"default=0,maximum=1000000000"`
	// keep at most this many states
	States int `json:"states,omitempty" jsonschema:"default=5000000,minimum=1,maximum=1000000000"`
	// memory for states, in MiB or GiB
	Memory string `json:"memory,omitempty" jsonschema:"default=4 GiB,pattern=^[1-9][0-9]* [MG]iB$"`
}

func (Bounds) Declaration() string { return boundsSource }

// Arrival is a packet of a file with the slots in which it may be created.
type Arrival struct {
	// id of the packet: its field in the column id or pid, otherwise its row, from 0
	Packet uint64 `json:"packet" jsonschema:"required,minimum=0"`
	// first slot or tick
	From uint32 `json:"from" jsonschema:"required,minimum=0,maximum=1000000000"`
	// last slot or tick
	To uint32 `json:"to" jsonschema:"required,minimum=0,maximum=1000000000"`
}

func (Arrival) Declaration() string { return boundsSource }

// Limits are the largest numbers of faults in one run, by kind. The kinds are those of the key faults.
type Limits struct {
	// slots in which a medium loses its light
	Drop int `json:"drop,omitempty" jsonschema:"default=0,minimum=0,maximum=100"`
	// slots in which one receiver misses the light of its medium
	Miss int `json:"miss,omitempty" jsonschema:"default=0,minimum=0,maximum=100"`
	// slots in which a medium's frame arrives with a wrong CRC
	BitFlip int `json:"bit_flip,omitempty" jsonschema:"default=0,minimum=0,maximum=100"`
	// resets of a processor's NIC and firmware
	Restart int `json:"restart,omitempty" jsonschema:"default=0,minimum=0,maximum=100"`
	// processors that fall silent for ever
	Dead int `json:"dead,omitempty" jsonschema:"default=0,minimum=0,maximum=100"`
	// slots in which a processor's handler is not called
	ClockPause int `json:"clock_pause,omitempty" jsonschema:"default=0,minimum=0,maximum=100"`
}

func (Limits) Declaration() string { return boundsSource }

const (
	statesDefault = 5_000_000
	memoryDefault = "4 GiB"
)

// limitsOf returns the limits, by default one drop and one restart.
func (b *Bounds) limitsOf() Limits {
	if b.Faults == nil {
		return Limits{Drop: 1, Restart: 1}
	}
	return *b.Faults
}

type limitOf struct {
	kind  fabric.FaultKind
	limit *int
}

// list returns the limits in the order of counterexamples, with faults of media first.
func (l *Limits) list() []limitOf {
	return []limitOf{{fabric.FaultDrop, &l.Drop}, {fabric.FaultMiss, &l.Miss}, {fabric.FaultFlip, &l.BitFlip},
		{fabric.FaultRestart, &l.Restart}, {fabric.FaultDead, &l.Dead}, {fabric.FaultPause, &l.ClockPause}}
}

// of returns the permitted kinds of faults, and their limits.
func (b *Bounds) of() (kinds []fabric.FaultKind, limits []int) {
	l := b.limitsOf()
	for _, x := range l.list() {
		if *x.limit > 0 {
			kinds, limits = append(kinds, x.kind), append(limits, *x.limit)
		}
	}
	return kinds, limits
}

var memoryForm = regexp.MustCompile(`^([1-9][0-9]*) ([MG])iB$`)

// memoryBytes returns the memory limit, or an error.
func (b *Bounds) memoryBytes() (int, error) {
	parts := memoryForm.FindStringSubmatch(cmp.Or(b.Memory, memoryDefault))
	if parts == nil {
		return 0, fmt.Errorf("%q is not a memory size", b.Memory)
	}
	n, err := strconv.Atoi(parts[1])
	shift := 20
	if parts[2] == "G" {
		shift = 30
	}
	if err != nil || n > math.MaxInt>>shift {
		return 0, fmt.Errorf("%q is too much memory", b.Memory)
	}
	return n << shift, nil
}

// plan appends the faults of the bounds to a copy of a configuration. The returned kinds refer to these faults.
func (b *Bounds) plan(c *config.Config) (*config.Config, []kind, limits, error) {
	own := *c
	own.Faults = append([]fabric.Fault(nil), c.Faults...)
	l := limits{slots: b.Slots, states: cmp.Or(b.States, statesDefault), draws: b.chooses(choiceDraws),
		starts: b.chooses(choiceStarts), bounds: b}
	if err := b.planArrivals(&own); err != nil {
		return nil, nil, l, err
	}
	var err error
	if l.bytes, err = b.memoryBytes(); err != nil {
		return nil, nil, l, c.Source.Refuse("explore.memory", err.Error(), "write it as 4 GiB or 512 MiB")
	}
	all, counts := b.of()
	if len(all) == 0 && c.Workload.Permutation.Kind != fabric.PermutationAll && len(b.Choices) == 0 {
		return nil, nil, l, c.Source.Refuse("explore.faults", "no fault is permitted, so there is only one run",
			"permit a kind of fault, such as drop: 1, or explore workload: {permutation: all}, or choices: [draws]")
	}
	globs, err := patterns(b.Targets)
	if err != nil {
		return nil, nil, l, c.Source.Refuse("explore.targets", err.Error(), "write a path such as *.nic[0] or bus.**")
	}
	var most []int
	for i, k := range all {
		targets := targetsOf(c.Network, k, globs)
		if len(globs) > 0 && targets.Count(0, 64*len(targets.Words())) == 0 {
			continue // the verdict lists the kind as not covered
		}
		most = append(most, counts[i])
		own.Faults = append(own.Faults,
			fabric.Fault{Kind: k, Targets: targets, To: math.MaxUint32, Every: 1, Chance: 1 << 32})
	}
	if len(all) > 0 && len(most) == 0 {
		return nil, nil, l, c.Source.Refuse("explore.targets", "no processor or medium that these faults can hit has such "+
			"a path",
			"starloom run SCENARIO --vcd F.vcd shows the paths")
	}
	kinds := make([]kind, len(most))
	for i := range kinds {
		kinds[i] = kind{&own.Faults[len(c.Faults)+i], most[i]}
	}
	return &own, kinds, l, nil
}

// Choices beside faults, as in scenarios.
const (
	choiceDraws    = "draws"
	choiceStarts   = "arbiter_start"
	choiceArrivals = "arrivals"
)

func (b *Bounds) chooses(choice string) bool { return slices.Contains(b.Choices, choice) }

func patterns(globs []string) (list []*hw.Pattern, err error) {
	for _, glob := range globs {
		p, err := hw.CompilePattern(glob)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

func targetsOf(n fabric.Network, k fabric.FaultKind, globs []*hw.Pattern) hw.Set {
	_, count, path := fabric.FaultTargets(n, k)
	media := fabric.FaultMedia(n, k)
	set := hw.NewSet(count)
	for i := range count {
		match := len(globs) == 0
		for _, g := range globs {
			match = match || path(i) != "" && g.Match(path(i)) || i < media && g.Match(n.Names().Link(i))
		}
		if k == fabric.FaultMiss && i < media || k == fabric.FaultDead && i >= n.Shape().Processors() {
			continue // misses are chosen per receiver, and routers cannot be killed
		}
		if match {
			set.Add(i)
		}
	}
	return set
}

type limits struct {
	slots  uint32
	states int
	bytes  int
	draws  bool // all outcomes of draws
	starts bool // all starts of arbiters
	bounds *Bounds
}

// Options control an exploration. They do not change its verdict, counts or schedule.
type Options struct {
	Engine   string         // emulator.EngineAuto (also ""), EngineCycle or EngineSlot
	Workers  int            // threads; 0: one
	Progress func(Progress) // called after each slot; nil for none
	Saved    Saved          // folder from which a later call can continue the search
	Graph    bool           // report all steps, for at most GraphStatesMax states
	Branches bool           // report the branches of the firmware
	Guide    uint64         // try runs for this many slots, in place of a search of all runs; 0: search

	Judged func(v *outcome.Violation) bool // of a guided search: violations that count; nil: all

	name string // of its file

	// for tests: compares the futures of states with equal keys, and replaces the classes of columns
	Verify  bool
	Classes hw.Classes
}

// Progress is the progress of an exploration.
type Progress struct {
	Slot, SlotsMax uint32 // number of slots with all states expanded, and the limit
	Running        int    // states to be expanded
	States         int
	Transitions    uint64
}
