package starloom

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// misbehaviours are what testdata/firmware/misbehaves.c does, by the parameter `how`: the rule that
// it breaks, the function that the violation names, with its line, and what it says.
var misbehaviours = []struct {
	what, rule, function, says string
	isolatedOnly               bool // in a bank it harms others, which TestCheckFindsMisbehaviour is about
}{
	0: {"loops", RuleTrap, "loop", "it does not end", false},
	1: {"takes all memory", RuleTrap, "grow", "out of bounds memory access", true},
	2: {"writes beyond its memory", RuleTrap, "write_beyond", "out of bounds memory access", false},
	3: {"writes everywhere in its memory", RuleTrap, "write_everywhere", "out of bounds memory access", true},
	4: {"divides by zero", RuleTrap, "divide", "integer divide by zero", false},
	5: {"recurses", RuleTrap, "recurse", "", false}, // stack overflow, or out of bounds where the stack in memory ends first
	6: {"keeps some of the stack", RuleTrap, "keep_stack", "kept 5000 bytes of the stack", false},
	7: {"sends and traps", RuleTrap, "misbehave", "unreachable", false},
	9: {"gives up", RuleFail, "misbehave", "code 7", false},
}

// misbehaving is a scenario in which processor 5 of 8 misbehaves in slot 3, or dies there if how is
// negative.
func misbehaving(t testing.TB, mode string, how int) *Scenario {
	s := checkScenario(t, "misbehaves")
	s.Firmware.Mode = mode
	s.Firmware.CPU = CPU{Model: "unit", TrapCycles: 4_000_000}
	s.Firmware.Params = map[string]int64{"victim": 5, "how": int64(how), "when": 3}
	if how < 0 {
		s.Firmware.Params["victim"] = 99
		s.Faults = &Faults{Schedule: []Fault{{Kind: "dead", Targets: []string{"pops.group[2].nic[1]"}, Slots: &FaultSlots{List: []uint32{3}}}}}
	}
	return s
}

// eventsOf runs a machine and lists, slot by slot, everything that its processors are, and all that
// is sent and received, but for what the victim is from slot 3 on: it sends nothing then.
func eventsOf(t testing.TB, s *Scenario, victim int, o MachineOptions) (events []string, report *Report) {
	m := captured(t, s, o)
	require.NoError(t, m.Run(t.Context(), func() error {
		sent := sentBy(m)
		for p := range m.shape.Processors() {
			if p == victim && m.slot >= 3 {
				require.Empty(t, sent[p])
				continue
			}
			for _, i := range itemsOf(m, p, sent[p]) {
				events = append(events, fmt.Sprintf("slot %d: processor %d: %s %x", m.slot, p, i.name, i.bytes))
			}
		}
		for i := range m.shards {
			for _, heard := range m.shards[i].ledger.Heard {
				events = append(events, fmt.Sprintf("slot %d: %+v", m.slot, heard))
			}
		}
		return nil
	}))
	return events, m.Report()
}

// TestFailureHarmsOneProcessor: whatever a handler does, the others see and do what they see and do
// if its processor is dead from that slot on, and the violation names processor, slot, function
// and line. Isolated that holds for everything, banked for all but writes and growth.
func TestFailureHarmsOneProcessor(t *testing.T) {
	for _, mode := range []string{ModeIsolated, ModeBanked} {
		want, dead := eventsOf(t, misbehaving(t, mode, -1), 5, MachineOptions{})
		require.Equal(t, VerdictPass, dead.Verdict)
		for how, c := range misbehaviours {
			if c.what == "" || mode == ModeBanked && c.isolatedOnly {
				continue
			}
			t.Run(mode+"/"+c.what, func(t *testing.T) {
				s := misbehaving(t, mode, how)
				got, report := eventsOf(t, s, 5, MachineOptions{})
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
				k := slices.IndexFunc(v.Backtrace, func(f FirmwareFrame) bool { return f.Function == c.function })
				require.GreaterOrEqual(t, k, 0, "%+v", v.Backtrace)
				require.Regexp(t, `misbehaves\.c:\d+`, v.Backtrace[k].Source)
				if k == 0 { // else it is in a function of the SDK
					require.Contains(t, v.Message, " at misbehaves.c:")
				}

				for name, o := range map[string]MachineOptions{"cycle": {Engine: EngineCycle}, "interpreter": {Runtime: "interpreter"}, "small banks": {BankSize: 2, Workers: 2}} {
					if how == 5 && name == "interpreter" { // whose stack ends at another depth
						continue
					}
					_, other := eventsOf(t, s, 5, o)
					require.Equal(t, report.Digest, other.Digest, name)
					require.Equal(t, report.Violations, other.Violations, name)
				}
			})
		}
	}
}

// TestGrowthHarmsNoOne: isolated, a handler that takes some memory and goes on changes nothing; and a
// processor that fails changes what the others see, else the test above could not fail.
func TestGrowthHarmsNoOne(t *testing.T) {
	grows, quiet := misbehaving(t, ModeIsolated, 8), misbehaving(t, ModeIsolated, 8)
	quiet.Firmware.Params["victim"] = 99
	want, without := eventsOf(t, quiet, -1, MachineOptions{})
	got, report := eventsOf(t, grows, -1, MachineOptions{})
	require.Equal(t, want, got)
	require.Equal(t, without.Digest, report.Digest)
	others := func(events []string) []string {
		return slices.DeleteFunc(slices.Clone(events), func(e string) bool { return strings.Contains(e, "processor 5:") || strings.Contains(e, "Processor:5") })
	}
	dead, _ := eventsOf(t, misbehaving(t, ModeIsolated, -1), -1, MachineOptions{})
	require.NotEqual(t, others(want), others(dead))
}

// TestCheckFindsMisbehaviour: what harms others in a bank only is found by the check, by its name.
func TestCheckFindsMisbehaviour(t *testing.T) {
	for how, want := range map[int]string{
		1: "memory growth: slot 3: pops.group[2].nic[1]: its handler lets the memory grow by",
		3: "foreign write: slot 3: pops.group[2].nic[1]: its handler writes into",
		8: "memory growth: slot 3: pops.group[2].nic[1]: its handler lets the memory grow by 65536 bytes, for all processors of the bank",
	} {
		check, text := checked(t, misbehaving(t, ModeBanked, how))
		require.Equal(t, VerdictFail, check.Verdict)
		require.Contains(t, text, want)
	}
}
