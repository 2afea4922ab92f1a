// Package cosimtest helps to test the packages of cosim that build RTL.
package cosimtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

// Main runs the tests of a package and returns their exit status. It provides a temporary cache, stores the path of
// the cache in dir, and links Verilator's library into the cache (see Library).
func Main[C any](m *testing.M, dir *string, build Build[C]) int {
	var err error
	if *dir, err = os.MkdirTemp("", "starloom-cosim-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(*dir)
	Library(build)
	objects, _ := filepath.Glob(filepath.Join(userCache(), "runtime-*")) // the pattern is valid
	for _, path := range objects {
		// without the link, tests compile the library; a hard link would need the same file system
		_ = os.Symlink(path, filepath.Join(*dir, filepath.Base(path)))
	}
	return m.Run()
}

// Build builds a source. It is verilator.Build, which this package cannot import.
type Build[C any] func(context.Context, cosim.Source, cosim.BuildOptions) (C, error)

// Library compiles Verilator's library into the user's cache by building a small twin there. A lock ensures that
// packages tested in parallel compile the library once. If the build fails because a tool is missing, the tests
// report the error.
func Library[C any](build Build[C]) {
	defer lock(userCache())()
	lfsr := filepath.Join("..", "rtl", "lfsr.v") // tests run in the folder of their package, within cosim
	_, _ = build(context.Background(), cosim.Source{Top: "lfsr", Files: []string{lfsr},
		Clocks: []string{"clock"}}, cosim.BuildOptions{})
}

func userCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "starloom", "cosim")
}

// Since reports whether an installed tool has the given version or a later one. Tests expect different results of
// different versions.
func Since(t testing.TB, command string, number ...int) bool {
	option := "--version"
	if command == "iverilog" {
		option = "-V"
	}
	version, err := cosim.Tool{Command: command, Packages: command, VersionOption: option}.Version(t.Context())
	require.NoError(t, err)
	return version.Since(number...)
}
