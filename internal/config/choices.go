package config

import _ "embed"

// choicesSource is this file, whose comments describe keys of a scenario.
//
//go:embed choices.go
var choicesSource string

// Choices fixes what seeds and networks otherwise decide: a counterexample of an exploration needs them. In a
// scenario, they are under the key choices.
type Choices struct {
	// outcomes of random draws; all other draws follow the seed
	Draws []ChosenDraws `json:"draws,omitempty" jsonschema:"minItems=1"`
	// first turns of round-robin arbiters; all others start with requester 0
	ArbiterStart []ArbiterStart `json:"arbiter_start,omitempty" jsonschema:"minItems=1"`
	// slots of packets of the workload's file, in place of those in the file
	Arrivals []ChosenArrival `json:"arrivals,omitempty" jsonschema:"minItems=1"`
}

func (Choices) Declaration() string { return choicesSource }

// ArbiterStart is the requester that has the first turn at a round-robin arbiter.
type ArbiterStart struct {
	// path of the arbiter, such as bus.bus.arbiter, or bus.bus[1].arbiter if the network has several
	Arbiter string `json:"arbiter" jsonschema:"required,minLength=1"`
	// requester with the highest priority in the first arbitration
	First uint32 `json:"first" jsonschema:"required,minimum=0"`
}

func (ArbiterStart) Declaration() string { return choicesSource }

// ChosenArrival is the slot in which a packet of a file is created.
type ChosenArrival struct {
	// id of the packet: its field in the column id or pid, otherwise its row, from 0
	Packet uint64 `json:"packet" jsonschema:"required,minimum=0"`
	// slot or tick whose first cycle creates the packet
	Slot uint32 `json:"slot" jsonschema:"required,minimum=0"`
}

func (ChosenArrival) Declaration() string { return choicesSource }

// ChosenDraws are outcomes of the draws of one processor in one slot.
type ChosenDraws struct {
	// number of the processor
	Processor int `json:"processor" jsonschema:"required,minimum=0"`
	// slot whose handler draws
	Slot uint32 `json:"slot" jsonschema:"required,minimum=0"`
	// outcomes of the first draws that have several, in their order: of sl_chance 0 or 1, else the number
	Outcomes []uint32 `json:"outcomes" jsonschema:"required,minItems=1"`
}

func (ChosenDraws) Declaration() string { return choicesSource }
