package tracetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Invented is the content of a random waveform.
type Invented struct {
	Signals []Invention
	Changes []Change // ascending by time, at most one change per time and signal
	Pauses  []Pause  // ascending by time, only for Style.Pauses
	End     uint64   // a time after the last change
}

// Invention is a signal.
type Invention struct {
	Scope, Name, Type string
	Bits              int
}

// Change is a new value: all binary digits, a number or a text; "" for an event.
type Change struct {
	At     uint64
	Signal int
	Value  string
}

// Pause is a $dumpoff with its $dumpon, which may be at the same time or after the end of the waveform.
type Pause struct{ From, To uint64 }

var inventedTypes = []string{"wire", "wire", "reg", "logic", "integer", "real", "string", "event", "parameter"}

// Invent returns a random waveform.
func Invent(random *rand.Rand) *Invented {
	v := &Invented{}
	for i := range 1 + random.IntN(12) {
		s := Invention{Scope: []string{"", "a", "b"}[random.IntN(3)], Name: fmt.Sprintf("s%d", i),
			Type: inventedTypes[random.IntN(len(inventedTypes))]}
		s.Bits = []int{1, 1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 100, 128, 200}[random.IntN(14)]
		switch s.Type {
		case "real", "parameter":
			s.Bits = 64
		case "string", "event":
			s.Bits = 1
		}
		v.Signals = append(v.Signals, s)
	}
	before := make([]string, len(v.Signals))
	at := uint64(0)
	times := 1 + random.IntN(30)
	if random.IntN(40) == 0 {
		times = 0 // no values
	}
	for range times {
		for i := range v.Signals {
			if v.Signals[i].Type == "parameter" && at > 0 {
				continue
			}
			if at == 0 && random.IntN(8) > 0 || random.IntN(4) == 0 {
				if value := v.value(random, i, before[i]); value != before[i] || v.Signals[i].Type == "event" {
					v.Changes = append(v.Changes, Change{at, i, value})
					before[i] = value
				}
			}
		}
		at += 1 + random.Uint64N(9)
	}
	v.End = at
	for at = random.Uint64N(9); at <= v.End && random.IntN(3) > 0; at += random.Uint64N(30) {
		p := Pause{at, at + random.Uint64N(9)}
		v.Pauses, at = append(v.Pauses, p), p.To
	}
	return v
}

func (v *Invented) off(at uint64) bool {
	return slices.ContainsFunc(v.Pauses, func(p Pause) bool { return p.From <= at && at < p.To })
}

func (v *Invented) value(random *rand.Rand, signal int, before string) string {
	s := &v.Signals[signal]
	switch s.Type {
	case "event":
		return ""
	case "real", "parameter": // parameters have a real value
		return strconv.FormatFloat([]float64{0, 1, 0.5, -2.25, 1e-9,
			3e30}[random.IntN(6)]+float64(random.IntN(3)), 'g', -1, 64)
	case "string":
		return []string{"idle", "run", "x1", "a_b", ""}[random.IntN(5)]
	}
	digits := []byte(before)
	if len(digits) == 0 || random.IntN(3) == 0 {
		digits = []byte(strings.Repeat(string("01xz"[random.IntN(4)]), s.Bits))
	}
	for range 1 + random.IntN(3) {
		digits[random.IntN(len(digits))] = "0101xz"[random.IntN(6)]
	}
	return string(digits)
}

// Differ returns a copy with one random modification. Parse reports whether the modification changes values.
func (v *Invented) Differ(random *rand.Rand) *Invented {
	other := &Invented{Signals: v.Signals, Changes: slices.Clone(v.Changes), Pauses: slices.Clone(v.Pauses), End: v.End}
	for i := range other.Pauses { // moving a pause alone is not a difference
		p := &other.Pauses[i]
		p.To = max(p.From, p.To-min(p.To, random.Uint64N(4)))
	}
	if len(other.Changes) == 0 {
		return other
	}
	i := random.IntN(len(other.Changes))
	c := &other.Changes[i]
	switch random.IntN(4) {
	case 0: // a different value
		c.Value = v.value(random, c.Signal, c.Value)
	case 1: // missing
		other.Changes = slices.Delete(other.Changes, i, i+1)
	case 2: // later
		c.At++
	case 3: // ends early
		other.Changes, other.End = other.Changes[:i], c.At
	}
	slices.SortStableFunc(other.Changes, func(x, y Change) int { return int(x.At) - int(y.At) })
	return other
}

// Style selects the peculiarities of a written waveform.
type Style struct {
	GTKWave bool // only syntax that vcd2fst reads correctly
	Exact   bool // only contents that a comparison covers completely, without ports
	Pauses  bool // with contents that fst2vcd omits: pauses, and a time 0 after earlier values
}

// timescales are notations of a nanosecond, as count and unit.
var timescales = []struct {
	text  string
	count uint64 // 0: half a unit
}{{"1 ns", 1}, {"1ns", 1}, {"100 ps", 10}, {"10ps", 100}, {"\n\t1 ps\n", 1000}, {"0.1 ns", 10}, {"250 ps", 4},
	{"0.5ns", 2}, {"2 ns", 0}, {"0.02 ns", 50}}

// Write writes a waveform in one of many random forms.
func (v *Invented) Write(random *rand.Rand, style Style) string {
	count := len(timescales)
	if style.GTKWave {
		count = 5
	}
	w := inventedWriter{
		Invented: v, random: random, style: style, scale: timescales[random.IntN(count)], codes: random.Perm(len(v.Signals)),
		odd: random.IntN(2) == 0, before: make([]string, len(v.Signals)),
	}
	if !style.Pauses {
		silent := *v
		silent.Pauses = nil
		w.Invented = &silent
	}
	w.header()
	w.body()
	if text := w.b.String(); random.IntN(6) > 0 {
		return text
	}
	return strings.ReplaceAll(w.b.String(), "\n", "\r\n")
}

type inventedWriter struct {
	*Invented
	random *rand.Rand
	style  Style
	scale  struct {
		text  string
		count uint64
	}
	codes  []int
	ports  bool
	odd    bool // occasional deviations: $end missing, 0b, .0
	before []string
	b      strings.Builder
}

func (w *inventedWriter) some(n int) bool { return w.odd && w.random.IntN(n) == 0 }

func (w *inventedWriter) end() string {
	if w.some(4) {
		return "\n"
	}
	return " $end\n"
}

func (w *inventedWriter) code(signal int) string {
	return string(rune('!'+w.codes[signal])) + strings.Repeat("~", w.codes[signal]%2)
}

func (w *inventedWriter) header() {
	if w.some(2) {
		w.b.WriteString("$date today" + w.end() + "$version strange" + w.end() + "$comment a\n  b $end\n")
	}
	w.ports = !w.style.Exact && w.some(4)
	fmt.Fprintf(&w.b, "$timescale %s $end\n", w.scale.text)
	fmt.Fprintf(&w.b, "$scope module top%s", w.end())
	for _, scope := range []string{"", "a", "b"} {
		if scope != "" {
			fmt.Fprintf(&w.b, "$scope module %s%s", scope, w.end())
		}
		for i, s := range w.Signals {
			if s.Scope != scope {
				continue
			}
			switch {
			case w.ports && s.isBits() && s.Bits > 1:
				fmt.Fprintf(&w.b, "$var port [%d:0] %s %s $end\n", s.Bits-1, w.code(i), s.Name)
			case w.ports && s.isBits():
				fmt.Fprintf(&w.b, "$var port 1 %s %s $end\n", w.code(i), s.Name)
			case s.isBits() && s.Bits > 1:
				fmt.Fprintf(&w.b, "$var %s %d %s %s [%d:0]%s", s.Type, s.Bits, w.code(i), s.Name, s.Bits-1, w.end())
			case w.style.GTKWave && s.Type == "parameter":
				fmt.Fprintf(&w.b, "$var real 64 %s %s $end\n", w.code(i), s.Name)
			default:
				fmt.Fprintf(&w.b, "$var %s %d %s %s $end\n", s.Type, s.Bits, w.code(i), s.Name)
			}
		}
		if scope != "" {
			w.b.WriteString("$upscope" + w.end())
		}
	}
	w.b.WriteString("$upscope" + w.end() + "$enddefinitions" + w.end())
}

func (s *Invention) isBits() bool {
	return !slices.Contains([]string{"real", "parameter", "string", "event"}, s.Type)
}

func (w *inventedWriter) body() {
	at := 0
	var times []uint64
	for _, c := range w.Changes {
		times = append(times, c.At)
	}
	times = append(times, 0, w.End)
	for _, p := range w.Pauses {
		times = append(times, p.From, p.To)
	}
	for range w.random.IntN(4) { // times without changes
		times = append(times, w.random.Uint64N(w.End+1))
	}
	slices.Sort(times)
	for _, time := range slices.Compact(times) {
		first := at
		for ; at < len(w.Changes) && w.Changes[at].At == time; at++ {
		}
		now := slices.Clone(w.Changes[first:at])
		end, zero := "", false
		if w.paused(time, now) {
			continue
		}
		if zero = time == 0 && w.early(now); !zero {
			w.time(time)
		} else if !slices.ContainsFunc(now, func(c Change) bool { return w.Signals[c.Signal].Type == "event" }) {
			w.b.WriteString("$dumpvars\n")
			end = "$end\n"
		}
		w.random.Shuffle(len(now), func(i, j int) { now[i], now[j] = now[j], now[i] })
		for _, c := range now {
			if w.some(8) && w.Signals[c.Signal].Type != "event" { // a glitch
				w.change(c.Signal, w.value(w.random, c.Signal, c.Value))
			}
			w.change(c.Signal, c.Value)
			w.before[c.Signal] = c.Value
		}
		if i := w.random.IntN(len(w.Signals)); w.some(3) && w.before[i] != "" { // a repeated value
			w.change(i, w.before[i])
		}
		w.b.WriteString(end)
		if zero && w.style.Pauses && w.random.IntN(2) == 0 {
			w.time(0)
		}
		if w.some(6) {
			w.b.WriteString("$comment nothing" + w.end())
		}
	}
}

// paused writes a time within a pause or at its beginning or end, and reports whether it has done so.
func (w *inventedWriter) paused(time uint64, now []Change) bool {
	edge := func(p Pause) bool { return p.From == time || p.To == time }
	if !w.off(time) && !slices.ContainsFunc(w.Pauses, edge) {
		return false
	}
	for _, c := range now {
		w.before[c.Signal] = c.Value
	}
	w.time(time)
	for _, p := range w.Pauses { // a pause may begin where another ends
		if p.To == time && p.From < time {
			w.dump("$dumpon", true)
		}
		if p.From == time {
			w.dump("$dumpoff", false)
			if p.To == time {
				w.dump("$dumpon", true)
			}
		}
	}
	for _, c := range now {
		if w.Signals[c.Signal].Type == "event" && !w.off(time) {
			w.change(c.Signal, c.Value)
		}
	}
	return true
}

func (w *inventedWriter) dump(keyword string, values bool) {
	w.b.WriteString(keyword + "\n")
	for i, s := range w.Signals {
		switch {
		case values && w.before[i] != "":
			w.change(i, w.before[i])
		case s.isBits():
			w.change(i, strings.Repeat("x", s.Bits))
		}
	}
	w.b.WriteString("$end\n")
}

// early reports whether the changes of time 0 precede the first time. vcd2fst drops such changes of texts, adds
// changes of events, and writes an incomplete file if there are no other changes.
func (w *inventedWriter) early(changes []Change) bool {
	other := func(s Invention) bool { return s.Type == "string" || s.Type == "event" }
	wrong := len(changes) == len(w.Changes) || slices.ContainsFunc(w.Signals, other)
	return len(changes) > 0 && !(w.style.GTKWave && wrong) && w.random.IntN(3) == 0
}

func (w *inventedWriter) time(time uint64) {
	blank := ""
	if w.some(5) {
		blank = " "
	}
	text := strconv.FormatUint(time*w.scale.count, 10)
	if w.scale.count == 0 {
		text = strconv.FormatUint(time/2, 10) + []string{"", ".5"}[time%2]
	}
	if w.some(3) {
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		text += strings.Repeat("0", w.random.IntN(3))
	}
	w.b.WriteString("#" + blank + text + "\n")
}

func (w *inventedWriter) change(signal int, value string) {
	s := &w.Signals[signal]
	code := w.code(signal)
	switch {
	case s.Type == "event":
		w.b.WriteString("1" + code)
	case s.Type == "real", s.Type == "parameter":
		w.b.WriteString("r" + value + " " + code)
	case s.Type == "string":
		w.b.WriteString("s" + value + " " + code)
	case w.ports:
		fmt.Fprintf(&w.b, "p%s %s %s %s", w.states(value), strings.Repeat("6", s.Bits), strings.Repeat("0", s.Bits), code)
	case s.Bits == 1 && w.random.IntN(4) > 0:
		w.b.WriteString(value + code)
	default:
		w.b.WriteString("b" + w.digits(value) + " " + code)
	}
	w.b.WriteString("\n")
}

func (w *inventedWriter) digits(value string) string {
	if w.random.IntN(2) == 0 && len(value) > 1 {
		switch rest := strings.TrimLeft(value, value[:1]); {
		case value[0] == '1':
		case value[0] != '0':
			value = value[:1] + rest
		case rest == "":
			value = "0"
		case rest[0] == '1':
			value = rest
		default:
			value = "0" + rest
		}
		if !w.style.GTKWave && w.some(3) && value[0] < 'a' {
			value = "0b" + value
		}
	}
	if !w.style.GTKWave && w.some(3) {
		value = strings.ToUpper(value[:1]) + value[1:]
	}
	return value
}

func (w *inventedWriter) states(value string) string {
	states := make([]byte, len(value))
	for i := range states {
		all := map[byte]string{'0': "DdLl0", '1': "UuHh1", 'x': "NX?AaBbCc", 'z': "ZTFf"}[value[i]]
		states[i] = all[w.random.IntN(len(all))]
	}
	return string(states)
}
