package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom"
	"starloom/traces"
	"starloom/traces/input"
)

// outputs are the options for output files. Each option is declared once, with its flag, content and field of the
// command.
type outputs struct {
	list   []*output
	stream string // option whose output goes to standard output if no path is given, "" for none
}

type output struct {
	option string                  // name of the option, with dashes
	path   string                  // path of the file; "" for none, "-" for standard output
	shared bool                    // text for users follows the output on standard output
	take   func(path string) error // receives the checked path and may reject it; nil if the command opens the file
}

func (o *output) String() string { return input.Printable(o.path) }

func (o *output) Type() string { return "string" }

func (o *output) Set(path string) error {
	o.path = path
	return nil
}

func (all *outputs) add(f *pflag.FlagSet, name, short, usage string, take func(path string) error) *output {
	o := &output{option: "--" + name, take: take}
	f.VarP(o, name, short, usage)
	all.list = append(all.list, o)
	return o
}

func (all *outputs) file(f *pflag.FlagSet, name, usage string) *output {
	return all.add(f, name, "", usage, nil)
}

// otherFormats are endings of files that a waveform or a capture must not have, unless they are its own.
var otherFormats = strings.Fields(".vcd .fst .pcap .pcapng .txt .log .csv .json .xml .html .svg .png")

func (all *outputs) to(f *pflag.FlagSet, name, usage string, to *starloom.Output) *output {
	return all.add(f, name, "", usage, func(path string) error {
		ends := map[string][]string{"vcd": {".vcd", ".fst"}, "pcapng": {".pcapng", ".pcap"}}[name]
		end := strings.ToLower(filepath.Ext(path))
		if ends != nil && slices.Contains(otherFormats, end) && !slices.Contains(ends, end) {
			return input.Mistake("--"+name, fmt.Sprintf("%s ends in %s; viewers choose the format by the name", path, end),
				"write "+path[:len(path)-len(end)]+ends[0])
		}
		*to = starloom.File(path)
		return nil
	})
}

func (all *outputs) tableOrPicture(f *pflag.FlagSet, name, usage string, csv, svg *starloom.Output) *output {
	return all.add(f, name, "", usage, func(path string) error {
		switch {
		case path == "":
		case path == "-" || strings.HasSuffix(path, ".csv"):
			*csv = starloom.File(path)
		case strings.HasSuffix(path, ".svg"):
			*svg = starloom.File(path)
		default:
			return input.Mistake("--"+name, path+" ends in neither .csv nor .svg",
				"give a path that ends in .csv for a table, in .svg for a picture")
		}
		return nil
	})
}

// check rejects outputs that would overwrite an input, and a second output on standard output. It passes each path to
// its output's take. Equal paths of two outputs are rejected later, when the outputs are opened.
func (all *outputs) check(inputs ...string) error {
	first := all.stream
	for _, o := range all.list {
		switch {
		case o.path != "-":
		case first == "":
			first = o.option
		default:
			return input.Mistake(o.option, "standard output already receives the output of "+first, fmt.Sprintf("give %s a "+
				"file", o.option))
		}
	}
	for _, input := range inputs {
		if err := all.keep(input); err != nil {
			return err
		}
	}
	for _, o := range all.list {
		if o.take == nil {
			continue
		}
		if err := o.take(o.path); err != nil {
			return err
		}
	}
	return nil
}

func (all *outputs) keep(read string) error {
	before, err := os.Stat(read)
	if err != nil {
		return nil // reading the input will report the error
	}
	for _, o := range all.list {
		if replaced, err := os.Stat(o.path); err == nil && os.SameFile(before, replaced) {
			return input.Mistake(o.option, o.path+" is an input of the run", "give another path")
		}
	}
	return nil
}

// text returns the writer for text: standard output, or standard error if a file occupies standard output.
func (all *outputs) text(c *cobra.Command) io.Writer {
	for _, o := range all.list {
		if o.path == "-" && !o.shared {
			return readable(c.ErrOrStderr())
		}
	}
	return readable(c.OutOrStdout())
}

// product returns the writer for requested output: scripts, lists, help, or an output to "-". The option --quiet does
// not suppress this output. All other text is written to OutOrStdout and ErrOrStderr of the command.
func product(c *cobra.Command) io.Writer { return c.Root().OutOrStdout() }

func (o *output) open(files *traces.Files) (io.Writer, error) {
	if o.path == "" {
		return nil, nil
	}
	file, err := files.Create(o.path)
	if err != nil {
		return nil, input.Refused(o.option, err, "")
	}
	return file, nil
}

func (o *output) write(stdout io.Writer, write func(io.Writer) error) error {
	if o.path == "" || o.path == "-" {
		return write(stdout)
	}
	file, err := traces.Create(o.path)
	if err != nil {
		return input.Refused(o.option, err, "")
	}
	defer file.Abort()
	return errors.Join(write(file), file.Commit())
}

// pictures is the value of a repeatable option KIND=F with a kind of picture and its file.
type pictures struct {
	given []string
	kinds []string
	of    []*output
	bare  bool // a file was given without its kind
}

type pictureKind struct {
	name string
	to   *starloom.Output
}

func (all *outputs) pictures(c *cobra.Command, usage string, kinds ...pictureKind) *pictures {
	p := &pictures{}
	for _, kind := range kinds {
		o := &output{option: "--svg " + kind.name, take: func(path string) error {
			*kind.to = starloom.File(path)
			return nil
		}}
		p.kinds, p.of, all.list = append(p.kinds, kind.name), append(p.of, o), append(all.list, o)
	}
	c.Flags().Var(p, "svg", usage)
	completed(c, "svg", p.complete)
	return p
}

// complete completes KIND=; a path follows.
func (p *pictures) complete(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	if strings.Contains(word, "=") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var kinds []string
	for _, kind := range p.kinds {
		if strings.HasPrefix(kind, word) {
			kinds = append(kinds, kind+"=")
		}
	}
	return kinds, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func (p *pictures) words() string {
	last := len(p.kinds) - 1
	if last == 0 {
		return p.kinds[0]
	}
	return strings.Join(p.kinds[:last], ", ") + " or " + p.kinds[last]
}

func (p *pictures) String() string { return strings.Join(p.given, ",") }

func (p *pictures) Type() string { return "KIND=F" }

func (p *pictures) Set(text string) error {
	kind, path, ok := strings.Cut(text, "=")
	if !ok && len(p.kinds) == 1 && text != p.kinds[0] {
		kind, path, ok, p.bare = p.kinds[0], text, true, true
	}
	for i, name := range p.kinds {
		if name != kind {
			continue
		}
		if !ok || p.of[i].path != "" || p.several(path) || path != "-" && !strings.HasSuffix(path, ".svg") {
			break
		}
		p.of[i].path, p.given = path, append(p.given, text)
		return nil
	}
	return errors.New("not a kind and a file") // remedy explains the form
}

func (p *pictures) several(path string) bool {
	for _, kind := range p.kinds {
		if strings.Contains(path, ","+kind+"=") {
			return true
		}
	}
	return false
}

func (p *pictures) remedy(text string) string {
	kind, path, _ := strings.Cut(text, "=")
	for i, name := range p.kinds {
		switch {
		case name == kind && path == "":
			return "name a file: --svg " + kind + "=" + kind + ".svg"
		case name == kind && p.of[i].path != "":
			return "give each kind once: already given: --svg " + kind + "=" + p.of[i].path
		case name == kind && p.several(path):
			return "give the option once for each kind: --svg " + strings.ReplaceAll(text, ",", " --svg ")
		case name == kind:
			return "give a path that ends in .svg"
		}
	}
	return input.DidYouMean(kind, p.kinds, "write KIND=F.svg, KIND being "+p.words())
}
