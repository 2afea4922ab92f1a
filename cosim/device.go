package cosim

import (
	"errors"
	"fmt"
)

// Device is a synchronous circuit that the caller steps through clock cycles: RTL in a backend, or a model of package
// hw or nic with the same ports.
//
// For each cycle, write Inputs, call Settle if combinational outputs are read within the cycle, and call Edge. The
// circuit does not run between these calls.
//
// A device must not be used concurrently. After an error, which is a *Fault if the circuit caused it, only Close may
// be called.
type Device interface {
	// Ports returns the ports in the order of their declaration.
	Ports() []Port

	// Inputs and Outputs return the values of all ports in 64-bit words, the low word of a wide port first. Port.Word
	// is the index of a port's first word. The slices belong to the device and stay valid until Close. The unused
	// bits of a port's last word are 0 in Outputs and are ignored in Inputs. Clocks have no word, because Edge drives
	// them.
	Inputs() []uint64
	Outputs() []uint64

	// Unknown has a 1 for every X or Z bit of Outputs. The bit in Outputs is 0 for X and 1 for Z. Unknown is nil for
	// a two-state device.
	Unknown() []uint64

	// Settle propagates Inputs through combinational logic while clocks are low.
	Settle() error

	// Edge settles, raises the clocks selected by bits (bit i: the i-th port with Clock) simultaneously, and lowers
	// them again. Outputs then reflect the new registers and the current Inputs.
	Edge(clocks uint64) error

	// Step calls Edge the given number of times.
	Step(clocks uint64, cycles int) error

	// Save and Restore transfer the whole state, including Outputs. They return ErrNoSnapshot if the backend cannot
	// save its state. A snapshot is valid only for devices of the same build.
	Save() ([]byte, error)
	Restore(snapshot []byte) error

	// Close ends the device and its process, if any.
	Close() error
}

// Player is a device that runs many cycles in one call.
type Player interface {
	// Rows holds consecutive cycles. Each cycle has the words of Inputs, then the words of Outputs. The length of
	// Rows limits the number of cycles per call. Rows is nil for a device that does not support batches.
	Rows() []uint64

	// Play calls Settle and Edge for each of the first rows: it reads the inputs of each row and stores the settled
	// outputs. halves counts the successful calls, two per cycle. If err is not nil, it is the error of the next
	// call.
	Play(clocks uint64, cycles int) (halves int, err error)
}

// Keeper is a device that stores states compactly, as differences from a snapshot.
type Keeper interface {
	// SaveSince returns the difference between the state and a snapshot, and the size of a whole snapshot in bytes.
	SaveSince(snapshot []byte) (difference []byte, bytes int, err error)

	// RestoreSince restores a state from a snapshot and the difference that SaveSince returned for it.
	RestoreSince(snapshot, difference []byte) error
}

// Port is a port of a device.
type Port struct {
	Name  string
	Bits  int // width, at least 1
	Input bool
	Clock bool // an input that Edge drives
	Word  int  // index of the first word in Inputs or Outputs; -1 for a clock

	// Edges marks an undeclared clock: an input without level-sensitive use. Icarus does not report such inputs.
	Edges bool `json:",omitempty"`

	// Parts are the named elements of a structure or array, at any depth.
	Parts []Part `json:",omitempty"`
}

// Part is a named part of a port: .valid, [3], [3].data.
type Part struct {
	Name      string // suffix to the name of the port
	Low, Bits int    // Low is the lowest bit of the part in the port
}

// Words returns the number of words of the port in Inputs or Outputs.
func (p Port) Words() int { return (p.Bits + 63) / 64 }

// ErrNoSnapshot is returned by Save and Restore if the backend cannot save its state.
var ErrNoSnapshot = errors.New("this backend cannot save its state")

// FaultKind classifies a fault of a circuit or its simulator.
type FaultKind string

// Kinds of faults.
const (
	FaultFinish      FaultKind = "finish"      // $finish or $stop
	FaultFatal       FaultKind = "fatal"       // $fatal, a failed assertion
	FaultOscillation FaultKind = "oscillation" // combinational logic does not settle
	FaultHang        FaultKind = "hang"        // an endless loop
	FaultDied        FaultKind = "died"        // the simulator ended unexpectedly
	FaultLimit       FaultKind = "limit"       // a value exceeds a limit of the pin map
)

// Checked is a device with limits on its values. After it has settled with reset off, Check returns a *Fault if a
// value exceeds a limit.
type Checked interface{ Check() error }

// Fault is a malfunction of the circuit or its simulator. The device cannot continue after it.
type Fault struct {
	Kind   FaultKind
	Device string // name of the build, such as arbiter.v: round_robin_arbiter
	Cycle  uint64 // number of clock edges so far
	Text   string
	Tool   string // name of a simulator that failed for its own reasons; see ToolError
}

// ToolError returns the error for a failed simulator.
func (f *Fault) ToolError() *ToolError {
	return &ToolError{
		Tool: f.Tool, Place: f.Device, Reason: fmt.Sprintf("%s in cycle %d: %s", f.Kind, f.Cycle, f.Text),
		Remedy: remedySimulator, Err: f,
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

// Rules define the legal inputs of a circuit, cycle by cycle from power-on.
type Rules interface {
	Meets(inputs []uint64) bool // reports whether inputs are legal in this cycle; may be called repeatedly
	Reset(inputs []uint64)      // asserts the resets
	Edge()                      // ends the cycle with the latest inputs passed to Meets
	Close() error
}

// KeptLog keeps the tail of a circuit's output.
type KeptLog []byte

// KeptLogBytes is the minimum length of the tail in bytes.
const KeptLogBytes = 64 << 10

func (l *KeptLog) Write(text []byte) (int, error) {
	*l = append(*l, text[max(0, len(text)-KeptLogBytes):]...)
	if len(*l) > 2*KeptLogBytes {
		*l = append((*l)[:0], (*l)[len(*l)-KeptLogBytes:]...)
	}
	return len(text), nil
}
