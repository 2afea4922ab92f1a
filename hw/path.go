package hw

import (
	"fmt"
	"strconv"
	"strings"
)

// Names have one grammar everywhere, in errors, traces, scenarios and reports:
//
//	path      = component { "." component }         pops.group[3].coupler[1]
//	component = name { "[" index "]" }              group[3]
//	name      = letter or "_", then letters, digits, "_"
//	index     = decimal number without leading zeros, at most 4294967295, or label
//	label     = "+" or "-", then letters, digits, "_", "^"         port[+rho^2]
//
// A pattern is a path in which
//
//	*       stands for any characters of one component, none included
//	[*]     stands for any index, labels too
//	[2..5]  stands for the indexes 2, 3, 4, 5
//	**      as a whole component stands for any number of components, none included

// Index returns path[i].
func Index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Join puts a dot between the parts.
func Join(parts ...string) string { return strings.Join(parts, ".") }

// CheckPath reports where s breaks the grammar of a path.
func CheckPath(s string) error {
	_, err := scanPath(s, false)
	return err
}

// Pattern is a compiled glob over paths.
type Pattern struct {
	source     string
	components [][]pathToken
}

// pathToken is a piece of one component of a path or a pattern.
type pathToken struct {
	kind      tokenKind
	text      string // literal
	low, high uint32 // index, range
}

type tokenKind uint8

const (
	tokenText     tokenKind = iota // these characters
	tokenStar                      // any characters
	tokenIndex                     // a number from low to high, in brackets
	tokenAnyIndex                  // any index, in brackets
	tokenDeep                      // any number of components
)

// CompilePattern compiles a glob. The error says at which character the pattern
// is wrong and what is allowed there.
func CompilePattern(s string) (*Pattern, error) {
	components, err := scanPath(s, true)
	if err != nil {
		return nil, err
	}
	return &Pattern{source: s, components: components}, nil
}

// String returns the pattern as it was written.
func (p *Pattern) String() string { return p.source }

// Match reports whether the whole path fits the pattern. It allocates nothing.
// Its work is at most the product of both lengths: only the last ** (and, inside
// a component, the last *) is ever tried again, which is enough because the
// earliest fit of what stands between two of them leaves most to what follows.
func (p *Pattern) Match(path string) bool {
	at, done := 0, false // start of the next component; done after the last one
	next := 0            // component of the pattern
	retryNext, retryAt, retryDone := -1, 0, false
	for {
		if next < len(p.components) && p.components[next][0].kind == tokenDeep {
			next++
			retryNext, retryAt, retryDone = next, at, done
			continue
		}
		if done && next == len(p.components) {
			return true
		}
		if !done && next < len(p.components) {
			end, following, last := nextComponent(path, at)
			if matchComponent(p.components[next], path[at:end]) {
				next++
				at, done = following, last
				continue
			}
		}
		if retryNext < 0 || retryDone {
			return false
		}
		_, retryAt, retryDone = nextComponent(path, retryAt)
		next, at, done = retryNext, retryAt, retryDone
	}
}

// nextComponent returns the end of the component that starts at at, the start of
// the following one, and whether there is none.
func nextComponent(path string, at int) (end, following int, last bool) {
	dot := strings.IndexByte(path[at:], '.')
	if dot < 0 {
		return len(path), len(path), true
	}
	return at + dot, at + dot + 1, false
}

func matchComponent(tokens []pathToken, s string) bool {
	at, next := 0, 0
	retryNext, retryAt := -1, 0
	for {
		if next < len(tokens) && tokens[next].kind == tokenStar {
			next++
			retryNext, retryAt = next, at
			continue
		}
		if at == len(s) && next == len(tokens) {
			return true
		}
		if next < len(tokens) {
			if size := tokens[next].match(s[at:]); size > 0 {
				at += size
				next++
				continue
			}
		}
		if retryNext < 0 || retryAt >= len(s) {
			return false
		}
		retryAt++
		next, at = retryNext, retryAt
	}
}

// match returns how many characters of s the token takes, 0 when it does not fit.
func (t *pathToken) match(s string) int {
	if t.kind == tokenText {
		if strings.HasPrefix(s, t.text) {
			return len(t.text)
		}
		return 0
	}
	if s == "" || s[0] != '[' {
		return 0
	}
	if t.kind == tokenAnyIndex {
		if end := strings.IndexByte(s, ']'); end > 1 {
			return end + 1
		}
		return 0
	}
	value, at := uint64(0), 1
	for ; at < len(s) && s[at] >= '0' && s[at] <= '9'; at++ {
		if value = value*10 + uint64(s[at]-'0'); value > uint64(t.high) {
			return 0
		}
	}
	if at == 1 || at == len(s) || s[at] != ']' || value < uint64(t.low) {
		return 0
	}
	return at + 1
}

const indexMax = 1<<32 - 1

// scanPath splits a path or a pattern into components of tokens. In a path every
// component is one text token followed by index tokens.
func scanPath(s string, pattern bool) ([][]pathToken, error) {
	what, name := "path", "a name (letters, digits and _, not starting with a digit)"
	if pattern {
		what, name = "pattern", "a name, *, or ** as a whole component"
	}
	fail := func(at int, allowed string) error {
		found := "the end"
		if at < len(s) {
			found = strconv.QuoteRune([]rune(s[at:])[0])
		}
		return fmt.Errorf("%s %q, character %d: found %s, allowed is %s", what, s, at+1, found, allowed)
	}
	var components [][]pathToken
	at := 0
	for {
		var tokens []pathToken
		if pattern && strings.HasPrefix(s[at:], "**") {
			tokens = append(tokens, pathToken{kind: tokenDeep})
			at += 2
			if at < len(s) && s[at] != '.' {
				return nil, fail(at, "a dot or the end: ** stands for whole components")
			}
		} else {
			start := at
			// The name, with stars in a pattern.
			for at < len(s) {
				if pattern && s[at] == '*' {
					if strings.HasPrefix(s[at:], "**") {
						return nil, fail(at+1, "anything but a second *: ** stands for whole components")
					}
					tokens = append(tokens, pathToken{kind: tokenStar})
					at++
					continue
				}
				from := at
				for at < len(s) && isNameByte(s[at], at == start) {
					at++
				}
				if at == from {
					break
				}
				tokens = append(tokens, pathToken{kind: tokenText, text: s[from:at]})
			}
			if at == start {
				return nil, fail(at, name)
			}
			for at < len(s) && s[at] == '[' {
				token, end, problem := scanIndex(s, at+1, pattern)
				if problem != "" {
					return nil, fail(end, problem)
				}
				tokens = append(tokens, token)
				at = end
			}
			// coupler[1]* has no meaning as a path but is a usable pattern only by
			// accident; refuse it, so that a forgotten dot is noticed.
			if at < len(s) && s[at] != '.' {
				if at > start && s[at-1] == ']' {
					return nil, fail(at, "a dot, [ or the end")
				}
				return nil, fail(at, "a letter, a digit, _, a dot, [ or the end")
			}
		}
		components = append(components, tokens)
		if at == len(s) {
			return components, nil
		}
		at++ // the dot
	}
}

// scanIndex reads what follows a [ and returns the place after its ].
// problem says what is allowed at end when that fails.
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
		high, behind, ok := scanNumber(s, end+2)
		if !ok {
			return token, behind, "the last index of the range"
		}
		if high < low {
			return token, end + 2, fmt.Sprintf("an index from %d on: the range is empty", low)
		}
		token.high, end = high, behind
	}
	return closeIndex(token, s, end)
}

// labelEnd returns the place after a label, at for none.
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
