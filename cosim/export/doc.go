// Package export writes the hardware of a machine as Verilog: the twins of its parts, and a top that connects them.
//
//	sites --New--> Wiring --Refusals--> ports that no data connects
//	                      --Observe---> Observer: From beside the closures, in every cycle of a run
//
// A part is described by its hw.Site. An input names its drivers (hw.Port.From), as an expression over
// the lines that outputs drive (hw.Port.Lines). The package does not depend on networks or machines.
package export
