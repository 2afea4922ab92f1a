package traces

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WaveRow is one signal of a drawing, with a value per column.
//
// With Bits 1 the values "0", "1", "x" and "z" are drawn as a line; with any other number of bits (0: an enumeration,
// a text) they are labels.
type WaveRow struct {
	Name   string
	Bits   int
	Values []string
}

const waveLabelMax = 16

// WriteWaves draws signals over columns as ASCII text, for reports and snapshot tests. head is the unit of the
// columns ("cycle", "ns"); columns are their numbers. marked is the column to mark, -1 for none.
//
//	cycle    98   99   100  101
//	clk_i    /~~~~\____/~~~~\____
//	count_q  |3e       |3f  |40
//	                   ^
//
// Low is _, high ~, unknown x, floating -; | marks a change of a vector. All rows have one value per column.
func WriteWaves(w io.Writer, head string, columns []uint64, rows []WaveRow, marked int) error {
	names := len(head)
	width := 4
	for _, row := range rows {
		names = max(names, len(row.Name))
		if row.Bits == 1 {
			continue
		}
		for _, value := range row.Values {
			width = max(width, len(shortLabel(value))+2)
		}
	}
	var b bytes.Buffer
	line := func(name string, text []byte) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s  %s", names, name, text), " "))
		b.WriteByte('\n')
	}
	line(head, waveNumbers(columns, width))
	for _, row := range rows {
		if row.Bits == 1 {
			line(row.Name, waveLine(row.Values, width))
		} else {
			line(row.Name, waveLabels(row.Values, width))
		}
	}
	if marked >= 0 {
		line("", append(bytes.Repeat([]byte{' '}, marked*width), '^'))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// waveNumbers places the column numbers. It omits numbers that would overlap, except the last number.
func waveNumbers(columns []uint64, width int) []byte {
	text := bytes.Repeat([]byte{' '}, width*len(columns))
	last := len(columns) - 1
	free := 0
	for i, column := range columns {
		number := strconv.AppendUint(nil, column, 10)
		at := i * width
		if at < free || i < last && at+len(number) >= last*width {
			continue
		}
		text = append(text[:at], append(number, text[min(at+len(number), len(text)):]...)...)
		free = at + len(number) + 1
	}
	return text
}

func waveLine(values []string, width int) []byte {
	var text []byte
	before := ""
	for _, value := range values {
		cell := bytes.Repeat([]byte{waveLevel(value)}, width)
		if before != "" && before != value {
			cell[0] = waveEdge(before, value)
		}
		text = append(text, cell...)
		before = value
	}
	return text
}

func waveLevel(value string) byte {
	switch value {
	case "0":
		return '_'
	case "1":
		return '~'
	case "z":
		return '-'
	}
	return 'x'
}

func waveEdge(before, value string) byte {
	switch {
	case value == "1" && before == "0":
		return '/'
	case value == "0" && before == "1":
		return '\\'
	}
	return '|'
}

func waveLabels(values []string, width int) []byte {
	var text []byte
	before := ""
	for i, value := range values {
		cell := bytes.Repeat([]byte{' '}, width)
		if i == 0 || value != before {
			cell[0] = '|'
			copy(cell[1:], shortLabel(value))
		}
		text = append(text, cell...)
		before = value
	}
	return text
}

func shortLabel(value string) string {
	if len(value) <= waveLabelMax {
		return value
	}
	const keep = (waveLabelMax - 2) / 2
	return value[:keep] + ".." + value[len(value)-keep:]
}
