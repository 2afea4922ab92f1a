package check

import (
	"math/rand/v2"
	"slices"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/internal/emulator"
)

// fuzzer is a machine whose handlers are called on input that its run does not bring.
type fuzzer struct {
	m        *emulator.Machine
	image    wasm.Covered
	instance *firmware.Watched // of the processor that is called
	base     firmware.Base     // what it was after the slots of the run
	words    [][]uint64        // the schedule's words of all processors for the slots that follow; nil for none
	ledger   fabric.Ledger
	calls    int // of handlers
	coverage
	dictionary

	// Of the last run.
	compared   []firmware.Operands
	comparedIn []int // how many of them were compared up to the end of each step
	stain      byte  // what is in the RX FIFO and of no frame; 0: what is left there
	seen       []byte
	seenIn     []int // like comparedIn
}

// newFuzzer builds a machine to call handlers of: banked, one at a time, and they end.
func (c *checker) newFuzzer() (*fuzzer, error) {
	m, err := c.watched(true)
	if err != nil {
		return nil, err
	}
	for i := range m.Shards {
		for _, instance := range m.Shards[i].Instances {
			instance.(*firmware.Watched).Watch(false)
		}
	}
	image := m.Shards[0].Instances[0].(*firmware.Watched).Covered()
	return &fuzzer{m: m, image: image, coverage: newCoverage(image.Branches), dictionary: dictionary{
		random:     rand.New(rand.NewPCG(c.config.Seed, 0)),
		processors: uint32(m.Shape.Processors()),
		constants:  image.Constants,
	}}, nil
}

type fuzzBase struct {
	seed  uint64
	slots uint32
}

func (f *fuzzer) step(base fuzzBase) error {
	f.instance = nil
	if f.m.Seed != base.seed || f.m.Slots() > base.slots {
		if err := f.m.Reset(base.seed); err != nil {
			return err
		}
	}
	for f.m.Slots() < base.slots && !f.m.Ended() {
		f.m.Host.Limit(watchedTicks * watchedBank) // of all that are called together
		if err := f.m.Step(); err != nil {
			return err
		}
	}
	f.plan()
	return nil
}

// plan works out the schedule's words for the slots that follow.
func (f *fuzzer) plan() {
	f.words = nil
	m := f.m
	if m.Schedule == nil {
		return
	}
	last := make([]uint64, m.Shape.Processors())
	for i := range m.Shards {
		for _, instance := range m.Shards[i].Instances {
			copy(last[instance.Bank().First:], instance.Bank().Schedule)
		}
	}
	for k := range fuzzStepsMax {
		words, slot := slices.Clone(last), int(m.Slots())+1+k
		switch {
		case slot > m.Schedule.Slots():
		case m.Sparse != nil:
			m.Sparse.Changes(slot, func(processor int, word uint64) { words[processor] = word })
		default:
			m.Schedule.Words(slot, words)
		}
		f.words, last = append(f.words, words), words
	}
}

// stepsAfter is for how many slots in a row there may be input after some of the run: not beyond its limit.
func (f *fuzzer) stepsAfter(slots uint32) int {
	return min(fuzzStepsMax, max(1, int(f.m.Config.Slots)-int(slots)))
}

func (f *fuzzer) choose(processor int) (cell int) {
	instance, cell := f.m.InstanceOf(processor)
	if w := instance.(*firmware.Watched); w != f.instance {
		f.instance = w
		w.Keep(&f.base)
	}
	return cell
}
