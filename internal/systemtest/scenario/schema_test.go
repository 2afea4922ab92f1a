package scenario

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	checker "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v4"
)

func typeOf(v any) reflect.Type { return reflect.TypeOf(v) }

// goodScenarioFiles lists scenarios that must be accepted.
func goodScenarioFiles(t testing.TB) []string {
	var files []string
	for _, glob := range []string{"examples/*.yaml", "examples/*/*.yaml", "testdata/scenarios/*.yaml"} {
		found, err := filepath.Glob(glob)
		require.NoError(t, err)
		require.NotEmpty(t, found, glob)
		files = append(files, found...)
	}
	return slices.DeleteFunc(files, func(path string) bool { return filepath.Base(filepath.Dir(path)) == "sweeps" })
}

func compileSchema(t *testing.T) *checker.Schema {
	t.Helper()
	data, err := starloom.Schema()
	require.NoError(t, err)
	document, err := checker.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	compiler := checker.NewCompiler()
	require.NoError(t, compiler.AddResource("scenario.schema.json", document))
	schema, err := compiler.Compile("scenario.schema.json")
	require.NoError(t, err)
	return schema
}

// asJSON converts YAML as an editor's language server does.
func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	var value any
	require.NoError(t, yaml.Unmarshal(text, &value))
	data, err := json.Marshal(value)
	require.NoError(t, err)
	document, err := checker.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	return document
}

// examples/scenario.schema.json is what editors read for the examples.
func TestSchemaCommitted(t *testing.T) {
	data, err := starloom.Schema()
	require.NoError(t, err)
	systemtest.Golden(t, "examples/scenario.schema.json", string(data))
}

func TestSchemaAndParserAccept(t *testing.T) {
	schema := compileSchema(t)
	for _, path := range goodScenarioFiles(t) {
		_, err := starloom.LoadScenario(path)
		require.NoError(t, err)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, schema.Validate(asJSON(t, data)), path)
	}
	require.NoError(t, schema.Validate(asJSON(t, []byte(systemtest.Small))))
}

// What a schema can express, the schema refuses too (TestBadScenarios shows that
// the parser refuses all of it).
func TestSchemaRefuses(t *testing.T) {
	schema := compileSchema(t)
	refused := 0
	for _, bad := range badScenarios {
		if bad.Schema {
			assert.Error(t, schema.Validate(asJSON(t, []byte(bad.Text))), bad.Name)
			refused++
		}
	}
	assert.Greater(t, refused, 50)
}

// Every key has a description for editors.
func TestSchemaDescribes(t *testing.T) {
	data, err := starloom.Schema()
	require.NoError(t, err)
	var schema struct {
		Defs map[string]struct {
			Properties           map[string]struct{ Description string }
			AdditionalProperties any
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(data, &schema))
	require.Contains(t, schema.Defs, "Scenario")
	for name, definition := range schema.Defs {
		assert.Equal(t, false, definition.AdditionalProperties, name)
		for key, property := range definition.Properties {
			assert.NotEmpty(t, property.Description, "%s.%s", name, key)
		}
	}
}
