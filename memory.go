package starloom

import (
	"fmt"

	"starloom/hw"
	"starloom/nic"
)

// What a part of a machine takes at least, in bytes, beside its frames. The figures
// are those of the columns in packages hw, nic and fabric.
const (
	memoryProcessor      = 48       // registers, state, workload, delivery
	memoryProcessorCycle = 64       // registers of transmitter and receiver
	memoryCouplerSlot    = 1        // senders, in each of two tables
	memoryCouplerCycle   = 48       // light at both ends, readers, listeners
	memoryInstance       = 24 << 10 // an isolated processor's sandbox
)

// checkMemory refuses a network that this machine has no memory for, before
// anything is allocated: the operating system would end the process without a word
// to the user.
func (m *Machine) checkMemory() error {
	have := hw.MemoryBytes()
	need := m.memoryBytes()
	if have == 0 || need <= have {
		return nil
	}
	s := m.scenario
	remedy := fmt.Sprintf("choose a smaller network (it has %d processors and %d couplers) or smaller nic buffers, or run it where there is more memory",
		m.pops.Processors(), m.pops.Couplers())
	if s.Firmware.Mode == ModeIsolated {
		remedy += "; mode: banked takes less"
	}
	return &InputError{
		Place:  s.Place("fabric.pops"),
		Reason: fmt.Sprintf("this run takes about %d GiB of memory, this machine has %d", (need+1<<30-1)>>30, have>>30),
		Remedy: remedy,
	}
}

// memoryBytes estimates what a machine takes, from below.
func (m *Machine) memoryBytes() uint64 {
	s := m.scenario
	n, couplers := uint64(m.pops.Processors()), uint64(m.pops.Couplers())
	stride := uint64(nic.FrameStride(s.NIC.PayloadBytes))
	processor := memoryProcessor + stride*uint64(s.NIC.RXFrames+s.NIC.TXFrames)
	if s.Firmware.Mode == ModeIsolated {
		processor += memoryInstance
	}
	if m.options.Engine == EngineCycle {
		return n*(processor+memoryProcessorCycle+2*uint64(nic.FrameBytes(s.NIC.PayloadBytes))) + couplers*memoryCouplerCycle
	}
	return n*processor + 2*couplers*(memoryCouplerSlot+stride)
}
