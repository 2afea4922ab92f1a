package icarus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"starloom/cosim"
)

// device is a four-state Device that Icarus Verilog simulates in a separate process. Each call is one exchange
// through shared memory; simulated time stops between calls.
type device struct {
	name    string
	folder  string // working folder, which Close deletes; "" after the deletion
	design  *systemTasks
	limit   time.Duration
	clocks  uint64
	process *process
	log     sharedLog
	ports   []cosim.Port

	inputs, outputs, unknown                   []uint64 // copies that stay valid after Close
	sharedInputs, sharedOutputs, sharedUnknown []uint64

	trace *os.File
	shown io.Writer

	waited string // time limit of the simulator at its interruption, for a message
	err    error
}

// Open compiles a source with iverilog and starts it in vvp. Registers are X until they are assigned. A clock cycle
// takes 200 or 300 time units of the top module, so that delays in the RTL must stay below 100. The design's output
// goes to Log. $error ends the simulation, as in the other backends.
//
// The simulation runs in an empty temporary folder with copies of its $readmem files (Source.DataDir). Therefore
// $fopen and $dumpfile cannot reach the user's files by relative names. Icarus is not a sandbox: the simulation can
// open absolute names. Warnings lists tasks with file access.
//
// Open returns an *InputError for a missing tool, with its Debian package; for a source that iverilog rejects, with
// its place; and for ports that cannot be driven. It returns a *Fault if the circuit ends the simulation before the
// first cycle. Options.Seed is ignored.
func Open(source cosim.Source, options cosim.Options) (cosim.Device, error) {
	return OpenSeeing(source, options, cosim.Seeing{})
}

// OpenSeeing is Open for a device that can expose its internals.
func OpenSeeing(source cosim.Source, options cosim.Options, seeing cosim.Seeing) (cosim.Device, error) {
	if err := source.Check(); err != nil {
		return nil, err
	}
	if source.VHDL() {
		return nil, &cosim.InputError{
			Place:  source.Files[0],
			Reason: "Icarus reads Verilog only",
			Remedy: "turn it into Verilog: `ghdl synth --std=08 --out=verilog`",
		}
	}
	for name := range source.Types() {
		return nil, &cosim.InputError{
			Place: "--param", Reason: fmt.Sprintf("parameter %s is a type, which Icarus does not read", name),
			Remedy: "use backend: wasm",
		}
	}
	source.Params = source.Constants()
	d := &device{name: source.Name(), limit: options.Limit(), clocks: 1<<len(source.Clocks) - 1}
	scratch, err := os.MkdirTemp("", "starloom-icarus-")
	if err != nil {
		return nil, fmt.Errorf("a place for the compiled design: %w", err)
	}
	if scratch, err = filepath.Abs(scratch); err != nil {
		return nil, err
	}
	d.folder = scratch
	if seeing.Internals {
		if d.trace, err = traceFile(scratch); err != nil {
			return nil, errors.Join(err, os.RemoveAll(scratch))
		}
	}
	if err := d.start(&source, scratch); err != nil {
		return nil, errors.Join(err, os.RemoveAll(scratch))
	}
	if err := d.greet(&source); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if !d.design.keeps() { // vvp has read the $readmem files before its first answer
		d.folder = ""
		err = os.RemoveAll(scratch)
	}
	return d, err
}

func (d *device) start(source *cosim.Source, scratch string) error {
	vvp, err := vvpTool.Version(context.Background())
	if err != nil {
		return err
	}
	design := filepath.Join(scratch, "design.vvp")
	if err := compile(source, design); err != nil {
		return err
	}
	if d.design, err = readDesign(design); err != nil {
		return err
	}
	folder, err := d.design.furnish(source, scratch)
	if err != nil {
		return err
	}
	module, err := findModule(vvp, scratch)
	if err != nil {
		return err
	}
	memory, err := newMemory(source.Top, source.Clocks)
	if err != nil {
		return err
	}
	d.process, err = startProcess(vvp.Path, folder, design, module, memory, d.trace, &d.log)
	if err != nil {
		memory.close()
		return fmt.Errorf("%s: starting %s: %w", d.name, vvp.Path, err)
	}
	return nil
}

// greet handles the first reply: the ports, and the outputs with all inputs 0.
func (d *device) greet(source *cosim.Source) error {
	if err := d.settled(1); err != nil {
		return err
	}
	var err error
	if d.ports, err = readPorts(d.process.memory.report()); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	if err := cosim.PlacePorts(d.ports, source.Clocks); err != nil {
		return err
	}
	inputs, outputs := cosim.Words(d.ports)
	d.inputs, d.outputs, d.unknown = make([]uint64, inputs), make([]uint64, outputs), make([]uint64, outputs)
	d.sharedInputs = d.process.memory.words(0, inputs)
	d.sharedOutputs = d.process.memory.words(inputs, outputs)
	d.sharedUnknown = d.process.memory.words(inputs+outputs, outputs)
	d.fetch()
	return nil
}

func readPorts(report string) ([]cosim.Port, error) {
	var ports []cosim.Port
	for line := range strings.Lines(report) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(fields) != 3 {
			return nil, fmt.Errorf("the simulator reports a port %q", line)
		}
		bits, err := strconv.Atoi(fields[1])
		if err != nil || bits < 1 {
			return nil, fmt.Errorf("the simulator reports a port %q", line)
		}
		ports = append(ports, cosim.Port{Name: fields[2], Bits: bits, Input: fields[0] == "i"})
	}
	return ports, nil
}

func (d *device) Ports() []cosim.Port { return d.ports }
func (d *device) Inputs() []uint64    { return d.inputs }
func (d *device) Outputs() []uint64   { return d.outputs }
func (d *device) Unknown() []uint64   { return d.unknown }

// Log returns the tail of the simulation's output, at least 64 KiB.
func (d *device) Log() string { return d.log.String() }

func (d *device) Warnings() []cosim.Warning { return d.design.warnings }

func (d *device) Settle() error { return d.exchange(opSettle, 0, 0) }

func (d *device) Edge(clocks uint64) error { return d.exchange(opEdge, clocks, 1) }

func (d *device) Step(clocks uint64, cycles int) error {
	if cycles <= 0 {
		return d.err
	}
	return d.exchange(opEdge, clocks, uint64(cycles))
}

func (d *device) exchange(op op, clocks, count uint64) error {
	if d.err != nil {
		return d.err
	}
	if clocks&^d.clocks != 0 {
		return fmt.Errorf("%s: clocks %#b, but the device has clocks %#b", d.name, clocks, d.clocks)
	}
	copy(d.sharedInputs, d.inputs)
	if err := d.settled(d.process.memory.post(op, clocks, count)); err != nil {
		return err
	}
	d.fetch()
	return nil
}

func (d *device) fetch() {
	copy(d.outputs, d.sharedOutputs)
	copy(d.unknown, d.sharedUnknown)
}

// Limits of the simulator's processor time per cycle. The first cycle, in which initial blocks fill memories, is
// exempt. A slow machine is slow in all cycles, so the limit of a cycle is 1000 times the processor time of the
// slowest cycle so far.
const (
	hangProcessorTime = 3 * time.Second
	hangFactor        = 1000
)

// settled waits for the reply to a command. It reserves the last part of the time limit for finding the cause of a
// hang.
func (d *device) settled(number uint32) error {
	inquest := max(d.limit/10, min(d.limit/2, time.Second))
	most := d.patience(number, inquest)
	answer := d.process.await(number, most)
	if answer == answerReplied && d.process.memory.status == statusOK {
		return nil
	}
	if answer == answerSilent || answer == answerSpent {
		d.waited = d.limit.String()
		if answer == answerSpent {
			d.waited = fmt.Sprintf("at least %v of processor time", min(d.limit, hangProcessorTime))
		}
		d.process.interrupt()
		answer = d.process.await(number, patience{inquest, d.limit})
	}
	d.err = d.autopsy(answer)
	return d.err
}

func (d *device) patience(number uint32, inquest time.Duration) patience {
	most := patience{d.limit - inquest, d.limit - inquest}
	if number > 1 {
		most.processor = min(most.processor, max(hangProcessorTime, hangFactor*d.process.slowest))
	}
	return most
}

func (d *device) autopsy(answer answer) error {
	memory := d.process.memory
	late := answer == answerReplied && memory.status == statusOK
	if late || answer == answerSilent {
		d.process.end(0)
		return d.toolFault(cosim.FaultHang, fmt.Sprintf("no answer within %s; the simulator was killed", d.waited))
	}
	d.process.end(min(d.limit, time.Second))
	said := d.log.String()
	switch {
	case answer == answerGone:
		return d.toolFault(cosim.FaultDied, cosim.OneLine(fmt.Appendf(nil, "%v\n%s", d.process.err, lastLines(said, 3))))
	case memory.status == statusRefused:
		return &cosim.InputError{
			Place:  d.name,
			Reason: memory.report(),
			Remedy: "wrap the module in another module whose inputs and outputs are bits only",
		}
	case memory.status == statusOscillates:
		return d.fault(cosim.FaultOscillation, fmt.Sprintf("logic without delay does not settle within %s", d.waited))
	case memory.status == statusEndless:
		return d.fault(cosim.FaultHang, fmt.Sprintf("a process loops without delay; stopped after %s", d.waited))
	default:
		if at := strings.LastIndex(said, "FATAL: "); at >= 0 && d.process.cmd.ProcessState.ExitCode() == 1 {
			return d.fault(cosim.FaultFatal, cosim.OneLine([]byte(said[at+len("FATAL: "):])))
		}
		return d.fault(cosim.FaultFinish, lastLines(said, 3))
	}
}

func (d *device) fault(kind cosim.FaultKind, text string) error {
	return &cosim.Fault{Kind: kind, Device: d.name, Cycle: d.process.memory.cycles.Load(), Text: text}
}

func (d *device) toolFault(kind cosim.FaultKind, text string) error {
	return &cosim.Fault{Kind: kind, Device: d.name, Cycle: d.process.memory.cycles.Load(),
		Text: text, Tool: vvpTool.Command}
}

func (d *device) Save() ([]byte, error) { return nil, cosim.ErrNoSnapshot }

func (d *device) Restore([]byte) error { return cosim.ErrNoSnapshot }

// Close ends the simulation as $finish does, so that its files are complete.
func (d *device) Close() error {
	if d.process == nil {
		return nil
	}
	if d.trace != nil {
		_ = d.trace.Close()
	}
	if d.err == nil {
		d.process.memory.post(opClose, 0, 0)
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
