package vcd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"starloom/traces/input"
)

const (
	scanBytes = 256 << 10
	bitsMax   = 1 << 20
	// tokenBytesMax is the maximum length of a token: the digits of the widest signal.
	tokenBytesMax = bitsMax + 64
)

// scanner holds the current part of a file. A newline after the last byte ends every token.
type scanner struct {
	r    io.Reader
	file string
	buf  []byte // buf[pos:end] is unread, buf[end] is a newline
	pos  int
	end  int
	eof  bool
	read int64 // bytes read from r

	newLine bool // the last token was preceded by the end of a line

	lines int // newlines before buf
}

func newScanner(r io.Reader, file string) scanner {
	s := scanner{r: r, file: file, buf: make([]byte, scanBytes+1)}
	s.buf[0] = '\n'
	return s
}

// more reads more of the file and keeps buf[pos:end]. It returns false at the end of the file.
func (s *scanner) more() (bool, error) {
	if s.eof {
		return false, nil
	}
	s.lines += bytes.Count(s.buf[:s.pos], newline)
	s.end = copy(s.buf, s.buf[s.pos:s.end])
	s.pos = 0
	if s.end == len(s.buf)-1 {
		if s.end >= tokenBytesMax {
			return false, s.fail(0, fmt.Sprintf("more than %d characters without a space", tokenBytesMax),
				"give a VCD: a value is followed by a space, the identifier code and the end of the line")
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	var known *input.Error
	for {
		n, err := s.r.Read(s.buf[s.end : len(s.buf)-1])
		s.end += n
		s.read += int64(n)
		s.buf[s.end] = '\n'
		switch {
		case errors.Is(err, io.EOF):
			s.eof = true
			return n > 0, nil
		case errors.As(err, &known):
			return false, known
		case err != nil:
			return false, s.fail(s.end, fmt.Sprintf("cannot be read: %v", err), "check the disk, or give another file")
		case n > 0:
			return true, nil
		}
	}
}

func (s *scanner) insert(changes []byte) error {
	const first = "#0"
	for s.end-s.pos <= len(first)+1 && !s.eof {
		if _, err := s.more(); err != nil {
			return err
		}
	}
	rest, isFirst := bytes.CutPrefix(bytes.TrimLeft(s.buf[s.pos:s.end], "\n"), []byte(first))
	if isFirst && len(rest) > 0 && rest[0] <= ' ' && len(changes) > 0 {
		s.r, s.eof = io.MultiReader(bytes.NewReader(changes), bytes.NewReader(bytes.Clone(s.buf[s.pos:s.end])), s.r), false
		s.pos, s.end, s.buf[0] = 0, 0, '\n'
	}
	return nil
}

var newline = []byte{'\n'}

func (s *scanner) fail(at int, reason, remedy string) *input.Error {
	line := s.lines + 1 + bytes.Count(s.buf[:at], newline)
	return input.Mistake(fmt.Sprintf("%s:%d", s.file, line), reason, remedy)
}

// token returns the characters up to the next white space, nil at the end. The result is valid until the next call.
func (s *scanner) token() ([]byte, error) {
	s.newLine = false
	for {
		for s.pos < s.end && s.buf[s.pos] <= ' ' {
			s.newLine = s.newLine || s.buf[s.pos] == '\n'
			s.pos++
		}
		at := s.pos
		for s.buf[at] > ' ' {
			at++
		}
		if at < s.end || s.eof && at > s.pos {
			token := s.buf[s.pos:at]
			s.pos = at
			return token, nil
		}
		if ok, err := s.more(); err != nil {
			return nil, err
		} else if !ok && s.pos == s.end {
			return nil, nil
		}
	}
}

func shown(token []byte) string {
	if len(token) > 40 {
		return fmt.Sprintf("%q...", token[:40])
	}
	return fmt.Sprintf("%q", token)
}

var escapes = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// unescaped decodes \n, \x20, \040 and \\, because tools escape different sets of characters.
func unescaped(text []byte) []byte {
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			plain = append(plain, text[i])
			continue
		}
		i++
		c := text[i]
		if number, digits := escapedNumber(text[i:]); digits > 0 {
			c = number
			i += digits - 1
		} else if known, ok := escapes[c]; ok {
			c = known
		}
		plain = append(plain, c)
	}
	return plain
}

// escapedNumber decodes x20 or 040; digits is its length, 0 for other text.
func escapedNumber(text []byte) (number byte, digits int) {
	base, start, most := 8, 0, 3
	if text[0] == 'x' {
		base, start, most = 16, 1, 2
	}
	for digits = min(len(text)-start, most); digits > 0; digits-- {
		if n, err := strconv.ParseUint(string(text[start:start+digits]), base, 8); err == nil {
			return byte(n), start + digits
		}
	}
	return 0, 0
}

// NetID identifies a net of a VCD: all variables with one identifier code.
type NetID int32

const noNet NetID = -1

// codeTable finds the net of an identifier code. Codes are numbered as in the Writer (see appendCode). An array is
// indexed by the small numbers of short codes; a map holds other codes.
type codeTable struct {
	dense  []NetID // nets by number, noNet for none
	sparse map[string]NetID
	count  int
}

const (
	// denseCodes is the maximum size of the array, or densePerNet entries per signal if that is larger.
	denseCodes  = 1 << 20
	densePerNet = 8
	// codeDigitsMax is the maximum number of characters in a code with a 64-bit number.
	codeDigitsMax = 9
	codeFirst     = '!'
	codeBase      = 94
)

// codeNumber returns the number of a code, 0 for "!". ok is false for invalid characters.
func codeNumber(code []byte) (number uint64, ok bool) {
	place := uint64(1)
	for i, c := range code {
		if c-codeFirst >= codeBase {
			return 0, false
		}
		if i == codeDigitsMax {
			return 1 << 63, true
		}
		number += uint64(c-codeFirst+1) * place
		place *= codeBase
	}
	return number - 1, len(code) > 0
}

func (t *codeTable) find(number uint64, code []byte) NetID {
	if number < uint64(len(t.dense)) {
		if id := t.dense[number]; id != noNet {
			return id
		}
	}
	if t.sparse != nil {
		if id, ok := t.sparse[string(code)]; ok {
			return id
		}
	}
	return noNet
}

func (t *codeTable) add(number uint64, code string, id NetID) {
	t.count++
	if number < uint64(max(denseCodes, densePerNet*t.count)) {
		for uint64(len(t.dense)) <= number {
			t.dense = append(t.dense, noNet)
		}
		t.dense[number] = id
		return
	}
	if t.sparse == nil {
		t.sparse = map[string]NetID{}
	}
	t.sparse[code] = id
}
