package fabric

import (
	"math"

	"starloom/hw"
)

const none = math.MaxUint32

// NICPorts numbers the ports of processors at routers. Each port is a node of the graph. First comes port 0 of all
// processors, in order, then port 1 of all processors with at least two ports, and so on. A nil *NICPorts means one
// port per processor, with the number of the processor.
type NICPorts struct {
	counts []uint16
	nodes  [][]uint32 // nodes by port and processor
	at     [][2]uint32
}

// NewNICPorts returns the numbering for counts ports per processor.
func NewNICPorts(counts []uint16) *NICPorts {
	n := &NICPorts{counts: counts}
	for more := true; more; {
		more = false
		of := make([]uint32, len(counts))
		for processor, count := range counts {
			port := uint32(len(n.nodes))
			if count == 0 {
				of[processor] = none
				continue
			}
			if port >= uint32(count) {
				of[processor] = n.nodes[port-1][processor]
				continue
			}
			of[processor] = uint32(len(n.at))
			n.at = append(n.at, [2]uint32{uint32(processor), port})
			more = more || port+1 < uint32(count)
		}
		n.nodes = append(n.nodes, of)
	}
	return n
}

// Ports returns the number of ports of a processor.
func (n *NICPorts) Ports(processor int) int {
	if n == nil {
		return 1
	}
	return int(n.counts[processor])
}

// Node returns the node of a processor's port. If the processor has fewer ports, Node returns the node of its last
// port.
func (n *NICPorts) Node(processor, port int) int {
	if n == nil {
		return processor
	}
	return int(n.nodes[min(port, len(n.nodes)-1)][processor])
}

// At returns the processor and port of a node.
func (n *NICPorts) At(node int) (processor, port int) {
	if n == nil {
		return node, 0
	}
	return int(n.at[node][0]), int(n.at[node][1])
}

// Leaves returns the destination port and class of a frame from a processor's port, and the unused rest of the
// frame's tag.
//
//	several ports   port i sends class i and arrives at port i; with fewer classes, i modulo their number
//	one port        the low bits of the tag are class and port; the higher bits are unused
//
// With several ports the whole tag is available to select a VC.
func (r *Routers) Leaves(processor, port int, tag uint16) (to, class int, left uint16) {
	classes := r.Classes()
	if r.NIC.Ports(processor) > 1 {
		return port, port % classes, tag
	}
	class = int(tag) % classes
	return class, class, tag / uint16(classes)
}

// Classes returns the number of traffic classes.
func (r *Routers) Classes() int { return max(1, r.Config.Classes) }

// VCs returns the VCs in which a frame of a class may leave its NIC: all VCs of the class, or with ByTag the VC
// selected by left.
func (r *Routers) VCs(class int, left uint16) hw.VCRange {
	vcs := r.Config.ClassVCs()
	low, high := class*vcs, class*vcs+vcs-1
	if r.ByTag {
		low += int(left) % vcs
		high = low
	}
	return hw.VCRange{Low: uint8(low), High: uint8(high)}
}

// Bare returns the reason why a network cannot carry bare packets, "" if it can. A source of bare packets has one
// port and no classes.
func (r *Routers) Bare() (reason, remedy string) {
	switch {
	case r.NIC != nil:
		return "without firmware a processor is a source and sink with one port, but these processors have several",
			"write firmware: {...}, or give each processor one port"
	case r.Config.Classes > 1:
		return "without firmware packets have no classes", "write firmware: {...}, or delete classes"
	}
	return "", ""
}

// Chosen reports whether a frame is limited to some of its NIC's VCs.
func (r *Routers) Chosen() bool { return r.ByTag || r.Config.Classes > 1 }
