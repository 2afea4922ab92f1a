package nic

// Window is the register window of a processor with memory-mapped registers, such as RISC-V: the words at
// WindowConstants' window. It is written with the register map, to firmware/sdk/starloom_window.h and REGISTERS.md.
var Window = Block{Name: "window", Doc: "The NIC of one processor, memory-mapped: aligned words of 32 bits from " +
	"SL_WINDOW on. The frames of the FIFOs are at SL_RX_FIFO and SL_TX_FIFO, SL_FIFO_STRIDE bytes apart, the head first. " +
	"The processor writes a frame at SL_TX_FRAME; tx_push appends the frame to the TX FIFO, and leaves the content. " +
	"Each frame is a frame block with its payload, and permits aligned accesses of 8, 16 and 32 bits. The NIC acts on " +
	"what the processor has written when the turn has ended (wfi, or the end of the compute window).",
	Registers: []Register{
		{"self", 32, 0, ReadOnly, "this processor's number"},
		{"processors", 32, 0, ReadOnly, "processors in the machine"},
		{"slot", 32, 0, ReadOnly, "the slot that begins now, 0 after reset"},
		{"workload", 32, 0, ReadOnly, "this processor's word of the workload"},
		{"ports", 32, 0, ReadOnly, "ports of the NIC"},
		{"rx_status", 32, 0, ReadOnly, "receiver status of the previous slot"},
		{"rx_count", 32, 0, ReadOnly, "frames in the RX FIFO"},
		{"tx_count", 32, 0, ReadOnly, "frames in the TX FIFO"},
		{"tx_free", 32, 0, ReadOnly, "frames that still fit into the TX FIFO"},
		{"flags", 32, 0, ReadOnly, "flags of the processor block"},
		{"rx_pop", 32, 0, WriteOnly, "removes this number of frames from the head of the RX FIFO"},
		{"tx_push", 32, 0, WriteOnly,
			"appends the frame at SL_TX_FRAME to the TX FIFO; the value is ignored"},
		{"tx_withdraw", 32, 0, WriteOnly, "removes the next frame to be sent; the value is ignored"},
		{"listen", 32, 0, WriteOnly, "port that is heard from this slot on, 0xffff for none, 0xfffe for all"},
		{"sleep", 32, 0, WriteOnly, "the processor sleeps for this number of slots"},
		{"done", 32, 0, WriteOnly, "1: the processor has finished"},
		{"held", 32, 0, WriteOnly, "packets that the program holds, for the memory rule"},
		{"low", 32, 0, WriteOnly, "low bits of the value that result or probe reports"},
		{"high", 32, 0, WriteOnly, "high bits of the value that result or probe reports"},
		{"result", 32, 0, WriteOnly, "reports the value as the result with this number"},
		{"probe", 32, 0, WriteOnly, "shows the value at the probe with this number"},
		{"log", 32, 0, WriteOnly,
			"writes a line of this number of bytes, from the address in low on, to the firmware log"},
		{"deliver", 32, 0, WriteOnly, "the packet of this processor has reached its destination"},
		{"fail", 32, 0, WriteOnly, "the processor gives up with this code"},
		{"select", 32, 0, ReadWrite, "number of the register that value shows: SL_SELECT_..."},
		{"value", 32, 0, ReadOnly, "the selected register"},
	}}

// WindowConstants are addresses, and numbers of registers that the window shows by select.
var WindowConstants = []struct {
	Name  string
	Value uint32
	Doc   string
}{
	{"window", 0x40000000, "address of the window"},
	{"rx_fifo", 0x42000000, "address of the head of the RX FIFO"},
	{"tx_fifo", 0x44000000, "address of the head of the TX FIFO"},
	{"tx_frame", 0x46000000, "address of the frame that tx_push appends"},
	{"fifo_end", 0x46020000, "end of the frames"},
	{"fifo_stride", 0x20000, "bytes from one frame of a FIFO to the next"},
	{"select_shape", 0, "words 0 to 7 of the network's size"},
	{"select_param", 16, "parameters 0 to 15"},
	{"select_seed", 32, "seed of the random stream, low half, then high half"},
	{"select_payload_bytes", 34, "largest payload of a frame"},
	{"select_rx_frames", 35, "depth of the RX FIFO, in frames"},
	{"select_tx_frames", 36, "depth of the TX FIFO, in frames"},
	{"select_lanes", 37, "ports at which the NIC sends and receives in one slot: 1, or all"},
	{"select_status", 64, "receiver status of port 0 and the following ports"},
}

// InFIFOs reports whether an address of the window is that of a frame.
func InFIFOs(address uint32) bool {
	return address >= WindowConstant("rx_fifo") && address < WindowConstant("fifo_end")
}

// WindowConstant returns the value of one of WindowConstants.
func WindowConstant(name string) uint32 {
	for _, c := range WindowConstants {
		if c.Name == name {
			return c.Value
		}
	}
	panic("nic: no " + name)
}
