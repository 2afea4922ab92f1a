package cosim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// icarus is a Device that Icarus Verilog simulates in a process of its own, with
// four states. One exchange through shared memory per call; between two calls
// simulated time stands still.
type icarus struct {
	name    string
	folder  string // that it runs in and that Close deletes; "" for one that is gone
	design  *icarusDesign
	limit   time.Duration
	clocks  uint64 // bits that Edge may get
	process *icarusProcess
	log     sharedLog
	ports   []Port

	inputs, outputs, unknown                   []uint64 // ours: valid after Close too
	sharedInputs, sharedOutputs, sharedUnknown []uint64

	err error // what ended the device
}

// OpenIcarus compiles a source with iverilog and starts it in vvp. Registers are X
// until something gives them a value. A clock cycle is 200 or 300 time units of
// the top module, so delays in the RTL must stay below 100. What it prints goes to Log.
// $error ends it, as in the other backends.
//
// The simulation runs in an empty temporary folder with copies of the files of $readmem
// (Source.DataDir), so that $fopen and $dumpfile do not reach the user's. But Icarus is
// not a sandbox: a name that begins with / leads anywhere. Warnings lists such tasks.
//
// Errors: an *InputError for a missing tool, with its Debian package, for what
// iverilog refuses, with its place, and for ports that cannot be driven; a *Fault, if
// the circuit ends the simulation before the first cycle. Options.Seed has no effect
// here.
func OpenIcarus(source Source, options Options) (Device, error) {
	if err := source.check(); err != nil {
		return nil, err
	}
	if source.vhdl() {
		return nil, &InputError{Place: source.Files[0], Reason: "Icarus reads Verilog only", Remedy: "turn it into Verilog: `ghdl synth --std=08 --out=verilog`"}
	}
	source.Params = source.constants()
	d := &icarus{name: source.name(), limit: options.timeLimit(), clocks: 1<<len(source.Clocks) - 1}
	scratch, err := os.MkdirTemp("", "starloom-icarus-")
	if err != nil {
		return nil, fmt.Errorf("a place for the compiled design: %w", err)
	}
	if scratch, err = filepath.Abs(scratch); err != nil {
		return nil, err
	}
	d.folder = scratch
	if err := d.start(&source, scratch); err != nil {
		return nil, errors.Join(err, os.RemoveAll(scratch))
	}
	if err := d.greet(&source); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if !d.design.keeps() { // vvp has read its own files before it answers
		d.folder = ""
		err = os.RemoveAll(scratch)
	}
	return d, err
}

// start builds the simulation in scratch and starts it.
func (d *icarus) start(source *Source, scratch string) error {
	vvp, err := vvpTool.version(context.Background())
	if err != nil {
		return err
	}
	design := filepath.Join(scratch, "design.vvp")
	if err := compileIcarus(source, design); err != nil {
		return err
	}
	if d.design, err = readIcarusDesign(design); err != nil {
		return err
	}
	folder, err := d.design.furnish(source, scratch)
	if err != nil {
		return err
	}
	module, err := findIcarusModule(vvp, scratch)
	if err != nil {
		return err
	}
	memory, err := newIcarusMemory(source.Top, source.Clocks)
	if err != nil {
		return err
	}
	d.process, err = startIcarus(vvp.path, folder, design, module, memory, &d.log)
	if err != nil {
		memory.close()
		return fmt.Errorf("%s: starting %s: %w", d.name, vvp.path, err)
	}
	return nil
}

// greet takes the first reply: the ports, and the outputs with all inputs zero.
func (d *icarus) greet(source *Source) error {
	if err := d.settled(1); err != nil {
		return err
	}
	var err error
	if d.ports, err = icarusPorts(d.process.memory.report()); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	if err := placePorts(d.ports, source.Clocks); err != nil {
		return err
	}
	inputs, outputs := words(d.ports)
	d.inputs, d.outputs, d.unknown = make([]uint64, inputs), make([]uint64, outputs), make([]uint64, outputs)
	d.sharedInputs = d.process.memory.words(0, inputs)
	d.sharedOutputs = d.process.memory.words(inputs, outputs)
	d.sharedUnknown = d.process.memory.words(inputs+outputs, outputs)
	d.fetch()
	return nil
}

// icarusPorts reads the report of the module.
func icarusPorts(report string) ([]Port, error) {
	var ports []Port
	for line := range strings.Lines(report) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(fields) != 3 {
			return nil, fmt.Errorf("the simulator reports a port %q", line)
		}
		bits, err := strconv.Atoi(fields[1])
		if err != nil || bits < 1 {
			return nil, fmt.Errorf("the simulator reports a port %q", line)
		}
		ports = append(ports, Port{Name: fields[2], Bits: bits, Input: fields[0] == "i"})
	}
	return ports, nil
}

func (d *icarus) Ports() []Port     { return d.ports }
func (d *icarus) Inputs() []uint64  { return d.inputs }
func (d *icarus) Outputs() []uint64 { return d.outputs }
func (d *icarus) Unknown() []uint64 { return d.unknown }

// Log returns the end of what the simulation has printed, at least 64 KiB of it.
func (d *icarus) Log() string { return d.log.String() }

// Warnings returns the system tasks of the design that reach files or programs.
func (d *icarus) Warnings() []Warning { return d.design.warnings }

func (d *icarus) Settle() error { return d.exchange(icarusSettle, 0, 0) }

func (d *icarus) Edge(clocks uint64) error { return d.exchange(icarusEdge, clocks, 1) }

func (d *icarus) Step(clocks uint64, cycles int) error {
	if cycles <= 0 {
		return d.err
	}
	return d.exchange(icarusEdge, clocks, uint64(cycles))
}

func (d *icarus) exchange(op icarusOp, clocks, count uint64) error {
	if d.err != nil {
		return d.err
	}
	if clocks&^d.clocks != 0 {
		return fmt.Errorf("%s: clocks %#b: the device has clocks %#b", d.name, clocks, d.clocks)
	}
	copy(d.sharedInputs, d.inputs)
	if err := d.settled(d.process.memory.post(op, clocks, count)); err != nil {
		return err
	}
	d.fetch()
	return nil
}

func (d *icarus) fetch() {
	copy(d.outputs, d.sharedOutputs)
	copy(d.unknown, d.sharedUnknown)
}

// settled waits for the reply to a command. The end of the time limit is for finding
// out why there is none.
func (d *icarus) settled(number uint32) error {
	inquest := max(d.limit/10, min(d.limit/2, time.Second))
	answer := d.process.await(number, d.limit-inquest)
	if answer == icarusReplied && d.process.memory.status == icarusOK {
		return nil
	}
	if answer == icarusSilent {
		d.process.interrupt()
		answer = d.process.await(number, inquest)
	}
	d.err = d.autopsy(answer)
	return d.err
}

// autopsy ends the simulation and says what became of it.
func (d *icarus) autopsy(answer icarusAnswer) error {
	memory := d.process.memory
	late := answer == icarusReplied && memory.status == icarusOK
	if late || answer == icarusSilent {
		d.process.end(0)
		return d.toolFault(FaultHang, fmt.Sprintf("no answer within %v; the simulator was killed", d.limit))
	}
	d.process.end(min(d.limit, time.Second))
	said := d.log.String()
	switch {
	case answer == icarusGone:
		return d.toolFault(FaultDied, oneLineOf(fmt.Appendf(nil, "%v\n%s", d.process.err, lastLines(said, 3))))
	case memory.status == icarusRefused:
		return &InputError{Place: d.name, Reason: memory.report(), Remedy: "put the module into another one that has inputs and outputs of bits only"}
	case memory.status == icarusOscillates:
		return d.fault(FaultOscillation, fmt.Sprintf("logic without delay does not settle within %v", d.limit))
	case memory.status == icarusEndless:
		return d.fault(FaultHang, fmt.Sprintf("a process loops without delay; stopped after %v", d.limit))
	default:
		if at := strings.LastIndex(said, "FATAL: "); at >= 0 && d.process.cmd.ProcessState.ExitCode() == 1 {
			return d.fault(FaultFatal, oneLineOf([]byte(said[at+len("FATAL: "):])))
		}
		return d.fault(FaultFinish, lastLines(said, 3))
	}
}

func (d *icarus) fault(kind FaultKind, text string) error {
	return &Fault{Kind: kind, Device: d.name, Cycle: d.process.memory.cycles.Load(), Text: text}
}

// toolFault is one that the simulator is to blame for.
func (d *icarus) toolFault(kind FaultKind, text string) error {
	return &Fault{Kind: kind, Device: d.name, Cycle: d.process.memory.cycles.Load(), Text: text, Tool: vvpTool.command}
}

func (d *icarus) Save() ([]byte, error) { return nil, ErrNoSnapshot }

func (d *icarus) Restore([]byte) error { return ErrNoSnapshot }

// Close lets the simulation end as if by $finish, so that its files are complete.
func (d *icarus) Close() error {
	if d.process == nil {
		return nil
	}
	if d.err == nil {
		d.process.memory.post(icarusClose, 0, 0)
		d.process.end(min(d.limit, 2*time.Second))
		d.err = fmt.Errorf("%s: the device is closed", d.name)
	}
	d.process.end(0)
	d.process.memory.close()
	d.process = nil
	d.sharedInputs, d.sharedOutputs, d.sharedUnknown = nil, nil, nil
	if d.folder == "" {
		return nil
	}
	return os.RemoveAll(d.folder)
}
