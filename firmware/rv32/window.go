package rv32

import "starloom/nic"

// windowFrom and windowTo bound the NIC's window and its FIFOs.
var windowFrom, windowTo = nic.WindowConstant("window"), nic.WindowConstant("fifo_end")
