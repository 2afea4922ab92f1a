package strict

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"starloom/traces/input"
)

// Permutation reads one destination per line and returns the list and the
// line of its first entry. A first line that does not start with a digit is a
// header. Blank lines are allowed at the end only.
func Permutation(path string, data []byte) (list []uint32, firstLine int, err error) {
	text := strings.TrimPrefix(string(data), "\uFEFF") // spreadsheets write a byte order mark
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	firstLine = 1
	if first := strings.TrimSpace(lines[0]); first != "" && (first[0] < '0' || first[0] > '9') && first[0] != '-' && first[0] != '+' {
		firstLine, lines = 2, lines[1:]
	}
	list = make([]uint32, 0, len(lines))
	for i, line := range lines {
		text := strings.TrimSpace(line)
		value, err := strconv.ParseUint(text, 10, 32)
		if err != nil || value > DestinationMax {
			return nil, 0, &input.Error{
				Place: fmt.Sprintf("%s:%d:1", path, firstLine+i), Reason: fmt.Sprintf("%q is not a destination", Clip(text)),
				Remedy: "write one processor number per line, 0 or more",
			}
		}
		list = append(list, uint32(value))
	}
	return list, firstLine, nil
}

// DestinationMax is the largest destination of any fabric: the last two numbers
// of the 32-bit address are reserved.
const DestinationMax = math.MaxUint32 - 2
