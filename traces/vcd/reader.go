package vcd

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"starloom/traces"
	"starloom/traces/input"
)

// Reader reads a Value Change Dump (IEEE 1364-2005, section 18), plain or extended ($dumpports), as written by
// Starloom, Verilator, Icarus, GHDL and others, in one pass. Memory grows with the number of signals, not with the
// length of the file.
//
//	r, err := Open(path)                 // reads the declarations
//	defer r.Close()
//	err = r.Watch(nets)                     // whose values are wanted, or WatchAll
//	for r.Next() {                          // a time with changes
//	    changed, err := r.Step()            // all changes of that time
//	    for _, id := range changed {
//	        use(r.Time(), r.Value(id))
//	    }
//	}
//	err = r.Err()
//
// Reader keeps only the last value of a signal at one time. Initially bits are x, reals NaN, texts empty. Changes
// before the first time count as time 0. Between $dumpoff and $dumpon, values do not change and Off is true. GHDL's
// nine states become four: U W - are x, L is 0, H is 1.
//
// An event has no value. It is among the changes of each time at which it was triggered. Entries in $dumpvars and
// $dumpoff up to their $end trigger no event; after $dumpall and $dumpon an event is uncertain (Maybe).
//
// In an extended VCD, Reader reads values, but not strengths and drivers (Passed). Without an $end, a declaration or
// comment ends before the next line that begins a section. A time may have a fraction.
//
// Reader skips an incomplete last line; Truncated reports it. It also skips values of another kind than their signal,
// such as a real for a wire; Unread counts them. Any other mistake ends the reading with an *input.Error.
type Reader struct {
	scanner
	source source // nil if the caller owns it

	header Header
	nets   []net
	codes  codeTable
	names  map[string]string // repeated words

	columns // values of watched nets
	changed []NetID

	started   bool   // now is a time of the file
	hasNext   bool   // next is a time to read
	next      uint64 // next time in units of the time scale
	now       uint64
	off       bool
	snapshot  snapshot
	truncated bool
	cutChange bool // the truncated line is a change, not a time
	unread    uint64
	err       error

	early
	manner
}

type unseen struct {
	paused   uint64 // changes between $dumpoff and $dumpon
	replaced uint64 // number of values replaced by a later value at the same time
	rounded  uint64 // number of reals with more digits than a double holds
}

// early handles changes before a first time that is not 0.
type early struct {
	begun bool // the changes were read
	waits bool // next is 0, and first follows
	first uint64
}

type manner struct {
	tick   uint64 // number of time scale units per time step of the file
	places int    // number of digits permitted after the point of a time
	cutOff uint64 // times with more digits
	rounds bool   // round reals to realDigits
	states uint8  // union of the planes of all digits of values, and otherState

	parameters []parameter // parameters with the width of a real
	raws       []parameter // real parameters that an FST represents by bytes instead of digits
	fst        bool        // the VCD is from fst2vcd
	pauses     []pause     // later pauses of an FST
	given      []SignalID  // signals of an FST with a value before the first time
	passed     []string
	unseen
}

type net struct {
	changes uint64
	word    uint32 // index in value and unknown, or in texts
	bits    uint32
	kind    Kind
	watched bool
	dirty   bool // the net is in changed
	moved   bool // a single change changed the net, outside of sections and after the first time
	maybe   bool // only $dumpall or $dumpon changed the net
}

// snapshot is the section of the current changes, up to its $end.
type snapshot uint8

const (
	noSnapshot snapshot = iota
	firstSnapshot
	laterSnapshot
)

// each column has at most 512 MiB
const watchWordsMax = 1 << 26

// NewReader reads the declarations. Errors begin with name.
func NewReader(source io.Reader, name string) (*Reader, error) { return newReader(source, name, nil) }

func newReader(source io.Reader, name string, left *leftOut) (*Reader, error) {
	fst := left != nil
	r := &Reader{scanner: newScanner(source, name), names: map[string]string{}, manner: manner{tick: 1, fst: fst}}
	if err := r.readHeader(); err != nil {
		return nil, err
	}
	if fst {
		r.pauses, r.given = left.pauses, left.given
		if err := r.insert(left.initial); err != nil {
			return nil, err
		}
	}
	if err := r.measureTimes(); err != nil {
		return nil, err
	}
	if err := r.measureParameters(r.parameters); err != nil {
		return nil, err
	}
	if fst {
		r.snapshot = laterSnapshot // changes before the first time
		r.RoundReals()
	}
	return r, nil
}

func (r *Reader) Close() error {
	if r.source == nil {
		return nil
	}
	return r.source.Close()
}

// Name returns the file's name.
func (r *Reader) Name() string { return r.file }

// Header returns the declarations. The caller must not change it.
func (r *Reader) Header() *Header { return &r.header }

// Duration returns a time of the file with its unit.
func (r *Reader) Duration(time uint64) Duration {
	return Duration{Count: time, Unit: r.header.Timescale}
}

// Nets returns the number of nets.
func (r *Reader) Nets() int { return len(r.nets) }

// Net returns the kind of a net and its width in bits, 0 for reals, texts and events.
func (r *Reader) Net(id NetID) (kind Kind, bits int) {
	return r.nets[id].kind, int(r.nets[id].bits)
}

// Watch selects the nets with stored values. Call it before the first Next.
func (r *Reader) Watch(nets []NetID) error {
	if r.begun {
		panic("vcd: Watch after Next")
	}
	words := len(r.value)
	for _, id := range nets {
		n := &r.nets[id]
		if n.watched {
			continue
		}
		n.watched = true
		switch n.kind {
		case KindBits:
			n.word = uint32(words)
			words += int(n.bits+63) / 64
		case KindReal:
			n.word = uint32(words)
			words++
		case KindText:
			n.word = uint32(len(r.texts))
			r.texts = append(r.texts, noText)
		}
		if words > watchWordsMax {
			return input.Mistake(r.file, fmt.Sprintf("more than %d bits in its signals", uint64(watchWordsMax)*64),
				"select fewer signals")
		}
	}
	r.value, r.unknown = make([]uint64, words), make([]uint64, words)
	for i := range r.nets {
		if r.nets[i].watched {
			r.setUnknown(&r.nets[i])
		}
	}
	return nil
}

// WatchAll keeps the values of all nets.
func (r *Reader) WatchAll() error {
	all := make([]NetID, len(r.nets))
	for i := range all {
		all[i] = NetID(i)
	}
	return r.Watch(all)
}

// Next reports whether another time follows. NextTime returns this time.
func (r *Reader) Next() bool {
	if !r.begun {
		r.begun = true
		r.readChanges()
		r.beginEarly()
	}
	return r.hasNext && r.err == nil
}

// beginEarly converts changes before the first time to changes of time 0, unless the first time is 0.
func (r *Reader) beginEarly() {
	if r.fst { // fst2vcd writes x for signals without a value
		for i := range r.nets {
			r.nets[i].changes = 0
		}
		for _, id := range r.given {
			if net := r.codes.find(uint64(id), appendCode(nil, id)); net != noNet {
				r.nets[net].changes = 1
			}
		}
	}
	pauses := len(r.pauses) > 0 && r.pauses[0].time < r.next/r.tick
	if early := r.off || pauses || slices.ContainsFunc(r.nets, func(n net) bool { return n.changes > 0 }); early {
		r.waits, r.first = r.hasNext && r.next > 0, r.next
		r.hasNext, r.next = true, 0
	}
}

// NextTime returns the time of the next Step, in units of the time scale.
func (r *Reader) NextTime() uint64 { return r.next }

// Step reads all changes of the next time. It returns the watched nets that may have changed, without duplicates, in
// file order, and the error that Err returns. The list is valid until the next Step.
func (r *Reader) Step() ([]NetID, error) {
	if !r.Next() {
		return nil, r.err
	}
	if r.started {
		r.settle()
	}
	r.started, r.now = true, r.next
	for ; len(r.pauses) > 0 && r.pauses[0].time <= r.now/r.tick; r.pauses = r.pauses[1:] {
		r.off = !r.pauses[0].on
		r.snapshot = laterSnapshot // events may be from $dumpon
	}
	if r.waits {
		r.waits, r.next = false, r.first
		return r.changed, r.err
	}
	r.readChanges()
	return r.changed, r.err
}

// Err returns the error that ended the reading.
func (r *Reader) Err() error { return r.err }

// Time returns the time of the last Step.
func (r *Reader) Time() uint64 { return r.now }

// Off reports whether the simulator is not dumping ($dumpoff).
func (r *Reader) Off() bool { return r.off }

// Truncated reports whether the file ended in the middle of a line.
func (r *Reader) Truncated() bool { return r.truncated }

// cutNow reports whether the file ended within the changes of the last Step, which are then incomplete.
func (r *Reader) cutNow() bool { return r.truncated && r.cutChange && r.started }

// CutFrom returns the time of the last Step if it is incomplete, otherwise "".
func (r *Reader) CutFrom() string {
	if !r.cutNow() {
		return ""
	}
	return r.Duration(r.now).String()
}

// Unread returns the number of skipped values of watched nets. Reader skips a value if its kind differs from the kind
// of its net.
func (r *Reader) Unread() uint64 { return r.unread }

// Passed describes skipped contents of the file, one text per kind.
func (r *Reader) Passed() []string {
	passed := slices.Clone(r.passed)
	if r.states&otherState != 0 {
		passed = append(passed, "nine-valued states: U, W and - are read as x, L as 0, H as 1")
	}
	for _, u := range []struct {
		count     uint64
		one, many string
	}{
		{r.paused, "change between $dumpoff and $dumpon", "changes between $dumpoff and $dumpon"},
		{r.replaced, "value replaced at the same time", "values replaced at the same time"},
		{r.rounded, "real with more digits than a double holds", "reals with more digits than a double holds"},
	} {
		if u.count > 0 {
			passed = append(passed, traces.Plural(u.count, u.one, u.many))
		}
	}
	if r.cutOff == 0 {
		return passed
	}
	unit := Duration{Count: 1, Unit: r.header.Timescale}
	if r.places == 0 {
		unit.Count = r.tick
	}
	return append(passed, fmt.Sprintf("%s rounded down to %v", traces.Plural(r.cutOff, "time is", "times are"), unit))
}

func (r *Reader) pass(what string, there bool) {
	if there && !slices.Contains(r.passed, what) {
		r.passed = append(r.passed, what)
	}
}

// realDigits is the number of digits of a real in the output of fst2vcd.
const realDigits = 16

// FST reports whether the file is an FST.
func (r *Reader) FST() bool { return r.fst }

// RoundReals rounds reals to the precision of an FST, for comparisons. Call it before the first Next.
func (r *Reader) RoundReals() {
	r.rounds = true
	r.pass("reals are read with 16 digits, as fst2vcd writes them", r.hasReals())
}

func (r *Reader) hasReals() bool {
	return slices.ContainsFunc(r.nets, func(n net) bool { return n.kind == KindReal })
}

// Maybe reports whether the trigger of an event in the last Step is uncertain.
func (r *Reader) Maybe(id NetID) bool { return r.nets[id].maybe }

// Changes returns the number of changes of a net, watched or not.
func (r *Reader) Changes(id NetID) uint64 { return r.nets[id].changes }

// Progress returns the number of bytes read from the file, compressed or not, and the file's size, 0 if unknown.
func (r *Reader) Progress() (read, size int64) {
	if r.source == nil {
		return r.read, 0
	}
	return r.source.Progress()
}

// Bytes returns the number of bytes of VCD read.
func (r *Reader) Bytes() int64 { return r.read }

// Value returns the value of a watched net.
func (r *Reader) Value(id NetID) Value {
	n := &r.nets[id]
	v := Value{Kind: n.kind}
	switch n.kind {
	case KindBits:
		last := n.word + (n.bits+63)/64
		v.Bits, v.Value, v.Unknown = int(n.bits), r.value[n.word:last:last], r.unknown[n.word:last:last]
	case KindReal:
		v.Real = r.real(n)
	case KindText:
		v.Text = textOf(r.texts[n.word])
	}
	return v
}

type columns struct {
	value, unknown []uint64
	texts          []string
}

const (
	// placesMax is the maximum number of digits read after the point of a time.
	placesMax = 6
	// measureBytes is the size in bytes of the changes searched for times with fractions.
	measureBytes = 64 << 10
)

// measureTimes refines the time scale if times at the beginning of the changes have fractions.
func (r *Reader) measureTimes() error {
	for r.end-r.pos < measureBytes && !r.eof {
		if _, err := r.more(); err != nil {
			return err
		}
	}
	rest := r.buf[r.pos:min(r.end, r.pos+measureBytes)]
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, newline)
		rest = after
		line = bytes.TrimLeft(line, " \t")
		if len(line) == 0 || line[0] != '#' {
			continue
		}
		if token, _, _ := bytes.Cut(bytes.TrimSpace(line[1:]), []byte(" ")); isDecimal(token) {
			_, fraction, _ := bytes.Cut(token, []byte("."))
			r.places = max(r.places, len(bytes.TrimRight(fraction, "0")))
		}
	}
	r.places = min(r.places, placesMax, int(r.header.Timescale-timescaleMin))
	r.header.Timescale -= Timescale(r.places)
	high, low := bits.Mul64(r.tick, power10(Timescale(r.places)))
	if high != 0 {
		return r.fail(r.pos, "the $timescale is too long for times with a fraction", "correct the $timescale")
	}
	r.tick, r.header.Tick = low, low
	return nil
}

// isDecimal reports whether a token is a decimal number: digits with at most one point, not at the beginning.
func isDecimal(token []byte) bool {
	points := 0
	for _, c := range token {
		switch {
		case c == '.':
			points++
		case c-'0' > 9:
			return false
		}
	}
	return len(token) > 0 && points <= 1 && token[0] != '.'
}

// readTime reads #time. It returns true for a new time.
func (r *Reader) readTime(at int) bool {
	start := at + 1
	number, overflow := uint64(0), false
	end := start
	for ; r.buf[end]-'0' <= 9; end++ {
		digit := uint64(r.buf[end] - '0')
		overflow = overflow || number > (math.MaxUint64-digit)/10
		number = 10*number + digit
	}
	if end == start || r.buf[end] > ' ' || overflow || r.tick != 1 {
		return r.readOddTime(at)
	}
	if end == r.end {
		r.cut()
		return false
	}
	return r.timeAt(at, end, number)
}

// readOddTime reads other forms of a time: # 5, #3.0, #2.75.
func (r *Reader) readOddTime(at int) (done bool) {
	start := at + 1
	for start < r.end && (r.buf[start] == ' ' || r.buf[start] == '\t') {
		start++
	}
	end := r.tokenEnd(start)
	if end == r.end {
		r.cut()
		return false
	}
	token := r.buf[start:end]
	expected := func() bool {
		r.bad(at, fmt.Sprintf("found %s; expected a time such as #120", shown(bytes.TrimSpace(r.buf[at:end]))))
		return false
	}
	if !isDecimal(token) {
		return expected()
	}
	whole, fraction, _ := bytes.Cut(token, []byte("."))
	fraction = bytes.TrimRight(fraction, "0")
	number, err := strconv.ParseUint(string(whole), 10, 64)
	high, low := bits.Mul64(number, r.tick)
	if err != nil || high != 0 {
		return expected()
	}
	if len(fraction) > r.places {
		fraction = fraction[:r.places]
		r.cutOff++
	}
	part, _ := strconv.ParseUint("0"+string(fraction), 10, 64) // at most placesMax digits
	low, carry := bits.Add64(low, part*(r.tick/power10(Timescale(len(fraction)))), 0)
	if carry != 0 {
		return expected()
	}
	return r.timeAt(at, end, low)
}

// timeAt handles a time in units of the time scale. It returns true for a new time.
func (r *Reader) timeAt(at, end int, number uint64) bool {
	switch {
	case r.started && number < r.now:
		now := strconv.FormatUint(r.now, 10)
		if r.tick != 1 {
			now = strconv.FormatFloat(float64(r.now)/float64(r.tick), 'f', -1, 64)
		}
		r.bad(at, fmt.Sprintf("time %s after #%s; expected a later time", r.buf[at:end], now))
		return false
	case r.started && number == r.now:
		r.pos = end
		return false
	}
	r.pos = end
	r.next, r.hasNext, r.snapshot = number, true, noSnapshot // not every writer writes $end
	return true
}
