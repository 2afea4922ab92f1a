package wasm

import (
	"debug/dwarf"
	endian "encoding/binary"
	"fmt"

	"starloom/firmware/wasm/binary"
)

const opAddr = 0x03

// variable is a static variable of the image: its bytes, and its name and line.
type variable struct {
	first, end uint32
	text       string
}

// Variable returns the static variable of the image that holds an address of its memory, as
// name and line, or "" if the image does not say.
func (p *Places) Variable(address uint32) string {
	if p == nil || p.data == nil {
		return ""
	}
	if !p.listed {
		p.variables, p.listed = p.listVariables(), true
	}
	for _, v := range p.variables {
		if v.first <= address && address < v.end {
			return v.text
		}
	}
	return ""
}

func (p *Places) listVariables() (list []variable) {
	entries := p.data.Reader()
	var unit *dwarf.Entry
	for {
		e, err := entries.Next()
		if err != nil || e == nil {
			return list
		}
		if e.Tag == dwarf.TagCompileUnit {
			unit = e
		}
		at, fixed := fixedAddress(e)
		offset, typed := e.Val(dwarf.AttrType).(dwarf.Offset)
		if e.Tag != dwarf.TagVariable || !fixed || !typed {
			continue
		}
		if t, err := p.data.Type(offset); err == nil {
			list = append(list, variable{at, at + uint32(max(t.Size(), 1)), p.declaration(unit, e)})
		}
	}
}

func fixedAddress(e *dwarf.Entry) (uint32, bool) {
	expression, ok := e.Val(dwarf.AttrLocation).([]byte)
	if !ok || len(expression) != 5 || expression[0] != opAddr {
		return 0, false
	}
	return endian.LittleEndian.Uint32(expression[1:]), true
}

// declaration is the name of a variable, with the line where it is declared.
func (p *Places) declaration(unit, variable *dwarf.Entry) string {
	text, _ := variable.Val(dwarf.AttrName).(string)
	name := binary.Clip(text)
	if name == "" {
		return ""
	}
	file, _ := variable.Val(dwarf.AttrDeclFile).(int64)
	line, _ := variable.Val(dwarf.AttrDeclLine).(int64)
	if unit == nil || line == 0 {
		return name
	}
	lines, err := p.data.LineReader(unit)
	if err != nil || lines == nil || file < 0 || file >= int64(len(lines.Files())) || lines.Files()[file] == nil {
		return name
	}
	return fmt.Sprintf("%s (%s:%d)", name, binary.Clip(lines.Files()[file].Name), line)
}
