package rv32

import "fmt"

// foreign names the extension of an unsupported instruction, "" if no extension defines the word. Undefined words,
// such as unimp, trap when they are executed.
func foreign(word uint32) string {
	if word&3 != 3 {
		return foreignShort(word & 0xFFFF)
	}
	funct3 := field(word, 14, 12)
	switch word & 0x7F {
	case 0x2F:
		return "atomic, extension A"
	case 0x07, 0x27, 0x43, 0x47, 0x4B, 0x4F, 0x53:
		return "floating-point or vector, extension F, D or V"
	case 0x57:
		return "vector, extension V"
	case 0x0F:
		if funct3 == 1 {
			return "fence.i, extension Zifencei"
		}
	case 0x73:
		if word == 0xC0001073 {
			return "" // unimp
		}
		if funct3 != 0 {
			return fmt.Sprintf("access to the control register %#x, extension Zicsr", word>>20)
		}
		if decode32(word).Op == opIllegal {
			return "privileged"
		}
	case 0x13, 0x33:
		if decode32(word).Op == opIllegal {
			return "bit manipulation or cryptography, extension Zb or Zk"
		}
	}
	return ""
}

func foreignShort(w uint32) string {
	switch {
	case w&3 == 3 || w == 0:
		return ""
	case w&3 != 1 && w>>13&1 == 1:
		return "floating-point, extension C with F or D"
	case w&3 == 0 && w>>13 == 4:
		return "compressed bytes, extension Zcb"
	}
	return ""
}
