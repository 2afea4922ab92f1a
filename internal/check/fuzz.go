package check

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/emulator"
	"starloom/traces"
)

// FuzzFinding is what a handler has done on such input and must not do on any.
type FuzzFinding struct {
	// Rule is RuleTrap, RuleFail, RuleIllegalSend, RuleIllegalListen, RuleExactlyOnce for a false
	// announcement, "foreign_write" or "stale_read".
	Rule string `json:"rule"`
	Path string `json:"path"`
	Text string `json:"text"` // for people
	// Received says that frames and statuses suffice, which the light of a faulty neighbour can
	// bring. What the network gives - words of the workload, of a schedule or of tables, arguments
	// of calls - and a state are damaged otherwise, which does not fail the check.
	Received bool `json:"received"`
	// GaveUp says that the handler has called sl_fail: the firmware's own decision, which does not
	// fail the check. A failed assertion is a fault, be it sl_assert, one of the SDK's checked
	// build or one of clang's sanitizers.
	GaveUp bool      `json:"gave_up,omitempty"`
	Input  FuzzInput `json:"input"` // the smallest that was found
	// Again is the command that finds the same in the smallest scenario that was found, whose
	// files FirmwareCheckOptions.Reproduce has written; "" without it.
	Again string `json:"again,omitempty"`

	place string // in the firmware: findings of one place are one
}

// Fails reports whether a finding fails the check; others are noted.
func (x FuzzFinding) Fails() bool { return x.Received && !x.GaveUp }

// is reports whether two findings are the same fault, as far as one can tell.
func (x *FuzzFinding) is(y *FuzzFinding) bool { return x.Rule == y.Rule && x.place == y.place }

const (
	RuleForeignWrite = "foreign_write" // a handler wrote what is another processor's
	RuleStaleRead    = "stale_read"    // a handler's behaviour depends on bytes that are of no frame
	fuzzTicks        = 4               // of a handler
	fuzzSeeds        = 3               // of runs after which handlers are called: that of the scenario and the next ones
	fuzzFindingsMax  = 32              // that are listed
	fuzzRepeatsMax   = 256             // sequences that find something, after which no more are tried
	fuzzInputBytes   = 8 << 20
	fuzzStaleEvery   = 8 // of how many sequences one is looked at for stale reads, beside those that reach more
)

// fuzzer calls the handlers of a machine on input of its own.
type fuzzer struct {
	m        *emulator.Machine
	random   *rand.Rand
	instance *firmware.Watched // of the processor that is called
	base     firmware.Base     // what it was after the slots of the run
	words    [][]uint64        // the schedule's words of all processors for the slots that follow; nil for none
	ledger   fabric.Ledger
	calls    int // of handlers
	coverage

	// Of the last run.
	compared   []firmware.Operands
	comparedIn []int // how many of them were compared up to the end of each step
	stain      byte  // what is in the RX FIFO and of no frame; 0: what is left there
	seen       []byte
	seenIn     []int // like comparedIn
}

// fuzz gives sequences of arbitrary input to handlers, after some of the slots of the run.
func (c *firmwareChecker) fuzz(o *Options) (err error) {
	if n := c.processors(); n > watchedProcessorsMax {
		c.leave(fmt.Sprintf("handlers on arbitrary input: %d processors are more than %d", n, watchedProcessorsMax))
		return nil
	}
	f, err := c.fuzzer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.m.Release()) }()
	bases := fuzzBases(c.config.Seed, c.report.Runs[0].Slots)
	for i, base := range bases {
		c.progress(fmt.Sprintf("calls handlers on arbitrary input after %s with the seed %d", traces.Plural(base.slots, "slot", "slots"), base.seed))
		if err := f.step(base); err != nil {
			return err
		}
		for c.report.Fuzzed < o.Fuzz*(i+1)/len(bases) && c.repeats < fuzzRepeatsMax {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			in := f.draw()
			c.try(f, &in)
			for _, in := range f.matches(&in) {
				if c.report.Fuzzed < o.Fuzz*(i+1)/len(bases) && c.repeats < fuzzRepeatsMax {
					c.try(f, &in)
				}
			}
		}
	}
	c.report.FuzzCalls = f.calls
	c.report.Branches = Branches{Reached: f.reached(), Image: f.covered.Branches}
	c.report.NotTried = f.notTried(bases)
	if c.report.Fuzzed < o.Fuzz {
		more := traces.Plural(o.Fuzz-c.report.Fuzzed, "more sequence", "more sequences")
		c.leave(fmt.Sprintf("%s on arbitrary input: %d of those before have shown what fails the check, or did not return", more, c.repeats))
	}
	if c.unlisted > 0 {
		c.leave(fmt.Sprintf("what else handlers do on arbitrary input: the list ends after %d findings, and others were made %s", fuzzFindingsMax, times(c.unlisted)))
	}
	return c.reproduce(o.Reproduce)
}

// try gives a sequence to a processor, and lists what is found.
func (c *firmwareChecker) try(f *fuzzer, in *FuzzInput) {
	c.report.Fuzzed++
	findings := f.run(in)
	endless := len(findings) > 0 && f.m.Host.Endless()
	if in.Call == nil && len(findings) == 0 && (f.keep(in) || c.report.Fuzzed%fuzzStaleEvery == 0) {
		findings = f.stale(in)
	}
	if slices.ContainsFunc(findings, func(x FuzzFinding) bool { return x.GaveUp }) {
		c.report.GaveUp++
	}
	if slices.ContainsFunc(findings, FuzzFinding.Fails) || endless {
		c.repeats++
	}
	for i := range findings {
		c.list(f, &findings[i])
	}
}

// list adds a finding, made smaller, to the report, unless one of the same place is there that
// needs no more. In a full list it takes the place of a note if it is worse.
func (c *firmwareChecker) list(f *fuzzer, x *FuzzFinding) {
	list := c.report.Fuzz
	k := slices.IndexFunc(list, func(y FuzzFinding) bool { return y.is(x) })
	switch {
	case k >= 0 && (list[k].Received || !x.Received):
		return
	case k < 0 && len(list) < fuzzFindingsMax:
		k, list = len(list), append(list, FuzzFinding{})
	case k < 0:
		if c.unlisted++; !x.Fails() {
			return
		}
		if k = slices.IndexFunc(list, func(y FuzzFinding) bool { return !y.Fails() }); k < 0 {
			return
		}
	}
	list[k], c.report.Fuzz = f.shrink(x), list
}

// fuzzer is a machine to call handlers of: banked, one at a time, and they end.
func (c *firmwareChecker) fuzzer() (*fuzzer, error) {
	m, err := c.watched(true)
	if err != nil {
		return nil, err
	}
	f := &fuzzer{m: m, random: rand.New(rand.NewPCG(c.config.Seed, 0))}
	for i := range m.Shards {
		for _, instance := range m.Shards[i].Instances {
			instance.(*firmware.Watched).Watch(false)
		}
	}
	f.cover(m.Shards[0].Instances[0].(*firmware.Watched).Covered())
	return f, nil
}

// fuzzBase is a place in a run.
type fuzzBase struct {
	seed  uint64
	slots uint32
}

// fuzzBases spreads the places in which handlers are called over a run, with several seeds.
func fuzzBases(seed, slots uint64) (list []fuzzBase) {
	slots = max(slots, 1)
	for k := range uint64(fuzzSeeds) {
		for _, at := range []uint64{1, 2, 3, slots / 4, slots / 2, slots * 3 / 4} {
			list = append(list, fuzzBase{seed + k, uint32(min(max(at, 1), slots))})
		}
	}
	slices.SortFunc(list, func(a, b fuzzBase) int {
		return cmp.Or(cmp.Compare(a.seed-seed, b.seed-seed), cmp.Compare(a.slots, b.slots))
	})
	return slices.Compact(list)
}

// step takes the machine to a place in a run.
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

// choose takes the instance of a processor, and keeps what it is.
func (f *fuzzer) choose(processor int) (cell int) {
	instance, cell := f.m.InstanceOf(processor)
	if w := instance.(*firmware.Watched); w != f.instance {
		f.instance = w
		w.Keep(&f.base)
	}
	return cell
}

// notTried says what no sequence has had.
func (f *fuzzer) notTried(bases []fuzzBase) []string {
	places := []uint32{}
	for _, base := range bases {
		if base.seed == bases[0].seed {
			places = append(places, base.slots)
		}
	}
	list := []string{
		fmt.Sprintf("input for more than %s in a row, and input that begins after other slots than %v of the runs with the seeds %d to %d",
			traces.Plural(f.stepsAfter(bases[0].slots), "slot", "slots"), places, bases[0].seed, bases[len(bases)-1].seed),
		"arbitrary input for several processors at once: what one sends is heard by no one",
		"start handlers on arbitrary input, and restarts",
	}
	if f.m.Referee.Acknowledges() {
		list = append(list, "the acknowledgement of packets that have not arrived")
	}
	return list
}
