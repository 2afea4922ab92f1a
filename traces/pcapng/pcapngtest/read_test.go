package pcapngtest

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/traces/internal/tracetest"
	"starloom/traces/pcapng"
)

func capture(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "small.pcapng"))
	require.NoError(t, err)
	return data
}

func TestReadWhatWasWritten(t *testing.T) {
	got, err := Read(capture(t))
	require.NoError(t, err)
	header := func(h pcapng.Header, frame string) pcapng.PseudoHeader {
		b := make([]byte, pcapng.PseudoHeaderBytes)
		pcapng.PutPseudoHeader(b, &h)
		return append(b, frame...)
	}
	assert.Equal(t, &Capture{Comment: "seed 1", Packets: []Packet{
		{"pops.processor[2].port[0]", header(pcapng.Header{Port: 5, Cycle: 3}, "frame")},
		{"pops.processor[0].port[0]", header(pcapng.Header{Direction: pcapng.Received, Status: 1, Cycle: 7}, "frame")},
		{"pops.processor[2].port[0]", header(pcapng.Header{Direction: pcapng.Received, Status: 2, Port: pcapng.PortNone, Slot: 1, Cycle: 1_000_000_000_007}, "")},
	}}, got)
}

func TestReadACaptureWithoutPackets(t *testing.T) {
	var b bytes.Buffer
	p, err := pcapng.NewWriter(&b, "seed 1")
	require.NoError(t, err)
	_, err = p.Interface("unused")
	require.NoError(t, err)
	require.NoError(t, p.Close())
	got, err := Read(b.Bytes())
	require.NoError(t, err)
	assert.Equal(t, &Capture{Comment: "seed 1", Packets: []Packet{}}, got)
	path := filepath.Join(t.TempDir(), "empty.pcapng")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	fields, _ := tracetest.Run(t, "tshark", "-r", path)
	assert.Empty(t, fields)
}

// A damaged file gives an error or its intact part, never a panic, and never more memory than its length suggests.
func TestReadSurvivesEveryDamage(t *testing.T) {
	data := capture(t)
	for n := range data {
		if got, err := Read(data[:n]); err == nil {
			require.Less(t, len(got.Packets), 3, "cut after byte %d", n)
		}
		for _, flip := range []byte{1, 0x80, 0xFF} {
			bad := bytes.Clone(data)
			bad[n] ^= flip
			_, _ = Read(bad)
		}
	}
	// The length that made gopacket's reader reserve 2 GB.
	bad := bytes.Clone(data)
	binary.LittleEndian.PutUint32(bad[4:], 0x7FFFFFFC)
	_, err := Read(bad)
	assert.ErrorContains(t, err, "a block of 2147483644 bytes")
}

func FuzzRead(f *testing.F) {
	f.Add(capture(f))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read(data)
		if err == nil && len(c.Packets) > len(data)/32 {
			t.Fatalf("%d packets in %d bytes", len(c.Packets), len(data))
		}
	})
}
