package fabric

import (
	"math"

	"starloom/hw"
)

const none = math.MaxUint32

// NICPorts are the ports of processors at routers, each of which is a node of their graph: first port 0 of all processors, in their
// order, then port 1 of those that have one, and so on. Nil: each processor has one port, and its number.
type NICPorts struct {
	counts []uint16
	nodes  [][]uint32 // by port and processor
	at     [][2]uint32
}

// NewNICPorts are those of processors with so many ports each, at routers.
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
				of[processor] = n.nodes[port-1][processor] // the last one
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

// Ports is how many ports a processor has.
func (n *NICPorts) Ports(processor int) int {
	if n == nil {
		return 1
	}
	return int(n.counts[processor])
}

// Node is a port of a processor, or the last one if it has fewer.
func (n *NICPorts) Node(processor, port int) int {
	if n == nil {
		return processor
	}
	return int(n.nodes[min(port, len(n.nodes)-1)][processor])
}

// At is the processor of a node, and which of its ports the node is.
func (n *NICPorts) At(node int) (processor, port int) {
	if n == nil {
		return node, 0
	}
	return int(n.at[node][0]), int(n.at[node][1])
}

// Leaves says where a frame with a tag that leaves a processor by a port goes: by which port it comes to its destination, and in which class.
//
//	several ports   port i sends class i, and comes at port i; with fewer classes, i modulo their number
//	one port        the low bits of the tag are the class, and the port; those above them are left
//
// Of several ports the whole tag is left, for what chooses a VC.
func (r *Routers) Leaves(processor, port int, tag uint16) (to, class int, left uint16) {
	classes := r.Classes()
	if r.NIC.Ports(processor) > 1 {
		return port, port % classes, tag
	}
	class = int(tag) % classes
	return class, class, tag / uint16(classes)
}

// Classes is how many classes of traffic there are.
func (r *Routers) Classes() int { return max(1, r.Config.Classes) }

// VCs are those in which a frame of a class may leave its NIC: all of the class, or the one that what is left of its tag says.
func (r *Routers) VCs(class int, left uint16) hw.VCRange {
	vcs := r.Config.ClassVCs()
	low, high := class*vcs, class*vcs+vcs-1
	if r.ByTag {
		low += int(left) % vcs
		high = low
	}
	return hw.VCRange{Low: uint8(low), High: uint8(high)}
}

// Bare says why bare packets do not go through a network, "" if they do: a source has one port, and knows no classes.
func (r *Routers) Bare() (reason, remedy string) {
	switch {
	case r.NIC != nil:
		return "without firmware a processor is a source and a sink, with one port, and here processors have several", "write firmware: {...}, or give each one port"
	case r.Config.Classes > 1:
		return "without firmware packets have no classes", "write firmware: {...}, or delete classes"
	}
	return "", ""
}

// Chosen reports whether frames may leave in some VCs only.
func (r *Routers) Chosen() bool { return r.ByTag || r.Config.Classes > 1 }
