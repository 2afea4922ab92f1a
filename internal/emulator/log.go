package emulator

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"starloom/fabric"
)

// firmwareLog is what firmware has logged at one boundary. It keeps the first
// LogLinesMax lines in the order of the processors and counts the others, so that
// neither the host's memory nor the cut into shards shows in it.
type firmwareLog struct {
	lines []logLine
	lost  int
}

type logLine struct {
	slot      uint32
	processor int
	text      string
}

// LogLinesMax is how many lines of a boundary are kept.
const LogLinesMax = 4096

// add takes a line; those of one processor come in their order.
func (l *firmwareLog) add(line logLine) {
	if l.lines = append(l.lines, line); len(l.lines) >= 4*LogLinesMax {
		l.sort()
	}
}

// sort sorts the lines by processor and drops the last ones of too many.
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

// write appends the lines of the boundary before a slot to the log of a network of some kind.
func (l *firmwareLog) write(w io.Writer, c *fabric.Circumstances, kind string, slot uint32) error {
	for _, line := range l.lines {
		_, err := fmt.Fprintf(w, "cycle %d slot %d %s: %s\n",
			c.Timing.SlotCycle(line.slot), line.slot, c.Names.Processor(line.processor), line.text)
		if err != nil {
			return err
		}
	}
	if l.lost > 0 {
		_, err := fmt.Fprintf(w, "cycle %d slot %d %s: %d more lines are not kept\n", c.Timing.SlotCycle(slot), slot, kind, l.lost)
		return err
	}
	return nil
}
