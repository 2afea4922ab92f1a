package fabrictest

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/netlist"
)

// mirror is a network with its own programs, referee and tables, but with the sizes, names, wiring and hardware of
// its netlist.
type mirror struct {
	fabric.Network
	net *netlist.Net
}

// Mirror returns a network built from its own netlist.
func Mirror(n fabric.Network) (fabric.Network, error) {
	net, err := netlist.Of(n)
	return mirror{n, net}, err
}

func (m mirror) Shape() fabric.Shape        { return m.net.Shape() }
func (m mirror) Names() fabric.Names        { return m.net.Names() }
func (m mirror) Build(p fabric.Plant) error { return m.net.Build(p) }

// Abilities returns the network's abilities, with credits, slot engine and adaptation replaced.
func (m mirror) Abilities() fabric.Abilities {
	a := m.Network.Abilities()
	a.Credits = m.net.CreditPlan()
	a.Slot = fabric.SlotEngine{Transport: func(c *fabric.Config) (fabric.Transport,
		error) {
		return m.net.SlotTransport(m, c)
	}}
	if adapt := a.Adapt; adapt != nil {
		a.Adapt = func(program, schedule string, params map[string]int64) fabric.Network {
			return m.on(adapt(program, schedule, params))
		}
	}
	return a
}

func (m mirror) on(n fabric.Network) fabric.Network {
	m.Network = n
	switch n.Shape().Discipline.(type) {
	case nil, fabric.OnePort, fabric.AllPorts: // with other disciplines a program may bring its own buses
		return m
	}
	if net, err := netlist.Of(n); err == nil {
		m.net = net
	}
	return m
}

// Reflected requires equal reports and captures of a scenario on a network and on its mirror, in both engines. on
// returns a new scenario; it passes the network through mirror.
func Reflected(t *testing.T, on func(t testing.TB, mirror func(fabric.Network) fabric.Network) *starloom.Scenario) {
	t.Helper()
	same := func(n fabric.Network) fabric.Network { return n }
	mirrored := func(n fabric.Network) fabric.Network {
		m, err := Mirror(n)
		require.NoError(t, err)
		return m
	}
	run := func(mirror func(fabric.Network) fabric.Network, engine string) (string, []byte) {
		var capture bytes.Buffer
		s := on(t, mirror)
		o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine},
			Record: starloom.RecordOptions{PCAPNG: starloom.Writer(&capture)}}
		report, err := starloom.Run(t.Context(), s, o)
		require.NoError(t, err)
		// networks written in Go have individual hashes
		return text(t, report), bytes.ReplaceAll(capture.Bytes(), []byte(s.Hash()), make([]byte, 64))
	}
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		want, frames := run(same, engine)
		got, again := run(mirrored, engine)
		require.Equal(t, want, got, engine)
		require.True(t, bytes.Equal(frames, again), "%s: the captures differ", engine)
	}
}
