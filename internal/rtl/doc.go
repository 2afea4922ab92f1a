// Package rtl puts RTL in the place of a machine's components, or of all its hardware. It knows
// networks and pin maps, not machines.
//
//	entries of the key rtl --match--> sites --open--> devices, in step with the kernel (cosim/inloop)
//
//	file            what it holds
//	rtl.go          Devices: which components are replaced, and by what
//	rtl_devices.go  where an entry's RTL is from, and how it is opened
package rtl
