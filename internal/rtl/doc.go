// Package rtl replaces components of a machine, or all of its hardware, by RTL. It depends on networks and pin maps,
// not on machines.
//
//	entries of the key rtl --match--> components --open--> devices, in step with the kernel (cosim/inloop)
package rtl
