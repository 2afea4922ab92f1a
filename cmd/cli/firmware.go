package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/examples/languages"
	"starloom/firmware"
	"starloom/traces/input"
)

func newFirmware(networks starloom.Networks) *cobra.Command {
	parent := &cobra.Command{
		Use: "firmware", Short: "Build, inspect and check firmware images", Args: cobra.ArbitraryArgs, RunE: group,
	}
	parent.AddCommand(newFirmwareBuild(), newFirmwareInspect(), newFirmwareCheck(networks), newFirmwareNew(), newFirmwareSDK())
	return parent
}

func newFirmwareBuild() *cobra.Command {
	var o firmware.BuildOptions
	c := &cobra.Command{
		Use:               "build SRC.c... [-o OUT.wasm]",
		Short:             "Compile C or C++ firmware to an image",
		Args:              atLeastOne("SRC.c"),
		ValidArgsFunction: filesOf("c", "cc", "cpp", "cxx"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Source, o.More, o.Warnings = args[0], args[1:], input.Printer(c.ErrOrStderr())
			if o.Debug && !c.Flags().Changed("optimise") {
				o.Level = "" // that of a checked build
			}
			return firmware.Build(c.Context(), o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.Output, "output", "o", "", "write the image to `F` (default: the first source's name with .wasm)")
	f.StringVarP(&o.Level, "optimise", "O", "2", "optimise to `LEVEL`: "+strings.Join(firmware.Levels, ", "))
	f.StringArrayVarP(&o.Define, "define", "D", nil, "define the macro `NAME=VALUE`; may be given several times")
	f.StringArrayVarP(&o.Include, "include", "I", nil, "look for headers in the folder `DIR`; may be given several times")
	f.BoolVar(&o.Debug, "debug", false, "a checked build: slower, and it says what is wrong")
	return c
}

func newFirmwareSDK() *cobra.Command {
	var programs []string
	c := &cobra.Command{
		Use:   "sdk DIR",
		Short: "Write the SDK's headers, and sources of programs, to a folder",
		Args:  exactly("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			err := firmware.WriteSDK(args[0], programs...)
			var unknown *starloom.InputError
			if err == nil || errors.As(err, &unknown) {
				return err
			}
			return input.Refused("DIR", err, "")
		},
	}
	c.Flags().StringArrayVar(&programs, "program", nil, "write the source of the built-in program `P`, too; may be given several times")
	return c
}

func newFirmwareNew() *cobra.Command {
	var known []string
	for _, l := range languages.All {
		known = append(known, l.Name)
	}
	c := &cobra.Command{
		Use:   "new {--language LANGUAGE | --fabric netlist} NAME",
		Short: "Make a firmware project that builds, runs and tests",
		Args:  exactly("NAME"),
	}
	language := choose(c, "language", "write it in this language", known...)
	network := choose(c, "fabric", "make it for a network that the project draws", "netlist")
	c.RunE = func(c *cobra.Command, args []string) error {
		netlist := network.value == "netlist"
		switch {
		case netlist && language.value == "":
			language.value = languages.Netlist
		case netlist && language.value != languages.Netlist:
			return &starloom.InputError{Place: "--language", Reason: fmt.Sprintf("there is no project in %s for a netlist", language.value),
				Remedy: "write --language " + languages.Netlist}
		case language.value == "":
			return &starloom.InputError{Place: "--language", Reason: "it is missing", Remedy: "choose one of " + strings.Join(known, ", ")}
		}
		if err := languages.New(language.value, netlist, args[0]); err != nil {
			return input.Refused("NAME", err, "")
		}
		_, err := fmt.Fprintf(input.Printer(c.OutOrStdout()), "made %[1]s: cd %[1]s && make test\n", input.Printable(args[0]))
		return err
	}
	return c
}
