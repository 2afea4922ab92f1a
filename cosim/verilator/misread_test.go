//go:build linux

package verilator

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

// TestMisread: what Verilator simulates otherwise than the source says is warned of, and nothing else.
func TestMisread(t *testing.T) {
	text, err := Flatten(t.Context(), cosim.Source{Top: "misread", Files: []string{"testdata/misread.sv"}}, cosim.BuildOptions{Cache: t.TempDir()}, "doubts",
		func(f *Flat) ([]byte, error) { return json.Marshal(f.Doubts) })
	require.NoError(t, err)
	var found []cosim.Warning
	require.NoError(t, json.Unmarshal(text, &found))
	var places []string
	for _, w := range found {
		places = append(places, w.Code+" "+w.Place)
	}
	require.Equal(t, []string{
		"DEAF testdata/misread.sv:25:3", "DEAF testdata/misread.sv:26:3", "CASESIGN testdata/misread.sv:27:15",
		"STATICINIT testdata/misread.sv:29:52", "STATICINIT testdata/misread.sv:30:25",
	}, places)
	require.Contains(t, found[0].Text, "always @* does not wait for k, which f reads ")
}
