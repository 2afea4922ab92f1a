package verilator

import (
	"fmt"
	"path/filepath"

	"starloom/cosim"
)

// A design is what discovery finds out about a top module. Verilator writes it as
// XML up to version 5.03x and as JSON later: ports_xml.go is the only file that
// knows.
type design struct {
	ports  []cosim.Port
	types  []string          // of the ports, as text: logic [7:0]
	params map[string]string // of the top module, as it is built
	files  []string          // that were read, includes too
	data   map[string]string // files of $readmem by their names there, and the source that reads them
	io     []cosim.Warning   // system tasks that reach files
	levels bool              // something sees more of a clock than its rising edge
	resets []string          // other inputs whose edges something waits for, asynchronous resets mostly
	inner  bool              // something waits for a signal that is made inside
}

// readDesign finds the ports of the top module.
func (b *builder) readDesign() error {
	path := filepath.Join(b.work, "design.xml")
	args := []string{"--xml-only", "--xml-output", path, "--Mdir", b.work, "--no-timing", "-Wno-fatal", "--assert"}
	said, err := b.verilate(args...)
	if err != nil {
		return err
	}
	if err := b.warn(said); err != nil {
		return err
	}
	netlist, err := readXML(path)
	if err != nil {
		return fmt.Errorf("what verilator says of %s: %w", b.Name(), err)
	}
	b.design, err = netlist.design(b.Source)
	return err
}
