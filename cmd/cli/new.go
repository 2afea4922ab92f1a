package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/template"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

type newFlags struct {
	networks starloom.Networks
	all      []fabric.Network // networks that a scenario may name
	kinds    []string
	settings settings
	program  string
	outputs  outputs
	out      *output
}

func newNew(networks starloom.Networks) *cobra.Command {
	o := newFlags{networks: networks, settings: settings{networks: networks}}
	o.all = append(config.Kinds(reflect.TypeFor[starloom.Fabric]()), networks...)
	for _, n := range o.all {
		o.kinds = append(o.kinds, n.Kind())
	}
	c := &cobra.Command{
		Use:   "new [FABRIC]",
		Short: "Write a small scenario to begin with",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return o.list(c)
			}
			return o.write(c, args[0])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return o.kinds, cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := c.Flags()
	f.StringVar(&o.program, "program", "", "run the built-in program `P` (default: one to begin with)")
	o.out = o.outputs.add(f, "output", "o", "write to `F` (default: FABRIC.yaml), - for standard output", nil)
	formerly(c, "out", "output")
	o.settings.declare(c)
	completed(c, "program", func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		for _, n := range o.all {
			if len(args) == 0 || n.Kind() == args[0] {
				names = append(names, programNames(n)...)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

func programNames(n fabric.Network) (names []string) {
	for _, p := range n.Programs() {
		names = append(names, p.Name)
	}
	return names
}

func (o *newFlags) list(c *cobra.Command) error {
	table := tabwriter.NewWriter(product(c), 0, 0, 2, ' ', 0)
	for _, n := range o.all {
		fmt.Fprintf(table, "%s\t%s\n", n.Kind(),
			cmp.Or(strings.Join(programNames(n), ", "), "no programs: give your own image"))
	}
	return table.Flush()
}

func (o *newFlags) write(c *cobra.Command, kind string) error {
	k := slices.Index(o.kinds, kind)
	if k < 0 {
		return input.Mistake(c.CommandPath(), fmt.Sprintf("unknown fabric %q", kind),
			input.DidYouMean(kind, o.kinds, "choose one of "+strings.Join(o.kinds, ", ")))
	}
	n := o.all[k]
	o.out.path = cmp.Or(o.out.path, kind+".yaml")
	if _, err := os.Lstat(o.out.path); err == nil && o.out.path != "-" {
		return input.Mistake("--output", o.out.path+" already exists", "give another path")
	}
	expect, err := o.assign(n)
	if err != nil {
		return err
	}
	text, err := o.text(c.Context(), n, expect)
	if err != nil {
		return fault(err)
	}
	if err := o.create(c, text); err != nil || o.out.path == "-" {
		return err
	}
	_, err = fmt.Fprintf(readable(c.OutOrStdout()), "made %s: %s\n", input.Printable(o.out.path), o.command(expect))
	return err
}

func (o *newFlags) assign(n fabric.Network) (expect string, err error) {
	names := programNames(n)
	own := o.settings.words
	if o.program == "" && len(names) > 0 && !sets(own, "firmware.image") && !sets(own, "firmware.program") {
		o.program = cmp.Or(fabric.ExampleOf(n, "").Program, names[0])
	}
	if k := slices.Index(names, o.program); o.program != "" && k < 0 {
		return "", &starloom.InputError{Place: "--program", Reason: fmt.Sprintf("%s has no program %q", n.Kind(), o.program),
			Remedy: input.DidYouMean(o.program, names, "it has "+cmp.Or(strings.Join(names, ", "), "none: give an image of "+
				"your own, --set firmware.image=F.wasm"))}
	}
	example := fabric.ExampleOf(n, o.program)
	wanted := slices.Clone(example.Set)
	if p := fabric.ProgramNamed(n, o.program); p != nil {
		wanted = append(wanted, "firmware.program="+p.Name)
		if kinds := p.Workloads; len(kinds) > 0 && !sets(wanted, "workload") {
			wanted = append(wanted, "workload."+kinds[0]+"="+config.WorkloadExample[kinds[0]])
		}
	} else if !sets(own, "firmware") {
		return "", input.Mistake(n.Kind(), "this fabric has no programs and needs your own image",
			"give one, --set firmware.image=F.wasm; 'starloom firmware new' makes one")
	}
	schema, err := o.networks.Schema()
	if err != nil {
		return "", fault(err)
	}
	keys, least, err := template.Required(schema, n.Kind())
	if err != nil {
		return "", fault(err)
	}
	has, err := strict.Keys(n) // defaults of a network written in Go, which a file may omit
	if err != nil {
		return "", fault(err)
	}
	for _, key := range keys {
		value := least[key]
		if number, ok := has[key].(json.Number); ok && number != "0" {
			value = number.String()
		}
		if key := "fabric." + n.Kind() + "." + key; !sets(wanted, key) && value != "" {
			wanted = append(wanted, key+"="+value)
		}
	}
	for _, word := range own {
		key, _, _ := strings.Cut(word, "=")
		wanted = slices.DeleteFunc(wanted, func(word string) bool { return sets([]string{word}, key) })
	}
	o.settings.words = append(wanted, own...)
	if len(own) > 0 {
		return "", nil
	}
	return example.Expect, nil
}

func sets(words []string, key string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return name == key || strings.HasPrefix(name, key+".")
	})
}

func (o *newFlags) text(ctx context.Context, n fabric.Network, expect string) ([]byte, error) {
	set, err := o.settings.assignments()
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, a := range set {
		keys = append(keys, a.Key)
	}
	s, err := o.networks.ParseScenario(o.out.path, []byte("starloom: 1\n"), set...)
	if err != nil {
		return nil, err
	}
	e, err := s.Explain(ctx)
	if err != nil {
		return nil, err
	}
	schema, err := o.networks.Schema()
	if err != nil {
		return nil, err
	}
	t := template.Template{
		Settings: e.Settings, Keys: keys,
		Head:  []string{fmt.Sprintf("A scenario for the fabric %s: '%s'.", n.Kind(), o.command(expect))},
		Notes: map[string]string{},
		Tail: []string{"Other keys: rules, faults, rtl, traces. 'starloom schema' prints every key with its " +
			"meaning and range, 'starloom scenario show' " +
			"this scenario with all defaults, and 'starloom explain' the meaning of its report's figures."},
	}
	if expect != "" {
		t.Head = append(t.Head, "The run fails on purpose: the program demonstrates the failure.")
	}
	t.Head = append(t.Head, "A commented line shows a key's default: delete the # to change it.")
	if others := slices.DeleteFunc(programNames(n),
		func(name string) bool { return name == o.program }); len(others) > 0 && o.program != "" {
		t.Notes["firmware.program"] = "or " + strings.Join(others, ", ") + ": 'starloom new " + n.Kind() +
			" --program P' writes what each needs"
	}
	return t.Write(schema)
}

func (o *newFlags) command(expect string) string {
	path := o.out.path
	if path == "-" {
		path = "SCENARIO"
	}
	text := "starloom run " + outcome.ShellQuote(path)
	if expect != "" {
		text += " --expect " + expect
	}
	return text
}

// create writes the scenario, and the schema with which an editor completes and checks its keys.
func (o *newFlags) create(c *cobra.Command, text []byte) error {
	if o.out.path == "-" {
		_, err := product(c).Write(text)
		return err
	}
	schema, err := o.networks.Schema()
	if err != nil {
		return fault(err)
	}
	return writeWithSchema(o.out.path, text, "scenario.schema.json", schema)
}

// writeWithSchema writes a new file and, beside it, its schema, which the first line of the file names. It replaces
// an existing schema only if that schema has another version.
func writeWithSchema(path string, text []byte, name string, schema []byte) error {
	beside := filepath.Join(filepath.Dir(path), name)
	before, err := os.ReadFile(beside)
	if err == nil && !bytes.Contains(before, []byte(`"title": "Starloom `)) {
		return input.Mistake(beside, "this is not a schema of Starloom", "move it, or write to another folder with -o")
	}
	var files traces.Files
	defer files.Abort()
	for file, data := range map[string][]byte{
		path: append([]byte("# yaml-language-server: $schema="+name+"\n#\n"), text...), beside: schema,
	} {
		w, err := files.Create(file)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			return input.Refused("--output", err, "give another path")
		}
	}
	return files.Commit()
}
