package starloom

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestArrivalsFile: a scenario and its copies read a file of packets once, and again after a change.
func TestArrivalsFile(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	packets := write("packets.csv", "source,destination,size,created\n1,2,3,4\n0,3,1,0\n")
	s, err := LoadScenario(write("mesh.yaml", `starloom: 1
fabric: {netlist: {mesh: {k: [2, 2]}, router: {}}}
workload: {traffic: {arrivals: file, file: packets.csv}}
`))
	require.NoError(t, err)
	first, err := s.traffic()
	require.NoError(t, err)
	require.Len(t, first.Rows, 2)
	require.Equal(t, uint32(3), first.Rows[0].Destination) // by creation
	other := *s
	again, err := other.traffic()
	require.NoError(t, err)
	require.Same(t, &first.Rows[0], &again.Rows[0])
	require.NoError(t, os.WriteFile(packets, []byte("source,destination,size,created\n1,2,3,4\n0,3,1,9\n"), 0o644))
	require.NoError(t, os.Chtimes(packets, time.Time{}, time.Now().Add(time.Minute)))
	changed, err := s.traffic()
	require.NoError(t, err)
	require.Equal(t, uint64(9), changed.Rows[1].Created)
	require.NoError(t, os.Remove(packets))
	_, err = s.traffic()
	require.ErrorContains(t, err, "packets.csv")
}
