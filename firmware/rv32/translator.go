package rv32

import "starloom/firmware/wasm/binary"

// statePC is the offset of the next instruction's address in a state.
const statePC = 128

// Offsets of the turns since the last wait, and of the deepest stack, in a state.
const (
	stateInterrupted = 132
	stateTurns       = 148
	stateStack       = 164
)

// coldMax is the maximum size of a text that also gets a slow translation, in which every instruction is an entry.
const coldMax = 32 << 10

// coldHalves is the number of half-word addresses in a function of cold code.
const coldHalves = 64

// translator translates a program into WebAssembly functions. Their numbers follow those of the shim:
//
//	dispatch, run, arrive, regions, cold code
type translator struct {
	*Program
	timing   timing
	regions  []*region
	regionAt map[uint32]*region // by address of each block
	cold     bool               // with cold code
	window   uint64             // cycles of a slot after which a turn ends between two instructions, 0 for none
	stepping bool               // for tests: only cold code, in which control leaves a function after every instruction

	first       uint32 // number of dispatch
	load        uint32 // functions of the shim
	store       uint32
	lost        uint32
	deep        uint32
	tableAt     uint32 // address of the table of entries
	sharedAt    uint32 // address of text and constants
	signatureAt uint32 // number of the type (pc, state) -> pc
	left        uint32 // number of the global with the cycles left; its complement after an early end of a turn
	table       []uint32
	bodies      []body
	places      []place // in all bodies, by offset in the code section
}

// body is the code of a function, with the addresses of the translated instructions by offset in the code.
type body struct {
	code   []byte
	name   string
	places []place
}

type place struct {
	at int
	pc uint32
}

// A table entry holds, in its low bits, the number of a region or cold function plus one, and above them an index
// among the function's entries.
const (
	entryBits = 16
	wideBit   = 1 << 31
)

func (t *translator) dispatch() uint32           { return t.first }
func (t *translator) run() uint32                { return t.first + 1 }
func (t *translator) arrival() uint32            { return t.first + 2 }
func (t *translator) function(region int) uint32 { return t.first + 3 + uint32(region) }

// Locals of functions of the type (pc, state) -> pc.
const (
	localPC uint32 = iota
	localState
	localEntry   // place among the entries
	localAddress // of an access or a jump
	localFirst   // registers
)

// entryWord emits code that replaces an address in the text by its table entry.
func (t *translator) entryWord(c *code) {
	c.constant(t.Text.From)
	c.add(binary.OpI32Sub)
	c.constant(1)
	c.add(binary.OpI32ShrU)
	c.constant(2)
	c.add(binary.OpI32Shl)
	c.add(binary.OpI32Load, 2, t.tableAt)
}

// inText emits code that leaves 1 on the stack if the address in a local may be that of an instruction, otherwise 0.
func (t *translator) inText(c *code, local uint32) {
	c.get(local)
	c.constant(t.Text.From)
	c.add(binary.OpI32Sub)
	c.constant(1)
	c.add(opI32RotR) // an odd distance becomes large
	c.constant(t.Text.bytes() / 2)
	c.add(binary.OpI32LtU)
}

// spend records a cost at this place in the code, and subtracts it from the cycles left.
func (t *translator) spend(c *code, cycles int) {
	c.cost(cycles)
	if t.window > 0 && cycles > 0 {
		c.add(binary.OpGlobalGet, t.left, binary.OpI64Const)
		c.bytes = binary.AppendSigned(c.bytes, int64(cycles))
		c.add(binary.OpI64Sub, binary.OpGlobalSet, t.left)
	}
}
