package nic

import (
	"cmp"
	"encoding/binary"
	"slices"

	"starloom/traces/decode"
)

// Framing describes frames in a stream of phits. The mapping of bits to phits is that of Serialisers.
type Framing struct {
	// Light means that the interface is dual-rail. A bit with both rails lit is a collision. The interface is dark
	// after the last bit of a frame.
	Light bool
	// Gaps means that a frame may pause. Without Gaps, the first cycle without a phit ends the frame.
	Gaps bool
	// FirstMarked means that the interface marks the first phit, and LastMarked that it marks the last one. Without
	// LastMarked, the length in the header ends a frame.
	FirstMarked, LastMarked bool
	// Received means that the time of a frame is the cycle of its last phit. Without Received it is the cycle of the
	// first phit.
	Received bool
}

// DecodedFrame is a frame found in a stream of phits.
type DecodedFrame struct {
	Lane        int
	First, Last uint64 // cycles of the first and last phit
	Slot        uint32
	Port        uint64
	Status      Status // StatusOK, StatusCRC or StatusCollision
	Bytes       []byte // nil for a collision, partial for a damaged frame
}

// Decoder assembles frames from the phits of many interfaces. It applies the rules of Deserialisers, but accepts
// consecutive frames without a pause.
//
//	Put(lane, cycle, phit) ... Flush() --> emit(frame)
//
// A Decoder emits frames in the order of their times (Framing.Received), then by lane. Memory is bounded by one frame
// per lane, and by decoderHeldMax frames that wait for frames with an earlier time.
type Decoder struct {
	lanes []laneState
	emit  func(*DecodedFrame) error
	open  []int // lanes within a frame
	held  []DecodedFrame
	err   error
}

const decoderHeldMax = 1 << 16

type laneState struct {
	Framing
	open     bool
	violated bool // both rails of a bit were lit
	damaged  bool
	bits     int
	first    uint64
	last     uint64
	slot     uint32
	port     uint64
	frame    []byte
}

// NewDecoder returns a decoder for interfaces with these framings. The decoder calls emit for every frame; the frame
// is valid until emit returns. An error of emit ends the decoding.
func NewDecoder(framings []Framing, emit func(*DecodedFrame) error) *Decoder {
	d := &Decoder{lanes: make([]laneState, len(framings)), emit: emit}
	for i, f := range framings {
		d.lanes[i].Framing = f
	}
	return d
}

// Put adds the phit of an interface in a cycle. Cycles must not decrease. Dark cycles may be omitted, except for the
// first dark cycle after a phit.
func (d *Decoder) Put(lane int, cycle uint64, p decode.Phit) {
	l := &d.lanes[lane]
	if p.Dark {
		if l.open && !l.Gaps {
			d.end(lane)
		}
		return
	}
	if l.open && l.FirstMarked && p.First {
		l.damaged = true // the previous frame has no end
		d.end(lane)
	}
	if !l.open {
		if l.FirstMarked && !p.First {
			return // the phit belongs to a frame that began before the recording
		}
		d.begin(lane, cycle, p)
	}
	l.take(p)
	l.last = cycle
	if l.ended(p) {
		d.end(lane)
	}
}

const phitSlack = frameSlack + PhitBitsMax/8

func (d *Decoder) begin(lane int, cycle uint64, p decode.Phit) {
	l := &d.lanes[lane]
	if l.frame == nil {
		l.frame = make([]byte, FrameBytes(64)+phitSlack)
	}
	l.open, l.violated, l.damaged, l.bits = true, false, false, 0
	l.first, l.slot, l.port = cycle, p.Slot, p.Port
	d.open = append(d.open, lane)
}

func (l *laneState) take(p decode.Phit) {
	l.violated = l.violated || l.Light && p.Rail1&p.Rail0 != 0
	l.damaged = l.damaged || p.Unknown
	if l.bits >= 8*FrameBytes(PayloadBytesMax) {
		l.damaged = true
		return
	}
	if need := l.bits/8 + 1 + phitSlack; need > len(l.frame) {
		l.frame = append(l.frame, make([]byte, need)...) // few frames are long
	}
	putPhit(l.frame, l.bits, p.Bits, p.Rail1)
	l.bits += p.Bits
	if l.Light && p.Rail1|p.Rail0 != litBits(l.total()-(l.bits-p.Bits), p.Bits) {
		l.damaged = true
	}
}

// total returns the length in bits according to the header: the maximum length until the header is complete, and 0
// for an illegal length.
func (l *laneState) total() int {
	if l.bits < 8*lengthKnownBytes {
		return 8 * FrameBytes(PayloadBytesMax)
	}
	payload := int(binary.BigEndian.Uint16(l.frame[offsetPayloadBytes:]))
	if payload > PayloadBytesMax {
		return 0
	}
	return 8 * FrameBytes(payload)
}

// ended reports whether p was the last phit of a frame. Only a dark cycle ends damaged light.
func (l *laneState) ended(p decode.Phit) bool {
	if l.LastMarked {
		return p.Last
	}
	total := l.total()
	return total != 0 && l.bits >= total && !l.violated && !(l.Light && l.damaged)
}

func (d *Decoder) end(lane int) {
	l := &d.lanes[lane]
	l.open = false
	at := slices.Index(d.open, lane)
	d.open = slices.Delete(d.open, at, at+1)
	f := DecodedFrame{Lane: lane, First: l.first, Last: l.last, Slot: l.slot, Port: l.port, Status: StatusCRC}
	total := l.total()
	switch {
	case l.violated:
		f.Status = StatusCollision
	case l.damaged, total == 0, l.bits < total, l.bits-total >= PhitBitsMax:
		f.Bytes = slices.Clone(l.frame[:min(l.bits, 8*FrameBytes(PayloadBytesMax))/8])
	default:
		f.Bytes = slices.Clone(l.frame[:total/8])
		if wellFormed(f.Bytes) {
			f.Status = StatusOK
		}
	}
	at, _ = slices.BinarySearchFunc(d.held, d.when(&f), func(other DecodedFrame, m moment) int {
		return d.when(&other).compare(m)
	})
	d.held = slices.Insert(d.held, at, f)
	d.release()
}

type moment struct {
	cycle uint64
	lane  int
}

func (m moment) compare(other moment) int {
	return cmp.Or(cmp.Compare(m.cycle, other.cycle), cmp.Compare(m.lane, other.lane))
}

func (d *Decoder) when(f *DecodedFrame) moment {
	if d.lanes[f.Lane].Received {
		return moment{f.Last, f.Lane}
	}
	return moment{f.First, f.Lane}
}

// release emits the frames that precede every possible further frame: frames sent before the first open frame began.
func (d *Decoder) release() {
	done := len(d.held)
	// lanes are opened in the order of their frames' times
	if i := slices.IndexFunc(d.open, func(lane int) bool { return !d.lanes[lane].Received }); i >= 0 {
		begun := moment{d.lanes[d.open[i]].first, d.open[i]}
		done, _ = slices.BinarySearchFunc(d.held, begun, func(f DecodedFrame, m moment) int { return d.when(&f).compare(m) })
		done = max(done, len(d.held)-decoderHeldMax)
	}
	for i := range d.held[:done] {
		if d.err == nil {
			d.err = d.emit(&d.held[i])
		}
	}
	d.held = slices.Delete(d.held, 0, done)
}

// Flush ends the stream. An unfinished frame is damaged. Flush returns the first error of emit.
func (d *Decoder) Flush() error {
	for len(d.open) > 0 {
		d.lanes[d.open[0]].damaged = true
		d.end(d.open[0])
	}
	return d.err
}

// Err returns the first error of emit.
func (d *Decoder) Err() error { return d.err }
