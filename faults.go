package starloom

import (
	_ "embed"
)

// faultsSource is this file, whose comments describe keys of a scenario.
//
//go:embed faults.go
var faultsSource string

// Faults are what goes wrong in a run beside the firmware. They are a function of the seed, the
// target's number and the slot: whatever executes the machine, the same happens.
type Faults struct {
	// faults and when they happen
	Schedule []Fault `json:"schedule,omitempty" jsonschema:"minItems=1"`
	// one more fault that may happen to any of its targets in any slot; with --seeds the statistics have a
	// survival curve
	Random *RandomFault `json:"random,omitempty"`
}

// Declaration implements strict.Commented: comments say what its keys are.
func (Faults) Declaration() string { return faultsSource }

// Fault is one of a schedule. Of a processor, slot t begins with the handlers of slot t; of a
// medium, it is the slot in which frames cross.
type Fault struct {
	// of processors: dead (from a slot on), restart (NIC and firmware are reset), clock_pause (the handler is
	// not called), buffers (smaller FIFOs); of media: drop (what is on it does not arrive), bit_flip (arrives
	// with a wrong CRC), stuck (dark)
	Kind string `json:"kind" jsonschema:"required,enum=dead,enum=restart,enum=clock_pause,enum=buffers,enum=drop,enum=bit_flip,enum=stuck"`
	// globs over the paths of processors such as *.group[0].nic[*], or of media; all if left out
	Targets []string `json:"targets,omitempty" jsonschema:"minItems=1"`
	// when it happens; in every slot if left out
	Slots *FaultSlots `json:"slots,omitempty"`
	// with which it happens to a target in a slot
	Probability *float64 `json:"probability,omitempty" jsonschema:"default=1,minimum=0,maximum=1"`
	// buffers: depth of the receive FIFO, as nic.rx_frames or less
	RXFrames int `json:"rx_frames,omitempty" jsonschema:"minimum=1,maximum=255"`
	// buffers: depth of the transmit FIFO, as nic.tx_frames or less
	TXFrames int `json:"tx_frames,omitempty" jsonschema:"minimum=1,maximum=255"`
}

// Declaration implements strict.Commented: comments say what its keys are.
func (Fault) Declaration() string { return faultsSource }

// FaultSlots are those of List, or every Every-th one from From to To.
type FaultSlots struct {
	// slots
	List []uint32 `json:"list,omitempty" jsonschema:"minItems=1"`
	// first slot
	From uint32 `json:"from,omitempty" jsonschema:"default=0"`
	// last slot; 0 is the end of the run
	To uint32 `json:"to,omitempty" jsonschema:"default=0"`
	// 1: every slot from the first to the last; 2: every other one; and so on
	Every uint32 `json:"every,omitempty" jsonschema:"default=1,minimum=1"`
}

// Declaration implements strict.Commented: comments say what its keys are.
func (FaultSlots) Declaration() string { return faultsSource }

// RandomFault is a fault that happens with a probability of Rate to every target in every slot. Runs of
// many seeds may have several Rates, one after another.
type RandomFault struct {
	// as in schedule
	Kind string `json:"kind" jsonschema:"required,enum=dead,enum=restart,enum=clock_pause,enum=drop,enum=bit_flip"`
	// probability for each target in each slot
	Rate *float64 `json:"rate,omitempty" jsonschema:"minimum=0,maximum=1"`
	// rates, in ascending order: with --seeds every seed is run with each of them, and the survival curve is
	// over them
	Rates []float64 `json:"rates,omitempty" jsonschema:"minItems=1"`
	// as in schedule
	Targets []string `json:"targets,omitempty" jsonschema:"minItems=1"`
}

// Declaration implements strict.Commented: comments say what its keys are.
func (RandomFault) Declaration() string { return faultsSource }
