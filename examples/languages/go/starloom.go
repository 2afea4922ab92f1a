//go:build wasip1

package main

import "unsafe"

// The firmware ABI in Go: the registers of firmware/ABI.md, and the functions that the host calls around the handlers
// of one processor. It behaves like starloom.h. Missing: sl_delivered, sl_logf, sl_assert, transmit statuses and
// withdrawing, schedules, ROMs, request lists, tag filters, listening tables. Each is a column, a flag or an import
// of firmware/ABI.md. An instance serves one processor, so that its state is in ordinary variables.

// Values of the register map.
const (
	PortAll  = 0xfffe
	PortNone = 0xffff
	Any      = 0xffffffff
	KindData = 0
	KindAck  = 1
	StatusOK = 1

	abiVersion     = 3
	flagDone       = 1
	flagTxOverflow = 4
	flagSleeping   = 16
)

// Frame is a frame header, followed by the payload.
type Frame struct {
	Kind, Flags         uint8
	PayloadBytes        uint16
	Source, Destination uint32
	Tag, Port           uint16
}

// Packet travels over several hops at the beginning of data frames' payloads.
type Packet struct{ Origin, Destination uint32 }

type processor struct {
	wake                          uint16
	txFewer, reserved             uint8
	rxCount, txCount, held, flags uint8
}

// descriptor describes the bank, in the order of the register map.
type descriptor struct {
	abi, cells, current, record, recordStride uint32
	fifos
	sizes
	shape [8]uint32
	ports uint32
	seed  uint64
	param [16]int32
	tables
	unused [11]uint32 // schedule to acceptTag: 0
	lanes  uint32
}

// fifos has the addresses of frames.
type fifos struct{ rx, tx, rxMore, txMore, frameStride uint32 }

// sizes has the sizes of the FIFOs and of the bank.
type sizes struct{ rxFrames, txFrames, payloadBytes, first, processors uint32 }

// tables has the addresses of the processors' columns.
type tables struct{ processor, workload, calls, rxStatus, listen, listenSlots uint32 }

// NIC is the processor's interface to its NIC.
type NIC struct {
	bank        descriptor
	registers   *processor
	workload    *uint32
	calls       *uint32
	status      *uint8
	listen      *uint16
	rx, tx      []*Frame
	slot        uint32
	draws       uint32
	taken       int
	frameStride uintptr
}

// nic belongs to this instance's processor. Its pointers keep the columns alive.
var nic NIC

//go:wasmimport starloom log
func hostLog(text unsafe.Pointer, bytes uint32)

//go:wasmimport starloom probe
func hostProbe(signal uint32, value uint64)

//go:wasmimport starloom fail
func hostFail(code int32)

//go:wasmimport starloom deliver
func hostDeliver(origin uint32)

//go:wasmimport starloom result
func hostResult(k uint32, value uint64)

// Self returns this processor's number.
func (n *NIC) Self() uint32 { return n.bank.first }

// Processors returns the number of processors.
func (n *NIC) Processors() uint32 { return n.bank.processors }

// Shape returns word k, 0 to 7, of the network's size.
func (n *NIC) Shape(k int) uint32 { return n.bank.shape[k] }

// Slot returns the slot that begins now.
func (n *NIC) Slot() uint32 { return n.slot }

// Workload returns this processor's word of the workload.
func (n *NIC) Workload() uint32 { return *n.workload }

// Param returns parameter k.
func (n *NIC) Param(k int) int32 { return n.bank.param[k] }

// Status returns the receiver's status of the previous slot.
func (n *NIC) Status() uint8 { return *n.status }

// Ports returns the number of ports of a NIC.
func (n *NIC) Ports() uint32 { return n.bank.ports }

// StatusOf returns the status of a port's receiver, on networks that use all ports in a slot.
func (n *NIC) StatusOf(port uint32) uint8 {
	return *(*uint8)(unsafe.Add(unsafe.Pointer(n.status), port))
}

// Payload returns the payload of a received frame.
func (f *Frame) Payload() []byte {
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(f), unsafe.Sizeof(*f))), f.PayloadBytes)
}

// Receive takes the next frame from the RX FIFO, nil if it is empty. The frame is valid until the handler returns.
func (n *NIC) Receive() *Frame {
	if n.taken >= int(n.registers.rxCount) {
		return nil
	}
	n.taken++
	return n.rx[n.taken-1]
}

// TxFree returns the number of free frames in the TX FIFO.
func (n *NIC) TxFree() int {
	return max(len(n.tx)-int(n.registers.txCount)-int(n.registers.txFewer), 0)
}

// queue appends a frame to the TX FIFO. It returns nil if the FIFO is full.
func (n *NIC) queue(port, kind, destination, payloadBytes uint32) *Frame {
	queued := int(n.registers.txCount)
	if n.TxFree() == 0 {
		n.registers.flags |= flagTxOverflow
		return nil
	}
	n.registers.txCount++
	frame := n.tx[queued]
	*frame = Frame{Kind: uint8(kind), PayloadBytes: uint16(payloadBytes), Destination: destination, Port: uint16(port)}
	if payloadBytes > n.bank.payloadBytes {
		return nil
	}
	return frame
}

// Send sends a frame. It returns false if the TX FIFO is full. A payload larger than nic.payload_bytes fails the run.
func (n *NIC) Send(port, kind, destination uint32, tag uint16, payload []byte) bool {
	frame := n.queue(port, kind, destination, uint32(len(payload)))
	if frame == nil {
		return false
	}
	frame.Tag = tag
	copy(frame.Payload(), payload)
	return true
}

// SendPacket sends a data frame with one packet.
func (n *NIC) SendPacket(port, destination uint32, packet Packet) {
	if frame := n.queue(port, KindData, destination, uint32(unsafe.Sizeof(packet))); frame != nil {
		*(*Packet)(unsafe.Add(unsafe.Pointer(frame), unsafe.Sizeof(*frame))) = packet
	}
}

// SendAck sends a frame without payload.
func (n *NIC) SendAck(port, destination uint32) { n.queue(port, KindAck, destination, 0) }

// Listen selects the port to listen to from this slot on.
func (n *NIC) Listen(port uint32) { *n.listen = uint16(port) }

// Sleep hints that the handler has nothing to do for the given number of slots unless a frame arrives. The host may
// call it earlier.
func (n *NIC) Sleep(slots uint32) {
	n.registers.wake = uint16(n.slot + slots)
	n.registers.flags |= flagSleeping
}

// Done reports that this processor has finished.
func (n *NIC) Done() { n.registers.flags |= flagDone }

// Hold reports the number of packets that this processor holds, for the memory rule.
func (n *NIC) Hold(packets int) { n.registers.held = uint8(min(packets, 255)) }

// Random returns 32 uniform bits, a function of seed, processor, slot and number of the draw.
func (n *NIC) Random() uint32 {
	const gamma = 0x9E3779B97F4A7C15
	x := mix64(n.bank.seed + gamma*uint64(n.Self()))
	draw := uint64(n.slot)<<16 | uint64(n.draws&0xFFFF)
	n.draws++
	return uint32(mix64(x+gamma*draw) >> 32)
}

// RandomBelow returns a uniform number from 0 to bound-1.
func (n *NIC) RandomBelow(bound uint32) uint32 {
	return uint32(uint64(n.Random()) * uint64(bound) >> 32)
}

// Chance is true with a probability of part/whole: two outcomes.
func (n *NIC) Chance(part, whole uint32) bool { return n.RandomBelow(whole) < part }

// RandomBits returns k random bits, at most 8, as a number below 2^k.
func (n *NIC) RandomBits(k uint32) uint32 { return n.Random() & (1<<k - 1) }

func mix64(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// Log writes a line to the firmware log, as print and println do.
func (n *NIC) Log(text string) {
	hostLog(unsafe.Pointer(unsafe.StringData(text)), uint32(len(text)))
}

// Probe sets a signal of the waveform.
func (n *NIC) Probe(signal uint32, value uint64) { hostProbe(signal, value) }

// Deliver reports that the packet of this origin has reached its destination.
func (n *NIC) Deliver(origin uint32) { hostDeliver(origin) }

// Result sets word k of this processor's results in the report.
func (n *NIC) Result(k uint32, value uint64) { hostResult(k, value) }

// Fail fails the run with a code and this processor's name. It does not return.
func (n *NIC) Fail(code int32) { hostFail(code) }

// begin prepares a handler.
func (n *NIC) begin(slot uint32) {
	n.bank.current = 0
	n.slot, n.draws, n.taken = slot, 0, 0
	n.registers.flags &^= flagSleeping
}

// end removes the frames that the handler has taken from the RX FIFO.
func (n *NIC) end() {
	left := int(n.registers.rxCount) - n.taken
	if n.taken == 0 {
		return
	}
	n.registers.rxCount = uint8(left)
	for place := range left {
		copy(n.bytes(n.rx[place]), n.bytes(n.rx[place+n.taken]))
	}
}

func (n *NIC) bytes(frame *Frame) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(frame)), n.frameStride)
}

// address returns the address in linear memory.
func address[T any](at *T) uint32 { return uint32(uintptr(unsafe.Pointer(at))) }

// words allocates memory aligned to 8 bytes.
func words(bytes uint32) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, bytes/8+1)))
}

// fifo lists the frames of a FIFO: the head and the others.
func fifo(head, more unsafe.Pointer, stride, frames uint32) []*Frame {
	list := []*Frame{(*Frame)(head)}
	for k := range frames - 1 {
		list = append(list, (*Frame)(unsafe.Add(more, k*stride)))
	}
	return list
}

//go:wasmexport starloom_abi
func exportABI() uint32 { return abiVersion }

//go:wasmexport starloom_bank
func exportBank() uint32 { return address(&nic.bank) }

//go:wasmexport starloom_attach
func exportAttach(cells, payloadBytes, rxFrames, txFrames uint32) uint32 {
	b := &nic.bank
	if cells != 1 {
		return 0
	}
	b.abi, b.cells, b.payloadBytes, b.rxFrames, b.txFrames = abiVersion, cells, payloadBytes, rxFrames, txFrames
	b.frameStride = uint32(unsafe.Sizeof(Frame{})) + (payloadBytes+7)/8*8
	b.rx, b.tx, b.recordStride, b.listenSlots = 0, b.frameStride, 2*b.frameStride, 1
	nic.frameStride = uintptr(b.frameStride)

	record, rxMore, txMore := words(b.recordStride), words((rxFrames-1)*b.frameStride), words((txFrames-1)*b.frameStride)
	nic.rx = fifo(record, rxMore, b.frameStride, rxFrames)
	nic.tx = fifo(unsafe.Add(record, b.tx), txMore, b.frameStride, txFrames)
	nic.registers, nic.workload, nic.calls = (*processor)(words(8)), (*uint32)(words(4)), (*uint32)(words(4))
	nic.status, nic.listen = (*uint8)(words(b.lanes)), (*uint16)(words(2))
	b.record, b.rxMore, b.txMore = uint32(uintptr(record)), uint32(uintptr(rxMore)), uint32(uintptr(txMore))
	b.processor, b.workload, b.calls = address(nic.registers), address(nic.workload), address(nic.calls)
	b.rxStatus, b.listen = address(nic.status), address(nic.listen)
	return address(b)
}

//go:wasmexport starloom_start
func exportStart(count uint32) {
	if count == 1 {
		nic.begin(0)
		onStart(&nic)
		nic.end()
	}
}

//go:wasmexport starloom_slot
func exportSlot(count, slot uint32) {
	if count == 1 {
		nic.begin(slot)
		onSlot(&nic)
		nic.end()
	}
}

//go:wasmexport starloom_param_names
func exportParams() uint32 { return names(params) }

//go:wasmexport starloom_probe_names
func exportProbes() uint32 { return names(probes) }

var kept [][]byte // keeps lists of names alive
var lists [][]uint32

// names returns the address of a zero-terminated list of zero-terminated texts.
func names(texts []string) uint32 {
	var list []uint32
	for _, text := range texts {
		kept = append(kept, append([]byte(text), 0))
		list = append(list, address(&kept[len(kept)-1][0]))
	}
	lists = append(lists, append(list, 0))
	return address(&lists[len(lists)-1][0])
}

func main() {} // never called
