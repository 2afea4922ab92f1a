package fabrictest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/fabric/ej"
	"starloom/firmware"
)

// built is an image of a source.
func built(t testing.TB, source string) string {
	image := filepath.Join(t.TempDir(), "firmware.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image}))
	return image
}

// onEJ returns scenarios of an image, with FIFOs of so many frames for each port.
func onEJ(image string, e ej.Network, depth int) func(testing.TB) *starloom.Scenario {
	return func(testing.TB) *starloom.Scenario {
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.EJ, s.Firmware.Image = "ej", &e, image
		s.NIC.RXFrames, s.NIC.TXFrames = depth, depth
		s.Rules, s.Stop.Slots = &starloom.Rules{}, 60
		return s
	}
}

// TestEJ floods networks of all kinds: frames meet, wait for credits, overflow and go unheard.
func TestEJ(t *testing.T) {
	const seed = 1
	flood := built(t, "ring/testdata/flood.c")
	random := rand.New(rand.NewPCG(seed, 0))
	var cases []Case
	for _, size := range []struct{ a, b, dimensions int }{{1, 2, 1}, {2, 2, 1}, {1, 3, 1}, {2, 3, 1}, {1, 2, 2}} {
		for _, duplex := range []string{ej.DuplexHalf, ej.DuplexFull} {
			e := ej.Network{A: size.a, B: size.b, Dimensions: size.dimensions, Duplex: duplex, Credits: random.IntN(4)}
			depth := 1 + random.IntN(3)
			cases = append(cases, Case{Name: fmt.Sprintf("seed %d: %+v, depth %d", seed, e, depth), Scenario: onEJ(flood, e, depth)})
		}
	}
	(&Suite{Cases: cases}).Run(t)
	for _, credits := range []int{0, 1} {
		e := ej.Network{A: 1, B: 3, Dimensions: 1, Credits: credits}
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

// TestEJRTL puts RTL in the place of each kind of part, and of all of them, in both backends.
func TestEJRTL(t *testing.T) {
	flood := built(t, "ring/testdata/flood.c")
	half := ej.Network{A: 1, B: 2, Dimensions: 1, Credits: 2}
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

// TestEJBothWays: a half-duplex link that both ends use in one slot breaks the rule in both
// directions, in the cycle of the first phits; full duplex carries both.
func TestEJBothWays(t *testing.T) {
	image := built(t, "testdata/both_ways.c")
	scenario := func(duplex string) func(testing.TB) *starloom.Scenario {
		return func(t testing.TB) *starloom.Scenario {
			s := onEJ(image, ej.Network{A: 3, B: 4, Dimensions: 1, Duplex: duplex}, 1)(t)
			s.Rules = &starloom.Rules{CollisionFree: &starloom.CollisionFree{Period: 1, Slots: []int{1}}}
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

// TestEJCredits: of a link whose receiver takes frames out of its FIFO, two credits use every
// slot, one every other. Where it takes none, frames come as long as there are credits, and
// two more than the FIFO has places never block: what overflows gives its credit back.
func TestEJCredits(t *testing.T) {
	const slots = 40
	image := built(t, "testdata/stream.c")
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
				s := onEJ(image, ej.Network{A: 1, B: 2, Dimensions: 1, Credits: c.credits}, 1)(t)
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

// TestEJPrograms runs the programs; parts of the first network are RTL in turn.
func TestEJPrograms(t *testing.T) {
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
