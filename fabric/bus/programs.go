package bus

import (
	"math"

	"starloom/fabric"
)

// sensorsProgram is for buses that are given.
const sensorsProgram = "bus/sensors"

// readingBytes is the number of a reading, which its frame carries.
const readingBytes = 4

// Programs implements fabric.Network: those of gossip, one for each schedule. They bring their
// buses, and what they carry is known. The sensors share those that are given.
func (b Network) Programs() (programs []fabric.Program) {
	for _, schedule := range b.Schedules() {
		p := fabric.Program{
			Name: "bus/" + schedule, SlotsPerStep: 1, Schedule: schedule,
			Rules: fabric.Rules{CollisionFree: &fabric.CollisionFree{Period: 1, Slots: []int{1}}, NoCreation: true, OneBus: true, BusLength: true},
		}
		if schedule == b.schedule && b.Check() == nil {
			p.Needs = fabric.Needs{RxFrames: 1, PayloadBytes: setBytes(b.Vertices), Slots: uint32(schedules[schedule].length(b.Vertices, b.Length))}
		}
		programs = append(programs, p)
	}
	return append(programs, fabric.Program{
		Name: sensorsProgram, SlotsPerStep: 1, Needs: fabric.Needs{PayloadMin: readingBytes},
		Params: []fabric.Choice{
			{Name: "period", Low: 1, High: math.MaxInt32}, {Name: "spread", Low: 0, High: math.MaxInt32},
			{Name: "readings", Low: 0, High: math.MaxInt32}, {Name: "events", Low: 0, High: 1000},
		},
		Rules: fabric.Rules{CollisionFree: &fabric.CollisionFree{Period: 1, Slots: []int{1}}, NoLoss: true, OneBus: true, BusLength: true},
	})
}

// Referee implements fabric.Network: that of gossip where the buses are those of a schedule, else
// one that follows what waits.
func (b Network) Referee(*fabric.Workload, *fabric.Program) fabric.Referee {
	if b.schedule == "" {
		return NewWaiting(b)
	}
	return newGossipReferee(b.Plan())
}

// Studies implements fabric.Studied.
func (b Network) Studies() []*fabric.Study { return []*fabric.Study{gossipStudy()} }
