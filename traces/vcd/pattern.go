package vcd

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"starloom/traces/input"
)

// Pattern matches names of signals. * stands for any characters without a dot, [*] for an index or a label such as
// +rho, [2..5] for the indices 2 to 5, and ** for any characters, or as a whole component for any number of
// components, including none. A name without any of these matches only itself.
//
//	tb.u_dut.**
//	pops.group[*].coupler[*].out
//	TOP.link[2..5].data_o
//
// In a template, $1, $2 ... are the matches of the first, second ... * or **.
type Pattern struct {
	source string
	expr   *regexp.Regexp
	ranges map[int][2]uint64 // ranges by capture
}

// IsPattern reports whether text is a pattern rather than a plain name with indices.
func IsPattern(text string) bool { return strings.Contains(text, "*") || rangeToken.MatchString(text) }

var (
	rangeToken   = regexp.MustCompile(`\[\d+\.\.\d+\]`)
	patternToken = regexp.MustCompile(`^\*\*\.|\.\*\*\.|\.\*\*$|\*\*|\[\*\]|\*|\[\d+\.\.\d+\]`)
)

// CompilePattern compiles a pattern. Errors describe the mistake in source.
func CompilePattern(source string) (*Pattern, error) {
	if source == "" {
		return nil, fmt.Errorf("the pattern is empty: write a name, * for a part of a name, ** for any number of scopes")
	}
	p := &Pattern{source: source, ranges: map[int][2]uint64{}}
	var expr strings.Builder
	captures, at := 0, 0
	for _, found := range patternToken.FindAllStringIndex(source, -1) {
		expr.WriteString(regexp.QuoteMeta(source[at:found[0]]))
		at = found[1]
		captures++
		switch token := source[found[0]:found[1]]; token {
		case "**":
			expr.WriteString(`(.*)`)
		case "**.":
			expr.WriteString(`(?:(.*)\.)?`)
		case ".**.":
			expr.WriteString(`\.(?:(.*)\.)?`)
		case ".**":
			expr.WriteString(`(?:\.(.*))?`)
		case "*":
			expr.WriteString(`([^.]*)`)
		case "[*]":
			expr.WriteString(`\[(-?\d+|[+-][\w^]+)\]`)
		default: // a range
			low, high, err := parseIndexes(token)
			if err != nil {
				return nil, err
			}
			p.ranges[captures] = [2]uint64{low, high}
			expr.WriteString(`\[(\d+)\]`)
		}
	}
	expr.WriteString(regexp.QuoteMeta(source[at:]))
	var err error
	p.expr, err = regexp.Compile(`^(?s:` + expr.String() + `)$`)
	return p, err
}

func parseIndexes(token string) (low, high uint64, err error) {
	first, last, _ := strings.Cut(token[1:len(token)-1], "..")
	low, err = strconv.ParseUint(first, 10, 64)
	if err == nil {
		high, err = strconv.ParseUint(last, 10, 64)
	}
	if err != nil || high < low {
		return 0, 0, fmt.Errorf("%s is not a range of indexes: write the smaller one first, such as [2..5]", token)
	}
	return low, high, nil
}

// Match returns the matches of the stars, nil if the name does not match.
func (p *Pattern) Match(name string) []string {
	parts := p.expr.FindStringSubmatch(name)
	for capture, limits := range p.ranges {
		if parts == nil {
			return nil
		}
		index, err := strconv.ParseUint(parts[capture], 10, 64)
		if err != nil || index < limits[0] || index > limits[1] {
			return nil
		}
	}
	return parts
}

var reference = regexp.MustCompile(`\$(?:(\d+)|\{(\w+)\})`)

// Expand replaces $1 and ${1} in a name by the matches of a pattern.
func Expand(template string, parts []string) string {
	return reference.ReplaceAllStringFunc(template, func(text string) string {
		if n, err := strconv.Atoi(strings.Trim(text, "${}")); err == nil && n < len(parts) {
			return parts[n]
		}
		return text
	})
}

// CheckTemplate rejects references to stars that the pattern does not have.
func (p *Pattern) CheckTemplate(template string) error {
	for _, found := range reference.FindAllStringSubmatch(template, -1) {
		n, err := strconv.Atoi(found[1] + found[2])
		if err == nil && (n == 0 || n > p.expr.NumSubexp()) {
			return fmt.Errorf("%q refers to $%d, but %q has %d stars", template, n, p.source, p.expr.NumSubexp())
		}
	}
	return nil
}

// Patterns is a list of alternatives. A name must match one of them.
type Patterns []*Pattern

// CompilePatterns compiles the patterns of an option. Errors are *input.Error at the option.
func CompilePatterns(sources []string, option string) (list Patterns, err error) {
	for _, source := range sources {
		p, err := CompilePattern(source)
		if err != nil {
			return nil, input.Mistake(option, err.Error(), "correct the pattern")
		}
		list = append(list, p)
	}
	return list, nil
}

// Match reports whether a name matches any of the patterns.
func (l Patterns) Match(name string) bool {
	for _, p := range l {
		if p.Match(name) != nil {
			return true
		}
	}
	return false
}
