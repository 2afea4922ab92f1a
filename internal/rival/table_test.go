package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTable has three rounds of two figures, one without a rival's value, and a figure that is not a time.
func TestTable(t *testing.T) {
	figures := newTable()
	for _, round := range [][3]string{{"100", "50", "110"}, {"200", "80", "200"}, {"100", "90", "90"}} {
		for which, ns := range round {
			line := "goos: linux\nBenchmarkCycle/n=256,a-b-2   \t  30\t  " + ns + " ns/phit\t 5 MB\n"
			if which == 1 {
				line += "BenchmarkNew-2  1  7.0 s\n"
			}
			figures.note(which, []byte(line+"PASS\n"))
		}
	}
	var out bytes.Buffer
	require.NoError(t, figures.print(&out, "eb990aea"))
	require.Equal(t, `benchmark        unit     eb990aea  now  now:eb990aea  eb990aea:eb990aea  mark
Cycle/n=256,a-b  ns/phit  100       80   0.500         1.000              0.80
New              s        -         7    -             -                  -
`, out.String())
}
