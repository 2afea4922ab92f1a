package wasm

// copier copies parts of a module whose functions, from the first one that is not
// imported, have moved by one: tick comes last among the imported ones.
type copier struct {
	imported uint32
	to       []byte
}

func (c *copier) function(index uint32) uint32 {
	if index >= c.imported {
		return index + 1
	}
	return index
}

func (c *copier) instruction(code []byte, i *instruction) {
	if i.op == opCall || i.op == opRefFunc {
		c.to = append(c.to, code[i.start:i.at]...)
		c.to = appendU32(c.to, c.function(i.index), i.end-i.at)
		return
	}
	c.to = append(c.to, code[i.start:i.end]...)
}
