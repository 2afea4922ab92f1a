// Package tracetest provides common parts of the tests of package traces and below: real tools, golden files, and
// helpers to write VCDs.
//
//	test --writes--> a.vcd --Run--> vcd2fst, tshark, ... --stdout--> Golden: testdata
package tracetest

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

var debianPackages = map[string]string{
	"vcd2fst": "gtkwave", "fst2vcd": "gtkwave",
	"tshark": "tshark", "capinfos": "wireshark-common",
	"iverilog": "iverilog", "vvp": "iverilog", "verilator": "verilator", "ghdl": "ghdl",
}

// Run runs an external tool and returns its output. A missing tool fails the test, because skipping would prove
// nothing.
func Run(t *testing.T, name string, arguments ...string) (stdout, stderr string) {
	t.Helper()
	return RunIn(t, "", name, arguments...)
}

// RunIn is Run in a folder.
func RunIn(t *testing.T, folder, name string, arguments ...string) (stdout, stderr string) {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err, "%s is not installed: apt-get install %s", name, debianPackages[name])
	command := exec.Command(path, arguments...)
	command.Dir = folder
	var out, errors bytes.Buffer
	command.Stdout, command.Stderr = &out, &errors
	require.NoError(t, command.Run(), "%s: %s%s", name, &out, &errors)
	return out.String(), errors.String()
}

// Golden compares got with a file in testdata, or rewrites the file with -update.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(path, got, 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update to make it")
	require.Equal(t, string(want), string(got))
}

// Header returns the header of a VCD with these variables in scope t.
func Header(vars ...string) string {
	text := "$timescale 1ns $end $scope module t $end "
	for _, v := range vars {
		text += "$var " + v + " $end "
	}
	return text + "$upscope $end $enddefinitions $end\n"
}

// FailingWriter is a writer that always fails with Err.
type FailingWriter struct{ Err error }

// Write returns Err.
func (w FailingWriter) Write([]byte) (int, error) { return 0, w.Err }

// Tries runs a real tool and reports whether it succeeds.
func Tries(t *testing.T, name string, arguments ...string) bool {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err, "%s is not installed: apt-get install %s", name, debianPackages[name])
	return exec.Command(path, arguments...).Run() == nil
}
