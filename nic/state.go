package nic

import (
	"fmt"

	"starloom/hw"
)

// CheckFrames returns the check for a column of frames in a saved state, stride bytes each. Some fields are read
// before the frame is checked, so they must be within their limits. Unused places are zero.
func CheckFrames(stride, payloadBytes, processors int) func(i int, value byte) error {
	var head [sizeFrame]byte
	return func(i int, value byte) error {
		at := i % stride
		if at < sizeFrame {
			head[at] = value
		}
		if at != sizeFrame-1 {
			return nil
		}
		f := FrameView(head[:])
		switch bytes := f.PayloadBytes(); {
		case f.Kind() >= KindCount:
			return fmt.Errorf("frame %d is of %v", i/stride, f.Kind())
		case bytes > payloadBytes:
			return fmt.Errorf("frame %d has a payload of %d bytes; at most %d are possible", i/stride, bytes, payloadBytes)
		case f.Source() >= uint32(processors):
			return fmt.Errorf("frame %d is from processor %d, but processors are 0 to %d", i/stride, f.Source(), processors-1)
		}
		return nil
	}
}

// checkLoaded returns the check for a column of transmitter frames in a saved state, in wire format and stride bytes
// each. The check must detect every frame that Load would reject, because a readdressed frame gets a new checksum.
// Unused transmitters have zeros.
func checkLoaded(stride, frameMax, processors int) func(i int, value byte) error {
	var head [HeaderBytes]byte
	return func(i int, value byte) error {
		at := i % stride
		if at < HeaderBytes {
			head[at] = value
		}
		if at != HeaderBytes-1 {
			return nil
		}
		switch h := Frame(head[:]).Header(); {
		case h.Kind >= KindCount:
			return fmt.Errorf("transmitter %d has a frame of %v", i/stride, h.Kind)
		case FrameBytes(h.PayloadBytes) > frameMax:
			return fmt.Errorf("transmitter %d has a frame of %d bytes; at most %d are possible", i/stride,
				FrameBytes(h.PayloadBytes), frameMax)
		case h.Source >= uint32(processors):
			return fmt.Errorf("transmitter %d has a frame from processor %d, but processors are 0 to %d",
				i/stride, h.Source, processors-1)
		}
		return nil
	}
}

// StateFrames visits a list of whole frames.
func StateFrames(v *hw.StateVisitor, name string, frames *[]byte, stride, payloadBytes, processors int) {
	bytes := 0
	hw.StateList(v, hw.Future, name, frames, CheckFrames(stride, payloadBytes, processors),
		func(i int, _ byte) error { bytes = i + 1; return nil })
	v.Verify(func() error {
		if bytes%stride != 0 {
			return fmt.Errorf("column %q: %d bytes, but a frame takes %d", name, bytes, stride)
		}
		return nil
	})
}
