package record

import (
	"fmt"
	"strings"

	"starloom/internal/emulator"
)

// traceComments say what a trace is of, in printable ASCII and without the
// dollar signs that mean something in a VCD.
func traceComments(m *emulator.Machine) []string {
	lines := []string{
		"scenario " + m.Config.Name,
		"scenario-sha256 " + m.Config.Source.Hash(),
		fmt.Sprintf("seed %d", m.Seed),
		"firmware " + m.Image.Name + " sha256 " + m.Image.SHA256,
	}
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
