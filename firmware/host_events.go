package firmware

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm"
	"starloom/traces/input"
)

func (in *wasmInstance) TakeEvents() []Event {
	in.endLog()
	events := in.events
	in.events = in.events[:0]
	in.said = said{}
	return events
}

func (in *wasmInstance) place() uint32 {
	if in.costs.place != nil {
		return uint32(in.costs.place.Get())
	}
	return in.bank.Current()
}

// current returns the cell whose handler calls the host; ok is false during start and attach.
func (in *wasmInstance) current() (cell int, ok bool) {
	if in.bank == nil {
		return 0, false
	}
	place := in.place()
	if uint64(place) >= uint64(len(in.calling)) {
		return 0, false
	}
	if cell = int(in.calling[place]); cell != in.said.cell {
		in.said.cell, in.said.cellLines, in.said.cellPacket, in.said.cellWords = cell, 0, 0, 0
	}
	return cell, true
}

// answer answers a copy that asks for a draw: see package wasm. Draws before the handlers of the machine keep their
// outcome.
func (in *wasmInstance) answer() (asked bool) {
	if in == nil || in.choice.asked == nil || in.choice.asked.Get() == 0 {
		return false
	}
	in.choice.asked.Set(0)
	cell, ok := in.current()
	if !ok {
		return true
	}
	drawn, outcomes, below := in.choice.drawn.Get(), in.choice.outcomes.Get(), in.choice.below.Get()
	if outcomes > 0 {
		drawn %= outcomes
	}
	d := Draw{in.bank.First + cell, uint32(drawn), uint32(outcomes)}
	if below != wasm.BelowAny {
		d.Drawn, d.Outcomes = 0, 1
		if drawn < below {
			d.Drawn = 1
		}
		if below > 0 && below < outcomes {
			d.Outcomes = 2
		}
	}
	outcome, err := in.image.host.choose(d)
	switch {
	case err != nil:
		panic(err)
	case outcome == d.Drawn: // the number drawn has this outcome
	case below == wasm.BelowAny:
		in.choice.drawn.Set(uint64(outcome))
	case outcome == 0:
		in.choice.drawn.Set(below)
	default:
		in.choice.drawn.Set(0)
	}
	return true
}

func (in *wasmInstance) hostDeliver(origin uint32) {
	cell, ok := in.current()
	if !ok || in.said.cellPacket >= deliveriesPerCellMax || in.said.deliveries >= deliveriesPerCellMax*in.bank.Cells {
		return
	}
	in.said.cellPacket++
	in.said.deliveries++
	in.events = append(in.events, Event{Kind: EventDeliver, Cell: cell, Origin: origin})
}

// hostResult ends a handler with more than resultsPerCellMax results, so that no result is dropped silently.
func (in *wasmInstance) hostResult(word uint32, value uint64) {
	cell, ok := in.current()
	if !ok {
		return
	}
	if in.said.cellWords++; in.said.cellWords > resultsPerCellMax {
		panic(fmt.Errorf("sl_result: more than %d results of one processor in one slot", resultsPerCellMax))
	}
	in.events = append(in.events, Event{Kind: EventResult, Cell: cell, Word: word, Value: value})
}

func (in *wasmInstance) hostProbe(signal uint32, value uint64) {
	cell, ok := in.current()
	if !ok {
		return
	}
	if count := len(in.image.Probes); uint64(signal) < uint64(count) {
		in.probes[cell*count+int(signal)] = value
	} else {
		in.logLine(func() string {
			return fmt.Sprintf("(sl_probe: there is no probe %d; STARLOOM_PROBES has %d)", signal, count)
		})
	}
}

func (in *wasmInstance) hostLog(m api.Module, at, size uint32) {
	in.logLine(func() string {
		if text, inside := m.Memory().Read(at, min(size, logBytesMax)); inside {
			return string(text)
		}
		return "(sl_log: the text lies outside the memory)"
	})
}

func (in *wasmInstance) hostLogf(m api.Module, format, arguments uint32) {
	in.logLine(func() string { return formatLog(m.Memory(), format, arguments) })
}

func (in *wasmInstance) logLine(line func() string) {
	cell, ok := in.current()
	if !ok {
		return
	}
	if in.said.cellLines >= logLinesPerCellMax {
		in.said.linesLost++
		return
	}
	in.said.cellLines++
	in.events = append(in.events, Event{Kind: EventLog, Cell: cell, Text: printable(line())})
}

func (in *wasmInstance) endLog() {
	if in.said.linesLost > 0 {
		in.events = append(in.events, Event{Kind: EventLogFull, Cell: in.bank.Cells - 1, Lines: in.said.linesLost})
	}
}

func printable(text string) string {
	return input.Printable(strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\t", " "))
}

const formatBytesMax = 1024

// formatLog formats a line like C's printf. The arguments are in memory in the order in which clang passes them to a
// variadic function of wasm32: consecutive, each aligned to its own size. formatLog accepts %d %i %u %x %X %o %c %s
// %p and %% with flags, width and precision (a number or *) and the lengths hh, h, l, z, t (32 bits), ll and j (64
// bits). Any other conversion ends the line with a message, because the length of its argument is unknown. A line has
// at most logBytesMax bytes.
func formatLog(memory api.Memory, format, arguments uint32) string {
	text := cString(memory, format, formatBytesMax)
	a := logArguments{memory: memory, at: uint64(arguments)}
	var line strings.Builder
	for text != "" && line.Len() < logBytesMax {
		before, rest, found := strings.Cut(text, "%")
		line.WriteString(before)
		if !found {
			break
		}
		verb := parseVerb(rest)
		value, err := a.format(verb)
		if err != "" {
			fmt.Fprintf(&line, "(sl_logf: %s)", err)
			break
		}
		line.WriteString(value)
		text = rest[verb.bytes:]
	}
	return line.String()[:min(line.Len(), logBytesMax)]
}

type logVerb struct {
	flags            string // characters "-+ #0"
	width, precision int    // precision: -1 for none; argument for *
	length           string
	conversion       byte // 0: end of format
	bytes            int  // length of the conversion in the format
}

// argument marks a width or precision given by *.
const argument = -2

func parseVerb(text string) (v logVerb) {
	rest := strings.TrimLeft(text, "-+ #0")
	v.flags = text[:len(text)-len(rest)]
	number := func() (n int) {
		if strings.HasPrefix(rest, "*") {
			rest = rest[1:]
			return argument
		}
		for rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			n, rest = min(10*n+int(rest[0]-'0'), logBytesMax), rest[1:]
		}
		return n
	}
	v.width, v.precision = number(), -1
	if strings.HasPrefix(rest, ".") {
		rest = rest[1:]
		v.precision = number()
	}
	after := strings.TrimLeft(rest, "hljzt")
	v.length, rest = rest[:len(rest)-len(after)], after
	if rest != "" {
		v.conversion, rest = rest[0], rest[1:]
	}
	v.bytes = len(text) - len(rest)
	return v
}

type logArguments struct {
	memory api.Memory
	at     uint64
}

func (a *logArguments) word(bytes uint64) (value uint64) {
	a.at = (a.at + bytes - 1) / bytes * bytes
	if data, ok := a.memory.Read(uint32(min(a.at, addressBytesMax)), uint32(bytes)); ok {
		for k := range bytes {
			value |= uint64(data[k]) << (8 * k)
		}
	}
	a.at += bytes
	return value
}

func (a *logArguments) format(v logVerb) (text, err string) {
	if v.width == argument {
		if v.width = int(int32(a.word(4))); v.width < 0 { // a negative width means left alignment, as in C
			v.flags, v.width = v.flags+"-", -v.width
		}
		v.width = min(v.width, logBytesMax)
	}
	if v.precision == argument {
		v.precision = min(max(int(int32(a.word(4))), -1), logBytesMax)
	}
	bits := 32
	switch v.length {
	case "ll", "j":
		bits = 64
	case "", "l", "z", "t":
	case "h":
		bits = 16
	case "hh":
		bits = 8
	default:
		return "", fmt.Sprintf("%%%s%c is not known", v.length, v.conversion)
	}
	take := func() uint64 { return a.word(uint64(max(bits, 32)) / 8) }
	switch v.conversion {
	case 0:
		return "", "the format ends after %"
	case '%':
		return "%", ""
	case 'c':
		return v.pad("", string([]byte{byte(a.word(4))}), false), ""
	case 's':
		bytes := logBytesMax
		if v.precision >= 0 {
			bytes = min(bytes, v.precision)
		}
		return v.pad("", cString(a.memory, uint32(a.word(4)), bytes), false), ""
	case 'p':
		return v.pad("", fmt.Sprintf("%#x", a.word(4)), false), ""
	case 'd', 'i':
		value := int64(take()<<(64-bits)) >> (64 - bits)
		sign, digits := "", strconv.FormatInt(value, 10)
		switch {
		case value < 0:
			sign, digits = "-", digits[1:]
		case strings.Contains(v.flags, "+"):
			sign = "+"
		case strings.Contains(v.flags, " "):
			sign = " "
		}
		return v.number(sign, digits), ""
	case 'u', 'x', 'X', 'o':
		value := take() << (64 - bits) >> (64 - bits)
		prefix, digits := "", strconv.FormatUint(value, map[byte]int{'u': 10, 'x': 16, 'X': 16, 'o': 8}[v.conversion])
		if alternate := strings.Contains(v.flags, "#") && value != 0; alternate && v.conversion == 'o' {
			digits = "0" + digits
		} else if alternate && v.conversion != 'u' {
			prefix = "0x"
		}
		text := v.number(prefix, digits)
		if v.conversion == 'X' {
			text = strings.ToUpper(text)
		}
		return text, ""
	}
	return "", fmt.Sprintf("%%%s%c is not known", v.length, v.conversion)
}

func (v *logVerb) number(prefix, digits string) string {
	if v.precision == 0 && digits == "0" {
		digits = ""
	}
	if missing := v.precision - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return v.pad(prefix, digits, v.precision < 0 && strings.Contains(v.flags, "0"))
}

func (v *logVerb) pad(prefix, text string, zeros bool) string {
	missing := max(v.width-len(prefix)-len(text), 0)
	switch {
	case strings.Contains(v.flags, "-"):
		return prefix + text + strings.Repeat(" ", missing)
	case zeros:
		return prefix + strings.Repeat("0", missing) + text
	}
	return strings.Repeat(" ", missing) + prefix + text
}

func cString(memory api.Memory, at uint32, bytesMax int) string {
	if at >= memory.Size() {
		return "(outside the memory)"
	}
	text, _ := memory.Read(at, min(uint32(bytesMax), memory.Size()-at))
	before, _, _ := bytes.Cut(text, []byte{0})
	return string(before)
}
