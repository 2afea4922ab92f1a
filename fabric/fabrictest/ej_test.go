package fabrictest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/fabric"
	"starloom/fabric/ej"
	"starloom/firmware"
)

func imageOf(t testing.TB, source string) string {
	image := filepath.Join(t.TempDir(), "firmware.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image}))
	return image
}

// onEJ returns scenarios of an image with FIFOs of depth frames per port.
func onEJ(image string, e ej.Network, depth int) func(testing.TB) *starloom.Scenario {
	return func(testing.TB) *starloom.Scenario {
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.EJ, s.Firmware.Image = "ej", &e, image
		s.NIC.RXFrames, s.NIC.TXFrames = depth, depth
		s.Rules, s.Stop.Slots = &starloom.Rules{}, 60
		return s
	}
}

// TestEJ floods networks of all kinds: frames collide, wait for credits, overflow and go unheard.
func TestEJ(t *testing.T) {
	for name, e := range map[string]ej.Network{
		"half duplex":      {A: 1, B: 2, Dimensions: 1},
		"full duplex":      {A: 2, B: 2, Dimensions: 1, Duplex: ej.DuplexFull},
		"few credits":      {A: 1, B: 3, Dimensions: 1, Credits: &fabric.CreditLimits{Depth: 1, ResyncSlots: 4}},
		"credits far away": {A: 1, B: 2, Dimensions: 1, Duplex: ej.DuplexFull, Credits: &fabric.CreditLimits{Depth: 3, RoundTripSlots: 4}},
		"two dimensions":   {A: 1, B: 2, Dimensions: 2, Credits: &fabric.CreditLimits{Depth: 2}},
	} {
		t.Run(name, Flood{Fabric: starloom.Fabric{EJ: &e}}.Run)
	}
	flood := imageOf(t, "testdata/flood.c")
	for _, credits := range []int{0, 1} {
		e := ej.Network{A: 1, B: 3, Dimensions: 1}
		if credits > 0 {
			e.Credits = &fabric.CreditLimits{Depth: credits}
		}
		half, err := starloom.Run(t.Context(), onEJ(flood, e, 1)(t), starloom.RunOptions{})
		require.NoError(t, err)
		require.Greater(t, half.Frames.Collided, uint64(50))
		require.Equal(t, credits > 0, half.Frames.Blocked > 50)
		require.Positive(t, half.Frames.Unheard)
		e.Duplex = ej.DuplexFull
		duplex, err := starloom.Run(t.Context(), onEJ(flood, e, 1)(t), starloom.RunOptions{})
		require.NoError(t, err)
		require.Zero(t, duplex.Frames.Collided)
	}
}

// TestEJRTL replaces each kind of part, and all parts, by RTL in both backends.
func TestEJRTL(t *testing.T) {
	flood := imageOf(t, "testdata/flood.c")
	half := ej.Network{A: 1, B: 2, Dimensions: 1, Credits: &fabric.CreditLimits{Depth: 2}}
	(&Suite{
		Cases: []Case{{Name: "half duplex", Scenario: onEJ(flood, half, 1)}},
		RTL: []starloom.RTL{
			{Replace: "ej.node[*].dim[1].link[*]", Twin: "duplex_link"}, {Replace: "ej.node[3].dim[1].link[+rho]"},
			{Replace: "ej.node[*].dim[1].link[*].in.fibre", Twin: "link"}, {Replace: "**.port[-rho].tx", Twin: "serialiser"},
			{Replace: "ej.node[2].dim[1].port[*].rx", Twin: "deserialiser"}, {Replace: "**.credits", Twin: "credit_counter"},
			{Replace: "ej.node[1].dim[1].port[*]"},
		},
	}).rtl(t)
	networks := map[string]ej.Network{"half": half}
	if *full {
		both := half
		both.Duplex = ej.DuplexFull
		networks["full"] = both
	}
	for name, e := range networks {
		for _, backend := range []string{cosim.BackendWasm, cosim.BackendIcarus} {
			t.Run(name+" duplex, all on "+backend, func(t *testing.T) {
				t.Parallel()
				model := Case{Scenario: onEJ(flood, e, 1)}
				want := model.run(t, starloom.MachineOptions{Engine: starloom.EngineCycle})
				s := model.Scenario(t)
				s.RTL = []starloom.RTL{{Replace: "ej.**", Backend: backend}}
				m := machine(t, s, starloom.MachineOptions{})
				require.NoError(t, m.Run(t.Context(), nil))
				report := m.Report()
				links, ports := 7*3, 7*6
				require.Len(t, report.RTL, links+4*ports) // a fibre, transmitter, receiver and counter for each port
				report.RTL = nil
				require.Equal(t, want, text(t, report))
			})
		}
	}
}

// TestEJBothWays requires that use of a half-duplex link from both ends breaks the rule in both directions, in the
// cycle of the first phits; full duplex carries both.
func TestEJBothWays(t *testing.T) {
	image := imageOf(t, "testdata/both_ways.c")
	scenario := func(duplex string) func(testing.TB) *starloom.Scenario {
		return func(t testing.TB) *starloom.Scenario {
			s := onEJ(image, ej.Network{A: 3, B: 4, Dimensions: 1, Duplex: duplex}, 1)(t)
			if s.Rules = (&starloom.Rules{}); duplex == ej.DuplexHalf {
				s.Rules.CollisionFree = &starloom.CollisionFree{Period: 1, Slots: []int{1}}
			}
			s.Link.PhitBits = 8
			return s
		}
	}
	(&Suite{Cases: []Case{
		{Name: "half duplex", Scenario: scenario(ej.DuplexHalf), Breaks: starloom.RuleCollisionFree},
		{Name: "full duplex", Scenario: scenario(ej.DuplexFull)},
	}}).Run(t)
	s := scenario(ej.DuplexHalf)(t)
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		m := machine(t, s, starloom.MachineOptions{Engine: engine})
		require.NoError(t, m.Run(t.Context(), nil))
		report := m.Report()
		require.EqualValues(t, 2, report.Frames.Collided)
		require.EqualValues(t, 35, report.Frames.Delivered) // of 37
		require.Len(t, report.Violations, 2)
		for i, direction := range []string{"out", "in"} {
			v := report.Violations[i]
			require.Equal(t, "ej.node[0].dim[1].link[+rho]."+direction, v.Path)
			require.EqualValues(t, 2, v.Slot)
			require.EqualValues(t, 2*report.Cycles/report.Slots, v.Cycle)
		}
	}
}

// TestEJCredits: with a receiver that takes every frame, two credits use every slot, one every other. With one that
// takes none, frames arrive as long as credits last, and two more credits than places never block: an overflow
// returns its credit.
func TestEJCredits(t *testing.T) {
	const slots = 40
	image := imageOf(t, "testdata/stream.c")
	for _, c := range []struct {
		credits, every, rxFrames               int
		sent, delivered, overflow, everBlocked uint64
	}{
		{credits: 0, every: 1, rxFrames: 1, sent: slots, delivered: slots},
		{credits: 2, every: 1, rxFrames: 1, sent: slots, delivered: slots},
		{credits: 1, every: 1, rxFrames: 1, sent: slots/2 + 1, delivered: slots/2 + 1, everBlocked: 1},
		{credits: 1, every: 0, rxFrames: 3, sent: 1, delivered: 1, everBlocked: 1},
		{credits: 3, every: 0, rxFrames: 3, sent: 3, delivered: 3, everBlocked: 1},
		{credits: 4, every: 0, rxFrames: 3, sent: 2 + slots/2, delivered: 3, overflow: slots/2 - 1, everBlocked: 1},
		{credits: 5, every: 0, rxFrames: 3, sent: slots, delivered: 3, overflow: slots - 3},
		{credits: 2, every: 4, rxFrames: 2, sent: slots/4 + 2, delivered: slots/4 + 2, everBlocked: 1},
	} {
		t.Run(fmt.Sprintf("%d credits, %d places, a frame taken in every %d slots", c.credits, c.rxFrames, c.every), func(t *testing.T) {
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				e := ej.Network{A: 1, B: 2, Dimensions: 1}
				if c.credits > 0 {
					e.Credits = &fabric.CreditLimits{Depth: c.credits}
				}
				s := onEJ(image, e, 1)(t)
				s.NIC.RXFrames, s.Firmware.Params = c.rxFrames, map[string]int64{"every": int64(c.every), "until": slots}
				m := machine(t, s, starloom.MachineOptions{Engine: engine})
				require.NoError(t, m.Run(t.Context(), nil))
				f := m.Report().Frames
				require.Equal(t, c.sent, f.Sent)
				require.Equal(t, c.delivered, f.Delivered)
				require.Equal(t, c.overflow, f.Overflow)
				require.Equal(t, c.everBlocked, min(f.Blocked, 1))
			}
		})
	}
}

// TestEJLostCredits: a frame that its receiver never sees loses its credit until the next resynchronisation; the
// report names the waiting port.
func TestEJLostCredits(t *testing.T) {
	const slots, waits = 40, "it waits for a credit of ej.node[0].dim[1].port[+1], which has lost 2 of 2"
	image := imageOf(t, "testdata/stream.c")
	link, receiver := []string{"ej.node[0].dim[1].link[+1].out"}, []string{"ej.node[1].nic[0]"}
	type faults = []starloom.Fault
	drop := func(in ...uint32) faults {
		return faults{{Kind: "drop", Targets: link, Slots: &starloom.FaultSlots{List: in}}}
	}
	from5 := &starloom.FaultSlots{From: 5}
	stuck, dead := faults{{Kind: "stuck", Targets: link, Slots: from5}}, faults{{Kind: "dead", Targets: receiver, Slots: from5}}
	type limits = fabric.CreditLimits
	for name, c := range map[string]struct {
		limits          limits
		faults          faults
		sent, delivered uint64
		waits           bool
	}{
		"nothing":    {limits{Depth: 2}, nil, slots, slots, false},
		"one of two": {limits{Depth: 2}, drop(3), 4 + slots/2 - 1, 3 + slots/2 - 1, false},
		"both":       {limits{Depth: 2}, drop(3, 4), 5, 3, true},

		"resynchronised":          {limits{Depth: 2, ResyncSlots: 10}, drop(3, 4), 5 + slots - 11, 3 + slots - 11, false},
		"dark, too":               {limits{Depth: 2, ResyncSlots: 10}, drop(3, 4, 9), 5 + slots - 21, 3 + slots - 21, false},
		"resynchronised far away": {limits{Depth: 2, RoundTripSlots: 9, ResyncSlots: 10}, drop(0, 1), 2 + 2*3 + 1, 2*3 + 1, false},

		"a wrong CRC":     {limits{Depth: 2}, faults{{Kind: "bit_flip", Targets: link}}, slots, 0, false},
		"a stuck link":    {limits{Depth: 2, ResyncSlots: 5}, stuck, 7, 5, true},
		"a dead receiver": {limits{Depth: 2, ResyncSlots: 5}, dead, 6, 5, true},

		"a long way":         {limits{Depth: 2, RoundTripSlots: 4}, nil, slots/2 + 1, slots/2 + 1, false},
		"a long way, enough": {limits{Depth: 4, RoundTripSlots: 4}, nil, slots, slots, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				s := onEJ(image, ej.Network{A: 1, B: 2, Dimensions: 1, Credits: &c.limits}, 1)(t)
				s.Firmware.Params = map[string]int64{"every": 1, "until": slots}
				if c.faults != nil {
					s.Faults = &starloom.Faults{Schedule: c.faults}
				}
				m := machine(t, s, starloom.MachineOptions{Engine: engine})
				require.NoError(t, m.Run(t.Context(), nil))
				r := m.Report()
				require.Equal(t, c.sent, r.Frames.Sent, engine)
				require.Equal(t, c.delivered, r.Frames.Delivered, engine)
				if !c.waits {
					require.Equal(t, starloom.VerdictPass, r.Verdict, "%+v", r.Violations)
					continue
				}
				require.Equal(t, starloom.VerdictFail, r.Verdict)
				require.Equal(t, "processor 0 was done and had 1 frame left to send when the run ended: "+waits, r.Violations[0].Message)
			}
		})
	}
}

// TestEJLostCreditsAreTheFaults requires that only faults lose credits, even if the run does not finish without them.
func TestEJLostCreditsAreTheFaults(t *testing.T) {
	s := onEJ(imageOf(t, "testdata/stream.c"), ej.Network{A: 1, B: 2, Dimensions: 1, Credits: &fabric.CreditLimits{Depth: 2}}, 1)(t)
	s.Stop.Slots = 40
	s.Firmware.Params = map[string]int64{"until": 1000}
	s.Faults = &starloom.Faults{Schedule: []starloom.Fault{
		{Kind: "drop", Targets: []string{"ej.node[0].dim[1].link[+1].out"}, Slots: &starloom.FaultSlots{List: []uint32{3, 4}}},
	}}
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.NotNil(t, report.Without)
	require.EqualValues(t, 7, report.Without.ViolationsTotal)
	require.Len(t, report.Violations, 7)
	for i, v := range report.Violations {
		require.Equal(t, starloom.RuleFinishes, v.Rule)
		if i == 0 {
			require.Contains(t, v.Message, ": it waits for a credit of ej.node[0].dim[1].port[+1], which has lost 2 of 2")
			require.Equal(t, starloom.CauseFaults, v.Cause)
		} else {
			require.Equal(t, starloom.CauseFirmware, v.Cause)
		}
	}
}

// TestMissingIsCounted requires that a report describes only a hundred of six million missing messages.
func TestMissingIsCounted(t *testing.T) {
	s := onEJ(imageOf(t, "testdata/stream.c"), ej.Network{A: 1, B: 2, Dimensions: 4}, 1)(t)
	s.Firmware.Params = map[string]int64{"until": 0}
	s.Workload = starloom.Workload{AllToAll: &fabric.AllToAll{}}
	s.Rules.ExactlyOnce = true
	m := machine(t, s, starloom.MachineOptions{})
	require.NoError(t, m.Run(t.Context(), nil))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	report := m.Report()
	runtime.ReadMemStats(&after)
	require.EqualValues(t, 2401*2400, report.ViolationsTotal)
	require.Len(t, report.Violations, starloom.ViolationsMax)
	require.Equal(t, "processor 0 never received the message of processor 1", report.Violations[0].Message)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

// TestLongEJCreditsUnderFaults floods networks with lossy links and nodes that die and restart: all engines and
// divisions agree, and restored runs continue unchanged.
func TestLongEJCreditsUnderFaults(t *testing.T) {
	const seed = 2
	flood := imageOf(t, "testdata/flood.c")
	random := rand.New(rand.NewPCG(seed, 0))
	var cases []Case
	stuck := 0
	for i := range 6 {
		e := ej.Network{A: 1, B: 2 + i/2%2, Dimensions: 1, Duplex: []string{ej.DuplexHalf, ej.DuplexFull}[i%2]}
		e.Credits = &fabric.CreditLimits{Depth: 1 + random.IntN(4), RoundTripSlots: 2 + random.IntN(4),
			ResyncSlots: []uint32{7, 0, 1}[i%3]}
		depth, rate := 1+random.IntN(3), 0.1+0.2*random.Float64()
		scenario := func(t testing.TB) *starloom.Scenario {
			s, rare := onEJ(flood, e, depth)(t), 0.02
			s.Seed = uint64(i)
			s.Faults = &starloom.Faults{Schedule: []starloom.Fault{
				{Kind: "drop", Probability: &rate}, {Kind: "dead", Probability: &rare}, {Kind: "restart", Probability: &rare}, {Kind: "bit_flip", Probability: &rare},
			}}
			return s
		}
		breaks := "" // unless a port waits forever
		report, err := starloom.Run(t.Context(), scenario(t), starloom.RunOptions{})
		require.NoError(t, err)
		if report.Verdict == starloom.VerdictFail {
			breaks = starloom.RuleFinishes
			require.Contains(t, report.Violations[0].Message, ": it waits for a credit of ej.node[")
			stuck++
		}
		cases = append(cases, Case{Breaks: breaks, Name: fmt.Sprintf("seed %d: %d %s, depth %d, drop %.2f", seed, e.B, fmt.Sprint(*e.Credits), depth, rate), Scenario: scenario})
	}
	require.Greater(t, stuck, 2)
	require.Less(t, stuck, 6)
	(&Suite{Cases: cases}).Run(t)
	(&Suite{ // a resynchronisation returns several credits at once
		Cases: []Case{{Scenario: func(t testing.TB) *starloom.Scenario {
			s, half := onEJ(flood,
				ej.Network{A: 1, B: 2, Dimensions: 1, Credits: &fabric.CreditLimits{Depth: 4, ResyncSlots: 9}}, 1)(t), 0.5
			s.Faults = &starloom.Faults{Schedule: []starloom.Fault{{Kind: "drop", Probability: &half, Slots: &starloom.FaultSlots{To: 28}}}}
			return s
		}}},
		RTL: []starloom.RTL{{Replace: "**.credits", Twin: "credit_counter"}, {Replace: "ej.node[*].dim[1].link[*].out.fibre_tapped"}},
	}).rtl(t)
}

// TestEJActiveNodes requires that active counts a node that sends and receives in one step once, and free the rest.
func TestEJActiveNodes(t *testing.T) {
	relay := imageOf(t, "testdata/relay.c")
	for _, source := range []int{0, 17} {
		scenario := func(t testing.TB) *starloom.Scenario {
			s := onEJ(relay, ej.Network{A: 3, B: 4, Dimensions: 1, Duplex: ej.DuplexFull}, 6)(t)
			s.Workload = starloom.Workload{OneToAll: &starloom.OneToAll{Source: source}}
			return s
		}
		(&Suite{Cases: []Case{{Name: fmt.Sprint("source ", source), Scenario: scenario}}}).Run(t)
		report, err := starloom.Run(t.Context(), scenario(t), starloom.RunOptions{})
		require.NoError(t, err)
		for name, want := range map[string][]int{ // rings of 1, 6, 12 and 18 nodes; each node hears its neighbours
			"senders":   {1, 6, 12, 18},
			"receivers": {6, 19, 36, 30},
			"active":    {7, 19, 36, 30}, // counts must not exceed 37 nodes
			"free":      {30, 18, 1, 7},
		} {
			require.Equal(t, want, report.Metrics.Get(name), name)
		}
	}
}

// TestLongEJPrograms runs the programs, with parts of the first network replaced by RTL in turn.
func TestLongEJPrograms(t *testing.T) {
	program := func(name, fabric, rest string) func(testing.TB) *starloom.Scenario {
		return func(t testing.TB) *starloom.Scenario {
			workload := "one_to_all: {source: 3}"
			if strings.HasPrefix(name, "all-to-all") {
				workload = "all_to_all: {}"
			}
			s, err := starloom.ParseScenario("ej.yaml", []byte(fmt.Sprintf("starloom: 1\nname: ej\nseed: 1\nfabric: {ej: {%s}}\nfirmware: {program: ej/%s}\nworkload: {%s}\n%s", fabric, name, workload, rest)))
			require.NoError(t, err)
			return s
		}
	}
	(&Suite{
		Cases: []Case{
			{Name: "improved", Scenario: program("improved", "a: 1, b: 2, dimensions: 2", "")},
			{Name: "previous", Scenario: program("previous", "a: 2, b: 3, dimensions: 1, credits: 1", "")},
			{Name: "general", Scenario: program("general", "a: 2, b: 2, dimensions: 1, duplex: full", "")},
			{Name: "misprinted", Scenario: program("misprinted", "a: 2, b: 3, dimensions: 1", "rules: {exactly_once: true}\n"), Breaks: starloom.RuleExactlyOnce},
			{Name: "all-to-all", Scenario: program("all-to-all", "a: 2, b: 3, dimensions: 1", "")},
			{Name: "incomplete", Scenario: program("all-to-all", "a: 1, b: 2, dimensions: 2", ""), Breaks: starloom.RuleExactlyOnce},
			{Name: "C1", Scenario: program("all-to-all-c1", "a: 1, b: 2, dimensions: 2", "")},
			{Name: "C2", Scenario: program("all-to-all-c2", "a: 1, b: 3, dimensions: 1, credits: 2", "")},
			{Name: "one packet a link", Scenario: program("all-to-all-c2", "a: 1, b: 2, dimensions: 2, packets_per_link: 1", "")},
		},
		RTL: long(
			starloom.RTL{Replace: "ej.node[*].dim[2].link[*]", Twin: "duplex_link"}, starloom.RTL{Replace: "ej.node[*].dim[1].link[+rho^2].out.fibre"},
			starloom.RTL{Replace: "ej.node[3].dim[*].port[*]"},
		),
	}).Run(t)
}
