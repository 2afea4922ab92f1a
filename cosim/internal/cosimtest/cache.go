// Package cosimtest is for tests of the packages of cosim that build RTL.
package cosimtest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Main runs the tests of a package with a cache of builds of its own, for designs that
// no one will ask for again, and returns their exit status. dir gets its path.
//
// Verilator's library takes long to compile. If the user's cache has it, it is linked.
func Main(m *testing.M, dir *string) int {
	var err error
	if *dir, err = os.MkdirTemp("", "starloom-cosim-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(*dir)
	if user, err := os.UserCacheDir(); err == nil {
		objects, _ := filepath.Glob(filepath.Join(user, "starloom", "cosim", "runtime-*")) // the pattern is right
		for _, path := range objects {
			_ = os.Link(path, filepath.Join(*dir, filepath.Base(path))) // else it is compiled
		}
	}
	return m.Run()
}
