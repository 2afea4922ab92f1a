package binary

import "strings"

// Value types.
const (
	I32  = 0x7F // i32
	I64  = 0x7E // i64
	F32  = 0x7D // f32
	F64  = 0x7C // f64
	V128 = 0x7B // v128

	FuncRef   = 0x70 // reference to a function
	ExternRef = 0x6F // reference to a host object
)

func (r *Reader) valueType() byte {
	t := r.Byte()
	if t < V128 && t != FuncRef && t != ExternRef || t > I32 {
		r.Broken("the type %#x, which Starloom does not support,", t)
	}
	return t
}

// TypeNames maps value types to their names in the text format.
var TypeNames = map[byte]string{
	I32: "i32", I64: "i64", F32: "f32", F64: "f64", V128: "v128", FuncRef: "funcref", ExternRef: "externref",
}

func (m *Module) readTypes(r *Reader) {
	values := 0
	for n := r.list("types"); n > 0 && r.Err == nil; n-- {
		if form := r.Byte(); form != 0x60 && r.Err == nil {
			r.Broken("a type of form %#x, which is not a function's,", form)
		}
		t := FuncType{string(r.bytes(uint64(r.U32()))), string(r.bytes(uint64(r.U32())))}
		m.Types, values = append(m.Types, t), values+len(t.Params)+len(t.Results)
		r.tooMany("parameters and results of types", values, TypeValuesMax)
	}
}

// String formats a signature as (i32, i64) -> i32.
func (t FuncType) String() string {
	list := func(types string) string {
		var names []string
		for _, valueType := range []byte(types) {
			names = append(names, TypeNames[valueType])
		}
		return strings.Join(names, ", ")
	}
	text := "(" + list(t.Params) + ")"
	if t.Results != "" {
		text += " -> " + list(t.Results)
	}
	return text
}
