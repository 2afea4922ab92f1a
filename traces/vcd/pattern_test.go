package vcd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamePatterns(t *testing.T) {
	for _, c := range []struct{ pattern, name, want string }{
		{"a.b", "a.b", "|"}, {"a.b", "a.c", ""}, {"a.*", "a.b", "|b"}, {"a.*", "a.b.c", ""}, {"a.**", "a.b.c", "|b.c"}, {"a.**", "a", "|"},
		{"a.**", "ab", ""}, {"**.c", "c", "|"}, {"**.c", "a.b.c", "|a.b"}, {"**.c", "abc", ""}, {"a.**.c", "a.c", "|"}, {"a.**.c", "a.b.b.c", "|b.b"}, {"**", "a.b", "|a.b"},
		{"g[*].c[*]", "g[3].c[12]", "|3|12"}, {"g[*]", "g[a]", ""}, {"g[*].x", "g[+rho^2].x", "|+rho^2"}, {"g[*].x", "g[-1].x", "|-1"}, {"g[+rho].x", "g[+rho].x", "|"}, {"g[+rho].x", "g[+rho^2].x", ""}, {"g[2..5]", "g[5]", "|5"}, {"g[2..5]", "g[6]", ""}, {"a*c_*", "abc_d", "|b|d"},
		{"a.b[3]", "a.b[3]", "|"}, {"a+b", "a+b", "|"}, {"a.b", "axb", ""},
	} {
		p, err := CompilePattern(c.pattern)
		require.NoError(t, err)
		got := ""
		if parts := p.Match(c.name); parts != nil {
			got = "|" + strings.Join(parts[1:], "|")
		}
		require.Equal(t, c.want, got, "%s %s", c.pattern, c.name)
	}
	require.Equal(t, "x_a_b_$3_$", Expand("x_$1_${2}_$3_$", []string{"", "a", "b"}))
}
