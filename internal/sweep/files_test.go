package sweep

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// TestHashOfRTL checks that exactly the files of a pin map's RTL decide its hash.
func TestHashOfRTL(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	for name, text := range map[string]string{
		"map.yml":      "model: star_coupler\nparameters: {D: 4, PHIT_BITS: 8}\ntop: top\nsources: [rtl/top.v]\ninclude: [inc]\n",
		"rtl/top.v":    "`include \"a.vh\"\nmodule top; initial $readmemh(\"data.hex\", memory); endmodule\n",
		"inc/a.vh":     "`include \"b.vh\"\n",
		"inc/b.vh":     "// b\n",
		"inc/sub.v":    "module sub; endmodule\n",
		"rtl/data.hex": "00\n",
		"rtl/other.v":  "module other; endmodule\n",
	} {
		write(name, text)
	}
	hash := func() string {
		h, err := new(files).hashMap(filepath.Join(dir, "map.yml"), pinmap.Library{Twins: twin.All()})
		require.NoError(t, err)
		return h
	}
	before := hash()
	require.Equal(t, before, hash())
	write("rtl/other.v", "changed")
	require.Equal(t, before, hash(), "no one names it")
	for _, name := range []string{"rtl/top.v", "inc/a.vh", "inc/b.vh", "inc/sub.v", "rtl/data.hex"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		write(name, string(data)+"\n")
		after := hash()
		require.NotEqual(t, before, after, name)
		before = after
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "rtl/top.v")))
	_, err := new(files).hashMap(filepath.Join(dir, "map.yml"), pinmap.Library{Twins: twin.All()})
	require.ErrorContains(t, err, "top.v cannot be read")
}
