package firmware

import (
	_ "embed"
	"strings"
)

//go:embed ABI.md
var abi string

const limitsHead = "| what | at most |\n|---|---|\n"

// Limits states how large an image may be, a line for each row of the table in ABI.md.
func Limits() []string {
	_, table, _ := strings.Cut(strings.ReplaceAll(abi, "`", ""), limitsHead)
	table, _, _ = strings.Cut(table, "\n\n")
	var lines []string
	for row := range strings.Lines(table) {
		lines = append(lines, strings.Replace(strings.Trim(row, "| \n"), " | ", ": ", 1))
	}
	return lines
}
