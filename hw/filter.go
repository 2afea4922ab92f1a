package hw

import "fmt"

// Filters is a bank of filters, one per output of a crossbar. A filter passes requests for its output while the
// output listens. If the output has a tag, the filter passes only requests with this tag.
//
// Latency 0 cycles (combinational). Parameters: inputs. Inputs: asks of all transmitters; load, listens and tag.
// Outputs: request lines to the output's arbiter. Registers: listens and tag, loaded at the slot boundary. Reset: not
// listening. Twin: output_filter.v.
//
// With a Limit a filter counts started frames. After the last permitted frame it passes only the request of the
// granted transmitter. The twin has neither of the registers for the limit, started and holder.
type Filters struct {
	Registers
	bank  Bank
	asks  *Asks
	lines *Requests

	// Registers.
	listens []uint8
	tag     []uint16
	started []uint16 // frames started in this slot; nil without a limit
	holder  []uint32 // transmitter of the last started frame, plus 1; 0 for none; nil without a limit

	limit       uint16
	busy, index *Signal // inputs of filters with a limit: the grants of the arbiters

	load     []filterLoad
	loading  bool   // a load is pending
	replaced []bool // by output: RTL replaces the filter; nil if RTL replaces none
}

// filterLoad is the load input of an output in this cycle, with the values to load.
type filterLoad struct {
	on, listens bool
	tag         uint16
}

// TagAny is the tag of a filter that accepts every tag.
const TagAny = 0xFFFF

// NewFilters returns filters that do not listen. They connect asks to the request lines of one arbiter per output.
// Transmitter i is requester i of every arbiter.
func NewFilters(bank Bank, asks *Asks, lines *Requests) (*Filters, error) {
	switch {
	case bank.Units != 1:
		return nil, fmt.Errorf("%s: outputs in %d units, but a crossbar is one unit", bank.Path(), bank.Units)
	case lines.bank.Size() != bank.Size() || lines.requesters != len(asks.To):
		return nil, fmt.Errorf("%s: %d outputs and %d transmitters, but the request lines are of %d arbiters and %d "+
			"requesters",
			bank.Path(), bank.Size(), len(asks.To), lines.bank.Size(), lines.requesters)
	}
	cells := bank.Size()
	f := &Filters{
		bank: bank, asks: asks, lines: lines,
		listens: make([]uint8, cells), tag: make([]uint16, cells), load: make([]filterLoad, cells),
	}
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
	f.Registers = Declare(Declaration{Bank: f.bank, Registers: registers, Derive: f.loaded})
	f.Reset()
}

// Limit limits the number of frames that start at an output in one slot to frames, 1..65535. busy and index are the
// arbiters' grants. Call Limit before the filters run. Frames must have at least two phits, so that the request is
// still high in the first cycle of a frame.
func (f *Filters) Limit(frames int, busy, index *Signal) {
	f.limit, f.busy, f.index = uint16(frames), busy, index
	f.started, f.holder = make([]uint16, f.bank.Size()), make([]uint32, f.bank.Size())
	f.declare()
}

// Take sets an output's load input for the next Latch: whether the output listens, and its tag. Call Take between
// Settle and Latch of the last cycle of a slot; in this cycle no transmitter requests an output.
func (f *Filters) Take(output int, listens bool, tag uint16) {
	f.load[output], f.loading = filterLoad{true, listens, tag}, true
}

func (f *Filters) Inputs() []Wire {
	if f.started == nil {
		return []Wire{f.asks}
	}
	return []Wire{f.asks, f.busy, f.index}
}

func (f *Filters) Outputs() []Wire { return []Wire{f.lines} }

func (f *Filters) Settle(s Shard) {
	f.lines.Clear(s.Index)
	for _, i := range f.asks.High(s.Index) {
		output := f.asks.To[i]
		if int(output) >= len(f.listens) || f.listens[output] == 0 || f.replaced != nil && f.replaced[output] {
			continue
		}
		if (f.tag[output] == TagAny || f.tag[output] == f.asks.Tag[i]) &&
			(f.started == nil || f.started[output] < f.limit || f.granted(output, i)) {
			f.lines.Raise(s.Index, uint32(output), i)
		}
	}
}

func (f *Filters) granted(output uint16, transmitter uint32) bool {
	return f.busy.Value[output] != 0 && f.index.Value[output] == uint64(transmitter)
}

func (f *Filters) Latches() []Wire {
	if f.started == nil {
		return nil
	}
	return f.Inputs()
}

func (f *Filters) Latch(s Shard) {
	if f.loading {
		for output, load := range f.load {
			if !load.on {
				continue
			}
			f.listens[output], f.tag[output] = uint8(oneIf(load.listens)), load.tag
			if f.started != nil {
				f.started[output], f.holder[output] = 0, 0
			}
		}
		f.loaded()
	}
	if f.started != nil {
		f.count(s)
	}
}

func (f *Filters) count(s Shard) {
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

func (f *Filters) loaded() {
	clear(f.load)
	f.loading = false
}

func (f *Filters) Site() *Site {
	asks, inputs := f.asks, len(f.asks.To)
	lines := f.lines.Port("request_o")
	lines.Input = false
	loads := func(name string, bits int, get func(load filterLoad) uint64, put func(load *filterLoad, value uint64)) Port {
		return Port{
			Name: name, Bits: bits, Input: true, Outside: true,
			Get: GetValue(func(output int) uint64 { return get(f.load[output]) }),
			Put: PutValue(func(output int, value uint64) error {
				put(&f.load[output], value)
				return nil
			}),
		}
	}
	return &Site{
		Twin: "output_filter", What: "filters of outputs", Parameters: Same(map[string]int{"INPUTS": inputs}),
		Elements: f.bank.Size(), Path: f.bank.Element, Clocked: true, Combinational: true,
		Ports: []Port{
			loads("load_i", 1, func(load filterLoad) uint64 { return oneIf(load.on) }, func(load *filterLoad, value uint64) {
				load.on = value != 0
				f.loading = f.loading || load.on
			}),
			loads("listen_i", 1, func(load filterLoad) uint64 { return oneIf(load.listens) },
				func(load *filterLoad, value uint64) { load.listens = value != 0 }),
			loads("accept_i", 16, func(load filterLoad) uint64 { return uint64(load.tag) },
				func(load *filterLoad, value uint64) { load.tag = uint16(value) }),
			{
				Name: "request_i", Bits: inputs, Input: true,
				From: func(output int) Expression {
					return asks.forEach(func(i int) Expression {
						return Carried(asks.Of(FieldTo, i)).Is(uint64(output)).If(Carried(asks.Of(FieldHigh, i)))
					})
				},
				Get: GetPins(func(output int, to Pins) {
					to.Clear()
					asks.each(func(i uint32) {
						if int(asks.To[i]) == output {
							to.SetBits(int(i), 1, 1)
						}
					})
				}),
				Put: PutPins(func(output int, from Pins) error {
					from.Ones(func(i int) { asks.Raise(0, uint32(i), uint16(output), asks.Tag[i]) })
					return nil
				}),
			}, {
				Name: "tag_i", Bits: 16 * inputs, Input: true,
				From: func(int) Expression {
					return asks.forEach(func(i int) Expression { return Carried(asks.Of(FieldTag, i)) })
				},
				Counts: func(int) Expression {
					return asks.forEach(func(i int) Expression {
						return Constant(16, 0xFFFF).If(Carried(asks.Of(FieldHigh, i)))
					})
				},
				Get: GetPins(func(_ int, to Pins) {
					to.Clear()
					asks.each(func(i uint32) { to.SetBits(16*int(i), 16, uint64(asks.Tag[i])) })
				}),
				Put: PutPins(func(_ int, from Pins) error {
					for i := range asks.Tag {
						asks.Tag[i] = uint16(from.GetBits(16*i, 16))
					}
					return nil
				}),
			},
			lines,
		},
		Replace: func(output int, _ func() bool) {
			if f.replaced == nil {
				f.replaced = make([]bool, f.bank.Size())
			}
			f.replaced[output] = true
		},
	}
}

func (f *Filters) QuietFor(limit uint64) uint64 {
	if !f.asks.Low() || f.loading {
		return 0
	}
	return limit
}
