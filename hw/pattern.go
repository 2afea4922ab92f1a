package hw

import (
	"slices"
	"strings"
)

// Pattern is a compiled path pattern.
type Pattern struct {
	source     string
	prefix     string // literal prefix of every match
	components [][]pathToken
}

type pathToken struct {
	kind      tokenKind
	text      string
	low, high uint32 // range of indexes
}

type tokenKind uint8

const (
	tokenText tokenKind = iota // literal characters
	tokenStar
	tokenIndex    // a number from low to high, in brackets
	tokenAnyIndex // any index in brackets
	tokenDeep     // any number of components
)

// CompilePattern compiles a pattern. Its error names the wrong character and the permitted characters.
func CompilePattern(text string) (*Pattern, error) {
	components, err := (&pathScanner{text: text, pattern: true}).path()
	if err != nil {
		return nil, err
	}
	deep := func(component []pathToken) bool { return component[0].kind == tokenDeep }
	twice := func(a, b []pathToken) bool { return deep(a) && deep(b) } // collapse repeated **
	return &Pattern{source: text, prefix: literal(text), components: slices.CompactFunc(components, twice)}, nil
}

// literal returns a pattern's text before its first star or range, without the dot before **.
func literal(pattern string) string {
	pattern, _, _ = strings.Cut(pattern, "*")
	if before, _, ranged := strings.Cut(pattern, ".."); ranged {
		return before[:strings.LastIndexByte(before, '[')]
	}
	return strings.TrimSuffix(pattern, ".")
}

// MayMatch reports whether a path has the pattern's literal prefix, a much cheaper test than Match.
func (p *Pattern) MayMatch(path string) bool { return strings.HasPrefix(path, p.prefix) }

func (p *Pattern) String() string { return p.source }

// Match reports whether the whole path matches the pattern. It does not allocate. Its time is at most quadratic in
// the path's length: Match retries only the last ** (and, within a component, the last *), because the earliest match
// of the other parts leaves the longest rest of the path.
func (p *Pattern) Match(path string) bool {
	at, done := 0, false
	next := 0
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

// nextComponent returns the end of the component at position at, the start of the next component, and whether the
// component is the last.
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
