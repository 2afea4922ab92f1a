package scenario

import (
	"fmt"
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

// gavel is a kind that serves nothing.
const gavel hw.ArbiterKind = 200

func init() { hw.RegisterArbiter(gavel, hw.ArbiterSpec{Name: "gavel"}) }

// TestArbiterWithoutUses: every place with arbiters refuses a kind that does not declare a use for it; none takes it
// for another.
func TestArbiterWithoutUses(t *testing.T) {
	kind := contend.ArbiterKeys{Arbiter: "gavel"}
	output := func(keys contend.CrossbarKeys) fabric.Network { return crossbar.Network{Ports: 4, CrossbarKeys: keys} }
	networks := map[string]fabric.Network{
		"outputs": output(contend.CrossbarKeys{ArbiterKeys: kind}), "lists": output(contend.CrossbarKeys{ArbiterKeys: kind, Matching: contend.MatchList}),
		"capped": output(contend.CrossbarKeys{ArbiterKeys: kind, Cap: 2}), "cap": output(contend.CrossbarKeys{Cap: 2, CapArbiter: "gavel"}),
		"capped lists": output(contend.CrossbarKeys{ArbiterKeys: kind, Matching: contend.MatchList, Cap: 2}),
		"queues":       output(contend.CrossbarKeys{ArbiterKeys: kind, Output: contend.OutputQueue}),
		"buses":        bus.Network{Vertices: 4, Buses: [][]int{{0, 1}}, ArbiterKeys: kind}, "schedules": bus.Network{Vertices: 4, Length: 2, ArbiterKeys: kind},
	}
	for _, place := range slices.Sorted(maps.Keys(networks)) {
		var bad *starloom.InputError
		require.ErrorAs(t, networks[place].Check(), &bad, place)
		require.Contains(t, bad.Reason, "gavel", place)
		require.Contains(t, bad.Reason+bad.Remedy, "fixed", place)
	}
	for _, nodes := range []string{
		"x: {kind: crossbar, arbiter: gavel}", "x: {kind: crossbar, arbiter: gavel, matching: list}", "x: {kind: crossbar, cap: 1, cap_arbiter: gavel}",
		"x: {kind: crossbar, arbiter: gavel, output: queue}", "x: {kind: bus, arbiter: gavel}",
	} {
		_, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {netlist: {nodes: {'p[0..2]': processor, "+nodes+"}, links: [['p[0..2]:0', x]]}}\n"))
		require.ErrorContains(t, err, "gavel", nodes)
	}

	lines, err := hw.NewRequests(hw.Bank{Name: "a", Units: 1, PerUnit: 1}, "request", 3, hw.Shards(1, 1))
	require.NoError(t, err)
	_, err = hw.NewArbiters(hw.ArbiterConfig{Bank: hw.Bank{Name: "a", Units: 1, PerUnit: 1}, Kind: gavel, Request: lines})
	require.ErrorContains(t, err, fmt.Sprint("arbiter of gavel; allowed: ", hw.ArbitersFor(hw.ForBuses|hw.ForOutputs)))
	_, err = hw.NewCapArbiters(hw.CapArbiterConfig{Bank: hw.Bank{Name: "c", Units: 1, PerUnit: 1}, Ports: 3, Rule: hw.CapRule{Kind: gavel, Cap: 1}})
	require.ErrorContains(t, err, fmt.Sprint("cap arbiter of gavel; allowed: ", hw.ArbitersFor(hw.ForCaps)))

	for _, x := range []contend.Crossbar{
		{Ports: 3, Arbiter: gavel}, {Ports: 3, Arbiter: gavel, List: true}, {Ports: 3, Arbiter: gavel, Cap: 1},
		{Ports: 3, Cap: 1, CapArbiter: gavel},
		{Ports: 3, Arbiter: gavel, Queue: 2},
		{Ports: 3, Arbiter: hw.ArbiterMatrix, List: true}, {Ports: 3, Arbiter: hw.ArbiterMatrix, Cap: 1},
		{Ports: 3, Arbiter: hw.ArbiterTDMA},
	} {
		_, err := x.SlotTransport(&fabric.Config{})
		require.ErrorContains(t, err, "allowed:", x)
		_, err = x.Part(nil, contend.Senders{})
		require.ErrorContains(t, err, "allowed:", x)
		_, err = contend.NewServer([]contend.Shared{{Outputs: &x}}, 1, nic.Timing{})
		require.ErrorContains(t, err, "allowed:", x)
	}
	buses := &contend.Buses{Bank: hw.Bank{Name: "b", Units: 1, PerUnit: 1}, Arbiter: contend.Arbiter(gavel)}
	_, err = buses.SlotTransport(fabric.Shape{}, nil, fabric.Switched{}, &fabric.Config{})
	require.ErrorContains(t, err, "arbiter gavel; allowed:")
	_, err = contend.NewServer([]contend.Shared{{Buses: buses}}, 1, nic.Timing{})
	require.ErrorContains(t, err, "arbiter gavel; allowed:")

	for name, kind := range map[string]string{"output_port": "KIND", "cap_arbiter": "KIND", "bus": "KIND"} {
		tw, err := twin.Find(twin.All(), name)
		require.NoError(t, err)
		parameters := maps.Clone(tw.Sets[0])
		parameters[kind] = int(gavel)
		_, err = tw.New(parameters)
		require.Error(t, err, name)
	}
}
