package hw

import "fmt"

// LFSRPolynomial is the feedback of an LFSR. Bit k-1 stands for the term x^k of x^32 + x^22 + x^2 + x + 1. The
// polynomial is primitive: from any nonzero seed the register runs through all 2^32-1 nonzero values (taps as in
// Xilinx XAPP 052).
const LFSRPolynomial = 0x80200003

// LFSRs is a bank of 32-bit linear feedback shift registers, the random registers of NICs, in Galois form. While
// enable is high, the register shifts one place towards bit 0. If the bit shifted out is a one, the taps are
// inverted:
//
//	next = value>>1 ^ (LFSRPolynomial if value is odd)
//
// Latency 1 cycle from enable, one step per cycle. Neighbouring values share 31 bits; 32 steps yield 32 new bits.
// Reset: the seed. Parameters: the seeds. Input: enable. Output: value. Twin: lfsr.v.
type LFSRs struct {
	Registers
	bank   Bank
	seeds  []uint32
	enable *Signal
	value  *Signal

	register []uint32
}

// NewLFSRs returns a bank in its reset state. seeds has one nonzero value per element; enable has one bit per
// element.
func NewLFSRs(bank Bank, seeds []uint32, enable *Signal) (*LFSRs, error) {
	value, err := NewSignal(bank, "value", 32)
	if err != nil {
		return nil, err
	}
	if err := enable.checkInput(bank, "enable", 1); err != nil {
		return nil, err
	}
	if len(seeds) != bank.Size() {
		return nil, fmt.Errorf("%s: %d registers, %d seeds", bank.Path(), bank.Size(), len(seeds))
	}
	for i, seed := range seeds {
		if seed == 0 {
			return nil, fmt.Errorf("%s: seed 0, at which the register never changes; give any other seed", bank.Element(i))
		}
	}
	l := &LFSRs{bank: bank, seeds: seeds, enable: enable, value: value, register: make([]uint32, bank.Size())}
	l.Registers = Declare(Declaration{
		Bank:      bank,
		Registers: []Register{Column("register", l.register, checkLFSR).ResetTo(seeds...)},
		Wires:     []Probed{value},
	})
	l.Reset()
	return l, nil
}

func checkLFSR(i int, value uint32) error {
	if value == 0 {
		return fmt.Errorf("element %d is 0, which no register reaches", i)
	}
	return nil
}

func (l *LFSRs) Site() *Site {
	return &Site{
		Twin: "lfsr", What: "LFSRs",
		Parameters: func(element int) map[string]int { return map[string]int{"SEED": int(l.seeds[element])} },
		Elements:   l.bank.Size(), Path: l.bank.Element, Clocked: true,
		Ports: []Port{SignalPort("enable_i", l.enable, true), SignalPort("value_o", l.value, false)},
	}
}

func (l *LFSRs) Drives() []Wire { return []Wire{l.value} }

func (l *LFSRs) Drive(s Shard) {
	first, end := l.bank.Cells(s)
	value := l.value.Value[first:end]
	for i, register := range l.register[first:end] {
		value[i] = uint64(register)
	}
}

func (l *LFSRs) Latches() []Wire { return []Wire{l.enable} }

func (l *LFSRs) Latch(s Shard) {
	first, end := l.bank.Cells(s)
	if stuck := stepLFSRs(l.register[first:end], l.enable.Value[first:end]); stuck >= 0 {
		broken(l.bank.Element(first+stuck), "the register is 0, at which it never changes")
	}
}

// stepLFSRs advances the enabled registers. It returns the index of a register that is 0, or -1 if there is none.
func stepLFSRs(register []uint32, enable []uint64) (stuck int) {
	stuck = -1
	for i, e := range enable {
		if e != 0 {
			if register[i] = stepLFSR(register[i]); register[i] == 0 {
				stuck = i
			}
		}
	}
	return stuck
}

func stepLFSR(value uint32) uint32 { return value>>1 ^ -(value&1)&LFSRPolynomial }

func (l *LFSRs) QuietFor(limit uint64) uint64 {
	for i, register := range l.register {
		if l.enable.Value[i] != 0 || l.value.Value[i] != uint64(register) {
			return 0
		}
	}
	return limit
}
