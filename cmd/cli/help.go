package cli

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/internal/config"
	"starloom/internal/explain"
	"starloom/internal/maps"
	"starloom/internal/sweep/plan"
	"starloom/internal/tools"
	"starloom/nic"
	"starloom/traces/input"
)

// newHelp returns cobra's help command, changed to treat an unknown command as an error.
func newHelp() *cobra.Command {
	var man string
	c := &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command, or manual pages of all",
		RunE: func(c *cobra.Command, args []string) error {
			if man != "" {
				if len(args) > 0 {
					return &starloom.InputError{Place: c.CommandPath(),
						Reason: fmt.Sprintf("--man writes the pages of all commands; delete %q", args[0]),
						Remedy: "write 'starloom help --man DIR'"}
				}
				return writeManual(c.Root(), man)
			}
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return group(about, rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
	c.Flags().StringVar(&man, "man", "", "write manual pages of all commands to the folder `DIR`")
	return c
}

// briefMost is the maximum number of lines of a help text without a short form.
const briefMost = 40

// printHelp prints the whole help of a command if it is short or the option --all is given, otherwise its short form.
func printHelp(c *cobra.Command, _ []string) {
	out := product(c)
	columns := columnsOf(out, os.Getenv("COLUMNS"))
	c.SetUsageTemplate(strings.ReplaceAll(c.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", columns)))
	text := fill(cmp.Or(c.Long, c.Short), columns) + "\n\n" + c.UsageString()
	all, _ := c.Root().PersistentFlags().GetBool("all") // the option is always declared
	if !all && strings.Count(text, "\n") > briefMost {
		text = brief(c, columns)
	}
	// An error cannot be reported, because it would be printed to the same writer.
	_, _ = io.WriteString(out, blanksAtEnd.ReplaceAllString(text, ""))
}

const (
	briefExamples = 2
	firstLine     = "\n\nFirst options: " // the options of the short help, at the end of a description
	firstOptions  = "first options"       // annotation of a command
)

// brief returns the short form of a help: the first paragraph, examples, first options and subcommands, and the names
// of the other options.
func brief(c *cobra.Command, columns int) string {
	var b strings.Builder
	about, _, _ := strings.Cut(cmp.Or(c.Long, c.Short), "\n\n")
	fmt.Fprintf(&b, "%s\n\nUsage:\n  %s\n", fill(about, columns), c.UseLine())
	examples := strings.Split(c.Example, "\n")
	fmt.Fprintf(&b, "\nExamples:\n%s\n", strings.Join(examples[:min(len(examples), briefExamples)], "\n"))
	if c.HasAvailableSubCommands() {
		b.WriteString("\nAvailable Commands:\n")
		for _, below := range c.Commands() {
			if below.IsAvailableCommand() || below.Name() == "help" {
				fmt.Fprintf(&b, "  %-*s %s\n", c.NamePadding(), below.Name(), below.Short)
			}
		}
	}
	first := strings.Fields(c.Annotations[firstOptions])
	shown := pflag.NewFlagSet("", pflag.ContinueOnError)
	var others []string
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || f.Name == "help" || f.Name == "all":
		case len(first) == 0 || slices.Contains(first, f.Name):
			shown.AddFlag(f)
		default:
			others = append(others, "--"+f.Name)
		}
	})
	fmt.Fprintf(&b, "\nFlags:\n%s", shown.FlagUsagesWrapped(columns))
	if len(others) > 0 {
		b.WriteString("\n" + fill("Other flags: "+strings.Join(others, ", "), columns) + "\n")
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n'%s COMMAND --help' explains a command.", c.CommandPath())
	}
	fmt.Fprintf(&b, "\n'%s --help --all' explains everything.\n", c.CommandPath())
	return b.String()
}

var blanksAtEnd = regexp.MustCompile(`(?m) +$`)

// fill wraps paragraphs to the given width. It keeps lines with a leading space.
func fill(text string, columns int) string {
	var b strings.Builder
	at := 0
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, " \n")
		if line == "" || line[0] == ' ' {
			if at > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(line + "\n")
			at = 0
			continue
		}
		for _, word := range strings.Fields(line) {
			switch width := len([]rune(word)); {
			case at == 0:
				at = width
			case at+1+width > columns:
				b.WriteByte('\n')
				at = width
			default:
				b.WriteByte(' ')
				at += 1 + width
			}
			b.WriteString(word)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// texts holds the long help texts of commands, named like their manual pages: a description, a line "First options:" if
// the short help shows only some, a line "Examples:", and examples.
//
//go:embed help/*.txt
var texts embed.FS

const examplesLine = "\n\nExamples:\n"

func describe(commands ...*cobra.Command) {
	programs := firmware.Programs()
	describeAll(commands, strings.NewReplacer(
		"{{limits}}", strings.Join(firmware.Limits(), "\n  "),
		"{{programs}}", strings.Join(programs, ", "),
		"{{program}}", programs[0],
	))
}

func describeAll(commands []*cobra.Command, values *strings.Replacer) {
	for _, c := range commands {
		text, err := texts.ReadFile("help/" + strings.TrimPrefix(pageName(c), "starloom-") + ".txt")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			panic(err)
		}
		about, first := "", ""
		about, c.Example, _ = strings.Cut(strings.TrimSuffix(values.Replace(string(text)), "\n"), examplesLine)
		c.Long, first, _ = strings.Cut(about, firstLine)
		c.Annotations = map[string]string{firstOptions: first}
		describeAll(c.Commands(), values)
	}
}

func newSchema(networks starloom.Networks) *cobra.Command {
	schemas := []struct {
		kind string
		make func() ([]byte, error)
	}{
		{"scenario", networks.Schema},
		{"sweep", plan.Schema},
		{"pin-map", func() ([]byte, error) { return maps.PinSchema(networks.Twins()), nil }},
		{"netlist", networks.NetlistSchema},
	}
	var kinds []string
	for _, s := range schemas {
		kinds = append(kinds, s.kind)
	}
	ofSweeps := false
	c := &cobra.Command{
		Use:       "schema [" + strings.Join(kinds, "|") + "]",
		Short:     "Print the JSON Schema of scenarios, sweeps, pin maps or netlists",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: kinds,
	}
	c.Flags().BoolVar(&ofSweeps, "sweep", false, "print the schema of sweep files")
	_ = c.Flags().MarkHidden("sweep") // it was just added
	c.RunE = func(c *cobra.Command, args []string) error {
		kind := append(args, kinds[0])[0]
		if ofSweeps {
			kind = "sweep"
			sayOld(c, "schema --sweep", "schema sweep")
		}
		i := slices.Index(kinds, kind)
		if i < 0 {
			return input.Mistake(c.CommandPath(), fmt.Sprintf("there is no schema %q", kind),
				input.DidYouMean(kind, kinds, "choose one of "+strings.Join(kinds, ", ")))
		}
		data, err := schemas[i].make()
		if err != nil {
			return fault(err)
		}
		_, err = product(c).Write(data)
		return err
	}
	return c
}

func newTools() *cobra.Command {
	ran := false
	c := &cobra.Command{
		Use:   "tools",
		Short: "List the tools for RTL, firmware and traces: installed, tested and missing ones",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if ran {
				return tools.WriteRans(product(c))
			}
			return tools.WriteInstalled(c.Context(), product(c))
		},
	}
	c.Flags().BoolVar(&ran, "ran", false, "the versions with which the tests have passed, with system and date")
	return c
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(product(c), versionText())
			return err
		},
	}
}

func newCite() *cobra.Command {
	return &cobra.Command{
		Use:   "cite",
		Short: "Print a BibTeX entry for this version",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			version := strings.TrimPrefix(outcome.Version(), "starloom ")
			_, err := fmt.Fprintf(product(c), "@software{starloom,\n  author  = {{The Starloom authors}},\n"+
				"  title   = {Starloom: a cycle-accurate emulator of interconnect hardware that runs controller firmware},\n"+
				"  version = {%s},\n  license = {Apache-2.0}\n}\n", version)
			return err
		},
	}
}

func versionText() string {
	return fmt.Sprintf("%s, scenario format 1, report schema %d, frame version %d, %s", outcome.Version(),
		starloom.ReportSchema, nic.Version, runtime.Version())
}

func newExplain(networks starloom.Networks) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [NAME]",
		Short: "Explain what a figure means, how it is counted and where it comes from",
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			out := product(c)
			book, columns := newBook(networks), columnsOf(out, os.Getenv("COLUMNS"))
			if len(args) == 0 {
				return book.WriteText(out, columns)
			}
			answer, err := book.Find(strings.Join(args, " ")) // names of a study's quantities contain spaces
			if err != nil {
				return err
			}
			return answer.WriteText(out, columns)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return newBook(networks).Names(), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func newBook(networks starloom.Networks) *explain.Book {
	return explain.Collect(append(config.Kinds(reflect.TypeFor[starloom.Fabric]()), networks...))
}
