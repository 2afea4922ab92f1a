package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// checkFlags are the options of `cosim check`.
type checkFlags struct {
	starloom.CheckOptions
	vcd, save, json string

	twin    string
	params  []string
	backend *choice
	shrink  bool
	list    bool
}

// options are those of the check, with its files.
func (o *checkFlags) options() starloom.CheckOptions {
	options := o.CheckOptions
	options.VCD, options.Save, options.JSON = starloom.File(o.vcd), starloom.File(o.save), starloom.File(o.json)
	return options
}

func newCosimCheck() *cobra.Command {
	var o checkFlags
	c := &cobra.Command{
		Use:   "check MAP.yml | SCENARIO",
		Short: "Run RTL beside the model that it stands for and show the first difference",
		Long: `Runs RTL in lockstep with a model: the same inputs in every cycle, all outputs
compared. It ends at the first difference, makes the case as short as it can and shows
it. X and Z are differences; so are $finish, $fatal, oscillation and a hang: loops that
turn 2^30 times in one cycle, or that take 10 s; in Icarus 3 s of processor time.
Exit status: 0 no difference was found, 1 they differ, 2 bad input, 4 a tool
(compiler, converter or simulator) failed, hung or was killed, 129 or 130 interrupted.

A pin map says which RTL, which model and which pins:

    model: arbiter_round_robin           # --list shows all
    parameters: {REQUESTERS: 16}         # of the model
    top: rr_arb                          # the RTL: module,
    sources: [rr_arb.sv]                 # files relative to the map,
    include: [inc]                       # and, if needed, folders of 'include
    params: {NUM: 16}                    # and the module's parameters
    clock: clk_i
    reset: {pin: rst_ni, active: low}
    pins:                                # port of the model: pin of the RTL
      request: "valid_i[15:0]"           # [b, a] joins pins, ~a inverts one
      grant: ready_o
    ties: {test_en_i: 0}                 # constants for other inputs
    feedback: {ack_i: ready_o}           # an input that follows an output
    absent: [index]                      # outputs of the model that the RTL lacks
    latency: {grant: -1}                 # combinational where the model has a
                                         # register; 0 the same, 1 a cycle later
    backend: wasm                        # or icarus (with X and Z), shared

also defines:, and image: F.wasm of 'starloom cosim build' instead of top and sources.
Names in VHDL may be written in any case. A text for a parameter needs no quotes:
params: {FILE: words.hex}; quotes that belong to it stay: FILE: '"12"'. The files of
$readmem are looked for in the map's folder, then beside the source that reads them.

What Verilator accepts but simulates differently, MULTIDRIVEN, LATCH or a delay that
is ignored, is counted beside the verdict and listed; --backend icarus keeps delays and
shows X where drivers disagree. Icarus is not a sandbox: it runs in an empty temporary
folder, but RTL in it can reach your files by their full names; the verdict counts $fopen
and the like. $error ends a run, as $fatal does.

Inputs are random: as the model meets them in use, with phases in which some are
stuck, one-hot, all 0 or 1, sparse, dense or in bursts. There are resets after few and
many cycles, and one stretch without reset of more than half of the run; the verdict
says how long it was. What takes longer to show needs more --cycles. Or inputs are
those of --stimulus: CSV (a column for each input), or a VCD of the RTL in a
testbench. For a scenario with the key rtl they are those of a run of the model:
all components that the scenario replaces are checked, and the earliest difference is
shown, in cycles of that run, so that the waveforms of 'run --vcd' lie beside it. --json
then is the report of that component, else of the first, with sums of all and of each kind.

The verdict counts the outputs that were compared; a check that compares none is refused.
What inputs never did is listed below it, bits as well as events that never met (a take
with a give, the same requester again): a mistake there does not show, and the check of
the map alone has other inputs. --reset-seeds says from how many power-on states the same
inputs are run: 3 times 100,000 cycles of inputs. A missing reset is reported where it is
shown: with another past, and the same inputs after the last reset, the RTL agrees with
the model.`,
		Example: `  starloom cosim check examples/rtl/stream_arbiter.yml
  starloom cosim check examples/rtl/stream_arbiter.yml --backend icarus --vcd check.vcd --save case.csv
  starloom cosim check examples/rtl/stream_arbiter.yml --stimulus case.csv
  starloom cosim check --twin fifo -G DEPTH=16
  starloom cosim check examples/rtl/pops-4x4.yaml`,
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yml", "yaml"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	f := c.Flags()
	f.Uint64Var(&o.Cycles, "cycles", 0, "cycles of each run, `N` (default 100000, with Icarus 10000)")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the first run's inputs, `N`")
	f.IntVar(&o.Seeds, "seeds", 1, "do runs with `N` seeds")
	f.IntVar(&o.PowerOn, "reset-seeds", 0, "run the same inputs from `N` random states at power-on (default 3; Icarus has X and needs 1)")
	o.backend = choose(c, "backend", "where the RTL runs (default: what the map says, or wasm)", cosim.Backends...)
	f.StringVar(&o.StimulusFile, "stimulus", "", "take the inputs from `F`: CSV, or VCD")
	f.BoolVar(&o.shrink, "shrink", false, "make the case that differs short (default true; false with --stimulus and for a scenario)")
	f.StringVar(&o.twin, "twin", "", "check Starloom's own Verilog of the model `NAME`, without a map")
	f.StringArrayVarP(&o.params, "param", "G", nil, "with --twin, or for one that the map leaves out: give the model's parameter P the value `P=V`")
	f.BoolVar(&o.list, "list", false, "list the models that RTL can stand for")
	f.StringVar(&o.vcd, "vcd", "", "write the case as a waveform to `F`, and F.gtkw for GTKWave beside it")
	f.StringVar(&o.save, "save", "", "write the inputs of the case to `F`, CSV for --stimulus")
	f.StringVar(&o.json, "json", "", "write the report as JSON to `F`")
	c.RunE = func(c *cobra.Command, args []string) error {
		if o.list {
			return listTwins(c.OutOrStdout())
		}
		return check(c, args, &o)
	}
	return c
}

func check(c *cobra.Command, args []string, o *checkFlags) (err error) {
	if len(args) == 1 && o.twin == "" && starloom.IsScenario(args[0]) {
		return checkScenario(c, args[0], o)
	}
	m, subject, err := o.pinMap(c, args)
	if err != nil {
		return fault(err)
	}
	if o.Seeds < 1 || o.Seeds > 1_000_000 || o.PowerOn < 0 || o.PowerOn > 1_000_000 {
		return &starloom.InputError{Place: "--seeds", Reason: "no such number of runs", Remedy: "give 1 to 1000000"}
	}
	for _, option := range []string{"cycles", "seed", "seeds"} {
		if o.StimulusFile != "" && c.Flags().Changed(option) {
			return &starloom.InputError{Place: "--" + option, Reason: "the inputs come from " + o.StimulusFile, Remedy: "leave it out, or --stimulus"}
		}
	}
	if o.backend.value != "" {
		m.Backend = o.backend.value
		m.Places["backend"] = "--backend"
	}
	outputs := []output{{"--vcd", o.vcd}, {"--save", o.save}, {"--json", o.json}}
	inputs := append([]string{m.File, m.Image, o.StimulusFile}, m.Source.Files...)
	if err := keep(outputs, inputs...); err != nil {
		return err
	}
	o.NoShrink = !o.shrink && (o.StimulusFile != "" || c.Flags().Changed("shrink"))
	progress := newProgress(c.ErrOrStderr())
	m.Build.Progress, o.Progress = progress.step, progress.cycles
	report, err := starloom.CosimCheck(c.Context(), m, o.options())
	progress.clear()
	if err != nil {
		return fault(err)
	}
	defer m.Close()
	text := c.OutOrStdout()
	if o.vcd == "-" || o.save == "-" || o.json == "-" {
		text = c.ErrOrStderr()
	}
	if err := report.WriteText(text); err != nil {
		return err
	}
	if err := o.next(text, subject, report.Divergence != nil); err != nil {
		return err
	}
	if report.Divergence != nil {
		return errFailed
	}
	return nil
}

// pinMap is what the command line names, and how to name it again.
func (o *checkFlags) pinMap(c *cobra.Command, args []string) (*pinmap.Map, string, error) {
	if o.twin == "" {
		if len(args) == 0 {
			return nil, "", &starloom.InputError{Place: c.CommandPath(), Reason: "MAP.yml is missing", Remedy: "give a pin map, or --twin NAME; '" + c.CommandPath() + " --help' shows one"}
		}
		if err := exactly("MAP.yml")(c, args); err != nil {
			return nil, "", err
		}
		m, err := starloom.LoadPinMap(args[0])
		if err != nil {
			return nil, "", err
		}
		subject, err := o.complete(m)
		return m, args[0] + subject, err
	}
	if len(args) > 0 {
		return nil, "", &starloom.InputError{Place: "--twin", Reason: "there is a map, too: " + args[0], Remedy: "give one of them"}
	}
	parameters, subject, err := o.parameters()
	if err != nil {
		return nil, "", err
	}
	m, err := starloom.TwinMap(o.twin, parameters, "")
	return m, "--twin " + o.twin + subject, err
}

// parameters reads -G, and writes it again.
func (o *checkFlags) parameters() (twin.Parameters, string, error) {
	values, err := pairs("-G", o.params, true)
	if err != nil {
		return nil, "", err
	}
	subject, parameters := "", twin.Parameters{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, err := strconv.ParseUint(values[name], 0, 32)
		if err != nil {
			return nil, "", &starloom.InputError{Place: "-G", Reason: fmt.Sprintf("%s is %q", name, values[name]), Remedy: "give an integer from 0 to 4294967295"}
		}
		parameters[name] = int(value)
		subject += " -G " + name + "=" + values[name]
	}
	return parameters, subject, nil
}

// complete gives a map the parameters of the model that it leaves to a machine.
func (o *checkFlags) complete(m *pinmap.Map) (string, error) {
	parameters, subject, err := o.parameters()
	if err != nil || len(parameters) == 0 {
		return "", err
	}
	tw, err := m.Twin()
	if err != nil {
		return "", err
	}
	for name, value := range parameters {
		_, known := tw.Sets[0][name]
		if _, given := m.Parameters[name]; given || !known {
			return "", &starloom.InputError{Place: "-G", Reason: "a map has its own parameters", Remedy: "write parameters: and params: in the map; -G gives parameters of the model that it leaves out"}
		}
		m.Parameters[name] = value
	}
	return subject, nil
}

// isFile reports whether an output is a file that can be opened afterwards: no pipe, no device.
func isFile(output string) bool {
	info, err := os.Stat(output)
	return output != "-" && err == nil && info.Mode().IsRegular()
}

// next says which files there are and what to do with them.
func (o *checkFlags) next(w io.Writer, subject string, differs bool) error {
	var b strings.Builder
	if isFile(o.vcd) {
		fmt.Fprintf(&b, "waveform: %s; look at it with: gtkwave %s\n", o.vcd, strings.TrimSuffix(o.vcd, filepath.Ext(o.vcd))+".gtkw")
	}
	if isFile(o.save) {
		fmt.Fprintf(&b, "inputs: %s; run them again with: starloom cosim check %s --stimulus %s\n", o.save, subject, o.save)
	}
	if differs && o.vcd == "" && o.save == "" {
		fmt.Fprintf(&b, "for a waveform and the inputs: starloom cosim check %s%s --vcd check.vcd --save check.csv\n", subject, o.again())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// again are the options that lead to the same runs.
func (o *checkFlags) again() (text string) {
	if o.backend.value != "" {
		text += " --backend " + o.backend.value
	}
	if o.StimulusFile != "" {
		text += " --stimulus " + o.StimulusFile
	}
	if o.Cycles != 0 {
		text += fmt.Sprintf(" --cycles %d", o.Cycles)
	}
	if o.Seed != 0 {
		text += fmt.Sprintf(" --seed %d", o.Seed)
	}
	if o.Seeds != 1 {
		text += fmt.Sprintf(" --seeds %d", o.Seeds)
	}
	if o.PowerOn != 0 {
		text += fmt.Sprintf(" --reset-seeds %d", o.PowerOn)
	}
	return text
}

// cycles shows how far a lockstep has come.
func (p *progress) cycles(done, total uint64) {
	if p.due() {
		fmt.Fprintf(p.out, "\r\x1b[K%d of %d cycles", done, total)
	}
}

// listTwins lists the models with their ports.
func listTwins(w io.Writer) error {
	var b strings.Builder
	for _, t := range starloom.Twins() {
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
		fmt.Fprintf(&b, "%s\n  parameters  {%s}\n  inputs      %s\n  outputs     %s\n",
			t.Name, strings.Join(parameters, ", "), strings.Join(inputs, ", "), strings.Join(outputs, ", "))
	}
	b.WriteString("\nWidths are those with the parameters that stand here.\n")
	_, err := io.WriteString(w, b.String())
	return err
}
