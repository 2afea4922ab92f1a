package starloom

import (
	"context"

	"starloom/cosim/twin"
	"starloom/internal/verilog"
)

// VerilogReport is a folder that ExportVerilog has written.
type VerilogReport = verilog.Report

// ExportVerilog runs a scenario and writes the hardware of its machine as Verilog to the folder dir, which must not
// exist: the twins of all parts, a top that connects them, and a testbench that replays the firmware's actions in
// this run. expected.vcd is the waveform of the run, for `trace diff` with the waveforms of simulators. The export
// proves nothing about other runs.
//
// Hardware without Verilog is an *InputError, and the folder does not appear. command is named in the README.
func ExportVerilog(ctx context.Context, s *Scenario, dir, command string) (*VerilogReport, error) {
	c, err := s.elaborate()
	if err != nil {
		return nil, err
	}
	return verilog.Write(ctx, c, dir, verilog.Options{Twins: twin.All(), Command: command})
}
