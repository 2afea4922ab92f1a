package bus

import (
	"fmt"
	"math"

	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/nic"
	"starloom/traces"
)

const sensorsProgram = "bus/sensors"

// readingBytes is the size, in bytes, of a reading's number in a frame.
const readingBytes = 4

// Programs implements fabric.Network. Each schedule of gossip has a program, which defines the buses and the
// workload. The other programs use given buses.
func (b Network) Programs() (programs []fabric.Program) {
	for _, schedule := range scheduleNames() {
		p := fabric.Program{
			Name: "bus/" + schedule, SlotsPerStep: 1, Schedule: schedule,
			Rules: fabric.Rules{CollisionFree: &fabric.CollisionFree{Period: 1, Slots: []int{1}}, NoCreation: true,
				OneBus: true, BusLength: true},
		}
		if schedule == b.schedule && b.Check() == nil {
			p.Needs = fabric.Needs{Sizes: nic.Sizes{PayloadBytes: setBytes(b.Vertices), RxFrames: 1},
				Slots: uint32(schedules[schedule].length(b.Vertices, b.Length))}
		}
		programs = append(programs, p)
	}
	return append(programs, b.traffic(), b.stopAndWait(), fabric.Program{
		Name: sensorsProgram, SlotsPerStep: 1, Needs: fabric.Needs{PayloadMin: readingBytes},
		Params: []fabric.Choice{
			{Name: "period", Low: 1, High: math.MaxInt32}, {Name: "spread", Low: 0, High: math.MaxInt32},
			{Name: "readings", Low: 0, High: math.MaxInt32}, {Name: "events", Low: 0, High: 1000},
		},
		Rules: fabric.Rules{CollisionFree: &fabric.CollisionFree{Period: 1, Slots: []int{1}}, NoLoss: true,
			OneBus: true, BusLength: true},
	})
}

const stopAndWaitProgram = "bus/stop-and-wait"

func (b Network) stopAndWait() fabric.Program {
	return fabric.Program{
		Name: stopAndWaitProgram, SlotsPerStep: 1, Retransmits: true, Workloads: []string{fabric.WorkloadPermutation},
		Params: []fabric.Choice{
			{Name: "pieces", Low: 1, High: math.MaxInt32}, {Name: "timeout", Low: 1, High: math.MaxInt32},
		},
		Rules: fabric.Rules{ExactlyOnce: true, NoLoss: true,
			CollisionFree: &fabric.CollisionFree{Period: 1, Slots: []int{1}}, OneBus: true, BusLength: true,
			Results: fabric.NoneOf("wrong")},
	}
}

// trafficProgram requires given buses and a single bus per vertex.
const trafficProgram = "bus/traffic"

func (b Network) traffic() fabric.Program {
	p := fabric.Program{Name: trafficProgram, SlotsPerStep: 1, Workloads: []string{fabric.WorkloadTraffic},
		Needs: fabric.Needs{PayloadMin: traffic.HeadBytes}, Rules: fabric.Rules{OneBus: true, BusLength: true},
		Carries: &fabric.Carries{Direct: true, Reaches: b.reaches, Anywhere: b.anywhere}}
	if b.arbitrated() {
		p.Rules.ExactlyOnce, p.Rules.CollisionFree = true, &fabric.CollisionFree{Period: 1, Slots: []int{1}}
	}
	return p
}

func (b Network) anywhere() string {
	for vertex := range b.Vertices {
		if why := b.reaches(0, vertex); why != "" {
			return why
		}
	}
	return ""
}

// reaches returns the reason why the only tap of a vertex cannot reach the only tap of another vertex, or "" if it
// can.
func (b Network) reaches(source, destination int) string {
	taps := b.Plan().taps.Bus
	for _, vertex := range []int{source, destination} {
		if n := len(taps[vertex]); n != 1 {
			return fmt.Sprintf("vertex %d is on %s; %s needs each vertex on exactly one bus", vertex,
				traces.Plural(n, "bus", "buses"), trafficProgram)
		}
	}
	if taps[source][0] != taps[destination][0] {
		return fmt.Sprintf("vertex %d is on bus %d, and vertex %d is on bus %d", source, taps[source][0],
			destination, taps[destination][0])
	}
	return ""
}

// Referee implements fabric.Network. It returns a referee of gossip for buses of a schedule, otherwise a Waiting.
func (b Network) Referee(*fabric.Workload, *fabric.Program) fabric.Referee {
	if b.schedule == "" {
		return NewWaiting(b)
	}
	return newGossipReferee(b.Plan())
}
