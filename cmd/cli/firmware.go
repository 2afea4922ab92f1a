package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom"
	"starloom/examples/languages"
	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
	"starloom/traces"
	"starloom/traces/input"
)

func newFirmware(networks starloom.Networks) *cobra.Command {
	parent := &cobra.Command{
		Use: "firmware", Short: "Build, inspect and check firmware images", Args: cobra.ArbitraryArgs, RunE: group,
	}
	parent.AddCommand(newFirmwareBuild(), newFirmwareInspect(), newFirmwareCheck(networks),
		newFirmwareNew(), newFirmwareSDK())
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
				o.Level = ""
			}
			return firmware.Build(c.Context(), o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.Output, "output", "o", "",
		"write the image to `F` (default: the first source's name with .wasm or .elf)")
	f.StringVar(&o.Target, "target", firmware.Targets[0], "build for `TARGET`: "+strings.Join(firmware.Targets, ", "))
	f.StringVarP(&o.Level, "optimise", "O", "2", "optimise to `LEVEL`: "+strings.Join(firmware.Levels, ", "))
	f.StringArrayVarP(&o.Define, "define", "D", nil, "define the macro `NAME=VALUE`; may be given several times")
	f.StringArrayVarP(&o.Include, "include", "I", nil, "look for headers in the folder `DIR`; may be given several times")
	f.BoolVar(&o.Debug, "debug", false, "a checked build: slower, but it reports mistakes")
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
	c.Flags().StringArrayVar(&programs, "program", nil,
		"also write the source of the built-in program `P`; may be given several times")
	completed(c, "program", wordsOf(func(*cobra.Command, []string) ([]string, error) { return firmware.Programs(), nil }))
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
	network := choose(c, "fabric", "make it for a network drawn in the project", "netlist")
	c.RunE = func(c *cobra.Command, args []string) error {
		netlist := network.value == "netlist"
		switch {
		case netlist && language.value == "":
			language.value = languages.Netlist
		case netlist && language.value != languages.Netlist:
			return input.Mistake("--language", fmt.Sprintf("there is no project in %s for a netlist", language.value),
				"write --language "+languages.Netlist)
		case language.value == "":
			return input.Mistake("--language", "it is missing", "choose one of "+strings.Join(known, ", "))
		}
		if err := languages.New(language.value, netlist, args[0]); err != nil {
			return input.Refused("NAME", err, "")
		}
		_, err := fmt.Fprintf(readable(c.OutOrStdout()), "made %[1]s: cd %[1]s && make test\n", input.Printable(args[0]))
		return err
	}
	return c
}

type firmwareCheckFlags struct {
	starloom.FirmwareCheckOptions
	settings settings
	fuzz     uint32
	seed     uint64
	outputs  outputs
	junit    *output
}

func newFirmwareCheck(networks starloom.Networks) *cobra.Command {
	o := firmwareCheckFlags{settings: settings{networks: networks}}
	c := &cobra.Command{
		Use:               "check IMAGE|PROGRAM SCENARIO",
		Short:             "Run firmware in all ways that must not change a result and compare",
		Args:              exactly("IMAGE|PROGRAM", "SCENARIO"),
		ValidArgsFunction: imageThenScenario,
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c, args[0], args[1]) },
	}
	f := c.Flags()
	o.settings.declare(c)
	o.outputs.to(f, "json", "write the report as JSON to `F`", &o.JSON)
	o.outputs.to(f, "html", "write a page for a browser to `F.html`",
		&o.HTML)
	o.junit = o.outputs.file(f, "junit", "write the verdict as JUnit XML to `F`")
	f.Uint32Var(&o.fuzz, "fuzz", 30000, "try `N` sequences of arbitrary input; 0: none")
	f.StringVar(&o.Reproduce, "reproduce", "", "write a scenario and an input for each finding into the folder `DIR`")
	f.StringVar(&o.Replay, "replay", "", "only try the sequence in `F`, which --reproduce has written")
	f.Uint64Var(&o.seed, "seed", 0, "use the seed `N`")
	return c
}

func (o *firmwareCheckFlags) run(c *cobra.Command, image, path string) error {
	scenario, err := o.settings.load(path)
	if err != nil {
		return err
	}
	over := starloom.Overrides{Image: image, ImagePlace: image}
	if c.Flags().Changed("seed") {
		over.Seed = &o.seed
	}
	if err := override(c, scenario, over); err != nil {
		return err
	}
	if err := o.outputs.check(inputs(scenario, path)...); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	junit, err := o.junit.open(&files)
	if err != nil {
		return err
	}
	begun := time.Now()
	o.Command = o.command(c.Flags(), image, path)
	progress := newProgress(c.ErrOrStderr())
	o.Fuzz, o.Progress = int(o.fuzz), progress.step
	report, err := starloom.CheckFirmware(c.Context(), scenario, o.FirmwareCheckOptions)
	progress.clear()
	if err != nil {
		return fault(err)
	}
	if junit != nil {
		if err := errors.Join(writeCheckJUnit(junit, report, image, time.Since(begun)), files.Commit()); err != nil {
			return fault(err)
		}
	}
	if err := report.WriteText(o.outputs.text(c)); err != nil {
		return err
	}
	if report.Verdict != starloom.VerdictPass {
		return errFailed
	}
	return nil
}

func writeCheckJUnit(w io.Writer, report *starloom.FirmwareCheck, image string, took time.Duration) error {
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		return err
	}
	one := outcome.JUnitCase{Name: "firmware check " + image, Details: text.String(), Took: took}
	if report.Verdict != starloom.VerdictPass {
		one.Failure, _, _ = strings.Cut(text.String(), "\n")
	}
	return outcome.WriteJUnit(w, report.Scenario, took, []outcome.JUnitCase{one})
}

func (o *firmwareCheckFlags) command(f *pflag.FlagSet, image, path string) string {
	words := "starloom firmware check " + outcome.ShellQuote(image) + " " + outcome.ShellQuote(path) + o.settings.again()
	for _, name := range []string{"seed", "fuzz", "replay"} {
		if f.Changed(name) {
			words += " --" + name + " " + outcome.ShellQuote(f.Lookup(name).Value.String())
		}
	}
	return words
}

type inspectFlags struct {
	loops, costs []string
	shown        firmware.Shown
	model        *choice
}

func newFirmwareInspect() *cobra.Command {
	var o inspectFlags
	var files outputs
	c := &cobra.Command{
		Use:   "inspect F.wasm",
		Short: "Check an image and report its contents and the cost of its handlers",
		Args:  exactly("F.wasm"),
		ValidArgsFunction: func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return imageWords(c, args, word)
		},
	}
	o.model = choose(c, "model", "count costs by this model",
		slices.Concat(wasm.Models(), []string{wasm.ModelCustom}, rv32.Models())...)
	o.model.value = wasm.Presets[0].Name
	f := c.Flags()
	f.StringArrayVar(&o.costs, "cost", nil, "cost of an instruction of a class: `CLASS=N`; may be given several times")
	f.StringArrayVar(&o.loops, "loop", nil,
		"the loop at `FILE:LINE=N` or 'offset 0xHEX=N' iterates at most N times per entry; may be given several times")
	f.BoolVar(&o.shown.Functions, "functions", false, "list the functions: number, bytes, worst case, loops")
	f.BoolVar(&o.shown.Blocks, "blocks", false, "list the basic blocks: offset in the image, cost, line, calls")
	json := files.file(f, "json", "write everything as JSON to `F`")
	c.RunE = func(c *cobra.Command, args []string) error {
		return withJSON(c, &files, json, args, func() (textAndJSON, error) { return o.inspect(c.Context(), args[0]) })
	}
	return c
}

// inspectHeapBytes is the heap size in bytes at which garbage is collected at once. With an image's data, inspection
// must stay below the 1 GiB stated in ABI.md.
const inspectHeapBytes = 400 << 20

func (o *inspectFlags) inspect(ctx context.Context, image string) (textAndJSON, error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(inspectHeapBytes))
	turns, err := firmware.ParseTurns(o.loops)
	if err != nil {
		const remedy = "write --loop sdk/starloom.h:340=4, or --loop 'offset 0x1a5=4' for an image without lines"
		return nil, input.Mistake("--loop", err.Error(), remedy)
	}
	cost, err := firmware.ParseCosts(o.costs)
	if err != nil {
		return nil, input.Mistake("--cost", err.Error(), "classes are "+strings.Join(wasm.ClassNames(), ", "))
	}
	if o.model.value == wasm.ModelCustom && len(cost) == 0 {
		return nil, input.Mistake("--model", "the model custom needs costs",
			"add --cost load=3 and other classes; an omitted class costs 1")
	}
	view, err := firmware.View(ctx, image, o.model.value, cost, turns, o.shown)
	var none *wasm.NoLoopError
	var unread *fs.PathError
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return view, err
	case errors.As(err, &none):
		loops := cmp.Or(strings.Join(none.Loops, ", "), "no place: leave it out")
		return nil, input.Mistake("--loop", err.Error(), "loops without a bound are at "+loops)
	case errors.As(err, &unread):
		return nil, input.Unreadable(image, err, firmware.RemedyOfUnread(image, image, firmware.Programs(), err))
	}
	return nil, &starloom.InputError{Place: image, Reason: err.Error()} // the error includes a remedy
}
