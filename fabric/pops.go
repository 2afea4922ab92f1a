package fabric

import "fmt"

// POPS is a partitioned optical passive star network POPS(d,g): n = d*g
// processors in g groups of d, and one star coupler for every ordered pair of
// groups (A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned
// Optical Passive Star Networks", section 2).
//
// Processor i is number i mod d of group i div d. In one slot it may send one
// frame to any of the couplers that leave its group and hear one of those that
// end at its group: port p of a transmitter leads to group p, port p of a
// receiver hears group p. Coupler (from,to) has the index from*g+to, so all
// couplers that leave a group lie side by side.
type POPS struct {
	Groups    int // g
	GroupSize int // d
}

// GroupsMax and GroupSizeMax keep ports and local indexes in 16 bits.
const (
	GroupsMax    = 65533
	GroupSizeMax = 65533
)

// NewPOPS checks the size: both numbers are at least 1, and there are at most
// 2^31-1 processors and couplers.
func NewPOPS(groups, groupSize int) (POPS, error) {
	p := POPS{Groups: groups, GroupSize: groupSize}
	switch {
	case groups < 1 || groups > GroupsMax:
		return p, fmt.Errorf("groups is %d, allowed are 1 to %d", groups, GroupsMax)
	case groupSize < 1 || groupSize > GroupSizeMax:
		return p, fmt.Errorf("group_size is %d, allowed are 1 to %d", groupSize, GroupSizeMax)
	case p.Processors() > 1<<31-1:
		return p, fmt.Errorf("groups x group_size is %d processors, at most %d are possible", p.Processors(), 1<<31-1)
	case p.Couplers() > 1<<31-1:
		return p, fmt.Errorf("groups x groups is %d couplers, at most %d are possible", p.Couplers(), 1<<31-1)
	}
	return p, nil
}

// Processors returns n = d*g.
func (p POPS) Processors() int { return p.Groups * p.GroupSize }

// Couplers returns g*g.
func (p POPS) Couplers() int { return p.Groups * p.Groups }

// Coupler returns the index of the coupler between two groups.
func (p POPS) Coupler(from, to int) int { return from*p.Groups + to }

// ProcessorPath names a processor, e.g. pops.group[3].nic[1].
func (p POPS) ProcessorPath(processor int) string {
	return fmt.Sprintf("pops.group[%d].nic[%d]", processor/p.GroupSize, processor%p.GroupSize)
}

// PortPath names one port of a processor's NIC.
func (p POPS) PortPath(processor int, port uint16) string {
	return fmt.Sprintf("%s.port[%d]", p.ProcessorPath(processor), port)
}

// CouplerPath names a coupler by the group it leaves and the group it ends at:
// pops.group[from].coupler[to].
func (p POPS) CouplerPath(coupler int) string {
	return fmt.Sprintf("pops.group[%d].coupler[%d]", coupler/p.Groups, coupler%p.Groups)
}

// LinkPath names the fibre behind a coupler: pops.group[from].coupler[to].fibre.
func (p POPS) LinkPath(coupler int) string { return p.CouplerPath(coupler) + ".fibre" }

// TransmitterPath names the transmitter of a processor's NIC.
func (p POPS) TransmitterPath(processor int) string { return p.ProcessorPath(processor) + ".tx" }

// ReceiverPath names the receiver of a processor's NIC.
func (p POPS) ReceiverPath(processor int) string { return p.ProcessorPath(processor) + ".rx" }
