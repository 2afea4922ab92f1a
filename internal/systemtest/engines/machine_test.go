package engines

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/nic"
)

// manyWorkers are the numbers of workers to compare. One worker races with no one, so the
// race detector, which sees the short tests, does not watch it.
func manyWorkers() []int {
	if testing.Short() {
		return []int{2}
	}
	return []int{1, 2}
}

// TestExecutionDoesNotMatter runs one scenario in every way that Starloom knows:
// engines, workers, bank sizes, banked and isolated, compiler, interpreter and
// the Go form of the program. Reports, digest included, must agree to the byte.
func TestExecutionDoesNotMatter(t *testing.T) {
	sizes := [][2]int{{8, 8}, {12, 5}, {3, 9}}
	if testing.Short() {
		sizes = sizes[2:]
	}
	for _, size := range sizes {
		executionDoesNotMatter(t, size[0], size[1])
	}
}

func executionDoesNotMatter(t *testing.T, d, g int) {
	want := ""
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			for _, runtime := range []string{"compiler", "interpreter", "native"} {
				for _, workers := range manyWorkers() {
					for _, bank := range []int{1, 24, 64} {
						s := systemtest.Routing(d, g)
						s.Stop.Slots = 300
						s.Firmware.Mode = mode
						o := starloom.MachineOptions{Engine: engine, Workers: workers, BankSize: bank, Runtime: runtime}
						got := systemtest.Result(t, s, o)
						if want == "" {
							want = got
						}
						require.Equal(t, want, got, "%+v mode %s", o, mode)
					}
				}
			}
		}
	}
}

// TestEnginesAgree is the differential test: random small machines, in the slot
// engine and in the cycle engine, with and without traces. Collisions, overflows,
// damaged packets and unfinished runs occur, because d and g are arbitrary and
// the program is made for d = g.
func TestEnginesAgree(t *testing.T) {
	machines := 150
	if testing.Short() {
		machines = 30
	}
	if *systemtest.Full {
		machines = 2000
	}
	seed := uint64(20240611)
	random := rand.New(rand.NewPCG(seed, 0))
	for k := range machines {
		s := systemtest.Routing(1+random.IntN(7), 1+random.IntN(7))
		s.Seed = random.Uint64()
		s.Link = starloom.Link{PhitBits: 1 + random.IntN(nic.PhitBitsMax), PropagationCycles: random.IntN(4),
			GuardCycles: 1 + random.IntN(3)}
		s.NIC = starloom.NIC{PayloadBytes: 8 + random.IntN(20), RXFrames: 1 + random.IntN(3), TXFrames: 1 + random.IntN(3)}
		s.Firmware.CPU.BudgetCycles = random.IntN(6)
		s.Workload.Permutation.Kind = []string{starloom.PermutationRandom, starloom.PermutationIdentity,
			starloom.PermutationReverse}[random.IntN(3)]
		s.Stop.Slots = uint32(1 + random.IntN(60))
		options := func(engine string) starloom.MachineOptions {
			return starloom.MachineOptions{Engine: engine, Workers: 1 + random.IntN(2), BankSize: 1 + random.IntN(20)}
		}
		name := fmt.Sprintf("seed %d, machine %d: %+v", seed, k, *s)
		want := systemtest.Result(t, s, options(starloom.EngineSlot))
		require.Equal(t, want, systemtest.Result(t, s, options(starloom.EngineCycle)), name)

		dir := t.TempDir()
		traced := func(engine string) (string, []byte) {
			path := filepath.Join(dir, engine+".pcapng")
			o := starloom.RunOptions{MachineOptions: options(engine),
				Record: starloom.RecordOptions{PCAPNG: starloom.File(path)}}
			if engine == starloom.EngineCycle {
				o.Record.VCD = starloom.File(filepath.Join(dir, "wave.vcd"))
			}
			report, err := starloom.Run(context.Background(), s, o)
			require.NoError(t, err, name)
			capture, err := os.ReadFile(path)
			require.NoError(t, err)
			return systemtest.ReportText(t, report), capture
		}
		if k%5 == 0 {
			slot, slotCapture := traced(starloom.EngineSlot)
			cycle, cycleCapture := traced(starloom.EngineCycle)
			require.Equal(t, slot, cycle, name)
			if !regexp.MustCompile("never received|frames met|was not done").MatchString(want) { // Run says more of these
				require.Equal(t, want, slot, name)
			}
			require.True(t, bytes.Equal(slotCapture, cycleCapture), name)
		}
	}
}

// TestTracesAreReproducible compares the bytes of waveform and capture across
// workers, banks, modes and runtimes.
func TestTracesAreReproducible(t *testing.T) {
	var want [][]byte
	for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
		for _, runtime := range []string{"compiler", "interpreter"} {
			for _, workers := range manyWorkers() {
				for _, bank := range []int{1, 24, 64} {
					dir := t.TempDir()
					s := systemtest.Routing(8, 8)
					s.Firmware.Mode = mode
					_, err := starloom.Run(context.Background(), s, starloom.RunOptions{
						MachineOptions: starloom.MachineOptions{Workers: workers, BankSize: bank, Runtime: runtime},
						Record: starloom.RecordOptions{VCD: starloom.File(filepath.Join(dir, "run.vcd")), PCAPNG: starloom.File(filepath.Join(dir,
							"run.pcapng")), Log: starloom.File(filepath.Join(dir, "run.log"))},
					})
					require.NoError(t, err)
					var got [][]byte
					for _, name := range []string{"run.vcd", "run.gtkw", "run.pcapng", "run.lua", "run.log"} {
						data, err := os.ReadFile(filepath.Join(dir, name))
						require.NoError(t, err)
						got = append(got, data)
					}
					if want == nil {
						want = got
					}
					for i := range want {
						require.True(t, bytes.Equal(want[i], got[i]), "file %d, mode %s, runtime %s, workers %d, bank %d", i, mode, runtime, workers, bank)
					}
				}
			}
		}
	}
}

// TestSaveAndRestore stops runs at every slot, restores them in a new machine and
// runs on.
func TestSaveAndRestore(t *testing.T) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			s := systemtest.Routing(4, 4)
			s.Firmware.Mode = mode
			o := starloom.MachineOptions{Engine: engine, BankSize: 8}
			want := systemtest.Result(t, s, o)
			for stop := range uint32(20) {
				var state bytes.Buffer
				first := systemtest.Machine(t, s, o)
				for range stop {
					first.Step()
				}
				require.NoError(t, first.Save(&state))
				saved := bytes.Clone(state.Bytes())

				second := systemtest.Machine(t, s, o)
				require.NoError(t, second.Restore(&state))
				require.NoError(t, second.Run(context.Background(), nil))
				require.Equal(t, want, systemtest.ReportText(t, second.Report()), "%s %s, stopped at %d", engine, mode, stop)

				other := systemtest.Routing(4, 4)
				other.Seed = 2
				require.ErrorContains(t, systemtest.Machine(t, other, o).Restore(bytes.NewReader(saved)), "another seed")
				saved[len(saved)/2] ^= 1
				require.Error(t, systemtest.Machine(t, s, o).Restore(bytes.NewReader(saved)))
			}
		}
	}
}

// TestEndIsTheEnd holds that a run that has ended - finished, stopped by its limit
// or by an interrupt - does not go on: not when it is run or stepped again, and not
// in a machine that restores it, which one that was interrupted has no state for.
func TestEndIsTheEnd(t *testing.T) {
	stopped := systemtest.Routing(4, 4)
	stopped.Stop.Slots = 7
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		for name, c := range map[string]struct {
			s   *starloom.Scenario
			ctx context.Context
		}{
			"finished": {systemtest.Routing(4, 4), context.Background()}, "stopped": {stopped,
				context.Background()}, "interrupted": {systemtest.Routing(4, 4), canceled},
		} {
			m := systemtest.Machine(t, c.s, starloom.MachineOptions{Engine: engine})
			require.NoError(t, m.Run(c.ctx, nil))
			want := systemtest.ReportText(t, m.Report())
			require.Equal(t, name == "finished", m.Finished())
			require.NoError(t, m.Run(context.Background(), nil))
			m.Step()
			require.Equal(t, want, systemtest.ReportText(t, m.Report()), name)

			var state bytes.Buffer
			if name == "interrupted" { // a state from which a run would go on is not that of one that has ended
				require.EqualError(t, m.Save(&state), "saving state: the run was interrupted; reset the machine and run it again")
				require.Zero(t, state.Len())
				continue
			}
			require.NoError(t, m.Save(&state))
			again := systemtest.Machine(t, c.s, starloom.MachineOptions{Engine: engine})
			require.NoError(t, again.Restore(&state))
			require.NoError(t, again.Run(context.Background(), nil))
			require.Equal(t, want, systemtest.ReportText(t, again.Report()), name)
		}
	}
}

// TestUnfinishedRunLosesNothing stops pops/random wherever it may be. An ack comes
// one slot before the packet, so sources are done with packets that still fly.
func TestUnfinishedRunLosesNothing(t *testing.T) {
	s := systemtest.Routing(8, 8)
	for slots := uint32(1); slots <= 20; slots++ {
		s.Stop.Slots = slots
		m := systemtest.Machine(t, s, starloom.MachineOptions{})
		require.NoError(t, m.Run(context.Background(), nil))
		report := m.Report()
		require.Equal(t, starloom.VerdictFail, report.Verdict)
		require.Nil(t, report.Metrics.Get("lost"), "%d slots", slots)
		for _, v := range report.Violations {
			require.Equal(t, starloom.RuleFinishes, v.Rule, "%d slots", slots)
			require.EqualValues(t, slots, v.Slot)
		}
	}
}

// TestStudyInterrupted interrupts a study at once and after its first rows: it fails, keeps its rows and reports its
// progress.
func TestStudyInterrupted(t *testing.T) {
	for _, runs := range []int{0, 1, 30000} {
		ctx, cancel := context.WithCancel(t.Context())
		if runs == 0 {
			cancel()
		}
		last, all := 0, 0
		report, err := starloom.Study(ctx, "pops", starloom.StudyOptions{Progress: func(done, total int, _ string) {
			require.Less(t, last, done)
			require.LessOrEqual(t, done, total)
			if last, all = done, total; done == runs {
				cancel()
			}
		}})
		cancel()
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictFail, report.Verdict)
		require.Equal(t, runs == 30000, len(report.Rows) > 0)
		for _, row := range report.Rows {
			require.True(t, row.OK, "%+v", row)
		}
		require.Len(t, report.Notes, 1)
		if runs > 0 {
			require.Equal(t, fmt.Sprintf("interrupted after %d of %d runs", last, all), report.Notes[0])
		}
	}
}

// TestStudyCase picks rows by name; no other row runs.
func TestStudyCase(t *testing.T) {
	study := func(pattern string) (*starloom.StudyReport, error) {
		return starloom.Study(t.Context(), "pops", starloom.StudyOptions{Case: pattern})
	}
	report, err := study("offline*3)")
	require.NoError(t, err)
	require.Equal(t, []string{"offline POPS(7,3)"}, []string{report.Rows[0].Case})
	require.Len(t, report.Rows, 1)
	for pattern, message := range map[string]string{"d=2g*": "no case of this size matches", "[": "is not a pattern"} {
		_, err := study(pattern)
		require.ErrorAs(t, err, new(*starloom.InputError))
		require.ErrorContains(t, err, message)
	}
}

// TestResetEqualsNew runs a used machine again.
func TestResetEqualsNew(t *testing.T) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		s := systemtest.Routing(4, 4)
		m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
		for seed := uint64(1); seed < 5; seed++ {
			require.NoError(t, m.Reset(seed))
			require.NoError(t, m.Run(context.Background(), nil))
			s.Seed = seed
			require.Equal(t, systemtest.Result(t, s, starloom.MachineOptions{Engine: engine}),
				systemtest.ReportText(t, m.Report()))
		}
		require.NoError(t, m.Reset(9))
		m.Step()
		m.Step() // in mid-flight
		require.NoError(t, m.Reset(1))
		require.NoError(t, m.Run(context.Background(), nil))
		s.Seed = 1
		require.Equal(t, systemtest.Result(t, s, starloom.MachineOptions{Engine: engine}),
			systemtest.ReportText(t, m.Report()))
	}
}

// TestStepAllocatesNothing holds the steady state: no allocation per slot, and
// so none per cycle, in either engine, on one worker and on two.
func TestStepAllocatesNothing(t *testing.T) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		for _, workers := range []int{1, 2} {
			s := systemtest.Routing(16, 16)
			m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine, Workers: workers, BankSize: 64})
			for range 10 { // lists of lit wires reach their final size
				m.Step()
			}
			require.Zero(t, testing.AllocsPerRun(10, func() { _ = m.Step() }), "%s engine, %d workers", engine, workers)
		}
	}
}

// TestReportIsStableJSON guards the keys that scripts rely on.
func TestReportIsStableJSON(t *testing.T) {
	m := systemtest.Machine(t, systemtest.Routing(4, 4), starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	var text bytes.Buffer
	require.NoError(t, m.Report().WriteJSON(&text))
	var keys map[string]any
	require.NoError(t, json.Unmarshal(text.Bytes(), &keys))
	for _, key := range []string{"schema", "scenario", "seed", "engine", "verdict", "violations", "cycles", "slots", "frames", "metrics", "firmware", "digest"} {
		require.Contains(t, keys, key)
	}
	require.Equal(t, "pass", keys["verdict"])
}

// TestMachineRefuses refuses what cannot be built before anything is allocated.
func TestMachineRefuses(t *testing.T) {
	huge := systemtest.Routing(4096, 46340) // 2^31 couplers
	isolated := systemtest.Routing(4096, 4096)
	isolated.Firmware.Mode = starloom.ModeIsolated
	deep := func(d, g int) *starloom.Scenario {
		s := systemtest.Routing(d, g)
		s.NIC = starloom.NIC{PayloadBytes: 1024, RXFrames: 255, TXFrames: 255}
		return s
	}
	large, err := os.ReadFile("firmware/testdata/large_data.c")
	require.NoError(t, err)
	dir := t.TempDir()
	source := filepath.Join(dir, "large.c")
	require.NoError(t, os.WriteFile(source, bytes.Replace(large, []byte("table[3 << 20]"), []byte("table[250 << 20]"), 1), 0o666))
	tables := systemtest.Routing(200, 200)
	tables.Firmware = starloom.Firmware{Image: filepath.Join(dir, "large.wasm"), Mode: starloom.ModeIsolated}
	require.NoError(t,
		firmware.Build(context.Background(), firmware.BuildOptions{Source: source, Output: tables.Firmware.Image}))
	mistyped := systemtest.Routing(2, 2)
	mistyped.Firmware = starloom.Firmware{Image: "pops/randon", Mode: starloom.ModeBanked}
	unknown := systemtest.GossipScenario(3, 0, starloom.Gossip{})
	unknown.Firmware.Params["neuron"] = 1
	votes := systemtest.VotingScenario(65533, 0, starloom.Gossip{Sessions: 2})
	for _, c := range []struct {
		s    *starloom.Scenario
		o    starloom.MachineOptions
		want string
	}{
		{tables, starloom.MachineOptions{}, "fabric.pops: this run takes about 10742.8 GiB of memory, this machine has "},
		{tables, starloom.MachineOptions{}, "the firmware large.wasm has 250 MiB of its own data in each of 40000 instances"},
		{systemtest.Routing(1, 60000), starloom.MachineOptions{}, "fabric.pops.groups: groups x groups is 3600000000 couplers"},
		{huge, starloom.MachineOptions{}, "fabric.pops: this run takes about "},
		{huge, starloom.MachineOptions{Engine: starloom.EngineCycle}, "fabric.pops: this run takes about "},
		{isolated, starloom.MachineOptions{}, "mode: banked needs less"},
		{mistyped, starloom.MachineOptions{}, `did you mean "pops/random"? give an image `},
		{mistyped, starloom.MachineOptions{}, "or one of the programs pops/"},
		{unknown, starloom.MachineOptions{}, `the firmware gossip/fsa has no parameter "neuron"; it has scheduling; remove`},
		{votes, starloom.MachineOptions{}, "fabric.crossbar: this run takes about 7"},
		{deep(8200, 1), starloom.MachineOptions{}, "nic: a bank of 8200 processors with FIFOs of 530400 bytes each does " +
			"not fit into the 32-bit address space of one firmware instance; choose smaller FIFOs"},
		{deep(4100, 2), starloom.MachineOptions{BankSize: 8200}, "or smaller banks with --bank"},
		{systemtest.Routing(2, 2), starloom.MachineOptions{Engine: "fast"}, `--engine: there is no engine "fast"`},
		{systemtest.Routing(2, 2), starloom.MachineOptions{Runtime: "fast"}, `--runtime: unknown runtime "fast"`},
	} {
		if runtime.GOOS != "linux" && c.s.Processors() > 40000 && c.s.Processors() != 60000 {
			continue // unknown here
		}
		_, err := starloom.NewMachine(context.Background(), c.s, c.o)
		var input *starloom.InputError
		require.ErrorAs(t, err, &input)
		require.ErrorContains(t, err, c.want)
	}
}

// TestWindowsDoNotMatter runs machines whose banks are heard and run in several
// windows, with and without broken rules: hundreds of findings in one slot.
func TestWindowsDoNotMatter(t *testing.T) {
	sizes := [][2]int{{256, 256}, {512, 64}, {64, 512}}
	if testing.Short() {
		sizes = sizes[1:2]
	}
	if *systemtest.Full {
		sizes = append(sizes, [2]int{1024, 1024})
	}
	for _, size := range sizes {
		want := ""
		for _, workers := range manyWorkers() {
			for _, bank := range []int{4096, 16384, 65536} {
				s := systemtest.RouterScenario("pops/random", size[0], size[1])
				s.Stop.Slots = 100
				o := starloom.MachineOptions{Engine: starloom.EngineSlot, Workers: workers, BankSize: bank}
				got := systemtest.Result(t, s, o)
				if want == "" {
					want = got
				}
				require.Equal(t, want, got, "POPS(%d,%d) %+v", size[0], size[1], o)
			}
		}
	}
}

// TestFaultLeavesNothing breaks an invariant in the middle of a run: the panic that leaves
// Step has path and cycle, and the recording's files do not appear.
func TestFaultLeavesNothing(t *testing.T) {
	for _, workers := range []int{1, 2} {
		m, err := starloom.NewMachine(context.Background(), systemtest.Routing(4, 4),
			starloom.MachineOptions{Engine: starloom.EngineCycle, Workers: workers, BankSize: 4})
		require.NoError(t, err)
		dir := t.TempDir()
		_, err = m.Record(starloom.RecordOptions{VCD: starloom.File(filepath.Join(dir, "out.vcd"))})
		require.NoError(t, err)
		watch := inside.Machine(m).Plant.Watch
		inside.Machine(m).Plant.Watch = func(cycle uint64) error {
			if cycle == 1 {
				for i := range inside.Machine(m).Plant.Transmitters().Ports().Value {
					inside.Machine(m).Plant.Transmitters().Ports().Value[i] = 4
				}
			}
			return watch(cycle)
		}
		require.PanicsWithError(t, "pops.group[0].nic[0].tx: cycle 2: port select is 4, but the transmitter has 4 "+
			"ports", func() {
			for range 2 {
				require.NoError(t, m.Step())
			}
		})
		require.ErrorContains(t, m.Close(), "no file has appeared")
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}
