package gossip

import (
	"bufio"
	"io"
)

// WriteCSV writes the table as comma-separated values: one row per processor, one column
// per step, the symbols S3 R0 - ~ in the cells, no header.
func (t *Table) WriteCSV(w io.Writer) error {
	out := bufio.NewWriter(w)
	var text []byte
	for p := range t.rows {
		for run := range t.Row(p) {
			text = run.Cell.appendTo(append(text[:0], ','))
			first := 0
			if run.Column == 0 {
				first = 1
			}
			for range run.Length {
				_, _ = out.Write(text[first:]) // the first error stays until Flush
				first = 0
			}
		}
		_ = out.WriteByte('\n')
	}
	return out.Flush()
}
