package scenario

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
)

// mutator draws changes. The same numbers give the same input.
type mutator struct {
	*rand.Rand
	seeds [][]byte
	words [][]byte // of all seeds
	split [][][]byte
}

var (
	// wordPattern splits a text into words.
	wordPattern = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[ \t]+|(?s:.)`)
	// edges are values at the edges of ranges.
	edges = []string{
		"0", "1", "-1", "2", "7", "8", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967294", "4294967295", "4294967296",
		"9223372036854775807", "18446744073709551615", "18446744073709551616", "1e9", "0x10", "08", "1.5", ".inf", "true", "null", "~", "''", "{}", "[]", "&a", "*a", "!!str", "<<", "\x00", "\xff", "\u00e9",
	}
)

// newMutator returns a mutator of the seeds.
func newMutator(seeds [][]byte) *mutator {
	m := &mutator{seeds: seeds}
	known := map[string]bool{}
	for _, seed := range seeds {
		words := wordPattern.FindAll(seed, -1)
		m.split = append(m.split, words)
		for _, word := range words {
			if !known[string(word)] {
				known[string(word)] = true
				m.words = append(m.words, word)
			}
		}
	}
	return m
}

// Text changes some words or lines of a seed.
func (m *mutator) Text(seed int) []byte {
	if m.IntN(4) == 0 {
		return m.lines(seed)
	}
	words := slices.Clone(m.split[seed])
	for n := 1 + m.IntN(3); n > 0 && len(words) > 0; n-- {
		at := m.IntN(len(words))
		end := min(at+1+m.IntN(4), len(words))
		switch m.IntN(8) {
		case 0, 1:
			words[at] = m.words[m.IntN(len(m.words))]
		case 2, 3:
			words[at] = []byte(edges[m.IntN(len(edges))])
		case 4:
			words = slices.Delete(words, at, end)
		case 5:
			words = slices.Insert(words, m.IntN(len(words)+1), words[at:end]...)
		case 6:
			words[at] = []byte{byte(m.Uint32())}
		case 7:
			if m.IntN(8) == 0 {
				words = words[:at]
			} else {
				other := m.IntN(len(words))
				words[at], words[other] = words[other], words[at]
			}
		}
	}
	return bytes.Join(words, nil)
}

// lines swaps, repeats or drops lines of a seed, or puts in those of another one.
func (m *mutator) lines(seed int) []byte {
	lines := bytes.SplitAfter(m.seeds[seed], []byte("\n"))
	for n := 1 + m.IntN(3); n > 0 && len(lines) > 0; n-- {
		at := m.IntN(len(lines))
		other := bytes.SplitAfter(m.seeds[m.IntN(len(m.seeds))], []byte("\n"))
		switch m.IntN(4) {
		case 0:
			lines[at] = other[m.IntN(len(other))]
		case 1:
			lines = slices.Insert(lines, at, other[m.IntN(len(other))])
		case 2:
			lines = slices.Delete(lines, at, at+1)
		case 3:
			to := m.IntN(len(lines))
			lines[at], lines[to] = lines[to], lines[at]
		}
	}
	return bytes.Join(lines, nil)
}

// bytes changes some bytes or words of data, in place.
func (m *mutator) bytes(data []byte) {
	for n := 1 + m.IntN(3); n > 0 && len(data) > 0; n-- {
		at := m.IntN(len(data))
		switch m.IntN(4) {
		case 0:
			data[at] ^= 1 << m.IntN(8)
		case 1:
			data[at] = []byte{0, 1, 0x40, 0x7F, 0x80, 0xFE, 0xFF}[m.IntN(7)]
		case 2:
			data[at] = byte(m.Uint32())
		case 3:
			if at &^= 3; at+4 <= len(data) {
				value := []uint32{0, 1, 2, 4, 8, 1 << 16, math.MaxInt32, 1 << 31, math.MaxUint32 - 7,
					math.MaxUint32, m.Uint32()}[m.IntN(11)]
				binary.LittleEndian.PutUint32(data[at:], value+[]uint32{0, 0, binary.LittleEndian.Uint32(data[at:])}[m.IntN(3)])
			}
		}
	}
}

// resize cuts a piece of data out, or puts one in, of a multiple of unit bytes.
func (m *mutator) resize(data []byte, unit int) []byte {
	at := m.IntN(len(data)/unit+1) * unit
	size := (1 + m.IntN(4)) * unit
	if m.IntN(2) == 0 {
		return slices.Delete(data, at, min(at+size, len(data)))
	}
	piece := make([]byte, size)
	if from := m.IntN(len(data) + 1); from+size <= len(data) {
		copy(piece, data[from:])
	}
	return slices.Insert(data, at, piece...)
}

// Raw changes a seed as if it had no structure.
func (m *mutator) Raw(seed int) []byte {
	data := slices.Clone(m.seeds[seed])
	m.bytes(data)
	switch m.IntN(4) {
	case 0:
		data = m.resize(data, 1)
	case 1:
		data = data[:m.IntN(len(data)+1)]
	}
	return data
}

// Capture changes blocks of a packet capture, whose lengths stay right.
func (m *mutator) Capture(seed int) []byte {
	if m.IntN(4) == 0 {
		return m.Raw(seed)
	}
	var blocks [][]byte
	for rest := m.seeds[seed]; len(rest) >= 12; {
		size := binary.LittleEndian.Uint32(rest[4:])
		blocks = append(blocks, slices.Clone(rest[:size]))
		rest = rest[size:]
	}
	for n := 1 + m.IntN(2); n > 0 && len(blocks) > 0; n-- {
		at := m.IntN(len(blocks))
		switch m.IntN(5) {
		case 0:
			blocks = slices.Delete(blocks, at, at+1)
		case 1:
			blocks = slices.Insert(blocks, at, slices.Clone(blocks[m.IntN(len(blocks))]))
		default:
			body := blocks[at][8 : len(blocks[at])-4]
			m.bytes(body)
			if m.IntN(3) == 0 {
				body = m.resize(body, 4)
			}
			length := binary.LittleEndian.AppendUint32(nil, uint32(len(body)+12))
			blocks[at] = slices.Concat(blocks[at][:4], length, body, length)
		}
	}
	return bytes.Join(blocks, nil)
}

// Image changes the inside of a section of an image, or of a function; lengths stay right.
func (m *mutator) Image(seed int) []byte {
	if m.IntN(4) == 0 {
		return m.Raw(seed)
	}
	data := m.seeds[seed]
	out := slices.Clone(data[:8])
	type part struct {
		id      byte
		content []byte
	}
	var parts []part
	for at := 8; at < len(data); {
		size, n := binary.Uvarint(data[at+1:])
		at += 1 + n
		parts = append(parts, part{id: data[at-1-n], content: slices.Clone(data[at : at+int(size)])})
		at += int(size)
	}
	chosen := &parts[m.IntN(len(parts))]
	if code := slices.IndexFunc(parts, func(p part) bool { return p.id == 10 }); code >= 0 && m.IntN(2) == 0 {
		chosen = &parts[code]
	}
	if chosen.id == 10 && m.IntN(8) > 0 {
		chosen.content = m.code(chosen.content)
	} else {
		m.bytes(chosen.content)
		if m.IntN(3) == 0 {
			chosen.content = m.resize(chosen.content, 1)
		}
	}
	for _, p := range parts {
		out = append(binary.AppendUvarint(append(out, p.id), uint64(len(p.content))), p.content...)
	}
	return out
}

// code changes one function of a code section.
func (m *mutator) code(content []byte) []byte {
	count, n := binary.Uvarint(content)
	out := slices.Clone(content[:n])
	chosen := m.IntN(int(count))
	for k, rest := 0, content[n:]; k < int(count); k++ {
		size, n := binary.Uvarint(rest)
		body := slices.Clone(rest[n : n+int(size)])
		if k == chosen {
			m.bytes(body)
			if m.IntN(2) == 0 {
				body = m.resize(body, 1)
			}
		}
		out = append(binary.AppendUvarint(out, uint64(len(body))), body...)
		rest = rest[n+int(size):]
	}
	return out
}

// State changes a saved state, whose checksum stays right most of the time.
func (m *mutator) State(seed int) []byte {
	data := slices.Clone(m.seeds[seed])
	switch m.IntN(4) { // the memory of the firmware is most of it
	case 0:
		data = m.Raw(seed)
	case 1:
		m.bytes(data)
	case 2:
		m.bytes(data[:min(len(data), 4096)])
	case 3:
		m.bytes(data[max(0, len(data)-6144):])
	}
	if len(data) > 4 && m.IntN(8) > 0 {
		end := len(data) - 4
		binary.LittleEndian.PutUint32(data[end:], crc32.ChecksumIEEE(data[:end]))
	}
	return data
}
