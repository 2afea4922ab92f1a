package pinmap

import "starloom/cosim"

// CanShow reports whether devices of the map can be Tracers. An image has only the instrumentation built into it.
func (m *Map) CanShow() bool { return m.Image == "" }

func (m *Map) checkSeeing(seeing cosim.Seeing) error {
	switch {
	case seeing.Internals && !m.CanShow():
		return cosim.ErrUnseen
	case !seeing.Coverage:
		return nil
	case m.Image != "":
		return m.refuse("image", "an image does not count what RTL has covered", "give top and sources instead")
	case m.backend() != cosim.BackendWasm:
		return m.refuse("backend", "coverage of RTL is counted by backend: wasm alone, this is "+m.backend(), "leave backend out, or the coverage")
	case m.Source.VHDL():
		return m.refuse("sources", "coverage of VHDL is not counted: its lines are not those of the Verilog that ghdl makes of it", "leave the coverage out")
	}
	return nil
}
