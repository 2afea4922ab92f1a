//go:build linux

package prove

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/icarus"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/cosim/verilator"
	"starloom/fabric/pops"
)

var (
	only = flag.String("only", "", "twins of TestTwins and TestMutants")
	keep = flag.String("keep", "", "keep the folders of proofs in this one")
)

// library is all that maps can name.
func library() pinmap.Library {
	return pinmap.Library{Twins: append(twin.All(), pops.Twin()), Backends: []cosim.Backend{verilator.Wasm(), icarus.Backend()}}
}

// twinMap is the map of a twin.
func twinMap(t *testing.T, name string, p twin.Parameters) *pinmap.Map {
	m, err := pinmap.OfTwin(library(), name, p, "")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// mutantMap is the map of a twin with a mistake.
func mutantMap(t *testing.T, mutant twin.Mutant, p twin.Parameters) *pinmap.Map {
	m := twinMap(t, mutant.Twin.Name, p)
	dir := filepath.Join(testCache, mutant.Twin.Name, strings.ReplaceAll(mutant.Name, " ", "-"))
	require.NoError(t, os.MkdirAll(dir, 0o777))
	files, err := mutant.WriteSources(dir)
	require.NoError(t, err)
	m.Source.Files, m.Source.IncludeDirs = files, []string{dir}
	m.Build.Cache = testCache
	return m
}

func runProof(t *testing.T, m *pinmap.Map, o Options) *Report {
	begun := time.Now()
	if *keep != "" {
		o.Folder = filepath.Join(*keep, strings.NewReplacer("/", "-", " ", "-", ":", "").Replace(t.Name()))
		require.NoError(t, os.MkdirAll(o.Folder, 0o777))
	}
	r, err := Run(context.Background(), m, o)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, r.WriteText(&b))
	t.Logf("%s\nengines %v, %.1f s of %.1f s", b.String(), r.Engines, r.Took.Seconds(), time.Since(begun).Seconds())
	return r
}

// TestTwins: every twin equals itself.
func TestTwins(t *testing.T) {
	for _, tw := range library().Twins {
		if *only != "" && *only != tw.Name {
			continue
		}
		t.Run(tw.Name, func(t *testing.T) {
			require.Equal(t, Equal, runProof(t, twinMap(t, tw.Name, nil), Options{}).Verdict)
		})
	}
}

// TestMutants: every mutant is refuted.
func TestMutants(t *testing.T) {
	for _, mutant := range twin.Mutants(library().Twins) {
		if *only != "" && *only != mutant.Twin.Name {
			continue
		}
		t.Run(mutant.Twin.Name+": "+mutant.Name, func(t *testing.T) {
			for _, p := range mutant.Twin.Sets {
				if runProof(t, mutantMap(t, mutant, p), Options{}).Verdict == Differs {
					return
				}
			}
			require.Fail(t, "not refuted")
		})
	}
}
