package cosim

import (
	"errors"
	"io"
)

// ErrUnseen is returned by devices that were built without Seeing.
var ErrUnseen = errors.New("the image was built to show only its ports")

// Seeing selects instrumentation of RTL. Instrumentation slows down RTL but does not change its behaviour, including
// registers without a reset value.
type Seeing struct {
	Internals bool
	Coverage  bool
}

// Tracer is a device that exposes the internals of its circuit: all scopes, their registers, and the nets that the
// backend has kept.
type Tracer interface {
	// Trace begins a VCD in w. The VCD is complete after EndTrace. Its times are the values passed to Dump.
	Trace(w io.Writer) error

	// Dump writes the changes since the previous Dump. time must ascend.
	Dump(time uint64) error

	// EndTrace ends the VCD without changing the circuit. It also works after a fault.
	EndTrace() error

	// Untraced lists signals omitted by the backend, with reasons.
	Untraced() []string
}

// Counter is a device that counts coverage since it was opened. Restore does not change the counts.
type Counter interface {
	// Points lists the counted points. Counts returns their counts in the same order and also works after a fault.
	Points() ([]Point, error)
	Counts() ([]uint64, error)
}

// PointKind is the kind of a Point.
type PointKind string

const (
	PointLine   PointKind = "line"   // a block of statements ran
	PointBranch PointKind = "branch" // an alternative of if, case or ?: was taken
	PointToggle PointKind = "toggle" // a bit changed
	PointUser   PointKind = "user"   // a cover property held
)

// Point is a place in a source. A circuit counts its executions.
type Point struct {
	Kind    PointKind `json:"kind"`
	File    string    `json:"file"`
	Line    int       `json:"line"`
	Column  int       `json:"column"`
	Comment string    `json:"comment"`
	Hier    string    `json:"instance"`
	Page    string    `json:"-"`               // page of verilator_coverage
	Lines   string    `json:"lines,omitempty"` // lines of the block: 12-14,17
}
