package favour

import (
	"testing"

	"starloom/fabric/fabrictest"
)

// TestGuide requires that the page contains the files of this folder, in pieces.
func TestGuide(t *testing.T) {
	fabrictest.RequireGuide(t, "../../../docs/how-to/add-an-arbiter.md", "favour.go", "favour_test.go")
	fabrictest.RequireBlocks(t, "../../../docs/how-to/add-an-arbiter.md", "verilog", "arbiter_favour.v")
}
