package twin_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"starloom/cosim/internal/cosimtest"
	"starloom/cosim/verilator"
)

var full = flag.Bool("full", false, "run the long tests")

// TestMain changes to the folder of rtl/: the key of a build has file names, and those of the committed builds are
// rtl/NAME.v.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cosimtest.Library(verilator.Build)
	os.Exit(m.Run())
}
