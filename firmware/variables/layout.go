// Package variables reads the members of a handler's state by name. Names, types and places are in the debug
// information (DWARF) of the firmware image.
//
//	DWARF of the image --Read--> Layout --Line, Changes--> text of a state, and of a change
//	                                    --Scalars-------> signals of a waveform
package variables

import "errors"

// Limits of a layout.
const (
	ElementsMax = 16      // elements shown of an array
	rowsMax     = 256     // variables shown of a state
	depthMax    = 12      // nested structs and arrays
	visitsMax   = 1 << 16 // maximum number of debug information entries read for one state
	chainMax    = 32      // typedefs and qualifiers of a type
	nestedMax   = 1000    // nested entries of debug information
	typesMax    = 1000    // types that may be the state's
)

// ErrNoDebug means that an image has no debug information.
var ErrNoDebug = errors.New("has no debug information (DWARF), which names the members of its state")

// Layout locates the variables of a state.
type Layout struct {
	Type  string // name of the state's type
	Bytes int    // size of the state, with padding up to a multiple of 8
	Rows  []Row
	Left  bool // the state has more variables
}

// Row is a variable: a number, or an array of numbers.
type Row struct {
	Name    string
	Gone    string   // reason why the variable is not in memory, "" if it is in memory
	Scalars []Scalar // the number, or the first elements of the array
	Array   bool
	Length  int  // elements of the array
	text    bool // array of characters
	rest    span // elements that are not shown
}

// Scalar is a number of at most 64 bits in a state.
type Scalar struct {
	Path     string // name with indices, such as queue[2].origin
	place    span
	kind     kind
	declared string // type in the source, with the bits of a bit-field
	names    []enumerator
	other    string   // name for all values without their own name, "" for none
	when     []choice // outermost first: variants of enumerations with data that contain the number
}

// span is a range of bits of a state.
type span struct{ at, bits int64 }

type kind uint8

const (
	unsigned kind = iota
	signed
	boolean
	character
	scalar // Unicode scalar value
	float
	pointer
	enumeration
)

type enumerator struct {
	value uint64
	name  string
}

// choice is a variant of an enumeration: the values of its discriminant.
type choice struct {
	discriminant span
	values       []uint64
	others       bool // all values except these
}

func (c *choice) holds(state []byte) bool {
	value := c.discriminant.read(state)
	for _, v := range c.values {
		if v == value {
			return !c.others
		}
	}
	return c.others
}

// read returns the bits of a span, 0 for bits outside of the state.
func (s span) read(state []byte) (value uint64) {
	for done := int64(0); done < s.bits; {
		at := s.at + done
		if at < 0 || at/8 >= int64(len(state)) {
			break
		}
		value |= uint64(state[at/8]>>(at%8)) << done
		done += 8 - at%8
	}
	return value & s.mask()
}

func (s span) mask() uint64 { return ^uint64(0) >> (64 - min(max(s.bits, 1), 64)) }

// Scalars yields all numbers in memory.
func (l *Layout) Scalars(yield func(row *Row, s *Scalar)) {
	for i := range l.Rows {
		for k := range l.Rows[i].Scalars {
			yield(&l.Rows[i], &l.Rows[i].Scalars[k])
		}
	}
}
