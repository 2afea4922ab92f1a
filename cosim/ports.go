package cosim

import (
	"fmt"
	"path/filepath"
	"slices"
)

// A design is what discovery finds out about a top module. Verilator writes it as
// XML up to version 5.03x and as JSON later: ports_xml.go is the only file that
// knows.
type design struct {
	ports  []Port
	types  []string          // of the ports, as text: logic [7:0]
	params map[string]string // of the top module, as it is built
	files  []string          // that were read, includes too
	data   map[string]string // files of $readmem by their names there, and the source that reads them
	io     []Warning         // system tasks that reach files
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
		return fmt.Errorf("what verilator says of %s: %w", b.name(), err)
	}
	b.design, err = netlist.design(b.Source)
	return err
}

// placePorts marks the clocks and gives every other port its words.
func placePorts(ports []Port, clocks []string) error {
	in, out := 0, 0
	for i := range ports {
		p := &ports[i]
		p.Clock = slices.Contains(clocks, p.Name)
		switch {
		case p.Clock && (!p.Input || p.Bits != 1):
			return &InputError{Place: "--clock", Reason: fmt.Sprintf("%s is %s", p.Name, p.kind()), Remedy: "a clock is an input of one bit"}
		case p.Clock:
			p.Word = -1
		case p.Input:
			p.Word, in = in, in+p.Words()
		default:
			p.Word, out = out, out+p.Words()
		}
	}
	for _, clock := range clocks {
		if !slices.ContainsFunc(ports, func(p Port) bool { return p.Name == clock }) {
			var inputs []string
			for _, p := range ports {
				if p.Input && p.Bits == 1 {
					inputs = append(inputs, p.Name)
				}
			}
			return &InputError{Place: "--clock", Reason: fmt.Sprintf("there is no port %s", clock), Remedy: fmt.Sprintf("inputs of one bit are %v", inputs)}
		}
	}
	return nil
}

// kind is a port in words.
func (p Port) kind() string {
	direction := "an output"
	if p.Input {
		direction = "an input"
	}
	if p.Bits == 1 {
		return direction + " of 1 bit"
	}
	return fmt.Sprintf("%s of %d bits", direction, p.Bits)
}

// words returns how many words all inputs and all outputs have.
func words(ports []Port) (in, out int) {
	for _, p := range ports {
		switch {
		case p.Clock:
		case p.Input:
			in += p.Words()
		default:
			out += p.Words()
		}
	}
	return in, out
}
