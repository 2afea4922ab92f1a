package strict

import (
	"fmt"
	"reflect"
	"slices"
)

// Unreadable says what in a struct cannot be read from a document, "" for nothing.
func Unreadable(t reflect.Type) (reason string) {
	defer func() {
		if said := recover(); said != nil {
			reason = fmt.Sprint(said) // a tag without a number
		}
	}()
	for _, one := range Structs(t) {
		for _, field := range Fields(one) {
			switch f := one.FieldByIndex(field.Index); {
			case !f.IsExported():
				return fmt.Sprintf("the field %s of %s is not exported", f.Name, one)
			case !readable(f.Type):
				return fmt.Sprintf("the field %s of %s has the type %s", f.Name, one, f.Type)
			}
		}
	}
	return ""
}

func readable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint64, reflect.Float64, reflect.Struct:
		return true
	case reflect.Pointer, reflect.Slice:
		return readable(t.Elem())
	}
	return false
}

// Structs are the structs among the keys of a type, and among theirs, itself first. Those with a form of
// their own are not.
func Structs(t reflect.Type) []reflect.Type {
	found := []reflect.Type{t}
	for i := 0; i < len(found); i++ {
		for _, field := range Fields(found[i]) {
			inner := found[i].FieldByIndex(field.Index).Type
			for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
				inner = inner.Elem()
			}
			if _, _, short := Shorthand(inner); inner.Kind() == reflect.Struct && !short && !slices.Contains(found, inner) {
				found = append(found, inner)
			}
		}
	}
	return found
}
