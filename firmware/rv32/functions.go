package rv32

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	format "starloom/firmware/wasm/binary"
)

// findFunctions divides the text into the functions of the symbol table. Remaining text forms functions named after
// their addresses.
func (p *Program) findFunctions(symbols []elf.Symbol) {
	var found []function
	for _, s := range symbols {
		label := elf.ST_TYPE(s.Info) == elf.STT_NOTYPE && s.Section != elf.SHN_ABS && elf.ST_BIND(s.Info) == elf.STB_GLOBAL
		at := uint32(s.Value)
		if (elf.ST_TYPE(s.Info) == elf.STT_FUNC || label) && p.Text.has(at) && at&1 == 0 {
			found = append(found, function{Range{at, uint32(min(uint64(at)+s.Size, uint64(p.Text.To)))}, s.Name})
		}
	}
	slices.SortStableFunc(found, func(a, b function) int {
		return cmp.Or(cmp.Compare(a.From, b.From), -cmp.Compare(a.To, b.To))
	})
	at := p.Text.From
	gap := func(to uint32) {
		if at < to {
			p.functions = append(p.functions, function{Range{at, to}, fmt.Sprintf("code at %#x", at)})
		}
	}
	for k, f := range found {
		if f.From < at { // another name, or inside another function
			continue
		}
		gap(f.From)
		if f.To == f.From {
			if f.To = p.Text.To; k+1 < len(found) {
				f.To = max(found[k+1].From, f.From+2)
			}
		}
		p.functions, at = append(p.functions, f), f.To
	}
	gap(p.Text.To)
}

// refuseForeign refuses instructions of extensions that are not translated.
func (p *Program) refuseForeign() error {
	for pc := range p.all() {
		word, ok := p.fetch(pc)
		if name := foreign(word); ok && name != "" {
			return fmt.Errorf("has the instruction %#0*x (%s) in %s; compile for rv32i, rv32ic, rv32im or rv32imc with "+
				"-mabi=ilp32", 2+2*int(2+2*btoi(word&3 == 3)), word, name, p.placeOf(pc))
		}
	}
	if _, ok := p.fetch(p.Entry); !ok {
		return errors.New("does not start in its text; link it with an entry point (-e _start)")
	}
	return nil
}

// all yields the addresses of all instructions.
func (p *Program) all() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, f := range p.functions {
			for pc := f.From; pc < f.To; pc += uint32(p.instruction(pc).Size) {
				if !yield(pc) {
					return
				}
			}
		}
	}
}

// refuse returns an error if a core cannot execute a program as its table says.
func (c *Core) refuse(p *Program) error {
	if c.cost.multiply > 0 {
		return nil
	}
	for pc := range p.all() {
		if i := p.instruction(pc); i.Op >= opMUL && i.Op <= opREMU {
			return fmt.Errorf("has an instruction of the extension M in %s, which the core %s lacks; compile for rv32i or "+
				"rv32ic", p.placeOf(pc), c.Model)
		}
	}
	if p.Entry&3 != 0 {
		return fmt.Errorf("starts at %#x, but the core %s starts at a multiple of 4; align the entry point", p.Entry,
			c.Model)
	}
	return nil
}

func (p *Program) functionAt(pc uint32) *function {
	n := sort.Search(len(p.functions), func(k int) bool { return p.functions[k].To > pc })
	if n == len(p.functions) || pc < p.functions[n].From {
		return nil
	}
	return &p.functions[n]
}

// Place returns function, file and line of an address, "" and 0 as far as they are unknown.
func (p *Program) Place(pc uint32) (function, file string, line int) {
	if f := p.functionAt(pc); f != nil {
		function = f.name
	}
	file, line = p.lines.at(pc)
	return function, file, line
}

// placeOf returns the function, file and line of an address, as far as known.
func (p *Program) placeOf(pc uint32) string {
	text := fmt.Sprintf("code at %#x", pc)
	if f := p.functionAt(pc); f != nil {
		text = f.name
	}
	if file, line := p.lines.at(pc); line > 0 {
		text += fmt.Sprintf(" at %s:%d", file, line)
	}
	return text
}

// lines are source lines in order of addresses. An entry with file "" marks the end of a sequence.
type lines []lineEntry

type lineEntry struct {
	pc   uint32
	file string
	line int
}

func readLines(f *elf.File) (all lines) {
	data, err := f.DWARF()
	if err != nil {
		return nil
	}
	r := format.EntriesOf(data)
	for unit, err := r.Next(); err == nil && unit != nil; unit, err = r.Next() {
		r.Skip(unit)
		table, err := data.LineReader(unit)
		if err != nil || table == nil {
			continue
		}
		folder, _ := unit.Val(dwarf.AttrCompDir).(string)
		folder = strings.TrimSuffix(folder, "/") + "/"
		var e dwarf.LineEntry
		for table.Next(&e) == nil {
			one := lineEntry{pc: uint32(e.Address)}
			if !e.EndSequence && e.File != nil {
				one.file, one.line = strings.TrimPrefix(e.File.Name, folder), e.Line
			}
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b lineEntry) int { // ends of sequences first
		return cmp.Or(cmp.Compare(a.pc, b.pc), cmp.Compare(btoi(a.line > 0), btoi(b.line > 0)))
	})
	return all
}

func (l lines) at(pc uint32) (file string, line int) {
	n := sort.Search(len(l), func(k int) bool { return l[k].pc > pc })
	if n == 0 {
		return "", 0
	}
	return l[n-1].file, l[n-1].line
}
