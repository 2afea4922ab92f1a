package fabric

import (
	"encoding/binary"

	"starloom/nic"
	"starloom/traces"
)

// foldPayload maps a payload to one word. The bytes after it are not part of the
// frame, whatever the sender's FIFO still holds.
func foldPayload(frame nic.FrameView) uint64 {
	switch payload := frame.Payload(); len(payload) {
	case 0:
		return 0
	case nic.PacketBytes:
		return binary.LittleEndian.Uint64(payload)
	default:
		return traces.Fold(payload)
	}
}
