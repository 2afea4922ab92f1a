package variables

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"math"
)

// array appends an array of numbers as one variable, and the elements of other arrays one by one.
func (r *reader) array(name string, e *dwarf.Entry, place member) error {
	to, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		r.gone(name, "its type is unknown")
		return nil
	}
	counts, err := r.dimensions(e)
	if err != nil {
		return err
	}
	bytes, err := r.size(to)
	if err != nil {
		return err
	}
	return r.dimension(name, to, bytes, counts, place)
}

const unknownCount = -1

// dimensions returns the numbers of elements, outermost dimension first.
func (r *reader) dimensions(e *dwarf.Entry) (counts []int64, err error) {
	children, err := r.children(e)
	for _, c := range children {
		if c.Tag != dwarf.TagSubrangeType {
			continue
		}
		count, ok := c.Val(dwarf.AttrCount).(int64)
		if upper, last := c.Val(dwarf.AttrUpperBound).(int64); !ok && last && upper < math.MaxInt64 {
			count, ok = upper+1, true
		}
		if !ok || count < 0 {
			count = unknownCount
		}
		counts = append(counts, count)
	}
	if err == nil && len(counts) == 0 {
		counts = []int64{unknownCount}
	}
	return counts, err
}

// dimension appends the elements of the outermost dimension of an array. An array of unknown length fills the rest of
// the state.
func (r *reader) dimension(name string, of dwarf.Offset, bytes int64, counts []int64, place member) error {
	if place.depth++; place.depth > depthMax {
		r.gone(name, fmt.Sprintf("deeper than %d levels", depthMax))
		return nil
	}
	each := bytes
	for _, count := range counts[1:] {
		if count < 0 || count > offsetMax || each > offsetMax {
			r.gone(name, "its length is unknown")
			return nil
		}
		each *= count
	}
	room := int64(r.bytes) - place.at/8
	if each < 1 {
		r.gone(name, "it has no bytes")
		return nil
	}
	count := counts[0]
	if count == unknownCount {
		count = room / each
	}
	switch {
	case room < 0 || count > room/each:
		return fmt.Errorf("%s lies outside of the %d bytes of the state", name, r.bytes)
	case count == 0:
		r.gone(name, "it has no elements")
		return nil
	}
	if len(counts) == 1 {
		if done, err := r.numbers(name, of, each, count, place); done || err != nil {
			return err
		}
	}
	for k := range min(count, ElementsMax) {
		inner, element := place, fmt.Sprintf("%s[%d]", name, k)
		inner.at += 8 * each * k
		var err error
		if len(counts) > 1 {
			err = r.dimension(element, of, bytes, counts[1:], inner)
		} else {
			err = r.variable(element, of, inner)
		}
		if err != nil {
			return err
		}
	}
	if count > ElementsMax {
		r.add(Row{Name: fmt.Sprintf("%s[%d..%d]", name, ElementsMax, count-1), Length: int(count - ElementsMax),
			rest: span{place.at + 8*each*ElementsMax, 8 * each * (count - ElementsMax)}})
	}
	return nil
}

// numbers appends an array of numbers. done is false for other elements.
func (r *reader) numbers(name string, of dwarf.Offset, each, count int64, place member) (done bool, err error) {
	e, declared, err := r.resolve(of)
	if err != nil || isStruct(e) || e.Tag == dwarf.TagArrayType {
		return false, err
	}
	s, why, err := r.scalar(e, declared, member{at: place.at, when: place.when})
	if err != nil {
		return false, err
	}
	if why != "" {
		r.gone(name, why)
		return true, nil
	}
	row := Row{Name: name, Array: true, Length: int(count), text: s.kind == character}
	for k := range min(count, ElementsMax) {
		s.Path, s.place.at = fmt.Sprintf("%s[%d]", name, k), place.at+8*each*k
		row.Scalars = append(row.Scalars, s)
	}
	if count > ElementsMax {
		row.rest = span{place.at + 8*each*ElementsMax, 8 * each * (count - ElementsMax)}
	}
	r.add(row)
	return true, nil
}

// size returns the bytes of a type.
func (r *reader) size(at dwarf.Offset) (int64, error) {
	product := int64(1)
	for range depthMax {
		e, _, err := r.resolve(at)
		if err != nil {
			return 0, err
		}
		bytes, ok := e.Val(dwarf.AttrByteSize).(int64)
		if e.Tag == dwarf.TagPointerType && !ok {
			bytes, ok = 4, true
		}
		if ok {
			if bytes < 0 || bytes > offsetMax {
				return 0, fmt.Errorf("a type has %d bytes", bytes)
			}
			return product * bytes, nil
		}
		to, typed := e.Val(dwarf.AttrType).(dwarf.Offset)
		if e.Tag != dwarf.TagArrayType || !typed {
			return 0, nil
		}
		counts, err := r.dimensions(e)
		if err != nil {
			return 0, err
		}
		for _, count := range counts {
			if product *= max(count, 0); product > offsetMax {
				return 0, errors.New("an array is longer than any state")
			}
		}
		at = to
	}
	return 0, fmt.Errorf("an array has more than %d levels", depthMax)
}

// flexible reports whether a struct ends with an array of unknown length.
func (r *reader) flexible(e *dwarf.Entry) bool {
	r.visits = visitsMax
	for range depthMax {
		children, err := r.children(e)
		if err != nil {
			return false
		}
		var last *dwarf.Entry
		for _, c := range children {
			if c.Tag == dwarf.TagMember {
				last = c
			}
		}
		if last == nil {
			return false
		}
		to, ok := last.Val(dwarf.AttrType).(dwarf.Offset)
		if !ok {
			return false
		}
		if e, _, err = r.resolve(to); err != nil {
			return false
		}
		if e.Tag == dwarf.TagArrayType {
			counts, err := r.dimensions(e)
			return err == nil && counts[0] <= 0
		}
		if !isStruct(e) {
			return false
		}
	}
	return false
}
