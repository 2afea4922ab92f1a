package explore

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"unsafe"
)

// codec writes or reads the fields of a search, except for fields with the tag saved:"-". The types describe both
// directions. Values without pointers are copied as memory, so only the program that wrote a file can read it.
type codec struct {
	w   *bufio.Writer // nil for reading
	r   *bufio.Reader
	err error
}

// fields writes or reads a struct at a pointer.
func (c *codec) fields(at any) { c.value(reflect.ValueOf(at).Elem()) }

// memory writes or reads n bytes at an address.
func (c *codec) memory(at unsafe.Pointer, n int) {
	if n == 0 || c.err != nil {
		return
	}
	bytes := unsafe.Slice((*byte)(at), n)
	if c.w != nil {
		_, c.err = c.w.Write(bytes)
		return
	}
	_, c.err = io.ReadFull(c.r, bytes)
}

// length writes n, or reads and returns a length.
func (c *codec) length(n int) int {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	c.memory(unsafe.Pointer(&b), len(b))
	if c.err != nil {
		return 0
	}
	return int(binary.LittleEndian.Uint64(b[:]))
}

// plain reports whether values of a type contain no pointers, so that they can be copied as memory.
func plain(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
		}
		return true
	default:
		return k >= reflect.Bool && k <= reflect.Float64 && k != reflect.Uintptr
	}
}

// value writes or reads an addressable value.
func (c *codec) value(v reflect.Value) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // fields of this package may be set
	t := v.Type()
	if c.err != nil {
		return
	}
	if plain(t) {
		c.memory(unsafe.Pointer(v.UnsafeAddr()), int(t.Size()))
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).Tag.Get("saved") != "-" {
				c.value(v.Field(i))
			}
		}
	case reflect.Pointer:
		if c.some(v) {
			c.value(v.Elem())
		}
	case reflect.String:
		text := []byte(v.String())
		if n := c.length(len(text)); c.w == nil {
			text = make([]byte, n)
		}
		c.memory(unsafe.Pointer(unsafe.SliceData(text)), len(text))
		v.SetString(string(text))
	case reflect.Slice:
		c.list(v)
	case reflect.Map:
		c.table(v)
	default:
		panic(fmt.Sprintf("explore: a search has a %s, which cannot be saved", t))
	}
}

// some writes or reads a flag for a non-nil pointer, whose value it reads in place. It returns false for nil.
func (c *codec) some(v reflect.Value) bool {
	n := 0
	if !v.IsNil() {
		n = 1
	}
	n = c.length(n)
	if c.w == nil && n == 1 && v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	} else if c.w == nil && n == 0 {
		v.SetZero()
	}
	return n == 1
}

// list writes or reads a slice with its capacity, which counts towards the memory limit. An empty slice is read as
// nil.
func (c *codec) list(v reflect.Value) {
	n := 0
	if !v.IsNil() {
		n = v.Len() + 1
	}
	n = c.length(n) - 1
	capacity := c.length(v.Cap())
	if c.w == nil {
		v.SetZero()
	}
	if n < 0 {
		return
	}
	if c.w == nil {
		v.Set(reflect.MakeSlice(v.Type(), n, max(n, capacity)))
	}
	if elem := v.Type().Elem(); plain(elem) {
		c.memory(v.UnsafePointer(), n*int(elem.Size()))
		return
	}
	for i := range n {
		c.value(v.Index(i))
	}
}

// table writes or reads a map in any order.
func (c *codec) table(v reflect.Value) {
	n := c.length(v.Len())
	if c.w == nil {
		v.Set(reflect.MakeMapWithSize(v.Type(), n))
	}
	all := v.MapRange()
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if c.w != nil {
			all.Next()
			key.Set(all.Key())
			value.Set(all.Value())
		}
		c.value(key)
		c.value(value)
		if c.w == nil && c.err == nil {
			v.SetMapIndex(key, value)
		}
	}
}
