// Package binary reads and writes the binary format of WebAssembly modules: the MVP, sign extension, saturating
// conversions, multiple results, bulk memory and SIMD. It rejects other instructions and reports their offset.
//
//	image --Parse--> Module --Parts, Encode--> image
//	                   +-- Function.Code --Reader.Instruction--> Instruction
package binary

// Section numbers.
const (
	SectionCustom    = 0  // debug information, names and others
	SectionType      = 1  // signatures of functions
	SectionImport    = 2  // imports from the host
	SectionFunction  = 3  // types of the functions
	SectionTable     = 4  // tables of functions
	SectionMemory    = 5  // memories
	SectionGlobal    = 6  // globals
	SectionExport    = 7  // exports to the host
	SectionStart     = 8  // function that runs first
	SectionElement   = 9  // initial contents of tables
	SectionCode      = 10 // bodies of the functions
	SectionData      = 11 // initial contents of the memory
	SectionDataCount = 12 // number of data segments
)

var sectionOrder = []byte{
	SectionType, SectionImport, SectionFunction, SectionTable, SectionMemory, SectionGlobal,
	SectionExport, SectionStart, SectionElement, SectionDataCount, SectionCode, SectionData,
}

// Section is an unparsed section.
type Section struct {
	ID      byte
	Name    string // name of a custom section
	Offset  int    // offset of the content in the file
	Width   int    // size of the encoded length in bytes
	Content []byte
}

// Kinds of imports and exports.
const (
	KindFunction = 0 // a function
	kindTable    = 1
	KindMemory   = 2 // a memory
	KindGlobal   = 3 // a global
)

// FuncType is a function's signature, with one byte per type.
type FuncType struct{ Params, Results string }

// Global is a global of the module. Imported globals come first.
type Global struct {
	ValueType byte
	Mutable   bool
	Imported  string // module.name
	Initial   int64  // value of an i32.const, otherwise 0
}

// Function is a defined function.
type Function struct {
	Signature uint32
	Offset    int // offset of the body in the file
	Width     int // size of the encoded length in bytes
	Locals    []byte
	Extra     uint64 // number of locals, without parameters
	Code      []byte // instructions, including the final end
}

// Export is the target of an export.
type Export struct {
	Kind  byte
	Index uint32
}

// Module is a parsed module. Sections unchanged by all passes remain bytes.
type Module struct {
	Sections    []Section
	Types       []FuncType
	Imported    []uint32 // signatures of the imported functions
	ImportNames []string // module.name of imported functions
	Globals     []Global
	Tables      []uint32 // initial numbers of entries
	Exports     map[string]Export
	named       map[Export]string // first export name in alphabetical order
	Start       int               // -1: none
	Elements    []uint32
	Body        []Function
	Names       map[uint32]string // names of functions
	given       map[uint32]string // names of globals
}

// Contents returns a reader of a section, empty for a missing section.
func (m *Module) Contents(id byte) *Reader {
	for _, s := range m.Sections {
		if s.ID == id {
			return &Reader{Data: s.Content, Base: s.Offset}
		}
	}
	return &Reader{Data: []byte{0}}
}

func (m *Module) inTable(index uint32, _, _ int) { m.Elements = append(m.Elements, index) }
