// Package inloop puts RTL in the place of elements of a machine's components. It is generic:
// it knows a component by its hw.Site, and RTL as a cosim.Device.
//
//	machine --wires--> [ model | device, device, ... ] --wires--> machine
package inloop
