package starloom

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/internal/strict"
	"starloom/traces/input"
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

// all lists the faults with where each stands; the random one is the last.
func (f *Faults) all() (faults []Fault, paths []string) {
	for i := range f.Schedule {
		faults, paths = append(faults, f.Schedule[i]), append(paths, fmt.Sprintf("faults.schedule[%d]", i))
	}
	if r := f.Random; r != nil {
		faults, paths = append(faults, Fault{Kind: r.Kind, Targets: r.Targets, Probability: r.Rate}), append(paths, "faults.random")
	}
	return faults, paths
}

// checkFaults refuses what a fault of its kind cannot have. Its targets are known when a machine
// is built.
func (s *Scenario) checkFaults() error {
	if s.Faults == nil {
		return nil
	}
	faults, paths := s.Faults.all()
	if len(faults) == 0 {
		return s.refuse("faults", "faults has neither schedule nor random", "give one, or delete the key")
	}
	if len(faults) > fabric.FaultsMax {
		return s.refuse("faults.schedule", fmt.Sprintf("there are %d faults", len(faults)), fmt.Sprintf("give at most %d; one fault may have many targets and slots", fabric.FaultsMax))
	}
	if err := s.checkRates(); err != nil {
		return err
	}
	for i := range faults {
		if err := s.checkFault(&faults[i], paths[i]); err != nil {
			return err
		}
	}
	return nil
}

// ratesMax is the most rates of a survival curve.
const ratesMax = 64

// checkRates refuses a random fault without a rate, and rates that are no curve.
func (s *Scenario) checkRates() error {
	r := s.Faults.Random
	if r == nil {
		return nil
	}
	const at = "faults.random.rates"
	switch {
	case r.Rate == nil && r.Rates == nil:
		return s.refuse("faults.random", "random has neither rate nor rates", "give a rate, 0 to 1")
	case r.Rate != nil && r.Rates != nil:
		return s.refuse(at, "random has both rate and rates", "delete one")
	case len(r.Rates) > ratesMax:
		return s.refuse(at, fmt.Sprintf("there are %d rates", len(r.Rates)), fmt.Sprintf("give at most %d", ratesMax))
	}
	for i, rate := range r.Rates {
		switch at := hw.Index(at, i); {
		case math.IsNaN(rate) || rate < 0 || rate > 1:
			return s.refuse(at, fmt.Sprintf("a probability of %v", rate), "allowed are 0 to 1")
		case i > 0 && rate <= r.Rates[i-1]:
			return s.refuse(at, fmt.Sprintf("%v follows %v", rate, r.Rates[i-1]), "write each rate once, in ascending order")
		}
	}
	return nil
}

func (s *Scenario) checkFault(f *Fault, at string) error {
	kind := slices.Index(fabric.FaultNames[:], f.Kind)
	if kind < 0 {
		return s.refuse(at+".kind", fmt.Sprintf("unknown fault %q", strict.Clip(f.Kind)), input.DidYouMean(f.Kind, fabric.FaultNames[:], "known are "+strings.Join(fabric.FaultNames[:], ", ")))
	}
	for k, glob := range f.Targets {
		if _, err := hw.CompilePattern(glob); err != nil {
			return s.refuse(fmt.Sprintf("%s.targets[%d]", at, k), fmt.Sprintf("%q is not a glob: %v", strict.Clip(glob), err), "write a path in which * stands for any text, [*] for any index and ** for any parts")
		}
	}
	if p := f.Probability; p != nil && (math.IsNaN(*p) || *p < 0 || *p > 1) {
		key := ".probability"
		if at == "faults.random" {
			key = ".rate"
		}
		return s.refuse(at+key, fmt.Sprintf("a probability of %v", *p), "allowed are 0 to 1")
	}
	buffers := fabric.FaultKind(kind) == fabric.FaultBuffers
	switch {
	case f.Slots != nil && f.Slots.List != nil && (f.Slots.From != 0 || f.Slots.To != 0 || f.Slots.Every != 0):
		return s.refuse(at+".slots", "slots has both a list and from, to or every", "delete one")
	case f.Slots != nil && f.Slots.To != 0 && f.Slots.To < f.Slots.From:
		return s.refuse(at+".slots.to", fmt.Sprintf("the last slot is %d, and the first one is %d", f.Slots.To, f.Slots.From), "exchange them")
	case f.Probability != nil && fabric.FaultKind(kind) == fabric.FaultStuck:
		return s.refuse(at+".probability", "a medium that is stuck is dark in each of its slots", "delete the key, or write kind: drop")
	case !buffers && (f.RXFrames != 0 || f.TXFrames != 0):
		return s.refuse(at, "rx_frames and tx_frames are for kind: buffers", "delete them")
	case buffers && f.RXFrames == 0 && f.TXFrames == 0:
		return s.refuse(at, "buffers has neither rx_frames nor tx_frames", "give one")
	case buffers && (f.Slots != nil || f.Probability != nil):
		return s.refuse(at, "buffers are smaller for the whole run", "delete slots and probability")
	}
	return nil
}

// checkDepths refuses buffers that are larger than those of the others, once these are known.
func (s *Scenario) checkDepths(f *Fault, at string) error {
	for _, fifo := range []struct {
		key           string
		frames, limit int
	}{{"rx_frames", f.RXFrames, s.NIC.RXFrames}, {"tx_frames", f.TXFrames, s.NIC.TXFrames}} {
		if fifo.frames < 0 || fifo.frames > fifo.limit {
			return s.refuse(at+"."+fifo.key, fmt.Sprintf("%s is %d, nic.%s is %d", fifo.key, fifo.frames, fifo.key, fifo.limit), "give a smaller FIFO than that of the others")
		}
	}
	return nil
}
