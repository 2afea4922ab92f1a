// Command rival compares benchmarks with those of an earlier commit on one machine in one session.
//
//	git archive COMMIT + today's benchmarks --go test -c--> rival --+
//	working folder ---------------------------go test -c--> now ----+--> rounds: rival, now, rival again --> medians
//
// For every time it prints a line with the rival's median, the median over the rounds of the ratio of now to the
// rival, of the ratio of the rival to itself, which is the noise of a ratio on this machine, and the mark, the largest
// ratio that is a goal. `make bench-rival` runs this command.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

var renamed = strings.NewReplacer(
	"m.own.Shards[i].Ledger", "m.shards[i].ledger", "m.own.Shards", "m.shards", "m.own.Shape", "m.shape",
	"m.Timing()", "m.timing",
)

func main() {
	commit := flag.String("commit", "c36f724c", "the rival")
	bench := flag.String("bench", ".", "benchmarks, as for go test")
	times := flag.String("benchtime", "1s", "of each benchmark in each round, as for go test")
	rounds := flag.Int("rounds", 9, "rounds: each runs the rival, the working folder and the rival again")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"."}
	}
	if err := run(*commit, *bench, *times, *rounds, packages); err != nil {
		fmt.Fprintln(os.Stderr, "rival:", err)
		os.Exit(1)
	}
}

func run(commit, bench, times string, rounds int, packages []string) error {
	work, err := os.MkdirTemp("", "starloom-rival-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := unpack(commit, work); err != nil {
		return err
	}
	t := newTable()
	for _, p := range packages {
		if err := copyBenchmarks(p, work); err != nil {
			return err
		}
		sides := [2]string{filepath.Join(work, p), filepath.Join(here, p)}
		if _, err := os.Stat(sides[0]); err != nil {
			sides[0] = work // early commits have these benchmarks in their root package
		}
		var programs [2]string
		for side, folder := range sides {
			programs[side] = filepath.Join(work, fmt.Sprintf("bench%d.test", side))
			if _, err := command(folder, "go", "test", "-vet=off", "-c", "-o", programs[side], "."); err != nil {
				return err
			}
		}
		for round := range rounds {
			order := []int{0, 1, 2} // 2 is the rival again
			if round%2 == 1 {
				order = []int{2, 1, 0}
			}
			for _, which := range order {
				side := which % 2
				out, err := command(sides[side], programs[side], "-test.run=^$", "-test.bench="+bench,
					"-test.benchtime="+times, "-test.timeout=2h")
				if err != nil {
					return err
				}
				t.note(which, out)
			}
		}
	}
	return t.print(os.Stdout, commit)
}

func command(folder, name string, args ...string) ([]byte, error) {
	c := exec.Command(name, args...)
	c.Dir = folder
	var failed bytes.Buffer
	c.Stderr = &failed
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s in %s: %w\n%s%s", name, folder, err, out, failed.Bytes())
	}
	return out, nil
}

func unpack(commit, folder string) error {
	archive, err := command(".", "git", "archive", "--format=tar", commit)
	if err != nil {
		return err
	}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		to := filepath.Join(folder, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return err
		}
	}
}

func copyBenchmarks(p, work string) error {
	files, err := filepath.Glob(filepath.Join(p, "*_bench_test.go"))
	if err != nil {
		return err
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		to := filepath.Join(work, name)
		if _, err := os.Stat(to); err != nil {
			continue
		}
		if err := os.WriteFile(to, []byte(renamed.Replace(string(content))), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compared lists the units of compared figures: times of this program, or ratios to a C++ program in the same round.
// Memory and the C++ program's own time are not compared.
var compared = []string{"ns/phit", "banked-ns", "isolated-ns", "plain-ns", "us/frame", "cpu-s", "s"}

// table holds figures[benchmark and unit][which][round]. which is 0 for the rival, 1 for the working folder, 2 for
// the rival again.
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
		if cut := strings.LastIndexByte(name, '-'); cut > 0 { // the suffix is the number of processors
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

func (t *table) print(w io.Writer, commit string) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(columns, "benchmark\tunit\t%s\tnow\tnow:%s\t%s:%s\tmark\n", commit, commit, commit, commit)
	for _, name := range t.names {
		f := t.figures[name]
		switch {
		case len(f[1]) == 0:
		case len(f[0]) != len(f[1]) || len(f[2]) != len(f[1]):
			fmt.Fprintf(columns, "%s\t-\t%.4g\t-\t-\t-\n", name, median(f[1]))
		default:
			fmt.Fprintf(columns, "%s\t%.4g\t%.4g\t%.3f\t%.3f\t%s\n", name, median(f[0]), median(f[1]),
				median(ratios(f[1], f[0])), median(ratios(f[2], f[0])), mark(commit, name))
		}
	}
	return columns.Flush()
}

// marks are the largest ratios of now to a commit that are goals, by first and last words of benchmarks. The first
// counts.
var marks = []struct {
	commit, first, last string
	ratio               float64
}{
	{"eb990aea", "Link/", "/senders=16", 0.97},
	{"eb990aea", "Link/", "", 0.92},
	{"eb990aea", "Cycle/", "", 0.8},
}

func mark(commit, name string) string {
	for _, m := range marks {
		if m.commit == commit && strings.HasPrefix(name, m.first) && strings.HasSuffix(name, m.last) {
			return fmt.Sprintf("%.2f", m.ratio)
		}
	}
	return "-"
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
