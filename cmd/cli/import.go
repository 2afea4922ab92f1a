package cli

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/internal/booksim"
	"starloom/traces"
	"starloom/traces/input"
)

func newImport(networks starloom.Networks) *cobra.Command {
	parent := &cobra.Command{
		Use: "import", Short: "Write scenarios from files of other tools", Args: cobra.ArbitraryArgs, RunE: group,
	}
	parent.AddCommand(newImportBookSim(networks))
	return parent
}

func newImportBookSim(networks starloom.Networks) *cobra.Command {
	var files outputs
	var arrivals string
	c := &cobra.Command{
		Use:   "booksim FILE.cfg [KEY=VALUE...]",
		Short: "Write the scenario of a configuration of BookSim 2, with a verdict on each line",
		Args:  atLeastOne("FILE.cfg"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	out := files.add(c.Flags(), "output", "o", "write to `SCENARIO.yaml` (default: standard output)", nil)
	c.Flags().StringVar(&arrivals, "arrivals", "", "take packets from the file `PACKETS.csv`, in place of random ones")
	c.RunE = func(c *cobra.Command, args []string) error {
		out.path = cmp.Or(out.path, "-")
		inputs := []string{args[0]}
		if arrivals != "" {
			inputs = append(inputs, arrivals)
		}
		if err := files.check(inputs...); err != nil {
			return err
		}
		data, name, err := input.Argument(args[0], scenarioBytesMax)
		if err != nil {
			return input.Unreadable(name, err, "give a configuration of BookSim 2")
		}
		paths := importPaths{configuration: args[0], scenario: out.path}
		source := &booksim.Source{Name: name, Data: data, Words: args[1:], Read: func(path string) ([]byte, error) {
			return input.Read(paths.find(path), scenarioBytesMax)
		}, Locate: func(path string) string { return paths.relative(paths.find(path)) }}
		if arrivals != "" {
			source.Arrivals = paths.relative(arrivals)
		}
		made, err := booksim.Import(source)
		if err != nil {
			return err
		}
		return writeImported(c, networks, &files, out, made)
	}
	return c
}

// writeImported writes a scenario that Starloom accepts, and the table of the import.
func writeImported(c *cobra.Command, networks starloom.Networks, files *outputs, out *output,
	made *booksim.Imported,
) error {
	scenario, err := networks.ParseScenario(out.path, made.Scenario)
	if err == nil {
		_, err = scenario.Explain(c.Context())
	}
	var wrong *starloom.InputError
	if errors.As(err, &wrong) {
		return input.Mistake(c.CommandPath(), "the scenario of this configuration is refused: "+wrong.Error(),
			"change the configuration")
	} else if err != nil {
		return fault(err)
	}
	var written traces.Files
	defer written.Abort()
	file, err := out.open(&written)
	if err == nil {
		_, err = file.Write(made.Scenario)
	}
	if err != nil {
		return err
	}
	if err := written.Commit(); err != nil {
		return fault(err)
	}
	return made.WriteText(files.text(c))
}

// importPaths finds files that a configuration names.
type importPaths struct{ configuration, scenario string }

// find returns the path of a file: from the working folder, as BookSim reads it, otherwise from the folder of the
// configuration.
func (p *importPaths) find(path string) string {
	if _, err := os.Stat(path); err != nil && !filepath.IsAbs(path) {
		if beside := filepath.Join(filepath.Dir(p.configuration), path); p.configuration != input.StandardInput {
			if _, err := os.Stat(beside); err == nil {
				return beside
			}
		}
	}
	return path
}

// relative returns a path as the scenario names it: relative to the scenario's folder.
func (p *importPaths) relative(path string) string {
	if p.scenario == "-" || filepath.IsAbs(path) {
		return path
	}
	if relative, err := filepath.Rel(filepath.Dir(p.scenario), path); err == nil {
		return filepath.ToSlash(relative)
	}
	return path
}
