package hw

import (
	"fmt"
	"math/bits"
)

// CreditDepthMax is the maximum number of credits of a counter.
const CreditDepthMax = 65535

// CreditCounterBytes is the memory per counter.
const CreditCounterBytes = 7

// CreditCounters is a bank of counters. Each counter belongs to a sender and counts the free buffers of its receiver.
//
// Inputs: take (1 bit) and give (a number). Registered outputs: count, underflow and overflow. A credit given in
// cycle c can be taken in cycle c+1. A cycle can take one credit and give any number.
//
//	cycle       0   1   2   3   4
//	take       /-------\___/---\___
//	give         0   0   1   0   0
//	count        2   1   0   1   0
//
// Errors are flagged in the next cycle. A take without a credit changes nothing (underflow). If more credits are
// given than are outstanding, the counter is at depth, minus a take in that cycle (overflow).
//
// Reset: depth credits, flags 0. Parameter: depth. Twin: credit_counter.v.
type CreditCounters struct {
	Registers
	bank  Bank
	depth int
	owner []uint16 // by unit: its shard

	// inputs of this cycle, for the next Latch
	take []uint8
	give []uint16

	// Registers.
	count               []uint16
	underflow, overflow []uint8

	asked    []bool // [giver*shards+owner]: in this cycle, shard giver has set an input of shard owner
	flagged  []bool // by shard: a flag is set
	shards   int
	replaced []bool // by sender: RTL replaces the counter; nil if RTL replaces none

	// Restoring, unless nil, is called for each sender in ascending order when a state is restored, with the restored
	// count.
	Restoring func(sender int, count uint16)
}

// NewCreditCounters returns a bank of counters at depth credits, 1 to CreditDepthMax.
func NewCreditCounters(bank Bank, depth int, shards []Shard) (*CreditCounters, error) {
	if err := bank.Check(); err != nil {
		return nil, err
	}
	if depth < 1 || depth > CreditDepthMax {
		return nil, fmt.Errorf("%s: %d credits; allowed: 1 to %d", bank.Path(), depth, CreditDepthMax)
	}
	if err := CheckShards(shards, bank.Units); err != nil {
		return nil, fmt.Errorf("%s: %w", bank.Path(), err)
	}
	n := bank.Size()
	c := &CreditCounters{
		bank: bank, depth: depth, owner: ShardOfUnit(shards), shards: len(shards),
		take: make([]uint8, n), give: make([]uint16, n),
		count: make([]uint16, n), underflow: make([]uint8, n), overflow: make([]uint8, n),
		asked: make([]bool, len(shards)*len(shards)), flagged: make([]bool, len(shards)),
	}
	c.Registers = Declare(Declaration{
		Bank: bank,
		Registers: []Register{
			Column("count", c.count, AtMost(uint16(depth)), c.restoring).ResetTo(uint16(depth)).Shown(bits.Len(uint(depth))),
			Column("underflow", c.underflow, AtMost[uint8](1)).Shown(1),
			Column("overflow", c.overflow, AtMost[uint8](1)).Shown(1),
		},
		Derive: c.forget,
	})
	c.Reset()
	return c, nil
}

// Count returns a sender's credits, 0..depth.
func (c *CreditCounters) Count(sender int) int { return int(c.count[sender]) }

// Take sets a sender's take input for the next Latch. The sender's shard must call Take between Settle and Latch.
func (c *CreditCounters) Take(sender int) {
	if c.count[sender] == 0 {
		broken(c.bank.Element(sender), "a frame is sent without a credit")
	}
	c.take[sender] = 1
	c.ask(int(c.owner[sender/c.bank.PerUnit]), sender)
}

// Give adds 1 to a sender's give input for the next Latch. The shard of the sender's only receiver must call Give
// between Settle and Latch.
func (c *CreditCounters) Give(giver, sender int) {
	c.give[sender]++
	if out := c.depth - int(c.count[sender]); int(c.give[sender]) > out && !c.Replaced(sender) {
		broken(c.bank.Element(sender), "%d credits are returned, but only %d are outstanding", c.give[sender], out)
	}
	c.ask(giver, sender)
}

func (c *CreditCounters) ask(giver, sender int) {
	c.asked[giver*c.shards+int(c.owner[sender/c.bank.PerUnit])] = true
}

func (c *CreditCounters) Latches() []Wire { return nil }

func (c *CreditCounters) Latch(s Shard) {
	if !c.calls(s.Index) && !c.flagged[s.Index] {
		return
	}
	for giver := range c.shards {
		c.asked[giver*c.shards+s.Index] = false
	}
	first, end := c.bank.Cells(s)
	c.flagged[s.Index] = latchCredits(c.count[first:end], c.take[first:end], c.give[first:end], c.underflow[first:end],
		c.overflow[first:end], uint16(c.depth))
}

func (c *CreditCounters) calls(owner int) bool {
	for giver := range c.shards {
		if c.asked[giver*c.shards+owner] {
			return true
		}
	}
	return false
}

// latchCredits updates counters and clears their inputs. flagged reports whether it has set a flag.
func latchCredits(count []uint16, take []uint8, give []uint16, underflow, overflow []uint8,
	depth uint16) (flagged bool) {
	for i, have := range count {
		given, taken := give[i], uint16(take[i])
		give[i], take[i], underflow[i], overflow[i] = 0, 0, 0, 0
		if given > depth-have {
			given, overflow[i], flagged = depth-have, 1, true
		}
		if taken > have {
			taken, underflow[i], flagged = 0, 1, true
		}
		count[i] = have + given - taken
	}
	return flagged
}

func (c *CreditCounters) QuietFor(limit uint64) uint64 {
	for shard := range c.shards {
		if c.flagged[shard] || c.calls(shard) {
			return 0
		}
	}
	return limit
}

func (c *CreditCounters) Site() *Site {
	ask := func(sender int) { c.ask(int(c.owner[sender/c.bank.PerUnit]), sender) }
	width := bits.Len(uint(c.depth))
	flag := func(name string, column []uint8) Port {
		return Port{
			Name: name, Bits: 1, Watched: true,
			Get: GetValue(func(sender int) uint64 { return uint64(column[sender]) }),
			Put: PutValue(func(sender int, value uint64) error {
				column[sender] = uint8(value)
				return nil
			}),
		}
	}
	return &Site{
		Twin: "credit_counter", What: "credit counters", Parameters: Same(map[string]int{"DEPTH": c.depth}),
		Elements: c.bank.Size(), Path: c.bank.Element, Whole: c.bank.WholeOf(), Clocked: true,
		Ports: []Port{
			{
				Name: "take_i", Bits: 1, Input: true,
				Get: GetValue(func(sender int) uint64 { return uint64(c.take[sender]) }),
				Put: PutValue(func(sender int, value uint64) error {
					c.take[sender] = uint8(value)
					ask(sender)
					return nil
				}),
			}, {
				Name: "give_i", Bits: width, Input: true,
				Get: GetValue(func(sender int) uint64 { return uint64(c.give[sender]) }),
				Put: PutValue(func(sender int, value uint64) error {
					c.give[sender] = uint16(value)
					ask(sender)
					return nil
				}),
			}, {
				Name: "count_o", Bits: width,
				Get: GetValue(func(sender int) uint64 { return uint64(c.count[sender]) }),
				Put: PutValue(func(sender int, value uint64) error {
					if value > uint64(c.depth) {
						return fmt.Errorf("output count_o is %d, but there are %d credits", value, c.depth)
					}
					c.count[sender] = uint16(value)
					return nil
				}),
			},
			flag("underflow_o", c.underflow), flag("overflow_o", c.overflow),
		},
		Replace: func(sender int, _ func() bool) {
			if c.replaced == nil {
				c.replaced = make([]bool, c.bank.Size())
			}
			c.replaced[sender] = true
		},
	}
}

// Replaced reports whether RTL replaces a sender's counter.
func (c *CreditCounters) Replaced(sender int) bool { return c.replaced != nil && c.replaced[sender] }

func (c *CreditCounters) restoring(sender int, count uint16) error {
	if c.Restoring != nil {
		c.Restoring(sender, count)
	}
	return nil
}

func (c *CreditCounters) forget() {
	clear(c.take)
	clear(c.give)
	clear(c.asked)
	for i := range c.flagged {
		c.flagged[i] = false
	}
	for i := range c.count {
		if c.underflow[i]|c.overflow[i] != 0 {
			c.flagged[c.owner[i/c.bank.PerUnit]] = true
		}
	}
}
