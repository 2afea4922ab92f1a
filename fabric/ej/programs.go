package ej

import (
	"fmt"
	"math"
	"slices"

	"starloom/fabric"
	"starloom/fabric/ej/eisenstein"
	"starloom/fabric/traffic"
	"starloom/nic"
)

const (
	previousProgram   = "ej/previous"
	improvedProgram   = "ej/improved"
	misprintedProgram = "ej/misprinted"
	generalProgram    = "ej/general"
	allToAllProgram   = "ej/all-to-all"
	allToAllC1Program = "ej/all-to-all-c1"
	allToAllC2Program = "ej/all-to-all-c2"
	trafficProgram    = "ej/traffic"
)

var onlySuccessors = []string{previousProgram, improvedProgram, misprintedProgram, allToAllProgram, allToAllC1Program}

// Bytes of a packet: 8 with one source; 12 with many sources, because the packet names its source; 10 on oriented
// links, which need no step and phase.
const (
	oneToAllBytes   = 8
	allToAllBytes   = 12
	allToAllC2Bytes = 10
)

func packetBytes(p *fabric.Program) int {
	switch {
	case p == nil:
		return allToAllBytes
	case p.Name == allToAllC2Program:
		return allToAllC2Bytes
	case p.Name == allToAllProgram || p.Name == allToAllC1Program:
		return allToAllBytes
	}
	return oneToAllBytes
}

const phases = 3

// Programs implements fabric.Network. A step is a slot.
func (e Network) Programs() []fabric.Program {
	var once fabric.Rules
	once.ExactlyOnce = true
	if e.Duplex != DuplexFull {
		once.CollisionFree = &fabric.CollisionFree{Period: 1, Slots: []int{1}}
	}
	timed := once
	timed.ReceiveStep = true
	one, all := []string{fabric.WorkloadOneToAll}, []string{fabric.WorkloadAllToAll}
	steps := e.Dimensions * e.diameter()
	needs := func(program string, steps, packets int) fabric.Needs {
		size := packetBytes(&fabric.Program{Name: program})
		return fabric.Needs{Sizes: nic.Sizes{PayloadBytes: min(packets*size, nic.PayloadBytesMax/size*size),
			RxFrames: 1, TxFrames: 1},
			Slots: uint32(min(steps, math.MaxUint32))}
	}
	broadcast := func(name string, rules fabric.Rules) fabric.Program {
		return fabric.Program{Name: name, SlotsPerStep: 1, Rules: rules, Workloads: one, Needs: needs(name, steps+2, 1)}
	}
	misprinted := broadcast(misprintedProgram, timed)
	misprinted.Needs.TxFrames = misprintedTxFrames // a node told twice sends twice
	c2 := fabric.Program{Name: allToAllC2Program, SlotsPerStep: 1, Rules: timed, Workloads: all,
		Params: []fabric.Choice{{Name: "rotate", Values: []int64{0, 1}}}}
	c2.Needs = needs(allToAllC2Program, e.Dimensions*e.directed()+2, e.mostPackets(allToAllC2Program))
	if e.PacketsPerLink > 0 {
		c2.Rules = once
		c2.Needs.Slots = uint32(min(2*e.nodes(), math.MaxUint32))
	}
	return []fabric.Program{
		broadcast(previousProgram, timed),
		broadcast(improvedProgram, timed),
		misprinted,
		broadcast(generalProgram, timed),
		{Name: allToAllProgram, SlotsPerStep: 1, Rules: once, Workloads: all,
			Params: []fabric.Choice{{Name: "reading", Values: []int64{readingA, readingB}}},
			Needs:  needs(allToAllProgram, phases*steps+2, e.mostPackets(allToAllProgram)),
			Note:   e.incomplete(), Instead: e.complete()},
		{Name: allToAllC1Program, SlotsPerStep: 1, Rules: once, Workloads: all,
			Needs: needs(allToAllC1Program, phases*steps+2, e.mostPackets(allToAllC1Program))},
		c2,
		e.traffic(),
	}
}

// queueFramesMax limits the queue of a port in ej/traffic, so that the state of a node with all its ports is at most
// 1 MiB.
const queueFramesMax = 512

func (e Network) traffic() fabric.Program {
	return fabric.Program{
		Name: trafficProgram, SlotsPerStep: 1, Rules: fabric.Rules{ExactlyOnce: true},
		Workloads: []string{fabric.WorkloadTraffic},
		Needs:     fabric.Needs{Sizes: nic.Sizes{RxFrames: 1, TxFrames: 1}, PayloadMin: traffic.HeadBytes},
		Params:    []fabric.Choice{{Name: "queue", Low: 1, High: queueFramesMax}},
		Carries: &fabric.Carries{Closed: true, Reaches: func(source, destination int) string {
			if source == destination {
				return fmt.Sprintf("no link leads from processor %d to itself", source)
			}
			return ""
		}},
	}
}

const (
	readingA = 0 // every node starts each phase once, with its own message
	readingB = 1 // every packet that arrives at the end of a phase starts the next phase
)

const misprintedTxFrames = 3

func (e Network) incomplete() string {
	switch {
	case e.params["reading"] == readingB:
		return "read literally, the published algorithm delivers every message many times"
	case e.Dimensions > 1:
		return "the published algorithm is incomplete in two dimensions and more: no one serves destinations whose " +
			"coordinates" +
			" belong to sectors of different phases; ej/all-to-all-c1 and -c2 are complete"
	}
	return ""
}

// complete returns the broadcast that reaches all nodes if the published broadcast fails to. It returns "" otherwise,
// or if a reading was selected.
func (e Network) complete() string {
	if e.Dimensions > 1 && len(e.params) == 0 {
		return "ej/all-to-all-c1"
	}
	return ""
}

// directed returns the diameter of one dimension along the oriented links of ej/all-to-all-c2, three of the six
// directions.
func (e Network) directed() int {
	if (e.B-e.A)%3 == 0 {
		return e.A + e.B
	}
	return e.A + e.B - 1
}

// mostPacketsNodes is the maximum size of a network in which packets on links are counted. An all-to-all broadcast on
// more nodes exceeds the memory of any machine.
const mostPacketsNodes = 1 << 18

func (e Network) mostPackets(program string) (most int) {
	if !e.counts(program) {
		return 1
	}
	if e.PacketsPerLink > 0 {
		return e.PacketsPerLink
	}
	for _, ports := range e.loads(program) {
		most = max(most, slices.Max(ports))
	}
	return most
}

func (e Network) counts(program string) bool {
	return e.program == program && packetBytes(&fabric.Program{Name: program}) != oneToAllBytes &&
		e.nodes() <= mostPacketsNodes
}

// loads returns the number of packets of a program on the link of each port, step by step, without a limit per link.
func (e Network) loads(program string) (loads [][]int) {
	algorithm, rotations := eisenstein.Repaired, 1
	switch {
	case program == allToAllProgram && e.params["reading"] == readingB:
		algorithm = eisenstein.Restarted
	case program == allToAllProgram:
		algorithm = eisenstein.Phased
	case program == allToAllC2Program:
		algorithm = eisenstein.Oriented
		if e.params["rotate"] == 1 {
			rotations = e.Dimensions // each source has one rotation; the sum over all rotations is an upper bound
		}
	}
	// by symmetry, the load of a port's link by all messages is the load of all such links by one message
	for rotation := range rotations {
		for step, ports := range eisenstein.NewMessage(e.torus(), algorithm, rotation).Loads {
			if step == len(loads) {
				loads = append(loads, make([]int, e.ports()))
			}
			for port, packets := range ports {
				loads[step][port] += packets
			}
		}
	}
	return loads
}

// rom returns the staircases of the programs, for any alpha, in words shared by all processors. Word i is the start
// of sector i; a program has six sectors, or three with oriented links. The next word is the end of the last sector.
// Sector i has a word E_i(q) for q = 1, 2, ...: the maximum number of hops in the minor direction after q hops in the
// major direction. Images get six sectors. For traffic the words are the routes.
func (e Network) rom(w *fabric.Workload, p *fabric.Program) (fabric.ROM, error) {
	var sectors [][]int
	switch {
	case w.Traffic != nil:
		return e.routes(), nil
	case p != nil && p.Name == allToAllC2Program:
		oriented := e.torus().Oriented()
		sectors = oriented[:]
	case p == nil || p.Name == generalProgram:
		six := e.torus().Sectors()
		sectors = six[:]
	default:
		return nil, nil
	}
	words := make(machineROM, len(sectors)+1)
	for i, extents := range sectors {
		words[i] = uint32(len(words))
		for _, extent := range extents {
			words = append(words, uint32(extent))
		}
	}
	words[len(sectors)] = uint32(len(words))
	return words, nil
}

// routes returns the ROM of traffic: the numbering of residues (wide, high, skew), then eight directions per word,
// the first in the lowest four bits. Entry r is the direction of a packet whose destination minus position is residue
// r; entry 0 is 0.
func (e Network) routes() machineROM {
	const header, perWord, bits = 3, 8, 4
	field := e.torus().Field
	wide, high, skew := field.Numbering()
	words := append(make(machineROM, 0, header+(field.Size()+perWord-1)/perWord), uint32(wide), uint32(high), uint32(skew))
	words = words[:cap(words)]
	for residue := 1; residue < field.Size(); residue++ {
		words[header+residue/perWord] |= uint32(field.Towards(residue)) << (residue % perWord * bits)
	}
	return words
}

type machineROM []uint32

func (r machineROM) Words() (processor, machine int) { return 0, len(r) }

// Processor and Machine implement fabric.ROM.

func (r machineROM) Processor(int, uint64, []uint32) {}
func (r machineROM) Machine(_ uint64, dst []uint32)  { copy(dst, r) }
