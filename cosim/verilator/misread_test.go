//go:build linux

package verilator

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
)

// doubts returns the warnings about the module with the name of its file in testdata.
func doubts(t *testing.T, top string) (found []cosim.Warning, places []string) {
	text, err := Flatten(t.Context(), cosim.Source{Top: top, Files: []string{"testdata/" + top + ".sv"}}, cosim.BuildOptions{Cache: t.TempDir()}, "doubts",
		func(f *Flat) ([]byte, error) { return json.Marshal(f.Doubts) })
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &found))
	for _, w := range found {
		places = append(places, w.Code+" "+strings.TrimPrefix(w.Place, "testdata/"+top+".sv:"))
	}
	return found, places
}

// TestEffects checks the warnings about calls with effects that Verilator makes unlike the source, inout arguments
// that are not copied, and variables that do not keep their values.
func TestEffects(t *testing.T) {
	if cosimtest.Since(t, "verilator", 5, 48) {
		_, err := Flatten(t.Context(), cosim.Source{Top: "effects", Files: []string{"testdata/effects.sv"}}, cosim.BuildOptions{Cache: t.TempDir()}, "doubts", nil)
		require.ErrorContains(t, err, "effects.sv:31:37: Functions cannot invoke tasks")
		return
	}
	found, places := doubts(t, "effects")
	require.Equal(t, []string{
		"STATIC 28:49", "STATIC 29:52", "EFFECT 34:28", "EFFECT 35:20", "EFFECT 36:20", "EFFECT 37:29", "EFFECT 38:19", "EFFECT 39:16", "EFFECT 39:29",
		"EFFECT 40:12", "EFFECT 41:26", "EFFECT 42:19", "EFFECT 43:11", "EFFECT 44:20", "EFFECT 45:20", "INOUT 46:5", "INOUT 47:5", "INOUT 48:5",
		"EFFECT 50:19", "EFFECT 50:35",
	}, places)
	require.Contains(t, found[0].Text, "t of last, which is not automatic, is read before it is written")
	require.Contains(t, found[2].Text, "up writes more than its own variables, and is called only if its operand is "+
		"evaluated")
}

// TestMisread checks that there are warnings about exactly the constructs that Verilator simulates differently from
// the source.
func TestMisread(t *testing.T) {
	found, places := doubts(t, "misread")
	wanted := []string{
		"DEAF 32:3", "DEAF 33:3", "CASESIGN 34:15",
		"STATICINIT 36:52", "STATICINIT 37:25",
		"CASESIGN 39:34", "CASESIGN 40:34",
		"STREAM 41:27", "STREAM 42:29", "STREAM 43:16",
		"SUMWIDTH 44:28", "CASESIGN 45:31", "SUMWIDTH 46:27",
	}
	if cosimtest.Since(t, "verilator", 5, 32) { // this version reports it once per function
		wanted = slices.DeleteFunc(wanted, func(place string) bool { return place == "STATICINIT 36:52" })
	}
	if cosimtest.Since(t, "verilator", 5, 48) { // reads these as the standard says
		wanted = slices.DeleteFunc(wanted, func(place string) bool {
			return slices.Contains([]string{"CASESIGN 34:15", "STATICINIT 37:25", "STREAM 41:27", "STREAM 42:29"}, place)
		})
	}
	require.Equal(t, wanted, places)
	require.Contains(t, found[0].Text, "always @* does not wait for k, which f reads ")
}
