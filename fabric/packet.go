package fabric

import (
	"encoding/binary"

	"starloom/nic"
	"starloom/traces"
)

// packetBytes is the packet {origin, destination} at the head of a payload, as
// sl_packet of the firmware SDK lays it out.
const packetBytes = 8

// isPacket reports whether a frame carries a packet that the host can read.
func isPacket(frame nic.FrameView) bool {
	return frame.Kind() == nic.KindData && frame.PayloadBytes() >= packetBytes
}

// originOf returns the origin of a frame's packet.
func originOf(frame nic.FrameView) uint32 { return binary.LittleEndian.Uint32(frame.Payload()) }

// foldPayload maps a payload to one word. The bytes after it are not part of the
// frame, whatever the sender's FIFO still holds.
func foldPayload(frame nic.FrameView) uint64 {
	switch payload := frame.Payload(); len(payload) {
	case 0:
		return 0
	case packetBytes:
		return binary.LittleEndian.Uint64(payload)
	default:
		return traces.Fold(payload)
	}
}
