package ej

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// creditBank is the NICs of the network {a: 1, b: 2, dimensions: 1}.
func creditBank(t *testing.T) *nic.Bank {
	c := nic.BankConfig{Cells: 7, Processors: 7, Ports: 6, AllPorts: true, PayloadBytes: 8, RxFrames: 12, TxFrames: 6}
	memory, err := nic.PlaceBank(64, c, 0, 1)
	require.NoError(t, err)
	bank, err := nic.AttachBank(memory, 64, c)
	require.NoError(t, err)
	return bank
}

// TestCreditsOfLyingFirmware: whatever firmware writes into the count of its RX FIFO, a port
// never has more credits than there are, and gets back all that it has spent.
func TestCreditsOfLyingFirmware(t *testing.T) {
	e, shards := Network{A: 1, B: 2, Dimensions: 1}, hw.Shards(7, 3)
	c, err := fabric.NewCredits(e, 2, shards)
	require.NoError(t, err)
	bank, torus := creditBank(t), e.torus()
	latch := func() {
		for _, s := range shards {
			c.Counters.Latch(s)
		}
	}
	const node, port = 3, 4
	neighbour, far := torus.Neighbour(node, 1, port), uint16(opposite(port))
	count := func() int { return c.Counters.Count(node*6 + port) }
	cross := func(slot uint32, inFIFO bool) {
		c.Sent(node, port, slot)
		latch()
		if inFIFO {
			bank.Registers[neighbour].RxCount++
		}
		c.Heard(1, neighbour, far, slot, inFIFO)
	}
	cross(0, true)
	require.Equal(t, 1, count())
	nobodys := func(slot uint32) { // RTL shows a frame that nobody has sent
		c.Heard(1, neighbour, 2, slot, true)
		bank.Registers[neighbour].RxCount++
	}
	nobodys(0)
	cross(1, true)
	nobodys(1)
	require.Zero(t, count())
	require.True(t, c.Blocks(node, port))
	require.True(t, c.Blocks(node, nic.PortAll))
	require.False(t, c.Blocks(node, port-1))

	for _, lie := range []struct {
		rxCount uint8
		credits int
	}{{255, 0}, {4, 0}, {3, 1}, {2, 1}, {7, 1}, {1, 2}, {0, 2}, {9, 2}, {0, 2}} { // of four, the oldest and the third have credits
		bank.Registers[neighbour].RxCount = lie.rxCount
		c.Free(1, bank)
		latch()
		require.Equal(t, lie.credits, count(), "rx_count %d", lie.rxCount)
	}
	for slot := uint32(2); slot < 600; slot++ { // more than a FIFO holds; one that sleeps is robbed
		cross(slot, true)
		bank.Registers[neighbour].RxCount = 0
		c.Free(1, bank)
		latch()
		require.Equal(t, 2, count())
	}
	cross(600, false) // lost: it is back at once
	latch()
	require.Equal(t, 2, count())
}

func TestCreditsRefuse(t *testing.T) {
	e, shards := Network{A: 1, B: 2, Dimensions: 1}, hw.Shards(7, 7)
	_, err := fabric.NewCredits(e, 0, shards)
	require.ErrorContains(t, err, "ej.node.port.credits: 0 credits, allowed are 1 to 65535")
	c, err := fabric.NewCredits(e, 1, shards)
	require.NoError(t, err)
	var good bytes.Buffer
	require.NoError(t, hw.Save(&good, books{c}))
	require.NoError(t, hw.Restore(bytes.NewReader(good.Bytes()), books{c}))
	c.Sent(e.torus().Neighbour(1, 1, 0), 3, 0)
	c.Heard(0, 0, 6, 0, true) // no port of node 0, but the first one of node 1
	var bad bytes.Buffer
	require.NoError(t, hw.Save(&bad, books{c}))
	c.Reset()
	require.ErrorContains(t, hw.Restore(&bad, books{c}), "credits.waiting")
}

// books are what credits save beside their counters.
type books struct{ *fabric.Credits }

func (books) Path() string { return "credits" }
