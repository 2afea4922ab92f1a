package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom"
	"starloom/internal/maps"
	"starloom/nic"
	"starloom/traces/diff"
	"starloom/traces/info"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

func newTrace(networks starloom.Networks) *cobra.Command {
	parent := &cobra.Command{Use: "trace", Short: "Work with traces", Args: cobra.ArbitraryArgs, RunE: group}
	parent.AddCommand(newTraceInfo(), newTraceValues(), newTraceDiff(networks), newTraceDecode(), newTraceDissector())
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
	c.Flags().StringArrayVar(&o.Signals, "only", nil,
		"with --signals: list those that match the pattern `GLOB` (may be repeated)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if signals && len(o.Signals) == 0 {
			o.Signals = []string{"**"}
		}
		return withJSON(c, &files, json, args,
			func() (textAndJSON, error) { return starloom.TraceInfo(c.Context(), args, o) })
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
	f.StringVar(&from, "from", "", "begin at `T` (50ns), with the signals' values at that time")
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
	f.StringVar(&mapPath, "map", "", "positions of the phits: YAML file `F`")
	pcapng := files.to(f, "pcapng", "write the packets to `F`, and F.lua for Wireshark beside it", &to.PCAPNG)
	files.to(f, "json", "write the findings as JSON to `F`", &to.JSON)
	c.RunE = func(c *cobra.Command, args []string) error {
		for _, required := range []struct{ option, value string }{{"--map", mapPath}, {"--pcapng", pcapng.path}} {
			if required.value == "" {
				return input.Mistake(c.CommandPath(), required.option+" is missing", "usage: "+c.UseLine())
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

// diffFlags holds the options of `trace diff`. A map may also set some of them.
type diffFlags struct {
	diff.Options
	files outputs
	json  *output

	mapPath, pins string
	networks      starloom.Networks
	x             *choice
	clock, period string
	offsetCycles  int64
	offset, align string
	from, to      string
}

func newTraceDiff(networks starloom.Networks) *cobra.Command {
	o := diffFlags{networks: networks}
	c := &cobra.Command{
		Use:               "diff A.vcd B.vcd",
		Short:             "Compare two waveforms",
		Args:              exactly("A.vcd", "B.vcd"),
		ValidArgsFunction: filesOf("vcd", "fst", "gz"),
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c, args[0], args[1]) },
	}
	f := c.Flags()
	f.StringVar(&o.mapPath, "map", "", "names, clocks and more from the YAML file `F`")
	f.StringVar(&o.pins, "pins", "", "names, clocks and the first cycle from the pin map `MAP.yml`: compare the model's "+
		"ports with the RTL's pins")
	f.StringArrayVar(&o.Ignore, "ignore", nil, "leave out signals that match the pattern `GLOB` (may be repeated)")
	f.StringArrayVar(&o.Only, "only", nil, "compare only signals that match the pattern `GLOB` (may be repeated)")
	o.x = choose(c, "x", "whether x and z are separate values, or match everything (default strict)", "strict", "lenient")
	f.StringVar(&o.clock, "clock", "",
		"compare cycles of the signal `NAME` of A, and of its counterpart in B")
	f.StringVar(&o.period, "sample-period", "", "compare cycles of this length `T` (10ns), in both files")
	f.Int64Var(&o.offsetCycles, "offset-cycles", 0, "cycle n of A is cycle n+`N` of B")
	f.StringVar(&o.offset, "offset", "", "time t of A is t+`T` of B (20ns, -500ps)")
	f.StringVar(&o.align, "align", "", "the first change of the signal `NAME` of A from 0 to 1 is the same moment in both")
	f.StringVar(&o.from, "from", "", "start at `T`: a time of A (100ns), or a cycle")
	f.StringVar(&o.to, "to", "", "end with `T`: a time of A, or a cycle")
	f.IntVar(&o.Context, "context", 16, "draw `N` cycles or changes, up to the first difference")
	f.BoolVar(&o.Prefix, "prefix", false, "one file may end before the other")
	f.Float64Var(&o.RealTolerance, "real-tolerance", 0,
		"reals match if they differ by at most the fraction `R` of the larger one (1e-12)")
	f.BoolVar(&o.First, "first", false, "stop at the first difference")
	o.json = o.files.file(f, "json", "write the report as JSON to `F`")
	return c
}

func (o *diffFlags) run(c *cobra.Command, a, b string) error {
	if err := o.readPins(c, a, b); err != nil {
		return err
	}
	if o.mapPath != "" {
		if err := starloom.LoadDiffMap(o.mapPath, &o.Options); err != nil {
			return err
		}
	}
	if err := o.override(c.Flags()); err != nil {
		return err
	}
	if err := o.refuse(); err != nil {
		return err
	}
	progress := newProgress(c.ErrOrStderr())
	o.Progress = progress.bytes
	var report *diff.Report
	err := withJSON(c, &o.files, o.json, []string{o.mapPath, o.pins, a, b}, func() (textAndJSON, error) {
		defer progress.clear()
		var err error
		report, err = diff.Files(c.Context(), a, b, o.Options)
		return report, err
	})
	if err == nil && (report.Differs() || report.Damaged()) {
		return errFailed
	}
	return err
}

// readPins takes names, clocks and the first cycle from a pin map, and lists the omitted ports.
func (o *diffFlags) readPins(c *cobra.Command, a, b string) error {
	if o.pins == "" {
		return nil
	}
	m, err := o.networks.LoadPinMap(o.pins)
	if err != nil {
		return err
	}
	defer m.Close()
	if c.Flags().Changed("only") {
		return input.Mistake("--only", "the pin map names the signals to compare", "leave some out with --ignore")
	}
	left, err := maps.PinDiff(m, a, b, &o.Options)
	if err != nil {
		return fault(err)
	}
	if len(left) > 0 {
		fmt.Fprintf(readable(c.ErrOrStderr()), "not compared: %s\n", strings.Join(left, ", "))
	}
	return nil
}

func (o *diffFlags) override(f *pflag.FlagSet) error {
	o.Lenient = o.x.value == "lenient"
	if o.align != "" {
		o.Align = o.align
	}
	if f.Changed("offset-cycles") {
		o.OffsetCycles = o.offsetCycles
	}
	if o.clock != "" {
		o.A, o.B = vcd.Sampling{Clock: o.clock}, vcd.Sampling{Clock: o.clock}
	}
	return errors.Join(
		duration("--sample-period", o.period, func(d vcd.Duration, _ bool) {
			o.A, o.B = vcd.Sampling{Period: d}, vcd.Sampling{Period: d}
		}),
		duration("--offset", o.offset, func(d vcd.Duration, negative bool) { o.Offset, o.OffsetBack = d, negative }),
		bound("--from", o.from, &o.From), bound("--to", o.to, &o.To),
	)
}

func (o *diffFlags) refuse() error {
	if o.Context < 1 || o.Context > 1000 {
		return input.Mistake("--context", fmt.Sprintf("%d columns cannot be drawn", o.Context), "give 1 to 1000")
	}
	if !(o.RealTolerance >= 0 && o.RealTolerance < 1) {
		reason := fmt.Sprintf("%v is not a fraction", o.RealTolerance)
		return input.Mistake("--real-tolerance", reason, "give 0 or more and less than 1, such as 1e-12")
	}
	return nil
}

// duration parses the value of a time option and passes it to set, with its sign.
func duration(option, text string, set func(d vcd.Duration, negative bool)) error {
	if text == "" {
		return nil
	}
	plain, negative := strings.CutPrefix(text, "-")
	d, err := vcd.ParseDuration(plain)
	if err == nil && d.Count == 0 && option == "--sample-period" || negative && option != "--offset" {
		err = fmt.Errorf("%q is not a length of time", text)
	}
	if err != nil {
		remedy := "give a time such as 10ns"
		if _, notNumber := strconv.ParseUint(plain, 10, 64); notNumber == nil && plain != "0" {
			remedy = fmt.Sprintf("add its unit, such as %sns", text)
		}
		return input.Mistake(option, err.Error(), remedy)
	}
	set(d, negative)
	return nil
}

func bound(option, text string, b *diff.Bound) error {
	if text == "" {
		return nil
	}
	b.Given = true
	if cycle, err := strconv.ParseUint(text, 10, 64); err == nil {
		b.Cycle = cycle
		return nil
	}
	b.Timed = true
	return duration(option, text, func(d vcd.Duration, _ bool) { b.Time = d })
}
