package debug

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"starloom/firmware/rv32"
)

// registers are x0 to x31 by the names of the calling convention, as gdb expects them.
var registers = strings.Fields("zero ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 a4 a5 a6 a7 " +
	"s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6")

// numberPC is the number of the register pc, after x31.
const numberPC = 32

// description is the target description of RV32: feature org.gnu.gdb.riscv.cpu.
func description() string {
	var s strings.Builder
	s.WriteString(`<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">` +
		`<architecture>riscv:rv32</architecture><feature name="org.gnu.gdb.riscv.cpu">`)
	for n, name := range registers {
		kind := "int"
		switch name {
		case "ra":
			kind = "code_ptr"
		case "sp", "gp", "tp", "fp":
			kind = "data_ptr"
		}
		fmt.Fprintf(&s, `<reg name=%q bitsize="32" type=%q regnum="%d"/>`, name, kind, n)
	}
	fmt.Fprintf(&s, `<reg name="pc" bitsize="32" type="code_ptr" regnum="%d"/></feature></target>`, numberPC)
	return s.String()
}

// register returns a register as hexadecimal digits in the order of memory.
func register(p *rv32.Processor, number uint64) string {
	value := p.PC
	if number < numberPC {
		value = p.X[number]
	}
	return hex.EncodeToString(binary.LittleEndian.AppendUint32(nil, value))
}

// part returns a piece of a document, with the mark of more or of the end.
func part(text, place string) string {
	var at, bytes int
	if _, err := fmt.Sscanf(place, "%x,%x", &at, &bytes); err != nil || at < 0 || bytes < 0 {
		return "E01"
	}
	at = min(at, len(text))
	end := min(at+bytes, len(text))
	if end == len(text) {
		return "l" + text[at:]
	}
	return "m" + text[at:end]
}
