package wasm

import "starloom/firmware/wasm/binary"

// ReadsSlot reports whether the handler of an image can read the slot number, the second parameter of starloom_slot:
// whether, on some path, code reads the parameter's local before overwriting it.
func ReadsSlot(image []byte) (bool, error) {
	m, err := read(image)
	if err != nil {
		return false, err
	}
	const number = 1
	k := int(m.Exports["starloom_slot"].Index) - len(m.Imported)
	if k < 0 || k >= len(m.Body) {
		return true, nil
	}
	f, params := &m.Body[k], len(m.Types[m.Signature(len(m.Imported)+k)].Params)
	uses := &flow{m: m, tick: ^uint32(0), params: params, frames: []flowFrame{{op: binary.OpBlock}}}
	if !uses.run(f.Code, params+int(f.Extra)) {
		return true, nil
	}
	return uses.early.has(number), nil
}
