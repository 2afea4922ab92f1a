package vcd

// NetID names what changes in a VCD: all variables with one identifier code.
type NetID int32

const noNet NetID = -1

// codeTable finds the net of an identifier code. Codes are numbered like those of the Writer
// (see appendCode): short codes have small numbers, which index an array; the
// others are in a map.
type codeTable struct {
	dense  []NetID // by number; noNet when there is none
	sparse map[string]NetID
	count  int
}

const (
	// denseCodes is how many numbers the array may always have; files with many
	// signals get densePerNet for each.
	denseCodes  = 1 << 20
	densePerNet = 8
	// codeDigitsMax characters have a number that fits 64 bits.
	codeDigitsMax = 9
	codeFirst     = '!'
	codeBase      = 94
)

// codeNumber returns the number of a code: 0 for "!". ok is false for characters
// that no code has; the number of a long code is too large for the array.
func codeNumber(code []byte) (number uint64, ok bool) {
	place := uint64(1)
	for i, c := range code {
		if c-codeFirst >= codeBase {
			return 0, false
		}
		if i == codeDigitsMax {
			return 1 << 63, true
		}
		number += uint64(c-codeFirst+1) * place
		place *= codeBase
	}
	return number - 1, len(code) > 0
}

func (t *codeTable) find(number uint64, code []byte) NetID {
	if number < uint64(len(t.dense)) {
		if id := t.dense[number]; id != noNet {
			return id
		}
	}
	if t.sparse != nil {
		if id, ok := t.sparse[string(code)]; ok {
			return id
		}
	}
	return noNet
}

func (t *codeTable) add(number uint64, code string, id NetID) {
	t.count++
	if number < uint64(max(denseCodes, densePerNet*t.count)) {
		for uint64(len(t.dense)) <= number {
			t.dense = append(t.dense, noNet)
		}
		t.dense[number] = id
		return
	}
	if t.sparse == nil {
		t.sparse = map[string]NetID{}
	}
	t.sparse[code] = id
}
