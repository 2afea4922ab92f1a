package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// compared are the units of figures that say how long something took, in processor time or beside a C++ program of the same
// round; memory, and the C++ program's own time, are not compared.
var compared = []string{"ns/phit", "banked-ns", "isolated-ns", "plain-ns", "us/frame", "cpu-s", "s"}

// table holds figures[benchmark and unit][which][round]: 0 the rival, 1 the working folder, 2 the rival again.
type table struct {
	names   []string
	figures map[string]*[3][]float64
}

func newTable() *table { return &table{figures: map[string]*[3][]float64{}} }

func (t *table) note(which int, out []byte) {
	for line := range bytes.Lines(out) {
		words := strings.Fields(string(line))
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(words[0], "Benchmark")
		if cut := strings.LastIndexByte(name, '-'); cut > 0 { // processors of this machine
			name = name[:cut]
		}
		for k := 2; k+1 < len(words); k += 2 {
			value, err := strconv.ParseFloat(words[k], 64)
			if err != nil || !slices.Contains(compared, words[k+1]) {
				continue
			}
			key := name + "\t" + words[k+1]
			if t.figures[key] == nil {
				t.figures[key] = &[3][]float64{}
				t.names = append(t.names, key)
			}
			t.figures[key][which] = append(t.figures[key][which], value)
		}
	}
}

// print writes a line for each figure; of one that the rival does not print, what it is now.
func (t *table) print(w io.Writer, commit string) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(columns, "benchmark\tunit\t%s\tnow\tnow:%s\t%s:%s\n", commit, commit, commit, commit)
	for _, name := range t.names {
		f := t.figures[name]
		switch {
		case len(f[1]) == 0:
		case len(f[0]) != len(f[1]) || len(f[2]) != len(f[1]):
			fmt.Fprintf(columns, "%s\t-\t%.4g\t-\t-\n", name, median(f[1]))
		default:
			fmt.Fprintf(columns, "%s\t%.4g\t%.4g\t%.3f\t%.3f\n", name, median(f[0]), median(f[1]), median(ratios(f[1], f[0])), median(ratios(f[2], f[0])))
		}
	}
	return columns.Flush()
}

func ratios(a, b []float64) (all []float64) {
	for k := range a {
		all = append(all, a[k]/b[k])
	}
	return all
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
