package nic

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/decode"
)

// lane feeds phits of one interface to a decoder.
type lane struct {
	d        *Decoder
	number   int
	phitBits int
}

func (l lane) phit(frame []byte, k int) decode.Phit {
	padded := append(append([]byte{}, frame...), make([]byte, 16)...)
	word, lit := getPhit(padded, k*l.phitBits, l.phitBits), litBits(8*len(frame)-k*l.phitBits, l.phitBits)
	return decode.Phit{Bits: l.phitBits, Rail1: word & lit, Rail0: ^word & lit}
}

// send puts a whole frame from a cycle on and returns the cycle after it.
func (l lane) send(cycle uint64, frame []byte) uint64 {
	for k := range Phits(len(frame), l.phitBits) {
		l.d.Put(l.number, cycle, l.phit(frame, k))
		cycle++
	}
	return cycle
}

func (l lane) dark(cycle uint64) { l.d.Put(l.number, cycle, decode.Phit{Dark: true}) }

func someFrame(random *rand.Rand, payloadBytes int) Frame {
	payload := make([]byte, payloadBytes)
	for i := range payload {
		payload[i] = byte(random.Uint32())
	}
	return Marshal(make([]byte, FrameBytes(payloadBytes)), Header{
		Kind: Kind(random.IntN(KindCount)), Flags: uint8(random.Uint32()), Source: random.Uint32(),
		Destination: random.Uint32(), Tag: uint16(random.Uint32()),
	}, payload)
}

// decoded collects frames as text.
func decoded(framings ...Framing) (*Decoder, *[]string) {
	var list []string
	d := NewDecoder(framings, func(f *DecodedFrame) error {
		list = append(list, fmt.Sprintf("%d %d-%d %v %x", f.Lane, f.First, f.Last, f.Status, f.Bytes))
		return nil
	})
	return d, &list
}

// Frames of any length and phit width are put together again: with pauses between
// them or without, as light or as words.
func TestDecoderFindsFrames(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, phitBits := range []int{1, 3, 5, 8, 24, 33, 63, 64} {
		for _, light := range []bool{true, false} {
			d, got := decoded(Framing{Light: light})
			l := lane{d, 0, phitBits}
			var want []string
			cycle := uint64(5)
			for range 20 {
				frame := someFrame(random, random.IntN(40))
				start := cycle
				cycle = l.send(cycle, frame)
				want = append(want, fmt.Sprintf("0 %d-%d ok %x", start, cycle-1, []byte(frame)))
				if pause := random.Uint64N(3); pause > 0 {
					l.dark(cycle)
					cycle += pause
				}
			}
			require.NoError(t, d.Flush())
			require.Equal(t, want, *got, "%d bits, light %v", phitBits, light)
		}
	}
}

func TestDecoderJudges(t *testing.T) {
	frame := someFrame(rand.New(rand.NewPCG(1, 1)), 2)
	bad := append(Frame{}, frame...)
	bad[15] ^= 4
	long := append(Frame{}, frame...)
	long[offsetPayloadBytes] = 0xFF
	for _, c := range []struct {
		name string
		f    Framing
		run  func(l lane)
		want []string
	}{
		{"wrong CRC", Framing{Light: true}, func(l lane) { l.send(0, bad) }, []string{fmt.Sprintf("0 0-8 crc %x", []byte(bad))}},
		{"cut short", Framing{Light: true}, func(l lane) {
			for k := range 3 {
				l.d.Put(0, uint64(k), l.phit(frame, k))
			}
			l.dark(3)
			l.send(5, frame)
		}, []string{fmt.Sprintf("0 0-2 crc %x", []byte(frame[:6])), fmt.Sprintf("0 5-13 ok %x", []byte(frame))}},
		{"cut by the end", Framing{}, func(l lane) { l.d.Put(0, 7, l.phit(frame, 0)) }, []string{fmt.Sprintf("0 7-7 crc %x", []byte(frame[:2]))}},
		{"collision", Framing{Light: true}, func(l lane) {
			for k := range 20 {
				p := l.phit(frame, k%9)
				if k == 4 {
					p.Rail0 |= p.Rail1
				}
				l.d.Put(0, uint64(k), p)
			}
			l.dark(20)
		}, []string{"0 0-19 collision "}},
		{"half a phit is dark", Framing{Light: true}, func(l lane) {
			for k := range 9 {
				p := l.phit(frame, k)
				if k == 4 {
					p.Rail0 &^= 0xFF
				}
				l.d.Put(0, uint64(k), p)
			}
			l.dark(9)
		}, []string{fmt.Sprintf("0 0-8 crc %x", []byte(frame))}},
		{"light after the last bit", Framing{Light: true}, func(l lane) {
			l.phitBits = 20
			for k := range 8 {
				p := l.phit(frame, k)
				if k == 7 {
					p.Rail0 |= 1
				}
				l.d.Put(0, uint64(k), p)
			}
			l.dark(8)
		}, []string{fmt.Sprintf("0 0-7 crc %x0000", []byte(frame))}},
		{"a length that no frame has", Framing{Light: true}, func(l lane) { l.send(0, long); l.dark(9) }, []string{fmt.Sprintf("0 0-8 crc %x", []byte(long))}},
		{"unknown bits", Framing{}, func(l lane) {
			for k := range 9 {
				p := l.phit(frame, k)
				p.Unknown = k == 8
				l.d.Put(0, uint64(k), p)
			}
		}, []string{fmt.Sprintf("0 0-8 crc %x", []byte(frame))}},
		{"pauses", Framing{Gaps: true}, func(l lane) {
			for k := range 9 {
				l.d.Put(0, uint64(3*k), l.phit(frame, k))
				l.dark(uint64(3*k + 1))
			}
		}, []string{fmt.Sprintf("0 0-24 ok %x", []byte(frame))}},
		{"marked ends", Framing{Gaps: true, FirstMarked: true, LastMarked: true}, func(l lane) {
			l.d.Put(0, 0, l.phit(frame, 0)) // of a frame that began earlier
			for i, marks := range [][2]int{{0, 8}, {0, 5}, {0, 99}, {0, 8}} {
				for k := range 9 {
					p := l.phit(frame, k)
					p.First, p.Last = k == marks[0], k == marks[1]
					if k <= marks[1] {
						l.d.Put(0, uint64(10*(i+1)+k), p)
					}
				}
			}
		}, []string{
			fmt.Sprintf("0 10-18 ok %x", []byte(frame)), fmt.Sprintf("0 20-25 crc %x", []byte(frame[:12])),
			fmt.Sprintf("0 30-38 crc %x", []byte(frame)), fmt.Sprintf("0 40-48 ok %x", []byte(frame)),
		}},
		{"longer than any frame", Framing{LastMarked: true}, func(l lane) {
			for k := range 1000 {
				l.d.Put(0, uint64(k), decode.Phit{Bits: 16, Rail1: 0x1000, Rail0: 0xEFFF, Last: k == 999})
			}
		}, []string{"0 0-999 crc "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, got := decoded(c.f)
			c.run(lane{d, 0, 16})
			require.NoError(t, d.Flush())
			require.Len(t, *got, len(c.want))
			for i := range c.want {
				require.Contains(t, (*got)[i], c.want[i])
			}
		})
	}
}

// TestDecoderOrder: sent frames are reported in the order of their first phits, received frames in
// the order of their last phits.
func TestDecoderOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	long, short := someFrame(random, 40), someFrame(random, 0)
	for received, want := range map[bool][]string{
		false: {"0 at 0-27", "1 at 0-7", "2 at 2-9", "1 at 10-17"},
		true:  {"1 at 0-7", "2 at 2-9", "1 at 10-17", "0 at 0-27"},
	} {
		var got []string
		f := Framing{Received: received}
		d := NewDecoder([]Framing{f, f, f}, func(f *DecodedFrame) error {
			got = append(got, fmt.Sprintf("%d at %d-%d", f.Lane, f.First, f.Last))
			return nil
		})
		starts := [][]uint64{{0}, {0, 10}, {2}}
		for cycle := range uint64(40) {
			for i, frame := range [][]byte{long, short, short} {
				l := lane{d, i, 16}
				lit := false
				for _, start := range starts[i] {
					if k := int(cycle - start); cycle >= start && k < Phits(len(frame), 16) {
						d.Put(i, cycle, l.phit(frame, k))
						lit = true
					}
				}
				if !lit {
					l.dark(cycle)
				}
			}
		}
		require.NoError(t, d.Flush())
		require.Equal(t, want, got)
	}
	d := NewDecoder([]Framing{{}}, func(*DecodedFrame) error { return errors.New("disk full") })
	lane{d, 0, 16}.send(0, short)
	require.EqualError(t, d.Err(), "disk full")
	require.EqualError(t, d.Flush(), "disk full")
}
