// Package export writes the hardware of a machine as Verilog: the twins of its parts, and a top that connects them.
//
//	sites --New--> Wiring --Refusals--> inputs that cannot be exported
//	                      --Observe---> Observer: compares From with the closures in every cycle of a run
//
// An hw.Site describes a part. hw.Port.From describes the drivers of an input: an expression over the lines that
// outputs drive (hw.Port.Lines). The package does not depend on networks or machines.
package export
