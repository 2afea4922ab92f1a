package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/verilator"
)

func newCosim() *cobra.Command {
	parent := &cobra.Command{
		Use: "cosim", Short: "Work with RTL: Verilog and VHDL in place of modelled parts", Args: cobra.ArbitraryArgs, RunE: group,
	}
	parent.AddCommand(newCosimBuild(), newCosimCheck())
	return parent
}

func newCosimBuild() *cobra.Command {
	var s cosim.Source
	var o cosim.BuildOptions
	var params, defines []string
	var path string
	var warnings bool
	c := &cobra.Command{
		Use:   "build --top T SOURCE...",
		Short: "Compile Verilog or VHDL to one wasm file",
		Long: `Compiles a design to a wasm file that runs without any HDL tool, and prints its
ports. The file records its ports, parameters and sources. Verilog and SystemVerilog
go through Verilator and clang; VHDL-2008 goes through ghdl first. Debian has them in
the packages verilator, clang, lld, wasi-libc, libc++-14-dev-wasm32,
libclang-rt-14-dev-wasm32 and ghdl.

What was built before from the same text with the same tools is reused at once. The files
of $readmem become part of the result; their names are relative to the working directory,
or to the source that reads them. A text for a parameter needs no quotes: -G FILE=words.hex.
Name the clocks; all other inputs are plain values. Ports that are inout,
unpacked arrays or interfaces need a wrapper.`,
		Example: `  starloom cosim build --top arbiter --clock clk_i arbiter.v
  starloom cosim build --top fifo --clock clk_i -G DEPTH=8 -I include -D SYNTHESIS -o fifo8.wasm rtl/*.sv
  starloom cosim build --top counter --clock clk counter.vhd`,
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"v", "sv", "vhd", "vhdl"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	f := c.Flags()
	f.StringVar(&s.Top, "top", "", "module or entity `T` to build")
	f.StringArrayVarP(&params, "param", "G", nil, "give the top module's parameter P the value `P=V`")
	f.StringArrayVarP(&s.IncludeDirs, "include", "I", nil, "look for included files and modules in `DIR`")
	f.StringArrayVarP(&defines, "define", "D", nil, "define the macro `X`, or X=V")
	f.StringArrayVar(&s.Clocks, "clock", nil, "input `NAME` is a clock")
	f.StringVarP(&path, "output", "o", "", "write the result to `F` (default: the top's name with .wasm)")
	f.StringVar(&o.Cache, "cache", "", "keep results in `DIR` (default: the user's cache)")
	f.BoolVar(&warnings, "warnings", false, "print all warnings of the tools")

	c.RunE = func(c *cobra.Command, args []string) (err error) {
		s.Files = args
		if s.Params, err = pairs("-G", params, true); err != nil {
			return err
		}
		if s.Defines, err = pairs("-D", defines, false); err != nil {
			return err
		}
		if path == "" {
			path = s.Top + ".wasm"
		}
		if err := keep([]output{{"--output", path}}, args...); err != nil {
			return err
		}
		var said bytes.Buffer
		o.Warnings = &said
		progress := newProgress(c.ErrOrStderr())
		o.Progress = progress.step
		circuit, err := verilator.Build(c.Context(), s, o)
		progress.clear()
		var weighty []cosim.Warning
		if circuit != nil {
			weighty = circuit.Warnings
		}
		if err := printWarnings(c.ErrOrStderr(), said.Bytes(), weighty, warnings || err != nil); err != nil {
			return err
		}
		if err != nil {
			return fault(err)
		}
		write := func(w io.Writer) error { _, err := w.Write(circuit.Wasm()); return err }
		if err := writeTo(c.OutOrStdout(), "--output", path, write); err != nil {
			return err
		}
		text := c.OutOrStdout()
		if path == "-" {
			text = c.ErrOrStderr()
		}
		if err := circuit.WriteText(text); err != nil {
			return err
		}
		_, err = fmt.Fprintf(text, "\nwritten to %s (%d bytes)\n", path, len(circuit.Wasm()))
		return err
	}
	return c
}

// printWarnings prints the warnings that bear on what a circuit does, and the others
// that the tools have, or how many there are.
func printWarnings(w io.Writer, said []byte, weighty []cosim.Warning, all bool) error {
	shown := 0
	for _, warning := range weighty {
		if bytes.Contains(said, []byte(warning.Place+": "+warning.Text)) {
			if shown++; all {
				continue
			}
		}
		if _, err := fmt.Fprintf(w, "warning: %v\n", warning); err != nil {
			return err
		}
	}
	count := -shown + bytes.Count(said, []byte("%Warning")) + bytes.Count(said, []byte(":warning:"))
	switch {
	case all:
		_, err := w.Write(said)
		return err
	case count > 0:
		_, err := fmt.Fprintf(w, "%d other warnings of the tools: --warnings prints them\n", count)
		return err
	}
	return nil
}

// pairs reads NAME=VALUE words.
func pairs(option string, words []string, valued bool) (map[string]string, error) {
	values := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if name == "" || !ok && valued {
			return nil, &starloom.InputError{Place: option, Reason: fmt.Sprintf("%q is not a name and a value", word), Remedy: "write " + option + " NAME=VALUE"}
		}
		if _, twice := values[name]; twice {
			return nil, &starloom.InputError{Place: option, Reason: name + " is given twice", Remedy: "give every name once"}
		}
		values[name] = value
	}
	return values, nil
}

// step shows what a build is doing.
func (p *progress) step(text string) {
	if p.out != nil {
		p.used = true
		fmt.Fprintf(p.out, "\r\x1b[K%s", text)
	}
}
