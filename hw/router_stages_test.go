package hw

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// graph5 is the arbitrary graph of the logs of stages.
func graph5() topology {
	return irregular(map[[2]int]int{
		{0, 1}: 3, {0, 2}: 1, {1, 0}: 3, {1, 3}: 2, {2, 0}: 1, {2, 3}: 1, {2, 4}: 5, {3, 1}: 2, {3, 2}: 1, {3, 4}: 1,
		{4, 2}: 5, {4, 3}: 1,
	}, 5, []int{0, 0, 1, 2, 2, 3, 4, 4})
}

// allocators sets both allocators.
func (c RouterConfig) allocators(t testing.TB, vc, sw string) RouterConfig {
	var err error
	c.VCAllocator, err = RouterAllocatorOf(vc)
	require.NoError(t, err)
	c.SwitchAllocator, err = RouterAllocatorOf(sw)
	require.NoError(t, err)
	return c
}

const inputFirst = "separable_input_first"

// stageGoldens are the logs of BookSim 2 with options of the router's stages, on a mesh of 4x4 unless top is given.
func stageGoldens(t testing.TB) []golden {
	islip := func(vcs int, s RouterStages) RouterConfig {
		return RouterConfig{VCs: vcs, Depth: 4, RoutingDelay: 1, Stages: s}
	}
	kinds := func(vcs int, vc, sw string, s RouterStages) RouterConfig { return islip(vcs, s).allocators(t, vc, sw) }
	speculative := RouterStages{Speculation: RouterSpeculation{On: true}}
	two := islip(4, RouterStages{Speculation: RouterSpeculation{On: true, Own: true, MaskByRequests: true}})
	two.RoutingDelay, two.CreditDelay = 0, 2
	ispd15 := islip(3, RouterStages{InputSpeedup: 2, InternalSpeedup: 1.5, OutputBuffer: 2})
	ispd15.CreditDelay = 1
	busy := islip(3, RouterStages{BusyWhenFull: true})
	busy.Depth = 2
	late := islip(4, RouterStages{})
	late.RoutingDelay = 3
	shared := islip(4, RouterStages{Buffers: RouterBuffers{Shared: true, Pools: 4}})
	shared.Depth = 8
	mesh := mesh(4, 2)
	return []golden{
		{"shared", mesh, shared},
		{"class", mesh, kinds(3, inputFirst, inputFirst, RouterStages{Priority: PriorityClass})},
		{"rw", mesh, islip(4, RouterStages{})},
		{"is2", mesh, islip(4, RouterStages{InputSpeedup: 2})},
		{"is3", graph5(), kinds(4, inputFirst, inputFirst, RouterStages{InputSpeedup: 3})},
		{"os2", mesh, islip(2, RouterStages{OutputSpeedup: 2})},
		{"os2b", fly(7), kinds(3, "islip", "separable_output_first", RouterStages{OutputSpeedup: 2, OutputBuffer: 1})},
		{"ispd2", mesh, islip(2, RouterStages{InternalSpeedup: 2})},
		{"ispd15", mesh, ispd15},
		{"spec", mesh, kinds(2, inputFirst, inputFirst, speculative)},
		{"spec_islip", mesh, islip(2, speculative)},
		{"spec_two", mesh, two},
		{"spec_blind", mesh, islip(3, RouterStages{
			Speculation: RouterSpeculation{On: true, AnyVC: true, AnyCredit: true, Own: true, Allocator: SeparableInputFirst}})},
		{"spec_select2", mesh, kinds(4, "islip", "select(2)", RouterStages{
			Speculation: RouterSpeculation{On: true, Own: true, Allocator: Select}})},
		{"ob_xb2", mesh, islip(3, RouterStages{OutputBuffer: 1, CrossbarDelay: 2})},
		{"ob_g2", mesh, islip(3, RouterStages{OutputBuffer: 1, InternalSpeedup: 2, HoldSwitch: true})},
		{"hold", mesh, islip(3, RouterStages{HoldSwitch: true})},
		{"busy", mesh, busy},
		{"empty", mesh, kinds(4, inputFirst, "islip", RouterStages{PrioritizeEmpty: true})},
		{"shuffle", mesh, islip(2, RouterStages{ShuffleRequests: true})},
		{"xb3", mesh, islip(4, RouterStages{CrossbarDelay: 3})},
		{"rd3", mesh, late},
		{"sepof", mesh, kinds(3, "separable_output_first", "separable_output_first", RouterStages{Priority: PriorityNetworkAge})},
		{"wave", mesh, kinds(2, "wavefront", "wavefront", RouterStages{})},
		{"rrwave", mesh, kinds(3, "rr_wavefront", "rr_wavefront", RouterStages{})},
		{"islip3", mesh, kinds(3, "islip(2)", "islip(3)", RouterStages{})},
		{"matrix", mesh, kinds(2, "separable_input_first(matrix)", "separable_output_first(matrix)", RouterStages{})},
		{"select2", mesh, kinds(2, "select(2)", "select", RouterStages{})},
		{"age", mesh, kinds(2, inputFirst, inputFirst, RouterStages{Priority: PriorityAge})},
		{"localage", mesh, kinds(3, "wavefront", "wavefront", RouterStages{Priority: PriorityLocalAge})},
		{"qlen", mesh, kinds(3, "select", "separable_output_first", RouterStages{Priority: PriorityQueueLength})},
		{"hops", mesh, kinds(3, inputFirst, "wavefront", RouterStages{Priority: PriorityHopCount, Donate: true})},
	}
}

// TestRouterStagesAsBookSim requires that every packet of the logs with options enters, leaves and hops as logged.
func TestRouterStagesAsBookSim(t *testing.T) {
	for _, g := range stageGoldens(t) {
		packets, logged := readGolden(t, "stages_"+g.name)
		for _, units := range []int{16, 3} {
			k, n := newTestNetwork(t, g.top, g.config, packets, units, 1+units%2)
			k.Reset()
			runNetwork(k, n)
			assert.True(t, n.Done(), g.name)
			assert.Zero(t, differ(packets, logged), "%s: %d packets", g.name, packets.Count())
		}
	}
}

// TestRouterStageOptions requires the exact number of packets that differ in each log if an option is left out. The
// numbers come from another model of the same specification.
func TestRouterStageOptions(t *testing.T) {
	type change = func(c *RouterConfig)
	vc, sw := func(c *RouterConfig) { c.VCAllocator = ISLIP }, func(c *RouterConfig) { c.SwitchAllocator = ISLIP }
	input := func(c *RouterConfig) { c.Stages.InputSpeedup = 0 }
	output := func(c *RouterConfig) { c.Stages.OutputSpeedup = 0 }
	buffer := func(c *RouterConfig) { c.Stages.OutputBuffer = 0 }
	internal := func(c *RouterConfig) { c.Stages.InternalSpeedup = 0 }
	speculation := func(c *RouterConfig) { c.Stages.Speculation.On = false }
	own := func(c *RouterConfig) { c.Stages.Speculation.Own = false }
	priority := func(c *RouterConfig) { c.Stages.Priority = NoPriority }
	kinds := map[string]map[string]struct {
		change change
		want   int
	}{
		"shared":     {"policy": {func(c *RouterConfig) { c.Stages.Buffers, c.Depth = RouterBuffers{}, 2 }, 1195}},
		"is2":        {"input": {input, 1155}},
		"is3":        {"input": {input, 553}, "vc": {vc, 184}, "sw": {sw, 165}},
		"os2":        {"output": {output, 1209}},
		"os2b":       {"output": {output, 1308}, "buffer": {buffer, 1311}, "sw": {sw, 0}},
		"ispd2":      {"internal": {internal, 1434}},
		"ispd15":     {"input": {input, 1021}, "buffer": {buffer, 927}, "internal": {internal, 1419}},
		"spec":       {"speculation": {speculation, 1154}, "vc": {vc, 734}, "sw": {sw, 958}},
		"spec_islip": {"speculation": {speculation, 1256}},
		"spec_two": {"speculation": {speculation, 1341}, "own": {own, 1203},
			"mask": {func(c *RouterConfig) { c.Stages.Speculation.MaskByRequests = false }, 850}},
		"spec_blind": {"speculation": {speculation, 1198}, "own": {own, 1035},
			"any VC":     {func(c *RouterConfig) { c.Stages.Speculation.AnyVC = false }, 317},
			"any credit": {func(c *RouterConfig) { c.Stages.Speculation.AnyCredit = false }, 1198}},
		"hold":     {"hold": {func(c *RouterConfig) { c.Stages.HoldSwitch = false }, 1073}},
		"busy":     {"busy": {func(c *RouterConfig) { c.Stages.BusyWhenFull = false }, 669}},
		"empty":    {"empty": {func(c *RouterConfig) { c.Stages.PrioritizeEmpty = false }, 986}, "vc": {vc, 975}},
		"shuffle":  {"shuffle": {func(c *RouterConfig) { c.Stages.ShuffleRequests = false }, 740}},
		"xb3":      {"crossbar 2": {func(c *RouterConfig) { c.Stages.CrossbarDelay = 2 }, 768}},
		"sepof":    {"priority": {priority, 1277}, "vc": {vc, 1176}, "sw": {sw, 1247}},
		"wave":     {"vc": {vc, 1279}, "sw": {sw, 1300}},
		"rrwave":   {"vc": {vc, 924}, "sw": {sw, 1002}},
		"islip3":   {"vc": {vc, 943}, "sw": {sw, 973}},
		"matrix":   {"vc": {vc, 958}, "sw": {sw, 734}},
		"select2":  {"vc": {vc, 986}, "sw": {sw, 0}},
		"class":    {"priority": {priority, 822}, "vc": {vc, 475}, "sw": {sw, 753}},
		"age":      {"priority": {priority, 1117}, "vc": {vc, 1028}, "sw": {sw, 1095}},
		"localage": {"priority": {priority, 1233}, "vc": {vc, 1092}, "sw": {sw, 1181}},
		"qlen":     {"priority": {priority, 1068}, "vc": {vc, 834}, "sw": {sw, 1028}},
		"hops": {"priority": {priority, 1091}, "vc": {vc, 975}, "sw": {sw, 1061},
			"donation": {func(c *RouterConfig) { c.Stages.Donate = false }, 950}},
	}
	for _, g := range stageGoldens(t) {
		packets, logged := readGolden(t, "stages_"+g.name)
		for name, c := range kinds[g.name] {
			changed := g
			c.change(&changed.config)
			k, n := newTestNetwork(t, g.top, changed.config, packets, 16, 1)
			k.Reset()
			for !n.Done() && k.Cycle() < 100_000 {
				k.DriveAndSettle()
				k.Latch()
			}
			assert.Equal(t, c.want, differ(packets, logged), "%s without %s", g.name, name)
		}
	}
}

func randomStages(r *rand.Rand, c *RouterConfig) {
	kind := func() RouterAllocator {
		kind := RouterAllocator(r.IntN(int(RRWavefront) + 1))
		if s := kind.spec(); s.Rounds || s.Ties {
			return kind.With(r.IntN(2))
		}
		return kind
	}
	c.VCAllocator, c.SwitchAllocator, c.RoutingDelay = kind(), kind(), r.IntN(4)
	often := func(n int) bool { return r.IntN(n) == 0 }
	s := RouterStages{InputSpeedup: 1 + r.IntN(3), OutputSpeedup: 1 + r.IntN(2), CrossbarDelay: 1 + r.IntN(3),
		InternalSpeedup: []float64{1, 1, 1.5, 1.3, 2, 3}[r.IntN(6)], OutputBuffer: r.IntN(4), HoldSwitch: often(3),
		BusyWhenFull: often(3), PrioritizeEmpty: often(3), ShuffleRequests: often(3), Donate: often(3)}
	s.Priority = RouterPriority(r.IntN(int(PrioritySequence) + 1))
	if often(2) {
		s.Speculation = RouterSpeculation{On: true, AnyCredit: often(2), Own: often(2), Allocator: kind(),
			MaskByRequests: often(2)}
		s.Speculation.AnyVC = s.Speculation.AnyCredit && often(2)
	}
	if often(3) {
		s.Buffers = RouterBuffers{Shared: true, Pools: 1 + r.IntN(c.VCs), Private: r.IntN(2)}
		c.Depth = max(c.Depth, s.Buffers.Pools*s.Buffers.Private)
	}
	c.Stages = s
}

// runAwake is runNetwork without sleeping routers, which is slower. Without an end it runs 2,000 cycles.
func runAwake(k *Kernel, n *RouterNetwork, ends bool) {
	defer n.CountHops()
	for end := k.Cycle() + 2000; !n.Done() && (ends || k.Cycle() < end); {
		for r := range n.Routers.awake {
			n.Routers.awake[r] = 1
		}
		for i := range n.Routers.moves {
			n.Routers.moves[i] = 1
		}
		k.DriveAndSettle()
		k.Latch()
	}
}

// TestRouterStagesRandom: random options on random networks lose no credit, deliver or deadlock, end empty, and
// continue from a saved state on other shards, where no router ever sleeps.
func TestRouterStagesRandom(t *testing.T) {
	runs, deadlocks := 60, 0
	switch {
	case *full:
		runs = 3000
	case testing.Short(): // under the race detector
		runs = 12
	}
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 52))
		n := newRandomNetwork(t, r)
		randomStages(r, &n.config)
		packets, again := randomPackets(r, n.nodes), &Packets{}
		*again = *packets
		again.Sent, again.Received, again.Hops = append([]uint32{}, packets.Sent...), append([]uint32{}, packets.Received...),
			append([]uint16{}, packets.Hops...)
		k, whole := newTestNetwork(t, n.top, n.config, packets, 1+r.IntN(len(n.top.graph.Ports)), 1+r.IntN(2))
		other, second := newTestNetwork(t, n.top, n.config, again, 1+r.IntN(len(n.top.graph.Ports)), 1)
		for range r.IntN(200) {
			k.DriveAndSettle()
			k.Latch()
			if k.Cycle()%16 == 0 {
				require.Empty(t, whole.LostCredits(), "%d: %+v", seed, n.config)
			}
		}
		var state bytes.Buffer
		require.NoError(t, Save(&state, k))
		require.NoError(t, Restore(&state, other))
		runNetwork(k, whole)
		runAwake(other, second, whole.Done())
		require.Zero(t, differ(packets, again), "%d: %+v", seed, n.config)
		require.Empty(t, whole.LostCredits())
		if !whole.Done() {
			deadlocks++
			require.NotEmpty(t, whole.Knots(nil), "%d: %+v", seed, n.config)
			continue
		}
		requireLatencies(t, &n, packets)
		requireEmpty(t, k, whole)
	}
	t.Logf("%d of %d runs end in a deadlock", deadlocks, runs)
}

// TestGeneralAsNarrow: with default options both paths have the same registers after every cycle.
func TestGeneralAsNarrow(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 53))
		n := newRandomNetwork(t, r)
		packets, again := randomPackets(r, n.nodes), &Packets{}
		for i := range packets.Source {
			again.Add(packets.Source[i], packets.Destination[i], packets.Size[i], packets.Created[i])
		}
		k, narrow := newTestNetwork(t, n.top, n.config, packets, 16, 1)
		other, general := newTestNetwork(t, n.top, n.config, again, 16, 1)
		require.False(t, narrow.Routers.general)
		general.Routers.general = true
		for !narrow.Done() && k.Cycle() < 300 {
			for _, k := range []*Kernel{k, other} {
				k.DriveAndSettle()
				k.Latch()
			}
			var a, b bytes.Buffer
			require.NoError(t, Save(&a, k))
			require.NoError(t, Save(&b, other))
			require.True(t, bytes.Equal(a.Bytes(), b.Bytes()), "seed %d, cycle %d", seed, k.Cycle())
		}
	}
}
