package maps

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	checker "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/fabric/pops"
)

// TestPinSchema checks that the schema has the keys of a pin map, with a description each, that it accepts the examples
// and refuses errors of form.
func TestPinSchema(t *testing.T) {
	models := append(twin.All(), pops.Twin())
	data := PinSchema(models)
	var described struct {
		Properties map[string]struct{ Description string }
	}
	require.NoError(t, json.Unmarshal(data, &described))
	keys := (&pinDecoder{m: &pinmap.Map{}}).keys()
	require.ElementsMatch(t, slices.Collect(maps.Keys(keys)), slices.Collect(maps.Keys(described.Properties)))
	for key, p := range described.Properties {
		require.NotEmpty(t, p.Description, key)
	}

	document, err := checker.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	compiler := checker.NewCompiler()
	require.NoError(t, compiler.AddResource("pin.schema.json", document))
	schema, err := compiler.Compile("pin.schema.json")
	require.NoError(t, err)
	fits := func(text []byte) error {
		var value any
		require.NoError(t, yaml.Unmarshal(text, &value))
		data, err := json.Marshal(value)
		require.NoError(t, err)
		document, err := checker.UnmarshalJSON(bytes.NewReader(data))
		require.NoError(t, err)
		return schema.Validate(document)
	}
	accepted := 0
	for _, glob := range []string{"../../examples/rtl/*.yml", "../../examples/rtl/twins/*.yml", "../../cmd/cli/testdata/planted/*/*.yml"} {
		files, err := filepath.Glob(glob)
		require.NoError(t, err)
		for _, path := range files {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, fits(text), path)
			accepted++
		}
	}
	require.Greater(t, accepted, 60)
	for text, ok := range map[string]bool{
		"model: fifo\nclock: {clk: 1, slow: 1/4, late: {ratio: 1, phase: 1/2}}\nreset: [rst, {pin: n, active: low}]":      true,
		"model: fifo\nreset: {cycles: 4}\npins: {give: [0, credit]}\nsources: [-f a.f, {file: b.v, language: 1364-2001}]": true,
		"model: arbiter_fixed\nparameters: {REQUESTERS: [1, 2]}\nparams: {NUM: [1, 2], FILE: a.hex}\nassume: [a, b]":      true,
		"model: {top: a, sources: [a.v], params: {N: 4}, reset: {pin: r, active: low}}\ntop: b\nsources: [b.v]":           true,
		"top: b\nsources: [b.sv]\ngoals: only":                true,
		"model: fifo\ntop: b\nsources: [b.sv]\ngoals: beside": true,
		"top: b\nsources: [b.sv]\ngoals: beside":              false,
		"model: {sources: [a.v]}\ntop: b":                     false,
		"model: {top: a, sources: [a.v], ties: {}}":           false,
		"top: t":                                   false,
		"model: none":                              false,
		"model: fifo\npin: {}":                     false,
		"model: fifo\npins: {give: 2}":             false,
		"model: fifo\npins: {give: []}":            false,
		"model: fifo\nbackend: verilator":          false,
		"model: fifo\nreset: {pin: r, active: 0}":  false,
		"model: fifo\nstreams: {side: {axis: s}}":  false,
		"model: fifo\nparameters: {DEPTH: -1}":     false,
		"model: fifo\nties: {scan: off}":           false,
		"model: fifo\nsources: [{language: 2001}]": false,
	} {
		require.Equal(t, ok, fits([]byte(text)) == nil, text)
		_, err := ParsePins("m.yml", []byte(text), pinmap.Library{Twins: models})
		if !ok && text != "model: none" { // models are looked up when the map is opened
			require.Error(t, err, text)
		}
	}
}
