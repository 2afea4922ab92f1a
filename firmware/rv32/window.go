package rv32

import "starloom/nic"

// windowFrom and windowTo bound the NIC's window and its FIFOs.
var windowFrom, windowTo = windowConstant("window"), windowConstant("fifo_end")

func windowConstant(name string) uint32 {
	for _, c := range nic.WindowConstants {
		if c.Name == name {
			return c.Value
		}
	}
	panic("rv32: no " + name)
}
