// Package fingerprint writes a Go value in a form that is equal in every process, so that the hash of a network
// written in Go identifies it. It follows pointers and sorts maps. Functions and channels count by their types.
package fingerprint

import (
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
)

// Write writes all parts of v, including unexported fields.
func Write(w io.Writer, v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		fmt.Fprint(w, "nil")
	case reflect.Pointer, reflect.Interface:
		Write(w, v.Elem())
	case reflect.Struct:
		fmt.Fprintf(w, "%s{", v.Type())
		for i := range v.NumField() {
			fmt.Fprintf(w, "%s:", v.Type().Field(i).Name)
			Write(w, v.Field(i))
		}
		fmt.Fprint(w, "}")
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(w, "[%d:", v.Len())
		for i := range v.Len() {
			Write(w, v.Index(i))
		}
		fmt.Fprint(w, "]")
	case reflect.Map:
		entries := map[string]reflect.Value{}
		for _, key := range v.MapKeys() {
			entries[fmt.Sprint(key)] = v.MapIndex(key)
		}
		fmt.Fprintf(w, "map[%d:", v.Len())
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			fmt.Fprintf(w, "%s:", key)
			Write(w, entries[key])
		}
		fmt.Fprint(w, "]")
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		fmt.Fprint(w, v.Type())
	default:
		fmt.Fprintf(w, "%v,", v)
	}
}
