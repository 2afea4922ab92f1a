package twin

import (
	"fmt"
	"strings"

	"starloom/hw"
)

// lane is what each port of a router sends: whether there is something, its VC, and what goes with it.
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

// vcs are the VCs of what model and RTL have at a port: no more than one if they are the same.
func (l *lane) vcs(model, rtl []uint64, port int) (vcs []int) {
	for _, outputs := range [][]uint64{model, rtl} {
		if vc := int(l.of(outputs, l.vc, port)); l.of(outputs, l.valid, port) != 0 && (len(vcs) == 0 || vcs[0] != vc) {
			vcs = append(vcs, vc)
		}
	}
	return vcs
}

// where names ports and VCs whose flits and credits differ. A credit shows first which flit has crossed the switch: its
// packet's output VC is where model and RTL have decided otherwise.
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
				place += x.ownedText(port, vc, x.freed.of(model, x.freed.valid, port) != 0 && int(x.freed.of(model, x.freed.vc, port)) == vc)
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

// vcText names one VC, or that of the model and that of the RTL.
func vcText(vcs []int) string {
	switch len(vcs) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" VC %d", vcs[0])
	}
	return fmt.Sprintf(" VC %d in the model, VC %d in the RTL", vcs[0], vcs[1])
}

// ownedText says which output VC the packet of an input VC has; left: a flit of it has just left.
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
