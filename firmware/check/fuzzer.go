package check

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/internal/emulator"
)

// fuzzer is a machine whose handlers are called with input that does not occur in its run.
type fuzzer struct {
	m        *emulator.Machine
	image    wasm.Covered
	instance *firmware.Watched // instance of the called processor
	base     firmware.Base     // state of the instance after the slots of the run
	words    [][]uint64        // schedule words of all processors for the next slots, nil for none
	ledger   fabric.Ledger
	calls    int                            // handler calls
	kept     func(text, source string) bool // an assertion holds for the machine's own frames
	coverage
	dictionary

	// Last run:
	compared   []firmware.Operands
	comparedIn []int // number of compared operands at the end of each step
	stain      byte  // fill value of the RX FIFO's unused bytes; 0 keeps the bytes
	seen       []byte
	seenIn     []int // length of seen at the end of each step
}

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
	f := &fuzzer{m: m}
	image := f.sample().Covered()
	*f = fuzzer{m: m, image: image, coverage: newCoverage(image.Branches), dictionary: dictionary{
		random:     rand.New(rand.NewPCG(c.config.Seed, 0)),
		processors: uint32(m.Shape.Processors()),
		constants:  image.Constants,
	}}
	return f, nil
}

// sample returns an instance of the image, the same for all calls.
func (f *fuzzer) sample() *firmware.Watched { return f.m.Shards[0].Instances[0].(*firmware.Watched) }

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
		f.m.Host.Limit(watchedTicks * watchedBank) // the limit applies to all handlers of a bank together
		if err := f.m.Step(); err != nil {
			return err
		}
	}
	f.plan()
	return nil
}

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

// coverage records the branches and state-byte values reached by sequences. State bytes reveal the progress of
// handlers that count receptions. Sequences with new branches or values join the corpus, for mutation.
type coverage struct {
	branches []uint64 // taken in any run
	taken    []uint64 // taken in the last run
	values   [coveredBytes]coveredByte
	novel    bool // the last run has taken a new branch, or set a state byte to a new value
	corpus   []FuzzInput
}

type coveredByte struct {
	seen  [4]uint64
	count int
}

const (
	coveredBytes  = 1024 // state bytes observed
	coveredValues = 12   // maximum number of values per byte; a byte with more is not a counter
	corpusMax     = 1024
)

func newCoverage(branches int) coverage {
	words := (branches + 63) / 64
	return coverage{branches: make([]uint64, words), taken: make([]uint64, words)}
}

func (v *coverage) reached() (count int) {
	for _, word := range v.branches {
		count += bits.OnesCount64(word)
	}
	return count
}

func (v *coverage) learnState(state []byte) {
	for i, value := range state[:min(len(state), coveredBytes)] {
		if b := &v.values[i]; b.count < coveredValues && b.seen[value>>6]>>(value&63)&1 == 0 {
			b.seen[value>>6] |= 1 << (value & 63)
			b.count++
			v.novel = true
		}
	}
}

// learn records the branches of a run. New branches count as novel only in a clean run, whose input consists of
// frames and statuses.
func (v *coverage) learn(instance *firmware.Watched, clean bool) {
	clear(v.taken)
	instance.TakeBranches(v.taken)
	for k, word := range v.taken {
		v.novel = v.novel || clean && word&^v.branches[k] != 0
		v.branches[k] |= word
	}
}

func (v *coverage) keep(in *FuzzInput, random *rand.Rand) bool {
	if !v.novel {
		return false
	}
	if len(v.corpus) < corpusMax {
		v.corpus = append(v.corpus, in.clone())
	} else {
		v.corpus[random.IntN(corpusMax)] = in.clone()
	}
	return true
}

const fuzzShrinksMax = 1024 // inputs tried to shrink an input

type shrinking struct {
	*fuzzer
	best  FuzzFinding
	tries int
}

func (f *fuzzer) shrink(x *FuzzFinding) FuzzFinding {
	s := &shrinking{fuzzer: f, best: *x}
	if call := s.best.Input.Call; call != nil {
		for k := range call.Arguments {
			s.try(func(in *FuzzInput) {
				call := FuzzCall{in.Call.Name, slices.Clone(in.Call.Arguments)}
				call.Arguments[k], in.Call = 0, &call
			})
		}
	}
	s.try(func(in *FuzzInput) { // only frames and statuses
		for k := range in.Steps {
			x := &in.Steps[k]
			x.State, x.Workload, x.Schedule, x.ROM = "", nil, nil, nil
		}
	})
	s.steps()
	for k := range s.best.Input.Steps {
		s.step(k)
	}
	s.steps()
	return s.best
}

func (s *shrinking) try(change func(in *FuzzInput)) bool {
	if s.tries++; s.tries > fuzzShrinksMax {
		return false
	}
	in := s.best.Input.clone()
	change(&in)
	if len(in.Steps) == 0 && in.Call == nil {
		return false
	}
	for _, found := range s.show(&in, s.best.Rule == RuleStaleRead) {
		if found.is(&s.best) && (found.Received || !s.best.Received) {
			s.best = found
			s.best.Input = found.Input.clone()
			return true
		}
	}
	return false
}

func (f *fuzzer) show(in *FuzzInput, stale bool) []FuzzFinding {
	if stale {
		return f.stale(in)
	}
	return f.run(in)
}

// steps removes slots or empties them. The removal of a slot moves later slots forward, so slots are only emptied if
// their removal would shift the time of others.
func (s *shrinking) steps() {
	for k := 0; k < len(s.best.Input.Steps); k++ {
		for s.try(func(in *FuzzInput) { in.Steps = slices.Delete(in.Steps, k, k+1) }) && k < len(s.best.Input.Steps) {
		}
	}
	for k := range s.best.Input.Steps {
		if len(s.best.Input.Steps) > k && !s.best.Input.Steps[k].empty() {
			s.try(func(in *FuzzInput) { in.Steps[k] = FuzzStep{} })
		}
	}
}

func (s *shrinking) step(k int) {
	if k >= len(s.best.Input.Steps) {
		return
	}
	now := func() *FuzzStep { return &s.best.Input.Steps[min(k, len(s.best.Input.Steps)-1)] }
	change := func(change func(x *FuzzStep)) bool {
		return s.try(func(in *FuzzInput) { change(&in.Steps[min(k, len(in.Steps)-1)]) })
	}
	if now().State != "" {
		change(func(x *FuzzStep) { x.State = "" })
	}
	if now().Workload != nil {
		change(func(x *FuzzStep) { x.Workload = nil })
	}
	if now().Schedule != nil {
		change(func(x *FuzzStep) { x.Schedule = nil })
	}
	for i := len(now().ROM) - 1; i >= 0; i-- {
		change(func(x *FuzzStep) { x.ROM = slices.Delete(x.ROM, i, i+1) })
	}
	for i := len(now().Statuses) - 1; i >= 0; i-- {
		change(func(x *FuzzStep) { x.Statuses = slices.Delete(x.Statuses, i, i+1) })
	}
	for i := len(now().Transmit) - 1; i >= 0; i-- {
		if !change(func(x *FuzzStep) { x.Transmit = slices.Delete(x.Transmit, i, i+1) }) && now().Transmit[i].Served != 0 {
			change(func(x *FuzzStep) { x.Transmit[i].Served = 0 })
		}
	}
	for i := len(now().Frames) - 1; i >= 0; i-- {
		if !change(func(x *FuzzStep) { x.Frames = slices.Delete(x.Frames, i, i+1) }) {
			s.frame(k, i)
		}
	}
}

func (s *shrinking) frame(k, i int) {
	now := func() *FuzzFrame { return &s.best.Input.Steps[k].Frames[i] }
	change := func(change func(x *FuzzFrame)) bool {
		return s.try(func(in *FuzzInput) { change(&in.Steps[k].Frames[i]) })
	}
	self := uint32(s.best.Input.Processor)
	for _, plain := range []func(x *FuzzFrame){
		func(x *FuzzFrame) { x.Kind, x.Destination, x.Flags, x.Tag = 0, self, 0, 0 },
		func(x *FuzzFrame) { x.Kind = 0 },
		func(x *FuzzFrame) { x.Destination = self },
		func(x *FuzzFrame) { x.Flags = 0 },
		func(x *FuzzFrame) { x.Tag = 0 },
		func(x *FuzzFrame) { x.Source = 0 },
		func(x *FuzzFrame) { x.Port = 0 },
	} {
		plainer := *now()
		if plain(&plainer); plainer != *now() {
			change(plain)
		}
	}
	for size := 0; size < len(now().Payload); size = max(2, size*2) {
		if change(func(x *FuzzFrame) { x.Payload = x.Payload[:size] }) {
			break
		}
	}
	for size := len(now().Payload) - 2; size >= 0 &&
		change(func(x *FuzzFrame) { x.Payload = x.Payload[:size] }); size -= 2 {
	}
	for at := 0; at < len(now().Payload); at += 2 {
		if payload := now().Payload; payload[at:at+2] != "00" {
			change(func(x *FuzzFrame) { x.Payload = payload[:at] + "00" + payload[at+2:] })
		}
	}
}
