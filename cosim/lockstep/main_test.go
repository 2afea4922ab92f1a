package lockstep

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var full = flag.Bool("full", false, "run the long tests")

// testCache is for designs that nobody will ask for again.
var testCache string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "starloom-lockstep-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testCache = dir
	takeRuntime()
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// takeRuntime links Verilator's library, which takes long to compile, from the user's
// cache to testCache, where it is there.
func takeRuntime() {
	user, err := os.UserCacheDir()
	if err != nil {
		return
	}
	objects, _ := filepath.Glob(filepath.Join(user, "starloom", "cosim", "runtime-*")) // no pattern error
	for _, path := range objects {
		_ = os.Link(path, filepath.Join(testCache, filepath.Base(path))) // else it is compiled
	}
}
