package hw

import (
	"fmt"
	"strconv"
	"strings"
)

// pathScanner parses a path or pattern. It returns each component as a text token followed by index tokens.
type pathScanner struct {
	text    string
	pattern bool
	at      int
}

func (s *pathScanner) path() (components [][]pathToken, err error) {
	for {
		tokens, err := s.component()
		if err != nil {
			return nil, err
		}
		components = append(components, tokens)
		if s.end() {
			return components, nil
		}
		s.at++
	}
}

func (s *pathScanner) component() ([]pathToken, error) {
	if s.globs("**") {
		s.at += 2
		if !s.end() && !s.sees('.') {
			return nil, s.fail(s.at, "a dot or the end: ** matches whole components")
		}
		return []pathToken{{kind: tokenDeep}}, nil
	}
	tokens, err := s.name()
	if err != nil {
		return nil, err
	}
	indexed := s.sees('[')
	for s.sees('[') {
		token, end, problem := scanIndex(s.text, s.at+1, s.pattern)
		if problem != "" {
			return nil, s.fail(end, problem)
		}
		tokens, s.at = append(tokens, token), end
	}
	switch {
	case s.end() || s.sees('.'):
		return tokens, nil
	case indexed: // coupler[1]* is not a pattern: a dot is missing
		return nil, s.fail(s.at, "a dot, [ or the end")
	}
	return nil, s.fail(s.at, "a letter, a digit, _, a dot, [ or the end")
}

func (s *pathScanner) name() (tokens []pathToken, err error) {
	start := s.at
	for !s.end() {
		if s.globs("**") {
			return nil, s.fail(s.at+1, "anything but a second *: ** matches whole components")
		}
		if s.globs("*") {
			tokens = append(tokens, pathToken{kind: tokenStar})
			s.at++
			continue
		}
		from := s.at
		for !s.end() && isNameByte(s.text[s.at], s.at == start) {
			s.at++
		}
		if s.at == from {
			break
		}
		tokens = append(tokens, pathToken{kind: tokenText, text: s.text[from:s.at]})
	}
	switch {
	case s.at > start:
		return tokens, nil
	case s.pattern:
		return nil, s.fail(s.at, "a name, *, or ** as a whole component")
	}
	return nil, s.fail(s.at, "a name (letters, digits and _, not starting with a digit)")
}

func (s *pathScanner) end() bool { return s.at == len(s.text) }

func (s *pathScanner) sees(c byte) bool { return !s.end() && s.text[s.at] == c }

func (s *pathScanner) globs(stars string) bool {
	return s.pattern && strings.HasPrefix(s.text[s.at:], stars)
}

func (s *pathScanner) fail(at int, allowed string) error {
	what, found := "path", "the end"
	if s.pattern {
		what = "pattern"
	}
	if at < len(s.text) {
		found = strconv.QuoteRune([]rune(s.text[at:])[0])
	}
	return fmt.Errorf("%s %q, character %d: found %s; allowed: %s", what, s.text, at+1, found, allowed)
}

// scanIndex parses an index after [ and returns the position after the closing bracket. At an error, problem
// describes the permitted input at end.
func scanIndex(s string, at int, pattern bool) (token pathToken, end int, problem string) {
	token.kind = tokenIndex
	allowed := "a decimal index without leading zeros, at most 4294967295, or a label such as +rho"
	if pattern {
		allowed = "an index, a range such as 2..5, or *"
		if at < len(s) && s[at] == '*' {
			token.kind = tokenAnyIndex
			return closeIndex(token, s, at+1)
		}
	}
	if end := labelEnd(s, at); end > at {
		return closeIndex(pathToken{kind: tokenText, text: s[at-1 : min(end+1, len(s))]}, s, end)
	}
	low, end, ok := scanNumber(s, at)
	if !ok {
		return token, end, allowed
	}
	token.low, token.high = low, low
	if pattern && strings.HasPrefix(s[end:], "..") {
		high, after, ok := scanNumber(s, end+2)
		if !ok {
			return token, after, "the last index of the range"
		}
		if high < low {
			return token, end + 2, fmt.Sprintf("an index from %d on: the range is empty", low)
		}
		token.high, end = high, after
	}
	return closeIndex(token, s, end)
}

func labelEnd(s string, at int) int {
	if at == len(s) || s[at] != '+' && s[at] != '-' {
		return at
	}
	end := at + 1
	for end < len(s) && (isNameByte(s[end], false) || s[end] == '^') {
		end++
	}
	if end == at+1 {
		return at
	}
	return end
}

func closeIndex(token pathToken, s string, at int) (pathToken, int, string) {
	if at >= len(s) || s[at] != ']' {
		return token, at, "]"
	}
	return token, at + 1, ""
}

const indexMax = 1<<32 - 1

func scanNumber(s string, at int) (value uint32, end int, ok bool) {
	start, sum := at, uint64(0)
	for at < len(s) && s[at] >= '0' && s[at] <= '9' {
		if sum = sum*10 + uint64(s[at]-'0'); sum > indexMax || (at > start && s[start] == '0') {
			return 0, start, false
		}
		at++
	}
	return uint32(sum), at, at > start
}

func isNameByte(c byte, first bool) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || !first && c >= '0' && c <= '9'
}

// Paths have one grammar in errors, traces, scenarios and reports:
//
//	path      = component { "." component }         pops.group[3].coupler[1]
//	component = name { "[" index "]" }              group[3]
//	name      = letter or "_", then letters, digits, "_"
//	index     = decimal number without leading zeros, at most 4294967295, or label
//	label     = "+" or "-", then letters, digits, "_", "^"         port[+rho^2]
//
// A pattern is a path that may also contain
//
//	*       for any characters within one component, possibly none
//	[*]     for any index, including labels
//	[2..5]  for the indexes 2, 3, 4, 5
//	**      as a whole component, for any number of components, possibly none

// Index returns path[index].
func Index(path string, index int) string { return path + "[" + strconv.Itoa(index) + "]" }

// Join joins the parts with dots.
func Join(parts ...string) string { return strings.Join(parts, ".") }

// CheckPath returns an error if path violates the grammar. The error names the position in path.
func CheckPath(path string) error {
	_, err := (&pathScanner{text: path}).path()
	return err
}
