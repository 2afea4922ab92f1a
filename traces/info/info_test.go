package info

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/internal/tracetest"
	"starloom/traces/pcapng"
)

func infoText(t *testing.T, path string, o Options) string {
	t.Helper()
	info, err := Read(path, o)
	require.NoError(t, err)
	info.File = filepath.Base(path)
	var text strings.Builder
	require.NoError(t, (&Report{Schema: Schema, Files: []File{*info}}).WriteText(&text))
	return text.String()
}

func TestVCD(t *testing.T) {
	require.Equal(t, `icarus.vcd
  kind         VCD
  written by   Icarus Verilog
  timescale    1 ps
  signals      19 in 3 scopes, 16 nets of 89 bits
  time         0 ps to 982 ns, 1258 changes at 195 times
  most active  tb.clk  191 changes
               tb.lfsr  97 changes
  x or z       8 signals after the first time: tb.grant (until 5 ns), tb.count (until 5 ns), tb.busy (until 5 ns), tb.u_dut.count_q (until 5 ns), tb.u_dut.grant_q (until 5 ns), ...
  signal       tb.u_dut.count_q[7:0]  reg, 8 bits
`, infoText(t, filepath.Join("..", "vcd", "testdata", "icarus.vcd"), Options{Top: 2, Signals: []string{"**.count_*"}}))

	path := filepath.Join(t.TempDir(), "t.vcd")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o666)) }
	write(tracetest.Header("wire 1 ! never", "wire 1 # bad", "wire 1 $ late", "wire 1 % fine", "event 1 & e") + "#3\n0#\n0%\n#5\n1$\nx#\n#9\n1%")
	require.Equal(t, `t.vcd
  kind         VCD, ends within a line, which is ignored
  timescale    1 ns
  signals      5 in 1 scope, 5 nets of 4 bits
  time         3 ns to 9 ns, 4 changes at 3 times
  most active  t.bad  2 changes
  never known  1 signal: t.never
  x or z       2 signals after the first time: t.bad (to the end), t.late (until 5 ns)
`, infoText(t, path, Options{Top: 1}))
	write(tracetest.Header("wire 1 ! a"))
	require.Contains(t, infoText(t, path, Options{}), "no value is written")
	write(tracetest.Header("wire 1 ! a") + "#1\n?\n\n")
	_, err := Read(path, Options{})
	require.ErrorContains(t, err, `t.vcd:3: found "?"`)
	_, err = Read(path, Options{Interrupted: func() error { return errors.New("stop") }})
	require.EqualError(t, err, "stop")
	_, err = Read("none", Options{})
	require.EqualError(t, err, "none: cannot be read: no such file or directory; give the path of a VCD, an FST or a packet capture, or - for standard input")
}

func smallCapture(t *testing.T) []byte {
	var b bytes.Buffer
	p, err := pcapng.NewWriter(&b, "scenario s\nseed 1")
	require.NoError(t, err)
	for i := range 3 {
		id, err := p.Interface(fmt.Sprintf("pops.port[%d]", i%2))
		require.NoError(t, err)
		require.NoError(t, p.Packet(id, &pcapng.Header{Cycle: uint64(7 + i)}, []byte("frame")))
		require.NoError(t,
			p.Packet(id, &pcapng.Header{Direction: pcapng.Received, Status: uint8(1 + i), Cycle: uint64(9 + i)}, nil))
	}
	require.NoError(t, p.Close())
	return b.Bytes()
}

func TestCapture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.pcapng")
	data := smallCapture(t)
	require.NoError(t, os.WriteFile(path, data, 0o666))
	require.Equal(t, `t.pcapng
  kind        pcapng
  written by  Starloom
  comment     scenario s
              seed 1
  packets     6
  time        0.000000007 s to 0.000000011 s
  cycles      7 to 11
  direction   sent  3
              received  3
  received    ok  1
              collision  1
              status 3  1
  interfaces  2
              pops.port[0]  2 sent, 2 received
              pops.port[1]  1 sent, 1 received
`, infoText(t, path, Options{StatusNames: []string{"idle", "ok", "collision"}}))
	info, err := Read(path, Options{})
	require.NoError(t, err)
	require.EqualValues(t, len(data), info.PCAPNG.Bytes)

	// Damaged files give an error with a place, or figures; never a panic.
	for length := 4; length < len(data); length++ {
		require.NoError(t, os.WriteFile(path, data[:length], 0o666))
		if _, err := Read(path, Options{}); err != nil {
			require.ErrorContains(t, err, "t.pcapng: byte ")
		}
	}
	for i := 4; i < len(data); i++ {
		broken := bytes.Clone(data)
		broken[i] ^= 0xFF
		require.NoError(t, os.WriteFile(path, broken, 0o666))
		if _, err := Read(path, Options{}); err != nil {
			require.ErrorContains(t, err, "t.pcapng: byte ")
		}
	}
}
