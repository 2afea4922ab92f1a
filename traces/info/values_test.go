package info

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/vcd"
)

const someValues = `$timescale 100 ps $end
$scope module top $end
$var wire 1 ! a $end
$var wire 8 " b $end
$var wire 1 ! same $end
$upscope $end
$enddefinitions $end
#0
0!
b1 "
#10
1!
#25
0!
bx0 "
#40
1!
`

func valuesOf(t *testing.T, o ValuesOptions) string {
	path := filepath.Join(t.TempDir(), "v.vcd")
	require.NoError(t, os.WriteFile(path, []byte(someValues), 0o666))
	var text strings.Builder
	require.NoError(t, Values(path, o, &text))
	return strings.ReplaceAll(text.String(), "\t", " ")
}

func nanoseconds(count uint64) *vcd.Duration {
	d, err := vcd.ParseDuration("1ns")
	if err != nil {
		panic(err)
	}
	d.Count = count
	return &d
}

func TestValues(t *testing.T) {
	require.Equal(t, "0 ps top.a 0\n0 ps top.same 0\n0 ps top.b 0x01\n1 ns top.a 1\n1 ns top.same 1\n2500 ps top.a 0\n2500 ps top.same 0\n"+
		"2500 ps top.b 0bxxxxxxx0\n4 ns top.a 1\n4 ns top.same 1\n", valuesOf(t, ValuesOptions{}))
	only := []string{"**.b", "top.a"}
	require.Equal(t, "2 ns top.a 1\n2 ns top.b 0x01\n2500 ps top.a 0\n2500 ps top.b 0bxxxxxxx0\n",
		valuesOf(t, ValuesOptions{Signals: only, From: nanoseconds(2), To: nanoseconds(3)}), "the values at the beginning, then changes")
	require.Equal(t, "1 ns top.a 1\n1 ns top.b 0x01\n", valuesOf(t, ValuesOptions{Signals: only, From: nanoseconds(1), To: nanoseconds(2)}), "a change at the beginning")
	require.Equal(t, "9 ns top.a 1\n", valuesOf(t, ValuesOptions{Signals: only[1:], From: nanoseconds(9)}), "after the last change")
	require.Equal(t, "0 ps top.a 0\n", valuesOf(t, ValuesOptions{Signals: only[1:], To: nanoseconds(0)}))
}

func TestValuesOfNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.vcd")
	require.NoError(t, os.WriteFile(path, []byte(someValues), 0o666))
	require.ErrorContains(t, Values(path, ValuesOptions{Signals: []string{"top.c"}}, nil), "no signal matches top.c; ")
	require.ErrorContains(t, Values(path+"x", ValuesOptions{}, nil), "no such file")
}

// Values before the first time stand at time 0, in the values and in the span of a file.
func TestValuesBeforeTheFirstTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.vcd")
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(someValues, "#0\n0!", "0!", 1)), 0o666))
	var text strings.Builder
	require.NoError(t, Values(path, ValuesOptions{Signals: []string{"top.b"}}, &text))
	require.Equal(t, "0 ps\ttop.b\t0x01\n2500 ps\ttop.b\t0bxxxxxxx0\n", text.String())
	f, err := Read(path, Options{})
	require.NoError(t, err)
	require.Equal(t, []any{"0 ps", uint64(4), uint64(6)}, []any{f.VCD.From, f.VCD.Times, f.VCD.Changes})
}
