package cosimtest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Main runs the tests of a package with a cache of builds of its own, for designs that
// no one will ask for again, and returns their exit status. dir gets its path. The cache
// begins with Verilator's library, which build brings into the user's cache: see Library.
func Main(m *testing.M, dir *string, build func() error) int {
	var err error
	if *dir, err = os.MkdirTemp("", "starloom-cosim-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(*dir)
	Library(build)
	objects, _ := filepath.Glob(filepath.Join(userCache(), "runtime-*")) // the pattern is right
	for _, path := range objects {
		_ = os.Link(path, filepath.Join(*dir, filepath.Base(path))) // else it is compiled
	}
	return m.Run()
}

// Library has Verilator's library compiled into the user's cache once, and not once in
// each of the packages that are tested at the same time: build builds any design there,
// and no other process does so meanwhile. If it fails, for want of a tool, the tests say so.
func Library(build func() error) {
	defer lock(userCache())()
	_ = build()
}

// userCache is the directory that cosim.OpenCache takes by itself; "" if there is none.
func userCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "starloom", "cosim")
}
