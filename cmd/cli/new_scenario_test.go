package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v4"

	"starloom"
	"starloom/fabric"
)

// TestLongNewScenario checks for every program of every fabric that the written scenario ends as it states, and also
// lists the derived values.
func TestLongNewScenario(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	here := func(args ...string) result {
		var stdout, stderr bytes.Buffer
		status := execute(args, &stdout, &stderr)
		return result{status, stdout.String(), stderr.String()}
	}
	listed := here("new")
	require.Equal(t, statusPass, listed.status, listed.stderr)
	programs := 0
	for line := range strings.Lines(listed.stdout) {
		words := strings.Fields(strings.ReplaceAll(line, ",", ""))
		kind := words[0]
		made := here("new", kind)
		require.Equal(t, statusPass, made.status, made.stderr)
		require.Equal(t, "made "+kind+".yaml: starloom run "+kind+".yaml\n", made.stdout)
		uncommented(t, here, kind+".yaml")
		for _, program := range words[1:] {
			programs++
			file := strings.ReplaceAll(program, "/", "-") + ".yaml"
			r := here("new", kind, "--program", program, "-o", file)
			require.Equal(t, statusPass, r.status, r.stderr)
			_, command, _ := strings.Cut(strings.TrimSpace(r.stdout), ": starloom ")
			run := here(append(strings.Fields(command), "-q")...)
			require.Equal(t, statusPass, run.status, "%s\n%s", command, run.stderr)
			data, err := os.ReadFile(filepath.Join(dir, file))
			require.NoError(t, err)
			require.Contains(t, string(data), "'starloom "+command+"'")
			require.Contains(t, string(data), "\n  program: "+program)
			for line := range strings.Lines(string(data)) {
				require.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 120, line)
				require.Equal(t, strings.TrimRight(line, " \n"), strings.TrimRight(line, "\n"), "blanks at the end")
			}
		}
	}
	require.Equal(t, 33, programs)
}

// TestNewScenarioHasASchema checks that the first line of a new scenario names a schema beside it that accepts the
// scenario, which replaces only schemas, and that a refused scenario leaves no schema.
func TestNewScenarioHasASchema(t *testing.T) {
	dir := folder(t, nil)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o777))
	require.Equal(t, statusPass, starloomIn(t, dir, "new", "bus", "-o", "sub/bus.yaml").status)
	require.Equal(t, []string{"bus.yaml", "scenario.schema.json"}, list(t, filepath.Join(dir, "sub")))
	text, err := os.ReadFile(filepath.Join(dir, "sub/bus.yaml"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	require.Equal(t, "# yaml-language-server: $schema=scenario.schema.json", first)
	schema, err := os.ReadFile(filepath.Join(dir, "sub/scenario.schema.json"))
	require.NoError(t, err)
	require.Equal(t, starloomIn(t, dir, "schema").stdout, string(schema))
	require.Contains(t, string(schema), `"$id": "urn:starloom:scenario:1"`)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("scenario.schema.json", document))
	compiled, err := compiler.Compile("scenario.schema.json")
	require.NoError(t, err)
	var value any
	require.NoError(t, yaml.Unmarshal(text, &value))
	data, err := json.Marshal(value)
	require.NoError(t, err)
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	require.NoError(t, compiled.Validate(instance))

	other := filepath.Join(dir, "scenario.schema.json")
	for _, c := range []struct {
		there  string
		status int
	}{{`{"title": "Starloom scenario"}`, statusPass}, {"{}", statusInput}} {
		require.NoError(t, os.WriteFile(other, []byte(c.there), 0o666))
		r := starloomIn(t, dir, "new", "ej", "-o", "ej.yaml")
		require.Equal(t, c.status, r.status, r.stderr)
		now, err := os.ReadFile(other)
		require.NoError(t, err)
		require.Equal(t, c.status == statusInput, string(now) == c.there)
		if c.status == statusInput {
			require.NoFileExists(t, filepath.Join(dir, "ej.yaml"))
			require.Contains(t, r.stderr, "scenario.schema.json: this is not a schema of Starloom; move it")
		} else {
			require.NoError(t, os.Remove(filepath.Join(dir, "ej.yaml")))
		}
	}
	require.NotContains(t, starloomIn(t, dir, "new", "ej", "-o", "-").stdout, "yaml-language-server")
}

// TestSchemas checks that each kind of file has a schema with a name of its own, and that the old option works.
func TestSchemas(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range []string{"scenario", "sweep", "pin-map", "netlist"} {
		r := starloomIn(t, dir, "schema", kind)
		require.Equal(t, statusPass, r.status, r.stderr)
		require.Contains(t, r.stdout, `"$id": "urn:starloom:`+kind+`:1"`)
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(r.stdout))
		require.NoError(t, err)
		compiler := jsonschema.NewCompiler()
		require.NoError(t, compiler.AddResource("schema.json", document))
		compiled, err := compiler.Compile("schema.json")
		require.NoError(t, err)
		require.Error(t, compiled.Validate(map[string]any{"no such key": true}), kind)
		if kind == "netlist" {
			require.NoError(t, compiled.Validate(map[string]any{"name": "n", "nodes": map[string]any{"p[0..1]": "processor"},
				"links": []any{[]any{"p[0]:0", "p[1]:0"}}}))
			require.Error(t, compiled.Validate(map[string]any{"file": "f.yaml"}), "this is for scenarios")
		}
	}
	old := starloomIn(t, dir, "schema", "--sweep")
	require.Equal(t, starloomIn(t, dir, "schema", "sweep").stdout, old.stdout)
	require.Contains(t, old.stderr, "schema --sweep is now schema sweep")
	require.Contains(t, starloomIn(t, dir, "schema", "pinmap").stderr, `did you mean "pin-map"?`)
}

// uncommented checks that commented keys show the values in effect: as lines they change no digest.
func uncommented(t *testing.T, here func(args ...string) result, file string) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	keys := regexp.MustCompile(`(?m)^( *)# ((?:  )?)(seed|link|phit_bits|propagation_cycles|guard_cycles|nic|payload_bytes|rx_frames|tx_frames|stop|slots|mode):`)
	require.GreaterOrEqual(t, len(keys.FindAllString(string(data), -1)), 9, string(data))
	require.NoError(t, os.WriteFile("whole.yaml", keys.ReplaceAll(data, []byte("$1$2$3:")), 0o644))
	digest := regexp.MustCompile(`digest +(\w+)`)
	var digests []string
	for _, path := range []string{file, "whole.yaml"} {
		r := here("run", path)
		require.Equal(t, statusPass, r.status, r.stderr)
		digests = append(digests, digest.FindStringSubmatch(r.stdout)[1])
	}
	require.Equal(t, digests[0], digests[1], file)
}

// TestNewScenarioRefuses checks that existing files stay and that unknown names have a remedy.
func TestNewScenarioRefuses(t *testing.T) {
	dir := folder(t, map[string]string{"pops.yaml": "mine", "mine.wasm": "none"})
	for line, want := range map[string]string{
		"new pops":                               "--output: pops.yaml already exists; give another path",
		"new pops -o mine.wasm":                  "--output: mine.wasm already exists; give another path",
		"new pop":                                `starloom new: unknown fabric "pop"; did you mean "pops"? choose one of pops, crossbar, bus, ej`,
		"new pops --program pops/randm -o a":     `--program: pops has no program "pops/randm"; did you mean "pops/random"? it has pops/offline, `,
		"new bus --program pops/random":          `--program: bus has no program "pops/random"; it has bus/`,
		"new crossbar --set fabric.crossbar.x=1": `--set fabric.crossbar.x=1: unknown key "x" in fabric.crossbar; `,
		"new crossbar -o none/a.yaml":            "--output: ",
		"new crossbar bus":                       "accepts at most 1 arg",
	} {
		before := list(t, dir)
		r := starloomIn(t, dir, strings.Fields(line)...)
		require.Equal(t, statusInput, r.status, "%s: %s", line, r.stderr)
		require.Contains(t, r.stderr, want, line)
		require.Empty(t, r.stdout)
		require.Equal(t, before, list(t, dir))
	}
	mine, err := os.ReadFile(filepath.Join(dir, "pops.yaml"))
	require.NoError(t, err)
	require.Equal(t, "mine", string(mine))
	r := starloomIn(t, dir, "new", "pops", "--set", "fabric.pops.groups=9", "--set", "seed=7", "-o", "-")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Regexp(t, `(?m)^    groups: 9 `, r.stdout)
	require.Regexp(t, `(?m)^seed: 7\s`, r.stdout)
}

type bare struct{ square }

func (bare) Kind() string               { return "bare" }
func (bare) Programs() []fabric.Program { return nil }

// TestNewScenarioOfOwnNetworks checks networks of cli.Main, with their values or the smallest legal ones.
func TestNewScenarioOfOwnNetworks(t *testing.T) {
	t.Chdir(t.TempDir())
	r := squares(t, "new", "square", "--program", "pops/random")
	require.Equal(t, statusPass, r.status, r.stderr)
	data, err := os.ReadFile("square.yaml")
	require.NoError(t, err)
	require.Contains(t, string(data), "    side: 4 ")
	require.Contains(t, string(data), "groups, and processors of a group")
	r = squares(t, "run", "square.yaml")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, squares(t, "new").stdout, "square")
	o := newFlags{networks: starloom.Networks{bare{}}}
	_, err = o.assign(bare{})
	require.ErrorContains(t, err, "bare: this fabric has no programs and needs your own image; give one, --set "+
		"firmware.image=F.wasm")
	o.settings.words = []string{"firmware.image=mine.wasm"}
	_, err = o.assign(bare{square{}})
	require.NoError(t, err)
}
