package decode

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/input"
	"starloom/traces/internal/tracetest"
	"starloom/traces/vcd"
)

// phitsOf returns the phits of a VCD with their cycles, by the names of the lanes.
func phitsOf(t *testing.T, text string, o Options) (found map[string]map[uint64]Phit, r *Reader) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.vcd")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	r, err := Open(path, o)
	require.NoError(t, err)
	found = map[string]map[uint64]Phit{}
	require.NoError(t, r.Run(context.Background(), func(id LaneID, cycle uint64, p Phit) {
		if found[r.Names[id]] == nil {
			found[r.Names[id]] = map[uint64]Phit{}
		}
		found[r.Names[id]][cycle] = p
	}))
	require.NoError(t, r.Close())
	return found, r
}

// A phit is there in cycles with valid and ready, as registers see them at the clock's
// edge; an x on ready is not a phit and is counted.
func TestHandshakeAtClockEdges(t *testing.T) {
	text := tracetest.Header("wire 1 c clk", "wire 1 v a[1]_valid", "wire 4 d a[1]_data [3:0]", "wire 1 r a[1]_ready") +
		"#0\n0c\n0v\n1r\nb0 d\n#5\n1c\n1v\nb1010 d\n#10\n0c\n#15\n1c\nxr\n#20\n0c\n#25\n1c\n0v\n1r\n#30\n0c\n#35\n1c\n"
	found, r := phitsOf(t, text, Options{
		Sampling: vcd.Sampling{Clock: "t.clk"}, FirstCycle: 7, SlotCycles: 4,
		Lanes: []Lane{{Name: "lane $1", Data: "t.a[*]_data", Valid: "t.a[$1]_valid", Ready: "t.a[$1]_ready"}},
	})
	require.Equal(t, Phit{Bits: 4, Rail1: 0b1010, Rail0: 0b0101, Slot: 2}, found["lane 1"][8])
	require.True(t, found["lane 1"][9].Dark)
	require.EqualValues(t, 1, r.Unknown)
	require.EqualValues(t, 11, r.Cycles)
}

// Light is a phit in every cycle in which a rail is lit; the port is what it is then.
func TestLightInPeriods(t *testing.T) {
	text := tracetest.Header("wire 2 a rail1 [1:0]", "wire 2 b rail0 [1:0]", "wire 8 p port [7:0]") +
		"#0\nb0 a\nb0 b\nb0 p\n#2\nb10 a\nb1 b\nb11 p\n#4\nb0 a\nb0 b\n#5\n"
	found, r := phitsOf(t, text, Options{
		Sampling: vcd.Sampling{Period: vcd.Duration{Count: 1, Unit: vcd.Nanosecond}},
		Lanes:    []Lane{{Name: "${port}", Rail1: "t.rail1", Rail0: "t.rail0", Port: "t.port"}},
	})
	lit := Phit{Bits: 2, Rail1: 2, Rail0: 1, Port: 3}
	require.Equal(t, lit, found["${port}"][2])
	require.Equal(t, lit, found["${port}"][3], "where nothing changes, what is lit stays lit")
	require.True(t, found["${port}"][4].Dark)
	require.EqualValues(t, 5, r.Cycles)
	require.Equal(t, "port 3", PortName("port ${port}", 3))
}

// What is before the first time counts from time 0: a phit there, and the clock's level before its first edge.
func TestBeforeTheFirstTime(t *testing.T) {
	header := tracetest.Header("wire 1 c clk", "wire 1 v a_valid", "wire 4 d a_data [3:0]")
	text := header + "$dumpvars\n0c\n1v\nb1010 d\n$end\n#5\n1c\n0v\n#10\n0c\n#15\n1c\n"
	lane := []Lane{{Name: "a", Data: "t.a_data", Valid: "t.a_valid"}}
	phit := Phit{Bits: 4, Rail1: 0b1010, Rail0: 0b0101}
	found, _ := phitsOf(t, text, Options{Sampling: vcd.Sampling{Clock: "t.clk"}, Lanes: lane})
	require.Equal(t, phit, found["a"][0])
	require.True(t, found["a"][1].Dark)
	found, _ = phitsOf(t, text,
		Options{Sampling: vcd.Sampling{Period: vcd.Duration{Count: 1, Unit: vcd.Nanosecond}}, Lanes: lane})
	require.Len(t, found["a"], 6, "cycles 0 to 4, but the first one without")
	require.Equal(t, phit, found["a"][4])
}

func TestOpenRefusesLanesWithoutWires(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.vcd")
	require.NoError(t, os.WriteFile(path, []byte(tracetest.Header("wire 1 ! a")), 0o666))
	period := vcd.Sampling{Period: vcd.Duration{Count: 1, Unit: vcd.Nanosecond}}
	for _, o := range []Options{{}, {Sampling: period, Lanes: []Lane{{Place: "m:1", Data: "t.a"}}}, {Sampling: period, Slot: "t.b"}} {
		_, err := Open(path, o)
		var bad *input.Error
		require.ErrorAs(t, err, &bad)
		require.NotEmpty(t, bad.Remedy)
	}
}
