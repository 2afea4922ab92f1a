package vcd

import (
	"fmt"
	"math"
	"slices"

	"starloom/traces/input"
)

// Sampling defines the instants at which the values of a file are sampled. The zero value selects every time with
// changes.
//
// With a clock, cycle n has the values just before the n-th active edge (0 is the first in the file), as registers
// see them; an edge is from 0 to 1 (Falling: from 1 to 0), not from or to x. With a period, cycle n has the values at
// the end of n*period to (n+1)*period.
type Sampling struct {
	Clock   string
	Falling bool
	Period  Duration // Count 0: none
}

// Sampled reports whether instants are cycles rather than times.
func (s Sampling) Sampled() bool { return s.Clock != "" || s.Period.Count != 0 }

// Sampler provides the values of a file instant by instant: times in common units, or cycles. The columns hold the
// values of the watched nets at the last committed instant.
//
//	Load:    reads up to the end of the next instant, Instant
//	Commit:  copies its values to the columns
//
// Its fields are read-only, except Shift.
type Sampler struct {
	Reader *Reader
	Shift  int64 // offset subtracted from every instant; it must be set before the first Load

	// Results of Load:
	Loaded  bool
	Instant int64
	Cut     bool // the file ends within the instant, so its values are incomplete

	// Results of Commit:
	Committed bool
	At        int64  // committed instant
	AtTime    uint64 // time in units of the file: of the edge, or of the last change
	Off       bool   // dumping is off after the instant

	scale int64 // common units per unit of the file

	clocking
	columns
	ahead columns // with a clock: values of the loaded cycle before its edge

	time    uint64  // time of the loaded instant in units of the file
	pausing bool    // dumping is off after the loaded instant
	pending []NetID // nets changed in the instant
	waiting []bool  // nets in pending
	late    []NetID // nets that changed at the clock's edge; the changes count in the next cycle
}

type clocking struct {
	clock   NetID // noNet without clock
	falling bool
	period  int64 // period in common units, 0 for none
	cycle   int64 // cycle of the clock
}

func newColumns(r *Reader) columns {
	return columns{slices.Clone(r.value), slices.Clone(r.unknown), slices.Clone(r.texts)}
}

// NewSampler watches the nets and the clock of a file. Instants are multiples of unit, which must be at least as fine
// as the units of the file and of the period. Errors are *input.Error.
func NewSampler(r *Reader, how Sampling, unit Timescale, nets []NetID) (*Sampler, error) {
	s := &Sampler{Reader: r, clocking: clocking{clock: noNet, falling: how.Falling}}
	scale, ok := Duration{Count: 1, Unit: r.Header().Timescale}.In(unit) // unit is the finest
	if !ok || scale > math.MaxInt64/2 {
		return nil, input.Mistake(r.Name(),
			fmt.Sprintf("its $timescale of %v is too coarse for times of %v", r.Header().Timescale, unit), "sample by a clock")
	}
	s.scale = int64(scale)
	if how.Period.Count != 0 {
		period, ok := how.Period.In(unit)
		if !ok || period > math.MaxInt64 {
			return nil, input.Mistake(r.Name(),
				fmt.Sprintf("a period of %v does not fit 64 bits in units of %v", how.Period, unit), "give a shorter period")
		}
		s.period = int64(period)
	}
	if how.Clock != "" {
		at := r.Header().Find(how.Clock)
		if at < 0 {
			return nil, r.MissingSignal("the clock", how.Clock)
		}
		v := r.Header().Vars[at]
		if v.Kind != KindBits || v.Bits != 1 {
			return nil, input.Mistake(r.Name(), fmt.Sprintf("the clock %s has %d bits", how.Clock, v.Bits),
				"give a signal of one bit")
		}
		s.clock = v.Net
		nets = append(nets, v.Net)
	}
	if err := r.Watch(nets); err != nil {
		return nil, err
	}
	s.columns = newColumns(r)
	if s.clock != noNet {
		s.ahead = newColumns(r)
	}
	s.waiting = make([]bool, r.Nets())
	return s, nil
}

// Load reads the next instant; s.Loaded is false at the end of the file.
func (s *Sampler) Load() error {
	s.Loaded = false
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
	if !s.Reader.Next() {
		return s.Reader.Err()
	}
	if err := s.step(); err != nil {
		return err
	}
	time, err := s.common(s.Reader.Time())
	s.Loaded, s.Instant, s.pausing, s.Cut = true, time-s.Shift, s.Reader.Off(), s.Reader.cutNow()
	return err
}

func (s *Sampler) step() error {
	changed, err := s.Reader.Step()
	s.time = s.Reader.Time()
	s.add(changed)
	return err
}

func (s *Sampler) add(changed []NetID) {
	for _, id := range changed {
		if !s.waiting[id] {
			s.waiting[id] = true
			s.pending = append(s.pending, id)
		}
	}
}

func (s *Sampler) common(time uint64) (int64, error) {
	if time > uint64(math.MaxInt64/2/s.scale) {
		return 0, input.Mistake(s.Reader.Name(), fmt.Sprintf("time #%d is too late to be compared", time),
			"compare files with the same $timescale")
	}
	return int64(time) * s.scale, nil
}

func (s *Sampler) loadPeriod() error {
	for s.Reader.Next() {
		time, err := s.common(s.Reader.NextTime())
		if err != nil {
			return err
		}
		cycle := time/s.period - s.Shift
		if s.Loaded && cycle != s.Instant {
			return nil
		}
		s.Loaded, s.Instant = true, cycle
		if err := s.step(); err != nil {
			return err
		}
		// after a truncated time, the period may be incomplete
		s.pausing, s.Cut = s.Reader.Off(), s.Reader.Truncated()
	}
	return s.Reader.Err()
}

// loadCycle reads up to the next edge. Changes at the edge count in the next cycle.
func (s *Sampler) loadCycle() error {
	s.add(s.late)
	s.Reader.copyTo(&s.ahead, s.late)
	s.late = s.late[:0]
	for s.Reader.Next() {
		before := s.level()
		changed, err := s.Reader.Step()
		if err != nil {
			return err
		}
		if s.Reader.Off() {
			return input.Mistake(s.Reader.Name(),
				fmt.Sprintf("$dumpoff at #%d: the clock's cycles cannot be counted from this time on", s.Reader.Time()),
				"sample with a period, or dump without a pause")
		}
		if after := s.level(); before+after == 1 && (after == 1) != s.falling {
			s.late = append(s.late, changed...)
			s.Loaded, s.Instant, s.time, s.Cut = true, s.cycle-s.Shift, s.Reader.Time(), s.Reader.cutNow()
			s.cycle++
			return nil
		}
		s.add(changed)
		s.Reader.copyTo(&s.ahead, changed)
	}
	return s.Reader.Err()
}

// Tail returns the time of the clock's last edge at the end of the file, "" without an edge.
func (s *Sampler) Tail() string {
	if s.clock == noNet || s.cycle == 0 || s.Loaded {
		return ""
	}
	return Duration{Count: s.time, Unit: s.Reader.Header().Timescale}.String()
}

func (s *Sampler) level() int {
	word := s.Reader.nets[s.clock].word
	if s.Reader.unknown[word] != 0 {
		return 9
	}
	return int(s.Reader.value[word])
}

// Unchanged reports whether the loaded instant changes no watched net.
func (s *Sampler) Unchanged() bool { return len(s.pending) == 0 }

// Commit copies the loaded instant to the columns and returns the changed nets, valid until the next Load.
func (s *Sampler) Commit() []NetID {
	from := columns{s.Reader.value, s.Reader.unknown, s.Reader.texts}
	if s.clock != noNet {
		from = s.ahead
	}
	s.Reader.copyNets(&s.columns, &from, s.pending)
	s.Committed, s.At, s.AtTime, s.Off = true, s.Instant, s.time, s.pausing
	return s.pending
}

// Clock returns the net of the clock; ok is false without a clock.
func (s *Sampler) Clock() (id NetID, ok bool) { return s.clock, s.clock != noNet }

// Held returns a copy whose columns keep the current values.
func (s *Sampler) Held() *Sampler {
	held := *s
	held.columns = columns{slices.Clone(s.value), slices.Clone(s.unknown), slices.Clone(s.texts)}
	return &held
}

func (r *Reader) copyTo(to *columns, nets []NetID) {
	r.copyNets(to, &columns{r.value, r.unknown, r.texts}, nets)
}

func (r *Reader) copyNets(to, from *columns, nets []NetID) {
	for _, id := range nets {
		n := &r.nets[id]
		switch {
		case n.kind == KindText:
			to.texts[n.word] = from.texts[n.word]
		case n.bits <= 64 && n.kind != KindEvent:
			to.value[n.word], to.unknown[n.word] = from.value[n.word], from.unknown[n.word]
		default:
			last := n.word + (n.bits+63)/64
			copy(to.value[n.word:last], from.value[n.word:last])
			copy(to.unknown[n.word:last], from.unknown[n.word:last])
		}
	}
}

// Triggered reports whether an event occurs at an instant.
func (s *Sampler) Triggered(id NetID, instant int64) bool {
	return s.Committed && s.At == instant && s.waiting[id]
}

// Word returns all bits of a net of at most 64 bits.
func (s *Sampler) Word(id NetID) (value, unknown uint64) {
	word := s.Reader.nets[id].word
	return s.value[word], s.unknown[word]
}

// Bits returns count bits of a net, at most 64, starting with bit low.
func (s *Sampler) Bits(id NetID, low, count uint32) (value, unknown uint64) {
	word, shift := s.Reader.nets[id].word+low>>6, low&63
	value, unknown = s.value[word]>>shift, s.unknown[word]>>shift
	if shift+count > 64 {
		value |= s.value[word+1] << (64 - shift)
		unknown |= s.unknown[word+1] << (64 - shift)
	}
	mask := ^uint64(0) >> (64 - count)
	return value & mask, unknown & mask
}

// Given reports whether a real or text has received a value. For bits, which are initially x, it returns true.
func (s *Sampler) Given(id NetID) bool {
	switch n := &s.Reader.nets[id]; n.kind {
	case KindReal:
		return s.value[n.word] != noReal
	case KindText:
		return s.texts[n.word] != noText
	}
	return true
}

// Value returns bits low to low+count-1 of a net, or its real or text.
func (s *Sampler) Value(id NetID, low, count uint32) Value {
	n := &s.Reader.nets[id]
	switch n.kind {
	case KindReal:
		return Value{Kind: KindReal, Real: math.Float64frombits(s.value[n.word])}
	case KindText:
		return Value{Kind: KindText, Text: textOf(s.texts[n.word])}
	}
	v := Value{Kind: KindBits, Bits: int(count)}
	for done := uint32(0); done < count; done += 64 {
		value, unknown := s.Bits(id, low+done, min(64, count-done))
		v.Value, v.Unknown = append(v.Value, value), append(v.Unknown, unknown)
	}
	return v
}
