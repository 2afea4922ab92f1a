package traffic

import (
	"cmp"
	"slices"

	"starloom/fabric"
	"starloom/fabric/stream"
)

// AddLoads adds the loads of channels between routers in a run of so many cycles, with firmware and without; nothing if there are no channels.
func AddLoads(m *fabric.Metrics, r *fabric.Routers, l *stream.ChannelLoads, cycles uint64) {
	loads := l.PerCycle(cycles)
	if len(loads) == 0 {
		return
	}
	order := make([]int, len(loads))
	for i := range loads {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(loads[b], loads[a]) })
	var most MediumLoads
	for _, i := range order[:min(len(order), loadsMax)] {
		if link := &r.Graph.Links[i]; loads[i] > 0 {
			most = append(most, MediumLoad{Path: r.Channel(link.From, link.Output, link.To), Load: loads[i]})
		}
	}
	m.AddIn(unitChannel, true, "load.mean", float64(l.Total())/float64(len(loads))/float64(max(cycles, 1)))
	m.AddIn(unitChannel, true, "load.max", loads[order[0]])
	m.Add("load.most", most)
}

// Units of figures that have another one on each kind of network.
const (
	unitChannel = "flits per channel and cycle"
	unitFlits   = "flits per node and cycle"
	unitMedium  = "frames per medium and slot"
	unitPerSlot = "packets per processor and slot"
	unitPerTick = "packets per processor and tick"
)
