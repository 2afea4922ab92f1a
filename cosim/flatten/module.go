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

// Macros that extend a printed module.
const (
	DefineAssertions = "STARLOOM_ASSERTIONS" // adds the nets of all assertions as the last outputs
	DefinePowerOn    = "STARLOOM_POWER_ON"   // gives registers and memories the values of initial blocks
)

// BeginsWithAny is the end of entries in Dropped about power-on values. The print contains these values only with
// DefinePowerOn.
const BeginsWithAny = ": a proof starts with any"

// A Module is a design as one module of plain Verilog. It contains wires with one operation each, registers with one
// clock and constant asynchronous resets, and memories. Ports and name are those of the source.
//
// Power-on values are free. Variables that only initial blocks write are constants or ROM.
type Module struct {
	Top        string       `json:"top"`
	Verilog    string       `json:"verilog"`
	Ports      []cosim.Port `json:"ports"`
	Assertions []Assertion  `json:"assertions"`
	Registers  []Register   `json:"registers"`
	Dropped    []string     `json:"dropped"` // omitted constructs, each with file:line:column
	Unknown    []string     `json:"unknown"` // places of X in the source; each is a free value, different in every cycle
	Turned     []string     `json:"turned"`  // assignments between arrays of opposite directions
	Kinds      []string     `json:"kinds"`

	Branches   []Branch   `json:"branches"`
	BranchPort string     `json:"branch_port"` // see DefineBranches
	Constants  []Constant `json:"constants"`

	// the assertions are goals, which the source in a comparison lacks
	Goals bool `json:"-"`

	// returns the rules for inputs of a comparison, given the source's ports; nil for none
	Rules func([]cosim.Port) cosim.Rules `json:"-"`
}

// An Assertion is a requirement of the source: $fatal, $error, assert or unique. Its net is 1 where the assertion is
// violated. If the assertion has a clock, only the value of the net at the clock's edge counts.
type Assertion struct {
	Net   string `json:"net"`
	Kind  string `json:"kind"` // keyword in the source; an assume restricts the inputs
	Place string `json:"place"`
	Text  string `json:"text"`
	Clock string `json:"clock,omitempty"` // clock edge, such as posedge clk; "" for none
	Scope string `json:"scope,omitempty"` // instance that contains it, such as i_fifo; "" for the top module
}

// A Register is a variable of the source that retains its value between cycles.
type Register struct {
	Name   string `json:"name"`
	Source string `json:"source"` // i_fifo.count
	Bits   int    `json:"bits"`
	Words  int    `json:"words,omitempty"`
	Place  string `json:"place"`
}

// DeclaresPowerOn reports whether the source gives power-on values to variables other than constants.
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

// File returns the path of the print in the cache, and writes the file if it is missing.
func (m *Module) File(o cosim.BuildOptions) (string, error) {
	path, err := m.write(o)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// DefineBranches adds an output before the outputs of assertions. Bit i of this output is 1 while Module.Branches[i]
// is taken.
const DefineBranches = "STARLOOM_BRANCHES"

// A Branch is one alternative of an if, case or ?: of the source.
type Branch struct {
	Place string `json:"place"`
	Aims  []Aim  `json:"aims"` // input values that may take the branch
}

// An Aim is a set of input values that may take a branch. A backward walk without backtracking finds the values. If
// several values suffice, the walk chooses one at random. Only simulation confirms that the branch is taken.
type Aim []Need

// A Need is a set of input bits, Ago cycles before the branch.
type Need struct {
	Port  string `json:"port"`
	Ago   int    `json:"ago,omitempty"`
	Care  string `json:"care"` // mask of the bits, hexadecimal
	Value string `json:"value"`
}

// A Constant is an operand of a comparison in the source.
type Constant struct {
	Bits  int    `json:"bits"`
	Value string `json:"value"`
}
