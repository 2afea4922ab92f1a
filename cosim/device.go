package cosim

import (
	"errors"
	"fmt"
)

// Device is a synchronous circuit that is stepped from outside, one exchange per
// clock cycle: RTL in one of the backends, or a model of package hw or nic with
// the same ports.
//
// A cycle is: write Inputs; Settle, if combinational outputs are read within the
// cycle; Edge. Nothing runs between these calls.
//
// A device belongs to one goroutine at a time. After an error, which is a *Fault
// for everything that the circuit itself has done, only Close may be called.
type Device interface {
	// Ports returns the ports in the order of the declaration.
	Ports() []Port

	// Inputs and Outputs are the values of all ports, 64 bits a word, the low word of
	// a wide port first; Port.Word says where. The slices are the device's own and stay
	// valid until Close. Bits of a last word above the port's width are zero in
	// Outputs and ignored in Inputs. Clocks have no place here: Edge drives them.
	Inputs() []uint64
	Outputs() []uint64

	// Unknown has a one for every bit of Outputs that is X or Z, whose value is then
	// 0 for X and 1 for Z; nil for a device with two states only.
	Unknown() []uint64

	// Settle lets combinational logic see Inputs; clocks are low.
	Settle() error

	// Edge lets combinational logic see Inputs, raises the clocks whose bits are set
	// (bit i: the i-th port with Clock) at the same time, and lowers them again.
	// Outputs then show the new registers, with Inputs as they are.
	Edge(clocks uint64) error

	// Step does Edge cycles times.
	Step(clocks uint64, cycles int) error

	// Save and Restore carry all state, that of Outputs included; ErrNoSnapshot if
	// the backend cannot. A snapshot fits devices of the same build only.
	Save() ([]byte, error)
	Restore(snapshot []byte) error

	// Close ends the device, and the process that it may have.
	Close() error
}

// Player is a device that can run many cycles in one call.
type Player interface {
	// Rows is where inputs and outputs of cycles stand, one after the other: the words of Inputs, then those
	// of Outputs. As many cycles can be played as have room; nil for a device that plays none.
	Rows() []uint64

	// Play does Settle, then Edge, for each of the first rows: it takes the inputs and puts the outputs as they
	// have settled. halves is how many of these went well, two for each cycle; the next one is that of err.
	Play(clocks uint64, cycles int) (halves int, err error)
}

// Keeper is a device that keeps many states cheaply: as what differs from a snapshot of its own.
type Keeper interface {
	// SaveSince is Save less what stands in the snapshot as well; bytes is how many Save returns.
	SaveSince(snapshot []byte) (difference []byte, bytes int, err error)

	// RestoreSince takes a difference from the same snapshot.
	RestoreSince(snapshot, difference []byte) error
}

// Port is a port of a device.
type Port struct {
	Name  string
	Bits  int  // width, at least 1
	Input bool // driven from outside
	Clock bool // an input that Edge drives
	Word  int  // its first word in Inputs or Outputs; -1 for a clock

	// Edges: an input without Clock of which only the edges count, which is a clock that was not
	// named. Icarus does not report it.
	Edges bool `json:",omitempty"`

	// Parts are what a structure or an array consists of, at any depth.
	Parts []Part `json:",omitempty"`
}

// Part is a part of a port with a name of its own: .valid, [3], [3].data.
type Part struct {
	Name      string // after that of the port
	Low, Bits int    // its first bit in the port
}

// Words returns how many words the port has in Inputs or Outputs.
func (p Port) Words() int { return (p.Bits + 63) / 64 }

// ErrNoSnapshot is what Save and Restore return if the backend cannot save its state.
var ErrNoSnapshot = errors.New("this backend cannot save its state")

// FaultKind says what a circuit, or the simulator that runs it, has done.
type FaultKind string

// The kinds of faults.
const (
	FaultFinish      FaultKind = "finish"      // $finish or $stop
	FaultFatal       FaultKind = "fatal"       // $fatal, a failed assertion
	FaultOscillation FaultKind = "oscillation" // combinational logic does not settle
	FaultHang        FaultKind = "hang"        // a loop does not end
	FaultDied        FaultKind = "died"        // the simulator is gone
	FaultLimit       FaultKind = "limit"       // a value is beyond what its pin map allows
)

// Checked is a device that can say, once it is settled and reset is off, whether values are beyond
// what it was attached for: then Check returns a *Fault.
type Checked interface{ Check() error }

// Fault is a misbehaviour of the circuit. It ends the device.
type Fault struct {
	Kind   FaultKind
	Device string // what was built, e.g. arbiter.v: round_robin_arbiter
	Cycle  uint64 // edges that the device has seen
	Text   string // what the simulator said
	Tool   string // the simulator, if it and not the circuit has failed; see ToolError
}

// ToolError is the fault of a simulator that has failed.
func (f *Fault) ToolError() *ToolError {
	return &ToolError{
		Tool: f.Tool, Place: f.Device, Reason: fmt.Sprintf("%s in cycle %d: %s", f.Kind, f.Cycle, f.Text), Remedy: remedySimulator, Err: f,
	}
}

// Error returns "device: kind in cycle n: text".
func (f *Fault) Error() string {
	s := fmt.Sprintf("%s: %s in cycle %d", f.Device, f.Kind, f.Cycle)
	if f.Text != "" {
		s += ": " + f.Text
	}
	return s
}

// Rules are the legal inputs of a circuit, cycle by cycle from power-on.
type Rules interface {
	Meets(inputs []uint64) bool // may these be, after those of the cycles before? It may be asked more than once.
	Reset(inputs []uint64)      // turns resets on
	Edge()                      // ends a cycle, with the inputs that were asked of last
	Close() error
}

// KeptLog is the end of what a circuit prints.
type KeptLog []byte

// KeptLogBytes is what it keeps at least.
const KeptLogBytes = 64 << 10

func (l *KeptLog) Write(text []byte) (int, error) {
	*l = append(*l, text[max(0, len(text)-KeptLogBytes):]...)
	if len(*l) > 2*KeptLogBytes {
		*l = append((*l)[:0], (*l)[len(*l)-KeptLogBytes:]...)
	}
	return len(text), nil
}
