package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom/cosim/refmodel"
	"starloom/firmware"
	"starloom/traces/input"
)

// isModel reports whether a source is a model of the user, in C or C++.
func isModel(source string) bool {
	return slices.Contains([]string{".c", ".cc", ".cpp", ".cxx"}, filepath.Ext(source))
}

// buildModel compiles a model of the user to an image, and prints its ports.
func (o *cosimBuildFlags) buildModel(c *cobra.Command, sources []string) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"output", "define", "include"}, f.Name) {
			err = input.Mistake("--"+f.Name, "is for RTL, but "+sources[0]+" is a model in C or C++",
				"delete it; -o, -D and -I remain")
		}
	})
	if err != nil {
		return err
	}
	if at := slices.IndexFunc(sources, func(s string) bool { return !isModel(s) }); at >= 0 {
		return input.Mistake(sources[at], "is not a C or C++ source, but "+sources[0]+" is one", "build RTL and models apart")
	}
	if o.wasm.path == "" {
		o.wasm.path = strings.TrimSuffix(sources[0], filepath.Ext(sources[0])) + ".wasm"
	}
	text := o.outputs.text(c)
	verify := func(image []byte) error {
		m, err := refmodel.Load(image)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(text, 0, 0, 2, ' ', 0)
		fmt.Fprint(table, "port\tdirection\tbits\n")
		for _, p := range m.Ports() {
			direction := map[bool]string{false: "output", true: "input"}[p.Input]
			if p.Clock {
				direction = "clock"
			}
			fmt.Fprintf(table, "%s\t%s\t%d\n", p.Name, direction, p.Bits)
		}
		if err := table.Flush(); err != nil {
			return err
		}
		return m.Close()
	}
	return firmware.Build(c.Context(), firmware.BuildOptions{Source: sources[0], More: sources[1:], Output: o.wasm.path,
		Define: o.defines, Include: o.IncludeDirs, Warnings: c.ErrOrStderr(), Verify: verify})
}
