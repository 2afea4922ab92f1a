package traces

import (
	"fmt"
	"math"

	"starloom/traces/input"
)

// Sampling says when the values of a file count. The zero value is: at every time
// at which something changes.
//
// With a clock, cycle n is what the signals are just before the n-th active edge
// (0 is the first in the file), which is what registers see; an edge is from 0 to 1
// (Falling: from 1 to 0), not from or to x. With a period, cycle n is what they are
// at the end of n*period to (n+1)*period.
type Sampling struct {
	Clock   string
	Falling bool
	Period  Duration // Count 0: none
}

// Sampled reports whether cycles are compared, not times.
func (s Sampling) Sampled() bool { return s.Clock != "" || s.Period.Count != 0 }

// sampler gives the values of a file instant by instant: times in common units, or
// cycles. The columns hold what the watched nets are at the instant that was
// committed last.
//
//	load:    reads up to the end of the next instant, s.instant
//	commit:  makes it the columns' values
type sampler struct {
	r     *VCDReader
	scale int64 // common units in one unit of the file
	shift int64 // is subtracted from every instant

	clock   NetID // noNet without clock
	falling bool
	period  int64 // in common units, 0 without
	cycle   int64 // of the clock

	value, unknown []uint64
	texts          []string

	loaded  bool
	instant int64
	time    uint64  // of the instant, in units of the file: the edge, or the last change
	pausing bool    // the simulator does not dump behind it
	cut     bool    // the file ends within it: what it is, is not known
	pending []NetID // changed by the instant
	waiting []bool  // is in pending
	late    []NetID // changed by the clock's edge itself, so by the next cycle

	committed bool
	at        int64 // the instant of the columns
	atTime    uint64
	off       bool // nothing is dumped from there on
}

// newSampler watches the nets and the clock of a file.
func newSampler(r *VCDReader, how Sampling, unit Timescale, nets []NetID) (*sampler, error) {
	s := &sampler{r: r, clock: noNet, falling: how.Falling}
	scale, _ := Duration{Count: 1, Unit: r.Header().Timescale}.In(unit) // unit is the finest
	s.scale = int64(scale)
	if how.Period.Count != 0 {
		period, ok := how.Period.In(unit)
		if !ok || period > math.MaxInt64 {
			return nil, &input.Error{Place: r.Name(), Reason: fmt.Sprintf("a period of %v does not fit 64 bits in units of %v", how.Period, unit), Remedy: "give a shorter period"}
		}
		s.period = int64(period)
	}
	if how.Clock != "" {
		at := findVar(r.Header().Vars, how.Clock)
		if at < 0 {
			return nil, missingSignal(r.Name(), "the clock", how.Clock)
		}
		v := r.Header().Vars[at]
		if v.Kind != KindBits || v.Bits != 1 {
			return nil, &input.Error{Place: r.Name(), Reason: fmt.Sprintf("the clock %s has %d bits", how.Clock, v.Bits), Remedy: "give a signal of one bit"}
		}
		s.clock = v.Net
		nets = append(nets, v.Net)
	}
	if err := r.Watch(nets); err != nil {
		return nil, err
	}
	s.value = append(s.value, r.value...)
	s.unknown = append(s.unknown, r.unknown...)
	s.texts = make([]string, len(r.texts))
	s.waiting = make([]bool, r.Nets())
	return s, nil
}

func missingSignal(file, what, name string) *input.Error {
	return &input.Error{Place: file, Reason: fmt.Sprintf("%s %s is not in the file", what, name), Remedy: fmt.Sprintf("`starloom trace info %s --signals` lists the names", file)}
}

func findVar(vars []VCDVar, path string) int {
	for i := range vars {
		if vars[i].Path == path {
			return i
		}
	}
	return -1
}

// load reads the next instant; s.loaded tells whether there is one.
func (s *sampler) load() error {
	s.loaded = false
	for _, id := range s.pending {
		s.waiting[id] = false
	}
	s.pending = s.pending[:0]
	switch {
	case s.clock != noNet:
		return s.loadCycle()
	case s.period != 0:
		return s.loadPeriod()
	}
	if !s.r.Next() {
		return s.r.Err()
	}
	if err := s.step(); err != nil {
		return err
	}
	time, err := s.common(s.r.Time())
	s.loaded, s.instant, s.pausing, s.cut = true, time-s.shift, s.r.Off(), s.r.cutNow()
	return err
}

// step reads one time and adds what has changed to pending.
func (s *sampler) step() error {
	changed, err := s.r.Step()
	s.time = s.r.Time()
	s.add(changed)
	return err
}

func (s *sampler) add(changed []NetID) {
	for _, id := range changed {
		if !s.waiting[id] {
			s.waiting[id] = true
			s.pending = append(s.pending, id)
		}
	}
}

// common returns a time in common units.
func (s *sampler) common(time uint64) (int64, error) {
	if time > uint64(math.MaxInt64/2/s.scale) {
		return 0, &input.Error{Place: s.r.Name(), Reason: fmt.Sprintf("time #%d is too late to be compared", time), Remedy: "compare files with the same $timescale"}
	}
	return int64(time) * s.scale, nil
}

func (s *sampler) loadPeriod() error {
	for s.r.Next() {
		time, err := s.common(s.r.NextTime())
		if err != nil {
			return err
		}
		cycle := time/s.period - s.shift
		if s.loaded && cycle != s.instant {
			return nil
		}
		s.loaded, s.instant = true, cycle
		if err := s.step(); err != nil {
			return err
		}
		// After a time that is cut off, the period may go on.
		s.pausing, s.cut = s.r.Off(), s.r.Truncated()
	}
	return s.r.Err()
}

// loadCycle reads up to the next edge. Its own changes come late: the columns get
// what was before it.
func (s *sampler) loadCycle() error {
	s.add(s.late)
	s.copy(s.late)
	s.late = s.late[:0]
	for s.r.Next() {
		before := s.level()
		changed, err := s.r.Step()
		if err != nil {
			return err
		}
		if s.r.Off() {
			return &input.Error{Place: s.r.Name(), Reason: fmt.Sprintf("$dumpoff at #%d: the clock's cycles cannot be counted from there on", s.r.Time()), Remedy: "sample with a period, or dump without pause"}
		}
		if after := s.level(); before+after == 1 && (after == 1) != s.falling {
			s.late = append(s.late, changed...)
			s.loaded, s.instant, s.time, s.cut = true, s.cycle-s.shift, s.r.Time(), s.r.cutNow()
			s.cycle++
			return nil
		}
		s.add(changed)
		s.copy(changed)
	}
	return s.r.Err()
}

// tail is the time of the last edge of the clock, from which on no cycle is complete. It
// is empty without a clock, without an edge, and as long as there may be more.
func (s *sampler) tail() string {
	if s.clock == noNet || s.cycle == 0 || s.loaded {
		return ""
	}
	return Duration{Count: s.time, Unit: s.r.Header().Timescale}.String()
}

// level is the clock as 0 or 1, something else when it is neither.
func (s *sampler) level() int {
	word := s.r.nets[s.clock].word
	if s.r.unknown[word] != 0 {
		return 9
	}
	return int(s.r.value[word])
}

// commit makes the loaded instant that of the columns. It returns the nets that
// may have changed; they are valid until the next load.
func (s *sampler) commit() []NetID {
	if s.clock == noNet {
		s.copy(s.pending)
	}
	s.committed, s.at, s.atTime, s.off = true, s.instant, s.time, s.pausing
	return s.pending
}

// copy takes values from the reader.
func (s *sampler) copy(nets []NetID) {
	for _, id := range nets {
		n := &s.r.nets[id]
		switch {
		case n.kind == KindText:
			s.texts[n.word] = s.r.texts[n.word]
		case n.bits <= 64 && n.kind != KindEvent:
			s.value[n.word], s.unknown[n.word] = s.r.value[n.word], s.r.unknown[n.word]
		default:
			last := n.word + (n.bits+63)/64
			copy(s.value[n.word:last], s.r.value[n.word:last])
			copy(s.unknown[n.word:last], s.r.unknown[n.word:last])
		}
	}
}

// triggered reports whether an event happens at an instant.
func (s *sampler) triggered(id NetID, instant int64) bool {
	return s.committed && s.at == instant && s.waiting[id]
}

// chunk returns count (at most 64) bits of a net, from bit low on.
func (s *sampler) chunk(n *net, low, count uint32) (value, unknown uint64) {
	word, shift := n.word+low>>6, low&63
	value, unknown = s.value[word]>>shift, s.unknown[word]>>shift
	if shift+count > 64 {
		value |= s.value[word+1] << (64 - shift)
		unknown |= s.unknown[word+1] << (64 - shift)
	}
	mask := ^uint64(0) >> (64 - count)
	return value & mask, unknown & mask
}

// text is what a signal is at an instant, for a sentence.
func (s *sampler) text(id NetID, low uint32, p *pair, instant int64) string {
	switch {
	case p.kind != KindEvent:
		return s.slice(id, low, p.bits).String()
	case s.triggered(id, instant):
		return "triggered"
	}
	return "not triggered"
}

// slice returns bits low to low+count-1 of a net, or its real or text.
func (s *sampler) slice(id NetID, low, count uint32) VCDValue {
	n := &s.r.nets[id]
	switch n.kind {
	case KindReal:
		return VCDValue{Kind: KindReal, Real: math.Float64frombits(s.value[n.word])}
	case KindText:
		return VCDValue{Kind: KindText, Text: s.texts[n.word]}
	}
	v := VCDValue{Kind: KindBits, Bits: int(count)}
	for done := uint32(0); done < count; done += 64 {
		value, unknown := s.chunk(n, low+done, min(64, count-done))
		v.Value, v.Unknown = append(v.Value, value), append(v.Unknown, unknown)
	}
	return v
}
