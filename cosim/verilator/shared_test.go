//go:build shared && unix

package verilator

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

// viaShared is the backend of native libraries.
func viaShared(t testing.TB, s cosim.Source, o cosim.Options) (cosim.Device, error) {
	defer compileOnce(s)()
	shared, err := BuildShared(context.Background(), s, cosim.BuildOptions{Cache: testCache})
	if err != nil {
		return nil, err
	}
	d, err := OpenShared(shared, o)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d, nil
}

func TestSharedConforms(t *testing.T) { testConformance(t, viaShared) }

// TestSharedDevicesAreApart: two devices of one library have two states.
func TestSharedDevicesAreApart(t *testing.T) {
	s := conforming("counter.v", "counter", "clk_i")
	a, b := bench(t, viaShared, s, cosim.Options{}), bench(t, viaShared, s, cosim.Options{})
	for _, d := range []*onBench{a, b} {
		d.reset()
		d.set("enable_i", 1)
	}
	require.NoError(t, a.Step(1, 100))
	require.NoError(t, b.Step(1, 3))
	require.EqualValues(t, 100, a.one("count_o"))
	require.EqualValues(t, 3, b.one("count_o"))
}

// TestSharedHeadersAreKept: gcc reads the headers once; where it does not take what it has kept,
// the library is built without, and the next build makes it again.
func TestSharedHeadersAreKept(t *testing.T) {
	cache := t.TempDir()
	libraries, err := filepath.Glob(filepath.Join(testCache, "runtime-*.o"))
	require.NoError(t, err)
	for _, path := range libraries {
		require.NoError(t, os.Link(path, filepath.Join(cache, filepath.Base(path))))
	}
	build := func() (headers []string) {
		built, err := BuildShared(context.Background(), conforming("adder.v", "adder"), cosim.BuildOptions{Cache: cache})
		require.NoError(t, err)
		require.NoError(t, os.Remove(filepath.Join(cache, built.Hash+".so")))
		headers, err = filepath.Glob(filepath.Join(cache, "*.gch"))
		require.NoError(t, err)
		return headers
	}
	headers := build()
	require.Len(t, headers, 1)
	require.NoError(t, os.WriteFile(headers[0], []byte("broken"), 0o644))
	require.Empty(t, build())
}

func init() {
	buildLibrary = func() error {
		_, err := BuildShared(context.Background(), conforming("adder.v", "adder"), cosim.BuildOptions{})
		return err
	}
	moreBackends = append(moreBackends, struct {
		name string
		open backend
	}{"shared", viaShared})
}
