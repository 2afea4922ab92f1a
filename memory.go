package starloom

import (
	"fmt"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// What a part of a machine takes at least, in bytes, beside its frames and
// what the network takes. The figures are those of the columns in packages hw and nic.
const (
	memoryProcessor      = 48 // columns of registers, a small state, workload, delivery
	memoryParked         = 8  // registers
	memorySmallState     = 16
	memoryProcessorCycle = 64       // registers of transmitter and receiver
	memoryInstance       = 24 << 10 // an isolated processor's sandbox
)

// bankBytesMax is what the 32-bit addresses of one firmware instance reach.
const bankBytesMax = 1<<32 - 1<<16

// checkMemory refuses a network that this machine has no memory for, before
// anything is allocated: the operating system would end the process without a word
// to the user.
func (m *Machine) checkMemory() error {
	have, limit := hw.MemoryAvailable()
	need := m.memoryBytes()
	if limit == "" || need <= have {
		return m.checkBank()
	}
	s := m.scenario
	_, media := m.names.MediumNoun()
	remedy := fmt.Sprintf("choose a smaller network (it has %d processors and %d %s) or smaller nic buffers, or run it where there is more memory",
		m.shape.Processors(), m.shape.Media, media)
	if s.Firmware.Mode == ModeIsolated {
		remedy += "; mode: banked takes less"
	}
	if own := m.image.dataBytes; own >= 1<<20 {
		remedy += fmt.Sprintf("; the firmware %s has %d MiB of data of its own, in each of %s", m.image.name, (own+1<<19)>>20, traces.Plural(m.instances(), "instance", "instances"))
	}
	return &InputError{
		Place:  s.Place("fabric." + m.network.Kind()),
		Reason: fmt.Sprintf("this run takes about %s of memory, %s", memoryText(need), fmt.Sprintf(limit, memoryText(have))),
		Remedy: remedy,
	}
}

// memoryText is an amount of memory.
func memoryText(bytes uint64) string {
	if bytes < 10<<30 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// checkBank refuses a bank whose FIFOs the firmware cannot address.
func (m *Machine) checkBank() error {
	s := m.scenario
	if s.Firmware.Mode == ModeIsolated {
		return nil
	}
	units := m.shape.WholeUnits(m.options.BankSize)
	if m.parking != nil || m.image.stateBytes == 0 && m.mayPark() {
		units = min(units, fabric.BlockUnits)
	}
	cells := uint64(units * m.shape.PerUnit)
	processor := uint64(nic.FrameStride(s.NIC.PayloadBytes) * (s.NIC.RXFrames + s.NIC.TXFrames) * m.shape.Lanes())
	if cells*processor <= bankBytesMax {
		return nil
	}
	remedy := "choose smaller FIFOs (nic.rx_frames, nic.tx_frames) or a smaller nic.payload_bytes, or mode: isolated"
	if units > 1 {
		remedy += ", or smaller banks with --bank"
	}
	return &InputError{
		Place:  s.Place("nic"),
		Reason: fmt.Sprintf("a bank of %s with FIFOs of %d bytes each does not fit the 32-bit addresses of one firmware instance", traces.Plural(cells, "processor", "processors"), processor),
		Remedy: remedy,
	}
}

// instances is the number of firmware instances.
func (m *Machine) instances() int {
	if m.scenario.Firmware.Mode == ModeIsolated {
		return m.shape.Processors()
	}
	return len(m.shape.Shards(m.options.BankSize))
}

// residentBytes is what a processor with a small state takes at least in a bank.
func (m *Machine) residentBytes() uint64 {
	s := m.scenario
	return memoryProcessor + uint64(nic.FrameStride(s.NIC.PayloadBytes))*uint64((s.NIC.RXFrames+s.NIC.TXFrames)*m.shape.Lanes())
}

// memoryBytes estimates what a machine takes, from below: without the image's own
// data before the image is loaded.
func (m *Machine) memoryBytes() uint64 {
	s := m.scenario
	n := uint64(m.shape.Processors())
	processor := m.residentBytes()
	if m.parking != nil || m.image.stateBytes == 0 && m.mayPark() {
		processor = memoryParked + m.image.stateBytes
	} else if state := m.image.stateBytes; state > memorySmallState {
		processor += state - memorySmallState
	}
	if s.Firmware.Mode == ModeIsolated {
		processor += memoryInstance
	}
	own := uint64(m.instances()) * m.image.dataBytes
	kept, roms := uint64(0), uint64(0)
	if network, ok := m.network.(fabric.Weighed); ok {
		kept, roms = network.WorkloadBytes(&s.Workload, m.program)
	}
	if !m.image.takesROM { // not known yet, or not so
		own += roms
	} else {
		words, machine := m.rom.Words()
		processor += 4 * uint64(words)
		own += uint64(m.instances()) * 4 * uint64(machine)
	}
	if m.auditsHeld() {
		processor += fabric.HeldBytes
	}
	if m.options.Engine == EngineCycle {
		processor += uint64(m.shape.Lanes()) * (memoryProcessorCycle + 2*uint64(nic.FrameBytes(s.NIC.PayloadBytes)))
	}
	return own + kept + n*processor + m.network.MemoryBytes(m.config(nil))
}
