package cli

import (
	"io"

	"github.com/spf13/cobra"

	"starloom"
	drawn "starloom/internal/picture"
	"starloom/traces"
)

func newNetlist(networks starloom.Networks) *cobra.Command {
	parent := &cobra.Command{Use: "netlist", Short: "Show a network drawn in a file",
		Args: cobra.ArbitraryArgs, RunE: group}
	parent.AddCommand(newNetlistShow(networks), newNetlistHeader(networks))
	return parent
}

func newNetlistShow(networks starloom.Networks) *cobra.Command {
	var files outputs
	c := &cobra.Command{
		Use:               "show F.yaml",
		Short:             "Print nodes, ports and media with their numbers and paths",
		Args:              exactly("F.yaml"),
		ValidArgsFunction: oneFile("yaml", "yml"),
	}
	f := c.Flags()
	yaml := files.file(f, "yaml", "write the netlist without ranges and kinds to `F`")
	dot := files.file(f, "dot", "write a graph for Graphviz to `F`")
	var topology starloom.Output
	svg := files.pictures(c, "draw the network: `topology=F.svg`", pictureKind{"topology", &topology})
	c.RunE = func(c *cobra.Command, args []string) error {
		if svg.bare {
			sayOld(c, "--svg F.svg", "--svg topology=F.svg")
		}
		if err := files.check(args...); err != nil {
			return err
		}
		n, err := networks.LoadNetlist(args[0])
		if err != nil {
			return fault(err)
		}
		var written traces.Files
		defer written.Abort()
		for _, o := range []struct {
			to    *output
			write func(io.Writer) error
		}{{yaml, n.Net().WriteYAML}, {dot, n.Net().WriteDOT}, {svg.of[0], func(w io.Writer) error {
			data, err := drawn.TopologyOf(n, n.Net().Name, nil, nil).SVG()
			if err == nil {
				_, err = w.Write(data)
			}
			return err
		}}} {
			file, err := o.to.open(&written)
			if err != nil {
				return err
			}
			if file != nil {
				if err := o.write(file); err != nil {
					return fault(err)
				}
			}
		}
		if err := written.Commit(); err != nil {
			return fault(err)
		}
		return n.Net().WriteText(files.text(c))
	}
	return c
}

func newNetlistHeader(networks starloom.Networks) *cobra.Command {
	var files outputs
	c := &cobra.Command{
		Use:               "header F.yaml",
		Short:             "Write names and numbers as a header for firmware in C",
		Args:              exactly("F.yaml"),
		ValidArgsFunction: oneFile("yaml", "yml"),
	}
	out := files.add(c.Flags(), "output", "o", "write to `F` (default: standard output)", nil)
	formerly(c, "out", "output")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := files.check(args...); err != nil {
			return err
		}
		n, err := networks.LoadNetlist(args[0])
		if err != nil {
			return fault(err)
		}
		return fault(out.write(c.OutOrStdout(), n.Net().WriteHeader))
	}
	return c
}
