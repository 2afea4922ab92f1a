package hw

// CreditWires are the registers of credits on their way: for each channel the credit register of
// the unit that has freed a place, the latency's worth of its credit channel, and, into a router, the
// credit delay. A credit is the number of the virtual channel of which a slot is free again. What is
// put there in cycle s counts in cycle s+1+latency+delay (at a source s+1+latency).
//
// Wires 0, 1, ... are the output ports of all routers, then come the sources. Reset: no credit.
type CreditWires struct{ channels[uint8] }
