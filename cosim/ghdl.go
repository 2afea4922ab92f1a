package cosim

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func isVHDL(file string) bool {
	ending := strings.ToLower(filepath.Ext(file))
	return ending == ".vhd" || ending == ".vhdl"
}

// vhdl reports whether a source goes through GHDL.
func (s *Source) vhdl() bool { return isVHDL(s.Files[0]) }

var ghdlMessage = regexp.MustCompile(`(?m)^(\S.*?:\d+:\d+):(?:error:)? ?(.*)$|^\S*ghdl\S*: (.*)$`)

// synthesise turns VHDL-2008 into Verilog, which then goes the way of all Verilog.
func (b *builder) synthesise() error {
	args := []string{"synth", "--std=08", "--out=verilog", "--workdir=" + b.work}
	for _, name := range slices.Sorted(maps.Keys(b.Params)) {
		args = append(args, "-g"+name+"="+b.Params[name])
	}
	args = append(append(args, b.Files...), "-e", b.Top)
	c := command(b, "", ghdlTool.command, args...)
	var said strings.Builder
	c.Stderr = &said
	verilog, err := c.Output()
	if b.Err() != nil {
		return b.Err()
	}
	if err != nil {
		return b.ghdlRefusal(said.String())
	}
	if err := b.warn([]byte(said.String())); err != nil {
		return err
	}
	// VHDL knows no upper and lower case: GHDL writes all names in lower case.
	clocks := make([]string, len(b.Clocks))
	for i, clock := range b.Clocks {
		clocks[i] = strings.ToLower(clock)
	}
	b.Clocks = clocks
	b.hdlDir = b.work
	return os.WriteFile(filepath.Join(b.work, strings.ToLower(b.Top)+".v"), verilog, 0o644)
}

// ghdlRefusal makes an error of GHDL's first message.
func (b *builder) ghdlRefusal(said string) error {
	refused := &InputError{b.Files[0], "ghdl: " + oneLineOf([]byte(said)), "correct the source until `ghdl synth --std=08` accepts it"}
	if found := ghdlMessage.FindStringSubmatch(said); found != nil {
		refused.Reason = found[2] + found[3]
		if found[1] != "" {
			refused.Place = found[1]
		}
	}
	if strings.Contains(refused.Reason, "cannot find entity") {
		refused.Remedy = "the entities are " + strings.Join(b.modules(), ", ")
	}
	return refused
}
