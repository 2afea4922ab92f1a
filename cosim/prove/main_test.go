package prove

import (
	"context"
	"flag"
	"os"
	"testing"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
	"starloom/cosim/verilator"
)

var full = flag.Bool("full", false, "run the long tests")

// testCache is one cache for all designs of a run.
var testCache string

func TestMain(m *testing.M) {
	os.Exit(cosimtest.Main(m, &testCache, func() error {
		_, err := verilator.Build(context.Background(), cosim.Source{Top: "lfsr", Files: []string{"../rtl/lfsr.v"}, Clocks: []string{"clock"}}, cosim.BuildOptions{})
		return err
	}))
}
