// Package cosim puts register-transfer code in the place of a modelled part, or
// beside it.
//
// Everything is a Device: ports with words, a clock that is driven from outside.
//
//	file            what it holds
//	rtl/            Verilog twins of the components of packages hw and nic
//	device.go       the interface of all devices, and their faults
//	twin.go         Twin, Twins: Verilog beside the Go component, parameters to test
//	twin_model.go   Model: components of hw and nic behind the ports of a module
//	twin_hw.go, twin_nic.go, twin_pops.go   the twins
//	twin_random.go, twin_traffic.go         Random, Stimulate: what circuits meet in use
//	twin_mutants.go Mutants: twins with a mistake, which lockstep has to find
package cosim
