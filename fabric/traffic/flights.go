package traffic

import (
	"fmt"

	"starloom/hw"
)

// flight is a packet from its first offer until its delivery or, with a limit of packets in flight, its
// acknowledgement.
type flight struct {
	number, created   uint32
	sent              uint32 // slot of its first frame, initially never
	destination       uint32
	following         uint32 // next flight of the same source
	hops              uint16
	size              uint8
	expects, received uint8 // 1 + number of frames after the next expected frame; number of received frames
	// 1: all frames have arrived, and the last is in a FIFO; 2: firmware has also taken the last frame
	arrived uint8
}

type flights struct {
	first int
	all   []flight
	free  uint32
	of    []uint32 // first flight of each source
	count int
}

func (f *flights) begin(first, end int) {
	f.first, f.all, f.free, f.count = first, f.all[:0], none, 0
	if f.of == nil {
		f.of = make([]uint32, end-first)
	}
	for i := range f.of {
		f.of[i] = none
	}
}

func (f *flights) add(source uint32, x flight) {
	at := f.free
	if at == none {
		at = uint32(len(f.all))
		f.all = append(f.all, flight{})
	} else {
		f.free = f.all[at].following
	}
	head := &f.of[int(source)-f.first]
	x.following = *head
	f.all[at], *head = x, at
	f.count++
}

func (f *flights) find(source, number uint32) *flight {
	for at := f.of[int(source)-f.first]; at != none; at = f.all[at].following {
		if x := &f.all[at]; x.number&numberMask == number {
			return x
		}
	}
	return nil
}

func (f *flights) end(source uint32, x *flight) {
	link := &f.of[int(source)-f.first]
	for &f.all[*link] != x {
		link = &f.all[*link].following
	}
	at := *link
	*link = x.following
	x.following, f.free = f.free, at
	f.count--
}

func (f *flights) each(source int, yield func(*flight)) {
	for at := f.of[source-f.first]; at != none; at = f.all[at].following {
		yield(&f.all[at])
	}
}

const flightWords = 6

// state visits the flights as words, by source, oldest first. fill sets the destination and size of a restored
// flight.
func (f *flights) state(v *hw.StateVisitor, name string, fill func(source uint32, x *flight)) {
	var words []uint32
	if v.Saving() {
		words = f.words()
	}
	read := 0
	hw.StateList(v, hw.Future, name, &words, func(i int, value uint32) error {
		read = i + 1
		if i%flightWords == 0 && (int(value) < f.first || int(value) >= f.first+len(f.of)) {
			return fmt.Errorf("processor %d is in another shard", value)
		}
		return nil
	})
	v.Verify(func() error {
		if read%flightWords != 0 {
			return fmt.Errorf("%s: %d words are not a whole number of packets", name, read)
		}
		return nil
	})
	v.AfterRestore(func() {
		f.begin(f.first, f.first+len(f.of))
		for ; len(words) >= flightWords; words = words[flightWords:] {
			x := flight{number: words[1], created: words[2], sent: words[3],
				hops: uint16(words[4]), expects: uint8(words[4] >> 16), received: uint8(words[4] >> 24),
				arrived: uint8(words[5] & 3)}
			fill(words[0], &x)
			f.add(words[0], x)
		}
	})
}

func (f *flights) words() (words []uint32) {
	var of []flight
	for i := range f.of {
		of = of[:0]
		f.each(f.first+i, func(x *flight) { of = append(of, *x) })
		for k := len(of) - 1; k >= 0; k-- {
			x := &of[k]
			words = append(words, uint32(f.first+i), x.number, x.created, x.sent,
				uint32(x.hops)|uint32(x.expects)<<16|uint32(x.received)<<24, uint32(x.arrived))
		}
	}
	return words
}

type log struct{ rows []logged }

// logged is a packet of a log. sent and arrived are never for a packet that was not sent or has not arrived.
type logged struct {
	source, number, destination    uint32
	created, before, sent, arrived uint32
	hops                           uint16
	size                           uint8
}

func (l *log) note(source uint32, x *flight, before, arrived uint32) {
	l.rows = append(l.rows, logged{source, x.number, x.destination, x.created, before, x.sent, arrived, x.hops, x.size})
}
