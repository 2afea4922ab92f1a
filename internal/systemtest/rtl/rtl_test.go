package rtl

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/fabric"
	"starloom/fabric/plant"
	"starloom/hw"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/nic"
)

// everyPart and allAtOnce are the two ways to have no model left.
const (
	everyPart = "pops.**"
	allAtOnce = "pops"
)

// wholeInWasm is the machine for allAtOnce in wasm, where a datapath takes the longer to
// compile the larger it is: package fabrictest has the same one.
func wholeInWasm() *starloom.Scenario { return systemtest.Routing(3, 3) }

// requireSameRuns runs scenarios with the same seeds, with RTL and without.
func requireSameRuns(t *testing.T, s *starloom.Scenario, seeds uint64, parts ...starloom.RTL) {
	rtl, model := systemtest.Machine(t, systemtest.WithRTL(s, parts...), starloom.MachineOptions{}),
		systemtest.Machine(t, s, starloom.MachineOptions{})
	for seed := range seeds {
		require.NoError(t, rtl.Reset(seed))
		require.NoError(t, rtl.Run(context.Background(), nil))
		require.NoError(t, model.Reset(seed))
		require.NoError(t, model.Run(context.Background(), nil))
		require.Equal(t, systemtest.ModelText(t, model.Report()), systemtest.ModelText(t, rtl.Report()), "seed %d, %+v, %+v", seed, parts, *s)
	}
}

// rtlBackends are all backends, with seeds for each path.
func rtlBackends() map[string]uint64 {
	compiled, simulated := uint64(15), uint64(3)
	if *systemtest.Full {
		compiled, simulated = 200, 20
	}
	return map[string]uint64{cosim.BackendWasm: compiled, cosim.BackendIcarus: simulated}
}

func TestLongRTLRoutesAsTheModel(t *testing.T) {
	paths := []string{
		everyPart, allAtOnce, "pops.group[*].coupler[*]", "pops.group[2].coupler[1]", "pops.*.*.fibre",
		"pops.group[*].nic[*]", "pops.group[1].nic[3]", "pops.group[*].nic[*].tx", "pops.group[0..1].nic[2].rx",
	}
	for backend, seeds := range rtlBackends() {
		for _, path := range paths {
			t.Run(backend+" "+path, func(t *testing.T) {
				s := systemtest.Routing(4, 4)
				if path == allAtOnce && backend == cosim.BackendWasm && !*systemtest.Full {
					s = wholeInWasm()
				}
				requireSameRuns(t, s, seeds, starloom.RTL{Replace: path, Backend: backend})
			})
		}
	}
}

// TestRTLOfManyKinds mixes backends, our twins and RTL with pin maps.
func TestRTLOfManyKinds(t *testing.T) {
	s, err := starloom.LoadScenario("examples/rtl/pops-4x4.yaml")
	require.NoError(t, err)
	model := *s
	model.RTL = nil
	requireSameRuns(t, &model, 20, s.RTL...)
	requireSameRuns(t, &model, 5,
		starloom.RTL{Replace: "pops.group[0].coupler[*]", Map: "optical_or.yml", Backend: cosim.BackendIcarus},
		starloom.RTL{Replace: "pops.group[1..3].coupler[*]", Twin: "star_coupler"},
		starloom.RTL{Replace: "pops.group[3].**", Twin: "link", Backend: cosim.BackendIcarus},
		starloom.RTL{Replace: "pops.group[0].coupler[3].fibre", Map: "delay_line.yml"},
		starloom.RTL{Replace: "pops.group[2].nic[*].rx", Backend: cosim.BackendIcarus},
		starloom.RTL{Replace: "pops.group[2].nic[*].tx"},
	)
}

// TestRTLTakesThePlace: parameters of RTL are those of its place, and a violation that it does not
// report is made of its rails.
func TestRTLTakesThePlace(t *testing.T) {
	or, err := filepath.Abs("examples/rtl/optical_or.v")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "or.yml")
	text := "model: star_coupler\ntop: optical_or\nsources: [" + or + "]\nparams: {LANES: $D, WIDTH: $PHIT_BITS}\n" +
		"pins: {rail1_i: ~one_n, rail0_i: ~zero_n, rail1_o: one, rail0_o: zero}\nabsent: [violation]\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	for _, size := range []int{2, 3} {
		s := systemtest.Routing(size, size)
		s.Link.PhitBits = 7 * size
		// every collision with its cycle
		s.Rules = &starloom.Rules{CollisionFree: &starloom.CollisionFree{Period: 1, Slots: []int{1}}}
		part := starloom.RTL{Replace: "pops.group[*].coupler[*]", Map: path}
		requireSameRuns(t, s, 3, part)
		m := systemtest.Machine(t, systemtest.WithRTL(s, part), starloom.MachineOptions{})
		require.NoError(t, m.Run(context.Background(), nil))
		report := m.Report()
		require.Positive(t, report.Frames.Collided, "a violation matters")
		require.Equal(t, []string{"violation_o"}, report.RTL[0].Derived)
		var people bytes.Buffer
		require.NoError(t, report.WriteText(&people))
		require.Contains(t, people.String(), fmt.Sprintf("%d optical_or (wasm; violation_o is derived from the "+
			"rails)", size*size))
	}
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(text, "$D", "$LANES", 1)), 0o666))
	_, err = starloom.NewMachine(context.Background(), systemtest.WithRTL(systemtest.Routing(2, 2),
		starloom.RTL{Replace: "pops.group[*].coupler[*]", Map: path}), starloom.MachineOptions{})
	require.ErrorContains(t, err, "star_coupler has no parameter LANES for $LANES; parameters of the model are D, PHIT_BITS")
}

// TestLongRTLOfAnyTiming takes random machines; all of them collide, some do not finish.
func TestLongRTLOfAnyTiming(t *testing.T) {
	machines := 8
	if *systemtest.Full {
		machines = 100
	}
	const seed = 20240611
	random := rand.New(rand.NewPCG(seed, 0))
	for k := range machines {
		s := systemtest.Routing(1+random.IntN(4), 1+random.IntN(4))
		s.Link = starloom.Link{PhitBits: 1 + random.IntN(nic.PhitBitsMax), PropagationCycles: random.IntN(4),
			GuardCycles: 1 + random.IntN(3)}
		s.NIC = starloom.NIC{PayloadBytes: 8 + random.IntN(12), RXFrames: 1 + random.IntN(3), TXFrames: 1 + random.IntN(3)}
		s.Firmware.CPU.BudgetCycles = random.IntN(4)
		s.Stop.Slots = uint32(1 + random.IntN(30))
		if k%2 == 0 {
			// every collision with its cycle
			s.Rules = &starloom.Rules{CollisionFree: &starloom.CollisionFree{Period: 1, Slots: []int{1}}}
		}
		if k == 0 {
			s.Link.PropagationCycles, s.Link.GuardCycles, s.Firmware.CPU.BudgetCycles = 0, 1, 0
		}
		for _, path := range []string{everyPart, allAtOnce} {
			t.Run(fmt.Sprintf("seed %d, machine %d, %s", seed, k, path), func(t *testing.T) {
				requireSameRuns(t, s, 2, starloom.RTL{Replace: path, Backend: cosim.BackendIcarus})
			})
		}
	}
}

// traced runs a scenario and returns the bytes of its traces.
func traced(t *testing.T, s *starloom.Scenario) map[string]string {
	dir := t.TempDir()
	_, err := starloom.Run(context.Background(), s, starloom.RunOptions{
		Record: starloom.RecordOptions{VCD: starloom.File(filepath.Join(dir, "run.vcd")), PCAPNG: starloom.File(filepath.Join(dir, "run.pcapng")), Log: starloom.File(filepath.Join(dir, "run.log"))},
	})
	require.NoError(t, err)
	files := map[string]string{}
	for _, name := range []string{"run.vcd", "run.gtkw", "run.pcapng", "run.log"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		files[name] = string(data)
	}
	return files
}

// TestLongRTLTraces: the waveforms are the same in every cycle and signal. Of a whole
// datapath only the ends of the links can be seen.
func TestLongRTLTraces(t *testing.T) {
	type line struct {
		backend               string
		propagation, phitBits int
	}
	// Every size of RTL in wasm is compiled; that of the default line is needed elsewhere, too.
	lines := []line{{backend: cosim.BackendWasm, propagation: 1, phitBits: 64},
		{backend: cosim.BackendIcarus, propagation: 0, phitBits: 24},
		{backend: cosim.BackendIcarus, propagation: 2, phitBits: 24}}
	if *systemtest.Full {
		lines = append(lines, line{backend: cosim.BackendWasm, propagation: 0, phitBits: 24},
			line{backend: cosim.BackendWasm, propagation: 2, phitBits: 24})
	}
	for _, l := range lines {
		s := systemtest.Routing(4, 4)
		s.Link.PropagationCycles, s.Link.PhitBits = l.propagation, l.phitBits
		want, got := traced(t, s), traced(t, systemtest.WithRTL(s, starloom.RTL{Replace: everyPart, Backend: l.backend}))
		for name := range want {
			require.True(t, want[name] == got[name], "%s, %+v", name, l)
		}
		if l.backend == cosim.BackendWasm {
			s = wholeInWasm()
			s.Link.PropagationCycles, s.Link.PhitBits = l.propagation, l.phitBits
		}
		s.Traces.VCD = &starloom.VCDTrace{Signals: []string{"pops.slot", "pops.*.*.fibre.**", "pops.*.*.held", "pops.*.*.rx_status"}}
		want, got = traced(t, s), traced(t, systemtest.WithRTL(s, starloom.RTL{Replace: allAtOnce, Backend: l.backend}))
		for name := range want {
			require.True(t, want[name] == got[name], "%s, %+v", name, l)
		}
	}
	s := systemtest.WithRTL(wholeInWasm(), starloom.RTL{Replace: allAtOnce})
	s.Traces.VCD = &starloom.VCDTrace{Signals: []string{"pops.*.*.tx.**"}}
	_, err := starloom.Run(context.Background(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(filepath.Join(t.TempDir(), "run.vcd"))}})
	require.ErrorContains(t, err, `no signal matches "pops.*.*.tx.**"`)
}

// TestRTLSavesAndRestores stops runs at every slot and goes on in another machine.
func TestRTLSavesAndRestores(t *testing.T) {
	for path, model := range map[string]*starloom.Scenario{everyPart: systemtest.Routing(4, 4), allAtOnce: wholeInWasm()} {
		s := systemtest.WithRTL(model, starloom.RTL{Replace: path})
		want := systemtest.Result(t, s, starloom.MachineOptions{})
		first, second := systemtest.Machine(t, s, starloom.MachineOptions{}),
			systemtest.Machine(t, s, starloom.MachineOptions{})
		require.NoError(t, second.Run(context.Background(), nil)) // not as it was built
		for range 12 {
			var state bytes.Buffer
			require.NoError(t, first.Save(&state))
			require.NoError(t, second.Restore(&state))
			require.NoError(t, second.Run(context.Background(), nil))
			require.Equal(t, want, systemtest.ReportText(t, second.Report()), "stopped at %d", first.Slots())
			first.Step()
		}
		var state bytes.Buffer
		require.NoError(t, first.Save(&state))
		plain := systemtest.Machine(t, model, starloom.MachineOptions{Engine: starloom.EngineCycle, BankSize: 16})
		require.ErrorContains(t, plain.Restore(&state), "other RTL")
	}

	// A simulator's state is out of reach; without a clock there is none.
	icarus := systemtest.Machine(t, systemtest.WithRTL(systemtest.Routing(4, 4),
		starloom.RTL{Replace: "pops.group[0].nic[2].tx", Backend: cosim.BackendIcarus}), starloom.MachineOptions{})
	require.ErrorContains(t, icarus.Save(&bytes.Buffer{}), "pops.group[0].nic[2].tx: this backend cannot save its state")
	s := systemtest.WithRTL(systemtest.Routing(4, 4), starloom.RTL{Replace: "pops.*.coupler[*]", Backend: cosim.BackendIcarus})
	first, second := systemtest.Machine(t, s, starloom.MachineOptions{}),
		systemtest.Machine(t, s, starloom.MachineOptions{})
	first.Step()
	var state bytes.Buffer
	require.NoError(t, first.Save(&state))
	require.NoError(t, second.Restore(&state))
	require.NoError(t, second.Run(context.Background(), nil))
	require.Equal(t, systemtest.Result(t, s, starloom.MachineOptions{}), systemtest.ReportText(t, second.Report()))
}

// rewired attaches a twin with changes in its source: pairs of old and new text.
func rewired(t *testing.T, s *starloom.Scenario, tw, backend string, changes ...string) *pinmap.Map {
	dir := t.TempDir()
	found, err := twin.Find(starloom.Twins(), tw)
	require.NoError(t, err)
	files, err := found.WriteSources(dir)
	require.NoError(t, err)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	for i := 0; i < len(changes); i += 2 {
		require.Equal(t, 1, bytes.Count(text, []byte(changes[i])), changes[i])
		text = bytes.Replace(text, []byte(changes[i]), []byte(changes[i+1]), 1)
	}
	require.NoError(t, os.WriteFile(files[0], text, 0o644))
	return attached(t, s, tw, backend, files)
}

// attached is a pin map of other sources of a twin.
func attached(t *testing.T, s *starloom.Scenario, tw, backend string, files []string) *pinmap.Map {
	network := inside.Decided(s).Network
	timing, err := nic.NewTiming(s.Link.PhitBits, s.NIC.PayloadBytes, s.Firmware.CPU.BudgetCycles,
		s.Link.PropagationCycles, s.Link.GuardCycles)
	require.NoError(t, err)
	workers := hw.NewWorkers(1)
	defer workers.Close()
	sites := siteReader{}
	config := &fabric.Config{Timing: timing, Sizes: nic.Sizes{PayloadBytes: s.NIC.PayloadBytes},
		Shards: network.Shape().Shards(network.Shape().Processors())}
	_, err = plant.New(network, config, workers, sites)
	require.NoError(t, err)
	pins, err := starloom.TwinMap(tw, sites[tw].Parameters(0), "")
	require.NoError(t, err)
	pins.Source.Files, pins.Backend = files, backend
	t.Cleanup(func() { require.NoError(t, pins.Close()) })
	return pins
}

// siteReader is RTL that replaces nothing and keeps the sites of a machine by their twins.
type siteReader map[string]*hw.Site

func (r siteReader) Replace(_ *hw.Kernel, parts []hw.Sited, _ []hw.Composite,
	whole hw.Sited) (run []hw.Component, all bool, err error) {
	for _, part := range append(parts, whole) {
		r[part.Site().Twin] = part.Site()
	}
	for _, part := range parts {
		run = append(run, part)
	}
	return run, false, nil
}

func (siteReader) Failed() bool     { return false }
func (siteReader) Broken(*hw.Fault) {}

// wherever is where the RTL of a twin can stand.
var wherever = map[string]string{
	"star_coupler": "pops.*.coupler[*]", "link": "pops.*.*.fibre", "serialiser": "pops.*.nic[*].tx", "deserialiser": "pops.*.nic[*].rx", "pops_slot": "pops",
}

// TestLongWrongRTLShows: mutants change the digest or the counters, or break a rule. The
// mutants that are not in the list do what no machine of this network asks for, or
// only what a waveform shows; lockstep finds them.
func TestLongWrongRTLShows(t *testing.T) {
	shows := map[string]string{
		"star_coupler: first sender left out": starloom.RuleFinishes, "star_coupler: rail 0 hears rail 1": starloom.RuleFinishes, "star_coupler: violation needs all bits": "",
		"link: rails swapped":         starloom.RuleFinishes,
		"serialiser: last byte first": starloom.RuleFinishes, "serialiser: missing reset": starloom.RuleRTLUnknown,
		"deserialiser: length without the CRC": starloom.RuleFinishes, "deserialiser: frame upside down": starloom.RuleRTLFault, "deserialiser: slot does not end": starloom.RuleCollisionFree,
		"pops_slot: guard off by one": starloom.RuleRTLFault, "pops_slot: rail 1 crossed": starloom.RuleFinishes, "pops_slot: violation of the slot before": starloom.RuleCollisionFree,
	}
	s := systemtest.Routing(4, 4)
	want := systemtest.Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, want.Run(context.Background(), nil))
	require.Equal(t, starloom.VerdictPass, want.Report().Verdict)
	s.Stop.Slots = want.Slots() + 10 // every slot is an exchange with a process for each component
	for _, mutant := range twin.Mutants(starloom.Twins()) {
		name := mutant.Twin.Name + ": " + mutant.Name
		rule, ok := shows[name]
		if !ok {
			continue
		}
		delete(shows, name)
		t.Run(name, func(t *testing.T) {
			files, err := mutant.WriteSources(t.TempDir())
			require.NoError(t, err)
			pins := attached(t, s, mutant.Twin.Name, cosim.BackendIcarus, files)
			got := systemtest.Machine(t, systemtest.WithRTL(s, starloom.RTL{Replace: wherever[mutant.Twin.Name], PinMap: pins}),
				starloom.MachineOptions{})
			require.NoError(t, got.Run(context.Background(), nil))
			r := got.Report()
			require.NotEqual(t, systemtest.ModelText(t, want.Report()), systemtest.ModelText(t, r))
			if rule == "" {
				require.NotEqual(t, want.Report().Frames.Collided, r.Frames.Collided)
				return
			}
			require.Equal(t, rule, r.Violations[0].Rule)
			require.Contains(t, strings.Join(r.Notes, " "), "starloom cosim check")
		})
	}
	require.Empty(t, shows)
}

// TestLongRTLFaultsEndTheRun: what RTL does to its simulator, and what it must not say.
func TestLongRTLFaultsEndTheRun(t *testing.T) {
	const coupler, tx, rx, fibre = "star_coupler", "serialiser", "deserialiser", "link"
	const seen = "assign violation_o = |(rail1_o & rail0_o);"
	const busy = "assign busy_o = left_q != 16'd0;"
	for name, c := range map[string]struct {
		twin, backend string
		changes       []string
		rule, path    string
		cycle         uint64
		says          string
	}{
		"finish": {coupler, "icarus", []string{seen, seen + " always @* if (rail1_o[0]) $finish;"}, starloom.RuleRTLFault, "coupler", 0, "$finish"},
		"fatal": {coupler, "icarus", []string{seen, seen + ` always @* if (violation_o) $fatal(1, "too bright");`},
			starloom.RuleRTLFault, "coupler", 0, "too bright"},
		"fatal on wasm": {fibre, "wasm", []string{
			"wire [BITS-1:0] light_o;", `wire [BITS-1:0] light_o; always @(posedge clock) if (!reset && rail1_i[0]) $fatal(1, "too bright");`,
		}, starloom.RuleRTLFault, ".fibre", 0, "too bright"},
		"assertion": {tx, "icarus", []string{"wait_q <= COMPUTE_CYCLES[15:0]", "wait_q <= COMPUTE_CYCLES[15:0] + 16'd1"}, starloom.RuleRTLFault, ".tx", 0,
			"wait: 1 cycles to the first phit of 0"},
		"assertion on wasm": {rx, "wasm", []string{"last ? total[15:0]", "last ? total[15:0] + 16'd1"}, starloom.RuleRTLFault, ".rx", 0, " received in state 2"},
		"oscillation on wasm": {coupler, "wasm", []string{
			seen, "/* verilator lint_off UNOPTFLAT */ wire loop; assign loop = rail1_o[0] & ~loop; assign violation_o = |(rail1_o & rail0_o) | loop;",
		}, starloom.RuleRTLFault, "coupler", 0, "does not settle"},
		"unknown": {coupler, "icarus", []string{seen, "assign violation_o = rail1_o[3] ? 1'bx : |(rail1_o & rail0_o);"},
			starloom.RuleRTLUnknown, "coupler", 0, "output violation_o has X or Z"},
		"high Z": {fibre, "icarus", []string{"assign {rail1_o, rail0_o} = light_o;",
			"assign {rail1_o, rail0_o} = rail1_i[5] ? {BITS{1'bz}} : light_o;"}, starloom.RuleRTLUnknown, ".fibre", 1, "X or Z"},
		"no such port": {tx, "icarus", []string{"assign port_o = port_q;", "assign port_o = port_q == 16'd2 ? 16'd9 : port_q;"},
			starloom.RuleRTLFault, ".tx", 0, "port_o is 9, but the transmitter has 4 ports"},
		"no such status": {rx, "icarus", []string{"assign status_o = good ? STATUS_OK[2:0]", "assign status_o = good ? 3'd6"}, starloom.RuleRTLFault, ".rx", 5,
			"the receive status is 6"},
		"too long": {rx, "icarus", []string{"assign length_o = good ? {3'd0, bits_q[15:3]}", "assign length_o = good ? 16'd99"},
			starloom.RuleRTLFault, ".rx", 5, "a frame of 99 bytes"},
		"at once": {tx, "icarus", []string{busy, busy + " always @(posedge clock) $finish;"}, starloom.RuleRTLFault, "pops.group[0].nic[0].tx", 0, "$finish"},
		"hang":    {coupler, "icarus", []string{seen, seen + " always @* while (rail1_o[0]) ;"}, starloom.RuleRTLFault, "coupler", 0, "does not answer"},
		"hang on wasm": {coupler, "wasm", []string{seen, "integer n; always @* begin n = 0; while (rail1_o[0] && !n[7]) n = n ^ 1; end assign violation_o = |(rail1_o & rail0_o) | n[0];"},
			starloom.RuleRTLFault, "coupler", 0, "does not answer"},
	} {
		if strings.HasPrefix(name, "hang") && !*systemtest.Full {
			continue // the time limit is 5 s
		}
		t.Run(name, func(t *testing.T) {
			s := systemtest.Routing(4, 4)
			s.RTL = []starloom.RTL{{Replace: strings.Replace(wherever[c.twin], "*", "group[0]", 1), PinMap: rewired(t, s, c.twin, c.backend, c.changes...)}}
			vcd := filepath.Join(t.TempDir(), "run.vcd")
			r, err := starloom.Run(context.Background(), s,
				starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(vcd)}})
			require.NoError(t, err)
			require.Equal(t, starloom.VerdictFail, r.Verdict)
			require.EqualValues(t, 1, r.ViolationsTotal)
			v := r.Violations[0]
			require.Equal(t, c.rule, v.Rule)
			require.Contains(t, v.Path, c.path)
			require.Contains(t, v.Message, c.says)
			require.GreaterOrEqual(t, v.Cycle, c.cycle)
			require.LessOrEqual(t, v.Cycle, r.Cycles)
			require.FileExists(t, vcd)
			requireNoSimulator(t)
		})
	}
}

// requireNoSimulator holds that no process of a simulator is left.
func requireNoSimulator(t *testing.T) { require.Empty(t, children(t)) }

// children are the processes that this one has started and that are not gone.
func children(t *testing.T) (all string) {
	threads, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, thread := range threads {
		if own, err := os.ReadFile(thread); err == nil { // else the thread has ended
			all += string(own)
		}
	}
	return all
}

// TestRTLFailsOnce: a machine whose RTL has failed does not go on, not even when reset.
func TestRTLFailsOnce(t *testing.T) {
	s := systemtest.Routing(2, 2)
	s.RTL = []starloom.RTL{{Replace: "pops.*.coupler[*]", PinMap: rewired(t, s, "star_coupler", cosim.BackendIcarus,
		"assign violation_o", "always @* if (rail1_o[0]) $finish; assign violation_o")}}
	m := systemtest.Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	first := m.Report()
	m.Step()
	require.NoError(t, m.Run(context.Background(), nil))
	require.Equal(t, systemtest.ReportText(t, first), systemtest.ReportText(t, m.Report()))
	require.NoError(t, m.Reset(2))
	require.NoError(t, m.Run(context.Background(), nil))
	require.Equal(t, starloom.RuleRTLFault, m.Report().Violations[0].Rule)
}

// TestRTLSeeds runs RTL that fails in some runs for many seeds: every seed has the run
// that it has alone, and RTL that has failed does not fail the runs after it.
func TestRTLSeeds(t *testing.T) {
	s := systemtest.Routing(4, 4)
	s.RTL = []starloom.RTL{{Replace: "pops.group[0].coupler[0]", PinMap: rewired(t, s, "star_coupler", cosim.BackendIcarus,
		"assign violation_o", "always @* if (|(rail1_o & rail0_o)) $finish; assign violation_o")}}
	report, files := systemtest.SeedsFiles(t, s, starloom.Seeds{First: 1, Last: 5},
		starloom.RunOptions{MachineOptions: starloom.MachineOptions{Workers: 2}})
	requireNoSimulator(t)
	require.Greater(t, report.FailedTotal, uint64(1))
	require.Less(t, report.FailedTotal, report.Runs-1)
	require.NotEqual(t, "pass", systemtest.Table(t, files["csv"])[0]["verdict"])
	require.Contains(t, strings.Join(report.Notes, " "), "starloom cosim check")
	require.Len(t, report.RTL, 1)
	for i, row := range systemtest.Table(t, files["csv"]) {
		s.Seed = uint64(1 + i)
		alone, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, []string{string(alone.Verdict), alone.Digest, fmt.Sprint(alone.Slots)},
			[]string{row["verdict"], row["digest"], row["slots"]}, "seed %d", s.Seed)
	}
}

func TestRTLReport(t *testing.T) {
	s := systemtest.WithRTL(systemtest.Routing(4, 4),
		starloom.RTL{Replace: "pops.group[0].nic[1]"}, starloom.RTL{Replace: "pops.group[3].coupler[2..3]", Backend: cosim.BackendIcarus})
	m := systemtest.Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	r := m.Report()
	var names []string
	for _, x := range r.RTL {
		require.Len(t, x.SHA256, 64)
		names = append(names, x.Path+" "+x.Top+" "+x.Backend)
	}
	require.Equal(t, []string{
		"pops.group[0].nic[1].rx deserialiser wasm", "pops.group[0].nic[1].tx serialiser wasm",
		"pops.group[3].coupler[2] star_coupler icarus", "pops.group[3].coupler[3] star_coupler icarus",
	}, names)
	var text bytes.Buffer
	require.NoError(t, r.WriteText(&text))
	require.Contains(t, text.String(), "1 deserialiser (wasm), 1 serialiser (wasm), 2 star_coupler (icarus)")
	require.Contains(t, text.String(), "note: pass says that the firmware worked with this RTL, not that the RTL equals the model: `starloom cosim check ")
	require.Equal(t, systemtest.Routing(4, 4).Hash(), s.Hash(), "RTL does not change what is emulated")
}

func TestRTLRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	write("narrow.v", "module narrow(input [255:0] one, zero, output [62:0] up, down, output bad); assign {up, down, bad} = {one[126:0]}; wire unused = &zero; endmodule")
	coupler := "model: star_coupler\ntop: narrow\nsources: [narrow.v]\n"
	pins := "pins: {rail1_i: one, rail0_i: zero, rail1_o: up, rail0_o: down, violation_o: bad}\n"
	for _, c := range []struct {
		rtl  starloom.RTL
		want string
	}{
		{starloom.RTL{Replace: "pops.group[0"}, "rtl[0].replace: pattern"},
		{starloom.RTL{}, "rtl[0].replace is empty"},
		{starloom.RTL{Replace: "pops.group[9].coupler[0]"}, `no component matches "pops.group[9].coupler[0]"; components are, for example`},
		{starloom.RTL{Replace: "pops.group[0].nic[0].fifo"}, `no component matches "pops.group[0].nic[0].fifo"; components are`},
		{starloom.RTL{Replace: "pops.arbiter[0]"}, `no component matches "pops.arbiter[0]"`},
		{starloom.RTL{Replace: "pops.**", Twin: "fifo"}, "rtl[0].twin: this machine has no component of kind fifo; choose one of star_coupler"},
		{starloom.RTL{Replace: "pops.**", Twin: "arbiter_matrix"}, "rtl[0].twin: this machine has no component of kind arbiter_matrix"},
		{starloom.RTL{Replace: "pops.**", Twin: "coupler"},
			`this machine has no component of kind coupler; choose one of star_coupler, link, serialiser, deserialiser, pops_slot`},
		{starloom.RTL{Replace: "pops.group[0].coupler[1]", Twin: "link"}, "pops.group[0].coupler[1] are star couplers (model star_coupler), but the RTL is a link"},
		{starloom.RTL{Replace: "pops", Twin: "link"}, "link does not fit pops"},
		{starloom.RTL{Replace: "pops.**", Twin: "pops_slot"}, "pops_slot does not fit pops.**"},
		{starloom.RTL{Replace: "pops", Backend: "verilator"}, `rtl[0].backend is "verilator"; allowed: wasm, icarus`},
		{starloom.RTL{Replace: "pops.**", Twin: "link", Map: "x.yml"}, "rtl[0] has both twin and map"},
		{starloom.RTL{Replace: "pops.**", Map: filepath.Join(dir, "none.yml")}, "none.yml: cannot be read"},
		{starloom.RTL{Replace: "pops.**", Map: "examples/rtl/stream_arbiter.yml"}, "rtl[0].map: this machine has no component of kind arbiter_round_robin"},
		{starloom.RTL{Replace: "pops.group[*].coupler[*]", Map: write("d.yml", coupler+"parameters: {D: 7}\n"+pins)},
			"the pin map has D = 7, but pops.group[0].coupler[0] has 4"},
		{starloom.RTL{Replace: "pops.group[*].coupler[*]", Map: write("absent.yml", coupler+"absent: [rail1]\n"+pins)},
			"the RTL has no rail1, but the machine needs it"},
		{starloom.RTL{Replace: "pops.group[*].coupler[*]", Map: write("late.yml", coupler+"latency: {rail1_o: 1}\n"+pins)}, "the RTL shows rail1_o 1 cycle too late"},
		{starloom.RTL{Replace: "pops.group[*].coupler[*]", Map: write("narrow.yml", coupler+pins), Backend: cosim.BackendIcarus}, "rail1_o"},
		{starloom.RTL{Replace: "pops.group[*].coupler[*]", Map: write("missing.yml", "model: star_coupler\ntop: narrow\nsources: [gone.v]\n"+pins)}, "gone.v"},
		{starloom.RTL{Replace: "pops.group[*].coupler[*]", Map: write("broken.yml", "model: star_coupler\ntop: broken\nsources: [broken.v]\n"+pins)}, "broken.v:1"},
	} {
		write("broken.v", "module broken(input x;\nendmodule\n")
		_, err := starloom.NewMachine(context.Background(), systemtest.WithRTL(systemtest.Routing(4, 4), c.rtl),
			starloom.MachineOptions{})
		var input *starloom.InputError
		require.ErrorAs(t, err, &input, c.want)
		require.ErrorContains(t, err, c.want)
		require.NotEmpty(t, input.Remedy, c.want)
	}

	_, err := starloom.NewMachine(t.Context(), systemtest.WithRTL(systemtest.GossipScenario(3, 0, starloom.Gossip{}),
		starloom.RTL{Replace: "crossbar"}), starloom.MachineOptions{})
	require.ErrorContains(t, err, `no component matches "crossbar"; components are, for example, crossbar.output[3], crossbar.output[3].link, crossbar.nic[3].tx, crossbar.nic[3].rx, crossbar.output[3].filter, crossbar.output[3].arbiter, crossbar.input[3]`)
	require.NotContains(t, err.Error(), "for all hardware")
	_, err = starloom.NewMachine(t.Context(), systemtest.WithRTL(systemtest.GossipScenario(3, 0, starloom.Gossip{}),
		starloom.RTL{Replace: "crossbar.nic[0].tx", Twin: "arbiter_fixed"}), starloom.MachineOptions{})
	require.ErrorContains(t, err, "but the RTL is an arbiter_fixed")
	twice := systemtest.WithRTL(systemtest.Routing(4, 4), starloom.RTL{Replace: "pops.group[1].nic[*]", Backend: "icarus"},
		starloom.RTL{Replace: "pops.**.tx", Backend: "icarus"})
	_, err = starloom.NewMachine(context.Background(), twice, starloom.MachineOptions{})
	require.ErrorContains(t, err, "rtl[1].replace: pops.group[1].nic[0].tx is already replaced by rtl[0]")
	_, err = starloom.NewMachine(context.Background(), systemtest.WithRTL(systemtest.Routing(4, 4), starloom.RTL{Replace: "pops"},
		starloom.RTL{Replace: "pops.**"}), starloom.MachineOptions{})
	require.ErrorContains(t, err, "pops is the whole hardware, but another entry replaces a part of it")
	_, err = starloom.NewMachine(context.Background(), systemtest.WithRTL(systemtest.Routing(32, 32),
		starloom.RTL{Replace: "pops.**.tx"}, starloom.RTL{Replace: "pops.**.rx"}), starloom.MachineOptions{})
	require.ErrorContains(t, err, "more than 1024 components are RTL")
	_, err = starloom.NewMachine(context.Background(), systemtest.WithRTL(systemtest.Routing(4, 4), starloom.RTL{Replace: "pops"}),
		starloom.MachineOptions{Engine: starloom.EngineSlot})
	require.ErrorContains(t, err, "--engine slot: RTL is clocked in every cycle")
	all := systemtest.WithRTL(systemtest.Routing(2, 2), starloom.RTL{Replace: "pops"})
	all.Workload.Permutation.Kind = starloom.PermutationAll
	require.ErrorContains(t, all.Check(), "rtl and every permutation")
	requireNoSimulator(t)
}

// TestRTLInterrupted: nothing is built for a run that has been interrupted, and one
// that runs ends in order.
func TestRTLInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := systemtest.WithRTL(systemtest.Routing(4, 4), starloom.RTL{Replace: everyPart, Backend: cosim.BackendIcarus})
	r, err := starloom.Run(ctx, s, starloom.RunOptions{Progress: func(p starloom.Progress) {
		if p.Slots == 3 {
			require.Len(t, strings.Fields(children(t)), 4, "a simulator for each kind of components")
			cancel()
		}
	}})
	require.NoError(t, err)
	require.Equal(t, starloom.RuleInterrupted, r.Violations[0].Rule)
	requireNoSimulator(t)
	_, err = starloom.Run(ctx, systemtest.WithRTL(systemtest.Routing(4, 4),
		starloom.RTL{Replace: everyPart}), starloom.RunOptions{})
	require.ErrorIs(t, err, context.Canceled)
}

// BenchmarkRTL is a run of POPS(4,4): ns per cycle of the whole machine, firmware
// included.
func BenchmarkRTL(b *testing.B) {
	model := systemtest.Routing(4, 4)
	for _, c := range []struct {
		name string
		s    *starloom.Scenario
	}{
		{"model", model},
		{"couplers wasm", systemtest.WithRTL(model, starloom.RTL{Replace: "pops.*.coupler[*]"})},
		{"links wasm", systemtest.WithRTL(model, starloom.RTL{Replace: "pops.*.*.fibre"})},
		{"NICs wasm", systemtest.WithRTL(model, starloom.RTL{Replace: "pops.*.nic[*]"})},
		{"everything wasm", systemtest.WithRTL(model, starloom.RTL{Replace: everyPart})},
		{"pops_slot wasm", systemtest.WithRTL(model, starloom.RTL{Replace: allAtOnce})},
		{"couplers icarus", systemtest.WithRTL(model, starloom.RTL{Replace: "pops.*.coupler[*]", Backend: cosim.BackendIcarus})},
		{"everything icarus", systemtest.WithRTL(model, starloom.RTL{Replace: everyPart, Backend: cosim.BackendIcarus})},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := systemtest.Machine(b, c.s, starloom.MachineOptions{Engine: starloom.EngineCycle})
			cycles := uint64(0)
			for seed := uint64(0); b.Loop(); seed++ {
				require.NoError(b, m.Reset(seed))
				require.NoError(b, m.Run(context.Background(), nil))
				cycles += m.Report().Cycles
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(cycles), "ns/cycle")
			b.ReportMetric(0, "ns/op")
		})
	}
}
