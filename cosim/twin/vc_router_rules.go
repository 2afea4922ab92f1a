package twin

import (
	"fmt"
	"math/bits"

	"starloom/hw"
)

// keep corrects inputs that neighbours never send. It removes a flit for a full buffer and a credit without an
// outstanding flit. The first flit of a packet becomes a head to one output, and later flits lose the head bit.
func (x *vcPins) keep(inputs []uint64) (broken string) {
	breaks := func(form string, of ...any) {
		if broken == "" {
			broken = fmt.Sprintf(form, of...)
		}
	}
	for port := range x.ports {
		if hw.GetBits(x.valid.Of(inputs), port, 1) != 0 {
			x.keepFlit(inputs, port, breaks)
		}
		vc := int(hw.GetBits(x.creditVC.Of(inputs), port*x.vcBits, x.vcBits))
		if hw.GetBits(x.credit.Of(inputs), port, 1) != 0 && (vc >= x.vcs || x.routers.Owed(port, vc) < 1) {
			breaks("a credit for VC %d at output %d, although no flit is outstanding", vc, port)
			hw.PutBits(x.credit.Of(inputs), port, 1, 0)
		}
	}
	return broken
}

func (x *vcPins) keepFlit(inputs []uint64, port int, breaks func(form string, of ...any)) {
	vc := int(hw.GetBits(x.vc.Of(inputs), port*x.vcBits, x.vcBits))
	flits, inside := 0, false
	if vc < x.vcs {
		flits, inside = x.routers.Room(port, vc)
	}
	if flits == 0 {
		breaks("a flit for VC %d at input %d, which has no room", vc, port)
		hw.PutBits(x.valid.Of(inputs), port, 1, 0)
		return
	}
	if head := hw.GetBits(x.head.Of(inputs), port, 1) != 0; head == inside {
		breaks("a flit for VC %d at input %d with head %d, within a packet: %v", vc, port, facts(head), inside)
		hw.PutBits(x.head.Of(inputs), port, 1, facts(!inside))
	}
	if !inside {
		x.keepRoute(inputs, port, breaks)
	}
}

// keepRoute reduces a head's route to the VCs of its lowest output. An empty route becomes VC 0 of output 0.
func (x *vcPins) keepRoute(inputs []uint64, port int, breaks func(form string, of ...any)) {
	all := x.ports * x.vcs
	route := hw.GetBits(x.route.Of(inputs), port*all, all)
	one := uint64(1)
	if route != 0 {
		lowest := bits.TrailingZeros64(route) / x.vcs * x.vcs
		one = route & (^uint64(0) >> (64 - x.vcs) << lowest)
	}
	if one != route {
		breaks("a head at input %d with a route to no output, or to several: %#x", port, route)
		hw.PutBits(x.route.Of(inputs), port*all, all, one)
	}
}
