package emulator

import (
	"fmt"
	"runtime"

	"starloom/fabric"
	"starloom/fabric/wired"
	"starloom/firmware"
	"starloom/hw"
	"starloom/internal/rtl"
	"starloom/traces/input"
)

// All engines produce the same frames, metrics and digest. EngineAuto selects EngineCycle for waveforms, RTL and
// routers, otherwise EngineSlot.
const (
	EngineAuto  = "auto"  // chooses by scenario
	EngineCycle = "cycle" // steps all hardware cycle by cycle
	EngineSlot  = "slot"  // computes a slot at a time
)

// Options select the execution of a machine. They do not change results.
type Options struct {
	Engine    string // EngineAuto (also ""), EngineCycle or EngineSlot
	Workers   int    // number of threads; 0 selects one, or all cores for large machines; with RTL always one
	BankSize  int    // number of processors per bank, rounded up to whole units of the network; 0 selects it by size
	Runtime   string // "compiler" (also ""), "interpreter", or "native" for the Go version of a built-in program
	Packets   bool   // keep all packets of traffic, for Machine.WritePackets
	RunTable  bool   // keep senders and receivers of each slot
	Watched   bool   // single cycles are observed: EngineAuto chooses EngineCycle
	Latencies bool   // frames are tracked from queue to receiver, for a picture
	Audit     bool   // claims of built-in programs are also checked against the programs' frames

	Spares bool // no_loss ignores frames destroyed by faults

	Parks bool // park processors regardless of their memory

	Replay int // 1 + number of the replayed processor; 0 for none

	Probes []string // patterns of state variables in waveforms

	HandlersWatched bool // every instance is a firmware.Watched
	HandlersCovered bool // record branches and comparisons
	HandlerTicks    int  // see firmware.Host.Limit

	Draws *DrawScript // chooses the draws of an exploration

	RTL rtl.InPlace // replacement of RTL

	Debugger firmware.Debugger // follows processors with programs for RISC-V; nil for none
}

// ParallelProcessorsMin is the minimum number of processors for which several workers are faster than one.
const ParallelProcessorsMin = 16 << 10

// A default bank contains several thousand processors in whole units, which hear adjacent media.
const (
	bankProcessorsMin = 4 << 10
	bankProcessorsMax = 64 << 10
	bankUnits         = 16
)

// NoSlots returns an error if EngineSlot cannot run a network. rtl means that the machine has RTL.
func NoSlots(n fabric.Network, rtl bool) error {
	switch {
	case fabric.RoutersOf(n) != nil:
		return &input.Error{Place: "--engine slot", Reason: "routers pass flits in any cycle, without slots",
			Remedy: "use --engine cycle or auto"}
	case rtl:
		return input.Mistake("--engine slot", "RTL is clocked in every cycle, but this engine has no cycles",
			"use --engine cycle or auto, or delete the key rtl")
	}
	return nil
}

// choose sets open options for a network and returns the network's shape in the engine. rtl means that the machine
// has RTL.
func (o *Options) choose(n fabric.Network, rtl bool) (shape fabric.Shape, err error) {
	switch o.Engine {
	case "", EngineAuto:
		o.Engine = EngineSlot
		if o.Watched || NoSlots(n, rtl) != nil {
			o.Engine = EngineCycle
		}
	case EngineSlot:
		if err := NoSlots(n, rtl); err != nil {
			return shape, err
		}
	case EngineCycle:
	default:
		return shape,
			&input.Error{Place: "--engine", Reason: fmt.Sprintf("there is no engine %q", o.Engine),
				Remedy: "choose one of auto, cycle, slot"}
	}
	if shape = n.Shape(); o.Engine == EngineSlot {
		shape = wired.ShapeOf(n)
	}
	if rtl {
		o.Workers, o.BankSize = 1, shape.Processors() // one goroutine owns a device
	}
	if o.Workers <= 0 {
		o.Workers = 1
		if shape.Processors() >= ParallelProcessorsMin {
			o.Workers = runtime.GOMAXPROCS(0)
		}
	}
	o.Workers = min(o.Workers, hw.WorkersMax)
	if o.BankSize <= 0 {
		o.BankSize = min(max(bankProcessorsMin, bankUnits*shape.PerUnit), bankProcessorsMax)
	}
	return shape, nil
}
