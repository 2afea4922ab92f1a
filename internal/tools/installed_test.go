package tools

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

var record = flag.Bool("record", false, "note in ran.tsv the versions that are here: the other tests have passed with them")

// TestRans checks that every program has tested versions, oldest first, including the one installed here.
func TestRans(t *testing.T) {
	if *record {
		release, err := os.ReadFile("/etc/os-release")
		require.NoError(t, err)
		name := regexp.MustCompile(`(?m)^VERSION_CODENAME=(\w+)`).FindSubmatch(release)
		require.NotNil(t, name)
		rans := slices.DeleteFunc(Rans(), func(r Ran) bool { return r.Release == string(name[1]) })
		for _, p := range Programs {
			found, err := p.Found(t.Context())
			require.NoError(t, err)
			require.NotEmpty(t, found, p.Command)
			if found != "?" {
				rans = append(rans, Ran{string(name[1]), time.Now().Format(time.DateOnly), p.Command, found})
			}
		}
		text := ""
		for _, r := range rans {
			text += fmt.Sprintf("%s\t%s\t%s\t%s\n", r.Release, r.Date, r.Command, r.Version)
		}
		require.NoError(t, os.WriteFile("ran.tsv", []byte(text), 0o644))
		return
	}
	for _, p := range Programs {
		require.Equal(t, p.VersionOption == "", p.runWith() == "-", p.Command)
	}
	for _, r := range Rans() {
		require.NotEmpty(t, cosim.ToolVersion{Text: r.Version}.Number(), r)
		_, err := time.Parse(time.DateOnly, r.Date)
		require.NoError(t, err)
	}
}

// TestInstalled hides a program: it is listed as missing with its packages. A present one has its version.
func TestInstalled(t *testing.T) {
	bin := t.TempDir()
	for _, present := range []string{"iverilog", "yosys"} {
		path, err := exec.LookPath(present)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(bin, present)))
	}
	t.Setenv("PATH", bin)
	var b bytes.Buffer
	require.NoError(t, WriteInstalled(t.Context(), &b))
	require.Contains(t, b.String(), "missing: verilator, for RTL, proofs; Debian and Ubuntu: verilator, Fedora: verilator, Homebrew: verilator\n")
	require.NotContains(t, b.String(), "missing: yosys")
	require.Regexp(t, `(?m)^yosys +\d+\.\d+ +0\.23 to \d`, b.String())
	require.Equal(t, 1, strings.Count(b.String(), "missing: ghdl"))
}

func TestVersions(t *testing.T) {
	v := cosim.ToolVersion{Text: "Verilator 5.032 2025-01-01 rev (Debian 5.032-1+b2)"}
	require.Equal(t, []int{5, 32}, v.Number())
	require.True(t, v.Since(5, 6))
	require.True(t, v.Since(5, 32))
	require.False(t, v.Since(5, 33))
	require.False(t, v.Since(6))
}
