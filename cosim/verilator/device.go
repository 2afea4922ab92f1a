package verilator

import (
	"bytes"
	"fmt"
	"time"

	"starloom/cosim"
)

const (
	partInputs = iota
	partOutputs
	partCycles
	partLog
	partText
	partLogText
	partRows // 0, like partPlayed, in circuits built before rows existed
	partPlayed
	partCount
)

const (
	logBytes  = 1 << 16 // SL_LOG_BYTES
	textBytes = 1 << 10 // SL_TEXT_BYTES
	rowWords  = 1 << 13 // SL_ROW_WORDS
)

var endKinds = map[uint32]cosim.FaultKind{2: cosim.FaultFinish, 4: cosim.FaultFatal, 6: cosim.FaultOscillation}

// stepCyclesMax bounds the cycles of one call, since Go cannot interrupt it for a garbage collection.
const stepCyclesMax = 1 << 13

// glueLog mirrors the status and log counters of glue.cpp.
type glueLog struct{ end, used, lost, last uint32 }

// refuseClocks returns the error for a clock edge after the device has ended, or on a clock that does not exist.
func refuseClocks(ended error, d *Description, clocks uint64) error {
	if ended != nil {
		return ended
	}
	return fmt.Errorf("%s: clocks %#b, but the device has %#b; every bit is a port with Clock", d.Device, clocks,
		cosim.ClockMask(d.Ports))
}

func errClosed(d *Description) error { return fmt.Errorf("%s: the device is closed", d.Device) }

func fault(kind cosim.FaultKind, d *Description, cycle uint64, text []byte) *cosim.Fault {
	said, _, _ := bytes.Cut(text, []byte{0})
	return &cosim.Fault{Kind: kind, Device: d.Device, Cycle: cycle, Text: string(said)}
}

// A loop that takes more than hangTurns iterations in one cycle counts as endless. Unlike a time limit, this limit
// does not depend on the host. Loops that initialise memory need fewer iterations, since a circuit has fewer bytes
// (wasmMemoryBytesMax). Slow loops reach the time limit first. glueTurns is SL_TURNS.
const (
	hangTurns = 1 << 30
	glueTurns = 1 << 16
)

// hangFault returns the fault of an endless loop: too many iterations or, if limit is positive, too much time.
func hangFault(d *Description, cycle uint64, limit time.Duration) *cosim.Fault {
	f := &cosim.Fault{
		Kind:   cosim.FaultHang,
		Device: d.Device,
		Cycle:  cycle,
		Text:   "a loop does not end: " + cosim.Count(hangTurns, "turn") + " in one cycle",
	}
	if limit > 0 {
		f.Text = fmt.Sprintf("a loop does not end: no result within %v", limit)
	}
	return f
}

func takeLog(l *cosim.KeptLog, text []byte, printed *glueLog) {
	_, _ = l.Write(text[:min(printed.used, logBytes)])
	if printed.lost > 0 {
		_, _ = fmt.Fprintf(l, "... and %d more that did not fit\n", printed.lost)
	}
	printed.used, printed.lost, printed.last = 0, 0, 0
}
