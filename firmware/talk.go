package firmware

import (
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/api"

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

// current returns the cell whose handler calls the host, none during start and attach.
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

func (in *wasmInstance) endLog() {
	if in.said.linesLost > 0 {
		in.events = append(in.events, Event{Kind: EventLogFull, Cell: in.bank.Cells - 1, Lines: in.said.linesLost})
	}
}

// printable makes one line of what firmware says; a tab is a blank.
func printable(text string) string {
	return input.Printable(strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\t", " "))
}
