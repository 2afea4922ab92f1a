package cli

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/outcome"
	"starloom/traces"
)

// junitFile is the form that continuous integration servers read.
type junitFile struct {
	Suite struct {
		Name     string  `xml:"name,attr"`
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Time     float64 `xml:"time,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Time    string `xml:"time,attr"`
			Output  string `xml:"system-out"`
			Failure *struct {
				Message string `xml:"message,attr"`
				Text    string `xml:",chardata"`
			} `xml:"failure"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func readJUnit(t *testing.T, path string) (file junitFile) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(data, &file))
	require.Len(t, file.Suite.Cases, file.Suite.Tests)
	require.Positive(t, file.Suite.Time)
	return file
}

// TestSweepJUnit checks that the JUnit form of a sweep has a test case for each point with its time, and that failed
// runs fail it, and the command, only with --fail-on-violation.
func TestSweepJUnit(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario,
		"sweep.yaml": "scenario: s.yaml\naxes: {limit: {key: stop.slots, values: [1, 1000]}}\nseeds: 1..3\n"})
	r := starloomIn(t, dir, "sweep", "sweep.yaml", "--out", "out", "--junit", "r.xml")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stdout, "r.xml\n")
	file := readJUnit(t, filepath.Join(dir, "r.xml"))
	require.Equal(t, 2, file.Suite.Tests)
	require.Zero(t, file.Suite.Failures)
	require.Equal(t, "limit=1", file.Suite.Cases[0].Name)
	require.NotEmpty(t, file.Suite.Cases[0].Time)
	require.Contains(t, file.Suite.Cases[0].Output, "3 of 3 runs failed; the first one: limit=1 --seed 1, finishes\n"+
		"starloom run s.yaml --set stop.slots=1 --seed 1")

	r = starloomIn(t, dir, "sweep", "sweep.yaml", "--out", "out", "--junit", "r.xml", "--fail-on-violation")
	require.Equal(t, statusFail, r.status, r.stderr)
	file = readJUnit(t, filepath.Join(dir, "r.xml"))
	require.Equal(t, 1, file.Suite.Failures)
	require.Equal(t, "3 of 3 runs failed: finishes", file.Suite.Cases[0].Failure.Message)
	require.Nil(t, file.Suite.Cases[1].Failure)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "passes.yaml"),
		[]byte("scenario: s.yaml\naxes: {limit: {key: stop.slots, values: [1000]}}\n"), 0o666))
	r = starloomIn(t, dir, "sweep", "passes.yaml", "--out", "passes", "--fail-on-violation")
	require.Equal(t, statusPass, r.status, r.stderr)
}

// TestCheckJUnit checks the JUnit forms of a check that passes, of one that differs, of a map with lists, and of a
// check of firmware.
func TestCheckJUnit(t *testing.T) {
	dir := checkFolder(t, "")
	args := []string{"cosim", "check", "m.yml", "--cycles", "1000", "--junit", "r.xml", "--json", "r.json"}
	r := starloomIn(t, dir, args...)
	require.Equal(t, statusPass, r.status, r.stderr)
	file := readJUnit(t, filepath.Join(dir, "r.xml"))
	require.Equal(t, 1, file.Suite.Tests)
	require.Zero(t, file.Suite.Failures)
	require.Contains(t, file.Suite.Cases[0].Output, "pass: no difference found")
	var written struct{ Provenance traces.Provenance }
	require.NoError(t, json.Unmarshal([]byte(contents(t, dir, "r.json")), &written))
	sum := traces.SHA256([]byte(checkMap))
	require.Equal(t, traces.Provenance{Version: outcome.Version(), SHA256: sum}, written.Provenance)

	dir = checkFolder(t, "always @(posedge clk) if (!rst && v[0]) v <= 2;")
	require.Equal(t, statusFail, starloomIn(t, dir, args...).status)
	file = readJUnit(t, filepath.Join(dir, "r.xml"))
	require.Equal(t, 1, file.Suite.Failures)
	require.Contains(t, file.Suite.Cases[0].Failure.Message, "value_o (v) differs in cycle ")
	require.Contains(t, file.Suite.Cases[0].Failure.Text, "rtl.value_o")

	dir = listsFolder(t, "[1, 3]", "[1, 3]")
	require.Equal(t, statusFail, starloomIn(t, dir, args...).status)
	file = readJUnit(t, filepath.Join(dir, "r.xml"))
	require.Equal(t, []int{2, 1}, []int{file.Suite.Tests, file.Suite.Failures})
	require.Equal(t, "SEED=1 START=1", file.Suite.Cases[0].Name)
	require.NotNil(t, file.Suite.Cases[1].Failure)

	dir = folder(t, map[string]string{"s.yaml": smallScenario})
	r = starloomIn(t, dir, "firmware", "check", "pops/random", "s.yaml", "--fuzz", "0", "--junit", "f.xml")
	require.Equal(t, statusPass, r.status, r.stderr)
	file = readJUnit(t, filepath.Join(dir, "f.xml"))
	require.Equal(t, "firmware check pops/random", file.Suite.Cases[0].Name)
}
