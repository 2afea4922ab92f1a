package systemtest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Update is the flag that rewrites golden files.
var Update = flag.Bool("update", false, "rewrite the golden files of this package")

// Golden compares got with the file testdata/name, or rewrites it under -update.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *Update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test -run %s -update writes it", t.Name())
	require.Equal(t, string(want), got, "if this is meant: go test -run %s -update", t.Name())
}

// Small is a good scenario that cases append to; it ends at line 3.
const Small = `starloom: 1
fabric: {pops: {groups: 2, group_size: 2}}
firmware: {program: pops/random}
`

// BadScenario is a scenario that must be refused. schema says that the JSON
// Schema refuses it too.
type BadScenario struct {
	Name, Text string
	Schema     bool
}
