package hw

// Ports of RTL are packed vectors: 64 bits a word, the low word first.

// GetBits returns bits bits (1..64) of a packed vector, from bit first on.
func GetBits(words []uint64, first, bits int) uint64 {
	word, shift := first>>6, uint(first&63)
	value := words[word] >> shift
	if shift+uint(bits) > 64 {
		value |= words[word+1] << (-shift & 63)
	}
	return value & (^uint64(0) >> (-uint(bits) & 63))
}

// PutBits is the inverse of GetBits; bits of value above the first bits are ignored.
func PutBits(words []uint64, first, bits int, value uint64) {
	word, shift := first>>6, uint(first&63)
	mask := ^uint64(0) >> (-uint(bits) & 63)
	value &= mask
	words[word] = words[word]&^(mask<<shift) | value<<shift
	if shift+uint(bits) > 64 {
		shift = -shift & 63
		words[word+1] = words[word+1]&^(mask>>shift) | value>>shift
	}
}

func oneIf(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}
