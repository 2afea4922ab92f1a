package pcapng

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/internal/tracetest"
)

// section is a section of a capture in a byte order: two interfaces, the second with the given resolution and offset,
// and a packet of each with the given times.
func section(order binary.AppendByteOrder, resolution uint8, offset int64, times ...uint64) (data []byte) {
	block := func(kind uint32, body []byte) {
		length := uint32(12 + len(body))
		data = order.AppendUint32(order.AppendUint32(data, kind), length)
		data = order.AppendUint32(append(data, body...), length)
	}
	option := func(body []byte, code uint16, value []byte) []byte {
		body = append(order.AppendUint16(order.AppendUint16(body, code), uint16(len(value))), value...)
		return append(body, make([]byte, -len(value)&3)...)
	}
	head := order.AppendUint32(nil, sectionMagic)
	head = order.AppendUint16(order.AppendUint16(head, 1), 0)
	head = order.AppendUint64(head, 1<<64-1)
	block(uint32(BlockSection), option(option(head, optionUserAppl, []byte("tester")), 0, nil))
	plain := order.AppendUint32(order.AppendUint16(order.AppendUint16(nil, 147), 0), 0)
	block(uint32(BlockInterface), plain)
	other := option(bytes.Clone(plain), optionName, []byte("second"))
	other = option(option(other, optionResolution, []byte{resolution}), optionOffset,
		order.AppendUint64(nil, uint64(offset)))
	block(uint32(BlockInterface), option(other, 0, nil))
	for i, time := range times {
		packet := order.AppendUint32(order.AppendUint32(order.AppendUint32(nil, uint32(i)), uint32(time>>32)), uint32(time))
		packet = order.AppendUint32(order.AppendUint32(packet, 3), 3)
		block(uint32(BlockPacket), append(packet, 'a', 'b', byte('0'+i), 0))
	}
	return data
}

// TestReadsBothByteOrders: consecutive sections of either order have equal contents, and tshark agrees with the
// times.
func TestReadsBothByteOrders(t *testing.T) {
	little, big := section(binary.LittleEndian, 9, 0, 5, 1_000_000_007), section(binary.BigEndian, 9, 0, 5, 1_000_000_007)
	want := []string{
		"section tester", "interface 0  6 0", "interface 1 second 9 0", "packet 0 ab0 at 0.000005 s", "packet 1 ab1 at 1.000000007 s",
	}
	for name, data := range map[string][]byte{"little": little, "big": big} {
		require.Equal(t, want, blocksOf(t, data), name)
	}
	mixed := append(append(bytes.Clone(big), little...), big...)
	require.Equal(t, append(append(append([]string{}, want...), want...), want...), blocksOf(t, mixed))

	path := filepath.Join(t.TempDir(), "big.pcapng")
	require.NoError(t, os.WriteFile(path, big, 0o666))
	fields, _ := tracetest.Run(t, "tshark", "-r", path, "-T", "fields", "-e", "frame.time_epoch")
	require.Equal(t, "0.000005000\n1.000000007\n", fields)
}

func blocksOf(t *testing.T, data []byte) (found []string) {
	r := NewReader(bytes.NewReader(data), "t.pcapng")
	var clocks []Clock
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			require.EqualValues(t, len(data), r.Bytes())
			return found
		}
		require.NoError(t, err)
		switch b.Kind {
		case BlockSection:
			clocks = nil
			found = append(found, "section "+b.Application)
		case BlockInterface:
			clocks = append(clocks, b.Clock)
			found = append(found, fmt.Sprintf("interface %d %s %d %d", b.Interface, b.Name, b.Clock.Resolution, b.Clock.Offset))
		case BlockPacket:
			found = append(found, fmt.Sprintf("packet %d %s at %s", b.Interface, b.Data, clocks[b.Interface].Text(b.Time)))
		}
	}
}

// A time has as many digits as its resolution.
func TestClock(t *testing.T) {
	for _, c := range []struct {
		clock Clock
		count uint64
		want  string
	}{
		{Clock{}, 7, "7 s"},
		{Clock{Resolution: 3}, 7, "0.007 s"},
		{Clock{Resolution: 6}, 1<<64 - 1, "18446744073709.551615 s"},
		{Clock{Resolution: 9, Offset: 1_700_000_000}, 5, "1700000000.000000005 s"},
		{Clock{Resolution: 9, Offset: -1}, 5, "-0.999999995 s"},
		{Clock{Resolution: 0x80 | 10}, 1536, "1.5000 s"},
		{Clock{Resolution: 20}, 1, "0.00000000000000000001 s"},
	} {
		require.Equal(t, c.want, c.clock.Text(c.count))
	}
}

// A section with an invalid byte-order mark is refused, and so are blocks that do not fit their section's order.
func TestRefusesOrders(t *testing.T) {
	bad := section(binary.BigEndian, 9, 0)
	bad[8] = 0
	_, err := NewReader(bytes.NewReader(bad), "t.pcapng").Next()
	require.ErrorContains(t, err, "t.pcapng: byte 0: a section header without the byte-order magic")
	swapped := append(section(binary.BigEndian, 9, 0),
		section(binary.LittleEndian, 9, 0)[len(section(binary.LittleEndian, 9, 0))-20:]...)
	r := NewReader(bytes.NewReader(swapped), "t.pcapng")
	for err = nil; err == nil; _, err = r.Next() {
	}
	require.ErrorContains(t, err, "a block of ")
	_, err = NewReader(bytes.NewReader(bad[:10]), "t.pcapng").Next()
	require.ErrorContains(t, err, "the file ends within a block")
}

// TestReadsWhatWasWrittenAtTheBounds: frames of every padding and of the longest, times around 32 and 63 bits, the
// longest comment and path.
func TestReadsWhatWasWrittenAtTheBounds(t *testing.T) {
	comment, path := strings.Repeat("c", math.MaxUint16), strings.Repeat("p", interfaceNameMax)
	var data bytes.Buffer
	w, err := NewFrameWriter(&data, comment, LinkTypeRaw)
	require.NoError(t, err)
	id, err := w.Interface(path)
	require.NoError(t, err)
	want := []Block{
		{Kind: BlockSection, Application: application, Comment: comment},
		{Kind: BlockInterface, Name: path, Clock: Clock{Resolution: 9}},
	}
	for _, length := range []int{0, 1, 2, 3, 4, 5, FrameBytesMax} {
		for _, time := range []uint64{0, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64} {
			frame := bytes.Repeat([]byte{byte(length) | 1}, length)
			require.NoError(t, w.Frame(id, time, frame))
			want = append(want, Block{Kind: BlockPacket, Time: time, Data: frame})
		}
	}
	require.NoError(t, w.Close())
	r := NewReader(&data, "t.pcapng")
	for _, block := range want {
		got, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, block, got)
	}
	_, err = r.Next()
	require.ErrorIs(t, err, io.EOF)
}

// TestCutCapturesAreRefused: a file that ends within a block is an error, not an end, and a packet longer than its
// block is refused before memory is allocated for it.
func TestCutCapturesAreRefused(t *testing.T) {
	data := capture(t)
	all := func(data []byte) (ends []int64, r *Reader, err error) {
		for r = NewReader(bytes.NewReader(data), "t.pcapng"); err == nil; ends = append(ends, r.Bytes()) {
			_, err = r.Next()
		}
		return ends, r, err
	}
	ends, _, err := all(data)
	require.ErrorIs(t, err, io.EOF)
	for n := range data {
		if _, _, err := all(data[:n]); n > 0 && !slices.Contains(ends, int64(n)) {
			require.ErrorContains(t, err, "the file ends within a block", "%d bytes", n)
		}
	}
	last := int(ends[len(ends)-3]) // the last packet begins
	for _, length := range []uint32{17, 1 << 30, math.MaxUint32} {
		binary.LittleEndian.PutUint32(data[last+20:], length)
		_, r, err := all(data)
		require.ErrorContains(t, err, fmt.Sprintf("a packet of %d bytes", length))
		require.Less(t, cap(r.block), 4096)
	}
}
