package firmware

import "slices"

// static is what handlers write outside of the bank: bytes of a variable, or a global.
type static struct {
	kind    WriteKind
	bytes   []uint32 // addresses
	global  int      // if there are none
	carries bool     // a handler has read what another one has left
}

// staticBytesMax bounds the bytes of a variable that are followed.
const staticBytesMax = 256

// noteStatic follows a byte of a variable from now on, or a global.
func (w *Watched) noteStatic(kind WriteKind, address uint32, global int) {
	k := slices.IndexFunc(w.statics, func(s static) bool { return s.kind == kind })
	if k < 0 {
		if len(w.statics) >= outsideMax {
			return
		}
		k = len(w.statics)
		w.statics = append(w.statics, static{kind: kind, global: global})
	}
	if s := &w.statics[k]; global < 0 && len(s.bytes) < staticBytesMax && !slices.Contains(s.bytes, address) {
		s.bytes = append(s.bytes, address)
	}
}

// Carries reports whether a handler has read what another one has left in a variable or a global:
// what it does depends on it. One that is written before it is read in every call carries nothing.
func (w *Watched) Carries(kind WriteKind) bool {
	return slices.ContainsFunc(w.statics, func(s static) bool { return s.kind == kind && s.carries })
}

// follow makes a call that is going to be made twice more, with other values in the variables and
// globals that are followed, and takes both back: what differs depends on what was in them.
func (w *Watched) follow(call func()) {
	if !slices.ContainsFunc(w.statics, func(s static) bool { return !s.carries }) {
		return
	}
	if !w.depends(call, func(s *static) bool { return !s.carries }) {
		return
	}
	for k := range w.statics {
		one := &w.statics[k]
		one.carries = one.carries || w.depends(call, func(s *static) bool { return s == one })
	}
}

func (w *Watched) depends(call func(), some func(s *static) bool) bool {
	plain, plainGlobals, plainEvents := w.tryOut(call, nil)
	stained, stainedGlobals, events := w.tryOut(call, some)
	if len(plain) != len(stained) || !slices.EqualFunc(plainEvents, events, func(a, b Event) bool {
		return a.Kind == b.Kind && a.Cell == b.Cell && a.Origin == b.Origin && a.Word == b.Word && a.Value == b.Value && a.Text == b.Text
	}) {
		return true
	}
	// What is stained and stays so was neither read nor written.
	for k := range w.statics {
		s := &w.statics[k]
		if !some(s) {
			continue
		}
		if s.global >= 0 && stainedGlobals[s.global] == w.stained(w.followed[s.global]) {
			stainedGlobals[s.global] = plainGlobals[s.global]
		}
		for _, at := range s.bytes {
			if stained[at] == ^w.before[at] {
				stained[at] = plain[at]
			}
		}
	}
	return !slices.Equal(plainGlobals, stainedGlobals) || !slices.Equal(plain, stained)
}

// stained is another value than that of a global, whatever its type.
func (w *Watched) stained(value uint64) uint64 { return value ^ 0x55 }

// tryOut makes a call with other values in some statics, and takes it back.
func (w *Watched) tryOut(call func(), some func(s *static) bool) (memory []byte, globals []uint64, events []Event) {
	in, before := w.in, len(w.in.events)
	said, spent := in.said, slices.Clone(in.spent)
	probes, silenced := slices.Clone(in.probes), slices.Clone(in.bank.SilencedCells())
	w.followed = in.Globals()
	now := in.Memory()
	for k := range w.statics {
		if s := &w.statics[k]; some != nil && some(s) {
			for _, at := range s.bytes {
				now[at] = ^now[at]
			}
			if s.global >= 0 {
				in.globals[s.global].Set(w.stained(w.followed[s.global]))
			}
		}
	}
	call()
	memory, globals, events = slices.Clone(in.Memory()), in.Globals(), slices.Clone(in.events[before:])
	if err := in.SetState(w.before, w.followed); err != nil {
		panic(err) // it has been in this state before
	}
	in.events, in.said, in.spent = in.events[:before], said, spent
	copy(in.probes, probes)
	copy(in.bank.SilencedCells(), silenced)
	in.image.host.endless.Store(false)
	return memory, globals, events
}
