package coverage

import (
	"fmt"
	"hash/fnv"
	"math/bits"
	"slices"

	"starloom/hw"
)

const (
	StatesMax    = 1 << 20 // distinct states
	registersMax = 4096
	valuesMax    = 64 // registers with more values are counted bit by bit
)

// Model holds the values of a model's registers in a run.
type Model struct {
	name      string
	registers []Register
	states    map[uint64]struct{}
	left      int // number of registers that are ignored
	cells     []hw.Cell
	word      [8]byte
}

// Register is the coverage of a register in cycles without reset.
type Register struct {
	Path  string `json:"path"`
	Bits  int    `json:"bits"`
	Limit uint64 `json:"limit"` // largest legal value of the register

	seen        []uint64 // bit set of values of a small register
	ones, zeros uint64   // bits of a large register that have been 1, and bits that have been 0
}

// NewModel returns empty coverage of the registers of a model. name is prefixed to the paths of the registers.
func NewModel(name string, cells []hw.Cell) Model {
	m := Model{name: name, states: map[uint64]struct{}{}, left: max(0, len(cells)-registersMax)}
	m.cells = cells[:min(len(cells), registersMax)]
	for _, c := range m.cells {
		r := Register{Path: name + "." + c.Path, Bits: c.Bits, Limit: c.Limit}
		if r.small() {
			r.seen = make([]uint64, (c.Limit+64)/64)
		}
		m.registers = append(m.registers, r)
	}
	return m
}

func (r *Register) small() bool { return r.Limit < valuesMax }

// See records the current values of the registers.
func (m *Model) See() {
	sum := fnv.New64a()
	for i := range m.cells {
		value, r := m.cells[i].Value(), &m.registers[i]
		for k := range m.word {
			m.word[k] = byte(value >> (8 * k))
		}
		_, _ = sum.Write(m.word[:])
		r.see(value)
	}
	if len(m.states) < StatesMax {
		m.states[sum.Sum64()] = struct{}{}
	}
}

func (r *Register) see(value uint64) {
	switch {
	case !r.small():
		r.ones |= value
		r.zeros |= ^value
	case value <= r.Limit:
		r.seen[value/64] |= 1 << (value % 64)
	}
}

func (m *Model) merge(other *Model) {
	if m.states == nil {
		m.states = map[uint64]struct{}{}
	}
	for i := range other.registers {
		r := &other.registers[i]
		at := slices.IndexFunc(m.registers, func(own Register) bool {
			return own.Path == r.Path && own.Bits == r.Bits &&
				own.Limit == r.Limit
		})
		if at < 0 {
			own := *r
			own.seen = slices.Clone(r.seen)
			m.registers = append(m.registers, own)
			continue
		}
		own := &m.registers[at]
		own.ones, own.zeros = own.ones|r.ones, own.zeros|r.zeros
		for w, word := range r.seen {
			own.seen[w] |= word
		}
	}
	for state := range other.states {
		if len(m.states) < StatesMax {
			m.states[state] = struct{}{}
		}
	}
	m.left = max(m.left, other.left)
}

// States returns the number of distinct states, up to StatesMax.
func (m *Model) States() int { return len(m.states) }

// values counts the values of a register and the values that occurred. For a large register, it counts a 0 and a 1 of
// each bit.
func (r *Register) values() Part {
	if !r.small() {
		mask := ^uint64(0) >> (64 - r.Bits)
		return Part{bits.OnesCount64(r.ones&mask) + bits.OnesCount64(r.zeros&mask), 2 * r.Bits}
	}
	p := Part{Of: int(r.Limit) + 1}
	for _, word := range r.seen {
		p.Covered += bits.OnesCount64(word)
	}
	return p
}

// never lists missing values, such as 3, 5-7. For a large register, it lists missing bits: 0 in bits 8-15, 1 in bits
// 7.
func (r *Register) never() (list []string) {
	unseen := func(n int, seen func(i int) bool) []string {
		var missing []int
		for i := range n {
			if !seen(i) {
				missing = append(missing, i)
			}
		}
		return ranges(missing)
	}
	if r.small() {
		return unseen(int(r.Limit)+1, func(i int) bool { return r.seen[i/64]>>(i%64)&1 != 0 })
	}
	for value, have := range []uint64{r.zeros, r.ones} {
		for _, place := range unseen(r.Bits, func(i int) bool { return have>>i&1 != 0 }) {
			list = append(list, fmt.Sprintf("%d in bits %s", value, place))
		}
	}
	return list
}

func (m *Model) parts() (registers, values Part) {
	for i := range m.registers {
		p := m.registers[i].values()
		values.add(p)
		registers.count(p.Covered == p.Of)
	}
	return registers, values
}
