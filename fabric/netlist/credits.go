package netlist

import (
	"fmt"
	"reflect"

	"starloom/fabric"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

const (
	routersCredits = "routers have their own credits, one for each entry of a buffer"
	deleteCredits  = "delete credits; router: {depth: 4} sets the number of entries"
)

const usualPlaces = 4

func (l *link) refusedCredits() (reason, remedy string) {
	if l.credits != nil {
		_, reason, remedy = strict.OutOfRange(reflect.ValueOf(l.credits).Elem(), "credits", nil)
	}
	return reason, remedy
}

func (n *Net) depth(medium int) int {
	if c := n.Media[medium].Credits; c != nil {
		return c.Depth
	}
	return 0
}

// CreditPlan returns the credits of all ports with credits on their links.
func (n *Net) CreditPlan() fabric.CreditPlan { return n.credits }

func (n *Net) creditPlan() (plan fabric.CreditPlan) {
	for at, medium := range n.wiring.Sends {
		if medium != fabric.NoMedium && n.Media[medium].Credits != nil {
			plan.Some = append(plan.Some, fabric.PortCredits{Port: uint32(at), CreditLimits: *n.Media[medium].Credits})
		}
	}
	return plan
}

func (n *Net) takeCredits(of fabric.Network) {
	plan, ports := of.Abilities().Credits, of.Shape().Ports
	if plan.All != nil {
		for at := range uint32(len(n.Processors) * ports) {
			plan.Some = append(plan.Some, fabric.PortCredits{Port: at, CreditLimits: *plan.All})
		}
	}
	for _, p := range plan.Some {
		if own := n.Processors[int(p.Port)/ports].Ports; int(p.Port)%ports < len(own) {
			limits := p.Settled()
			n.Media[own[int(p.Port)%ports].Sends].Credits = &limits
		}
	}
}

func (n *Net) checkFIFOs(rxFrames int) error {
	for i := range n.Processors {
		sum, place := n.promised(i)
		if room := rxFrames * n.ports; sum > room {
			return &input.Error{
				Place: place,
				Reason: fmt.Sprintf("links into %s have %s, but its RX FIFO has room for %s: nic.rx_frames is %d for each of %s",
					n.node(n.Processors[i].Path), traces.Plural(sum, "credit", "credits"),
					traces.Plural(room, "frame", "frames"), rxFrames,
					traces.Plural(n.ports, "port", "ports")),
				Remedy: fmt.Sprintf("write nic: {rx_frames: %d}, or give fewer credits", n.placesFor(sum)),
			}
		}
	}
	return nil
}

func (n *Net) promised(processor int) (credits int, place string) {
	for _, port := range n.Processors[processor].Ports {
		if port.Hears != None && n.Media[port.Hears].Credits != nil {
			credits, place = credits+n.depth(port.Hears), n.Media[port.Hears].place
		}
	}
	return credits, place
}

func (n *Net) placesFor(credits int) int { return (credits + n.ports - 1) / n.ports }

func (n *Net) mostPlaces() (places int) {
	for i := range n.Processors {
		credits, _ := n.promised(i)
		places = max(places, n.placesFor(credits))
	}
	return places
}

// rxFrames returns the minimum of nic.rx_frames for programs, or 0 if the default suffices.
func (n *Net) rxFrames() int {
	places := n.mostPlaces()
	if n.pure() { // an output with a queue may deliver this number of frames in a slot
		places = max(places, min(n.Crossbars[0].Queue, fabric.FIFOMax))
	}
	if places > usualPlaces {
		return places
	}
	return 0
}
