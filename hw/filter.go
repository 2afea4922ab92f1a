package hw

import "fmt"

// Filters is a bank of the inputs of a crossbar's outputs: each takes the requests for its
// output that it listens to, and of these those with its tag.
//
// Latency 0 cycles (combinational). Parameters: none. Ports: asks of all transmitters in,
// request lines to the output's arbiter out. Registers: listens, tag, written at the boundary
// of a slot. Reset: listens to nobody. (DESIGN section 4.)
type Filters struct {
	Registers
	bank  Bank
	asks  *Asks
	lines *Requests

	// Registers.
	listens []uint8
	tag     []uint16
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
	f.Registers = Declare(Declaration{Bank: bank, Registers: []Register{
		Column("listens", f.listens, AtMost[uint8](1)).Shown(1),
		Column("tag", f.tag).ResetTo(TagAny).Shown(16),
	}})
	f.Reset()
	return f, nil
}

// Take is the input of an output, for the Latch to come: whether it listens, and to which tag.
// Call it between Settle and Latch of the last cycle of a slot, in which nobody asks.
func (f *Filters) Take(output int, listens bool, tag uint16) {
	f.listens[output], f.tag[output] = 0, tag
	if listens {
		f.listens[output] = 1
	}
}

// Inputs are the asks.
func (f *Filters) Inputs() []Wire { return []Wire{f.asks} }

// Outputs are the request lines.
func (f *Filters) Outputs() []Wire { return []Wire{f.lines} }

// Settle raises the lines of those whose output listens.
func (f *Filters) Settle(s Shard) {
	f.lines.Clear(s.Index)
	for _, i := range f.asks.High(s.Index) {
		output := f.asks.To[i]
		if int(output) < len(f.listens) && f.listens[output] != 0 && (f.tag[output] == TagAny || f.tag[output] == f.asks.Tag[i]) {
			f.lines.Raise(s.Index, uint32(output), i)
		}
	}
}

// QuietFor implements Quiet.
func (f *Filters) QuietFor(limit uint64) uint64 {
	if !f.asks.Low() {
		return 0
	}
	return limit
}
