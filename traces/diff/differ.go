package diff

import (
	"context"

	"starloom/traces/vcd"
)

type differ struct {
	ctx   context.Context
	files [2]*vcd.Waveform
	o     Options

	unit     vcd.Timescale // the finest of both files and of the options
	shift    int64         // instants of B are this much later
	from, to int64
	pairs    []pair

	// relaxed is, by pair, the number of the last instant at which values matched that are not
	// equal: x or z, reals within the tolerance, events that may be. It is nil if none can.
	match        matching
	relaxed      []uint64
	relaxedCount uint64         // by x or z
	maybeCount   uint64         // events
	compared     bool           // a value equals another
	halfGiven    map[int32]bool // pairs of a NaN or an empty text in one file, and no value in the other

	firstPair int
	firstAt   int64
	report    Report
}
