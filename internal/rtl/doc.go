// Package rtl puts RTL in the place of a machine's components, or of all its hardware. It knows
// networks and pin maps, not machines.
//
//	entries of the key rtl --match--> components --open--> devices, in step with the kernel (cosim/inloop)
//
//	file           what it holds
//	devices.go     Devices: the RTL of a machine; Wanted: what the machine wants of it
//	components.go  what the hardware has ports for, and what of it is replaced
//	replace.go     which components an entry means, and what stands in their places
//	source.go      where an entry's RTL is from: a twin or a pin map
//	open.go        devices for components; array.go: one for many of a kind
//	assumed.go     watched: in which cycles a machine breaks what a map assumes
//	outputs.go     what models, or the machine's own components, show where the RTL stands
//	told.go        what reports say of RTL: its sources, its check, how it has failed
package rtl
