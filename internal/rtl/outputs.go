package rtl

import (
	"fmt"
	"math/bits"
	"slices"

	"starloom/cosim"
	"starloom/cosim/inloop"
	"starloom/hw"
)

// Outputs records the outputs of elements in a run.
type Outputs struct {
	of    []output
	cycle func() uint64
	kept  int
}

type output struct {
	element, name string
	model         string // model of the element, with its parameters
	get           func() // fills words; nil if a device owns words
	words         []uint64
	changes       []change
}

type change struct{ cycle, value uint64 }

// changesMax limits the recorded changes of a run to 64 MiB. Later changes are not compared.
const changesMax = 1 << 22

func (r *Devices) watchOutputs() {
	// 0 is the cycle before cycle 0 of the machine
	r.Outputs.cycle = func() uint64 { return r.Kernel.Cycle() - hw.CycleOfReset }
	for i, chosen := range r.chosen {
		for _, part := range chosen {
			r.watchPart(r.sites[i], part)
		}
	}
	if r.all != nil {
		r.watchPart(r.whole, *r.all)
	}
	r.Kernel.Watch(r.Outputs.note)
}

func (r *Devices) watchPart(site *hw.Site, part inloop.Part) {
	for _, element := range part.Elements {
		o := output{element: site.Path(element)}
		if at := slices.IndexFunc(r.Recorded, func(p PartRun) bool { return p.Path == o.element }); at >= 0 {
			o.model = r.Recorded[at].Map.Model + " " + r.Recorded[at].Map.Parameters.Text()
		}
		for _, port := range site.Ports {
			if port.Input {
				continue
			}
			if o.name = port.Name; part.Device == nil {
				o.words = make([]uint64, (port.Bits+63)/64)
				o.get = port.Get(element, hw.Pins{Words: o.words, Bits: port.Bits})
			} else {
				ports := part.Device.Ports()
				own := ports[slices.IndexFunc(ports, func(p cosim.Port) bool { return p.Name == port.Name })]
				o.words = part.Device.Outputs()[own.Word:][:own.Words()]
			}
			r.Outputs.of = append(r.Outputs.of, o)
		}
	}
}

func (s *Outputs) note() {
	for i := range s.of {
		o := &s.of[i]
		if o.get != nil {
			o.get()
		}
		value := uint64(0)
		for _, word := range o.words {
			value = bits.RotateLeft64(value*fold, 29) ^ word
		}
		if last := len(o.changes) - 1; s.kept < changesMax && (last < 0 || o.changes[last].value != value) {
			o.changes, s.kept = append(o.changes, change{s.cycle(), value}), s.kept+1
		}
	}
}

// fold is odd, so that every word affects the hash. The hash of a single word is the word.
const fold = 0x9E3779B97F4A7C15

// Agree returns an error about the first output of the models that differs from the machine's own components, nil for
// none.
func (s *Outputs) Agree(own *Outputs) error {
	first, where := ^uint64(0), (*output)(nil)
	for i := range s.of {
		if at, differs := differsFrom(s.of[i].changes, own.of[i].changes); differs && at < first {
			first, where = at, &s.of[i]
		}
	}
	if where == nil {
		return nil
	}
	when := "before cycle 0"
	if first > 0 {
		when = fmt.Sprintf("in cycle %d", first-1)
	}
	return fmt.Errorf("%s: %s its %s differs from %s, the model with which its RTL would be compared: RTL with these "+
		"parameters does not fit there",
		where.element, when, where.name, where.model)
}

func differsFrom(a, b []change) (at uint64, differs bool) {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return b[i].cycle, true
		case i >= len(b):
			return a[i].cycle, true
		case a[i] != b[i]:
			return min(a[i].cycle, b[i].cycle), true
		}
	}
	return 0, false
}
