package plan

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	checker "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v4"
)

var update = flag.Bool("update", false, "write the schema")

// TestSchema compares the schema with that for editors, and checks that it accepts what Parse accepts and refuses
// errors of form.
func TestSchema(t *testing.T) {
	data, err := Schema()
	require.NoError(t, err)
	const committed = "../../../examples/sweeps/sweep.schema.json"
	if *update {
		require.NoError(t, os.WriteFile(committed, data, 0o666))
	}
	want, err := os.ReadFile(committed)
	require.NoError(t, err)
	require.Equal(t, string(want), string(data), "go test ./internal/sweep/plan -update")

	document, err := checker.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	compiler := checker.NewCompiler()
	require.NoError(t, compiler.AddResource("sweep.schema.json", document))
	schema, err := compiler.Compile("sweep.schema.json")
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
	examples, err := filepath.Glob("../../../examples/sweeps/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	for _, path := range examples {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, fits(text), path)
		_, err = Load(path)
		require.NoError(t, err)
	}
	for text, ok := range map[string]bool{
		"scenario: s.yaml\naxes: {a: {key: k, values: [1, two]}}\nseeds: 1..3\nzip: [[a, b]]\nwhere: a < 1\nslurm: {partition: all}": true,
		"scenario: {starloom: 1}\nstarloom: 1\naxes: {a: {settings: {x: {l: 1}}}}\nseeds: 4":                                         true,
		"scenario: s.yaml\naxes: {a: {key: k, range: {from: 1, to: 2, times: 2}}}":                                                   true,
		"axes: {a: {key: k, values: [1]}}":                                          false,
		"scenario: s.yaml":                                                          false,
		"scenario: s.yaml\naxes: {}":                                                false,
		"scenario: s.yaml\naxes: {a: {key: k}}":                                     false,
		"scenario: s.yaml\naxes: {a: {values: [1]}}":                                false,
		"scenario: s.yaml\naxes: {a: {key: k, values: []}}":                         false,
		"scenario: s.yaml\naxes: {a: {key: k, values: [1], range: [1, 2, 1]}}":      false,
		"scenario: s.yaml\naxes: {a b: {key: k, values: [1]}}":                      false,
		"scenario: s.yaml\naxes: {a: {key: k, range: [1, 2]}}":                      false,
		"scenario: s.yaml\naxes: {a: {key: k, range: {from: 1, to: 2}}}":            false,
		"scenario: s.yaml\naxes: {a: {key: k, values: [1]}}\nseeds: [1, 2]":         false,
		"scenario: s.yaml\naxes: {a: {key: k, values: [1]}}\nzip: [[a]]":            false,
		"scenario: s.yaml\naxes: {a: {key: k, values: [1]}}\nstarloom: 2\nseeds: 1": false,
	} {
		require.Equal(t, ok, fits([]byte(text)) == nil, text)
		p, err := parse(t, text)
		if err == nil && ok {
			require.NotNil(t, p)
		}
		if !ok {
			require.Error(t, err, text)
		}
	}
}
