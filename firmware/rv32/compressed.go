package rv32

// decompress follows RISC-V Instruction Set Manual 20191213, chapter 16, tables 16.5 to 16.7. Reserved encodings are
// illegal; hints do nothing.
func decompress(w uint32) Instruction {
	quadrant := [3]func(uint32) Instruction{quadrant0, quadrant1, quadrant2}
	return quadrant[w&3](w)
}

// short returns the register of a 3-bit field: x8 to x15.
func short(w uint32, low uint) uint8 { return uint8(8 + field(w, low+2, low)) }

// six returns the immediate of bits 12 and 6 to 2.
func six(w uint32) int32 { return signed(field(w, 12, 12)<<5|field(w, 6, 2), 6) }

func quadrant0(w uint32) Instruction {
	word := int32(field(w, 5, 5)<<6 | field(w, 12, 10)<<3 | field(w, 6, 6)<<2)
	switch w >> 13 {
	case 0: // c.addi4spn
		add := int32(field(w, 10, 7)<<6 | field(w, 12, 11)<<4 | field(w, 5, 5)<<3 | field(w, 6, 6)<<2)
		if add != 0 {
			return Instruction{Op: opADDI, Rd: short(w, 2), Rs1: 2, Immediate: add}
		}
	case 2: // c.lw
		return Instruction{Op: opLW, Rd: short(w, 2), Rs1: short(w, 7), Immediate: word}
	case 6: // c.sw
		return Instruction{Op: opSW, Rs2: short(w, 2), Rs1: short(w, 7), Immediate: word}
	}
	return Instruction{}
}

func quadrant1(w uint32) Instruction {
	rd := uint8(field(w, 11, 7))
	switch w >> 13 {
	case 0: // c.addi, c.nop
		return Instruction{Op: opADDI, Rd: rd, Rs1: rd, Immediate: six(w)}
	case 1: // c.jal
		return Instruction{Op: opJAL, Rd: 1, Immediate: far(w)}
	case 2: // c.li
		return Instruction{Op: opADDI, Rd: rd, Immediate: six(w)}
	case 3:
		return upper(w, rd)
	case 4:
		return arithmetic(w)
	case 5: // c.j
		return Instruction{Op: opJAL, Immediate: far(w)}
	}
	to := signed(field(w, 12, 12)<<8|field(w, 6, 5)<<6|field(w, 2, 2)<<5|field(w, 11, 10)<<3|field(w, 4, 3)<<1, 9)
	return Instruction{Op: opBEQ + Op(w>>13&1), Rs1: short(w, 7), Immediate: to} // c.beqz, c.bnez
}

// far returns the target of c.j and c.jal.
func far(w uint32) int32 {
	return signed(field(w, 12, 12)<<11|field(w, 8, 8)<<10|field(w, 10, 9)<<8|field(w, 6, 6)<<7|field(w, 7, 7)<<6|
		field(w, 2, 2)<<5|field(w, 11, 11)<<4|field(w, 5, 3)<<1, 12)
}

// upper decodes c.addi16sp and c.lui.
func upper(w uint32, rd uint8) Instruction {
	if six(w) == 0 {
		return Instruction{}
	}
	if rd != 2 {
		return Instruction{Op: opLUI, Rd: rd, Immediate: six(w) << 12}
	}
	return Instruction{Op: opADDI, Rd: 2, Rs1: 2, Immediate: signed(
		field(w, 12, 12)<<9|field(w, 4, 3)<<7|field(w, 5, 5)<<6|field(w, 2, 2)<<5|field(w, 6, 6)<<4, 10)}
}

func arithmetic(w uint32) Instruction {
	rd, high := short(w, 7), field(w, 12, 12) != 0
	switch kind := field(w, 11, 10); {
	case kind == 2: // c.andi
		return Instruction{Op: opANDI, Rd: rd, Rs1: rd, Immediate: six(w)}
	case high: // illegal: a shift by 32 or more, or RV64
		return Instruction{}
	case kind < 2: // c.srli, c.srai
		return Instruction{Op: opSRLI + Op(kind), Rd: rd, Rs1: rd, Immediate: int32(field(w, 6, 2))}
	}
	return Instruction{Op: [4]Op{opSUB, opXOR, opOR, opAND}[field(w, 6, 5)], Rd: rd, Rs1: rd, Rs2: short(w, 2)}
}

func quadrant2(w uint32) Instruction {
	rd, rs2, high := uint8(field(w, 11, 7)), uint8(field(w, 6, 2)), field(w, 12, 12) != 0
	switch w >> 13 {
	case 0: // c.slli
		if !high {
			return Instruction{Op: opSLLI, Rd: rd, Rs1: rd, Immediate: int32(rs2)}
		}
	case 2: // c.lwsp
		if rd != 0 {
			return Instruction{Op: opLW, Rd: rd, Rs1: 2,
				Immediate: int32(field(w, 3, 2)<<6 | field(w, 12, 12)<<5 | field(w, 6, 4)<<2)}
		}
	case 4:
		return move(rd, rs2, high)
	case 6: // c.swsp
		return Instruction{Op: opSW, Rs1: 2, Rs2: rs2, Immediate: int32(field(w, 8, 7)<<6 | field(w, 12, 9)<<2)}
	}
	return Instruction{}
}

// move decodes c.jr, c.mv, c.ebreak, c.jalr and c.add.
func move(rd, rs2 uint8, high bool) Instruction {
	switch {
	case rs2 != 0 && !high:
		return Instruction{Op: opADD, Rd: rd, Rs2: rs2}
	case rs2 != 0:
		return Instruction{Op: opADD, Rd: rd, Rs1: rd, Rs2: rs2}
	case rd == 0 && high:
		return Instruction{Op: opEBREAK}
	case rd == 0:
		return Instruction{}
	case high:
		return Instruction{Op: opJALR, Rd: 1, Rs1: rd}
	}
	return Instruction{Op: opJALR, Rs1: rd}
}
