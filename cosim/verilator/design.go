package verilator

import "starloom/cosim"

type design struct {
	ports  []cosim.Port
	types  []string
	params map[string]string // values of the top module's parameters
	files  []string
	data   map[string]string // source that reads each $readmem file, by file name
	doubts []cosim.Warning   // system tasks with file access, and constructs that Verilator simulates wrongly
	levels bool              // some logic depends on more than a clock's rising edge
	resets []string          // other inputs whose edges trigger processes, usually asynchronous resets
	inner  bool              // an internal signal triggers a process
	large  []string          // signals missing in waveforms, with reasons
}

const remedyWrapper = "flatten it in a wrapper: a module with plain packed inputs and outputs that instantiates " +
	"this module"

func spelled(fold bool, name string, ports []cosim.Port) string {
	for _, p := range ports {
		if cosim.SameName(fold, p.Name, name) {
			return p.Name
		}
	}
	return name
}

var (
	verilatorTool = cosim.Tool{Command: "verilator", Packages: "verilator", VersionOption: "--version"}
	clangTool     = cosim.Tool{Command: "clang++", Packages: "clang", VersionOption: "--version"}
	linkerTool    = cosim.Tool{Command: "wasm-ld", Packages: "lld", VersionOption: "--version"}
	ghdlTool      = cosim.Tool{Command: "ghdl", Packages: "ghdl", VersionOption: "--version"}
)
