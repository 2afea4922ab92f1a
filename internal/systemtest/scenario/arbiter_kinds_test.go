package scenario

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim/twin"
	"starloom/fabric"
	"starloom/fabric/bus"
	"starloom/fabric/contend"
	"starloom/fabric/crossbar"
	"starloom/hw"
	"starloom/nic"
)

// TestFifthArbiter: every place with arbiters refuses an unknown kind; none takes it for another.
func TestFifthArbiter(t *testing.T) {
	known := hw.ArbiterKinds
	t.Cleanup(func() { hw.ArbiterKinds = known })
	hw.ArbiterKinds = append(slices.Clone(known), "lottery")
	fifth := hw.ArbiterKind(len(known))

	networks := map[string]fabric.Network{
		"outputs": crossbar.Network{Ports: 4, Arbiter: "lottery"}, "lists": crossbar.Network{Ports: 4, Arbiter: "lottery", Matching: crossbar.MatchList},
		"capped": crossbar.Network{Ports: 4, Arbiter: "lottery", Cap: 2}, "cap": crossbar.Network{Ports: 4, Cap: 2, CapArbiter: "lottery"},
		"capped lists": crossbar.Network{Ports: 4, Arbiter: "lottery", Matching: crossbar.MatchList, Cap: 2},
		"queues":       crossbar.Network{Ports: 4, Arbiter: "lottery", Output: crossbar.OutputQueue},
		"buses":        bus.Network{Vertices: 4, Buses: [][]int{{0, 1}}, Arbiter: "lottery"}, "schedules": bus.Network{Vertices: 4, Length: 2, Arbiter: "lottery"},
	}
	for _, place := range slices.Sorted(maps.Keys(networks)) {
		var bad *starloom.InputError
		require.ErrorAs(t, networks[place].Check(), &bad, place)
		require.Contains(t, bad.Reason, "lottery", place)
		require.Contains(t, bad.Reason+bad.Remedy, "fixed", place)
	}
	for _, nodes := range []string{
		"x: {kind: crossbar, arbiter: lottery}", "x: {kind: crossbar, arbiter: lottery, matching: list}", "x: {kind: crossbar, cap: 1, cap_arbiter: lottery}",
		"x: {kind: crossbar, arbiter: lottery, output: queue}", "x: {kind: bus, arbiter: lottery}",
	} {
		_, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {netlist: {nodes: {'p[0..2]': processor, "+nodes+"}, links: [['p[0..2]:0', x]]}}\n"))
		require.ErrorContains(t, err, "lottery", nodes)
	}

	lines, err := hw.NewRequests(hw.Bank{Name: "a", Units: 1, PerUnit: 1}, "request", 3, hw.Shards(1, 1))
	require.NoError(t, err)
	_, err = hw.NewArbiters(hw.ArbiterConfig{Bank: hw.Bank{Name: "a", Units: 1, PerUnit: 1}, Kind: fifth, Request: lines})
	require.ErrorContains(t, err, "arbiter of lottery, allowed are [fixed round_robin matrix tdma]")
	_, err = hw.NewCapArbiters(hw.CapArbiterConfig{Bank: hw.Bank{Name: "c", Units: 1, PerUnit: 1}, Ports: 3, Rule: hw.CapRule{Kind: fifth, Cap: 1}})
	require.ErrorContains(t, err, "cap arbiter of lottery, allowed are [fixed round_robin matrix]")

	for _, x := range []contend.Crossbar{
		{Ports: 3, Arbiter: fifth}, {Ports: 3, Arbiter: fifth, List: true}, {Ports: 3, Arbiter: fifth, Cap: 1}, {Ports: 3, Cap: 1, CapArbiter: fifth},
		{Ports: 3, Arbiter: fifth, Queue: 2},
		{Ports: 3, Arbiter: hw.ArbiterMatrix, List: true}, {Ports: 3, Arbiter: hw.ArbiterMatrix, Cap: 1}, {Ports: 3, Arbiter: hw.ArbiterTDMA},
	} {
		_, err := x.SlotTransport(&fabric.Config{})
		require.ErrorContains(t, err, "allowed are", x)
		_, err = x.Part(nil, contend.Senders{})
		require.ErrorContains(t, err, "allowed are", x)
		_, err = contend.NewServer([]contend.Shared{{Outputs: &x}}, 1, nic.Timing{})
		require.ErrorContains(t, err, "allowed are", x)
	}
	buses := &contend.Buses{Bank: hw.Bank{Name: "b", Units: 1, PerUnit: 1}, Arbiter: contend.Arbiter(fifth)}
	_, err = buses.SlotTransport(fabric.Shape{}, nil, fabric.Switched{}, &fabric.Config{})
	require.ErrorContains(t, err, "arbiter lottery, allowed are")
	_, err = contend.NewServer([]contend.Shared{{Buses: buses}}, 1, nic.Timing{})
	require.ErrorContains(t, err, "arbiter lottery, allowed are")

	for name, kind := range map[string]string{"output_port": "KIND", "cap_arbiter": "KIND", "bus": "ARBITER"} {
		tw, err := twin.Find(twin.All(), name)
		require.NoError(t, err)
		parameters := maps.Clone(tw.Sets[0])
		parameters[kind] = len(hw.ArbiterKinds)
		_, err = tw.New(parameters)
		require.Error(t, err, name)
	}
}
