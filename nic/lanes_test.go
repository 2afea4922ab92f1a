package nic

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// lanesBank is a bank of NICs that send and receive at all ports.
func lanesBank(t *testing.T, ports, depth int) *Bank {
	c := BankConfig{
		Cells: 3, Processors: 3, Ports: ports, Discipline: Discipline{AllPorts: true},
		Sizes: Sizes{PayloadBytes: 8, RxFrames: depth * ports, TxFrames: depth * ports},
	}
	memory, err := PlaceBank(64, c, 8, 1)
	require.NoError(t, err)
	b, err := AttachBank(memory, 64, c)
	require.NoError(t, err)
	b.TxStatus, b.Served = make([]uint8, 3*ports), make([]uint32, 3*ports) // native programs take none
	return b
}

// TestSendAll: the first frame for each port is sent, a frame for all ports is sent alone, and the
// remaining frames keep their order.
func TestSendAll(t *testing.T) {
	all := uint16(PortAll)
	for name, c := range map[string]struct {
		queue, blocked, sent, left []uint16 // ports
	}{
		"one to each port":               {queue: []uint16{2, 0, 71}, sent: []uint16{2, 0, 71}},
		"the second waits":               {queue: []uint16{1, 1, 0, 1, 0}, sent: []uint16{1, 0}, left: []uint16{1, 1, 0}},
		"to all":                         {queue: []uint16{all, 0, all}, sent: []uint16{all}, left: []uint16{0, all}},
		"to all waits, and what follows": {queue: []uint16{3, all, 0, 64}, sent: []uint16{3}, left: []uint16{all, 0, 64}},
		"blocked":                        {queue: []uint16{5, 6, 5, 7}, blocked: []uint16{5}, sent: []uint16{6, 7}, left: []uint16{5, 5}},
		"nothing":                        {},
	} {
		t.Run(name, func(t *testing.T) {
			b := lanesBank(t, LanesMax, 2)
			for k, port := range c.queue {
				require.NotNil(t, b.Send(1, port, KindControl, uint32(100+k), 8))
			}
			var sent []uint16
			require.Nil(t, b.SendAll(1, func(f FrameView) bool {
				for _, port := range c.blocked {
					if f.Port() == port {
						return false
					}
				}
				require.Equal(t, c.queue[f.Destination()-100], f.Port())
				sent = append(sent, f.Port())
				return true
			}))
			require.Equal(t, c.sent, sent)
			require.EqualValues(t, len(c.left), b.Registers[1].TxCount)
			last := uint32(0)
			for place, port := range c.left {
				f := b.frame(1, &b.tx, place)
				require.Equal(t, port, f.Port())
				require.Greater(t, f.Destination(), last)
				last = f.Destination()
			}
			for _, port := range sent {
				if port != all {
					require.EqualValues(t, TxSent, b.TxStatus[int(port)*3+1])
				}
			}
			b.ForgetTx(0, 3)
			require.Equal(t, make([]uint8, 3*LanesMax), b.TxStatus)
		})
	}
	t.Run("illegal", func(t *testing.T) {
		b := lanesBank(t, 2, 1)
		b.Send(0, 2, KindData, 0, 0)
		require.NotNil(t, b.SendAll(0, func(FrameView) bool { panic("sent") }))
		b.Registers[1].TxCount = 255
		require.NotNil(t, b.SendAll(1, func(FrameView) bool { return false }))
	})
}

// TestReceiveAll: each port has its own part of the RX FIFO and its own status.
func TestReceiveAll(t *testing.T) {
	b := lanesBank(t, LanesMax, 3)
	frame := make(FrameView, FrameStride(8))
	for k := range 4 {
		for port := range uint16(LanesMax) {
			binary.LittleEndian.PutUint32(frame[offFrameDestination:], uint32(k))
			want := StatusOK
			if k == 3 {
				want = StatusOverflow
			}
			require.Equal(t, want, b.PushRx(2, port, frame))
			require.EqualValues(t, want, b.RxStatus[int(port)*3+2])
		}
	}
	require.EqualValues(t, 3*LanesMax, b.Registers[2].RxCount)
	require.EqualValues(t, 1, b.frame(2, &b.rx, LanesMax).Destination())
	require.True(t, b.Hears(0, 71, 5))
	b.SetListen(0, 0, 4)
	require.True(t, b.Hears(0, 4, 5))
	require.False(t, b.Hears(0, 5, 5))
	b.Silence(1)
	require.False(t, b.Hears(1, 0, 5))
}
