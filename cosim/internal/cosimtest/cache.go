// Package cosimtest is for tests of the packages of cosim that build RTL.
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

// Main runs the tests of a package and returns their exit status. It provides a temporary cache for builds that are
// not reused, and stores the path of the cache in dir. The cache begins with Verilator's library (see Library).
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
		// otherwise the library is compiled; a hard link would need the same file system
		_ = os.Symlink(path, filepath.Join(*dir, filepath.Base(path)))
	}
	return m.Run()
}

// Build builds a source. It is verilator.Build, which this package cannot import.
type Build[C any] func(context.Context, cosim.Source, cosim.BuildOptions) (C, error)

// Library compiles Verilator's library into the user's cache once for all packages tested at the same time, by
// building a small twin there under a lock. If the build fails because a tool is missing, the tests report the error.
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
