package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/nic"
	"starloom/traces/info"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

func newTrace() *cobra.Command {
	parent := &cobra.Command{Use: "trace", Short: "Work with traces", Args: cobra.ArbitraryArgs, RunE: group}
	parent.AddCommand(newTraceInfo(), newTraceValues(), newTraceDiff(), newTraceDecode(), newTraceDissector())
	return parent
}

func newTraceInfo() *cobra.Command {
	var o info.Options
	var files outputs
	var signals bool
	c := &cobra.Command{
		Use:               "info FILE...",
		Short:             "Summarise a waveform or a packet capture",
		Args:              atLeastOne("FILE"),
		ValidArgsFunction: filesOf("vcd", "fst", "gz", "pcapng"),
	}
	json := files.file(c.Flags(), "json", "write it as JSON to `F`")
	c.Flags().BoolVar(&signals, "signals", false, "list the signals")
	c.Flags().StringArrayVar(&o.Signals, "only", nil, "with --signals: list those that match the pattern `GLOB` (may be repeated)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if signals && len(o.Signals) == 0 {
			o.Signals = []string{"**"}
		}
		return withJSON(c, &files, json, args, func() (textAndJSON, error) { return starloom.TraceInfo(c.Context(), args, o) })
	}
	return c
}

func newTraceValues() *cobra.Command {
	var o info.ValuesOptions
	var from, to string
	c := &cobra.Command{
		Use:               "values FILE",
		Short:             "Print values of signals in a waveform",
		Args:              exactly("FILE"),
		ValidArgsFunction: filesOf("vcd", "fst", "gz"),
	}
	f := c.Flags()
	f.StringArrayVar(&o.Signals, "only", nil, "print signals that match the pattern `GLOB` (may be repeated; default all)")
	f.StringVar(&from, "from", "", "begin at `T` (50ns), with the values that signals have there")
	f.StringVar(&to, "to", "", "end with `T` (60ns)")
	c.RunE = func(c *cobra.Command, args []string) error {
		o.Interrupted = c.Context().Err
		err := errors.Join(
			duration("--from", from, func(d vcd.Duration, _ bool) { o.From = &d }),
			duration("--to", to, func(d vcd.Duration, _ bool) { o.To = &d }),
		)
		if err != nil {
			return err
		}
		return fault(info.Values(args[0], o, input.Printer(c.OutOrStdout())))
	}
	return c
}

func newTraceDecode() *cobra.Command {
	var mapPath string
	var to starloom.DecodeOutputs
	var files outputs
	c := &cobra.Command{
		Use:               "decode FILE.vcd --map MAP.yaml --pcapng OUT.pcapng",
		Short:             "Extract frames from a waveform into a packet capture",
		Args:              exactly("FILE.vcd"),
		ValidArgsFunction: filesOf("vcd", "fst", "gz"),
	}
	f := c.Flags()
	f.StringVar(&mapPath, "map", "", "where the phits are: YAML file `F`")
	pcapng := files.to(f, "pcapng", "write the packets to `F`, and F.lua for Wireshark beside it", &to.PCAPNG)
	files.to(f, "json", "write what was found as JSON to `F`", &to.JSON)
	c.RunE = func(c *cobra.Command, args []string) error {
		for _, required := range []struct{ option, value string }{{"--map", mapPath}, {"--pcapng", pcapng.path}} {
			if required.value == "" {
				return &starloom.InputError{Place: c.CommandPath(), Reason: required.option + " is missing", Remedy: "usage: " + c.UseLine()}
			}
		}
		if err := files.check(args[0], mapPath); err != nil {
			return err
		}
		m, err := starloom.LoadDecodeMap(mapPath)
		if err != nil {
			return err
		}
		report, err := starloom.TraceDecode(c.Context(), args[0], m, to)
		if err != nil {
			return fault(err)
		}
		return report.WriteText(files.text(c))
	}
	return c
}

func newTraceDissector() *cobra.Command {
	var files outputs
	c := &cobra.Command{
		Use:   "dissector",
		Short: "Print the Wireshark dissector of Starloom's frames",
		Args:  exactly(),
	}
	to := files.add(c.Flags(), "output", "o", "write to `F` (default: standard output)", nil)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return to.write(product(c), func(w io.Writer) error { return nic.WriteDissector(w, nil) })
	}
	return c
}
