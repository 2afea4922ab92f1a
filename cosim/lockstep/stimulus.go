package lockstep

import (
	"bufio"
	"fmt"
	"io"
	"math/big"
	"math/bits"
	"slices"
	"strconv"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// Stimulus holds the inputs of a model, one row per cycle.
type Stimulus struct {
	Inputs []cosim.Port // all inputs except the clock
	Place  string       // name of the origin in messages: a file, or a component of a run
	words  int
	rows   []uint64
	cycles []uint64 // by row: cycle of the recorded run, hw.CycleOfReset before it; nil: row numbers
}

func newStimulus(m *twin.Model) *Stimulus {
	s := &Stimulus{words: len(m.Inputs())}
	for _, p := range m.Ports() {
		if p.Input && !p.Clock {
			s.Inputs = append(s.Inputs, p)
		}
	}
	return s
}

// Cycles returns the number of rows.
func (s *Stimulus) Cycles() int { return len(s.rows) / s.words }

func (s *Stimulus) row(cycle int) []uint64 { return s.rows[cycle*s.words:][:s.words] }

// cycleOf returns the cycle of a row: in the recorded run (hw.CycleOfReset before cycle 0), otherwise the row's
// number.
func (s *Stimulus) cycleOf(row uint64) uint64 {
	if s == nil || s.cycles == nil {
		return row
	}
	return s.cycles[row]
}

func (s *Stimulus) drive() drive {
	return func(cycle uint64, inputs []uint64) bool {
		if cycle >= uint64(s.Cycles()) {
			return false
		}
		copy(inputs, s.row(int(cycle)))
		return true
	}
}

func (s *Stimulus) with(rows []uint64) *Stimulus {
	return &Stimulus{Inputs: s.Inputs, Place: s.Place, words: s.words, rows: rows}
}

func (s *Stimulus) clone() *Stimulus { return s.with(slices.Clone(s.rows)) }
func (s *Stimulus) cut(cycles int)   { s.rows = s.rows[:min(len(s.rows), cycles*s.words)] }

func (s *Stimulus) slice(from, to int) *Stimulus {
	return s.with(slices.Clone(s.rows[from*s.words : to*s.words]))
}

func (s *Stimulus) without(from, to int) *Stimulus {
	return s.with(append(slices.Clone(s.rows[:from*s.words]), s.rows[to*s.words:]...))
}

func (s *Stimulus) ones() (count int) {
	for _, word := range s.rows {
		count += bits.OnesCount64(word)
	}
	return count
}

func (s *Stimulus) mask() {
	for cycle := range s.Cycles() {
		for _, p := range s.Inputs {
			if p.Bits%64 != 0 {
				s.row(cycle)[p.Word+p.Words()-1] &= 1<<(p.Bits%64) - 1
			}
		}
	}
}

// WriteCSV writes one line per cycle: its number, then every input, single bits as 0 or 1, vectors in hexadecimal.
// ReadStimulus reads this format.
func (s *Stimulus) WriteCSV(w io.Writer) error {
	b := bufio.NewWriter(w)
	switch first := slices.Index(s.cycles, 0); {
	case first < 0:
	case int(s.cycles[len(s.cycles)-1]) == len(s.cycles)-1-first:
		fmt.Fprintf(b, "# cycle %d here is cycle 0 of the run, for %s\n", first, s.Place)
	default:
		fmt.Fprintf(b, "# only the cycles of the run in which inputs change, for %s\n", s.Place)
	}
	b.WriteString("cycle")
	for _, p := range s.Inputs {
		b.WriteString("," + p.Name)
	}
	for cycle := range s.Cycles() {
		b.WriteString("\n" + strconv.Itoa(cycle))
		for _, p := range s.Inputs {
			value := numberOf(s.row(cycle)[p.Word:][:p.Words()])
			if p.Bits == 1 {
				fmt.Fprintf(b, ",%d", value)
			} else {
				fmt.Fprintf(b, ",%#x", value)
			}
		}
	}
	b.WriteString("\n")
	return b.Flush()
}

func numberOf(words []uint64) *big.Int {
	n := new(big.Int)
	for _, word := range slices.Backward(words) {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(word))
	}
	return n
}

func (s *Stimulus) tooLong(place string) error {
	if len(s.rows) <= stimulusWordsMax {
		return nil
	}
	return &cosim.InputError{
		Place:  place,
		Reason: fmt.Sprintf("more than %d cycles", stimulusWordsMax/s.words),
		Remedy: "give a shorter stimulus",
	}
}

// A drive replaces the inputs of the previous cycle by the inputs of cycle. It returns false at the end.
type drive func(cycle uint64, inputs []uint64) bool

func partName(port string, low, bits int) string {
	return fmt.Sprintf("%s_%d_%d", port, low+bits-1, low)
}

const stimulusWordsMax = 1 << 24
