// Package rtl puts RTL in the place of a machine's components, or of all its hardware. It knows
// networks and pin maps, not machines.
//
//	entries of the key rtl --match--> components --open--> devices, in step with the kernel (cosim/inloop)
package rtl
