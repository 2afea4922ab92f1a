//go:build linux

package cosim

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// TestParametersOfText checks that plain text is quoted exactly where the source declares text.
func TestParametersOfText(t *testing.T) {
	file := write(t, "t.sv", "module t #(parameter FILE = \"a\", parameter string S = A, parameter N = 3) (input i); endmodule\n")
	s := Source{Top: "t", Files: []string{file}, Params: map[string]string{"FILE": "words.hex", "S": `a "b" \c`, "N": "8'shff"}}
	require.NoError(t, s.Check())
	require.Equal(t, map[string]string{"FILE": `"words.hex"`, "S": `"a \"b\" \\c"`, "N": "8'shff"}, s.Constants())
	for value, good := range map[string]bool{"-3": true, "1_000": true, "'hff": true, "1.5": true, "1e3": true, `"abc"`: true, "8hff": false, "abc": false, "4+3": false} {
		s.Params = map[string]string{"N": value}
		if err := s.Check(); good {
			require.NoError(t, err, value)
		} else {
			require.ErrorContains(t, err, "N is "+value+", which is not a Verilog constant", value)
		}
	}
}

// TestNumbersForText checks that a number is refused for a parameter that is text in every declaration, and accepted
// as bits for one without a type.
func TestNumbersForText(t *testing.T) {
	file := write(t, "t.sv", "module t #(parameter FILE = \"a\", parameter string S = \"b\", parameter M = \"c\") (input i); if (FILE == \"b\") ; endmodule\n"+
		"module u #(parameter M = 3); endmodule\n")
	for name, values := range map[string]map[string]bool{
		"FILE": {"3": false, `"3"`: true, "32'd3": true, "x": true}, "S": {"3": false, `"3"`: true, "32'd3": false, "x": true}, "M": {"3": true, "x": true},
	} {
		for value, good := range values {
			s := Source{Top: "t", Files: []string{file}, Params: map[string]string{name: value}}
			if err := s.Check(); good {
				require.NoError(t, err, name+value)
			} else {
				require.EqualError(t, err, fmt.Sprintf("--param: %s is the number %s, but the source declares %s as a text; "+
					"give a text, "+
					`one of digits with quotes in the value: '"%s"'`, name, value, name, value))
			}
		}
	}
}

// TestFindData checks that files are searched beside the map, then beside the source, never in the working folder.
func TestFindData(t *testing.T) {
	maps, sources := t.TempDir(), t.TempDir()
	t.Chdir(t.TempDir())
	put := func(path string) { require.NoError(t, os.WriteFile(path, nil, 0o644)) }
	put("here.hex")
	put(filepath.Join(sources, "both.hex"))
	put(filepath.Join(sources, "source.hex"))
	put(filepath.Join(maps, "both.hex"))
	s := Source{DataDir: maps}
	for name, folder := range map[string]string{"both.hex": maps, "source.hex": sources, "here.hex": ""} {
		path, err := s.FindData(name, filepath.Join(sources, "a.v"))
		if folder == "" {
			require.ErrorContains(t, err, "the folder of the pin map")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, filepath.Join(folder, name), path)
	}
	path, err := (&Source{}).FindData("here.hex", filepath.Join(sources, "a.v"))
	require.NoError(t, err, "without a map, as in all tools")
	require.Equal(t, "here.hex", path)
}

func TestUserCacheMustBeADirectory(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", write(t, "file", ""))
	_, err := OpenCache("")
	require.ErrorContains(t, err, "set XDG_CACHE_HOME")
	require.NotContains(t, err.Error(), "--cache")
}

// TestStopped checks that a killed tool is blamed unless its context has ended.
func TestStopped(t *testing.T) {
	var tool *ToolError
	killed := exec.Command("sh", "-c", "kill -9 $$").Run()
	require.ErrorAs(t, Stopped(context.Background(), "ghdl", "a.vhd: top", killed), &tool)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, Stopped(ctx, "ghdl", "a.vhd: top", killed), context.Canceled)
}

// This package has no long tests, but -full is passed to all packages of cosim.
var _ = flag.Bool("full", false, "run the long tests")
