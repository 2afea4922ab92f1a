package twin

import (
	"fmt"
	"strings"

	"starloom/hw"
)

// A lane is the set of outputs that each port sends: a valid bit, a VC and accompanying fields.
type lane struct {
	ports     int
	valid, vc Pin
	beside    []Pin
}

func newLane(m *Model, ports int, valid, vc string, beside ...string) lane {
	l := lane{ports: ports, valid: m.Pin(valid), vc: m.Pin(vc)}
	for _, name := range beside {
		l.beside = append(l.beside, m.Pin(name))
	}
	return l
}

func (l *lane) of(outputs []uint64, pin Pin, port int) uint64 {
	width := pin.Bits / l.ports
	return hw.GetBits(pin.Of(outputs), port*width, width)
}

func (l *lane) differ(a, b []uint64, port int) bool {
	for _, pin := range append([]Pin{l.valid, l.vc}, l.beside...) {
		if l.of(a, pin, port) != l.of(b, pin, port) {
			return true
		}
	}
	return false
}

// vcs returns the VCs of model and RTL at a port, or a single VC if both are equal.
func (l *lane) vcs(model, rtl []uint64, port int) (vcs []int) {
	for _, outputs := range [][]uint64{model, rtl} {
		if vc := int(l.of(outputs, l.vc, port)); l.of(outputs, l.valid, port) != 0 && (len(vcs) == 0 || vcs[0] != vc) {
			vcs = append(vcs, vc)
		}
	}
	return vcs
}

// where names ports and VCs with different flits or credits. Among the outputs, a credit is the first sign that a
// flit has passed the switch. If credits differ, where also names the output VC of the flit's packet.
func (x *vcPins) where(model, rtl []uint64) string {
	var places []string
	for port := range x.ports {
		if !x.freed.differ(model, rtl, port) {
			continue
		}
		vcs := x.freed.vcs(model, rtl, port)
		place := fmt.Sprintf("input %d%s", port, vcText(vcs))
		for _, vc := range vcs {
			if vc < x.vcs {
				place += x.ownedText(port, vc, x.freed.of(model, x.freed.valid, port) != 0 &&
					int(x.freed.of(model, x.freed.vc, port)) == vc)
			}
		}
		places = append(places, place)
	}
	for port := range x.ports {
		if x.sent.differ(model, rtl, port) {
			places = append(places, fmt.Sprintf("output %d%s", port, vcText(x.sent.vcs(model, rtl, port))))
		}
	}
	return strings.Join(places, "; ")
}

func vcText(vcs []int) string {
	switch len(vcs) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" VC %d", vcs[0])
	}
	return fmt.Sprintf(" VC %d in the model, VC %d in the RTL", vcs[0], vcs[1])
}

// ownedText returns the output VC of an input VC's packet. left is true if a flit of the packet has just left.
func (x *vcPins) ownedText(port, vc int, left bool) string {
	output, outVC, owns, waits := x.routers.Owner(port, vc)
	switch {
	case owns || left:
		return fmt.Sprintf(" (to output %d VC %d)", output, outVC)
	case waits:
		return fmt.Sprintf(" (waits for output %d)", output)
	}
	return ""
}
