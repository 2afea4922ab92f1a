package cosimtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"starloom/cosim"
)

// Main runs the tests of a package with a cache of builds of its own, for designs that
// no one will ask for again, and returns their exit status. dir gets its path. The cache
// begins with Verilator's library: see Library.
func Main[C any](m *testing.M, dir *string, build Build[C]) int {
	var err error
	if *dir, err = os.MkdirTemp("", "starloom-cosim-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(*dir)
	Library(build)
	objects, _ := filepath.Glob(filepath.Join(userCache(), "runtime-*")) // the pattern is right
	for _, path := range objects {
		_ = os.Symlink(path, filepath.Join(*dir, filepath.Base(path))) // else it is compiled; hard links end at a file system
	}
	return m.Run()
}

// A Build builds a source: verilator.Build, which stands above this package.
type Build[C any] func(context.Context, cosim.Source, cosim.BuildOptions) (C, error)

// Library has Verilator's library compiled into the user's cache once, and not once in
// each of the packages that are tested at the same time: it builds a small twin there,
// and no other process does so meanwhile. If that fails, for want of a tool, the tests say so.
func Library[C any](build Build[C]) {
	defer lock(userCache())()
	lfsr := filepath.Join("..", "rtl", "lfsr.v") // tests run in the folder of their package, all of which stand in cosim
	_, _ = build(context.Background(), cosim.Source{Top: "lfsr", Files: []string{lfsr}, Clocks: []string{"clock"}}, cosim.BuildOptions{})
}

// userCache is the directory that cosim.OpenCache takes by itself; "" if there is none.
func userCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "starloom", "cosim")
}
