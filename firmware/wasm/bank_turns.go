package wasm

import "starloom/firmware/wasm/binary"

// A lap is the handler call of one cell of a bank. An image marks its start by a store to its descriptor
// (STARLOOM_LOOP in starloom.h), which compiles to
//
//	i32.const C    local.get place    i32.store offset=O    C+O: the address of current
//
// After this store the copy records the remaining turns, so that the host knows the turns of the current handler at
// any tick. In images with other stores, the call of the whole bank is one lap.

// bankCurrent returns the address of BankCurrent if starloom_bank returns a constant, otherwise 0.
func (m *module) bankCurrent() uint64 {
	e, ok := m.Exports["starloom_bank"]
	k := int(e.Index) - len(m.Imported)
	if !ok || e.Kind != binary.KindFunction || k < 0 || k >= len(m.Body) {
		return 0
	}
	r := &binary.Reader{Data: m.Body[k].Code}
	var address, end binary.Instruction
	r.Instruction(&address)
	r.Instruction(&end)
	if r.Err != nil || address.Op != binary.OpI32Const || end.Op != binary.OpEnd {
		return 0
	}
	return uint64(uint32(address.Value)) + BankCurrent
}

func (w *weaver) lap() uint32 { return w.counter + 1 }

func (w *weaver) begins(address, place, store *binary.Instruction) bool {
	return w.current != 0 && store.Op == binary.OpI32Store && address.Op == binary.OpI32Const &&
		(place.Op == binary.OpLocalGet || place.Op == binary.OpI32Const) &&
		uint64(uint32(address.Value))+uint64(store.Value) == w.current
}

func (w *weaver) mark() []byte {
	return emit(binary.OpGlobalGet, w.counter, binary.OpGlobalSet, w.lap())
}
