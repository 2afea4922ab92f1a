package emulator

import (
	"fmt"

	"starloom/firmware"
	"starloom/firmware/rv32"
	"starloom/nic"
)

// Followed returns a processor with a program for RISC-V between two turns, for a debugger.
func (m *Machine) Followed(processor int) *rv32.Processor {
	instance, cell := m.InstanceOf(processor)
	return instance.(firmware.Followed).Processor(cell)
}

// Budget returns the cycles that a handler may take in a slot, 0 for any number.
func (m *Machine) Budget() uint64 {
	if m.Meter == nil {
		return 0
	}
	return m.Meter.Budget
}

// Frames describes the frames in the FIFOs of a processor, a line for each as in a replay: the RX FIFO from its head,
// then the TX FIFO.
func (m *Machine) Frames(processor int) (lines []string) {
	bank, number := m.Cell(processor)
	cell, stride := bank.Cell(number), nic.FrameStride(bank.PayloadBytes)
	for k, frame := range cell.RxFrames(stride) {
		lines = append(lines, fmt.Sprintf("RX %d: from %d, %s", k, frame.Source(), frameText(frame)))
	}
	for k, frame := range cell.TxFrames(stride) {
		lines = append(lines, fmt.Sprintf("TX %d: %s", k, frameText(frame)))
	}
	if lines != nil {
		return lines
	}
	return []string{"no frames"}
}
