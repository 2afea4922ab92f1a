package inloop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim/twin"
)

// TestNoComponentIsNamed checks that this package has no code for particular components.
func TestNoComponentIsNamed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	searched := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		searched++
		for _, tw := range twin.All() {
			for _, name := range append([]string{`"` + tw.Name}, tw.Components...) {
				require.NotContains(t, string(text), name, file)
			}
			model, err := tw.New(tw.Sets[0])
			require.NoError(t, err)
			for _, port := range model.Ports() {
				if port.Name != "reset" && port.Name != "clock" {
					require.NotContains(t, string(text), `"`+port.Name+`"`, file)
				}
			}
			require.NoError(t, model.Close())
		}
	}
	require.GreaterOrEqual(t, searched, 3)
}
