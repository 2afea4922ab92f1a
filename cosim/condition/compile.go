package condition

import (
	"math/bits"

	"starloom/cosim"
	"starloom/hw"
)

// A Sight gives conditions access to the ports of a running model, in this cycle and the previous one.
type Sight struct {
	columns [4][]uint64
	before  bool // the previous cycle exists, and reset was off in it
}

const (
	columnInputs = iota
	columnOutputs
	columnPast // previous inputs; the previous outputs are in the next column
)

// NewSight returns a view of a model's inputs and outputs.
func NewSight(inputs, outputs []uint64) *Sight {
	return &Sight{columns: [4][]uint64{inputs, outputs, make([]uint64, len(inputs)), make([]uint64, len(outputs))}}
}

// Next ends the current cycle, which becomes the previous cycle.
func (s *Sight) Next() {
	copy(s.columns[columnPast], s.columns[columnInputs])
	copy(s.columns[columnPast+1], s.columns[columnOutputs])
	s.before = true
}

// Reset ends a cycle with reset on. The next cycle then has no previous cycle.
func (s *Sight) Reset() { s.before = false }

// A word computes 64 bits of a value. Bits above the value's width are 0.
type word func(s *Sight) uint64

func wordsOf(width int) int { return (width + 63) / 64 }

func maskOf(width int) uint64 { return ^uint64(0) >> (64 - min(width, 64)) }

func compile(n *node) []word {
	if n.value != nil {
		return constant(n)
	}
	kids := make([][]word, len(n.kids))
	for i, kid := range n.kids {
		kids[i] = compile(kid)
	}
	switch n.text {
	case "[":
		return portWords(n, kids)
	case "{":
		return joined(n, kids)
	case "$past":
		return before(kids[0])
	case "!", "&&", "||", "->":
		return []word{logical(n.text, kids)}
	case "==", "!=", "<", "<=", ">", ">=":
		return []word{comparison(n.text, kids[0], kids[1])}
	case "$onehot", "$onehot0":
		a, most := kids[0][0], n.text == "$onehot0"
		return []word{func(s *Sight) uint64 {
			v := a(s)
			return bit(v&(v-1) == 0 && (most || v != 0))
		}}
	case "?":
		return chosen(n, kids)
	}
	if len(kids) == 1 {
		return ofOne(n, kids[0])
	}
	return ofTwo(n, kids[0], kids[1])
}

// before restricts words to cycles with a previous cycle; in other cycles the words are 0.
func before(of []word) []word {
	all := make([]word, len(of))
	for i, a := range of {
		all[i] = func(s *Sight) uint64 {
			if !s.before {
				return 0
			}
			return a(s)
		}
	}
	return all
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

func at(of []word, i int) word {
	if i < len(of) {
		return of[i]
	}
	return func(*Sight) uint64 { return 0 }
}

func constant(n *node) (of []word) {
	text := n.value.FillBytes(make([]byte, 8*wordsOf(n.width)))
	for end := len(text); end > 0; end -= 8 {
		value := uint64(0)
		for _, b := range text[end-8 : end] {
			value = value<<8 | uint64(b)
		}
		of = append(of, func(*Sight) uint64 { return value })
	}
	return of
}

func portWords(n *node, kids [][]word) (of []word) {
	column := columnOutputs
	if n.port.Input {
		column = columnInputs
	}
	if n.past {
		column += columnPast
	}
	first := 64 * n.port.Word
	if len(kids) > 0 {
		index, end := kids[0][0], uint64(n.port.Bits)
		return []word{func(s *Sight) uint64 {
			i := index(s)
			if i >= end {
				return 0
			}
			return hw.GetBits(s.columns[column], first+int(i), 1)
		}}
	}
	for low, left := first+n.low, n.width; left > 0; low, left = low+64, left-64 {
		w, shift, mask := low/64, low%64, maskOf(left)
		if shift+min(left, 64) <= 64 {
			of = append(of, func(s *Sight) uint64 { return s.columns[column][w] >> shift & mask })
			continue
		}
		of = append(of, func(s *Sight) uint64 {
			return (s.columns[column][w]>>shift | s.columns[column][w+1]<<(64-shift)) & mask
		})
	}
	return of
}

func joined(n *node, kids [][]word) []word {
	type part struct {
		of   word
		to   int // lowest bit in the result
		bits int
	}
	var parts []part
	to := 0
	for range n.count {
		for i := len(kids) - 1; i >= 0; i-- {
			width := n.kids[i].width
			for w, of := range kids[i] {
				parts = append(parts, part{of, to + 64*w, min(64, width-64*w)})
			}
			to += width
		}
	}
	all := make([]word, wordsOf(n.width))
	for i := range all {
		var within []part
		for _, p := range parts {
			if p.to < 64*(i+1) && p.to+p.bits > 64*i {
				within = append(within, p)
			}
		}
		all[i] = func(s *Sight) (value uint64) {
			for _, p := range within {
				if p.to < 64*i {
					value |= p.of(s) >> (64*i - p.to)
				} else {
					value |= p.of(s) << (p.to - 64*i)
				}
			}
			return value
		}
	}
	return all
}

func truth(of []word) word {
	if len(of) == 1 {
		a := of[0]
		return func(s *Sight) uint64 { return bit(a(s) != 0) }
	}
	return func(s *Sight) uint64 {
		for _, a := range of {
			if a(s) != 0 {
				return 1
			}
		}
		return 0
	}
}

func logical(sign string, kids [][]word) word {
	a := truth(kids[0])
	if sign == "!" {
		return func(s *Sight) uint64 { return a(s) ^ 1 }
	}
	b := truth(kids[1])
	switch sign {
	case "&&":
		return func(s *Sight) uint64 {
			if a(s) == 0 {
				return 0
			}
			return b(s)
		}
	case "||":
		return func(s *Sight) uint64 {
			if a(s) != 0 {
				return 1
			}
			return b(s)
		}
	}
	return func(s *Sight) uint64 {
		if a(s) == 0 {
			return 1
		}
		return b(s)
	}
}

func comparison(sign string, left, right []word) word {
	words := max(len(left), len(right))
	order := func(s *Sight) int {
		for i := words - 1; i >= 0; i-- {
			if a, b := at(left, i)(s), at(right, i)(s); a != b {
				if a < b {
					return -1
				}
				return 1
			}
		}
		return 0
	}
	if words == 1 {
		a, b := left[0], right[0]
		order = func(s *Sight) int {
			switch x, y := a(s), b(s); {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		}
	}
	switch sign {
	case "==":
		return func(s *Sight) uint64 { return bit(order(s) == 0) }
	case "!=":
		return func(s *Sight) uint64 { return bit(order(s) != 0) }
	case "<":
		return func(s *Sight) uint64 { return bit(order(s) < 0) }
	case "<=":
		return func(s *Sight) uint64 { return bit(order(s) <= 0) }
	case ">":
		return func(s *Sight) uint64 { return bit(order(s) > 0) }
	}
	return func(s *Sight) uint64 { return bit(order(s) >= 0) }
}

func chosen(n *node, kids [][]word) []word {
	condition := truth(kids[0])
	all := make([]word, wordsOf(n.width))
	for i := range all {
		yes, no := at(kids[1], i), at(kids[2], i)
		all[i] = func(s *Sight) uint64 {
			if condition(s) != 0 {
				return yes(s)
			}
			return no(s)
		}
	}
	return all
}

func ofOne(n *node, of []word) []word {
	switch n.text {
	case "~":
		all := make([]word, wordsOf(n.width))
		for i := range all {
			a, mask := at(of, i), maskOf(n.width-64*i)
			all[i] = func(s *Sight) uint64 { return ^a(s) & mask }
		}
		return all
	case "-":
		a, mask := of[0], maskOf(n.width)
		return []word{func(s *Sight) uint64 { return -a(s) & mask }}
	}
	invert := bit(n.text[0] == '~')
	width := n.kids[0].width
	switch n.text[len(n.text)-1] {
	case '|':
		any := truth(of)
		return []word{func(s *Sight) uint64 { return any(s) ^ invert }}
	case '&':
		return []word{func(s *Sight) uint64 {
			for i, a := range of {
				if a(s) != maskOf(width-64*i) {
					return invert
				}
			}
			return 1 ^ invert
		}}
	}
	return []word{func(s *Sight) uint64 { // ^
		ones := 0
		for _, a := range of {
			ones += bits.OnesCount64(a(s))
		}
		return uint64(ones)&1 ^ invert
	}}
}

func ofTwo(n *node, left, right []word) []word {
	all := make([]word, wordsOf(n.width))
	for i := range all {
		a, b, mask := at(left, i), at(right, i), maskOf(n.width-64*i)
		switch n.text {
		case "&":
			all[i] = func(s *Sight) uint64 { return a(s) & b(s) }
		case "|":
			all[i] = func(s *Sight) uint64 { return a(s) | b(s) }
		case "^":
			all[i] = func(s *Sight) uint64 { return a(s) ^ b(s) }
		case "~^":
			all[i] = func(s *Sight) uint64 { return ^(a(s) ^ b(s)) & mask }
		case "+":
			all[i] = func(s *Sight) uint64 { return (a(s) + b(s)) & mask }
		case "-":
			all[i] = func(s *Sight) uint64 { return (a(s) - b(s)) & mask }
		case "*":
			all[i] = func(s *Sight) uint64 { return a(s) * b(s) & mask }
		case "<<":
			all[i] = func(s *Sight) uint64 { return a(s) << b(s) & mask }
		case ">>":
			all[i] = func(s *Sight) uint64 { return a(s) >> b(s) }
		}
	}
	return all
}

// Scope defines the names in a condition.
type Scope struct {
	Model      string
	Ports      []cosim.Port
	Parameters map[string]int
	Pins       []string // pins of the RTL, which a condition must not read
}

// Use is a port that a condition reads.
type Use struct {
	Port cosim.Port
	Past bool // the value belongs to the previous cycle
}
