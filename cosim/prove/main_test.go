package prove

import (
	"flag"
	"os"
	"testing"

	"starloom/cosim/internal/cosimtest"
	"starloom/cosim/verilator"
)

var full = flag.Bool("full", false, "run the long tests")

var testCache string

func TestMain(m *testing.M) { os.Exit(cosimtest.Main(m, &testCache, verilator.Build)) }
