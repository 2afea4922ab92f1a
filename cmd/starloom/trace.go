package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/traces"
	"starloom/traces/diff"
	"starloom/traces/info"
	"starloom/traces/vcd"
)

func newTraceInfo() *cobra.Command {
	var json string
	var o info.Options
	var signals bool
	c := &cobra.Command{
		Use:   "info FILE...",
		Short: "Summarise a VCD or a packet capture",
		Long: `Says what is in waveforms (VCD of Starloom, Verilator, Icarus, GHDL and others) and
packet captures (pcapng): time scale, scopes, signals, the time from beginning to
end, how much changes, which signals change most, which are x or z and until
when; interfaces, packets and statuses. Files may be larger than memory.`,
		Example:           "  starloom trace info out.vcd out.pcapng\n  starloom trace info out.vcd --signals | grep coupler\n  starloom trace info out.vcd --json - | jq .files[0].vcd.changes",
		ValidArgsFunction: traceFiles,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return exactly("FILE")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if signals && len(o.Signals) == 0 {
				o.Signals = []string{"**"}
			}
			return withJSON(c, json, args, func() (textAndJSON, error) {
				return starloom.TraceInfo(c.Context(), args, o)
			})
		},
	}
	c.Flags().StringVar(&json, "json", "", "write it as JSON to `F`")
	c.Flags().BoolVar(&signals, "signals", false, "list the signals")
	c.Flags().StringArrayVar(&o.Signals, "only", nil, "with --signals: list those that match the pattern `GLOB` (may be repeated)")
	return c
}

func traceFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"vcd", "pcapng"}, cobra.ShellCompDirectiveFilterFileExt
}

// textAndJSON is a report.
type textAndJSON interface {
	WriteText(io.Writer) error
	WriteJSON(io.Writer) error
}

// withJSON makes a report and prints it; with --json it writes it to a file, too.
// The file is opened before the work, which may take long.
func withJSON(c *cobra.Command, path string, inputs []string, make func() (textAndJSON, error)) error {
	if err := keep([]output{{"--json", path}}, inputs...); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	file, err := open(&files, "--json", path)
	if err != nil {
		return err
	}
	report, err := make()
	if err != nil {
		return fault(err)
	}
	if file != nil {
		err = report.WriteJSON(file)
	}
	if err := errors.Join(err, files.Commit()); err != nil {
		return fault(err)
	}
	text := c.OutOrStdout()
	if path == "-" {
		text = c.ErrOrStderr()
	}
	return report.WriteText(text)
}

func newTraceDiff() *cobra.Command {
	var o diff.Options
	var json, mapPath, samplePeriod, clock, offset, from, to, align string
	var cycles int64
	c := &cobra.Command{
		Use:   "diff A.vcd B.vcd",
		Short: "Compare two VCDs",
		Long: `Compares two waveforms and shows the first difference: when, which signal, both
values, and what came before it. The verdict is EQUAL only if all of both files was compared,
else NO DIFFERENCE in what was compared, and what was skipped: by --only, --ignore,
--from, --to and --prefix, where --x lenient let x or z match another value or
--real-tolerance a real, and, with a clock or a period, always what is between the samples.
Exit status: 0 no difference, 1 they differ, or a file is damaged (its last line is cut
off, a value does not fit its signal), 2 bad input. Files may be larger than memory.

A file ends with the last change of a signal that is compared (with a clock that is
compared, with its last edge); times after it without a change do not count. If the other
file goes on, as after a simulation that died, they differ, unless --prefix is given or
--to is within both. Reals are equal if they are the same number, unless a tolerance is given.

Signals are compared if both files have them under the same name; scopes around
everything, such as TOP, may differ. Signals that only one file has are listed and
are not a difference. For an event, the times (or cycles) are compared at which it is
triggered. A map says what signals of A are called in B:

    signals:
      tb.u_dut.**: TOP.dut.$1                     # ** is any number of names
      pops.group[*].coupler[*].out: TOP.c_$1_$2   # * is a part of a name
      tb.bus[7:4]: TOP.high                       # bits of a vector
    a: {clock: tb.clk}                            # how A is sampled (or period: 10 ns)
    b: {clock: TOP.clk_i, edge: rising}
    ignore: ["**.debug_*"]                        # also only:, align:, offset_cycles:

Without clock or period, every change is compared, at its time: time scales are
converted. With them, cycles are compared: what signals are just before an edge, or
at the end of a period.`,
		Example: `  starloom trace diff before.vcd after.vcd
  starloom trace diff icarus.vcd verilator.vcd --map names.yaml --x lenient
  starloom trace diff a.vcd b.vcd --clock tb.clk --from 10 --ignore 'tb.dbg.**'`,
		Args: exactly("A.vcd", "B.vcd"),
		ValidArgsFunction: func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			return []string{"vcd"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	f := c.Flags()
	f.StringVar(&mapPath, "map", "", "names, clocks and more from the YAML file `F`")
	f.StringArrayVar(&o.Ignore, "ignore", nil, "leave out signals that match the pattern `GLOB` (may be repeated)")
	f.StringArrayVar(&o.Only, "only", nil, "compare only signals that match the pattern `GLOB` (may be repeated)")
	x := choose(c, "x", "whether x and z are values of their own, or match everything (default strict)", "strict", "lenient")
	f.StringVar(&clock, "clock", "", "compare cycles of the signal `NAME` of A; in B it is what it is called there")
	f.StringVar(&samplePeriod, "sample-period", "", "compare cycles of this length `T` (10ns), in both files")
	f.Int64Var(&cycles, "offset-cycles", 0, "cycle n of A is cycle n+`N` of B")
	f.StringVar(&offset, "offset", "", "time t of A is t+`T` of B (20ns, -500ps)")
	f.StringVar(&align, "align", "", "the first change of the signal `NAME` of A from 0 to 1 is the same moment in both")
	f.StringVar(&from, "from", "", "start at `T`: a time of A (100ns), or a cycle")
	f.StringVar(&to, "to", "", "end with `T`: a time of A, or a cycle")
	f.IntVar(&o.Context, "context", 16, "draw `N` cycles or changes, up to the first difference")
	f.BoolVar(&o.Prefix, "prefix", false, "one file may end before the other")
	f.Float64Var(&o.RealTolerance, "real-tolerance", 0, "reals match that differ by at most this part `R` of the larger one (1e-12)")
	f.BoolVar(&o.First, "first", false, "stop at the first difference")
	f.StringVar(&json, "json", "", "write the report as JSON to `F`")
	c.RunE = func(c *cobra.Command, args []string) error {
		if mapPath != "" {
			if err := starloom.LoadDiffMap(mapPath, &o); err != nil {
				return err
			}
		}
		o.Lenient = x.value == "lenient"
		if align != "" {
			o.Align = align
		}
		if f.Changed("offset-cycles") {
			o.OffsetCycles = cycles
		}
		if clock != "" {
			o.A, o.B = vcd.Sampling{Clock: clock}, vcd.Sampling{Clock: clock}
		}
		if err := errors.Join(
			duration("--sample-period", samplePeriod, func(d vcd.Duration, _ bool) {
				o.A, o.B = vcd.Sampling{Period: d}, vcd.Sampling{Period: d}
			}),
			duration("--offset", offset, func(d vcd.Duration, negative bool) { o.Offset, o.OffsetBack = d, negative }),
			bound("--from", from, &o.From), bound("--to", to, &o.To),
		); err != nil {
			return err
		}
		if o.Context < 1 || o.Context > 1000 {
			return &starloom.InputError{Place: "--context", Reason: fmt.Sprintf("%d columns cannot be drawn", o.Context), Remedy: "give 1 to 1000"}
		}
		if !(o.RealTolerance >= 0 && o.RealTolerance < 1) {
			reason := fmt.Sprintf("%v is not a part of a number", o.RealTolerance)
			return &starloom.InputError{Place: "--real-tolerance", Reason: reason, Remedy: "give 0 or more and less than 1, such as 1e-12"}
		}
		progress := newProgress(c.ErrOrStderr())
		o.Progress = progress.bytes
		var report *diff.Report
		err := withJSON(c, json, append([]string{mapPath}, args...), func() (textAndJSON, error) {
			defer progress.clear()
			var err error
			report, err = diff.Files(c.Context(), args[0], args[1], o)
			return report, err
		})
		if err == nil && (report.Differs() || report.Damaged()) {
			return errFailed
		}
		return err
	}
	return c
}

// bytes shows how far a file has been read.
func (p *progress) bytes(read, size int64) {
	if p.due() {
		fmt.Fprintf(p.out, "\r\x1b[K%d of %d MB", read>>20, size>>20)
	}
}

// duration reads an option that is a time, which may be negative if set wants to
// know.
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
		return &starloom.InputError{Place: option, Reason: err.Error(), Remedy: "give a time such as 10ns"}
	}
	set(d, negative)
	return nil
}

// bound reads a cycle or a time.
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

func newTraceDecode() *cobra.Command {
	var mapPath, pcapng, json string
	c := &cobra.Command{
		Use:   "decode FILE.vcd --map MAP.yaml --pcapng OUT.pcapng",
		Short: "Extract frames from a VCD into a packet capture",
		Long: `Finds frames in the waveform of any RTL and writes them as a packet capture, so that
packets of a simulation can be read with Wireshark and compared with those of
'starloom run --pcapng'. A map says where the phits are:

    clock: TOP.clk_i            # or, as in Starloom's own files, period: 1 ns
    slot_cycles: 6              # or slot: pops.slot, the signal that is the slot's number
    interfaces:
      - name: "link[$1]"        # $1 is what the first * below has matched
        data: "TOP.link[*].data_o"        # a phit; its first bit is the highest
        valid: "TOP.link[$1].valid_o"
        ready: "TOP.link[$1].ready_i"     # these are optional: ready,
        last: "TOP.link[$1].last_o"       # last and first (of a frame)
        direction: sent                   # or received: known by its last phit
      - name: "net.unit[$1].nic[$2].port[${port}]"
        rail1: "net.unit[*].nic[*].tx.light.rail1"   # dual-rail light
        rail0: "net.unit[$1].nic[$2].tx.light.rail0"
        port: "net.unit[$1].nic[$2].tx.port"
        ports: 4                          # a frame to all ports is 4 packets

A frame ends as its header's length says, or with last. In cycle n a signal is what it
is just before the n-th edge of the clock, or at the end of the n-th period.`,
		Example: "  starloom trace decode verilator.vcd --map links.yaml --pcapng links.pcapng",
		Args:    exactly("FILE.vcd"),
		ValidArgsFunction: func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			return []string{"vcd"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	f := c.Flags()
	f.StringVar(&mapPath, "map", "", "where the phits are: YAML file `F`")
	f.StringVar(&pcapng, "pcapng", "", "write the packets to `F`, and F.lua for Wireshark beside it")
	f.StringVar(&json, "json", "", "write what was found as JSON to `F`")
	c.RunE = func(c *cobra.Command, args []string) error {
		for _, required := range []struct{ option, value string }{{"--map", mapPath}, {"--pcapng", pcapng}} {
			if required.value == "" {
				return &starloom.InputError{Place: c.CommandPath(), Reason: required.option + " is missing", Remedy: "usage: " + c.UseLine()}
			}
		}
		return decode(c, args[0], mapPath, pcapng, json)
	}
	return c
}

func decode(c *cobra.Command, path, mapPath, pcapng, json string) error {
	if err := keep([]output{{"--pcapng", pcapng}, {"--json", json}}, path, mapPath); err != nil {
		return err
	}
	m, err := starloom.LoadDecodeMap(mapPath)
	if err != nil {
		return err
	}
	report, err := starloom.TraceDecode(c.Context(), path, m, starloom.DecodeOutputs{PCAPNG: starloom.File(pcapng), JSON: starloom.File(json)})
	if err != nil {
		return fault(err)
	}
	text := c.OutOrStdout()
	if pcapng == "-" || json == "-" {
		text = c.ErrOrStderr()
	}
	return report.WriteText(text)
}
