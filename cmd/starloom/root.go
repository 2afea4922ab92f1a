package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom"
	"starloom/examples/languages"
	"starloom/firmware"
	"starloom/nic"
	"starloom/traces"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "starloom",
		Short: "Cycle-accurate emulator for interconnect hardware and its firmware",
		Long: `Starloom runs the controller firmware of every processor, compiled to
WebAssembly, on a cycle-accurate model of the network that it is meant
for. It says whether the firmware works and meets its slots, and shows why not
in waveforms (VCD) and packet captures (pcapng).

Exit status: 0 pass, 1 the run broke a rule or did not finish, 2 bad input,
3 a fault of Starloom, 4 a tool (simulator, compiler, converter) failed, hung or was
killed, 129 interrupted by SIGHUP, 130 by SIGINT or SIGTERM.`,
		Example: `  starloom run examples/pops-16x16.yaml --vcd out.vcd --pcapng out.pcapng
  starloom study pops --quick
  starloom firmware build router.c -o router.wasm
  starloom run examples/pops-16x16.yaml --firmware router.wasm
  starloom cosim check examples/rtl/stream_arbiter.yml
  starloom trace diff mine.vcd theirs.vcd`,
		Args:              cobra.ArbitraryArgs,
		Version:           versionText(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		RunE:              group,
		PersistentPreRunE: refuseEmpty,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(printHelp)
	root.SetHelpCommand(newHelp())
	root.AddCommand(newRun(), newStudy(), newFirmware(), newCosim(), newTrace(), newSchema(), newVersion())
	return root
}

// flagError says what an option wants, without the words of package strconv.
func flagError(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return &starloom.InputError{Place: c.CommandPath(), Reason: err.Error(), Remedy: fmt.Sprintf("see '%s --help'", c.CommandPath())}
	}
	remedy := "give a value of another kind"
	switch value := invalid.GetFlag().Value.(type) {
	case *choice:
		remedy = "choose one of " + strings.Join(value.words, ", ")
	case *integerValue:
		remedy = fmt.Sprintf("give an integer from %d to %d", value.least, value.most)
	default:
		switch value.Type() {
		case "uint", "uint64":
			remedy = fmt.Sprintf("give an integer from 0 to %d", uint64(math.MaxUint64))
		case "uint32":
			remedy = fmt.Sprintf("give an integer from 0 to %d", uint32(math.MaxUint32))
		case "uint16":
			remedy = fmt.Sprintf("give an integer from 0 to %d", math.MaxUint16)
		}
	}
	return &starloom.InputError{Place: "--" + invalid.GetFlag().Name, Reason: fmt.Sprintf("%q cannot be used", invalid.GetValue()), Remedy: remedy}
}

// refuseEmpty refuses options and arguments that are there and empty, as those of a script whose
// variable is not set: what happens without them is not what was asked for. No option means
// something by an empty value.
func refuseEmpty(c *cobra.Command, args []string) (err error) {
	if c.DisableFlagParsing {
		return nil // completion: the word that is being written may be empty
	}
	if k := slices.Index(args, ""); k >= 0 {
		return &starloom.InputError{Place: c.CommandPath(), Reason: fmt.Sprintf("argument %d is empty", k+1), Remedy: "usage: " + c.UseLine()}
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if err == nil && slices.Contains(values, "") {
			err = &starloom.InputError{Place: "--" + f.Name, Reason: "its value is empty", Remedy: "give one, or leave the option out"}
		}
	})
	return err
}

// group is what a command does that only holds other commands: help, or an
// error for a word that is not one of them.
func group(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	remedy := fmt.Sprintf("see '%s --help'", c.CommandPath())
	if _, err := os.Stat(args[0]); err == nil && !c.HasParent() {
		remedy = fmt.Sprintf("did you mean 'starloom run %s'? %s", args[0], remedy)
	}
	c.SuggestionsMinimumDistance = min(2, len(args[0])/2) // letters that differ
	if args[0] == "man" && !c.HasParent() {
		remedy = "'starloom help --man DIR' writes manual pages; " + remedy
	} else if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		remedy = fmt.Sprintf("did you mean %s? %s", strings.Join(near, " or "), remedy)
	}
	return &starloom.InputError{Place: c.CommandPath(), Reason: fmt.Sprintf("there is no command %q", args[0]), Remedy: remedy}
}

// exactly wants the arguments that are named, and says which one is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		reason := ""
		if len(args) < len(names) {
			reason = names[len(args)] + " is missing"
		} else {
			reason = fmt.Sprintf("%q is one argument too many", args[len(names)])
		}
		return &starloom.InputError{Place: c.CommandPath(), Reason: reason, Remedy: "usage: " + c.UseLine()}
	}
}

// files completes the first argument with files of these endings.
func files(endings ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return endings, cobra.ShellCompDirectiveFilterFileExt
	}
}

// choice is the value of an option that takes one of a few words.
type choice struct {
	value string
	words []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.words, "|") }
func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return errors.New("not one of the words") // flagError lists them
	}
	c.value = word
	return nil
}

// choose adds an option that takes one of a few words, "" at first.
func choose(c *cobra.Command, name, usage string, words ...string) *choice {
	value := &choice{words: words}
	c.Flags().Var(value, name, usage)
	// The option was added in the line above: this cannot fail.
	_ = c.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	})
	return value
}

// integerValue is the value of an option that takes an integer of a range.
type integerValue struct{ value, least, most uint64 }

func (v *integerValue) String() string { return strconv.FormatUint(v.value, 10) }
func (v *integerValue) Type() string   { return "integer" }
func (v *integerValue) Set(text string) error {
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil || value < v.least || value > v.most {
		return errors.New("not in the range") // flagError says which
	}
	v.value = value
	return nil
}

// integer adds an option that takes an integer from least to most.
func integer(c *cobra.Command, name, usage string, least, most uint64) *integerValue {
	value := &integerValue{least: least, most: most}
	c.Flags().Var(value, name, usage)
	return value
}

func newFirmware() *cobra.Command {
	parent := &cobra.Command{
		Use: "firmware", Short: "Build, inspect and check firmware images", Args: cobra.ArbitraryArgs, RunE: group,
		Long: `Builds, inspects and checks firmware images: WebAssembly modules with the handlers of a
bank of processors. What an image exports and imports is in firmware/ABI.md of the
sources; 'firmware inspect' says what is wrong with one.

An image has at most

  ` + strings.Join(firmware.Limits(), "\n  "),
	}
	var o firmware.BuildOptions
	build := &cobra.Command{
		Use:   "build SRC.c... [-o OUT.wasm]",
		Short: "Compile C or C++ firmware to an image",
		Long: `Compiles C and C++ sources to one image with clang and wasm-ld, and checks it. The header
starloom.h is part of this program. Debian has both tools in the packages clang and lld.

With --debug, what starloom.h would ignore or leave undefined - a port, parameter or
probe out of range, writing to a frame that a full FIFO has no room for, null pointers,
overflows and the like - fails with file and line. Clang checks no access to a volatile
object: a null pointer to one, as to memory-mapped registers, is not found. The image
optimises to 1 unless -O is given, and its handlers cost more than those that ship: the
report of a run with firmware: {cpu: {model: ...}} says so.`,
		Example: `  starloom firmware build router.c -o router.wasm
  starloom firmware build router.c table.c -O 3 -D DEPTH=4 -I include`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exactly("SRC.c")(c, args)
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"c", "cc", "cpp", "cxx"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.Source, o.More, o.Warnings = args[0], args[1:], c.ErrOrStderr()
			if o.Debug && !c.Flags().Changed("optimise") {
				o.Level = "" // that of a checked build
			}
			return firmware.Build(c.Context(), o)
		},
	}
	build.Flags().StringVarP(&o.Output, "output", "o", "", "write the image to `F` (default: the first source's name with .wasm)")
	build.Flags().StringVarP(&o.Level, "optimise", "O", "2", "optimise to `LEVEL`: "+strings.Join(firmware.Levels, ", "))
	build.Flags().StringArrayVarP(&o.Define, "define", "D", nil, "define the macro `NAME=VALUE`; may be given several times")
	build.Flags().StringArrayVarP(&o.Include, "include", "I", nil, "look for headers in the folder `DIR`; may be given several times")
	build.Flags().BoolVar(&o.Debug, "debug", false, "a checked build: slower, and it says what is wrong")
	sdk := &cobra.Command{
		Use:   "sdk DIR",
		Short: "Write the SDK's headers to a folder",
		Long: `Writes starloom.h and the other headers to a folder: for editors, and for native unit
tests of handlers, with the shim starloom_native.c. 'firmware build' does not need them.`,
		Example: "  starloom firmware sdk sdk\n  cc -g -DSTARLOOM_NATIVE -fsanitize=address -I sdk -o test router.c router_test.c sdk/starloom_native.c",
		Args:    exactly("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := firmware.WriteSDK(args[0]); err != nil {
				return &starloom.InputError{Place: "DIR", Reason: err.Error()}
			}
			return nil
		},
	}
	var known []string
	for _, l := range languages.All {
		known = append(known, l.Name)
	}
	project := &cobra.Command{
		Use:   "new --language LANGUAGE NAME",
		Short: "Make a firmware project that builds, runs and tests",
		Long: `Makes the folder NAME with a small controller that works - it routes a permutation with
acknowledgements - its scenario, a Makefile and tests. 'make' builds the image, 'make run'
runs it, 'make test' tests it; the README there says what has to be installed.`,
		Example: "  starloom firmware new --language c my-router\n  cd my-router && make test",
		Args:    exactly("NAME"),
	}
	language := choose(project, "language", "write it in this language", known...)
	project.RunE = func(c *cobra.Command, args []string) error {
		if language.value == "" {
			return &starloom.InputError{Place: "--language", Reason: "it is missing", Remedy: "choose one of " + strings.Join(known, ", ")}
		}
		if err := languages.New(language.value, args[0]); err != nil {
			return &starloom.InputError{Place: "NAME", Reason: err.Error()}
		}
		_, err := fmt.Fprintf(c.OutOrStdout(), "made %s: cd %s && make test\n", args[0], args[0])
		return err
	}
	parent.AddCommand(build, newFirmwareInspect(), newFirmwareCheck(), project, sdk)
	return parent
}

func newTrace() *cobra.Command {
	parent := &cobra.Command{Use: "trace", Short: "Work with traces", Args: cobra.ArbitraryArgs, RunE: group}
	var output string
	dissector := &cobra.Command{
		Use:   "dissector",
		Short: "Print the Wireshark dissector of Starloom's frames",
		Long: `Prints the Lua dissector with which Wireshark and tshark show the fields of
frames in a packet capture. 'starloom run --pcapng F.pcapng' writes the same one
to F.lua.`,
		Example: "  starloom trace dissector -o starloom.lua\n  tshark -X lua_script:starloom.lua -r out.pcapng",
		Args:    exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			return writeTo(c.OutOrStdout(), "--output", output, nic.WriteDissector)
		},
	}
	dissector.Flags().StringVarP(&output, "output", "o", "", "write to `F` (default: standard output)")
	parent.AddCommand(newTraceInfo(), newTraceDiff(), newTraceDecode(), dissector)
	return parent
}

// writeTo writes to stdout, or to a file that is whole or not there.
func writeTo(stdout io.Writer, option, path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(stdout)
	}
	file, err := traces.Create(path)
	if err != nil {
		return &starloom.InputError{Place: option, Reason: err.Error()}
	}
	defer file.Abort()
	return errors.Join(write(file), file.Commit())
}

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenarios",
		Long: `Prints the JSON Schema of scenario files: every key with its meaning, range and
default. An editor with a YAML language server uses it when the first line is
    # yaml-language-server: $schema=scenario.schema.json`,
		Example: "  starloom schema > scenario.schema.json",
		Args:    exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			data, err := starloom.Schema()
			if err != nil {
				return fault(err)
			}
			_, err = c.OutOrStdout().Write(data)
			return err
		},
	}
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), versionText())
			return err
		},
	}
}

func versionText() string {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	return fmt.Sprintf("starloom %s, scenario format 1, report schema %d, frame version %d, %s",
		version, starloom.ReportSchema, nic.Version, runtime.Version())
}
