package maps

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// TestModelOfRTL checks the defaults of a model that is RTL, and that mistakes have their place, a reason and a remedy.
func TestModelOfRTL(t *testing.T) {
	parsed := func(text string) (*pinmap.Map, error) {
		return ParsePin("dir/m.yml", []byte(text), pinmap.Library{Twins: twin.All()})
	}
	m, err := parsed("model: {top: fifo, sources: [old.v], params: {W: 8, INIT: \"8'hff\"}}\ntop: queue\nsources: [new.v]\n" +
		"params: {N: $W}\nclock: clk\nreset: {pin: rst_n, active: low}")
	require.NoError(t, err)
	g := m.Given()
	require.Equal(t, []string{"dir/old.v"}, g.Source.Files)
	require.Equal(t, []any{"fifo", "clk", "rst_n", true, true}, []any{m.Model, g.Clock, g.Reset, g.ResetLow, g.Assumed})
	require.Equal(t, twin.Parameters{"W": 8}, m.Parameters)
	require.Equal(t, []string{"dir/m.yml", "", "dir/new.v", "dir/old.v"}, m.Files())
	require.Equal(t, []string{"din"}, m.PinsOf("din"))
	require.Equal(t, "dir/m.yml:1:30", m.Place("model.sources[0]"))
	valued, values, err := m.Valued()
	require.NoError(t, err)
	require.Equal(t, "8", valued.Source.Params["N"])
	require.Equal(t, []string{"N=8"}, values)

	m, err = parsed("model: {top: a, sources: [a.v], clock: CK, reset: R}\ntop: b\nsources: [b.v]\nclock: clk\nreset: {cycles: 4}")
	require.NoError(t, err)
	g = m.Given()
	require.Equal(t, []any{"CK", "R", false, "clk", ""}, []any{g.Clock, g.Reset, g.Assumed, m.Clock, m.Reset})
	m, err = parsed("model: {top: a, sources: [a.v], clock: CK, reset: R}\ntop: b\nsources: [b.v]")
	require.NoError(t, err)
	require.Equal(t, []any{"CK", "R"}, []any{m.Clock, m.Reset})

	points, err := ParsePins("m.yml", []byte("model: {top: a, sources: [a.v], params: {N: [2, 5]}}\ntop: b\nsources: [b.v]\n"+
		"params: {M: $N, W: [1, 3]}"), pinmap.Library{})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"N=2", "W=1"}, {"N=5", "W=3"}}, [][]string{points[0].Values, points[1].Values})
	require.Equal(t, twin.Parameters{"N": 5}, points[1].Parameters)
	require.Equal(t, "5", points[1].Given().Source.Params["N"])
	require.Equal(t, "2", points[0].Given().Source.Params["N"])

	for text, want := range map[string]string{
		"model: {top: a}\ntop: b":                                        "dir/m.yml:1:8: the model has no source",
		"model: {sources: [a.v]}\ntop: b":                                "dir/m.yml:1:8: the model names no top module",
		"model: [a]":                                                     "dir/m.yml:1:8: model is a list; write the name of a model, or RTL",
		"model: {top: a, sources: [a.v], ties: {x: 0}}":                  `dir/m.yml:1:33: unknown key "ties" in model`,
		"model: {top: a, sources: [a.v], clock: {c: 2}}":                 "dir/m.yml:1:8: the model has several clocks or a ratio",
		"model: {top: a, sources: [a.v], reset: [r, s]}":                 "dir/m.yml:1:8: the model has several resets",
		"model: {top: a, sources: [a.v], reset: {pin: r, cycles: 2}}":    "dir/m.yml:1:8: the model's reset has a length",
		"model: {top: a, sources: [a.v]}\nparameters: {N: 2}":            "dir/m.yml:2:13: parameters apply to a named model",
		"model: {top: a, sources: [a.v]}\nstreams: {in: {axis: s_axis}}": "dir/m.yml:2:10: streams apply to a named model",
	} {
		_, err := parsed(text)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, ";", "a remedy")
	}
}
