//go:build linux

package maps

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/icarus"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/cosim/verilator"
)

var full = flag.Bool("full", false, "run the long tests")

// feature is a map of testdata/attach. Its first lines describe it:
//
//	# an unpacked array as an input            what it is about
//	# refused: port x is an inout              a part of the message; without it the map attaches
//	# remedy: map: OLD => NEW                  then: what the message says, done; in a source: FILE: OLD => NEW
//	# differs: rail1_o                         the RTL is wrong: the check says so
//	# fast                                     it runs in all tests
type feature struct {
	path, about, refused, differs string
	remedies                      []string
	fast                          bool
}

func features(t *testing.T) (all []feature) {
	paths, err := filepath.Glob("testdata/attach/*.yml")
	require.NoError(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		f := feature{path: path}
		for line := range strings.Lines(string(text)) {
			line, comment := strings.CutPrefix(strings.TrimRight(line, "\n"), "# ")
			if !comment {
				break
			}
			key, value, _ := strings.Cut(line, ": ")
			switch {
			case f.about == "":
				f.about = line
			case key == "refused":
				f.refused = value
			case key == "remedy":
				f.remedies = append(f.remedies, value)
			case key == "differs":
				f.differs = value
			case line == "fast":
				f.fast = true
			default:
				t.Fatalf("%s: %s", path, line)
			}
		}
		require.NotEmpty(t, f.about, path)
		all = append(all, f)
	}
	require.GreaterOrEqual(t, len(all), 60)
	return all
}

func attach(path string) (*lockstep.Report, error) {
	m, err := LoadPin(path, pinmap.Library{
		Twins: twin.All(), Backends: []cosim.Backend{verilator.Wasm(), icarus.Backend()},
	})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return lockstep.Run(context.Background(), m, lockstep.Options{Cycles: 3000, PowerOn: 2})
}

// TestAttach checks features of ports and languages, with a small module for each: it attaches, or is refused with a
// remedy that works.
func TestAttach(t *testing.T)     { runFeatures(t, true) }
func TestLongAttach(t *testing.T) { runFeatures(t, false) }

func runFeatures(t *testing.T, fast bool) {
	all := features(t)
	for _, f := range all {
		if f.fast != fast {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(f.path), ".yml"), func(t *testing.T) {
			t.Parallel()
			r, err := attach(f.path)
			if f.refused != "" {
				require.ErrorAs(t, err, new(*cosim.InputError))
				require.ErrorContains(t, err, f.refused)
				t.Log(err)
				if len(f.remedies) == 0 {
					return
				}
				r, err = attach(f.remedied(t))
			}
			require.NoError(t, err)
			if f.differs != "" {
				require.NotNil(t, r.Divergence, "it is wrong")
				require.Contains(t, r.Divergence.Text, f.differs)
				return
			}
			if r.Divergence != nil {
				t.Fatal(r.Divergence.Text)
			}
			require.Positive(t, r.Compared)
		})
	}
}

// remedied copies the folder and follows the remedy of the feature's message.
func (f *feature) remedied(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/attach")))
	for _, remedy := range f.remedies {
		file, edit, ok := strings.Cut(remedy, ": ")
		require.True(t, ok, remedy)
		if file == "map" {
			file = filepath.Base(f.path)
		}
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		old, fresh, ok := strings.Cut(edit, " => ")
		require.True(t, ok, remedy)
		_, body, _ := strings.Cut("\n"+string(text), "\nmodel") // skips the comments, which contain the text, too
		if file != filepath.Base(f.path) {
			body = string(text)
		}
		require.Contains(t, body, old, remedy)
		fixed := strings.Replace(body, old, strings.ReplaceAll(fresh, `\n`, "\n"), 1)
		if file == filepath.Base(f.path) {
			fixed = "model" + fixed
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(fixed), 0o666))
	}
	return filepath.Join(dir, filepath.Base(f.path))
}
