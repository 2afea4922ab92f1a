package hw

import "fmt"

// Filters is a bank of the inputs of a crossbar's outputs: each takes the requests for its
// output that it listens to, and of these those with its tag.
//
// Latency 0 cycles (combinational). Parameters: none. Ports: asks of all transmitters in,
// request lines to the output's arbiter out. Registers: listens, tag, written at the boundary
// of a slot. Reset: listens to nobody. (DESIGN section 4.)
//
// With a Limit a filter counts the frames that have started: after the last one it passes
// nothing but the request of who is granted. Registers: started, holder.
type Filters struct {
	Registers
	bank  Bank
	asks  *Asks
	lines *Requests

	// Registers.
	listens []uint8
	tag     []uint16
	started []uint16 // frames of this slot; nil without a limit
	holder  []uint32 // whose frame was the last one to start, plus 1; 0 for nobody; the same

	limit       uint16
	busy, index *Signal // inputs with a limit: whom the arbiters grant
}

// TagAny is the tag of a filter that takes every tag.
const TagAny = 0xFFFF

// NewFilters returns filters that listen to nobody, between the transmitters' asks and the
// request lines of as many arbiters, on which a transmitter is a requester.
func NewFilters(bank Bank, asks *Asks, lines *Requests) (*Filters, error) {
	switch {
	case bank.Units != 1:
		return nil, fmt.Errorf("%s: outputs in %d units, a crossbar is one", bank.Path(), bank.Units)
	case lines.bank.Size() != bank.Size() || lines.requesters != len(asks.To):
		return nil, fmt.Errorf("%s: %d outputs and %d transmitters, the request lines are of %d arbiters and %d requesters",
			bank.Path(), bank.Size(), len(asks.To), lines.bank.Size(), lines.requesters)
	}
	f := &Filters{bank: bank, asks: asks, lines: lines, listens: make([]uint8, bank.Size()), tag: make([]uint16, bank.Size())}
	f.declare()
	return f, nil
}

func (f *Filters) declare() {
	registers := []Register{
		Column("listens", f.listens, AtMost[uint8](1)).Shown(1),
		Column("tag", f.tag).ResetTo(TagAny).Shown(16),
	}
	if f.started != nil {
		registers = append(registers, Column("started", f.started, AtMost(f.limit)).Shown(16),
			Column("holder", f.holder, AtMost(uint32(len(f.asks.To)))))
	}
	f.Registers = Declare(Declaration{Bank: f.bank, Registers: registers})
	f.Reset()
}

// Limit lets at most so many frames into an output in one slot, 1..65535; busy and index say
// whom its arbiter grants. Call it before the filters run. Frames have two phits or more: the
// request of a frame that has started is high in its first cycle.
func (f *Filters) Limit(frames int, busy, index *Signal) {
	f.limit, f.busy, f.index = uint16(frames), busy, index
	f.started, f.holder = make([]uint16, f.bank.Size()), make([]uint32, f.bank.Size())
	f.declare()
}

// Take is the input of an output, for the Latch to come: whether it listens, and to which tag.
// Call it between Settle and Latch of the last cycle of a slot, in which nobody asks.
func (f *Filters) Take(output int, listens bool, tag uint16) {
	f.listens[output], f.tag[output] = 0, tag
	if f.started != nil {
		f.started[output], f.holder[output] = 0, 0
	}
	if listens {
		f.listens[output] = 1
	}
}

// Inputs are the asks, and with a limit the grants.
func (f *Filters) Inputs() []Wire {
	if f.started == nil {
		return []Wire{f.asks}
	}
	return []Wire{f.asks, f.busy, f.index}
}

// Outputs are the request lines.
func (f *Filters) Outputs() []Wire { return []Wire{f.lines} }

// Settle raises the lines of those whose output listens.
func (f *Filters) Settle(s Shard) {
	f.lines.Clear(s.Index)
	for _, i := range f.asks.High(s.Index) {
		output := f.asks.To[i]
		if int(output) < len(f.listens) && f.listens[output] != 0 && (f.tag[output] == TagAny || f.tag[output] == f.asks.Tag[i]) &&
			(f.started == nil || f.started[output] < f.limit || f.granted(output, i)) {
			f.lines.Raise(s.Index, uint32(output), i)
		}
	}
}

// granted reports whether an output's arbiter grants a transmitter.
func (f *Filters) granted(output uint16, transmitter uint32) bool {
	return f.busy.Value[output] != 0 && f.index.Value[output] == uint64(transmitter)
}

// Latches are the same as Inputs, to count by.
func (f *Filters) Latches() []Wire { return f.Inputs() }

// Latch counts the frames that start in this cycle.
func (f *Filters) Latch(s Shard) {
	if f.started == nil {
		return
	}
	for _, i := range f.asks.High(s.Index) {
		output := f.asks.To[i]
		if int(output) >= len(f.listens) || !f.granted(output, i) || f.holder[output] == i+1 {
			continue
		}
		if f.started[output] == f.limit {
			broken(f.bank.Element(int(output)), "more than %d frames in a slot", f.limit)
		}
		f.started[output]++
		f.holder[output] = i + 1
	}
}

// QuietFor implements Quiet.
func (f *Filters) QuietFor(limit uint64) uint64 {
	if !f.asks.Low() {
		return 0
	}
	return limit
}
