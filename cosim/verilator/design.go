package verilator

import "starloom/cosim"

// A design is what discovery finds out about a top module. Verilator writes it as
// XML or as JSON: only xml.go and json.go depend on that.
type design struct {
	ports  []cosim.Port
	types  []string          // of the ports, as text: logic [7:0]
	params map[string]string // of the top module, as it is built
	files  []string          // that were read, includes too
	data   map[string]string // files of $readmem by their names there, and the source that reads them
	doubts []cosim.Warning   // system tasks that reach files, and what Verilator simulates otherwise than the source says
	levels bool              // something sees more of a clock than its rising edge
	resets []string          // other inputs whose edges something waits for, asynchronous resets mostly
	inner  bool              // something waits for a signal that is made inside
	large  []string          // signals that waveforms leave out, and why
}

const remedyWrapper = "flatten it in a wrapper: a module with plain packed inputs and outputs, which contains this one"

// spelled returns a name as a design writes it: that of VHDL may be given in any case.
func spelled(fold bool, name string, ports []cosim.Port) string {
	for _, p := range ports {
		if cosim.SameName(fold, p.Name, name) {
			return p.Name
		}
	}
	return name
}
