// Package rv32test draws random programs for tests of interpreters, translations and cores of RV32IMC.
package rv32test

// EncodeR encodes an instruction on registers. The encodings are written by hand, from the tables of the
// specification.
func EncodeR(funct7, rs2, rs1, funct3, rd, opcode uint32) uint32 {
	return funct7<<25 | rs2<<20 | rs1<<15 | funct3<<12 | rd<<7 | opcode
}

// EncodeI encodes an instruction with an immediate.
func EncodeI(value int32, rs1, funct3, rd, opcode uint32) uint32 {
	return uint32(value)<<20 | rs1<<15 | funct3<<12 | rd<<7 | opcode
}

// EncodeS encodes a store.
func EncodeS(value int32, rs2, rs1, funct3 uint32) uint32 {
	v := uint32(value)
	return v>>5&0x7F<<25 | rs2<<20 | rs1<<15 | funct3<<12 | v&31<<7 | 0x23
}

// EncodeB encodes a branch by an offset in bytes.
func EncodeB(value int32, rs2, rs1, funct3 uint32) uint32 {
	v := uint32(value)
	return v>>12&1<<31 | v>>5&0x3F<<25 | rs2<<20 | rs1<<15 | funct3<<12 | v>>1&15<<8 | v>>11&1<<7 | 0x63
}

// EncodeJ encodes jal with an offset in bytes.
func EncodeJ(value int32, rd uint32) uint32 {
	v := uint32(value)
	return v>>20&1<<31 | v>>1&0x3FF<<21 | v>>11&1<<20 | v>>12&0xFF<<12 | rd<<7 | 0x6F
}

// encodeShortB encodes c.beqz or c.bnez of a register from x8 to x15.
func encodeShortB(value int32, register, isNot uint32) uint32 {
	v := uint32(value)
	return 0xC001 | isNot<<13 | v>>8&1<<12 | v>>3&3<<10 | (register-8)<<7 | v>>6&3<<5 | v>>1&3<<3 | v>>5&1<<2
}

// encodeShortJ encodes c.j, or c.jal, which links x1.
func encodeShortJ(value int32, links bool) uint32 {
	v, kind := uint32(value), uint32(0xA001)
	if links {
		kind = 0x2001
	}
	return kind | v>>11&1<<12 | v>>4&1<<11 | v>>8&3<<9 | v>>10&1<<8 | v>>6&1<<7 | v>>7&1<<6 | v>>1&7<<3 | v>>5&1<<2
}

// WaitWord is wfi.
const WaitWord = 0x10500073

const (
	returnWord = 0x00008067
	shortNop   = 0x0001
)
