package cli

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v4"
)

// workflowStep is a step of a GitHub workflow.
type workflowStep struct {
	Name, Run, If string
}

// TestLongPipeline runs the steps of the workflow of examples/pipeline after the installation of tools, unchanged,
// and then with a mistake in the firmware, which every report must name.
func TestLongPipeline(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS("../../examples/pipeline")))
	var workflow struct {
		Jobs struct {
			Validate struct{ Steps []workflowStep }
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, ".github/workflows/firmware.yml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &workflow))
	steps := workflow.Jobs.Validate.Steps

	summary := stepsAfterInstallation(t, folder, steps, 0)
	require.Equal(t, "out/check.json: pass\nout/checked.json: pass\nout/deadline.json: pass\nout/nominal.json: pass\nout/survival.json: fail\n", summary)
	require.Equal(t, []string{
		"check.json", "checked.json", "checked.wasm", "checked.xml", "deadline.json", "deadline.xml", "nominal.json", "nominal.xml",
		"router.wasm", "router_test", "sdk", "survival.csv", "survival.json", "unit.xml",
	}, list(t, filepath.Join(folder, "out")))
	require.Equal(t, 0, failures(t, folder, "nominal"))
	require.Equal(t, 0, failures(t, folder, "checked"))
	unit, text := junit(t, folder, "unit")
	require.Equal(t, junitSuite{Tests: 5}, unit, "%s", text)

	// Similar to the mistake of the guide: a packet that was sent odds times is always sent.
	source := filepath.Join(folder, "src/router.c")
	text, err = os.ReadFile(source)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(source, []byte(replaceOnce(t, string(text), "s->sent + least < first", "s->sent < first + least")), 0o644))
	for i := range steps {
		steps[i].Run = strings.Replace(steps[i].Run, "--keep-going ci", "--keep-going unit checked nominal", 1) // the quick ones
	}
	summary = stepsAfterInstallation(t, folder, steps, 2)
	require.Contains(t, summary, "out/checked.json: fail\n")
	require.Contains(t, summary, "out/nominal.json: pass\n", "seed 1 does not show it")
	require.Equal(t, 10, failures(t, folder, "checked"))
	unit, text = junit(t, folder, "unit")
	require.Equal(t, 5, unit.Tests)
	require.Positive(t, unit.Failures)
	require.Contains(t, string(text), "keeps_trying")
	require.Contains(t, string(text), "sl_random_below: 1 <= bound")
	report, err := os.ReadFile(filepath.Join(folder, "out/checked.xml"))
	require.NoError(t, err)
	require.Regexp(t, regexp.QuoteMeta("assertion `sl_random_below: 1 &lt;= bound` failed in data_slot at router.c:")+`\d+"`, string(report))
	require.Contains(t, string(report), "    in on_slot at router.c:")

	// Machines may fail, but bad input must not count as a failure of a machine.
	scenario := filepath.Join(folder, "scenarios/faults.yaml")
	text, err = os.ReadFile(scenario)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(scenario, []byte(replaceOnce(t, string(text), "rate: 0.02", "rate: 2")), 0o644))
	require.Contains(t, makeIn(t, folder, 2, "survival"), "faults.yaml:18:")
}

// stepsAfterInstallation runs the steps and returns the summary that they write. The step named validate must end
// with this status; later steps run if their conditions allow it.
func stepsAfterInstallation(t *testing.T, folder string, steps []workflowStep, status int) string {
	t.Helper()
	summary := filepath.Join(t.TempDir(), "summary")
	ran := []string{}
	for _, step := range steps {
		if step.Run == "" || strings.HasPrefix(step.Name, "install") {
			continue
		}
		ran = append(ran, step.Name)
		command := exec.Command("bash", "-e", "-o", "pipefail", "-c", step.Run)
		command.Dir = folder
		command.Env = append(os.Environ(), "STARLOOM="+binary, "GITHUB_STEP_SUMMARY="+summary)
		out, _ := command.CombinedOutput()
		want := 0
		if step.Name == "validate" {
			want = status
		} else {
			require.Equal(t, "always()", step.If)
		}
		require.Equal(t, want, command.ProcessState.ExitCode(), "%s", out)
	}
	require.Equal(t, []string{"validate", "summary"}, ran)
	text, err := os.ReadFile(summary)
	require.NoError(t, err)
	return string(text)
}

// failures returns the number of failed test cases in a JUnit file of the pipeline, with which the JSON must agree.
func failures(t *testing.T, folder, name string) int {
	t.Helper()
	suite, _ := junit(t, folder, name)
	var report struct{ Verdict string }
	text, err := os.ReadFile(filepath.Join(folder, "out", name+".json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &report))
	require.Equal(t, suite.Failures == 0, report.Verdict == "pass")
	return suite.Failures
}

// junitSuite has the counts of a JUnit file.
type junitSuite struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
}

// junit reads a JUnit file of the pipeline with one suite.
func junit(t *testing.T, folder, name string) (junitSuite, []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "out", name+".xml"))
	require.NoError(t, err)
	var suites struct {
		Suites []junitSuite `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal(text, &suites), "%s", text)
	require.Len(t, suites.Suites, 1)
	return suites.Suites[0], text
}

// TestPipelineTools checks that the workflow installs the tools of `make tools`.
func TestPipelineTools(t *testing.T) {
	workflow, err := os.ReadFile("../../examples/pipeline/.github/workflows/firmware.yml")
	require.NoError(t, err)
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	packages := regexp.MustCompile(`--no-install-recommends (.*)`).FindStringSubmatch(string(workflow))
	require.NotNil(t, packages)
	ofBuildEssential := map[string]bool{"gcc": true, "libc6-dev": true, "make": true}
	for _, name := range strings.Fields(packages[1]) {
		require.True(t, ofBuildEssential[name] || strings.Contains(string(makefile), ":"+name), name)
	}
}
