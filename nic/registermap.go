package nic

// The register map is the interface between firmware and hardware. This file is its source: the command
//
//	go test ./nic -run RegisterMap -update
//
// writes the Go constants (registers_gen.go), the C header of the firmware SDK, the Verilog header of the twins and
// REGISTERS.md. The same test fails if one of these files is out of date.

// ABIVersion increases with every incompatible change of the register map or of an image's exports.
const ABIVersion = 3

// Access names the parties that may write a register, seen from firmware.
type Access string

// Kinds of access by the firmware's handler.
const (
	ReadOnly  Access = "R"  // written by the NIC (the host)
	ReadWrite Access = "RW" // written by both
	WriteOnly Access = "W"  // written by the handler, read by the NIC
	Layout    Access = "L"  // written once by the SDK when the bank is attached
)

// Register is one entry of the map.
type Register struct {
	Name   string
	Bits   int // 8, 16, 32 or 64
	Count  int // elements, 0 means one
	Access Access
	Doc    string
}

// Block is a group of registers at consecutive, naturally aligned offsets.
type Block struct {
	Name      string
	Doc       string
	Registers []Register
}

// Params is the number of parameter registers of a bank.
const Params = 16

// ShapeWords is the number of words with the network's size for firmware.
const ShapeWords = 8

// RegisterMap is the whole map.
var RegisterMap = []Block{
	{Name: "frame", Doc: "A frame as firmware sees it, little-endian; the payload follows it. The NIC converts from " +
		"and to the " +
		"wire format.", Registers: []Register{
		{"kind", 8, 0, ReadWrite, "data 0, ack 1, control 2"},
		{"flags", 8, 0, ReadWrite, "free for the firmware, travels with the frame"},
		{"payload_bytes", 16, 0, ReadWrite,
			"length of the payload, at most the bank's payload_bytes; zeros follow it up to the next multiple " +
				"of 8, and to at least 8 bytes; later bytes belong to no frame"},
		{"source", 32, 0, ReadOnly,
			"NIC that sent the frame on this hop; the NIC fills it in. Firmware keeps the origin of a packet " +
				"in the payload"},
		{"destination", 32, 0, ReadWrite,
			"addressee on this hop, 0xffffffff for any processor, 0xfffffffe for the request list. Frames have no" +
				" other address: the final destination of a relayed packet is in the payload; the firmware of each " +
				"relay reads it there and writes the next hop here"},
		{"tag", 16, 0, ReadWrite, "free for the firmware, travels with the frame"},
		{"port", 16, 0, ReadWrite, "sent: port to send to, 0xfffe for all ports; received: port it was heard on"},
	}},
	{Name: "bank", Doc: "One descriptor per bank of processors. The SDK fills in the layout when the bank is attached; the " +
		"host fills in the rest.", Registers: []Register{
		{"abi", 32, 0, Layout, "version of this map"},
		{"cells", 32, 0, Layout, "processors in this bank"},
		{"current", 32, 0, WriteOnly,
			"index in calls of the running handler's cell; identifies the cell after a trap"},
		{"record", 32, 0, Layout,
			"address of the first processor's record: the handler's state, then the heads of RX FIFO and TX FIFO"},
		{"record_stride", 32, 0, Layout, "bytes from one record to the next"},
		{"rx", 32, 0, Layout, "bytes from the start of a record to the head of the RX FIFO"},
		{"tx", 32, 0, Layout, "bytes from the start of a record to the head of the TX FIFO"},
		{"rx_more", 32, 0, Layout,
			"address of the further frames of the RX FIFOs: the second frames of all processors, then the third " +
				"frames, up to rx_frames; frame_stride bytes each"},
		{"tx_more", 32, 0, Layout, "likewise for the TX FIFOs"},
		{"frame_stride", 32, 0, Layout,
			"bytes of a frame in a FIFO, a multiple of 8: the frame block and the largest payload"},
		{"rx_frames", 32, 0, Layout, "depth of the RX FIFO, in frames"},
		{"tx_frames", 32, 0, Layout, "depth of the TX FIFO, in frames"},
		{"payload_bytes", 32, 0, Layout, "largest payload of a frame"},
		{"first", 32, 0, ReadOnly, "processor number of cell 0"},
		{"processors", 32, 0, ReadOnly, "processors in the machine"},
		{"shape", 32, ShapeWords, ReadOnly, "the network's size; ABI.md describes the words of each network"},
		{"ports", 32, 0, ReadOnly, "ports of a NIC"},
		{"seed", 64, 0, ReadOnly, "start of the random stream"},
		{"param", 32, Params, ReadOnly, "parameters from the scenario, by index"},
		{"processor", 32, 0, Layout, "address of the first processor block; the blocks are adjacent"},
		{"workload", 32, 0, Layout,
			"address of the workload: one 32-bit word per processor (permutation: destination of its packet; one-" +
				"to-all: number of the source; ABI.md describes other workloads)"},
		{"calls", 32, 0, Layout, "address of the list of cells, 32 bits each, whose handlers must be called"},
		{"rx_status", 32, 0, Layout,
			"address of the receivers' status, one byte per processor: the result of the previous slot, idle 0, " +
				"ok 1, collision 2, crc 3, overflow 4"},
		{"listen", 32, 0, Layout,
			"address of the listening table: listen_slots columns of 16 bits per processor; slot t hears the " +
				"ports of column t mod listen_slots, 0xffff for none, 0xfffe for all unless lanes is 1"},
		{"listen_slots", 32, 0, Layout, "columns of the listening table, 1 to 64"},
		{"schedule", 32, 0, Layout,
			"address of the schedule: one 64-bit word per processor, written before every slot like the " +
				"output of a ROM; ABI.md describes it for each network; 0 if the firmware does not use it"},
		{"rom", 32, 0, Layout,
			"address of the ROM: rom_words words of 32 bits per processor, adjacent, written once before slot 0; " +
				"ABI.md describes the words for each network; 0 if the firmware does not use the ROM"},
		{"rom_words", 32, 0, ReadOnly, "words of each processor's ROM"},
		{"machine_rom", 32, 0, Layout, "address of the ROM shared by all processors; 0 if the firmware does not use it"},
		{"machine_rom_words", 32, 0, ReadOnly, "words of the shared ROM"},
		{"tx_status", 32, 0, Layout,
			"address of the transmitters' status, one byte per processor: the result of the head of the TX FIFO " +
				"in the previous slot, none 0, sent 1, blocked 2 (the frame is still the head), collided 3 (if the " +
				"medium reports collisions); 0 if the firmware does not use it"},
		{"served", 32, 0, Layout,
			"address of the served addressees, 32 bits per processor: the addressee of a sent frame; 0 if the " +
				"firmware does not use tx_status"},
		{"list_words", 32, 0, ReadOnly,
			"words of the request list at the start of each processor's ROM: the processors whose outputs it may " +
				"request, in order; 0 if the network has no lists"},
		{"first_choice", 32, 0, Layout,
			"address of the first choices, 32 bits per processor: the index in its request list to try first; 0 " +
				"if the firmware does not use request lists"},
		{"list_valid", 32, 0, Layout,
			"address of the valid bits of the request lists: one bit per word of the list, in list_words/64 " +
				"words (rounded up) of 64 bits per processor, side by side, lowest bit first; the NIC clears the " +
				"bit of a served addressee; 0 if the firmware does not use request lists"},
		{"accept_tag", 32, 0, Layout,
			"address of the tag filters, 16 bits per processor: the processor's output accepts only requests with" +
				" this tag, 0xffff for any; 0 if the firmware does not use tag filters"},
		{"lanes", 32, 0, ReadOnly,
			"ports at which a NIC sends and receives in one slot: 1, or all of its ports; rx_status, " +
				"tx_status and served have a column for each, with one element per processor"},
	}},
	{Name: "processor", Doc: "The registers of one processor's NIC. The blocks of the processors are adjacent, so that the host " +
		"can scan them quickly. The flags are last, so that a handler's first access checks the bounds of the" +
		" whole block.",
		Registers: []Register{
			{"wake", 16, 0, WriteOnly, "low bits of the slot in which a sleeping handler is called again"},
			{"tx_fewer", 8, 0, ReadOnly, "frames by which a fault has shortened the TX FIFO of this NIC, otherwise 0"},
			{"reserved", 8, 0, ReadOnly, "zero"},
			{"rx_count", 8, 0, ReadWrite, "frames in the RX FIFO; the handler takes from the head"},
			{"tx_count", 8, 0, ReadWrite,
				"frames in the TX FIFO; in each slot the NIC tries to send the head"},
			{"held", 8, 0, WriteOnly, "packets that the handler holds, for the memory rule"},
			{"flags", 8, 0, ReadWrite,
				"done 1 (set by the handler), faulty 2 (set by the host: the handler is not called again), tx " +
					"overflow 4 (set by the SDK: a frame did not fit), sleeping 16 (set by the handler: no call before " +
					"slot wake unless a FIFO holds a frame; the host clears sleeping if tx_status is used and a frame was" +
					" sent, if the schedule's word changes, and when it sets delivered), delivered 8 (set by the host, if" +
					" senders learn of arrivals without acknowledgement: the packet that started here has arrived)"},
		}},
}

// RegisterConstants are the values defined in every generated file.
var RegisterConstants = []struct {
	Name  string
	Value uint32
	Doc   string
}{
	{"abi_version", ABIVersion, "version of this map"},
	{"port_all", 0xFFFE, "send to every port"},
	{"port_none", 0xFFFF, "hear nothing"},
	{"any", AnyDestination, "destination of a frame for any processor"},
	{"listed", ListedDestination,
		"destination of a frame for the request list; the NIC replaces it by the served addressee"},
	{"tag_any", TagAny, "tag filter that accepts every tag"},
	{"payload_bytes_max", PayloadBytesMax, "largest payload of any NIC"},
	{"payload_bytes_rtl", PayloadBytesRTL, "largest payload of a NIC in RTL"},
	{"kind_data", uint32(KindData), "frame kind: data"},
	{"kind_ack", uint32(KindAck), "frame kind: acknowledgement"},
	{"kind_control", uint32(KindControl), "frame kind: control"},
	{"status_idle", uint32(StatusIdle), "no light, or the receiver did not listen"},
	{"status_ok", uint32(StatusOK), "one good frame, stored in the RX FIFO"},
	{"status_collision", uint32(StatusCollision), "two senders on one medium"},
	{"status_crc", uint32(StatusCRC), "a damaged frame"},
	{"status_overflow", uint32(StatusOverflow), "a good frame, lost because the RX FIFO was full"},
	{"tx_none", uint32(TxNone), "there was no frame to send"},
	{"tx_sent", uint32(TxSent), "the medium has accepted the head of the TX FIFO"},
	{"tx_blocked", uint32(TxBlocked), "the medium was busy: the head of the TX FIFO waits"},
	{"tx_collided", uint32(TxCollided), "sent, but collided with another frame"},
	{"flag_done", 1, "the processor has finished"},
	{"flag_faulty", 2, "the processor trapped or broke the ABI"},
	{"flag_tx_overflow", 4, "a frame did not fit into the TX FIFO"},
	{"flag_sleeping", 16, "the handler need not be called"},
	{"flag_delivered", 8, "the packet that started here has arrived"},
}
