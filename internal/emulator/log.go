package emulator

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"starloom/fabric"
)

// firmwareLog collects the lines that firmware logs at one boundary. It keeps the first LogLinesMax lines in the
// order of processors and counts the others. Memory is therefore bounded, and the log is independent of the shards.
type firmwareLog struct {
	lines []logLine
	lost  int
}

type logLine struct {
	slot      uint32
	processor int
	text      string
}

// LogLinesMax is the number of lines kept per boundary.
const LogLinesMax = 4096

// add appends a line. The lines of a processor must be added in order.
func (l *firmwareLog) add(line logLine) {
	if l.lines = append(l.lines, line); len(l.lines) >= 4*LogLinesMax {
		l.sort()
	}
}

func (l *firmwareLog) sort() {
	slices.SortStableFunc(l.lines, func(a, b logLine) int { return cmp.Compare(a.processor, b.processor) })
	if more := len(l.lines) - LogLinesMax; more > 0 {
		l.lost += more
		clear(l.lines[LogLinesMax:])
		l.lines = l.lines[:LogLinesMax]
	}
}

func (l *firmwareLog) take(shard *firmwareLog) {
	if len(shard.lines) > 0 {
		shard.sort()
		l.lines = append(l.lines, shard.lines...)
		l.sort()
	}
	l.lost += shard.lost
	shard.clear()
}

func (l *firmwareLog) clear() {
	clear(l.lines)
	l.lines, l.lost = l.lines[:0], 0
}

func (l *firmwareLog) Empty() bool { return len(l.lines) == 0 && l.lost == 0 }

func (l *firmwareLog) write(w io.Writer, c *fabric.Circumstances, kind string, slot uint32) error {
	for _, line := range l.lines {
		_, err := fmt.Fprintf(w, "cycle %d slot %d %s: %s\n",
			c.Timing.SlotCycle(line.slot), line.slot, c.Names.Processor(line.processor), line.text)
		if err != nil {
			return err
		}
	}
	if l.lost > 0 {
		_, err := fmt.Fprintf(w, "cycle %d slot %d %s: %d more lines are not kept\n",
			c.Timing.SlotCycle(slot), slot, kind, l.lost)
		return err
	}
	return nil
}
