package check

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"slices"

	"starloom/firmware"
	"starloom/nic"
)

const (
	fuzzStepsFresh = 6   // slots of a sequence drawn from scratch
	fuzzWordsMax   = 3   // table words in an input
	fuzzPayloadMax = 256 // usual payload limit in bytes
)

func (f *fuzzer) draw() FuzzInput {
	r := f.random
	in := FuzzInput{Seed: f.m.Seed, Slots: f.m.Slots(), Processor: r.IntN(f.m.Shape.Processors())}
	f.choose(in.Processor)
	if calls := f.instance.Calls(); len(calls) > 0 && r.IntN(16) == 0 {
		call := calls[r.IntN(len(calls))]
		in.Call = &FuzzCall{Name: call.Name, Arguments: []uint32{}}
		for range call.Arguments {
			in.Call.Arguments = append(in.Call.Arguments, f.word())
		}
		return in
	}
	if n := len(f.corpus); n > 0 && r.IntN(3) != 0 {
		from := f.corpus[max(r.IntN(n), r.IntN(n))].clone() // later inputs are preferred
		in.Processor, in.Steps = from.Processor, from.Steps
		f.choose(in.Processor)
		for range 1 + r.IntN(3) {
			f.mutate(&in)
		}
		in.Steps = in.Steps[:min(len(in.Steps), f.stepsAfter(f.m.Slots()))]
	} else {
		for range min(1+r.IntN(fuzzStepsFresh), f.stepsAfter(f.m.Slots())) {
			in.Steps = append(in.Steps, f.fresh(&in))
		}
	}
	if r.IntN(4) == 0 {
		f.harm(&in.Steps[r.IntN(len(in.Steps))])
	}
	return in
}

func (f *fuzzer) fresh(in *FuzzInput) (x FuzzStep) {
	r, bank := f.random, f.instance.Bank()
	if r.IntN(4) != 0 {
		frames := 1
		if bank.AllPorts {
			frames += r.IntN(min(bank.Ports, 4))
		}
		for range frames {
			x.Frames = append(x.Frames, f.frame(in.Processor))
		}
	}
	if r.IntN(2) == 0 {
		f.statuses(&x)
	}
	return x
}

func (f *fuzzer) statuses(x *FuzzStep) {
	r, bank := f.random, f.instance.Bank()
	x.Statuses, x.Transmit = nil, nil
	for lane := range bank.Lanes() {
		if r.IntN(4) == 0 {
			x.Statuses = append(x.Statuses, FuzzLane{Port: uint16(lane), Status: uint8(r.IntN(int(nic.StatusOverflow) + 1))})
		}
		if bank.TxStatus != nil && r.IntN(4) == 0 {
			x.Transmit = append(x.Transmit,
				FuzzLane{Port: uint16(lane), Status: uint8(r.IntN(int(nic.TxCollided) + 1)), Served: f.word()})
		}
	}
}

func (f *fuzzer) frame(processor int) FuzzFrame {
	r, bank := f.random, f.instance.Bank()
	x := FuzzFrame{Port: uint16(r.IntN(bank.Ports)), Source: uint32(r.IntN(f.m.Shape.Processors())),
		Destination: uint32(processor)}
	if r.IntN(4) == 0 {
		x.Kind, x.Destination = uint8(r.IntN(int(nic.KindCount))), f.word()
	}
	if r.IntN(3) == 0 {
		x.Flags = uint8(f.word())
	}
	if r.IntN(3) == 0 {
		x.Tag = uint16(f.word())
	}
	x.Payload = hex.EncodeToString(f.payload())
	return x
}

func (f *fuzzer) payload() []byte {
	r, bank := f.random, f.instance.Bank()
	size := min(bank.PayloadBytes, fuzzPayloadMax)
	if r.IntN(16) == 0 {
		size = bank.PayloadBytes
	}
	if r.IntN(2) == 0 {
		size = r.IntN(size + 1)
	}
	payload := make([]byte, 0, size+4)
	for manner := r.IntN(3); len(payload) < size; {
		switch manner {
		case 0:
			payload = binary.LittleEndian.AppendUint32(payload, f.word())
		case 1:
			payload = binary.LittleEndian.AppendUint32(payload, r.Uint32())
		default:
			payload = append(payload, [...]byte{0, 1, 0xFF, 0x80, byte(f.m.Shape.Processors()), byte(f.word()), byte(r.Uint32()),
				byte(r.Uint32())}[r.IntN(8)])
		}
	}
	return payload[:size]
}

func (f *fuzzer) mutate(in *FuzzInput) {
	r := f.random
	at := r.IntN(len(in.Steps))
	x := &in.Steps[at]
	switch r.IntN(9) {
	case 0, 1:
		in.Steps = append(in.Steps, f.fresh(in))
	case 2:
		in.Steps = append(in.Steps, FuzzStep{Frames: []FuzzFrame{f.frame(in.Processor)}})
	case 3:
		in.Steps = slices.Insert(in.Steps, at, FuzzStep{})
	case 4:
		if len(in.Steps) > 1 {
			in.Steps = slices.Delete(in.Steps, at, at+1)
		}
	case 5:
		*x = f.fresh(in)
	case 6:
		f.statuses(x)
	case 7:
		other := f.corpus[r.IntN(len(f.corpus))].clone()
		in.Steps = append(in.Steps, other.Steps...)
	default:
		if len(x.Frames) > 0 {
			f.mutateFrame(&x.Frames[r.IntN(len(x.Frames))], in.Processor)
		}
	}
}

func (f *fuzzer) mutateFrame(x *FuzzFrame, processor int) {
	r := f.random
	payload, _ := hex.DecodeString(x.Payload)
	other := f.frame(processor)
	switch r.IntN(8) {
	case 0:
		x.Kind = other.Kind
	case 1:
		x.Flags = uint8(f.word())
	case 2:
		x.Tag = uint16(f.word())
	case 3:
		x.Source, x.Port = other.Source, other.Port
	case 4:
		x.Destination = f.word()
	case 5:
		x.Payload = other.Payload
	case 6:
		x.Payload = hex.EncodeToString(payload[:r.IntN(len(payload)+1)])
	default:
		if len(payload) > 0 {
			at := r.IntN(len(payload))
			copy(payload[at&^(1<<r.IntN(3)-1):], binary.LittleEndian.AppendUint32(nil, f.word())[:1<<r.IntN(3)])
			x.Payload = hex.EncodeToString(payload)
		}
	}
}

func (f *fuzzer) harm(x *FuzzStep) {
	r, bank := f.random, f.instance.Bank()
	if bank.Schedule != nil && r.IntN(2) == 0 {
		word := r.Uint64()
		if r.IntN(2) == 0 {
			word = uint64(f.word())<<32 | uint64(f.word())
		}
		x.Schedule = &word
	}
	if words := len(bank.Machine) + bank.ROMWords; bank.TakesROM && words > 0 && r.IntN(2) == 0 {
		for range 1 + r.IntN(fuzzWordsMax) {
			word := r.IntN(words)
			w := FuzzWord{Machine: word >= bank.ROMWords, Word: word, Value: f.word()}
			if w.Machine {
				w.Word -= bank.ROMWords
			}
			x.ROM = append(x.ROM, w)
		}
	}
	if r.IntN(3) == 0 {
		word := f.word()
		x.Workload = &word
	}
	if size := min(bank.StateBytes(), 4096); size > 0 && r.IntN(2) == 0 {
		state := make([]byte, size)
		for i := range state {
			state[i] = byte(r.Uint32())
		}
		x.State = hex.EncodeToString(state)
	}
}

type dictionary struct {
	random     *rand.Rand
	processors uint32
	constants  []uint64                        // constants in comparisons of the image
	operands   [operandsKept]firmware.Operands // operands of recent comparisons
	noted      int                             // number of operands so far
}

const operandsKept = 64

func (d *dictionary) note(compared []firmware.Operands) {
	for _, pair := range compared {
		d.operands[d.noted%operandsKept] = pair
		d.noted++
	}
}

func (d *dictionary) word() uint32 {
	r, n := d.random, d.processors
	switch r.IntN(4) {
	case 0:
		words := [...]uint32{0, 1, n - 1, n, 0xFF, 0xFFFF, 1<<31 - 1, 1 << 31, 1<<32 - 1, uint32(r.IntN(256))}
		return words[r.IntN(len(words))]
	case 1:
		if len(d.constants) > 0 {
			return near(uint32(d.constants[r.IntN(len(d.constants))]), r.IntN(8))
		}
	case 2:
		if d.noted > 0 {
			return near(uint32(d.operands[r.IntN(min(d.noted, operandsKept))][r.IntN(2)]), r.IntN(8))
		}
	}
	return r.Uint32()
}

// near returns a word or one of its neighbours, to test comparisons with limits.
func near(word uint32, draw int) uint32 {
	switch draw {
	case 0:
		return word - 1
	case 1:
		return word + 1
	}
	return word
}
