package bus

import (
	"fmt"
	"math"

	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/traces"
)

// sensorsProgram is for buses that are given.
const sensorsProgram = "bus/sensors"

// readingBytes is the number of a reading, which its frame carries.
const readingBytes = 4

// Programs implements fabric.Network: those of gossip, one for each schedule. They bring their
// buses, and what they carry is known. The sensors share those that are given.
func (b Network) Programs() (programs []fabric.Program) {
	for _, schedule := range scheduleNames() {
		p := fabric.Program{
			Name: "bus/" + schedule, SlotsPerStep: 1, Schedule: schedule,
			Rules: fabric.Rules{CollisionFree: &fabric.CollisionFree{Period: 1, Slots: []int{1}}, NoCreation: true, OneBus: true, BusLength: true},
		}
		if schedule == b.schedule && b.Check() == nil {
			p.Needs = fabric.Needs{RxFrames: 1, PayloadBytes: setBytes(b.Vertices), Slots: uint32(schedules[schedule].length(b.Vertices, b.Length))}
		}
		programs = append(programs, p)
	}
	return append(programs, b.traffic(), fabric.Program{
		Name: sensorsProgram, SlotsPerStep: 1, Needs: fabric.Needs{PayloadMin: readingBytes},
		Params: []fabric.Choice{
			{Name: "period", Low: 1, High: math.MaxInt32}, {Name: "spread", Low: 0, High: math.MaxInt32},
			{Name: "readings", Low: 0, High: math.MaxInt32}, {Name: "events", Low: 0, High: 1000},
		},
		Rules: fabric.Rules{CollisionFree: &fabric.CollisionFree{Period: 1, Slots: []int{1}}, NoLoss: true, OneBus: true, BusLength: true},
	})
}

// trafficProgram is for buses that are given, of which each vertex is on one.
const trafficProgram = "bus/traffic"

// traffic is the program that carries packets of traffic. Without an arbiter frames are lost.
func (b Network) traffic() fabric.Program {
	p := fabric.Program{Name: trafficProgram, SlotsPerStep: 1, Workloads: []string{fabric.WorkloadTraffic},
		Needs: fabric.Needs{PayloadMin: traffic.HeadBytes}, Rules: fabric.Rules{OneBus: true, BusLength: true},
		Carries: &fabric.Carries{Direct: true, Reaches: b.reaches, Anywhere: b.anywhere}}
	if b.arbitrated() {
		p.Rules.ExactlyOnce, p.Rules.CollisionFree = true, &fabric.CollisionFree{Period: 1, Slots: []int{1}}
	}
	return p
}

// anywhere says why not all vertices reach all others at their only taps.
func (b Network) anywhere() string {
	for vertex := range b.Vertices {
		if why := b.reaches(0, vertex); why != "" {
			return why
		}
	}
	return ""
}

// reaches says why a frame of a vertex at its only tap does not reach another one at its.
func (b Network) reaches(source, destination int) string {
	taps := b.Plan().taps.Bus
	for _, vertex := range []int{source, destination} {
		if n := len(taps[vertex]); n != 1 {
			return fmt.Sprintf("vertex %d is on %s, and %s wants each vertex to be on one", vertex, traces.Plural(n, "bus", "buses"), trafficProgram)
		}
	}
	if taps[source][0] != taps[destination][0] {
		return fmt.Sprintf("vertex %d is on bus %d, and vertex %d on bus %d", source, taps[source][0], destination, taps[destination][0])
	}
	return ""
}

// Referee implements fabric.Network: that of gossip where the buses are those of a schedule, else
// one that follows what waits.
func (b Network) Referee(*fabric.Workload, *fabric.Program) fabric.Referee {
	if b.schedule == "" {
		return NewWaiting(b)
	}
	return newGossipReferee(b.Plan())
}
