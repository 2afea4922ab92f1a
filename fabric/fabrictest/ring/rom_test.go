package ring

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/fabrictest"
	"starloom/firmware"
)

// labelled is a ring with tables: the label of each node, drawn from the seed, and the distance from each label to a
// node.
type labelled struct{ Ring }

func (l labelled) Abilities() fabric.Abilities     { return withROM(l) }
func (l labelled) Words() (processor, machine int) { return l.Nodes, l.Nodes }
func (l labelled) label(node int, seed uint64) int { return (node + int(seed)) % l.Nodes }

func withROM(rom fabric.ROM) fabric.Abilities {
	return fabric.Abilities{ROM: func(*fabric.Workload, *fabric.Program) (fabric.ROM, error) { return rom, nil }}
}

func (l labelled) Processor(processor int, seed uint64, dst []uint32) {
	for node := range dst {
		dst[l.label(node, seed)] = uint32((node - processor + l.Nodes) % l.Nodes)
	}
}

func (l labelled) Machine(seed uint64, dst []uint32) {
	for node := range dst {
		dst[node] = uint32(l.label(node, seed))
	}
}

// TestROM requires that firmware sees the tables of a network, in any division of the machine, after a restore and a
// reset.
func TestROM(t *testing.T) {
	image := filepath.Join(t.TempDir(), "rom.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/rom.c", Output: image}))
	on := func(network fabric.Network) *starloom.Scenario {
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.Custom, s.Firmware.Image = "labelled", network, image
		s.Rules, s.Stop.Slots = &starloom.Rules{ExactlyOnce: true, PacketsPerProcessorMax: 1}, 7
		return s
	}
	(&fabrictest.Suite{Cases: []fabrictest.Case{
		{Name: "labels", Scenario: func(testing.TB) *starloom.Scenario { return on(labelled{Ring{5}}) }},
	}}).Run(t)

	t.Run("another seed has other tables", func(t *testing.T) {
		m, err := starloom.NewMachine(t.Context(), on(labelled{Ring{5}}), starloom.MachineOptions{})
		require.NoError(t, err)
		defer m.Close()
		for seed := range uint64(5) {
			require.NoError(t, m.Reset(seed))
			require.NoError(t, m.Run(t.Context(), nil))
			require.Equal(t, starloom.VerdictPass, m.Report().Verdict, "%+v", m.Report().Violations)
		}
	})
	t.Run("a network without", func(t *testing.T) {
		_, err := starloom.NewMachine(t.Context(), on(Ring{5}), starloom.MachineOptions{})
		require.ErrorContains(t, err, "needs a ROM, but this network has none")
	})
	t.Run("memory", func(t *testing.T) {
		s := on(huge{labelled{Ring{1000}}})
		s.Firmware.Mode = starloom.ModeIsolated // each processor has a copy
		_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.ErrorContains(t, err, "GiB of memory, this machine has")
	})
	info, err := firmware.Inspect(t.Context(), image)
	require.NoError(t, err)
	require.True(t, info.ROM)
}

// huge has more words than fit into any memory. They are mapped and never written.
type huge struct{ labelled }

func (huge) Words() (processor, machine int) { return 1 << 10, 1 << 29 }
func (h huge) Abilities() fabric.Abilities   { return withROM(h) }
