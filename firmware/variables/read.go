package variables

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"fmt"
	"slices"
	"strings"

	"starloom/firmware/wasm/binary"
)

// reader reads the members of one type. Debug information is untrusted: it may be wrong or refer to itself.
type reader struct {
	data   *dwarf.Data
	visits int // entries that may still be read
	bytes  int // size of the state
	layout *Layout
	paths  map[string]bool
}

// member is the place of a member in the state.
type member struct {
	at    int64 // bits before it
	bits  int64 // width of a bit-field, 0 for the width of its type
	depth int
	when  []choice
}

var errVisits = fmt.Errorf("its type has more than %d parts", visitsMax)

func (r *reader) entry(at dwarf.Offset) (*dwarf.Entry, error) {
	if r.visits--; r.visits < 0 {
		return nil, errVisits
	}
	entries := r.data.Reader()
	entries.Seek(at)
	e, err := entries.Next()
	if err == nil && (e == nil || e.Tag == 0) {
		err = fmt.Errorf("there is no type at offset %#x", at)
	}
	return e, err
}

func (r *reader) children(of *dwarf.Entry) (list []*dwarf.Entry, err error) {
	if !of.Children {
		return nil, nil
	}
	entries := r.data.Reader()
	entries.Seek(of.Offset)
	if _, err := entries.Next(); err != nil {
		return nil, err
	}
	for depth := 1; depth > 0; {
		e, err := entries.Next()
		if err != nil {
			return nil, err
		}
		if r.visits--; r.visits < 0 {
			return nil, errVisits
		}
		switch {
		case e == nil:
			return list, nil
		case e.Tag == 0:
			depth--
			continue
		case depth == 1:
			list = append(list, e)
		}
		if e.Children {
			depth++
		}
	}
	return list, nil
}

// members appends the variables of a struct, class or union. Members of anonymous structs are members of the
// enclosing one.
func (r *reader) members(name string, of *dwarf.Entry, place member) error {
	if place.depth++; place.depth > depthMax {
		r.gone(name, fmt.Sprintf("deeper than %d levels", depthMax))
		return nil
	}
	if declared, _ := of.Val(dwarf.AttrDeclaration).(bool); declared {
		r.gone(name, "its type is only declared")
		return nil
	}
	children, err := r.children(of)
	if err != nil {
		return err
	}
	before := len(r.layout.Rows)
	for _, e := range children {
		if err := r.child(name, of, e, place); err != nil {
			return err
		}
	}
	if len(r.layout.Rows) == before {
		r.gone(name, "it has no bytes")
	}
	return nil
}

func (r *reader) child(name string, of, e *dwarf.Entry, place member) error {
	own, _ := e.Val(dwarf.AttrName).(string)
	own = joined(name, identifier(own))
	switch e.Tag {
	case dwarf.TagVariantPart:
		return r.variants(name, of, e, place)
	case dwarf.TagVariable: // static member in DWARF 5
		r.gone(own, "it is static")
	case dwarf.TagInheritance, dwarf.TagMember:
		if static(e) {
			r.gone(own, "it is static")
			return nil
		}
		to, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok {
			r.gone(own, "its type is unknown")
			return nil
		}
		inner, ok := within(e, place)
		if !ok {
			r.gone(own, "its place is computed")
			return nil
		}
		if e.Tag == dwarf.TagInheritance {
			if _, base, err := r.resolve(to); err == nil {
				own = joined(name, identifier(base))
			}
		}
		return r.variable(own, to, inner)
	}
	return nil
}

func static(e *dwarf.Entry) bool {
	external, _ := e.Val(dwarf.AttrExternal).(bool)
	declared, _ := e.Val(dwarf.AttrDeclaration).(bool)
	return external || declared
}

// within returns the place of a member of a struct at place.
func within(e *dwarf.Entry, place member) (inner member, ok bool) {
	inner = member{at: place.at, depth: place.depth, when: place.when}
	if inner.bits, _ = e.Val(dwarf.AttrBitSize).(int64); inner.bits < 0 || inner.bits > 64 {
		return inner, false
	}
	switch at := e.Val(dwarf.AttrDataMemberLoc).(type) {
	case nil: // a member of a union, or a bit-field with data_bit_offset
	case int64:
		if at < 0 || at > offsetMax {
			return inner, false
		}
		inner.at += 8 * at
	default:
		return inner, false
	}
	if at, ok := e.Val(dwarf.AttrDataBitOffset).(int64); ok {
		if at < 0 || at > 8*offsetMax {
			return inner, false
		}
		inner.at += at
	} else if at, ok := e.Val(dwarf.AttrBitOffset).(int64); ok { // from the highest bit of the storage
		bytes, _ := e.Val(dwarf.AttrByteSize).(int64)
		if at < 0 || bytes < 0 || bytes > 8 || 8*bytes < at+inner.bits {
			return inner, false
		}
		inner.at += 8*bytes - at - inner.bits
	}
	return inner, true
}

const offsetMax = 1 << 24 // bytes, above the largest state

// variants reads an enumeration with data, as in Rust: a discriminant, and the members of each variant.
func (r *reader) variants(name string, of, part *dwarf.Entry, place member) error {
	children, err := r.children(part)
	if err != nil {
		return err
	}
	var discriminant Scalar
	from, _ := part.Val(dwarf.AttrDiscr).(dwarf.Offset)
	for _, e := range children {
		if e.Offset == from && e.Tag == dwarf.TagMember {
			if discriminant, err = r.discriminant(e, place); err != nil {
				return err
			}
		}
	}
	at := len(r.layout.Rows)
	if discriminant.place.bits > 0 {
		discriminant.Path, discriminant.when = joined(name, "variant"), place.when
		r.add(Row{Name: cmp.Or(name, discriminant.Path), Scalars: []Scalar{discriminant}})
	}
	for _, e := range children {
		if e.Tag != dwarf.TagVariant {
			continue
		}
		if err := r.variant(name, of, e, children, &discriminant, place); err != nil {
			return err
		}
	}
	if at < len(r.layout.Rows) { // names are known now; the row may have been omitted
		if row := &r.layout.Rows[at]; len(row.Scalars) == 1 && row.Scalars[0].Path == discriminant.Path {
			row.Scalars[0] = discriminant
		}
	}
	return nil
}

func (r *reader) discriminant(e *dwarf.Entry, place member) (s Scalar, err error) {
	to, typed := e.Val(dwarf.AttrType).(dwarf.Offset)
	inner, placed := within(e, place)
	if !typed || !placed {
		return s, errors.New("a discriminant has no type or no place")
	}
	t, _, err := r.resolve(to)
	if err != nil {
		return s, err
	}
	bytes, _ := t.Val(dwarf.AttrByteSize).(int64)
	if bytes < 1 || bytes > 8 {
		return s, fmt.Errorf("a discriminant has %d bytes", bytes)
	}
	s = Scalar{place: span{inner.at, 8 * bytes}, kind: enumeration, declared: "variant"}
	return s, r.inside("a discriminant", s.place)
}

func (r *reader) variant(name string, of, e *dwarf.Entry, all []*dwarf.Entry, discriminant *Scalar,
	place member) error {
	members, err := r.children(e)
	if err != nil {
		return err
	}
	label := ""
	for _, m := range members {
		if own, _ := m.Val(dwarf.AttrName).(string); own != "" && label == "" {
			label = identifier(own)
		}
	}
	if discriminant.place.bits > 0 {
		only := choice{discriminant: discriminant.place}
		if value, ok := discriminantValue(e); ok {
			only.values = []uint64{value & discriminant.place.mask()}
			discriminant.names = append(discriminant.names, enumerator{only.values[0], label})
		} else {
			discriminant.other, only.others = label, true
			for _, other := range all {
				if value, ok := discriminantValue(other); ok && other.Tag == dwarf.TagVariant {
					only.values = append(only.values, value&discriminant.place.mask())
				}
			}
		}
		place.when = append(slices.Clone(place.when), only)
	}
	for _, m := range members {
		to, ok := m.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok || m.Tag != dwarf.TagMember {
			continue
		}
		if t, _, err := r.resolve(to); err != nil {
			return err
		} else if inner, err := r.children(t); err != nil {
			return err
		} else if !slices.ContainsFunc(inner, func(e *dwarf.Entry) bool { return e.Tag == dwarf.TagMember }) {
			continue // a variant without data
		}
		if err := r.child(name, of, m, place); err != nil {
			return err
		}
	}
	return nil
}

func discriminantValue(e *dwarf.Entry) (uint64, bool) {
	value, ok := e.Val(dwarf.AttrDiscrValue).(int64)
	return uint64(value), ok
}

// variable appends the variables of a member of any type.
func (r *reader) variable(name string, at dwarf.Offset, place member) error {
	if len(r.layout.Rows) >= rowsMax {
		r.layout.Left = true
		return nil
	}
	e, declared, err := r.resolve(at)
	if err != nil {
		return err
	}
	switch {
	case isStruct(e):
		return r.members(name, e, place)
	case e.Tag == dwarf.TagArrayType:
		return r.array(name, e, place)
	}
	s, why, err := r.scalar(e, declared, place)
	if err != nil {
		return err
	}
	if why != "" {
		r.gone(name, why)
		return nil
	}
	s.Path = name
	if err := r.inside(name, s.place); err != nil {
		return err
	}
	r.add(Row{Name: name, Scalars: []Scalar{s}})
	return nil
}

func (r *reader) inside(name string, s span) error {
	if s.at < 0 || s.at+s.bits > 8*int64(r.bytes) {
		return fmt.Errorf("%s lies outside of the %d bytes of the state", name, r.bytes)
	}
	return nil
}

// scalar returns a number, or the reason why the type is not a number.
func (r *reader) scalar(e *dwarf.Entry, name string, place member) (s Scalar, gone string, err error) {
	bytes, sized := e.Val(dwarf.AttrByteSize).(int64)
	switch e.Tag {
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType, dwarf.TagPtrToMemberType:
		s.kind = pointer
		if !sized {
			bytes = 4
		}
	case dwarf.TagEnumerationType:
		s.kind = enumeration
		if s.names, err = r.enumerators(e); err != nil {
			return s, "", err
		}
	case dwarf.TagBaseType:
		encoding, _ := e.Val(dwarf.AttrEncoding).(int64)
		s.kind = kindOf(encoding, name, bytes)
	default:
		return s, "it is neither a number nor a struct", nil
	}
	s.place, s.declared = span{place.at, 8 * bytes}, cmp.Or(name, "pointer")
	switch {
	case bytes == 0:
		return s, "it has no bytes", nil
	case bytes < 0 || bytes > 8:
		return s, "it is wider than 64 bits", nil
	case place.bits > 0:
		s.place.bits = place.bits
		s.declared += fmt.Sprintf(":%d", place.bits)
	}
	for i := range s.names {
		s.names[i].value &= s.place.mask()
	}
	s.when = place.when
	return s, "", nil
}

// Encodings of numbers: DW_ATE_*.
const (
	ateBoolean      = 0x02
	ateFloat        = 0x04
	ateSigned       = 0x05
	ateSignedChar   = 0x06
	ateUnsignedChar = 0x08
	ateUTF          = 0x10
)

// kindOf returns the kind of a base type. Some one-byte numbers of C have the encoding of characters.
func kindOf(encoding int64, name string, bytes int64) kind {
	switch encoding {
	case ateBoolean:
		return boolean
	case ateFloat:
		if bytes == 4 || bytes == 8 {
			return float
		}
	case ateSigned:
		return signed
	case ateSignedChar:
		if name == "char" {
			return character
		}
		return signed
	case ateUnsignedChar:
		if name == "char" {
			return character
		}
	case ateUTF:
		return scalar
	}
	return unsigned
}

func (r *reader) enumerators(e *dwarf.Entry) (names []enumerator, err error) {
	children, err := r.children(e)
	for _, c := range children {
		name, _ := c.Val(dwarf.AttrName).(string)
		if value, ok := c.Val(dwarf.AttrConstValue).(int64); ok && c.Tag == dwarf.TagEnumerator {
			names = append(names, enumerator{uint64(value), identifier(name)})
		}
	}
	return names, err
}

func (r *reader) gone(name, why string) { r.add(Row{Name: name, Gone: why}) }

func (r *reader) add(row Row) {
	switch {
	case row.Name == "":
		return // of the state itself
	case len(r.layout.Rows) >= rowsMax:
		r.layout.Left = true
		return
	case r.paths[row.Name]:
		return // such as the vtable of a second base
	}
	r.paths[row.Name] = true
	r.layout.Rows = append(r.layout.Rows, row)
}

func joined(outer, name string) string {
	if outer == "" || name == "" {
		return outer + name
	}
	return outer + "." + name
}

// identifier converts a name from debug information to a part of a path: letters, digits and _.
func identifier(name string) string {
	name = strings.Map(func(c rune) rune {
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, strings.ToValidUTF8(binary.Clip(name), "_"))
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}
