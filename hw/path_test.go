package hw

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPath(t *testing.T) {
	require.NoError(t, CheckPath("pops.group[3].coupler[1][4294967295]._x9"))
	for _, label := range []string{"+1", "+rho", "+rho^2", "-1", "-rho", "-rho^2"} {
		require.NoError(t, CheckPath("ej.node[27].dim[1].port["+label+"].tx"))
	}
	assert.Equal(t, "a.b[7].c", Join("a", Index("b", 7), "c"))
}

func TestPathRefused(t *testing.T) {
	for path, place := range map[string]string{
		"":                "character 1: found the end",
		".a":              "character 1: found '.'",
		"a.":              "character 3: found the end",
		"a..b":            "character 3: found '.'",
		"9a":              "character 1: found '9'",
		"a b":             "character 2: found ' '",
		"a[]":             "character 3: found ']'",
		"a[01]":           "character 3: found '0'",
		"a[4294967296]":   "character 3: found '4'",
		"a[1":             "character 4: found the end",
		"a[1]b":           "character 5: found 'b'",
		"a[-]":            "character 3: found '-'",
		"a[rho]":          "character 3: found 'r'",
		"a[+rho":          "character 7: found the end",
		"a[+rho.x]":       "character 7: found '.'",
		"a[+rho+1]":       "character 7: found '+'",
		"a[*]":            "character 3: found '*'",
		"a.*":             "character 3: found '*'",
		"a.b\u00e9":       "character 4: found '\u00e9'",
		"a[99999999999\n": "character 3: found '9'",
	} {
		err := CheckPath(path)
		if assert.Error(t, err, path) {
			assert.Contains(t, err.Error(), place)
			assert.Contains(t, err.Error(), "allowed: ")
		}
	}
}

func TestPatternMatch(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no string // space separated
	}{
		{"pops.group[3].coupler[1]", "pops.group[3].coupler[1]", "pops.group[3].coupler[10] pops.group[3] pops.group[3].coupler[1].light"},
		{"pops.group[*].coupler[2..5]", "pops.group[0].coupler[2] pops.group[99].coupler[5]", "pops.group[0].coupler[1] pops.group[0].coupler[6] pops.group.coupler[3] pops.group[0].coupler"},
		{"pops.group[0].**", "pops.group[0] pops.group[0].a pops.group[0].a[1].b.c", "pops.group[1].a pops.group pops"},
		{"**", "a a.b a[1].b", ""},
		{"**.light.rail*", "light.rail1 a.b.light.rail0", "a.light a.light.rail1.x"},
		{"**.a.**.b", "a.b x.a.b a.a.x.b.b", "a b.a x.b"},
		{"*.cou*er[1]", "x.coupler[1] x[3].couer[1]", "coupler[1] x.coupler[11] x.coupler"},
		{"a.*", "a.b a.b[3] a.b[3][4]", "a a.b.c b.b"},
		{"*b*[2..3]", "b[2] abc[3] bb[1][3]", "b[1] b[2].x a[2]"},
		{"a[0..4294967295]", "a[0] a[4294967295]", "a[4294967296] a[] a"},
		{"**.**", "a a.b a.b.c", ""},
		{"n[*].dim[1].port[*]", "n[2].dim[1].port[+rho] n[2].dim[1].port[-rho^2] n[0].dim[1].port[3]", "n[2].dim[1].port[+rho].tx n[2].dim[1].port n[2].dim[2].port[+1]"},
		{"n.port[+rho]", "n.port[+rho]", "n.port[+rho^2] n.port[-rho] n.port[+rho].x"},
		{"n.port[0..5]", "n.port[3]", "n.port[+1] n.port[+rho]"},
		{"**.port[-1]", "n[3].port[-1]", "n[3].port[1] n[3].port[+1]"},
	} {
		p, err := CompilePattern(c.pattern)
		require.NoError(t, err)
		assert.Equal(t, c.pattern, p.String())
		for _, path := range strings.Fields(c.yes) {
			assert.True(t, p.Match(path), "%s should match %s", c.pattern, path)
			assert.True(t, p.MayMatch(path), "%s begins like %s", path, c.pattern)
		}
		for _, path := range strings.Fields(c.no) {
			assert.False(t, p.Match(path), "%s should not match %s", c.pattern, path)
		}
	}
}

func TestPatternRefused(t *testing.T) {
	for pattern, place := range map[string]string{
		"":            "character 1: found the end",
		"a.**b":       "character 5: found 'b'",
		"a**":         "character 3: found '*'",
		"a.***":       "character 5: found '*'",
		"a[5..2]":     "character 6: found '2'; allowed: an index from 5 on",
		"a[2..]":      "character 6: found ']'",
		"a[..2]":      "character 3: found '.'",
		"a[2.3]":      "character 4: found '.'",
		"a[*":         "character 4: found the end",
		"a[1]*":       "character 5: found '*'",
		"a?":          "character 2: found '?'",
		"a[2..3..4]":  "character 7: found '.'",
		"pops.gr oup": "character 8: found ' '",
	} {
		_, err := CompilePattern(pattern)
		if assert.Error(t, err, pattern) {
			assert.Contains(t, err.Error(), place)
		}
	}
}

func TestPatternMatchAllocatesNothing(t *testing.T) {
	p, err := CompilePattern("**.group[*].c*[2..5].**")
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(100, func() { p.Match("pops.group[3].coupler[1].light.rail1") }))
}

// slowMatch implements the grammar by exhaustive search.
func slowMatch(pattern [][]pathToken, components []string) bool {
	if len(pattern) == 0 {
		return len(components) == 0
	}
	if pattern[0][0].kind == tokenDeep {
		return slowMatch(pattern[1:], components) || len(components) > 0 && slowMatch(pattern, components[1:])
	}
	return len(components) > 0 && slowComponent(pattern[0], components[0]) && slowMatch(pattern[1:], components[1:])
}

func slowComponent(tokens []pathToken, s string) bool {
	if len(tokens) == 0 {
		return s == ""
	}
	if tokens[0].kind == tokenStar {
		return slowComponent(tokens[1:], s) || s != "" && slowComponent(tokens, s[1:])
	}
	size := tokens[0].match(s)
	return size > 0 && slowComponent(tokens[1:], s[size:])
}

func FuzzPattern(f *testing.F) {
	f.Add("pops.group[*].**.c*[2..5]", "pops.group[3].a.coupler[4]")
	f.Add("**.a.**.b*a*", "a.a.b.bab")
	f.Add("*[1]", "a[1][1]")
	f.Add("a[", "a..b")
	f.Add("n[*].port[+rho].*", "n[3].port[+rho].tx")
	f.Add("**.port[*]", "n[3].port[-rho^2]")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if CheckPath(path) == nil {
			literal, err := CompilePattern(path)
			require.NoError(t, err, "every path is a pattern")
			require.True(t, literal.Match(path))
		}
		p, err := CompilePattern(pattern)
		if err != nil || len(pattern) > 40 || len(path) > 40 {
			return
		}
		require.Equal(t, slowMatch(p.components, strings.Split(path, ".")), p.Match(path), "%q on %q", pattern, path)
		require.True(t, p.MayMatch(path) || !p.Match(path), "%q on %q", pattern, path)
	})
}
