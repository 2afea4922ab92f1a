package traffic

import (
	"starloom/fabric"
	"starloom/fabric/stream"
)

// AddFrames adds what is measured of the frames between processors at routers, in cycles, of which so many have run, and the loads of channels;
// nothing of other transports.
func AddFrames(m *fabric.Metrics, n fabric.Network, t fabric.Transport, cycles uint64) {
	s := stream.StreamOf(t)
	if s == nil {
		return
	}
	whole, network, hops := s.Latencies()
	latency, frames := histogram(whole), uint64(0)
	for _, bin := range latency {
		frames += bin[1]
	}
	latency.add(m, "frame_latency", "", frames > 0)
	histogram(network).add(m, "frame_network_latency", "", frames > 0)
	m.AddKnown(frames > 0, "frame_hops.mean", float64(hops)/float64(max(frames, 1)))
	AddLoads(m, fabric.RoutersOf(n), s.Loads(), cycles)
}
