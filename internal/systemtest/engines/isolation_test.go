package engines

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/firmware/check"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// misbehaviours are what testdata/firmware/misbehaves.c does, by the parameter `how`: the rule that
// it breaks, the function that the violation names, with its line, and what it says.
var misbehaviours = []struct {
	what, rule, function, says string
	isolatedOnly               bool // in a bank it harms others, which TestCheckFindsMisbehaviour is about
}{
	0: {"loops", starloom.RuleTrap, "loop", "it cost more than trap_cycles, the equivalent of 4000000 in the cost " +
		"table", false},
	1: {"takes all memory", starloom.RuleTrap, "grow", "out of bounds memory access", true},
	2: {"writes beyond its memory", starloom.RuleTrap, "write_beyond", "out of bounds memory access", false},
	3: {"writes everywhere in its memory", starloom.RuleTrap, "write_everywhere", "out of bounds memory access", true},
	4: {"divides by zero", starloom.RuleTrap, "divide", "integer divide by zero", false},
	5: {"recurses", starloom.RuleTrap, "recurse", "out of bounds memory access: the stack of 16384 bytes has overflowed", false},
	6: {"keeps some of the stack", starloom.RuleTrap, "keep_stack", "kept 5000 bytes of the stack", false},
	7: {"sends and traps", starloom.RuleTrap, "misbehave", "unreachable", false},
	9: {"gives up", starloom.RuleFail, "misbehave", "code 7", false},
}

// misbehaving is a scenario in which processor 5 of 8 misbehaves in slot 3, or dies there if how is
// negative.
func misbehaving(t testing.TB, mode string, how int) *starloom.Scenario {
	s := systemtest.CheckScenario(t, "misbehaves")
	s.Firmware.Mode = mode
	s.Firmware.CPU = starloom.CPU{Model: "unit", TrapCycles: 4_000_000}
	s.Firmware.Params = map[string]int64{"victim": 5, "how": int64(how), "when": 3}
	if how < 0 {
		s.Firmware.Params["victim"] = 99
		s.Faults = &starloom.Faults{Schedule: []starloom.Fault{{Kind: "dead", Targets: []string{"pops.group[2].nic[1]"},
			Slots: &starloom.FaultSlots{List: []uint32{3}}}}}
	}
	return s
}

// eventsOf runs a machine and lists, slot by slot, everything that its processors are, and all that
// is sent and received, but for what the victim is from a slot on: it sends nothing then.
func eventsOf(t testing.TB, s *starloom.Scenario, victim int, from uint32, o starloom.MachineOptions) (events []string,
	report *starloom.Report) {
	m := systemtest.Captured(t, s, o)
	require.NoError(t, m.Run(t.Context(), func() error {
		sent := check.SentBy(inside.Machine(m))
		for p := range inside.Machine(m).Shape.Processors() {
			if p == victim && m.Slots() >= from {
				for _, frame := range sent[p] {
					require.Less(t, frame.Slot, from)
				}
				continue
			}
			for _, i := range check.ItemsOf(inside.Machine(m), p, sent[p]) {
				events = append(events, fmt.Sprintf("slot %d: processor %d: %s %x", m.Slots(), p, i.Name, i.Bytes))
			}
		}
		for i := range inside.Machine(m).Shards {
			for _, heard := range inside.Machine(m).Shards[i].Ledger.Heard {
				events = append(events, fmt.Sprintf("slot %d: %+v", m.Slots(), heard))
			}
		}
		return nil
	}))
	return events, m.Report()
}

// TestFailureHarmsOneProcessor checks that after a handler's failure the others behave as if its processor were dead
// from that slot on, and that the violation names processor, slot, function and line. In isolated mode that holds for
// every failure, in banked mode for all but writes and growth.
func TestFailureHarmsOneProcessor(t *testing.T) {
	for _, mode := range []string{starloom.ModeIsolated, starloom.ModeBanked} {
		want, dead := eventsOf(t, misbehaving(t, mode, -1), 5, 3, starloom.MachineOptions{})
		require.Equal(t, starloom.VerdictPass, dead.Verdict)
		for how, c := range misbehaviours {
			if c.what == "" || mode == starloom.ModeBanked && c.isolatedOnly {
				continue
			}
			t.Run(mode+"/"+c.what, func(t *testing.T) {
				s := misbehaving(t, mode, how)
				got, report := eventsOf(t, s, 5, 3, starloom.MachineOptions{})
				require.Equal(t, want, got)
				require.Equal(t, dead.Digest, report.Digest)
				frames := report.Frames
				if how == 3 { // in its registers, too: that its TX FIFO was full
					frames.Overflow--
				}
				require.Equal(t, dead.Frames, frames)
				require.Len(t, report.Violations, 1, "%+v", report.Violations)
				v := report.Violations[0]
				require.Equal(t, c.rule, v.Rule)
				require.Equal(t, "pops.group[2].nic[1]", v.Path)
				require.EqualValues(t, 3, v.Slot)
				require.Equal(t, v.Slot*report.Cycles/report.Slots, v.Cycle)
				require.Contains(t, v.Message, c.says)
				k := slices.IndexFunc(v.Backtrace, func(f starloom.FirmwareFrame) bool { return f.Function == c.function })
				require.GreaterOrEqual(t, k, 0, "%+v", v.Backtrace)
				require.Regexp(t, `misbehaves\.c:\d+`, v.Backtrace[k].Source)
				if k == 0 { // else it is in a function of the SDK
					require.Contains(t, v.Message, " at misbehaves.c:")
				}

				for name, o := range map[string]starloom.MachineOptions{"cycle": {Engine: starloom.EngineCycle},
					"interpreter": {Runtime: "interpreter"}, "small banks": {BankSize: 2, Workers: 2}} {
					if how == 5 && name == "interpreter" { // whose stack ends at another depth
						continue
					}
					_, other := eventsOf(t, s, 5, 3, o)
					require.Equal(t, report.Digest, other.Digest, name)
					require.Equal(t, report.Violations, other.Violations, name)
				}
				if how != 0 { // which nothing else ends
					s.Firmware.CPU = starloom.CPU{}
					got, other := eventsOf(t, s, 5, 3, starloom.MachineOptions{})
					require.Equal(t, want, got)
					require.Equal(t, report.Violations[0].Rule, other.Violations[0].Rule)
				}
			})
		}
	}
}

// TestGrowthHarmsNoOne: isolated, a handler that takes some memory and goes on changes nothing; and a
// processor that fails changes what the others see, else the test above could not fail.
func TestGrowthHarmsNoOne(t *testing.T) {
	grows, quiet := misbehaving(t, starloom.ModeIsolated, 8), misbehaving(t, starloom.ModeIsolated, 8)
	quiet.Firmware.Params["victim"] = 99
	want, without := eventsOf(t, quiet, -1, 0, starloom.MachineOptions{})
	got, report := eventsOf(t, grows, -1, 0, starloom.MachineOptions{})
	require.Equal(t, want, got)
	require.Equal(t, without.Digest, report.Digest)
	others := func(events []string) []string {
		return slices.DeleteFunc(slices.Clone(events), func(e string) bool { return strings.Contains(e, "processor 5:") || strings.Contains(e, "Processor:5") })
	}
	dead, _ := eventsOf(t, misbehaving(t, starloom.ModeIsolated, -1), -1, 0, starloom.MachineOptions{})
	require.NotEqual(t, others(want), others(dead))
}

// TestCheckFindsMisbehaviour: what harms others in a bank only is found by the check, by its name.
func TestCheckFindsMisbehaviour(t *testing.T) {
	for how, want := range map[int]string{
		1: "memory growth: slot 3: pops.group[2].nic[1]: its handler lets the memory grow by",
		3: "foreign write: slot 3: pops.group[2].nic[1]: its handler writes into",
		8: "memory growth: slot 3: pops.group[2].nic[1]: its handler lets the memory grow by 65536 bytes, for all processors of the bank",
	} {
		check, text := systemtest.Checked(t, misbehaving(t, starloom.ModeBanked, how))
		require.Equal(t, starloom.VerdictFail, check.Verdict)
		require.Contains(t, text, want)
	}
}

// cheatFabrics are machines of eight processors or so of every fabric, and the path of processor 2.
var cheatFabrics = map[string]struct {
	scenario, path string
	all            int
}{
	"pops":     {"fabric: {pops: {groups: 4, group_size: 2}}", "pops.group[1].nic[0]", 0},
	"crossbar": {"fabric: {crossbar: {ports: 8}}", "crossbar.nic[2]", 0},
	"bus":      {"fabric: {bus: {vertices: 8, buses: [[0, 1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1, 0]], arbiter: fixed}}", "bus.nic[2]", 0},
	"ej":       {"fabric: {ej: {a: 1, b: 2, dimensions: 1}}", "ej.node[2].nic[0]", 1},
}

// cheats are what testdata/firmware/cheats.c does, by the parameter `how`.
var cheats = []struct {
	rule, says string
	goesOn     bool // its NIC has done nothing wrong, so it goes on, too
}{
	1: {starloom.RuleIllegalSend, "sends to port ", false},
	2: {starloom.RuleIllegalListen, "listens to port ", false},
	3: {starloom.RuleIllegalListen, "says that its RX FIFO holds 255 frames", false},
	4: {starloom.RuleIllegalSend, "says that its TX FIFO holds 255 frames", false},
	5: {starloom.RuleExactlyOnce, "had received no frame with it", true},
	6: {starloom.RuleExactlyOnce, "; there are processors 0 to ", true},
	7: {starloom.RuleExactlyOnce, "which is not for it", true},
	8: {starloom.RuleIllegalSend, "sends a payload of 17 bytes; nic.payload_bytes is 16", false},
	9: {starloom.RuleIllegalSend, "sends a frame of kind(9)", false},
}

// TestLiesAreViolations: what a handler says of ports, frames and deliveries that is not so is a
// violation with processor and slot, on every fabric. The others go on as if the liar were dead
// from that slot on, or, where it has only claimed something, as if it had not.
func TestLiesAreViolations(t *testing.T) {
	for name, f := range cheatFabrics {
		scenario := func(mode string, how int, faults string) *starloom.Scenario {
			text := fmt.Sprintf("starloom: 1\n%s\nfirmware: {image: %s, mode: %s, params: {how: %d, all: %d}}\nworkload: {permutation: reverse}\nrules: {exactly_once: true}\nstop: {slots: 20}\n%s",
				f.scenario, systemtest.Image(t, "cheats"), mode, how, f.all, faults)
			s, err := starloom.ParseScenario("cheats.yaml", []byte(text))
			require.NoError(t, err)
			return s
		}
		quiet, honest := eventsOf(t, scenario(starloom.ModeBanked, 0, ""), -1, 0, starloom.MachineOptions{})
		dead, killed := eventsOf(t, scenario(starloom.ModeBanked, 0,
			"faults: {schedule: [{kind: dead, targets: ['"+f.path+"'], slots: {list: [2]}}]}"), 2, 2, starloom.MachineOptions{})
		require.NotEqual(t, honest.Digest, killed.Digest, name)
		require.Positive(t, honest.Frames.Delivered)
		for how, c := range cheats {
			if c.rule == "" {
				continue
			}
			for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
				for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
					t.Run(fmt.Sprint(name, "/", how, "/", mode, "/", engine), func(t *testing.T) {
						want, slots, victim := dead, killed.Slots, 2
						if c.goesOn {
							want, slots, victim = quiet, honest.Slots, -1
						}
						got, report := eventsOf(t, scenario(mode, how, ""), victim, 2, starloom.MachineOptions{Engine: engine})
						require.Equal(t, want, got)
						k := slices.IndexFunc(report.Violations,
							func(v starloom.Violation) bool { return v.Rule == c.rule && strings.Contains(v.Message, c.says) })
						require.GreaterOrEqual(t, k, 0, "%+v", report.Violations)
						require.Equal(t, f.path, report.Violations[k].Path)
						require.EqualValues(t, 2, report.Violations[k].Slot)
						require.Contains(t, report.Violations[k].Message, "processor 2")
						require.Equal(t, slots, report.Slots)
					})
				}
			}
		}
	}
}

// TestClaimsAgainstFrames: where a workload's messages are seen in frames, what firmware says of its
// deliveries is compared with them: a lie is a violation with processor and slot, the truth none, and
// neither changes anything else.
func TestClaimsAgainstFrames(t *testing.T) {
	for name, c := range map[string]struct {
		scenario, path string
		carry, all     int
	}{
		"gossip":     {"fabric: {crossbar: {ports: 8}}\nworkload: {gossip: {orders: identity}}", "crossbar.nic[2]", 2, 0},
		"scattering": {"fabric: {crossbar: {ports: 8}}\nworkload: {scatter: {origin: 0}}", "crossbar.nic[2]", 1, 0},
		"one to all": {"fabric: {ej: {a: 1, b: 2, dimensions: 1}}\nworkload: {one_to_all: {source: 0}}", "ej.node[2].nic[0]", 1, 1},
		"all to all": {"fabric: {ej: {a: 1, b: 2, dimensions: 1}}\nworkload: {all_to_all: {}}", "ej.node[2].nic[0]", 2, 1},
	} {
		run := func(how, carry int, mode, engine string) *starloom.Report {
			s, err := starloom.ParseScenario("cheats.yaml", fmt.Appendf(nil,
				"starloom: 1\n%s\nfirmware: {image: %s, mode: %s, params: {how: %d, all: %d, carry: %d}}\nrules: {exactly_once: true}\nstop: {slots: 12}",
				c.scenario, systemtest.Image(t, "cheats"), mode, how, c.all, carry))
			require.NoError(t, err)
			m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
			require.NoError(t, m.Run(t.Context(), nil))
			return m.Report()
		}
		claims := func(r *starloom.Report) (list []starloom.Violation) {
			for _, v := range r.Violations {
				if strings.Contains(v.Message, "announced") {
					list = append(list, v)
				}
			}
			return list
		}
		honest := run(0, c.carry, starloom.ModeBanked, starloom.EngineSlot)
		require.Positive(t, honest.Frames.Delivered, name)
		require.Empty(t, claims(honest), name)
		if name != "all to all" { // in which frames say themselves whose message they have
			require.NotEmpty(t, claims(run(0, 3-c.carry, starloom.ModeBanked, starloom.EngineSlot)), "%s: the message of somebody else", name)
		}
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				quiet := run(0, 0, mode, engine)
				for _, how := range []int{5, 6} {
					lie := run(how, 0, mode, engine)
					require.Len(t, claims(lie), 1, name)
					v := claims(lie)[0]
					require.Equal(t, starloom.RuleExactlyOnce, v.Rule)
					require.Equal(t, c.path, v.Path)
					require.EqualValues(t, 2, v.Slot)
					require.Contains(t, v.Message, "had received no frame with it")
					require.Equal(t, quiet.Digest, lie.Digest)
					require.Equal(t, quiet.Slots, lie.Slots)
				}
			}
		}
	}
}

// TestStackThatOnlySeemsTooSmall: what the host ends for another reason is not put down to the stack,
// wherever its pointer is.
func TestStackThatOnlySeemsTooSmall(t *testing.T) {
	source := filepath.Join(t.TempDir(), "large.c")
	require.NoError(t, os.WriteFile(source, []byte(`#include "starloom.h"
typedef struct { uint32_t calls; } state_t;
STARLOOM_PARAMS("touch=0")
__attribute__((noinline)) static void large(sl_nic *nic) {
    volatile char room[200 << 10];
    if (sl_param(nic, 0)) room[sl_slot(nic)] = 1;
    else sl_fail(nic, 3);
    if (room[sl_slot(nic)] == 77) sl_fail(nic, 4);
}
static void on_start(sl_nic *nic, state_t *s) { (void)nic; (void)s; }
static void on_slot(sl_nic *nic, state_t *s) { (void)s; large(nic); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`), 0o644))
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: source + ".wasm"}))
	s := systemtest.CheckScenario(t, "misbehaves")
	s.Firmware.Image, s.Rules = source+".wasm", &starloom.Rules{}
	for touch, want := range map[int64]string{0: " with code 3", 1: "out of bounds memory access: the stack of 16384 bytes has overflowed"} {
		s.Firmware.Params = map[string]int64{"touch": touch}
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Contains(t, report.Violations[0].Message, want)
		require.Equal(t, touch == 0, report.Violations[0].Rule == starloom.RuleFail)
		require.Equal(t, touch == 1, strings.Contains(report.Violations[0].Message, "stack"))
	}
}
