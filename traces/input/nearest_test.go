package input

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	words := []string{"load", "store", "call", "call_host", "a_round_robin", "a_round_robin_3"}
	for word, want := range map[string]string{
		"laod": "load", "Laod": "load", "olad": "load", "loda": "load", "stoer": "store", "strore": "store", "storr": "store", "cal_lhost": "call_host",
		"host": "call_host", "a_rr": "a_round_robin", "b_rr": "", "a_rr_3": "a_round_robin_3", "dola": "", "x": "", "": "",
	} {
		require.Equal(t, want, Nearest(word, words), word)
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"ab", "ba", 1}, {"abc", "acb", 1}, {"abcd", "badc", 2}, {"ca", "abc", 3}, {"kitten", "sitting", 3}, {"a", "b", 1},
	} {
		require.Equal(t, c.want, editDistance(c.a, c.b), "%s %s", c.a, c.b)
		require.Equal(t, c.want, editDistance(c.b, c.a), "%s %s", c.b, c.a)
	}
}
