package lockstep

import (
	"fmt"

	"starloom/cosim"
)

// Options say how Run drives model and RTL.
type Options struct {
	Cycles  uint64 // of every run; 0: 100,000, with Icarus 10,000
	Seed    uint64 // of the stimulus of the first run
	Seeds   int    // runs with Seed, Seed+1, ...; 0: 1
	PowerOn int    // random states of registers at power-on, each run once with each; 0: PowerOnDefault, with Icarus, which has X, 1

	// Explore is how many cycles each seed has beyond those: of phases that are put together as
	// what they reach suggests. 0: 8 times Cycles, with Icarus as many. After the stimulus of a run
	// they begin at states that it has reached; a given one has none. NoExplore is for none.
	Explore   uint64
	NoExplore bool

	// Stimulus takes the place of the random one: one run for each power-on state.
	Stimulus *Stimulus

	// NoShrink reports a divergence as it was found. Brief only finds it: the report has no text
	// and shows nothing.
	NoShrink, Brief bool

	// Internals keeps what model and RTL have inside in the case that is shown, for its waveform.
	Internals bool

	// Coverage counts what the runs cover: of the RTL and of the model.
	Coverage bool

	Device   cosim.Options              // without Seed
	Observe  func(c *Cycle)             // called in every cycle of the runs; may be nil
	Progress func(cycles, total uint64) // called now and then; may be nil

	stepwise  bool // the RTL runs cycle by cycle, in tests
	keptWords int  // of a stimulus, less than stimulusWordsMax in tests
}

// PowerOnDefault is how many states of registers at power-on there are.
const PowerOnDefault = 3

func (o *Options) complete(backend string) {
	if o.Cycles == 0 {
		o.Cycles = 100_000
		if backend == cosim.BackendIcarus {
			o.Cycles = 10_000
		}
	}
	if o.PowerOn == 0 {
		o.PowerOn = PowerOnDefault
	}
	if backend == cosim.BackendIcarus {
		o.PowerOn = 1
	}
	if o.keptWords == 0 {
		o.keptWords = stimulusWordsMax
	}
	o.Seeds = max(o.Seeds, 1)
	if o.Stimulus != nil {
		o.Cycles, o.Seeds = uint64(o.Stimulus.Cycles()), 1
	}
	o.completeExplore(backend)
}

// completeExplore sets the cycles of phases: none with a given stimulus, except that of a run.
func (o *Options) completeExplore(backend string) {
	ofRun := o.Stimulus != nil && o.Stimulus.cycles != nil
	switch {
	case o.NoExplore, o.Stimulus != nil && !ofRun:
		o.Explore = 0
	case o.Explore > 0:
	case backend == cosim.BackendIcarus:
		o.Explore = o.Cycles
	case ofRun:
		o.Explore = min(max(exploreTimes*o.Cycles, exploreRunMin), exploreRunMax)
	default:
		o.Explore = exploreTimes * o.Cycles
	}
}

// exploreTimes is how many cycles of phases there are for one of a schedule, or of a run, with
// bounds for a run.
const (
	exploreTimes                 = 8
	exploreRunMin, exploreRunMax = 1_000, 800_000
)

func (o *Options) nothingCompared() error {
	place, remedy := "--cycles", fmt.Sprintf("give more than %d", o.Cycles)
	if o.Stimulus != nil {
		place, remedy = o.Stimulus.Place, "add cycles in which reset is off"
	}
	return &cosim.InputError{Place: place, Reason: "reset is on in every cycle, so no output was compared", Remedy: remedy}
}

type origin struct{ seed, powerOn uint64 }

func (o *Options) runs() (runs []origin) {
	for powerOn := range o.PowerOn {
		for seed := range o.Seeds {
			runs = append(runs, origin{o.Seed + uint64(seed), uint64(powerOn) + 1})
		}
	}
	return runs
}

// A Cycle is a cycle of a run as Options.Observe gets it; its slices are those of the run.
type Cycle struct {
	Number   uint64
	Compared bool // reset is off, and has been on
	Inputs   []uint64
	Wanted   []uint64 // the model's outputs, held back for RTL that is late
	Got      []uint64 // the RTL's
	Unknown  []uint64 // bits of Got that are X or Z; nil for two states
	Counted  []uint64 // bits that are compared
}
