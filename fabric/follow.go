package fabric

// Follow is a set of packets whose frames are looked at one by one.
type Follow struct{ origins []uint64 } // one bit per origin

// NewFollow returns the set of these origins.
func NewFollow(processors int, origins []uint32) *Follow {
	f := &Follow{make([]uint64, (processors+63)/64)}
	for _, origin := range origins {
		f.origins[origin>>6] |= 1 << (origin & 63)
	}
	return f
}

func (f *Follow) has(origin uint32) bool {
	return uint64(origin>>6) < uint64(len(f.origins)) && f.origins[origin>>6]>>(origin&63)&1 != 0
}

// Followed is what has happened to a frame with a packet that is followed.
type Followed struct {
	Kind      FollowedKind
	Processor int    // that sends or listens
	Port      uint16 // that it sends to or hears
	Origin    uint32 // of the packet; not of a damaged frame
	Source    uint32 // received, overflow: who sent the frame
	Slot      uint32 // that it has crossed in, or crosses in
}

// FollowedKind says what has happened. A frame that has met another one leaves no trace
// but its sending.
type FollowedKind uint8

// The kinds of what happens to a frame.
const (
	FollowSent     FollowedKind = iota // put on the fabric
	FollowReceived                     // status ok
	FollowOverflow                     // a full RX FIFO
	FollowDamaged                      // status crc: any frame
)
