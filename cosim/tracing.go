package cosim

import (
	"errors"
	"io"
)

// ErrUnseen is what devices return that were built without Seeing.
var ErrUnseen = errors.New("this was built to show no more than its ports")

// Seeing is what is built into RTL so that more than its ports can be seen. It makes RTL slower and
// changes nothing that RTL does, its registers without a reset value included.
type Seeing struct {
	Internals bool // devices are Tracers
	Coverage  bool // devices are Counters
}

// Tracer is a device that shows what is inside of its circuit: all of its scopes, and in them every
// register and net that the backend has kept.
type Tracer interface {
	// Trace begins a VCD, which w has once EndTrace has returned. Its times are those of Dump.
	Trace(w io.Writer) error

	// Dump writes what has changed since the Dump before, at a later time.
	Dump(time uint64) error

	// EndTrace ends it; nothing of the circuit changes. It works after a fault, too.
	EndTrace() error

	// Untraced are signals that the backend leaves out, and why.
	Untraced() []string
}

// Counter is a device that counts what its circuit has done since it was opened: Restore changes no counts.
type Counter interface {
	// Points are what is counted. Counts are how often, in the same order; it works after a fault, too.
	Points() ([]Point, error)
	Counts() ([]uint64, error)
}

// PointKind is what a Point counts.
type PointKind string

// The kinds of points.
const (
	PointLine   PointKind = "line"   // a block of statements has run
	PointBranch PointKind = "branch" // an alternative of if, case or ?: was taken
	PointToggle PointKind = "toggle" // a bit has changed, in one direction at least
	PointUser   PointKind = "user"   // a cover property has held
)

// Point is something in a source that a circuit counts.
type Point struct {
	Kind    PointKind `json:"kind"`
	File    string    `json:"file"`
	Line    int       `json:"line"`
	Column  int       `json:"column"`
	Comment string    `json:"comment"` // the alternative, the bit
	Hier    string    `json:"instance"`
	Page    string    `json:"-"`               // of verilator_coverage
	Lines   string    `json:"lines,omitempty"` // of the block: 12-14,17
}
