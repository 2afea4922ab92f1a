package record

import (
	"fmt"
	"strings"

	"starloom/internal/config"
)

// traceComments say what a trace is of, in printable ASCII and without the
// dollar signs that mean something in a VCD.
func traceComments(c *config.Config, seed uint64, further ...string) []string {
	lines := append([]string{"scenario " + c.Name, "scenario-sha256 " + c.Source.Hash(), fmt.Sprintf("seed %d", seed)}, further...)
	for i, line := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' || r == '$' {
				return '?'
			}
			return r
		}, line)
	}
	return lines
}
