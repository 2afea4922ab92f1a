package binary

import (
	"debug/dwarf"
	"errors"
)

// Entries reads the entries of debug information in order. It ends even for invalid information.
type Entries struct {
	*dwarf.Reader
	ends int // ends of children in a row
}

// EntriesOf returns a reader of all entries.
func EntriesOf(data *dwarf.Data) *Entries { return &Entries{Reader: data.Reader()} }

// endsMax is a limit far above realistic nesting depths.
const endsMax = 1 << 16

// Next returns the next entry, nil at the end. A number truncated by the end of a unit would yield an endless list of
// ends of children.
func (r *Entries) Next() (*dwarf.Entry, error) {
	e, err := r.Reader.Next()
	if e == nil || e.Tag != 0 {
		r.ends = 0
	} else if r.ends++; r.ends > endsMax {
		return nil, errors.New("debug information: a number is cut off")
	}
	return e, err
}

// Skip skips the children of e, the entry that was read last. SkipChildren of the Reader follows references to
// siblings, which may lead backwards, and is recursive.
func (r *Entries) Skip(e *dwarf.Entry) {
	if !e.Children {
		return
	}
	if next, ok := e.Val(dwarf.AttrSibling).(dwarf.Offset); ok && next > e.Offset {
		r.Seek(next)
		return
	}
	for depth := 1; depth > 0; {
		e, err := r.Next()
		switch {
		case err != nil || e == nil:
			return
		case e.Tag == 0:
			depth--
		case e.Children:
			depth++
		}
	}
}
