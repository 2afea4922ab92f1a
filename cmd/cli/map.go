package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim"
	"starloom/internal/maps"
	"starloom/traces/input"
)

type mapFlags struct {
	cosimBuildFlags
	networks starloom.Networks
	model    string
	try      bool
	out      *output
}

func newMap(networks starloom.Networks) *cobra.Command {
	o := mapFlags{networks: networks}
	c := &cobra.Command{
		Use:               "map SOURCE...",
		Short:             "Write a first pin map of some RTL, with guesses marked",
		Args:              atLeastOne("SOURCE"),
		ValidArgsFunction: filesOf("v", "sv", "vhd", "vhdl"),
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	f := c.Flags()
	f.StringVar(&o.Top, "top", "", "module or entity `T` (default: the first source's name)")
	f.StringArrayVarP(&o.params, "param", "G", nil, "give the top module's parameter P the value `P=V`")
	f.StringArrayVarP(&o.IncludeDirs, "include", "I", nil, "look for included files and modules in `DIR`")
	f.StringArrayVarP(&o.defines, "define", "D", nil, "define the macro `X`, or X=V")
	f.StringVar(&o.model, "model", "", "use the model `NAME` instead of a guess")
	f.BoolVar(&o.try, "try", false, "run variants of the model beside the RTL, and take the first without a difference")
	o.out = o.outputs.add(f, "output", "o", "write to `F` (default: the top's name with .yml), - for standard output", nil)
	completed(c, "model", (&checkFlags{settings: settings{networks: networks}}).twinWords())
	return c
}

func (o *mapFlags) run(c *cobra.Command, sources []string) error {
	if slices.Contains(sources, input.StandardInput) {
		return input.Mistake("SOURCE", "a pin map names the files of its RTL, and standard input has no name",
			"write the source to a file")
	}
	base := filepath.Base(sources[0])
	o.Top = cmp.Or(o.Top, strings.TrimSuffix(base, filepath.Ext(base)))
	o.out.path = cmp.Or(o.out.path, o.Top+".yml")
	if _, err := os.Lstat(o.out.path); err == nil && o.out.path != "-" {
		return input.Mistake("--output", o.out.path+" is there already", "give another path")
	}
	if err := o.read(sources); err != nil {
		return err
	}
	models := o.networks.Twins()
	var names []string
	for _, t := range models {
		names = append(names, t.Name)
		if t.Name == o.model {
			names = nil
			break
		}
	}
	if o.model != "" && names != nil {
		return input.Mistake("--model", fmt.Sprintf("there is no model %q", o.model), input.RemedyOf(o.model, names))
	}
	circuit, err := o.build(c)
	if err != nil {
		return fault(err)
	}
	defer circuit.Close()
	source, err := o.besideMap()
	if err != nil {
		return err
	}
	guess, err := maps.NewGuess(source, circuit.Ports, models, o.model)
	if err != nil {
		return fault(err)
	}
	if o.try {
		progress := newProgress(c.ErrOrStderr())
		progress.step("tries variants of the model")
		err := o.networks.TryMap(c.Context(), guess, cmp.Or(strings.TrimSuffix(o.out.path, "-"), o.Top+".yml"))
		progress.clear()
		if err != nil {
			return fault(err)
		}
	}
	if o.out.path == "-" {
		_, err := product(c).Write([]byte(guess.Text()))
		return err
	}
	err = writeWithSchema(o.out.path, []byte(guess.Text()), "pin-map.schema.json", maps.PinSchema(models))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(readable(c.OutOrStdout()), "made %[1]s: check its guesses, then: starloom cosim check %[1]s\n",
		input.Printable(o.out.path))
	return err
}

// besideMap returns the source with paths relative to the map.
func (o *mapFlags) besideMap() (cosim.Source, error) {
	source := o.Source
	beside, err := filepath.Abs(filepath.Dir(o.out.path))
	if err != nil {
		return source, err
	}
	for _, list := range []*[]string{&source.Files, &source.IncludeDirs} {
		*list = slices.Clone(*list)
		for i, path := range *list {
			if path, err = filepath.Abs(path); err != nil {
				return source, err
			}
			if moved, err := filepath.Rel(beside, path); err == nil {
				path = moved
			}
			(*list)[i] = filepath.ToSlash(path)
		}
	}
	return source, nil
}
