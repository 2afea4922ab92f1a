package binary

// The sections by their numbers in the format.
const (
	SectionCustom    = 0  // debug information, names and whatever
	SectionType      = 1  // signatures of functions
	SectionImport    = 2  // what the host provides
	SectionFunction  = 3  // types of the functions
	SectionTable     = 4  // tables of functions
	SectionMemory    = 5  // memories
	SectionGlobal    = 6  // globals
	SectionExport    = 7  // what the host may use
	SectionStart     = 8  // the function that runs first
	SectionElement   = 9  // what tables hold at the start
	SectionCode      = 10 // bodies of the functions
	sectionData      = 11
	sectionDataCount = 12
)

// sectionOrder are the sections in the order in which a module has them.
var sectionOrder = []byte{
	SectionType, SectionImport, SectionFunction, SectionTable, SectionMemory, SectionGlobal,
	SectionExport, SectionStart, SectionElement, sectionDataCount, SectionCode, sectionData,
}

// Section is a section as the file has it.
type Section struct {
	ID      byte
	Name    string // of a custom section
	Offset  int    // of its content in the file
	Width   int    // bytes of its length
	Content []byte
}

// The kinds of imports and exports.
const (
	KindFunction = 0 // a function
	kindTable    = 1
	KindMemory   = 2 // a memory
	KindGlobal   = 3 // a global
)

// FuncType is a function's signature, the types one byte each.
type FuncType struct{ Params, Results string }

// Global is a global of the module, imported ones first.
type Global struct {
	ValueType byte
	Mutable   bool
	Imported  string // module.name
	Initial   int64  // of an i32.const, else 0
}

// Function is a defined function.
type Function struct {
	Signature uint32
	Offset    int // of its body in the file
	Width     int // bytes of the body's length
	Locals    []byte
	Extra     uint64 // locals beside the parameters
	Code      []byte // instructions, the last one its end
}

// Export is what an export names.
type Export struct {
	Kind  byte
	Index uint32
}

// Module is a parsed module. Sections that no pass changes are
// kept as bytes.
type Module struct {
	Sections    []Section
	Types       []FuncType
	Imported    []uint32 // signatures of the imported functions
	ImportNames []string // module.name of them
	Globals     []Global
	Tables      []uint32 // entries at the start
	Exports     map[string]Export
	named       map[Export]string // the first name in their order
	Start       int               // -1: none
	Elements    []uint32
	Body        []Function
	Names       map[uint32]string // of functions
	given       map[uint32]string // of globals
}

// Contents is a reader of a section, empty if there is none.
func (m *Module) Contents(id byte) *Reader {
	for _, s := range m.Sections {
		if s.ID == id {
			return &Reader{Data: s.Content, Base: s.Offset}
		}
	}
	return &Reader{Data: []byte{0}}
}

// inTable notes a function that may be called over a table.
func (m *Module) inTable(index uint32, _, _ int) { m.Elements = append(m.Elements, index) }
