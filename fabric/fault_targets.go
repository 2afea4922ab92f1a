package fabric

import (
	"math"
	"strings"

	"starloom/hw"
	"starloom/traces/input"
)

// RouterPath returns the path of a router.
func RouterPath(n Names, router int) string { return hw.Index(hw.Join(whole(n), "router"), router) }

// NodePath returns the path of a node: the path of a processor, or of a port if the processor has several ports.
func NodePath(n Network, node int) string {
	r := RoutersOf(n)
	return strings.TrimSuffix(n.Names().Medium(r.Media+len(r.Graph.Links)+2*node), ".out")
}

// Suits returns an error if the fault does not apply to the network. The error's place is a key of the fault. bare
// means that processors run no firmware.
func (f *Fault) Suits(n Network, bare bool) *input.Error {
	refuse := func(key, reason, remedy string) *input.Error {
		return input.Mistake(key, reason, remedy)
	}
	r := RoutersOf(n)
	processors := n.Shape().Processors()
	switch {
	case r == nil && f.Kind == FaultCredit:
		return refuse(".kind", "credit_loss needs routers, but this network has none",
			"write kind: drop, or a network with routers, such as fabric: {netlist: {mesh: ..., router: ...}}")
	case r == nil:
		return nil
	case f.Kind == FaultMiss && r.Media == 0:
		return refuse(".kind", "a channel of routers has one receiver, so a miss is a drop", "write kind: drop")
	case f.Kind == FaultStuck && f.Targets.Next(r.Media, n.Shape().Media) == n.Shape().Media:
		return nil
	case bare && !f.Kind.OnMedia() && (f.Kind != FaultDead || f.Targets.Next(0, processors) < processors):
		return refuse(".kind", "processors without firmware are sources and sinks, and cannot fail",
			"write kind: dead with routers as targets, such as "+RouterPath(n.Names(),
				0)+", or kind: stuck with channels as targets")
	case bare && f.Kind == FaultFlip:
		return refuse(".kind", "packets without firmware have no bits to flip", "write kind: drop")
	}
	last := processors + len(r.Graph.Ports)
	forEver := f.Kind == FaultStuck || f.Kind == FaultDead && f.Targets.Next(processors, last) < last
	switch {
	case !forEver:
		return nil
	case f.List != nil || f.To != math.MaxUint32 || f.Every != 1:
		return refuse(".slots", "a channel or router that has lost flits of a packet cannot recover",
			"write only slots: {from: N}, or kind: drop for a temporary fault")
	case f.Chance != 0 && f.Chance != Chance(1):
		return refuse(".probability", "a router cannot be dead with a probability: it fails in a given slot", "delete the "+
			"key, and give the slot")
	}
	return nil
}

// FaultTargets returns the noun, number and paths of the targets of a kind of fault. Processors precede routers, and
// media precede receivers. A target without a path is never affected.
func FaultTargets(n Network, kind FaultKind) (noun string, count int, path func(i int) string) {
	shape, names := n.Shape(), n.Names()
	if kind == FaultMiss {
		noun, _ = names.MediumNoun()
		count, path = receiverTargets(n)
		return noun + " or receiver", count, path
	}
	if kind.OnMedia() {
		noun, _ = names.MediumNoun()
		return noun, shape.Media, names.Medium
	}
	processors, r := shape.Processors(), RoutersOf(n)
	if r == nil || kind != FaultDead {
		return "processor", processors, names.Processor
	}
	return "processor or router", processors + len(r.Graph.Ports), func(i int) string {
		if i < processors {
			return names.Processor(i)
		}
		return RouterPath(names, i-processors)
	}
}

// ReceiversOf returns the receivers of a network that FaultMiss can affect.
func ReceiversOf(n Network) Receivers { return Receivers{FaultMedia(n, FaultMiss), n.Shape().Lanes()} }

// FaultMedia returns the number of media among the targets of a kind of fault. Media are the first targets. Channels
// of routers have one receiver each, so FaultMiss omits them.
func FaultMedia(n Network, kind FaultKind) int {
	switch r := RoutersOf(n); {
	case !kind.OnMedia():
		return 0
	case kind == FaultMiss && r != nil:
		return r.Media
	}
	return n.Shape().Media
}

// receiverTargets returns the number and paths of media and receivers, "" for a receiver without a medium.
func receiverTargets(n Network) (count int, path func(i int) string) {
	shape, names := n.Shape(), n.Names()
	media, lanes := FaultMedia(n, FaultMiss), shape.Lanes()
	return media + shape.Processors()*lanes, func(i int) string {
		if i < media {
			return names.Medium(i)
		}
		processor, lane := (i-media)/lanes, uint16((i-media)%lanes)
		if lanes == 1 {
			return names.Processor(processor)
		}
		if medium := names.HeardOn(processor, lane); medium < 0 || medium >= media {
			return ""
		}
		return names.Port(processor, lane)
	}
}

// HasReceivers reports whether receivers are targets of a fault.
func (f *Fault) HasReceivers(n Network) bool {
	if f.Kind != FaultMiss {
		return false
	}
	count, _ := receiverTargets(n)
	return f.Targets.Next(FaultMedia(n, FaultMiss), count) < count
}
