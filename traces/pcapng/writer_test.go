package pcapng

import (
	"bytes"
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

	"starloom/traces/internal/tracetest"
)

// capture writes a few packets over ports declared in another order than they are used.
func capture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	p, err := NewWriter(&b, "seed 1")
	require.NoError(t, err)
	port := func(path string) InterfaceID {
		id, err := p.Interface(path)
		require.NoError(t, err)
		return id
	}
	first, unused, second := port("pops.processor[0].port[0]"), port("pops.processor[1].port[0]"), port("pops.processor[2].port[0]")
	require.Equal(t, first, port("pops.processor[0].port[0]"))
	require.NotEqual(t, first, unused)
	require.NoError(t, p.Packet(second, &Header{Direction: Sent, Port: 5, Cycle: 3}, []byte("frame")))
	require.NoError(t, p.Packet(first, &Header{Direction: Received, Status: 1, Cycle: 7}, []byte("frame")))
	require.NoError(t,
		p.Packet(second, &Header{Direction: Received, Status: 2, Port: PortNone, Slot: 1, Cycle: 1_000_000_000_007}, nil))
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	return b.Bytes()
}

// The bytes are a function of the calls, independent of the machine.
func TestIsTheSameEverywhere(t *testing.T) {
	data := capture(t)
	assert.Equal(t, data, capture(t))
	tracetest.Golden(t, "small.pcapng", data)
	host, err := os.Hostname()
	require.NoError(t, err)
	for _, word := range []string{runtime.GOOS, runtime.GOARCH, host, "gopacket", "pops.processor[1]"} {
		assert.False(t, bytes.Contains(data, []byte(word)), word)
	}
}

func TestWithRealTools(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.pcapng")
	require.NoError(t, os.WriteFile(path, capture(t), 0o666))
	fields, _ := tracetest.Run(t, "tshark", "-r", path, "-T", "fields",
		"-e", "frame.interface_name", "-e", "frame.interface_id", "-e", "frame.time_epoch", "-e", "frame.len")
	assert.Equal(t, "pops.processor[2].port[0]\t0\t0.000000003\t21\n"+
		"pops.processor[0].port[0]\t1\t0.000000007\t21\n"+
		"pops.processor[2].port[0]\t0\t1000.000000007\t16\n", fields)
	info, _ := tracetest.Run(t, "capinfos", path)
	for _, want := range []string{"Capture application: Starloom", "Capture comment:     seed 1", "Number of packets:   3", "USER 0", "Number of interfaces in file: 2"} {
		assert.Contains(t, info, want)
	}
}

func TestErrorsStay(t *testing.T) {
	begin := func(w io.Writer) (*Writer, InterfaceID) {
		p, err := NewWriter(w, "")
		require.NoError(t, err)
		id, err := p.Interface("port")
		require.NoError(t, err)
		return p, id
	}
	p, id := begin(io.Discard)
	err := p.Packet(id, &Header{Cycle: math.MaxInt64 + 1}, nil)
	assert.ErrorContains(t, err, "port")
	assert.Equal(t, err, p.Packet(id, &Header{Cycle: 1}, nil))
	assert.Equal(t, err, p.Close())
	p, id = begin(io.Discard)
	assert.ErrorContains(t, p.Packet(id, &Header{Cycle: 9}, make([]byte, FrameBytesMax+1)), "cycle 9: port: a frame of 65536 bytes")
	p, id = begin(io.Discard)
	assert.ErrorContains(t, p.Packet(id, &Header{Direction: Received, Status: 16, Cycle: 9}, nil), "cycle 9: port: "+
		"status 16; a capture supports 0 to 15")
	p, id = begin(io.Discard)
	require.NoError(t, p.Close())
	assert.ErrorContains(t, p.Packet(id, &Header{Cycle: 9}, nil), "after Close")
	full := errors.New("disk full")
	p, _ = begin(tracetest.FailingWriter{Err: full})
	assert.ErrorIs(t, p.Close(), full)
	p, id = begin(tracetest.FailingWriter{Err: full})
	require.NoError(t, p.Packet(id, &Header{Cycle: 9}, nil), "it is in the buffer")
	assert.ErrorIs(t, p.Close(), full)
	for _, path := range []string{"", "a b", "caf\u00e9", strings.Repeat("x", interfaceNameMax+1)} {
		_, err := p.Interface(path)
		assert.Error(t, err)
	}
	_, err = NewWriter(io.Discard, strings.Repeat("x", 65536))
	assert.Error(t, err)
}

func TestAllocatesNothingPerPacket(t *testing.T) {
	p, err := NewWriter(io.Discard, "")
	require.NoError(t, err)
	id, err := p.Interface("port")
	require.NoError(t, err)
	frame := make([]byte, 1040)
	cycle := uint64(0)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		cycle++
		if err := p.Packet(id, &Header{Direction: Received, Status: 1, Slot: 2, Cycle: cycle}, frame); err != nil {
			panic(err)
		}
	}))
}
