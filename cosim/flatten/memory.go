package flatten

import (
	"fmt"
	"math/big"
	"strings"
)

func (p *process) readMemory(n *node, s *state) *state {
	_, text, _ := p.constantOf(n.one(1))
	name := strings.TrimLeft(string(text.Bytes()), "\x00")
	data, ok := p.Data[name]
	word := p.word(n)
	t := p.locate(n.one(2), s)
	if !ok || !p.initial || t.what == nil || t.what.element == nil || len(t.steps) > 0 ||
		word != "$readmemh" && word != "$readmemb" {
		panic(p.refuse(n, fmt.Sprintf("%s of %s", word, name),
			"read a file with a constant name into a whole array, in an initial block"))
	}
	base := map[bool]int{true: 16, false: 2}[word == "$readmemh"]
	at, last := 0, t.what.elements-1
	for operand, to := range map[int]*int{3: &at, 4: &last} {
		if bound := n.one(operand); bound != nil {
			*to, _ = p.eval(bound, s).small()
		}
	}
	v := s.open(key{t.v, false}, p.entry)
	for _, word := range memoryWords(data) {
		if address, ok := strings.CutPrefix(word, "@"); ok {
			to, _ := new(big.Int).SetString(address, 16)
			if to == nil || !to.IsInt64() {
				panic(p.refuse(n, fmt.Sprintf("the address @%s in %s", address, name), "write it in hexadecimal"))
			}
			at = int(to.Int64())
			continue
		}
		if at < 0 || at > last {
			break
		}
		v.set(p.g, t.low+at*t.what.element.bits, p.memoryWord(n, word, base, t.what.element.bits))
		at++
	}
	return s
}

func memoryWords(data []byte) []string {
	var plain strings.Builder
	text := string(data)
	for len(text) > 0 {
		switch {
		case strings.HasPrefix(text, "//"):
			_, after, _ := strings.Cut(text, "\n")
			text = "\n" + after
		case strings.HasPrefix(text, "/*"):
			_, after, _ := strings.Cut(text[2:], "*/")
			text = " " + after
		default:
			plain.WriteByte(text[0])
			text = text[1:]
			continue
		}
		plain.WriteByte(text[0])
		text = text[1:]
	}
	return strings.Fields(plain.String())
}

func (p *process) memoryWord(n *node, word string, base, bits int) *expr {
	digits := strings.ReplaceAll(strings.ToLower(word), "_", "")
	x := strings.Map(func(r rune) rune {
		if r == 'x' || r == 'z' {
			return map[int]rune{16: 'f', 2: '1'}[base]
		}
		return '0'
	}, digits)
	value, ok := new(big.Int).SetString(strings.NewReplacer("x", "0", "z", "0").Replace(digits), base)
	unknown, _ := new(big.Int).SetString(x, base)
	if !ok || unknown == nil {
		panic(p.refuse(n, "the word "+word+" of a memory's file", fmt.Sprintf("write it in base %d", base)))
	}
	return p.g.partly(bits, value, unknown)
}
