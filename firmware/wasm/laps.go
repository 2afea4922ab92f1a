package wasm

// A lap is the turn of one cell of a bank. An image says that it begins by a store to its
// descriptor (STARLOOM_LOOP of starloom.h); optimised, this is
//
//	i32.const C    local.get place    i32.store offset=O    C+O: the address of current
//
// After it the copy notes how many turns are left, so that the host knows at any tick how many the
// handler has taken, whoever ran before it. Of an image that stores in another way, the call of
// the whole bank is one lap.

// bankCurrent is the address of BankCurrent, which is known where starloom_bank returns a
// constant; else 0.
func (m *module) bankCurrent() uint64 {
	e, ok := m.exports["starloom_bank"]
	k := int(e.index) - len(m.imported)
	if !ok || e.kind != kindFunction || k < 0 || k >= len(m.body) {
		return 0
	}
	r := &reader{data: m.body[k].code}
	var address, end instruction
	r.instruction(&address)
	r.instruction(&end)
	if r.err != nil || address.op != opI32Const || end.op != opEnd {
		return 0
	}
	return uint64(uint32(address.value)) + BankCurrent
}

// lap is the global with the turns that were left when the lap began.
func (w *weaver) lap() uint32 { return w.counter + 1 }

// begins reports whether the last of three instructions says that a cell's turn begins.
func (w *weaver) begins(address, place, store *instruction) bool {
	return w.current != 0 && store.op == opI32Store && address.op == opI32Const && (place.op == opLocalGet || place.op == opI32Const) &&
		uint64(uint32(address.value))+uint64(store.value) == w.current
}

// mark notes that a lap begins.
func (w *weaver) mark() []byte {
	return appendU32(append(appendU32([]byte{byte(opGlobalGet)}, w.counter, 1), byte(opGlobalSet)), w.lap(), 1)
}
