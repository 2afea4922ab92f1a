package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/verilator"
	"starloom/traces/input"
)

func newCosim(networks starloom.Networks) *cobra.Command {
	parent := &cobra.Command{
		Use: "cosim", Short: "Work with RTL: Verilog and VHDL in place of modelled parts",
		Args: cobra.ArbitraryArgs, RunE: group,
	}
	parent.AddCommand(newCosimBuild(), newCosimCheck(networks), newCosimProve(networks))
	return parent
}

type cosimBuildFlags struct {
	cosim.Source
	cosim.BuildOptions
	params, defines             []string
	lists, languages, libraries []string
	warnings                    bool
	outputs                     outputs
	wasm                        *output
}

func newCosimBuild() *cobra.Command {
	var o cosimBuildFlags
	c := &cobra.Command{
		Use:               "build --top T SOURCE...",
		Short:             "Compile Verilog or VHDL, or a model in C or C++, to one wasm file",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: filesOf("v", "sv", "vhd", "vhdl", "c", "cpp"),
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	f := c.Flags()
	f.StringVar(&o.Top, "top", "", "module or entity `T` to build")
	f.StringArrayVarP(&o.params, "param", "G", nil, "set a parameter of the top module: `P=V`")
	f.StringArrayVarP(&o.IncludeDirs, "include", "I", nil, "look for included files and modules in `DIR`")
	f.StringArrayVarP(&o.defines, "define", "D", nil, "define the macro `X`, or X=V")
	f.StringArrayVarP(&o.lists, "list", "f", nil, "read sources, folders and definitions from the list `F`")
	f.StringArrayVar(&o.languages, "language", nil, "Verilog standard of a source: `FILE=1364-2001`")
	f.StringArrayVar(&o.libraries, "libraries", nil, "VHDL library with its files: `NAME=F,F`")
	f.StringArrayVar(&o.GHDLFlags, "ghdl-flags", nil, "pass the `FLAG` to ghdl, as in --ghdl-flags=-frelaxed")
	f.StringArrayVar(&o.Clocks, "clock", nil, "input `NAME` is a clock")
	o.wasm = o.outputs.add(f, "output", "o", "write the result to `F` (default: the top's name with .wasm)", nil)
	f.StringVar(&o.Cache, "cache", "", "keep results in `DIR` (default: the user's cache)")
	f.BoolVar(&o.warnings, "warnings", false, "print all warnings of the tools")
	return c
}

func (o *cosimBuildFlags) run(c *cobra.Command, sources []string) (err error) {
	if len(sources) > 0 && isModel(sources[0]) {
		return o.buildModel(c, sources)
	}
	kept, err := o.keepStandardInput(sources)
	if err != nil {
		return err
	}
	if kept != "" {
		defer func() { err = errors.Join(unkept(err, kept), os.RemoveAll(kept)) }()
	}
	if err := o.read(sources); err != nil {
		return err
	}
	if o.wasm.path == "" {
		o.wasm.path = o.Top + ".wasm"
	}
	if err := o.outputs.check(o.AllFiles()...); err != nil {
		return err
	}
	circuit, err := o.build(c)
	if err != nil {
		return fault(err)
	}
	if err := o.wasm.write(product(c),
		func(w io.Writer) error { _, err := w.Write(circuit.Wasm()); return err }); err != nil {
		return err
	}
	text := o.outputs.text(c)
	if err := circuit.WriteText(text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(text, "\nwritten to %s (%d bytes)\n", o.wasm.path, len(circuit.Wasm()))
	return err
}

// keepStandardInput writes standard input to a file in a temporary folder and adds the file to the sources. The
// folder is "" if standard input is not a source.
func (o *cosimBuildFlags) keepStandardInput(sources []string) (folder string, err error) {
	at := slices.Index(sources, input.StandardInput)
	if at < 0 {
		return "", nil
	}
	text, name, err := input.Argument(sources[at], cosim.InputBytesMax)
	if err != nil {
		return "", input.Refused(name, err, "give the source as a file")
	}
	if folder, err = os.MkdirTemp("", "starloom-source-"); err != nil {
		return "", err
	}
	sources[at] = filepath.Join(folder, "standard-input.sv")
	return folder, os.WriteFile(sources[at], text, 0o600)
}

// unkept removes the temporary folder for standard input from the text of an error.
func unkept(err error, folder string) error {
	var e *input.Error
	if errors.As(err, &e) {
		plain := strings.NewReplacer(folder+string(filepath.Separator), "")
		return &input.Error{Place: plain.Replace(e.Place), Reason: plain.Replace(e.Reason),
			Remedy: plain.Replace(e.Remedy), Cause: e.Cause}
	}
	return err
}

// read fills the source from the options. File lists precede other sources; -D takes precedence over both.
func (o *cosimBuildFlags) read(sources []string) (err error) {
	if o.Params, err = pairs("-G", o.params, true); err != nil {
		return err
	}
	if o.Defines, err = pairs("-D", o.defines, false); err != nil {
		return err
	}
	for _, list := range o.lists {
		if err := o.AddList(list); err != nil {
			return err
		}
	}
	o.Files = append(o.Files, sources...)
	if o.Languages, err = pairs("--language", o.languages, true); err != nil {
		return err
	}
	for file := range o.Languages {
		if !slices.Contains(o.Files, file) {
			return input.Mistake("--language", file+" is not one of the sources", "give a source exactly as listed: "+
				"FILE=1364-2001")
		}
	}
	files, err := pairs("--libraries", o.libraries, true)
	for _, library := range o.libraries {
		name, _, _ := strings.Cut(library, "=")
		o.Libraries = append(o.Libraries, cosim.Library{Name: name, Files: strings.Split(files[name], ",")})
	}
	return err
}

func (o *cosimBuildFlags) build(c *cobra.Command) (*verilator.Circuit, error) {
	var said bytes.Buffer
	o.Warnings = &said
	progress := newProgress(c.ErrOrStderr())
	o.Progress = progress.step
	circuit, err := verilator.Build(c.Context(), o.Source, o.BuildOptions)
	progress.clear()
	var weighty []cosim.Warning
	if circuit != nil {
		weighty = circuit.Warnings
	}
	to := c.ErrOrStderr()
	if err != nil {
		to = c.Root().ErrOrStderr() // warnings are printed with the error
	}
	if err := printWarnings(input.Printer(to), said.Bytes(), weighty, o.warnings || err != nil); err != nil {
		return nil, err
	}
	return circuit, err
}

// printWarnings prints the warnings that affect a circuit's function, and the number of other tool warnings. With
// all, it also prints the other warnings.
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
