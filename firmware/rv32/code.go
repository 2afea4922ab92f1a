package rv32

import "starloom/firmware/wasm/binary"

// code is the body of a WebAssembly function under construction.
type code struct{ bytes []byte }

// Instructions that package binary does not name.
const (
	opI32Load8S    = 0x2C
	opI32Load8U    = 0x2D
	opI32Load16S   = 0x2E
	opI32Load16U   = 0x2F
	opI32Store8    = 0x3A
	opI32Store16   = 0x3B
	opI32Mul       = 0x6C
	opI32DivS      = 0x6D
	opI32DivU      = 0x6E
	opI32RemS      = 0x6F
	opI32RemU      = 0x70
	opI32And       = 0x71
	opI32Or        = 0x72
	opI32ShrS      = 0x75
	opI32RotR      = 0x78
	opI64LtS       = 0x53
	opI64Xor       = 0x85
	opI64ShrU      = 0x88
	opI64ExtendI32 = 0xAC // signed
)

// add appends bytes (int), instructions, unsigned numbers (uint32) and code.
func (c *code) add(parts ...any) {
	for _, part := range parts {
		switch p := part.(type) {
		case int:
			c.bytes = append(c.bytes, byte(p))
		case byte:
			c.bytes = append(c.bytes, p)
		case uint32:
			c.bytes = binary.AppendU32(c.bytes, p, 1)
		case []byte:
			c.bytes = append(c.bytes, p...)
		}
	}
}

func (c *code) constant(value uint32) {
	c.bytes = binary.AppendSigned(append(c.bytes, binary.OpI32Const), int64(int32(value)))
}

func (c *code) get(local uint32) { c.add(binary.OpLocalGet, local) }
func (c *code) set(local uint32) { c.add(binary.OpLocalSet, local) }
func (c *code) tee(local uint32) { c.add(binary.OpLocalTee, local) }

// access appends a load or store at a constant offset.
func (c *code) access(op int, offset uint32) { c.add(op, 0, offset) }

// cost records a cost in cycles at this place in the code; see wasm.Costs.
func (c *code) cost(cycles int) {
	if cycles > 0 {
		c.add(binary.OpF32Const, byte(cycles), byte(cycles>>8), byte(cycles>>16), byte(cycles>>24), binary.OpDrop)
	}
}
