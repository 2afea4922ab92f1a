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
		"DEAF testdata/misread.sv:32:3", "DEAF testdata/misread.sv:33:3", "CASESIGN testdata/misread.sv:34:15",
		"STATICINIT testdata/misread.sv:36:52", "STATICINIT testdata/misread.sv:37:25",
		"CASESIGN testdata/misread.sv:39:34", "CASESIGN testdata/misread.sv:40:34",
		"STREAM testdata/misread.sv:41:27", "STREAM testdata/misread.sv:42:29", "STREAM testdata/misread.sv:43:16",
		"SUMWIDTH testdata/misread.sv:44:28", "CASESIGN testdata/misread.sv:45:31", "SUMWIDTH testdata/misread.sv:46:27",
	}, places)
	require.Contains(t, found[0].Text, "always @* does not wait for k, which f reads ")
}
