package firmware

import (
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
