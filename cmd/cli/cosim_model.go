package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom/cosim/refmodel"
	"starloom/cosim/verilator"
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
		described := verilator.Description{Device: sources[0], Ports: m.Ports()}
		for _, p := range described.Ports {
			kind := "uint64_t"
			switch {
			case p.Name == "clock" || p.Name == "reset": // functions of the model
				kind = "-"
			case p.Bits > 64:
				kind = "uint64_t[]"
			}
			described.Types = append(described.Types, kind)
		}
		if err := described.WriteText(text); err != nil {
			return err
		}
		return m.Close()
	}
	return firmware.Build(c.Context(), firmware.BuildOptions{Source: sources[0], More: sources[1:], Output: o.wasm.path,
		Define: o.defines, Include: o.IncludeDirs, Warnings: c.ErrOrStderr(), Verify: verify})
}
