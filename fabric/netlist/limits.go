package netlist

// What a drawing may stand for, with all of its ranges. More is refused by arithmetic, before anything is drawn: within these limits reading
// one takes a second at most, and 256 MB.
const (
	nodesMax = 1 << 16
	endsMax  = 1 << 18  // of links, and ports of nodes
	textMax  = 32 << 20 // bytes of the paths of all
	nameMax  = 256      // bytes of a name
	lanesMax = 1 << 20  // nodes times the ports of the one with most
	pairsMax = 1 << 18  // of nodes that entries of routes stand for
	// settledMax is for how many pairs of routers and processors, or of processors, routes are followed when a netlist is read: those of larger
	// ones before a run.
	settledMax = 1 << 20
	tableMax   = 1 << 26 // routes of routers in a table
)

// plenty is more than there may be of anything: no sum or product of what is below it overflows.
const plenty = 1 << 30

func times(a, b int) int {
	if a > 0 && b > plenty/a {
		return plenty
	}
	return a * b
}
