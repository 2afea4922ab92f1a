package netlist

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rangePattern is a range: p[0..3], or a port 0..3 after a colon.
var rangePattern = regexp.MustCompile(`\[([0-9]+)\.\.([0-9]+)\]|:([0-9]+)\.\.([0-9]+)$`)

// sizes are how many names each range of a text stands for, the first one first.
func sizes(text string) (all []int) {
	for _, at := range rangePattern.FindAllStringSubmatch(text, -1) {
		low, err1 := strconv.ParseInt(at[1]+at[3], 10, 32)
		high, err2 := strconv.ParseInt(at[2]+at[4], 10, 32)
		if err1 != nil || err2 != nil || high < low { // no range
			low = high
		}
		all = append(all, int(high-low+1))
	}
	return all
}

func stands(text string) int {
	count := 1
	if strings.Contains(text, "..") {
		for _, n := range sizes(text) {
			count = times(count, max(1, n))
		}
	}
	return count
}

// begins reports whether the ranges of one of two texts are the first ones of the other.
func begins(a, b string) bool {
	short, long := sizes(a), sizes(b)
	if len(long) < len(short) {
		short, long = long, short
	}
	return slices.Equal(long[:len(short)], short)
}

// expand returns the names that a text with ranges stands for, row by row: the last range runs first.
func expand(text string) (names []string, err error) {
	at := rangePattern.FindStringSubmatchIndex(text)
	if at == nil {
		return []string{text}, nil
	}
	before, open, closed := text[:at[0]], "[", "]"
	first, last := 2, 4
	if at[2] < 0 {
		first, last, open, closed = 6, 8, ":", ""
	}
	low, err1 := strconv.ParseUint(text[at[first]:at[first+1]], 10, 31)
	high, err2 := strconv.ParseUint(text[at[last]:at[last+1]], 10, 31)
	if err1 != nil || err2 != nil || high < low {
		return nil, fmt.Errorf("%s is no range: it goes from a smaller number to a larger one, at most %d", strings.Trim(text[at[0]:at[1]], ":"), 1<<31-1)
	}
	rest, err := expand(text[at[1]:])
	if err != nil {
		return nil, err
	}
	if (high-low+1)*uint64(len(rest)) > nodesMax {
		return nil, fmt.Errorf("%s stands for more than %d names", text, nodesMax)
	}
	for i := low; i <= high; i++ {
		for _, tail := range rest {
			names = append(names, fmt.Sprintf("%s%s%d%s%s", before, open, i, closed, tail))
		}
	}
	return names, nil
}
