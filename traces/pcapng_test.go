package traces

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// capture writes a few packets over ports that are declared in another order than
// they are used.
func capture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	p, err := NewPCAPNG(&b, "seed 1")
	require.NoError(t, err)
	port := func(path string) InterfaceID {
		id, err := p.Interface(path)
		require.NoError(t, err)
		return id
	}
	first, unused, second := port("pops.processor[0].port[0]"), port("pops.processor[1].port[0]"), port("pops.processor[2].port[0]")
	require.Equal(t, first, port("pops.processor[0].port[0]"))
	require.NotEqual(t, first, unused)
	require.NoError(t, p.Packet(second, Sent, 0, 0, 3, []byte("frame")))
	require.NoError(t, p.Packet(first, Received, 1, 0, 7, []byte("frame")))
	require.NoError(t, p.Packet(second, Received, 2, 1, 1_000_000_000_007, nil))
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	return b.Bytes()
}

func TestPCAPNGRoundTrip(t *testing.T) {
	got, err := ReadPCAPNG(capture(t))
	require.NoError(t, err)
	header := func(direction Direction, status uint8, slot uint32, cycle uint64, frame string) PseudoHeader {
		b := make([]byte, PseudoHeaderBytes)
		PutPseudoHeader(b, direction, status, slot, cycle)
		return append(b, frame...)
	}
	assert.Equal(t, &Capture{Comment: "seed 1", Packets: []CapturedPacket{
		{"pops.processor[2].port[0]", header(Sent, 0, 0, 3, "frame")},
		{"pops.processor[0].port[0]", header(Received, 1, 0, 7, "frame")},
		{"pops.processor[2].port[0]", header(Received, 2, 1, 1_000_000_000_007, "")},
	}}, got)
}

// The bytes are a function of the calls: nothing of the machine gets in.
func TestPCAPNGIsTheSameEverywhere(t *testing.T) {
	data := capture(t)
	assert.Equal(t, data, capture(t))
	requireGolden(t, "small.pcapng", data)
	host, err := os.Hostname()
	require.NoError(t, err)
	for _, word := range []string{runtime.GOOS, runtime.GOARCH, host, "gopacket", "pops.processor[1]"} {
		assert.False(t, bytes.Contains(data, []byte(word)), word)
	}
}

func TestPCAPNGWithRealTools(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.pcapng")
	require.NoError(t, os.WriteFile(path, capture(t), 0o666))
	fields, _ := runTool(t, "tshark", "-r", path, "-T", "fields",
		"-e", "frame.interface_name", "-e", "frame.interface_id", "-e", "frame.time_epoch", "-e", "frame.len")
	assert.Equal(t, "pops.processor[2].port[0]\t0\t0.000000003\t21\n"+
		"pops.processor[0].port[0]\t1\t0.000000007\t21\n"+
		"pops.processor[2].port[0]\t0\t1000.000000007\t16\n", fields)
	info, _ := runTool(t, "capinfos", path)
	for _, want := range []string{"Capture application: Starloom", "Capture comment:     seed 1", "Number of packets:   3", "USER 0", "Number of interfaces in file: 2"} {
		assert.Contains(t, info, want)
	}
}

func TestPCAPNGWithoutPackets(t *testing.T) {
	var b bytes.Buffer
	p, err := NewPCAPNG(&b, "seed 1")
	require.NoError(t, err)
	_, err = p.Interface("unused")
	require.NoError(t, err)
	require.NoError(t, p.Close())
	got, err := ReadPCAPNG(b.Bytes())
	require.NoError(t, err)
	assert.Equal(t, &Capture{Comment: "seed 1", Packets: []CapturedPacket{}}, got)
	path := filepath.Join(t.TempDir(), "empty.pcapng")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	fields, _ := runTool(t, "tshark", "-r", path)
	assert.Empty(t, fields)
}

func TestPCAPNGErrorsStay(t *testing.T) {
	begin := func(w io.Writer) (*PCAPNG, InterfaceID) {
		p, err := NewPCAPNG(w, "")
		require.NoError(t, err)
		id, err := p.Interface("port")
		require.NoError(t, err)
		return p, id
	}
	p, id := begin(io.Discard)
	err := p.Packet(id, Sent, 0, 0, math.MaxInt64+1, nil)
	assert.ErrorContains(t, err, "port")
	assert.Equal(t, err, p.Packet(id, Sent, 0, 0, 1, nil))
	assert.Equal(t, err, p.Close())
	p, id = begin(io.Discard)
	assert.ErrorContains(t, p.Packet(id, Sent, 0, 0, 9, make([]byte, CaptureFrameBytesMax+1)), "cycle 9: port: a frame of 65536 bytes")
	p, id = begin(io.Discard)
	require.NoError(t, p.Close())
	assert.ErrorContains(t, p.Packet(id, Sent, 0, 0, 9, nil), "after Close")
	full := errors.New("disk full")
	p, _ = begin(failingWriter{full})
	assert.ErrorIs(t, p.Close(), full)
	p, id = begin(failingWriter{full})
	require.NoError(t, p.Packet(id, Sent, 0, 0, 9, nil), "it is in the buffer")
	assert.ErrorIs(t, p.Close(), full)
	for _, path := range []string{"", "a b", "caf\u00e9", strings.Repeat("x", interfaceNameMax+1)} {
		_, err := p.Interface(path)
		assert.Error(t, err)
	}
	_, err = NewPCAPNG(io.Discard, strings.Repeat("x", 65536))
	assert.Error(t, err)
}

func TestPCAPNGAllocatesNothingPerPacket(t *testing.T) {
	p, err := NewPCAPNG(io.Discard, "")
	require.NoError(t, err)
	id, err := p.Interface("port")
	require.NoError(t, err)
	frame := make([]byte, 1040)
	cycle := uint64(0)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		cycle++
		if err := p.Packet(id, Received, 1, 2, cycle, frame); err != nil {
			panic(err)
		}
	}))
}

// A damaged file gives an error or what it still says, never a panic and never
// more memory than its length suggests.
func TestReadPCAPNGSurvivesEveryDamage(t *testing.T) {
	data := capture(t)
	for n := range data {
		if got, err := ReadPCAPNG(data[:n]); err == nil {
			require.Less(t, len(got.Packets), 3, "cut after byte %d", n)
		}
		for _, flip := range []byte{1, 0x80, 0xFF} {
			bad := bytes.Clone(data)
			bad[n] ^= flip
			_, _ = ReadPCAPNG(bad)
		}
	}
	// The length that made gopacket's reader reserve 2 GB.
	bad := bytes.Clone(data)
	binary.LittleEndian.PutUint32(bad[4:], 0x7FFFFFFC)
	_, err := ReadPCAPNG(bad)
	assert.ErrorContains(t, err, "a block of 2147483644 bytes")
}

func FuzzReadPCAPNG(f *testing.F) {
	f.Add(capture(f))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadPCAPNG(data)
		if err == nil && len(c.Packets) > len(data)/32 {
			t.Fatalf("%d packets in %d bytes", len(c.Packets), len(data))
		}
	})
}

func TestPseudoHeaderFieldsCoverTheHeader(t *testing.T) {
	at := 0
	for _, field := range PseudoHeaderFields {
		assert.Equal(t, at, field.Offset, field.Name)
		at += field.Bits
	}
	assert.Equal(t, 8*PseudoHeaderBytes, at)
}

func TestParsePseudoHeader(t *testing.T) {
	b := make([]byte, PseudoHeaderBytes+3)
	PutPseudoHeader(b, Received, 3, 0x01020304, 0x05060708090A0B0C)
	p, err := ParsePseudoHeader(b)
	require.NoError(t, err)
	assert.Equal(t, "received", p.Direction().String())
	assert.EqualValues(t, PseudoHeaderVersion, p.Version())
	assert.EqualValues(t, 3, p.Status())
	assert.EqualValues(t, 0x01020304, p.Slot())
	assert.EqualValues(t, 0x05060708090A0B0C, p.Cycle())
	assert.Len(t, p.Frame(), 3)
	assert.Equal(t, "direction(7)", Direction(7).String())
	for i, value := range map[int]byte{offsetVersion: 2, offsetDirection: 2, offsetReserved: 1} {
		bad := bytes.Clone(b)
		bad[i] = value
		_, err := ParsePseudoHeader(bad)
		assert.Error(t, err)
	}
	_, err = ParsePseudoHeader(b[:PseudoHeaderBytes-1])
	assert.Error(t, err)
}
