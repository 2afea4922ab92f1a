package lockstep

import (
	"fmt"

	"starloom/cosim"
	"starloom/cosim/coverage"
)

// Options control Run.
type Options struct {
	Cycles uint64 // cycles of each run; 0 selects 100,000, with Icarus 10,000
	Seed   uint64 // seed of the first run's stimulus
	Seeds  int    // number of seeds: Seed, Seed+1, ...; 0 selects 1
	// number of random power-on states, each run with every seed; 0: PowerOnDefault; always 1 with Icarus, which has X
	PowerOn int

	// Explore is the number of cycles per seed that are guided by coverage of the model, after the runs. 0 selects 8
	// times Cycles, or Cycles in Icarus. After a stimulus recorded from a run, exploration starts at states of that
	// run. Nothing is explored after other given stimuli or with NoExplore.
	Explore   uint64
	NoExplore bool

	// Stimulus replaces the random inputs: one run for each power-on state.
	Stimulus *Stimulus

	// NoShrink keeps a divergence as found. Brief omits texts and waveforms.
	NoShrink, Brief bool

	// Third lets slang read passing RTL, too.
	Third bool

	// Internals records the internal signals of model and RTL in the shown case.
	Internals bool

	// Coverage counts covered points of RTL and model.
	Coverage bool

	// Exclude leaves points of the RTL out of the coverage; nil for none.
	Exclude *coverage.Exclusions

	Device   cosim.Options              // options of the device; Seed is ignored
	Observe  func(c *Cycle)             // called in every cycle of every run; may be nil
	Progress func(cycles, total uint64) // called at intervals; may be nil

	stepwise  bool // tests: run the RTL cycle by cycle
	keptWords int  // tests: maximum number of stored words of a stimulus, below stimulusWordsMax
}

// PowerOnDefault is the default number of random power-on states.
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

// exploreTimes is the default ratio of explored cycles to run cycles; the bounds apply to recorded runs.
const (
	exploreTimes                 = 8
	exploreRunMin, exploreRunMax = 1_000, 800_000
)

func (o *Options) nothingCompared() error {
	place, remedy := "--cycles", fmt.Sprintf("give more than %d", o.Cycles)
	if o.Stimulus != nil {
		place, remedy = o.Stimulus.Place, "add cycles in which reset is inactive"
	}
	return &cosim.InputError{Place: place, Reason: "reset is active in every cycle, so no output was " +
		"compared", Remedy: remedy}
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

// A Cycle is passed to Options.Observe. Its slices are valid only during the call.
type Cycle struct {
	Number   uint64
	Compared bool // reset is off and has been on before
	Inputs   []uint64
	Wanted   []uint64 // the model's outputs, delayed for late RTL
	Got      []uint64
	Unknown  []uint64 // X or Z bits of Got; nil for two-state RTL
	Counted  []uint64
}
