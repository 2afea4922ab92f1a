// Package cosim puts register-transfer code in the place of a modelled part, or
// beside it.
//
// Everything is a Device: ports with words, a clock that is driven from outside.
//
//	file            what it holds
//	rtl/            Verilog twins of the components of packages hw and nic
//	device.go       the interface of all devices, and their faults
package cosim
