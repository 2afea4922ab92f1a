//go:build linux

package prove

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
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

var limit = flag.Duration("limit", 0, "let the engines try for so long (default: a minute, two with -full)")

var keep = flag.String("keep", "", "keep the folders of proofs in this one")

func library() pinmap.Library {
	return pinmap.Library{Twins: append(twin.All(), pops.Twin()),
		Backends: []cosim.Backend{verilator.Wasm(), icarus.Backend()}}
}

func twinMap(t testing.TB, name string, p twin.Parameters) *pinmap.Map {
	m, err := pinmap.OfTwin(library(), name, p, "")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func mutantMap(t testing.TB, mutant twin.Mutant, p twin.Parameters) *pinmap.Map {
	m := twinMap(t, mutant.Twin.Name, p)
	dir := filepath.Join(testCache, mutant.Twin.Name, strings.ReplaceAll(mutant.Name, " ", "-"))
	require.NoError(t, os.MkdirAll(dir, 0o777))
	files, err := mutant.WriteSources(dir)
	require.NoError(t, err)
	m.Source.Files, m.Source.IncludeDirs = files, []string{dir}
	m.Build.Cache = testCache
	return m
}

func runProof(t testing.TB, m *pinmap.Map, o Options) *Report {
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

// TestLongTwins proves that twins equal themselves: a twin of each kind, with -full all twins.
func TestLongTwins(t *testing.T) {
	for _, tw := range library().Twins {
		if !*full && !slices.Contains([]string{"fifo", "arbiter_matrix", "light_tap", "crosspoint"}, tw.Name) {
			continue
		}
		t.Run(tw.Name, func(t *testing.T) {
			if slices.Contains(undecidedTwins, tw.Name) {
				t.Skip("see docs/explanation/proof.md")
			}
			require.Equal(t, Equal, runProof(t, twinMap(t, tw.Name, nil), Options{Limit: fullLimit()}).Verdict)
		})
	}
}

// undecidedTwins are too large with their first parameters (64-bit products, a whole datapath, a router whose buffers
// and routes start at any value and have no views), or follow outputs of the RTL.
var undecidedTwins = []string{"coin", "pops_slot", "vc_router", "async_fifo"}

// TestNoProofBesideAFollower checks that RTL cannot be proved equal to a model that follows its outputs.
func TestNoProofBesideAFollower(t *testing.T) {
	m := twinMap(t, "async_fifo", nil)
	m.Source, m.Image = cosim.Source{}, "../twin/testdata/twins/async_fifo.wasm"
	r := runProof(t, m, Options{})
	require.Equal(t, Undecided, r.Verdict)
	require.Equal(t, "async_fifo accepts full_o, empty_o from the RTL within bounds; a proof needs a model that "+
		"defines them", r.Reason)
}

// fullLimit is the time limit of the engines.
func fullLimit() time.Duration {
	if *limit > 0 {
		return *limit
	}
	if *full {
		return 2 * time.Minute
	}
	return time.Minute
}

// TestMutant checks that the engines refute a mutant that random inputs would find, too.
func TestMutant(t *testing.T) {
	refuted(t, twin.Mutants(library().Twins)[slices.IndexFunc(twin.Mutants(library().Twins), func(m twin.Mutant) bool {
		return m.Twin.Name == "arbiter_round_robin" && m.Name == "missing reset"
	})])
}

// slowToRefute are twins whose mutants take long to refute.
var slowToRefute = []string{"coin", "vc_router", "counter", "requester"}

// TestLongMutants checks that the engines refute a mutant of every fifth twin without random inputs, with -full all
// mutants.
func TestLongMutants(t *testing.T) {
	done := map[string]int{}
	for _, mutant := range twin.Mutants(library().Twins) {
		if mutant.Twin.Name == "async_fifo" {
			continue // TestNoProofBesideAFollower
		}
		done[mutant.Twin.Name]++
		if !*full && (done[mutant.Twin.Name] != 2 || len(done)%5 != 0 || slices.Contains(slowToRefute, mutant.Twin.Name)) {
			continue
		}
		t.Run(mutant.Twin.Name+": "+mutant.Name, func(t *testing.T) { refuted(t, mutant) })
	}
}

// deepMutants may stay undecided: they differ so late after a reset that a router has too many states by then.
// Buffers must be full, or all credits spent, with the parameters that show them.
var deepMutants = []string{"vc_router: ring one flit short", "vc_router: only VCs with credit are asked for"}

// refuted requires the engines to refute a mutant with some parameters. All sets get a short time limit first.
func refuted(t *testing.T, mutant twin.Mutant) {
	deep := slices.Contains(deepMutants, mutant.Twin.Name+": "+mutant.Name)
	for _, limit := range []time.Duration{fullLimit() / 12, fullLimit()} {
		for _, p := range mutant.Twin.Sets {
			r := runProof(t, mutantMap(t, mutant, p), Options{Limit: limit, engines: true})
			require.NotEqual(t, "random inputs", r.FoundBy)
			if r.Verdict == Differs {
				return
			}
			if r.Verdict == Undecided { // for lack of time only
				require.True(t, r.Late, r.Reason)
			}
		}
		if deep {
			return
		}
	}
	require.Fail(t, "not refuted")
}
