package favour

import (
	"testing"

	"starloom/fabric/fabrictest"
)

// TestGuide: the page is the files of this folder, cut into pieces.
func TestGuide(t *testing.T) {
	fabrictest.RequireGuide(t, "../../../docs/how-to/add-an-arbiter.md", "favour.go", "favour_test.go")
	fabrictest.RequireBlocks(t, "../../../docs/how-to/add-an-arbiter.md", "verilog", "arbiter_favour.v")
}
