package hw

import "fmt"

// Toss reports whether a coin shows heads: whether the 32 uniform bits in random are below floor(2^32/count). The
// probability is 1/count for powers of two, otherwise lower by less than 2^-32. With a count of 0 the probability is
// 0.
func Toss(random, count uint32) bool {
	return count != 0 && (uint64(random)+1)*uint64(count) <= 1<<32
}

// CoinSeed returns the initial value of a processor's coin in a slot: the first draw. CoinSeed replaces 0 by 1,
// because an LFSR cannot start at 0; Toss has the same result for both values and every count up to 2^31.
func (s Stream) CoinSeed(processor, slot uint32) uint32 { return max(1, s.Draw(processor, slot, 0)) }

// Coins is a bank of coins, one for each input of a medium without an arbiter. The probability of heads is 1/count;
// all inputs of a medium share the count. A coin is an LFSR (LFSRs) that start loads with CoinSeed:
//
//	cycle      0    1    2    3
//	start     /-\_______________
//	slot        s
//	toss      _____/---------\__
//	value       ?   v0   v1   v2    32 steps of the LFSR for each toss
//	heads           0    1    0     of value and count, within the cycle
//
// The first toss of a slot has the probability of Toss. Later tosses read an LFSR, which is never 0; their
// probability is at most 1/count, and at least 1/count - 2^-31.
//
// Reset: value 1. Parameters: count bits. Inputs: start, toss, stream, processor, slot and count. Outputs: heads and
// value. Stream and processor are constant. Twin: coin.v.
type Coins struct {
	Registers
	bank      Bank
	inputs    int
	stream    Stream
	processor []uint32

	start, slot, count, toss *Signal
	heads, value             *Signal

	register []uint32
}

// CoinConfig holds the parameters of a bank of coins.
type CoinConfig struct {
	Bank       Bank
	Inputs     int // coins per medium, side by side
	Stream     Stream
	Processors []uint32 // by coin: processor that tosses the coin

	Start, Slot *Signal // 1 bit and 32 bits per medium
	Count       *Signal // 1 to 32 bits per medium
	Toss        *Signal // 1 bit per coin
}

// NewCoins returns a bank in its reset state.
func NewCoins(c CoinConfig) (*Coins, error) {
	if err := c.Bank.Check(); err != nil {
		return nil, err
	}
	path, cells := c.Bank.Path(), c.Bank.Size()
	switch {
	case c.Inputs < 1 || cells%c.Inputs != 0:
		return nil, fmt.Errorf("%s: %d coins, %d for each medium", path, cells, c.Inputs)
	case len(c.Processors) != cells:
		return nil, fmt.Errorf("%s: %d coins of %d processors", path, cells, len(c.Processors))
	case c.Count == nil || c.Count.width > 32:
		return nil, fmt.Errorf("%s: no count wire of at most 32 bits", path)
	}
	for _, err := range []error{
		c.Start.checkColumn(path, "start", cells/c.Inputs, 1), c.Slot.checkColumn(path, "slot", cells/c.Inputs, 32),
		c.Count.checkColumn(path, "count", cells/c.Inputs, c.Count.width), c.Toss.checkColumn(path, "toss", cells, 1),
	} {
		if err != nil {
			return nil, err
		}
	}
	heads, err := NewSignal(c.Bank, "heads", 1)
	if err != nil {
		return nil, err
	}
	value, err := NewSignal(c.Bank, "value", 32)
	if err != nil {
		return nil, err
	}
	a := &Coins{
		bank: c.Bank, inputs: c.Inputs, stream: c.Stream, processor: c.Processors,
		start: c.Start, slot: c.Slot, count: c.Count, toss: c.Toss, heads: heads, value: value,
		register: make([]uint32, cells),
	}
	a.Registers = Declare(Declaration{
		Bank: c.Bank, Registers: []Register{Column("register", a.register, checkLFSR).ResetTo(1)},
		Wires: []Probed{heads, value},
	})
	a.Reset()
	return a, nil
}

// Reseed replaces the stream of coins in their reset state.
func (c *Coins) Reseed(stream Stream) { c.stream = stream }

// Heads returns a wire per coin: 1 for heads.
func (c *Coins) Heads() *Signal { return c.heads }

// Value returns the 32-bit register of each coin.
func (c *Coins) Value() *Signal { return c.value }

func (c *Coins) Site() *Site {
	return &Site{
		Twin: "coin", What: "coins", Parameters: Same(map[string]int{"COUNT_BITS": c.count.width}),
		Elements: c.bank.Size(), Path: c.bank.Element, Clocked: true, Combinational: true,
		Ports: []Port{
			SharedPort("start_i", c.start, true, c.inputs), SignalPort("toss_i", c.toss, true),
			{
				Name: "stream_i", Bits: 64, Input: true,
				Get: GetValue(func(int) uint64 { return uint64(c.stream) }),
				Put: PutValue(func(_ int, value uint64) error { c.stream = Stream(value); return nil }),
			},
			{
				Name: "processor_i", Bits: 32, Input: true,
				Get: GetValue(func(element int) uint64 { return uint64(c.processor[element]) }),
				Put: PutValue(func(element int, value uint64) error { c.processor[element] = uint32(value); return nil }),
			},
			SharedPort("slot_i", c.slot, true, c.inputs), SharedPort("count_i", c.count, true, c.inputs),
			SignalPort("heads_o", c.heads, false), SignalPort("value_o", c.value, false),
		},
	}
}

func (c *Coins) Inputs() []Wire { return []Wire{c.count} }

func (c *Coins) Outputs() []Wire { return []Wire{c.heads, c.value} }

func (c *Coins) Settle(s Shard) {
	first, end := c.bank.Cells(s)
	for i := first; i < end; i++ {
		c.value.Value[i], c.heads.Value[i] = uint64(c.register[i]), 0
		if Toss(c.register[i], uint32(c.count.Value[i/c.inputs])) {
			c.heads.Value[i] = 1
		}
	}
}

func (c *Coins) Latches() []Wire { return []Wire{c.start, c.slot, c.toss} }

func (c *Coins) Latch(s Shard) {
	first, end := c.bank.Cells(s)
	for i := first; i < end; i++ {
		medium := i / c.inputs
		switch {
		case c.start.Value[medium] != 0:
			c.register[i] = c.stream.CoinSeed(c.processor[i], uint32(c.slot.Value[medium]))
		case c.toss.Value[i] != 0:
			for range 32 {
				c.register[i] = stepLFSR(c.register[i])
			}
		}
	}
}

func (c *Coins) QuietFor(limit uint64) uint64 {
	for _, start := range c.start.Value {
		if start != 0 {
			return 0
		}
	}
	for i, register := range c.register {
		heads := Toss(register, uint32(c.count.Value[i/c.inputs]))
		if c.toss.Value[i] != 0 || c.value.Value[i] != uint64(register) || (c.heads.Value[i] != 0) != heads {
			return 0
		}
	}
	return limit
}
