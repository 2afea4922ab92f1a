// Package inloop puts RTL in the place of elements of a machine's components. It is generic:
// what it knows of a component is its hw.Site, of RTL that it is a cosim.Device.
//
//	machine --wires--> [ model | device, device, ... ] --wires--> machine
//
//	file          what it holds
//	loop.go       Loop: the RTL of a machine, its first fault; Part
//	component.go  the component that a kernel runs in place of a model: when what is exchanged
//	part.go       a device and the elements that it stands for: which bit goes where
package inloop
