package vcd

import "strconv"

// escapes are the characters after a backslash that stand for one byte, as in C.
var escapes = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// unescaped is a text without its escapes: \n, \x20, \040, \\. Tools differ in what they escape.
func unescaped(text []byte) []byte {
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			plain = append(plain, text[i])
			continue
		}
		i++
		c := text[i]
		if number, digits := escapedNumber(text[i:]); digits > 0 {
			c = number
			i += digits - 1
		} else if known, ok := escapes[c]; ok {
			c = known
		}
		plain = append(plain, c)
	}
	return plain
}

// escapedNumber reads x20 or 040; digits is how long it is, 0 if it is not a number.
func escapedNumber(text []byte) (number byte, digits int) {
	base, start, most := 8, 0, 3
	if text[0] == 'x' {
		base, start, most = 16, 1, 2
	}
	for digits = min(len(text)-start, most); digits > 0; digits-- {
		if n, err := strconv.ParseUint(string(text[start:start+digits]), base, 8); err == nil {
			return byte(n), start + digits
		}
	}
	return 0, 0
}
