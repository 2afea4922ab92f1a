package diff

import (
	"context"

	"starloom/traces/vcd"
)

type differ struct {
	ctx   context.Context
	files [2]*vcd.Waveform
	o     Options

	unit     vcd.Timescale // finest unit of both files and the options
	shift    int64         // offset of B's instants
	from, to int64
	pairs    []pair

	// By pair, relaxed holds the last instant at which different values matched because of x or z, the tolerance of
	// reals, or possible events. relaxed is nil if the options permit no such match.
	match        matching
	relaxed      []uint64
	relaxedCount uint64         // matches by x or z
	maybeCount   uint64         // matches of possible events
	compared     bool           // some values were equal
	halfGiven    map[int32]bool // pairs with NaN or an empty text in one file and no value in the other

	firstPair int
	firstAt   int64
	report    Report
}
