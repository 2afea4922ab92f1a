// Package inloop runs RTL in place of elements of a machine's components. It knows a component by its hw.Site and RTL
// as a cosim.Device.
//
//	machine --wires--> [ model | device, device, ... ] --wires--> machine
package inloop
