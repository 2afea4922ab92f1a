package firmware

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm"
)

// EventKind says what an Event is.
type EventKind uint8

// The kinds of events.
const (
	EventTrap    EventKind = iota // the handler trapped
	EventFail                     // the handler called sl_fail
	EventLog                      // the handler called sl_log
	EventDeliver                  // the handler called sl_deliver
	EventResult                   // the handler called sl_result
	EventAssert                   // an assertion of the handler has failed
	EventLogFull                  // handlers logged more than is kept: Lines more lines
)

// Event is something that firmware did beside its frames.
type Event struct {
	Kind     EventKind
	Cell     int
	Origin   uint32 // deliver: where the packet comes from
	Word     uint32 // result: its number
	Value    uint64 // result
	Lines    int    // log full: lines that are not kept
	Text     string // trap: reason; fail: the code; assert: the condition; log: the line
	Function string // trap, fail: innermost function of the firmware; assert: that with the assertion
	Source   string // trap, fail: file:line:column, "" without debug information; assert: file:line

	// Backtrace is for trap, fail and assert: the functions that were being called, the
	// innermost first, inlined ones too, each with file:line:column as far as the debug
	// information says it.
	Backtrace []wasm.Frame
}

// Limits of what firmware may say in one slot, so that a handler in a loop does not
// fill the host's memory. They are limits of one processor, so that nothing depends
// on who shares its instance.
const (
	logLinesPerCellMax   = 16
	logBytesMax          = 256
	deliveriesPerCellMax = 2 // the exactly-once rule has failed at the second one already
	resultsPerCellMax    = 1024
)

// said is how much a run of the handlers has said so far.
type said struct {
	cell       int // whose handler the counts of a cell are about
	cellLines  int
	cellPacket int
	cellWords  int // of results
	linesLost  int // log lines that are not kept
	deliveries int
}

// current returns the cell whose handler calls the host. There is none while the
// image starts or attaches its bank.
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

func (in *wasmInstance) hostDeliver(origin uint32) {
	cell, ok := in.current()
	if !ok || in.said.cellPacket >= deliveriesPerCellMax || in.said.deliveries >= deliveriesPerCellMax*in.bank.Cells {
		return
	}
	in.said.cellPacket++
	in.said.deliveries++
	in.events = append(in.events, Event{Kind: EventDeliver, Cell: cell, Origin: origin})
}

// hostResult ends a handler that gives more results than are taken: none is dropped unseen.
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

// logLine logs a line of the processor whose handler runs, unless it has logged too many.
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

// endLog says how many lines were not kept.
func (in *wasmInstance) endLog() {
	if in.said.linesLost > 0 {
		in.events = append(in.events, Event{Kind: EventLogFull, Cell: in.bank.Cells - 1, Lines: in.said.linesLost})
	}
}

// printable makes one line of what firmware says, without anything that moves a
// terminal's cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r):
			return '?'
		}
		return r
	}, strings.ToValidUTF8(strings.TrimRight(text, "\r\n"), "?"))
}
