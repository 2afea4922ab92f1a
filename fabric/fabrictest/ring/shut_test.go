package ring

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/fabrictest"
	"starloom/firmware"
	"starloom/nic"
)

// shutter is a ring each of whose nodes is shut in two of three slots.
type shutter struct{ Ring }

func (s shutter) shut(node int, _ uint16, slot uint32) bool { return (node+int(slot))%3 != 0 }

func (s shutter) Build(p *fabric.Plant) error {
	err := s.Ring.Build(p)
	p.Media().Blocks = s.shut
	return err
}

func (s shutter) SlotTransport(c *fabric.Config) (fabric.Transport, error) {
	inner, err := s.Ring.SlotTransport(c)
	return &shutSlots{inner.(*slots), s}, err
}

// shutSlots keeps the frames of nodes that are shut.
type shutSlots struct {
	*slots
	shutter
}

func (s *shutSlots) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, w fabric.Window, cells []uint32) {
	var open []uint32
	for _, c := range cells {
		cell := int(c)
		if bank.Registers[cell].TxCount > 0 && s.shut(bank.First+cell, bank.TxHead(cell).Port(), slot) {
			bank.TxHead(cell).SetSource(uint32(bank.First + cell))
			ledger.NoteBlocked(bank, cell)
			continue
		}
		open = append(open, c)
	}
	s.slots.Send(shard, bank, ledger, slot, w, open)
}

// TestTransmitStatus: a frame that is blocked stays until it is sent or withdrawn, and its
// handler knows, asleep or not.
func TestTransmitStatus(t *testing.T) {
	image := filepath.Join(t.TempDir(), "patient.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/patient.c", Output: image}))
	scenario := func(network fabric.Network, depth, withdraw int) func(testing.TB) *starloom.Scenario {
		return func(testing.TB) *starloom.Scenario {
			s := starloom.DefaultScenario()
			s.Name, s.Fabric.Custom, s.Firmware.Image = "shut", network, image
			s.Firmware.Params = map[string]int64{"depth": int64(depth), "withdraw": int64(withdraw)}
			s.NIC.RXFrames, s.NIC.TXFrames = 1, depth
			s.Rules, s.Stop.Slots = &starloom.Rules{ExactlyOnce: true}, 60
			return s
		}
	}
	(&fabrictest.Suite{
		Cases: []fabrictest.Case{
			{Name: "shut", Scenario: scenario(shutter{Ring{5}}, 4, 0)},
			{Name: "withdraws", Scenario: scenario(shutter{Ring{5}}, 5, 1)},
			{Name: "open", Scenario: scenario(Ring{5}, 1, 0)},
		},
		RTL: []starloom.RTL{{Replace: "**.tx", Twin: "serialiser"}},
	}).Run(t)

	blocked := func(s *starloom.Scenario) (uint64, uint64) {
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		return report.Frames.Blocked, report.Slots
	}
	waits, slots := blocked(scenario(shutter{Ring{5}}, 4, 0)(t))
	require.Greater(t, waits, uint64(10))
	none, fewer := blocked(scenario(Ring{5}, 1, 0)(t))
	require.Zero(t, none)
	require.Less(t, fewer, slots)
}
