package vcd

import (
	"fmt"
	"strconv"
	"strings"

	"starloom/traces/input"
)

// Part is a variable, or some bits of a variable.
type Part struct {
	Name  string
	Net   NetID
	Kind  Kind
	Low   uint32 // lowest bit, counted from the last digit of the net
	Bits  uint32 // 0 for reals, texts and events
	Whole bool   // the part is the whole net
	Range [2]int // first and last index of a whole vector; 0 and 0 for a bit with an index in its path
}

// Whole returns a variable as a part.
func (v *Var) Whole() Part {
	p := Part{Name: v.Path, Net: v.Net, Kind: v.Kind, Bits: uint32(v.Bits), Whole: true}
	if msb, lsb := v.Indices(); v.Kind == KindBits &&
		!(v.Bits == 1 && strings.HasSuffix(v.Path, "["+strconv.Itoa(msb)+"]")) {
		p.Range = [2]int{msb, lsb}
	}
	return p
}

// Shape describes the type of a part for a message: 8 bits, real, text, event.
func (p Part) Shape() string {
	if p.Kind != KindBits {
		return p.Kind.String()
	}
	return fmt.Sprintf("%d bits", p.Bits)
}

// Find returns the index of the first variable with a path, -1 for none.
func (h *Header) Find(path string) int {
	for i := range h.Vars {
		if h.Vars[i].Path == path {
			return i
		}
	}
	return -1
}

// Index returns the first variable of each path.
func (h *Header) Index() map[string]int {
	index := make(map[string]int, len(h.Vars))
	for i := range h.Vars {
		if _, twice := index[h.Vars[i].Path]; !twice {
			index[h.Vars[i].Path] = i
		}
	}
	return index
}

// Resolve finds a variable by path, or bits of it: data[3], data[7:4]. index is Index's result, or nil.
func (h *Header) Resolve(index map[string]int, name string) (p Part, variable int, ok bool) {
	at := func(path string) int {
		if index == nil {
			return h.Find(path)
		}
		if i, ok := index[path]; ok {
			return i
		}
		return -1
	}
	if i := at(name); i >= 0 {
		return h.Vars[i].Whole(), i, true
	}
	bracket := strings.LastIndexByte(name, '[')
	if bracket < 0 {
		return Part{}, 0, false
	}
	high, low, isRange := parseRange(name[bracket:])
	i := at(name[:bracket])
	if !isRange || i < 0 || h.Vars[i].Kind != KindBits {
		return Part{}, 0, false
	}
	v := &h.Vars[i]
	first, firstOK := v.bitPosition(high)
	last, lastOK := v.bitPosition(low)
	if !firstOK || !lastOK || first < last {
		return Part{}, 0, false
	}
	return Part{Name: name, Net: v.Net, Kind: KindBits, Low: uint32(last), Bits: uint32(first - last + 1)}, i, true
}

// MissingSignal returns the error for a signal that the file does not contain. what describes the purpose of the
// signal.
func (r *Reader) MissingSignal(what, name string) *input.Error {
	return input.Mistake(r.file, fmt.Sprintf("%s %s is not in the file", what, name), r.NamesRemedy())
}

// NamesRemedy returns the remedy for a wrong signal name.
func (r *Reader) NamesRemedy() string {
	return fmt.Sprintf("`starloom trace info %s --signals` lists the names", r.file)
}
