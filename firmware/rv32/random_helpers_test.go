package rv32

import (
	"fmt"

	"starloom/firmware/rv32/rv32test"
)

const (
	testText = rv32test.TextFrom
	testRAM  = rv32test.RAMFrom
	wfiWord  = rv32test.WaitWord
)

var encodeR, encodeI, encodeS = rv32test.EncodeR, rv32test.EncodeI, rv32test.EncodeS
var encodeB, encodeJ = rv32test.EncodeB, rv32test.EncodeJ

// drawCore returns a core, perhaps with late data.
func drawCore(seed uint64) *Core {
	core := &cores[seed%uint64(len(cores))]
	if late, err := core.Late(uint32(seed % 3)); err == nil {
		return late
	}
	return core
}

// draw returns a random program; see rv32test.Draw.
func draw(seed uint64, compressed bool) *Program {
	d := rv32test.Draw(seed, rv32test.Options{Compressed: compressed, Multiply: true, Start: true})
	p := &Program{Entry: testText, Text: Range{testText, testText + uint32(len(d.Text))}, Compressed: compressed,
		symbols: map[string]uint32{}, Shared: Memory{testText, d.Text}, RAM: Memory{testRAM, d.RAM}}
	for k, from := range d.Functions {
		to := len(d.Text)
		if k+1 < len(d.Functions) {
			to = d.Functions[k+1]
		}
		p.functions = append(p.functions, function{Range{testText + uint32(from), testText + uint32(to)},
			fmt.Sprintf("f%d", k)})
	}
	return p
}
