package wasm

// operands is the stack of operands at a place of a function, as far as an analysis knows them;
// the zero value of V knows nothing.
type operands[V any] struct {
	stack  []V
	failed bool // the code takes more than there is
}

func (o *operands[V]) pop() (v V) {
	if len(o.stack) == 0 {
		o.failed = true
		return v
	}
	v = o.stack[len(o.stack)-1]
	o.stack = o.stack[:len(o.stack)-1]
	return v
}

func (o *operands[V]) push(values ...V) { o.stack = append(o.stack, values...) }

// replace pops values, and pushes some of which nothing is known.
func (o *operands[V]) replace(pops, pushes int) {
	for range pops {
		o.pop()
	}
	var unknown V
	for range pushes {
		o.push(unknown)
	}
}

// cut leaves height values and so many unknown ones.
func (o *operands[V]) cut(height, unknown int) {
	if height > len(o.stack) {
		o.failed = true
		return
	}
	o.stack = o.stack[:height]
	o.replace(0, unknown)
}

// block returns how many operands a block takes and leaves.
func (m *module) block(i *instruction) (params, results int) {
	t := m.blockTypes(i)
	return len(t.params), len(t.results)
}
