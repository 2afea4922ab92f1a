package check

import "slices"

const fuzzShrinksMax = 1024 // inputs that are tried to make one smaller

// shrinking makes the input of a finding smaller for as long as the same is found.
type shrinking struct {
	*fuzzer
	best  FuzzFinding
	tries int
}

func (f *fuzzer) shrink(x *FuzzFinding) FuzzFinding {
	s := &shrinking{fuzzer: f, best: *x}
	if call := s.best.Input.Call; call != nil {
		for k := range call.Arguments {
			s.try(func(in *FuzzInput) {
				call := FuzzCall{in.Call.Name, slices.Clone(in.Call.Arguments)}
				call.Arguments[k], in.Call = 0, &call
			})
		}
	}
	s.try(func(in *FuzzInput) { // nothing but frames and statuses
		for k := range in.Steps {
			x := &in.Steps[k]
			x.State, x.Workload, x.Schedule, x.ROM = "", nil, nil, nil
		}
	})
	s.steps()
	for k := range s.best.Input.Steps {
		s.step(k)
	}
	s.steps()
	return s.best
}

// try changes a copy of the input, and keeps it if it shows the same.
func (s *shrinking) try(change func(in *FuzzInput)) bool {
	if s.tries++; s.tries > fuzzShrinksMax {
		return false
	}
	in := s.best.Input.clone()
	change(&in)
	if len(in.Steps) == 0 && in.Call == nil {
		return false
	}
	for _, found := range s.show(&in, s.best.Rule == RuleStaleRead) {
		if found.is(&s.best) && (found.Received || !s.best.Received) {
			s.best = found
			s.best.Input = found.Input.clone()
			return true
		}
	}
	return false
}

// show runs an input; stale reads show only where they are looked for.
func (f *fuzzer) show(in *FuzzInput, stale bool) []FuzzFinding {
	if stale {
		return f.stale(in)
	}
	return f.run(in)
}

// steps takes out slots, or what they bring. The slots that are left come earlier, so that those
// that must come in their time stay, without input.
func (s *shrinking) steps() {
	for k := 0; k < len(s.best.Input.Steps); k++ {
		for s.try(func(in *FuzzInput) { in.Steps = slices.Delete(in.Steps, k, k+1) }) && k < len(s.best.Input.Steps) {
		}
	}
	for k := range s.best.Input.Steps {
		if len(s.best.Input.Steps) > k && !s.best.Input.Steps[k].empty() {
			s.try(func(in *FuzzInput) { in.Steps[k] = FuzzStep{} })
		}
	}
}

func (s *shrinking) step(k int) {
	if k >= len(s.best.Input.Steps) {
		return
	}
	now := func() *FuzzStep { return &s.best.Input.Steps[min(k, len(s.best.Input.Steps)-1)] }
	change := func(change func(x *FuzzStep)) bool {
		return s.try(func(in *FuzzInput) { change(&in.Steps[min(k, len(in.Steps)-1)]) })
	}
	if now().State != "" {
		change(func(x *FuzzStep) { x.State = "" })
	}
	if now().Workload != nil {
		change(func(x *FuzzStep) { x.Workload = nil })
	}
	if now().Schedule != nil {
		change(func(x *FuzzStep) { x.Schedule = nil })
	}
	for i := len(now().ROM) - 1; i >= 0; i-- {
		change(func(x *FuzzStep) { x.ROM = slices.Delete(x.ROM, i, i+1) })
	}
	for i := len(now().Statuses) - 1; i >= 0; i-- {
		change(func(x *FuzzStep) { x.Statuses = slices.Delete(x.Statuses, i, i+1) })
	}
	for i := len(now().Transmit) - 1; i >= 0; i-- {
		if !change(func(x *FuzzStep) { x.Transmit = slices.Delete(x.Transmit, i, i+1) }) && now().Transmit[i].Served != 0 {
			change(func(x *FuzzStep) { x.Transmit[i].Served = 0 })
		}
	}
	for i := len(now().Frames) - 1; i >= 0; i-- {
		if !change(func(x *FuzzStep) { x.Frames = slices.Delete(x.Frames, i, i+1) }) {
			s.frame(k, i)
		}
	}
}

// frame makes a frame of a slot smaller: nothing special in its header, a short payload of zeros.
func (s *shrinking) frame(k, i int) {
	now := func() *FuzzFrame { return &s.best.Input.Steps[k].Frames[i] }
	change := func(change func(x *FuzzFrame)) bool {
		return s.try(func(in *FuzzInput) { change(&in.Steps[k].Frames[i]) })
	}
	self := uint32(s.best.Input.Processor)
	for _, plain := range []func(x *FuzzFrame){
		func(x *FuzzFrame) { x.Kind, x.Destination, x.Flags, x.Tag = 0, self, 0, 0 },
		func(x *FuzzFrame) { x.Kind = 0 },
		func(x *FuzzFrame) { x.Destination = self },
		func(x *FuzzFrame) { x.Flags = 0 },
		func(x *FuzzFrame) { x.Tag = 0 },
		func(x *FuzzFrame) { x.Source = 0 },
		func(x *FuzzFrame) { x.Port = 0 },
	} {
		plainer := *now()
		if plain(&plainer); plainer != *now() {
			change(plain)
		}
	}
	for size := 0; size < len(now().Payload); size = max(2, size*2) {
		if change(func(x *FuzzFrame) { x.Payload = x.Payload[:size] }) {
			break
		}
	}
	for size := len(now().Payload) - 2; size >= 0 && change(func(x *FuzzFrame) { x.Payload = x.Payload[:size] }); size -= 2 {
	}
	for at := 0; at < len(now().Payload); at += 2 {
		if payload := now().Payload; payload[at:at+2] != "00" {
			change(func(x *FuzzFrame) { x.Payload = payload[:at] + "00" + payload[at+2:] })
		}
	}
}
