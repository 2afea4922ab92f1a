package lockstep

import (
	"fmt"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/hw"
)

// neverKnown lists bits that were X in all cycles in a model that is RTL. It refuses a model with an output of such
// bits alone, because no such output was compared.
func (r *Report) neverKnown(l *pair) error {
	if l.open == nil {
		return nil
	}
	absent := l.rtl.(*pinmap.Device).Absent()
	for i, p := range l.model.Ports() {
		if p.Input || absent[i] {
			continue
		}
		for end := p.Bits; end > 0; {
			low := end - 1
			ever := func(bit int) bool { return hw.GetBits(l.ever[p.Word:], bit, 1) != 0 }
			for low > 0 && ever(low-1) == ever(end-1) {
				low--
			}
			switch {
			case ever(low):
			case end-low < p.Bits:
				r.Open = append(r.Open, cosim.SliceText(p.Name, low, end))
			default:
				return &cosim.InputError{
					Place:  l.pinMap.Place("model"),
					Reason: p.Name + " of the model was X in all cycles, so it was never compared",
					Remedy: fmt.Sprintf("reset in the model what drives it, or leave it out: absent: [%s]", p.Name),
				}
			}
			end = low
		}
	}
	return nil
}
