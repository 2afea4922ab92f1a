package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/traces/input"
)

// TestOutputs checks that an output is refused if it would replace an input, use standard output a second time, or is
// neither a table nor a picture.
func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	scenario := filepath.Join(dir, "input.yaml")
	require.NoError(t, os.WriteFile(scenario, []byte("x"), 0o666))
	require.NoError(t, os.Symlink("input.yaml", filepath.Join(dir, "link")))
	for _, c := range []struct {
		name   string
		args   []string
		stream string
		wrong  string // reason for the refusal; "" for none
		csv    bool
	}{
		{name: "nothing"},
		{name: "files", args: []string{"--log", "a", "--json", "b", "--table", "c.csv"}, csv: true},
		{name: "standard output", args: []string{"--json", "-"}},
		{name: "a table on standard output", args: []string{"--table", "-"}, csv: true},
		{name: "twice", args: []string{"--log", "-", "--json", "-"}, wrong: "--json: standard output already receives the output of --log; give --json a file"},
		{name: "beside a stream", args: []string{"--log", "-"}, stream: "--replay", wrong: "--log: standard output already receives the output of --replay; give --log a file"},
		{name: "input", args: []string{"--json", scenario}, wrong: "--json: " + scenario + " is an input of the run; give another path"},
		{
			name: "input by another name", args: []string{"--log", filepath.Join(dir, "link")},
			wrong: "--log: " + filepath.Join(dir, "link") + " is an input of the run; give another path",
		},
		{
			name: "neither", args: []string{"--table", "t.png"},
			wrong: "--table: t.png ends in neither .csv nor .svg; give a path that ends in .csv for a table, in .svg for a picture",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log, json, csv, svg starloom.Output
			command := &cobra.Command{}
			all := outputs{stream: c.stream}
			all.to(command.Flags(), "log", "", &log).shared = true
			all.to(command.Flags(), "json", "", &json)
			all.tableOrPicture(command.Flags(), "table", "", &csv, &svg)
			require.NoError(t, command.ParseFlags(c.args))
			err := all.check(scenario, filepath.Join(dir, "none"))
			if c.wrong != "" {
				require.EqualError(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.csv, csv != starloom.Output{})
			require.Zero(t, svg)
			onStandard := all.list[1].path == "-" || all.list[2].path == "-"
			if onStandard {
				require.Equal(t, input.Printer(command.ErrOrStderr()), all.text(command))
			} else {
				require.Equal(t, input.Printer(command.OutOrStdout()), all.text(command))
			}
		})
	}
}

func TestNameOfATraceTellsItsFormat(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario})
	for option, remedy := range map[string]string{"--vcd x.txt": "write x.vcd", "--vcd x.pcapng": "write x.vcd", "--pcapng x.vcd": "write x.pcapng"} {
		r := starloomIn(t, dir, append([]string{"run", "s.yaml"}, strings.Fields(option)...)...)
		require.Equal(t, statusInput, r.status, r.stderr)
		require.Contains(t, r.stderr, remedy)
		require.NoFileExists(t, filepath.Join(dir, strings.Fields(option)[1]))
	}
}

func TestCiteIsTheCitationFile(t *testing.T) {
	cff, err := os.ReadFile("../../CITATION.cff")
	require.NoError(t, err)
	entry := starloomIn(t, t.TempDir(), "cite").stdout
	for _, key := range []string{"title", "license", "  - name"} {
		_, value, found := strings.Cut(string(cff), "\n"+key+": ")
		require.True(t, found, key)
		value, _, _ = strings.Cut(value, "\n")
		require.Contains(t, entry, strings.Trim(value, `"`))
	}
}
