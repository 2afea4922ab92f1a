package ej

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

// creditBank is the NICs of the network {a: 1, b: 2, dimensions: 1}.
func creditBank(t *testing.T) *nic.Bank {
	c := nic.BankConfig{Cells: 7, Processors: 7, Ports: 6, Discipline: nic.Discipline{AllPorts: true},
		Sizes: nic.Sizes{PayloadBytes: 8, RxFrames: 12, TxFrames: 6}}
	memory, err := nic.PlaceBank(64, c, 0, 1)
	require.NoError(t, err)
	bank, err := nic.AttachBank(memory, 64, c)
	require.NoError(t, err)
	return bank
}

// TestCreditsOfLyingFirmware: for every value that firmware writes into the count of its RX FIFO, a
// port never exceeds its initial credits and regains all spent ones.
func TestCreditsOfLyingFirmware(t *testing.T) {
	e, shards := Network{A: 1, B: 2, Dimensions: 1}, hw.Shards(7, 3)
	c, err := flow.NewCredits(e, fabric.CreditLimits{Depth: 2}, shards)
	require.NoError(t, err)
	bank, torus := creditBank(t), e.torus()
	latch := func() {
		c.Latch(shards)
	}
	const node, port = 3, 4
	neighbour, far := torus.Neighbour(node, 1, port), uint16(opposite(port))
	count := func() int { return c.Counters[0].Count(node*6 + port) }
	ledger := &fabric.Ledger{}
	hear := func(port uint16, slot uint32, status nic.Status) {
		if status == nic.StatusOK {
			bank.Registers[neighbour].RxCount++
		}
		bank.SetRx(neighbour, port, status)
		c.Heard(1, bank, neighbour, port, ledger, slot)
	}
	cross := func(slot uint32, status nic.Status) {
		c.Sent(node, port, slot)
		latch()
		hear(far, slot, status)
	}
	cross(0, nic.StatusOK)
	require.Equal(t, 1, count())
	nobodys := func(slot uint32) { // RTL shows a frame that no one has sent
		hear(2, slot, nic.StatusOK)
	}
	nobodys(0)
	cross(1, nic.StatusOK)
	nobodys(1)
	require.Zero(t, count())
	require.True(t, c.Blocks(node, port))
	require.True(t, c.Blocks(node, nic.PortAll))
	require.False(t, c.Blocks(node, port-1))

	for _, lie := range []struct {
		rxCount uint8
		credits int
		// of four, the oldest and the third have credits
	}{{255, 0}, {4, 0}, {3, 1}, {2, 1}, {7, 1}, {1, 2}, {0, 2}, {9, 2}, {0, 2}} {
		bank.Registers[neighbour].RxCount = lie.rxCount
		c.Free(1, bank, ledger, 2, fabric.Window{End: 1})
		latch()
		require.Equal(t, lie.credits, count(), "rx_count %d", lie.rxCount)
	}
	for slot := uint32(2); slot < 600; slot++ { // more than a FIFO holds; one that sleeps is robbed
		cross(slot, nic.StatusOK)
		bank.Registers[neighbour].RxCount = 0
		c.Free(1, bank, ledger, slot+1, fabric.Window{End: 1})
		latch()
		require.Equal(t, 2, count())
	}
	// seen: it is back at once
	for _, status := range []nic.Status{nic.StatusCRC, nic.StatusOverflow, nic.StatusCollision} {
		cross(600, status)
		latch()
		require.Equal(t, 2, count())
	}
	bank.SetListen(neighbour, 0, 2) // no one listens
	cross(601, nic.StatusIdle)
	latch()
	require.Equal(t, 2, count())
	bank.SetListen(neighbour, 0, nic.PortAll)
	cross(602, nic.StatusIdle) // RTL has not shown it
	latch()
	require.Equal(t, 1, count())
	cross(603, nic.StatusOK)
	bank.Silence(neighbour) // with the frame in its FIFO
	c.Free(1, bank, ledger, 604, fabric.Window{End: 1})
	latch()
	require.Zero(t, count())
}

// TestCreditsInTransit: a credit returns after the rest of the round trip; resynchronisation
// restores exactly the lost credits as soon as the receiver is on the fabric.
func TestCreditsInTransit(t *testing.T) {
	e, shards := Network{A: 1, B: 2, Dimensions: 1}, hw.Shards(7, 7)
	const node, port, depth = 3, 4, 5
	for _, trip := range []int{0, 2, 3, 7} {
		c, err := flow.NewCredits(e, fabric.CreditLimits{Depth: depth, RoundTripSlots: trip, ResyncSlots: 10}, shards)
		require.NoError(t, err)
		bank, ledger := creditBank(t), &fabric.Ledger{}
		neighbour, far := e.torus().Neighbour(node, 1, port), uint16(opposite(port))
		count := func() int { return c.Counters[0].Count(node*6 + port) }
		// At each boundary: receive the frames of slot-1, update FIFOs, send in slot.
		boundary := func(slot uint32, sends bool, status nic.Status) {
			bank.SetRx(neighbour, far, status)
			c.Heard(0, bank, neighbour, far, ledger, slot-1)
			c.Free(0, bank, ledger, slot, fabric.Window{End: 1})
			if sends {
				c.Sent(node, port, slot)
			}
			c.Counters[0].Latch(shards[0])
		}
		boundary(1, true, nic.StatusIdle)
		back := uint32(1 + max(trip, 2))
		for slot := uint32(2); slot < back; slot++ {
			require.Equal(t, depth-1, count(), "slot %d", slot)
			boundary(slot, false, map[bool]nic.Status{true: nic.StatusCRC, false: nic.StatusIdle}[slot == 2])
		}
		require.Equal(t, depth, count(), "it can be used in slot %d", back)

		for slot := uint32(11); slot < 14; slot++ { // three frames that are not seen
			boundary(slot, true, nic.StatusIdle)
		}
		boundary(14, false, nic.StatusIdle)
		require.Equal(t, depth-3, count())
		bank.Silence(neighbour)
		for slot := uint32(15); slot < 30; slot++ {
			boundary(slot, false, nic.StatusIdle)
			require.Equal(t, depth-3, count(), "the receiver is off the fabric")
		}
		bank.Restart(neighbour, nil)
		for slot := uint32(30); slot < 32+uint32(trip); slot++ {
			boundary(slot, false, nic.StatusIdle)
		}
		require.Equal(t, depth, count())
	}
}

func TestCreditsRefuse(t *testing.T) {
	e, shards := Network{A: 1, B: 2, Dimensions: 1}, hw.Shards(7, 7)
	_, err := flow.NewCredits(e, fabric.CreditLimits{}, shards)
	require.ErrorContains(t, err, "ej.node.port.credits: 0 credits; allowed: 1 to 65535")
	_, err = flow.NewCredits(e, fabric.CreditLimits{Depth: 256}, shards)
	require.ErrorContains(t, err, "ej: 256 credits; allowed: 1 to 255")
	c, err := flow.NewCredits(e, fabric.CreditLimits{Depth: 1, RoundTripSlots: 4}, shards)
	require.NoError(t, err)
	bank, ledger := creditBank(t), &fabric.Ledger{}
	saved := func() *bytes.Buffer {
		var state bytes.Buffer
		require.NoError(t, hw.Save(&state, c.Counters[0], books{c}))
		return &state
	}
	restore := func(state *bytes.Buffer) error { return hw.Restore(state, c.Counters[0], books{c}) }
	latch := func() {
		c.Latch(shards)
	}
	require.NoError(t, restore(saved()))
	from := e.torus().Neighbour(0, 1, 0)
	// in the FIFO, on its way back, lost
	for _, status := range []nic.Status{nic.StatusOK, nic.StatusCRC, nic.StatusIdle} {
		c.Reset()
		c.Counters[0].Reset()
		c.Sent(from, uint16(opposite(0)), 0)
		bank.SetRx(0, 0, status)
		require.ErrorContains(t, restore(saved()), "credits: the credits of port 3 of processor", "it was sent, and taken by no edge")
		latch()
		require.NoError(t, restore(saved()), "on its way")
		c.Heard(0, bank, 0, 0, ledger, 0)
		require.NoError(t, restore(saved()), status)
	}
	c.Reset()
	require.ErrorContains(t, restore(saved()), "add up to 0 instead of 1", "a counter without books")
	c.Counters[0].Reset()
	c.Sent(e.torus().Neighbour(1, 1, 0), 3, 0)
	latch()
	bank.SetRx(0, 5, nic.StatusOK)
	c.Heard(0, bank, 0, 5, ledger, 1)
	state := saved().Bytes()
	at := bytes.Index(state, []byte("credits.waiting")) + len("credits.waiting") + 9
	require.Equal(t, byte(255), state[at], "no one has sent it")
	state[at] = 6 // no port of node 0, but the first one of node 1
	binary.LittleEndian.PutUint32(state[len(state)-4:], crc32.ChecksumIEEE(state[:len(state)-4]))
	require.ErrorContains(t, restore(bytes.NewBuffer(state)), "element 0 is port 6, but ports are 0 to 5")
}

// books is the state that credits save in addition to their counters.
type books struct{ *flow.Credits }

func (books) Path() string { return "credits" }
