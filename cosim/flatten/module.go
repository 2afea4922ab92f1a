package flatten

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"starloom/cosim"
)

// Names that change what a printed module has when they are defined.
const (
	DefineAssertions = "STARLOOM_ASSERTIONS" // outputs after the others: the nets of all assertions
	DefinePowerOn    = "STARLOOM_POWER_ON"   // the values that initial blocks give to registers and memories
)

// BeginsWithAny ends what Dropped says of a value at power-on: the print has it with DefinePowerOn.
const BeginsWithAny = ": a proof starts with any"

// A Module is a design as one module of plain Verilog: wires, one operation each, registers with
// one clock and constant asynchronous resets, memories. It has the ports and the name of the source.
//
// Power-on values are free, but for variables that only initial blocks write: constants, ROM.
type Module struct {
	Top        string       `json:"top"`
	Verilog    string       `json:"verilog"`
	Ports      []cosim.Port `json:"ports"`
	Assertions []Assertion  `json:"assertions"`
	Registers  []Register   `json:"registers"`
	Dropped    []string     `json:"dropped"` // what the print does not have, each with file:line:column
	Unknown    []string     `json:"unknown"` // where the source has X: any value here, in every cycle another one
	Turned     []string     `json:"turned"`  // where an array is given to one whose range goes in the opposite direction
	Kinds      []string     `json:"kinds"`   // of Verilator's nodes that were met

	Branches   []Branch   `json:"branches"`
	BranchPort string     `json:"branch_port"` // see DefineBranches
	Constants  []Constant `json:"constants"`

	Rules func([]cosim.Port) cosim.Rules `json:"-"` // what inputs keep where the print is compared, by the source's ports; nil: nothing
}

// An Assertion is what the source requires: $fatal, $error, assert, unique. Its net is 1 where it
// is violated: in every cycle, or, with a clock, only what is there at its edges counts.
type Assertion struct {
	Net   string `json:"net"`
	Kind  string `json:"kind"` // as the source writes it; assume is one that inputs must respect
	Place string `json:"place"`
	Text  string `json:"text"`
	Clock string `json:"clock,omitempty"` // posedge clk; "" for one without
}

// A Register is a variable of the source that holds its value from cycle to cycle.
type Register struct {
	Name   string `json:"name"`   // in the print
	Source string `json:"source"` // i_fifo.count
	Bits   int    `json:"bits"`
	Words  int    `json:"words,omitempty"` // of a memory
	Place  string `json:"place"`
}

// DeclaresPowerOn reports whether the source gives values at power-on to what is not a constant.
func (m *Module) DeclaresPowerOn() bool {
	return strings.Contains(m.Verilog, "`ifdef "+DefinePowerOn+"\n")
}

func (m *Module) header(s cosim.Source) string {
	var text strings.Builder
	fmt.Fprintf(&text, "// %s as one module of plain Verilog.\n", s.Name())
	for _, dropped := range m.Dropped {
		fmt.Fprintf(&text, "// not here: %s\n", dropped)
	}
	return text.String()
}

func (m *Module) write(o cosim.BuildOptions) (string, error) {
	cache, err := cosim.OpenCache(o.Cache)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(m.Verilog))
	return cache.Take("print-"+hex.EncodeToString(sum[:16])+".v", func(path string) error {
		return os.WriteFile(path, []byte(m.Verilog), 0o644)
	})
}

// File is where a print stands in the cache.
func (m *Module) File(o cosim.BuildOptions) (string, error) {
	path, err := m.write(o)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// DefineBranches gives a print an output after the others, before those of assertions, with a bit for each of Module.Branches: 1 where it is taken.
const DefineBranches = "STARLOOM_BRANCHES"

// A Branch is one way of an if, a case or a ?: of the source.
type Branch struct {
	Place string `json:"place"`
	Aims  []Aim  `json:"aims"` // inputs that may lead there
}

// An Aim is what inputs have to be for a branch, as far as a walk against the flow of values finds out: it chooses where several values would do,
// and does not look back. Whether the branch is taken with it, a simulation shows.
type Aim []Need

// A Need is some bits of an input, so many cycles before.
type Need struct {
	Port  string `json:"port"`
	Ago   int    `json:"ago,omitempty"`
	Care  string `json:"care"`  // bits that count, hexadecimal
	Value string `json:"value"` // theirs
}

// A Constant is what the source compares with.
type Constant struct {
	Bits  int    `json:"bits"`
	Value string `json:"value"` // hexadecimal
}
