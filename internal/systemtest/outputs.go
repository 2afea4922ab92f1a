package systemtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/nic"
	"starloom/traces/pcapng"
	"starloom/traces/pcapng/pcapngtest"
)

// WaveformOf runs a scenario with a waveform and returns its text.
func WaveformOf(t *testing.T, s *starloom.Scenario) string {
	path := filepath.Join(t.TempDir(), "run.vcd")
	_, err := starloom.Run(context.Background(), s,
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(path)}})
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// Packet holds the properties of a packet in which two captures must agree.
type Packet struct {
	Direction pcapng.Direction
	Status    nic.Status
	Port      uint16
	Slot      uint32
	Cycle     uint64
	Bytes     string
}

// PacketsOf returns the packets of a capture by interface, in order.
func PacketsOf(t *testing.T, data []byte) map[string][]Packet {
	capture, err := pcapngtest.Read(data)
	require.NoError(t, err)
	all := map[string][]Packet{}
	for _, p := range capture.Packets {
		h := p.PseudoHeader
		all[p.Interface] = append(all[p.Interface],
			Packet{h.Direction(), nic.Status(h.Status()), h.Port(), h.Slot(), h.Cycle(), string(h.Frame())})
	}
	return all
}
