package tracetest

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Dump is a VCD parsed by an independent, slow reader. Tests compare package vcd with it.
type Dump struct {
	Unit  *big.Rat // seconds per time step of the file
	Times []*big.Rat
	Offs  []bool           // dumping is off after each of Times
	Waves map[string]*Wave // waves by path
}

// Wave is one signal. A value is a text: all binary digits, r and a number, or s and a text. An event has one step
// per occurrence.
type Wave struct {
	Type  string
	Bits  int
	Steps []Step
}

// Step is a value and the start of its validity in seconds.
type Step struct {
	At    *big.Rat
	Value string
}

var unitExponents = map[string]int64{"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15, "as": 18, "zs": 21}

// Parse parses a VCD with one change per line and declarations at the beginnings of lines.
func Parse(text string) (*Dump, error) {
	d := &Dump{Unit: big.NewRat(1, 1_000_000_000), Waves: map[string]*Wave{}}
	codes := map[string]*Wave{}
	header, changes, found := strings.Cut(text, "$enddefinitions")
	if !found {
		return nil, fmt.Errorf("no $enddefinitions")
	}
	var scopes []string
	for _, section := range sections(header) {
		words := strings.Fields(section)
		switch at := slices.Index(words, "$end"); {
		case at >= 0:
			words = words[:at]
		}
		switch words[0] {
		case "$timescale":
			if err := d.unit(strings.Join(words[1:], "")); err != nil {
				return nil, err
			}
		case "$scope":
			scopes = append(scopes, strings.TrimPrefix(words[2], `\`))
		case "$upscope":
			scopes = scopes[:max(len(scopes)-1, 0)]
		case "$var":
			w := codes[words[3]]
			if w == nil {
				w = &Wave{Type: words[1], Bits: bitsOf(words[2])}
				codes[words[3]] = w
			}
			name := strings.Join(words[4:], "")
			if colon := strings.LastIndexByte(name, '['); colon > 0 && strings.Contains(name[colon:], ":") {
				name = name[:colon]
			}
			d.Waves[strings.Join(append(slices.Clone(scopes), strings.TrimPrefix(name, `\`)), ".")] = w
		}
	}
	return d, d.changes(changes, codes)
}

func sections(header string) (found []string) {
	for line := range strings.Lines(header) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "$") && !strings.HasPrefix(line, "$end") {
			found = append(found, line)
		} else if len(found) > 0 {
			found[len(found)-1] += " " + line
		}
	}
	return found
}

func (d *Dump) unit(text string) error {
	at := strings.IndexAny(text, "smunpfaz")
	if at < 0 {
		return fmt.Errorf("timescale %q", text)
	}
	number, ok := new(big.Rat).SetString(text[:at])
	exponent, known := unitExponents[text[at:]]
	if !ok || !known {
		return fmt.Errorf("timescale %q", text)
	}
	if number.Sign() == 0 {
		number.SetInt64(1)
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(exponent), nil)
	d.Unit = number.Quo(number, new(big.Rat).SetInt(power))
	return nil
}

func bitsOf(word string) int {
	if inner, ok := strings.CutPrefix(word, "["); ok {
		high, low, _ := strings.Cut(strings.TrimSuffix(inner, "]"), ":")
		h, _ := strconv.Atoi(high)
		l, _ := strconv.Atoi(low)
		return max(h-l, l-h) + 1
	}
	count, _ := strconv.Atoi(word)
	return max(count, 1)
}

// changes parses a text line by line. A line is a time, a change, or other text. Changes before the first time belong
// to time 0.
func (d *Dump) changes(text string, codes map[string]*Wave) error {
	now, snapshot, off := new(big.Rat), false, false
	begin := func() { // creates time 0 if no time precedes
		if len(d.Times) == 0 {
			d.Times, d.Offs = []*big.Rat{now}, []bool{false}
		}
	}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case line[0] == '#' || fields[0][0] == '#':
			number, ok := new(big.Rat).SetString(strings.Join(fields, "")[1:])
			if !ok {
				return fmt.Errorf("time %q", line)
			}
			now = number.Mul(number, d.Unit)
			d.Times, d.Offs = append(d.Times, now), append(d.Offs, off)
			snapshot = false
		case fields[0] == "$end":
			snapshot = false
		case fields[0] == "$dumpvars", fields[0] == "$dumpports":
			snapshot = !slices.Contains(fields, "$end")
		case strings.HasPrefix(fields[0], "$dumpo"):
			begin()
			off = fields[0] == "$dumpoff"
			d.Offs[len(d.Offs)-1] = off
		case fields[0][0] == '$', off:
		default:
			begin()
			if err := take(fields, now, codes, snapshot); err != nil {
				return err
			}
		}
	}
	return nil
}

func take(fields []string, now *big.Rat, codes map[string]*Wave, snapshot bool) error {
	first := fields[0]
	code, value := fields[len(fields)-1], first
	if len(fields) == 1 {
		code, value = first[1:], first[:1]
	}
	w := codes[code]
	if w == nil {
		return fmt.Errorf("code of %q", fields)
	}
	switch {
	case w.Type == "event":
		if snapshot {
			return nil
		}
		value = "!"
	case value[0] == 'r', value[0] == 'R':
		number, err := strconv.ParseFloat(value[1:], 64)
		if err != nil && number == 0 {
			return err
		}
		value = "r" + strconv.FormatFloat(number, 'e', 17, 64)
	case value[0] == 's', value[0] == 'S':
		escaped := strings.NewReplacer(`\\`, `\\`, `\"`, `\"`, `\?`, `?`, `\'`, `'`, `"`, `\"`).Replace(value[1:])
		if plain, err := strconv.Unquote(`"` + escaped + `"`); err == nil {
			value = "s" + plain
		}
	default:
		value = w.digits(value)
	}
	if n := len(w.Steps); n > 0 && w.Steps[n-1].At.Cmp(now) == 0 {
		w.Steps[n-1].Value = value
		return nil
	}
	w.Steps = append(w.Steps, Step{now, value})
	return nil
}

var states = strings.NewReplacer(
	"L", "0", "l", "0", "D", "0", "d", "0", "H", "1", "h", "1", "U", "1", "u", "1", "T", "z", "Z", "z", "F", "z", "f", "z",
	"N", "x", "X", "x", "?", "x", "A", "x", "a", "x", "B", "x", "b", "x", "C", "x", "c", "x",
)

var nine = strings.NewReplacer("L", "0", "l", "0", "H", "1", "h", "1", "Z", "z", "X", "x", "U", "x", "u", "x",
	"W", "x", "w", "x", "-", "x")

func (w *Wave) digits(value string) string {
	switch value[0] {
	case 'p':
		return states.Replace(value[1:])
	case 'b', 'B':
		value = strings.TrimPrefix(strings.TrimPrefix(value[1:], "0b"), "0B")
	}
	value = nine.Replace(value)
	fill := "0"
	if value[0] == 'x' || value[0] == 'z' {
		fill = value[:1]
	}
	value = strings.Repeat(fill, max(w.Bits-len(value), 0)) + value
	return value[len(value)-w.Bits:]
}

// Changes returns the steps whose value differs from the previous value.
func (w *Wave) Changes() (steps []Step) {
	if w.Type == "event" {
		return w.Steps
	}
	before := w.initial()
	for _, s := range w.Steps {
		if s.Value != before {
			steps = append(steps, s)
			before = s.Value
		}
	}
	return steps
}

// Valued reports whether some signal has a value at any time.
func (d *Dump) Valued() bool {
	for _, w := range d.Waves {
		if len(w.Steps) > 0 {
			return true
		}
	}
	return false
}

// Same reports whether two dumps agree at all times at which both are dumping, and returns the number of these times.
func (d *Dump) Same(other *Dump) (same bool, times int) {
	same = len(d.Waves) == len(other.Waves)
	var pairs [][2]*cursor
	for path, w := range d.Waves {
		if o := other.Waves[path]; o != nil {
			pairs = append(pairs, [2]*cursor{{wave: w}, {wave: o}})
		} else {
			same = false
		}
	}
	all := slices.Concat(d.Times, other.Times)
	slices.SortFunc(all, (*big.Rat).Cmp)
	offs := [2]*cursor{d.offs(), other.offs()}
	for _, at := range slices.CompactFunc(all, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 }) {
		off := offs[0].at(at) == "off"
		if off = offs[1].at(at) == "off" || off; off {
			continue
		}
		times++
		for _, p := range pairs {
			same = p[0].at(at) == p[1].at(at) && same
		}
	}
	return same, times
}

func (d *Dump) offs() *cursor {
	w := &Wave{Type: "string"}
	for i, off := range d.Offs {
		w.Steps = append(w.Steps, Step{d.Times[i], map[bool]string{true: "off", false: "on"}[off]})
	}
	return &cursor{wave: w}
}

type cursor struct {
	wave *Wave
	next int
}

// at returns the value at a time later than that of the previous call. For an event, it returns whether the event is
// triggered.
func (c *cursor) at(at *big.Rat) string {
	steps := c.wave.Steps
	for c.next < len(steps) && steps[c.next].At.Cmp(at) <= 0 {
		c.next++
	}
	if c.next == 0 || c.wave.Type == "event" && steps[c.next-1].At.Cmp(at) < 0 {
		return c.wave.initial()
	}
	return steps[c.next-1].Value
}

func (w *Wave) initial() string {
	switch {
	case w.Type == "event":
		return ""
	case w.Type == "string":
		return "s"
	case strings.HasPrefix(w.Type, "real"):
		return "rNaN"
	}
	return strings.Repeat("x", w.Bits)
}
