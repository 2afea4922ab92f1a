package fabrictest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/fabric/bus"
	"starloom/fabric/contend"
	"starloom/firmware"
	"starloom/hw"
)

var busImage = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "starloom-bus-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "bus.wasm")
	if err := firmware.Build(context.Background(), firmware.BuildOptions{Source: "testdata/bus.c", Output: path}); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// randomBuses returns overlapping buses of random members in random order.
func randomBuses(vertices, buses int, seed uint64) (all [][]int) {
	random := rand.New(rand.NewPCG(seed, 5))
	for range buses {
		all = append(all, random.Perm(vertices)[:2+random.IntN(vertices-1)])
	}
	return all
}

// chatter returns scenarios of firmware that sends and listens at random.
func chatter(b bus.Network, params map[string]int64, rules starloom.Rules) func(testing.TB) *starloom.Scenario {
	return func(t testing.TB) *starloom.Scenario {
		image, err := busImage()
		require.NoError(t, err)
		for _, idle := range rules.Unbreakable(b) {
			idle.Delete()
		}
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.Bus, s.Stop.Slots = "suite", &b, 60
		s.NIC = starloom.NIC{PayloadBytes: 16, RXFrames: 2, TXFrames: 3}
		s.Firmware.Image, s.Firmware.ImageBytes, s.Firmware.Params, s.Rules = "bus.wasm", image, params, &rules
		return s
	}
}

// weightsOf returns weights for a weighted arbiter, nil for any other.
func weightsOf(arbiter string, weights ...int) []int {
	if !hw.ArbiterOf(arbiter).Spec().Weighted {
		return nil
	}
	return weights
}

func TestBus(t *testing.T) {
	keeps := starloom.Rules{OneBus: true, BusLength: true}
	free := starloom.Rules{CollisionFree: &starloom.CollisionFree{Period: 1, Slots: []int{1}}}
	one := map[string]int64{"one_bus": 1}
	var cases []Case
	for i, arbiter := range []string{"round_robin", "none", "fixed", "matrix", "tdma", "weighted_round_robin", "lottery"} {
		network := bus.Network{Vertices: 5 + i, Buses: randomBuses(5+i, 3+i, uint64(i))}
		network.Arbiter, network.Weights = arbiter, weightsOf(arbiter, 3, 1)
		cases = append(cases, Case{Name: arbiter, Scenario: chatter(network, one, keeps)})
	}
	cases = append(cases,
		Case{Name: "one shared bus, at most of the time idle", Scenario: chatter(bus.Network{Vertices: 6, Buses: [][]int{{3, 1, 0, 5, 4, 2}}, ArbiterKeys: contend.ArbiterKeys{Arbiter: "matrix"}}, map[string]int64{"idle": 9, "one_bus": 1}, keeps)},
		Case{Name: "vertices without a tap", Scenario: chatter(bus.Network{Vertices: 9, Buses: [][]int{{7, 2}, {2, 3, 7}}}, one, keeps)},
		Case{Name: "two buses at once", Scenario: chatter(bus.Network{Vertices: 6, Buses: randomBuses(6, 4, 9)}, nil, keeps), Breaks: starloom.RuleOneBus},
		Case{Name: "two buses at once, granted or not", Scenario: chatter(bus.Network{Vertices: 6, Buses: randomBuses(6, 4, 9), ArbiterKeys: contend.ArbiterKeys{Arbiter: "round_robin"}}, nil, keeps), Breaks: starloom.RuleOneBus},
		Case{Name: "too many on a bus", Scenario: chatter(bus.Network{Vertices: 7, Length: 3, Buses: randomBuses(7, 3, 2)}, one, keeps), Breaks: starloom.RuleBusLength},
		Case{Name: "two senders", Scenario: chatter(bus.Network{Vertices: 5, Buses: randomBuses(5, 2, 3)}, one, free), Breaks: starloom.RuleCollisionFree},
	)
	(&Suite{
		Cases: cases,
		RTL: []starloom.RTL{
			{Replace: "bus.bus[*]", Twin: "bus"}, {Replace: "bus.bus[1]"}, {Replace: "bus.bus[*].taps", Twin: "bus_taps"}, {Replace: "bus.bus[*].arbiter", Twin: "arbiter_round_robin"},
			{Replace: "bus.bus[*].wire", Twin: "link"}, {Replace: "bus.nic[*].tx", Twin: "requester"}, {Replace: "bus.nic[*].rx", Twin: "deserialiser"},
		},
	}).Run(t)
	(&Suite{
		Cases: []Case{cases[1]},
		RTL: []starloom.RTL{
			{Replace: "bus.bus[*]", Twin: "bus"}, {Replace: "bus.nic[*].tx", Twin: "serialiser"}, {Replace: "bus.nic[*].rx", Twin: "deserialiser"},
		},
	}).rtl(t)
}

// TestBusAllRTL replaces every part of a bus network by RTL, in both backends.
func TestBusAllRTL(t *testing.T) {
	arbiters, globs := []string{"none", "round_robin"}, []string{"bus.**"}
	if *full {
		arbiters, globs = busArbiters(), append(globs, "bus.bus[*]")
	}
	for i, arbiter := range arbiters {
		for _, backend := range []string{cosim.BackendWasm, cosim.BackendIcarus} {
			for _, parts := range globs {
				t.Run(fmt.Sprint(arbiter, " on ", backend, ": ", parts), func(t *testing.T) {
					t.Parallel()
					c := Case{Scenario: chatter(bus.Network{Vertices: 4, Buses: randomBuses(4, 3, uint64(i)), ArbiterKeys: contend.ArbiterKeys{Arbiter: arbiter}}, map[string]int64{"slots": 20}, starloom.Rules{})}
					want := c.run(t, starloom.MachineOptions{Engine: starloom.EngineCycle})
					s := c.Scenario(t)
					s.RTL = []starloom.RTL{{Replace: parts, Backend: backend}}
					m := machine(t, s, starloom.MachineOptions{})
					require.NoError(t, m.Run(t.Context(), nil))
					report := m.Report()
					require.NotEmpty(t, report.RTL)
					report.RTL = nil
					require.Equal(t, want, text(t, report))
				})
			}
		}
	}
}

// TestRandomBuses compares both engines on random networks.
func TestRandomBuses(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 1))
	var moved starloom.Frames
	broken := map[string]int{}
	arbiters := append([]string{""}, busArbiters()...)
	for i := range map[bool]int{false: 60, true: 300}[*full] {
		vertices := 2 + random.IntN(9)
		b := bus.Network{Vertices: vertices, Buses: randomBuses(vertices, 1+random.IntN(6), uint64(i))}
		b.Arbiter = arbiters[i%len(arbiters)]
		b.Weights = weightsOf(b.Arbiter, 1+random.IntN(9), 1+random.IntN(3))
		if random.IntN(2) == 0 {
			b.Length = 2 + random.IntN(4)
		}
		params := map[string]int64{"one_bus": int64(i / 6 % 2), "idle": int64(random.IntN(5))}
		c := Case{Scenario: func(t testing.TB) *starloom.Scenario {
			rules := starloom.Rules{OneBus: true, BusLength: true,
				CollisionFree: &starloom.CollisionFree{Period: 2, Slots: []int{1}}}
			s := chatter(b, params, rules)(t)
			s.Seed, s.Link.PhitBits, s.Link.PropagationCycles, s.Link.GuardCycles = uint64(i),
				[]int{64, 7, 33, 1}[i%4], i%3, 1+i%2
			s.Firmware.CPU.BudgetCycles = i % 5
			return s
		}}
		t.Run(fmt.Sprintf("%d: %+v %v", i, b, params), func(t *testing.T) {
			m := machine(t, c.Scenario(t), starloom.MachineOptions{Engine: starloom.EngineSlot})
			require.NoError(t, m.Run(t.Context(), nil))
			report := m.Report()
			require.Equal(t, text(t, report), c.run(t, starloom.MachineOptions{Engine: starloom.EngineCycle}))
			moved.Sent += report.Frames.Sent
			moved.Delivered += report.Frames.Delivered
			moved.Collided += report.Frames.Collided
			moved.Blocked += report.Frames.Blocked
			moved.Overflow += report.Frames.Overflow
			moved.Unheard += report.Frames.Unheard
			for _, v := range report.Violations {
				broken[v.Rule]++
			}
		})
	}
	for what, count := range map[string]uint64{"sent": moved.Sent, "delivered": moved.Delivered, "collided": moved.Collided, "blocked": moved.Blocked, "overflow": moved.Overflow, "unheard": moved.Unheard} {
		require.Greater(t, count, uint64(100), what)
	}
	for _, rule := range []string{starloom.RuleOneBus, starloom.RuleBusLength, starloom.RuleCollisionFree} {
		require.Greater(t, broken[rule], 50, rule)
	}
}
