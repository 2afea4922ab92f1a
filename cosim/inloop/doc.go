// Package inloop puts RTL in the place of elements of a machine's components. It is generic:
// it knows a component by its hw.Site, and RTL as a cosim.Device.
//
//	machine --wires--> [ model | device, device, ... ] --wires--> machine
//
//	file          what it holds
//	loop.go       Loop: the RTL of a machine, its first fault; Part
//	component.go  the component that a kernel runs in place of a model: what is exchanged when
//	part.go       a device and the elements that it stands for: which bit goes where
package inloop
