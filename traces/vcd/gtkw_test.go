package vcd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/traces/internal/tracetest"
)

func smallSignals(t *testing.T) []Signal {
	v, err := NewWriter(io.Discard, Options{})
	require.NoError(t, err)
	declareSmall(t, v)
	return v.Signals()
}

func TestGTKWGolden(t *testing.T) {
	var b bytes.Buffer
	signals := smallSignals(t)
	signals[3].Form.Decimal = true
	save := SaveFile{Path: "/out/small.gtkw", VCD: "/out/small.vcd", Signals: signals}
	require.NoError(t, save.Write(&b))
	tracetest.Golden(t, "small.gtkw", b.Bytes())
}

// Every line has a form that GTKWave's reader accepts, every group that begins also ends, flags hold until changed,
// and every listed name is a variable of the VCD with its range.
func TestGTKWIsWellFormed(t *testing.T) {
	var signals []Signal
	for i := range 3000 {
		path := fmt.Sprintf("ej.node[%d].link[%d].%ss%d", i/100, i%6, []string{"", "out.fibre."}[i%2], i)
		switch i % 3 {
		case 0:
			signals = append(signals, Signal{Path: path, Bits: 1})
		case 1:
			signals = append(signals, Signal{Path: path, Bits: 2 + i%63})
		default:
			signals = append(signals, Signal{Path: path, States: []string{"a"}})
		}
	}
	declared := map[string]bool{}
	for _, s := range signals {
		name := s.Path
		if s.Bits > 1 {
			name = fmt.Sprintf("%s[%d:0]", name, s.Bits-1)
		}
		declared[name] = true
	}
	var b bytes.Buffer
	save := SaveFile{Path: "x.gtkw", VCD: "x.vcd", Signals: signals}
	require.NoError(t, save.Write(&b))
	directive := regexp.MustCompile(`^(\[\*\].*|\[(dumpfile|savefile)\] "x\.(vcd|gtkw)"|\[(timestart|sst_width|signals_width|sst_expanded|sst_vpaned_height|pattern_trace)\] \d+|\[(size|pos)\] -?\d+ -?\d+|\[treeopen\] ej\.|\*-4\.000000( -1){27})$`)
	var open string
	flags, listed := uint32(0), 0
	for _, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		switch line[0] {
		case '@':
			_, err := fmt.Sscanf(line, "@%x", &flags)
			require.NoError(t, err)
		case '-':
			if flags&gtkwGroupBegin != 0 {
				require.Empty(t, open)
				open = line
			} else {
				require.NotZero(t, flags&gtkwGroupEnd)
				require.Equal(t, open, line)
				open = ""
			}
		case '[', '*':
			require.Regexp(t, directive, line)
		default:
			alias, name, ok := strings.Cut(line, " ")
			if !ok {
				alias, name = "", line
			}
			require.True(t, declared[name], "%s", line)
			require.True(t, strings.HasPrefix(name, open[1:]+"."))
			if short, _, _ := strings.Cut(strings.TrimPrefix(name, open[1:]+"."), "["); alias != "" || strings.Contains(short, ".") {
				require.Equal(t, "+"+strings.ReplaceAll(short, ".", "/"), alias)
			}
			require.Zero(t, flags&gtkwBlank)
			listed++
		}
	}
	require.Empty(t, open)
	assert.Equal(t, gtkwSignalsMax, listed)
	assert.Contains(t, b.String(), "@c00200\n-ej.", "closed groups have GTKWave's flags")
	assert.Contains(t, b.String(), "@1401200\n-ej.")
	assert.Contains(t, b.String(), "the first 2048 of 3000 signals")
}

func TestGTKWWriteError(t *testing.T) {
	full := errors.New("disk full")
	assert.ErrorIs(t, (&SaveFile{Path: "a", VCD: "b", Signals: smallSignals(t)}).Write(tracetest.FailingWriter{Err: full}), full)
}

// TestSaveFileFirst: First comes first, with markers, decimal numbers, and names of bits.
func TestSaveFileFirst(t *testing.T) {
	signals := []Signal{{Path: "net.slot", Bits: 32, Form: Form{Decimal: true}}}
	for i := range 3000 {
		node := fmt.Sprintf("net.node[%d].", i)
		signals = append(signals, Signal{Path: node + "flags", Bits: 8, Form: Form{Flags: []string{"done", "faulty"}}, Changed: 2 + uint64(i%2)}, Signal{Path: node + "tx.busy", Bits: 1})
	}
	var b bytes.Buffer
	save := SaveFile{Path: "x.gtkw", VCD: "x.vcd", Signals: signals, First: []string{"net.slot", "net.node[2999]", "net.node[29]", "net.node[29].tx", "net.none"},
		Markers: []Marker{{89, "no_loss"}, {96, "finishes"}}}
	require.NoError(t, save.Write(&b))
	text := b.String()
	require.Contains(t, text, "[timestart] 73\n[size] 1400 800\n[pos] -1 -1\n*-4.000000 89 89 96"+strings.Repeat(" -1", 24)+"\n[markername] Ano_loss\n[markername] Bfinishes\n")
	first := func(node string, changes bool) string {
		done := ""
		if changes {
			done = "+done (7)" + node + ".flags[7:0]\n"
		}
		return "@800200\n-" + node + "\n@800022\n" + node + ".flags[7:0]\n@28\n" + done + "+faulty (6)" + node + ".flags[7:0]\n@1001200\n-group_end\n@28\n+tx/busy " + node +
			".tx.busy\n@1000200\n-" + node + "\n"
	}
	require.Contains(t, text, "@800200\n-net\n@24\nnet.slot[31:0]\n@1000200\n-net\n"+first("net.node[2999]", true)+first("net.node[29]", true)+first("net.node[0]", false))
	require.Equal(t, 1, strings.Count(text, "\nnet.node[29].flags[7:0]"))
	require.Contains(t, text, "@c00022\nnet.node[9].flags[7:0]\n@28\n", "flags of closed groups are closed")

	b.Reset()
	save.Markers = nil
	for cycle := range uint64(30) {
		save.Markers = append(save.Markers, Marker{cycle, "r"})
	}
	require.NoError(t, save.Write(&b))
	require.Contains(t, b.String(), "[timestart] 0\n")
	require.Contains(t, b.String(), "*-4.000000 0 0 1 2 ")
	require.Contains(t, b.String(), " 24 25\n[markername] Ar\n", "there are 26 names")
	require.Contains(t, b.String(), "[markername] Zr\n[treeopen]")
}

// TestChangedFlags: of flags, only bits that change within the file count as changed, also in the window of a trigger.
func TestChangedFlags(t *testing.T) {
	for _, o := range []Options{{From: 2}, {OnTrigger: true, Before: 2, After: 4, SlackCycles: 1}} {
		v, err := NewWriter(io.Discard, o)
		require.NoError(t, err)
		id, err := v.Declare("net.nic[0].flags", 8)
		require.NoError(t, err)
		plain, err := v.Declare("net.nic[0].held", 8)
		require.NoError(t, err)
		v.Show(id, Form{Flags: []string{"a", "b", "c", "d"}})
		require.NoError(t, v.Begin())
		for cycle, flags := range []uint64{0, 1, 1, 3, 3, 1, 9} {
			require.NoError(t, v.Cycle(uint64(cycle)))
			v.Set(id, flags)
			v.Set(plain, uint64(cycle))
			if o.OnTrigger && cycle == 3 {
				require.NoError(t, v.Trigger(3))
			}
		}
		require.NoError(t, v.Close(7))
		require.EqualValues(t, 2+8, v.Signals()[id].Changed, "bit 0 changed before the file begins")
		require.Zero(t, v.Signals()[plain].Changed)
	}
}

// TestGTKWSigned checks the flag of signed decimals, TR_SIGNED of GTKWave's source.
func TestGTKWSigned(t *testing.T) {
	var b bytes.Buffer
	save := SaveFile{Path: "x.gtkw", VCD: "x.vcd", Signals: []Signal{{Path: "a.b", Bits: 8, Form: Form{Signed: true}}}}
	require.NoError(t, save.Write(&b))
	require.Contains(t, b.String(), "\n@420\na.b[7:0]\n")
}
