package emulator

import (
	"fmt"
	"runtime"

	"starloom/fabric"
	"starloom/fabric/wired"
	"starloom/hw"
	"starloom/internal/rtl"
	"starloom/traces/input"
)

// The engines. Both give the same frames, metrics and digest; EngineAuto takes
// EngineCycle when a waveform is wanted, EngineSlot otherwise.
const (
	EngineAuto  = "auto"  // one of the others
	EngineCycle = "cycle" // steps all hardware cycle by cycle
	EngineSlot  = "slot"  // works out what a slot does
)

// Options say how a machine is executed. None of them changes a result.
type Options struct {
	Engine    string // EngineAuto (also ""), EngineCycle or EngineSlot
	Workers   int    // threads; 0: one, or all cores for large machines; one with RTL
	BankSize  int    // processors per bank, rounded up to whole units of the network; 0: by size
	Runtime   string // "compiler" (also ""), "interpreter", or "native" for the Go form of a built-in program
	Packets   bool   // keep all packets of traffic, for Machine.WritePackets
	RunTable  bool   // keeps who sent to whom in each slot
	Watched   bool   // someone looks at single cycles: EngineAuto takes EngineCycle
	Latencies bool   // someone follows frames from their queues to receivers, for a picture
	Audit     bool   // hold built-in programs, too, to what their frames show

	Parks bool // park processors, whatever they take

	Replay int // number of the processor that is replayed, plus 1; 0: none

	HandlersWatched bool // every instance is a firmware.Watched
	HandlersCovered bool // and notes branches and comparisons
	HandlerTicks    int  // of firmware.Host.Limit

	RTL rtl.InPlace // what stands in the place of RTL
}

// ParallelProcessorsMin is the size of a network from which more workers pay.
const ParallelProcessorsMin = 16 << 10

// A default bank has some thousand processors, and some units, which then hear
// media that lie side by side.
const (
	bankProcessorsMin = 4 << 10
	bankProcessorsMax = 64 << 10
	bankUnits         = 16
)

// NoSlots is why EngineSlot does not run a network, some of which may be RTL; nil if it does.
func NoSlots(n fabric.Network, rtl bool) error {
	switch {
	case fabric.RoutersOf(n) != nil:
		return &input.Error{Place: "--engine slot", Reason: "routers pass flits in any cycle, and have no slots", Remedy: "take --engine cycle or auto"}
	case rtl:
		return input.Mistake("--engine slot", "RTL is clocked in every cycle, and this engine has no cycles",
			"use --engine cycle or auto, or delete the key rtl")
	}
	return nil
}

// choose resolves open options for a network, with RTL or without, and returns its shape in the engine.
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
		return shape, &input.Error{Place: "--engine", Reason: fmt.Sprintf("there is no engine %q", o.Engine), Remedy: "choose one of auto, cycle, slot"}
	}
	if shape = n.Shape(); o.Engine == EngineSlot {
		shape = wired.ShapeOf(n)
	}
	if rtl {
		o.Workers, o.BankSize = 1, shape.Processors() // a device belongs to one goroutine
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
