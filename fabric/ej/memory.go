package ej

import (
	"math"
	"slices"

	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/nic"
)

// Bytes per node: in the referee; in the slot engine (frames in flight, and growing lists of senders and listening
// order for two slots); in the cycle engine (light at both ends of every link, the wiring, and the lists from which
// the wiring was built).
const (
	memoryNode  = 1
	memoryFrame = 50
	memoryLight = 120
)

func (e Network) MemoryBytes(c *fabric.Config) uint64 {
	nodes, credits := uint64(e.nodes()), uint64(0)
	if e.Credits != nil {
		credits = e.Credits.Bytes(e.nodes(), e.ports())
	}
	if c.Cycle {
		return nodes*uint64(e.ports())*memoryLight + credits
	}
	if steps := e.queues(c); steps != nil {
		frames, bytes := 0, 0
		for _, queue := range steps {
			frames, bytes = max(frames, len(queue)), max(bytes, queueBytes(c, queue))
		}
		return credits + nodes*(memoryNode+uint64(bytes+bytes/8+frames*memoryFrame))
	}
	stride := uint64(nic.FrameStride(c.FramePayload()))
	return credits + nodes*memoryNode + e.framesMax(c)*(stride+stride/8+memoryFrame)
}

func queueBytes(c *fabric.Config, payloads []int) (bytes int) {
	for _, payload := range payloads {
		bytes += nic.FrameStride(min(payload, c.PayloadBytes))
	}
	return bytes
}

func (e Network) queueBytes(c *fabric.Config) (payloads []int) {
	if c.Workload.Traffic != nil && c.Program != nil {
		frames := e.trafficFrames(c.Workload.Traffic)
		return slices.Repeat([]int{traffic.HeadBytes}, min(int(frames+float64(busiest*math.Sqrt(frames)))+1, e.ports()))
	}
	for _, queue := range e.queues(c) {
		for place, bytes := range queue {
			if place == len(payloads) {
				payloads = append(payloads, 0)
			}
			payloads[place] = max(payloads[place], bytes)
		}
	}
	return payloads
}

// queues returns the payloads of the frames that each node of an all-to-all broadcast sends and receives in a step,
// longest first, or nil with one source. With a limit per link, all links are assumed to be busy. If packets are not
// counted, one direction of each link is assumed to carry full frames.
func (e Network) queues(c *fabric.Config) (steps [][]int) {
	if c.Workload.AllToAll == nil {
		return nil
	}
	p := c.Program
	if p == nil || !e.counts(p.Name) {
		return [][]int{slices.Repeat([]int{c.PayloadBytes}, e.ports()/2)}
	}
	loads := e.loads(p.Name)
	if e.PacketsPerLink > 0 {
		all := make([]int, e.ports())
		for _, ports := range loads {
			for port, packets := range ports {
				all[port] = min(all[port]+packets, e.PacketsPerLink)
			}
		}
		loads = [][]int{all}
	}
	for _, ports := range loads {
		var queue []int
		for _, packets := range ports {
			if packets > 0 {
				queue = append(queue, packets*packetBytes(p))
			}
		}
		slices.SortFunc(queue, func(a, b int) int { return b - a })
		steps = append(steps, queue)
	}
	return steps
}

// busiest is the number of standard deviations by which a node's busiest slot may exceed the mean.
const busiest = 4

// trafficFrames returns the mean number of frames that a node sends per slot for traffic without contention. A source
// sends at most one frame per slot.
func (e Network) trafficFrames(t *fabric.Traffic) (frames float64) {
	torus, hops := e.torus(), 0
	for residue := range torus.Size() {
		hops += torus.Weight(residue)
	}
	rate, size := t.Rate, 1.
	if rate == 0 {
		rate = 1
	}
	for _, s := range t.Size {
		size = max(size, float64(s.Frames))
	}
	frames = min(rate*size, 1) * float64(e.Dimensions*hops) / float64(torus.Size())
	if t.Closed > 0 {
		frames *= 2
	}
	return min(frames, float64(e.ports()))
}

func (e Network) framesMax(c *fabric.Config) uint64 {
	nodes := uint64(e.nodes())
	if t := c.Workload.Traffic; t != nil {
		return uint64(float64(nodes) * e.trafficFrames(t))
	}
	if c.Workload.OneToAll == nil {
		return nodes
	}
	if e.norm() > distancesMax {
		return min(nodes, 2*nodes/uint64(e.diameter()))
	}
	at := e.distances(1)
	if c.Program != nil && c.Program.Name == previousProgram { // the last dimension is served alone
		return slices.Max(at) * (nodes / uint64(e.norm()))
	}
	return slices.Max(e.distances(e.Dimensions))
}

const distancesMax = 1 << 16

func (e Network) distances(dimensions int) []uint64 {
	torus, at := e.torus(), []uint64{1}
	for range dimensions {
		next := make([]uint64, len(at)+torus.Diameter())
		for have, count := range at {
			for c := range torus.Size() {
				next[have+torus.Weight(c)] += count
			}
		}
		at = next
	}
	return at
}

func (e Network) workloadBytes(w *fabric.Workload, _ *fabric.Program) (kept, roms uint64) {
	if w.AllToAll == nil {
		return 0, 0
	}
	nodes := uint64(e.nodes())
	return nodes * ((nodes + 63) / 64) * 8, 0
}
