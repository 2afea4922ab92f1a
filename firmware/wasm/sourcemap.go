package wasm

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"starloom/firmware/wasm/binary"
)

type sourceMap struct {
	sources []string
	entries []mapped
}

type mapped struct {
	offset, source, line, column int32 // source is -1 for code without a line; line and column count from 0
}

// SourceMapBytesMax is the maximum size of a source map in bytes. Reading a map requires ten times this memory.
const SourceMapBytesMax = 16 << 20

func parseSourceMap(text []byte) (*sourceMap, error) {
	var file struct {
		Version  int
		Sources  []string
		Mappings string
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	if file.Version != 3 {
		return nil, fmt.Errorf("a source map of version %d", file.Version)
	}
	m := &sourceMap{sources: file.Sources}
	generated, _, _ := strings.Cut(file.Mappings, ";") // an image is one line
	m.entries = make([]mapped, 0, strings.Count(generated, ",")+1)
	var fields []int
	var offset, source, line, column int
	for segment := range strings.SplitSeq(generated, ",") {
		var err error
		if fields, err = vlq(fields[:0], segment); err != nil {
			return nil, err
		}
		entry := mapped{source: -1}
		switch len(fields) {
		case 0:
			continue
		case 4, 5: // the fifth number is a name
			source, line, column = source+fields[1], line+fields[2], column+fields[3]
			entry = mapped{source: int32(source), line: int32(line), column: int32(column)}
			fallthrough
		case 1:
			offset += fields[0]
			entry.offset = int32(offset)
		default:
			return nil, errors.New("a source map with a segment of the wrong length")
		}
		if min(offset, source, line, column) < math.MinInt32 || max(offset, source, line, column) > math.MaxInt32 {
			return nil, errors.New("a source map with numbers of more than 32 bits")
		}
		m.entries = append(m.entries, entry)
	}
	if !sort.SliceIsSorted(m.entries, func(i, j int) bool { return m.entries[i].offset < m.entries[j].offset }) {
		return nil, errors.New("a source map whose offsets do not ascend")
	}
	return m, nil
}

// vlq appends Base64 VLQ numbers: five bits per digit, least significant first; the lowest bit is the sign.
func vlq(numbers []int, text string) ([]int, error) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	value, shift := 0, 0
	for _, c := range []byte(text) {
		digit := strings.IndexByte(digits, c)
		if digit < 0 || shift > 30 {
			return nil, errors.New("a source map that is not Base64 VLQ")
		}
		value |= digit & 31 << shift
		if shift += 5; digit&32 != 0 {
			continue
		}
		if value>>1 <= 1<<31 {
			numbers = append(numbers, value>>1*(1-value&1*2))
		}
		value, shift = 0, 0
	}
	return numbers, nil
}

func (m *sourceMap) frames(offset int) []Frame {
	k := sort.Search(len(m.entries), func(i int) bool { return int(m.entries[i].offset) > offset }) - 1
	if k < 0 {
		return nil
	}
	if e := m.entries[k]; e.source >= 0 && int(e.source) < len(m.sources) && e.line >= 0 {
		return []Frame{{Source: fmt.Sprintf("%s:%d:%d", binary.Clip(m.sources[e.source]), e.line+1, e.column+1)}}
	}
	return nil
}
