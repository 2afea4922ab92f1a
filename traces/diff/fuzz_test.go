package diff

import (
	"bytes"
	"compress/gzip"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/traces/internal/tracetest"
)

// pairsOf is the number of compared pairs of waveforms, half of them equal.
func pairsOf(t *testing.T) int {
	if *full {
		return 10_000
	}
	if testing.Short() {
		return 100
	}
	return 500
}

// saved writes a waveform as a VCD, packed or not, or now and then as an FST.
func saved(t *testing.T, random *rand.Rand, folder, name, text string, fst bool) string {
	path := filepath.Join(folder, name)
	data := []byte(text)
	if random.IntN(4) == 0 && !fst {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write(data)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		data = b.Bytes()
	}
	require.NoError(t, os.WriteFile(path, data, 0o666))
	if fst {
		tracetest.Run(t, "vcd2fst", path, path+".fst")
		return path + ".fst"
	}
	return path
}

// TestDiffOfInventedPairs compares random waveforms, written in many unusual forms. An independent second reader
// reads both completely and decides whether they are equal; the verdicts must agree.
func TestDiffOfInventedPairs(t *testing.T) {
	folder := t.TempDir()
	started := time.Now()
	pairs, equals, differents, kept, empty := pairsOf(t), 0, 0, 0, 0
	for seed := range uint64(pairs) {
		random := rand.New(rand.NewPCG(seed, 99))
		a := tracetest.Invent(random)
		b := a
		if seed%2 == 1 {
			b = a.Differ(random)
		}
		fst := seed%50 < 2 && len(b.Changes) > 0 // without any, vcd2fst writes no whole file
		event := slices.ContainsFunc(a.Signals, func(s tracetest.Invention) bool { return s.Type == "event" })
		style := tracetest.Style{Exact: random.IntN(4) > 0, GTKWave: fst, Pauses: random.IntN(2) == 0 && !(fst && event)}
		textA, textB := a.Write(random, style), b.Write(random, style)
		readA, err := tracetest.Parse(textA)
		require.NoError(t, err, "seed %d:\n%s", seed, textA)
		readB, err := tracetest.Parse(textB)
		require.NoError(t, err, "seed %d:\n%s", seed, textB)
		same, times := readA.Same(readB)
		require.True(t, same || b != a, "seed %d: one waveform, written twice:\n%s\n%s", seed, textA, textB)
		r, err := Files(context.Background(), saved(t, random, folder, "a.vcd", textA, false), saved(t, random, folder, "b.vcd", textB, fst), Options{})
		if times == 0 {
			require.ErrorContains(t, err, "the files are never dumped at the same time ($dumpoff)", "seed %d", seed)
			continue
		}
		if !readA.Valued() && !readB.Valued() {
			require.ErrorContains(t, err, "neither file has a value of a compared signal", "seed %d", seed)
			empty++
			continue
		}
		require.NoError(t, err, "seed %d:\n%s\n%s", seed, textA, textB)
		require.Equal(t, same, !r.Differs(), "seed %d: %s\n%s\n%s\n%+v", seed, r.Verdict, textA, textB, r)
		valued := 0
		for path, w := range readA.Waves {
			if o := readB.Waves[path]; w.Type == "event" || len(w.Steps)+len(o.Steps) > 0 {
				valued++
			}
		}
		if same && style.Exact && !fst && !style.Pauses && valued == len(readA.Waves) {
			glitches := slices.DeleteFunc(slices.Clone(r.Skipped), func(what string) bool { return !strings.Contains(what, "at the same time") })
			require.Equal(t, glitches, r.Skipped, "seed %d", seed)
			require.Equal(t, len(glitches) == 0, r.Verdict == VerdictEqual, "seed %d: %q", seed, r.Skipped)
		}
		if r.GoesOn == nil { // else not all is read
			require.Equal(t, valued, r.Compared+len(r.Shapes), "seed %d", seed)
		}
		require.False(t, r.Verdict == VerdictEqual && valued < len(readA.Waves), "seed %d: a signal without a value", seed)
		if same {
			equals++
		} else {
			differents++
			kept += r.Differing
		}
	}
	t.Logf("%d pairs, %d equal, %d different, %d without values, in %v", pairs, equals, differents, empty, time.Since(started).Round(time.Millisecond))
	require.Greater(t, equals, pairs*9/20)
	require.Positive(t, empty)
	require.Greater(t, differents, pairs*2/5, "what is planted makes a difference")
}
