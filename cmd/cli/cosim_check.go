package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim/twin"
)

func newCosimCheck(networks starloom.Networks) *cobra.Command {
	o := checkFlags{settings: settings{networks: networks}}
	c := &cobra.Command{
		Use:               "check MAP.yml | SCENARIO",
		Short:             "Run RTL beside the model that it replaces, and show the first difference",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: filesOf("yml", "yaml"),
	}
	o.declare(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case o.list:
			return listTwins(product(c), networks.Twins())
		case len(args) == 1 && o.twin == "" && o.settings.isScenario(args[0]):
			return o.checkScenario(c, args[0])
		}
		return o.checkMap(c, args)
	}
	return c
}

func listTwins(w io.Writer, twins []twin.Twin) error {
	var b strings.Builder
	for _, t := range twins {
		m, err := t.New(t.Sets[0])
		if err != nil {
			return fault(err)
		}
		var parameters, inputs, outputs []string
		for _, name := range slices.Sorted(maps.Keys(t.Sets[0])) {
			parameters = append(parameters, fmt.Sprintf("%s: %d", name, t.Sets[0][name]))
		}
		for _, p := range m.Ports() {
			name := p.Name
			if p.Bits > 1 {
				name += fmt.Sprintf("[%d:0]", p.Bits-1)
			}
			if p.Input {
				inputs = append(inputs, name)
			} else {
				outputs = append(outputs, name)
			}
		}
		if err := m.Close(); err != nil {
			return fault(err)
		}
		fmt.Fprintf(&b, "%s\n  does        %s\n  parameters  {%s}\n  inputs      %s\n  outputs     %s\n",
			t.Name, t.Does, strings.Join(parameters, ", "), strings.Join(inputs, ", "), strings.Join(outputs, ", "))
	}
	b.WriteString("\nEvery parameter needs a value. The values shown are examples, and the widths result from them.\n")
	_, err := io.WriteString(w, b.String())
	return err
}
