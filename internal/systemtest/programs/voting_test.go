package programs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// ids are the numbers from, from+step, ... below to.
func ids(from, step, to int) (list []int) {
	for id := from; id < to; id += step {
		list = append(list, id)
	}
	return list
}

// TestVotingFaults: 2f+1 modules outvote f faulty ones; with f+1 that all say the same, voters
// find it, and with f+1 that are two-faced those with odd ids find it.
func TestVotingFaults(t *testing.T) {
	for _, n := range []int{3, 7, 9} {
		f := n / 2
		for first := range n {
			var faulty []int
			for k := range f + 1 {
				faulty = append(faulty, (first+2*k)%n)
			}
			for _, fault := range []string{"value", "two-faced"} {
				s := systemtest.VotingScenario(n, 0, starloom.Gossip{Faulty: faulty[:f], Fault: fault, Sessions: 2})
				s.Seed = uint64(first)
				report := systemtest.MachineRun(t, s).Report()
				require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
				require.Equal(t, n, report.Metrics.Get("agreed"))
				require.Empty(t, report.Metrics.Get("wrong_voters"))

				s.Workload.Gossip.Faulty = faulty
				report = systemtest.MachineRun(t, s).Report()
				results := report.Metrics.Get("results").([]*int64)
				require.Equal(t, fmt.Sprint(*results[0]) != report.Metrics.Get("correct"), fault == "value")
				wrong, broken := ids(0, 1, n), []string{starloom.RuleValidity}
				if fault == "two-faced" {
					wrong, broken = ids(1, 2, n), []string{starloom.RuleValidity, starloom.RuleAgreement}
				}
				require.Equal(t, wrong, report.Metrics.Get("wrong_voters"))
				var rules []string
				invalid := map[string]bool{}
				for _, v := range report.Violations {
					if !slices.Contains(rules, v.Rule) {
						rules = append(rules, v.Rule)
					}
					invalid[v.Message] = true
				}
				require.ElementsMatch(t, broken, rules)
				for _, voter := range wrong {
					for session := range 2 {
						require.Contains(t, invalid, fmt.Sprintf("processor %d has found %d in session %d; the correct modules hold %v", voter,
							*results[voter], session, report.Metrics.Get("correct")))
					}
				}
			}
		}
	}
}

// TestVotingDisagreement names all voters and what they have found.
func TestVotingDisagreement(t *testing.T) {
	s := systemtest.VotingScenario(3, 0, starloom.Gossip{Vector: []int64{-7, -7, -7}, Faulty: []int{1, 2}, Fault: "two-faced"})
	s.Rules = &starloom.Rules{Agreement: true}
	report := systemtest.MachineRun(t, s).Report()
	require.Len(t, report.Violations, 1)
	require.Equal(t, fmt.Sprintf("processor 1 has not found what others have: voters 0 and 2 found -7; voter 1 found %d",
		*report.Metrics.Get("results").([]*int64)[1]), report.Violations[0].Message)
	require.Equal(t, "crossbar.nic[1]", report.Violations[0].Path)
	require.Equal(t, starloom.RuleAgreement, report.Violations[0].Rule)
}

// TestVotingSilent: who waits for whom when a module says nothing.
func TestVotingSilent(t *testing.T) {
	for _, engine := range gossipEngines {
		s := systemtest.VotingScenario(5, 0, starloom.Gossip{Faulty: []int{2}, Fault: "silent", Orders: "identity"})
		s.Stop.Slots = 50
		m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{Engine: engine})
		require.NoError(t, err)
		defer m.Close()
		require.NoError(t, m.Run(t.Context(), nil))
		var said []string
		for _, v := range m.Report().Violations {
			require.Equal(t, starloom.RuleFinishes, v.Rule)
			said = append(said, v.Message)
		}
		const open = "was not done when the run ended: it waits for "
		require.Equal(t, []string{
			"processor 0 " + open + "messages of processors 2, 3 and 4",
			"processor 1 " + open + "messages of processors 2, 3 and 4",
			"processor 2 " + open + "its module, which is silent",
			"processor 3 " + open + "messages of processor 2",
			"processor 4 " + open + "messages of processors 2 and 3",
		}, said)
	}
	// Cut off before its end, a processor has a message for who listens, or does not.
	s := systemtest.GossipScenario(4, 0, starloom.Gossip{Orders: "identity"})
	for slots, want := range map[uint32]string{
		3: "processor 1 was not done when the run ended: it waits for processor 0 to listen",
		4: "processor 1 was not done when the run ended: it waits for processor 0, which listens, to accept its frame",
	} {
		s.Stop.Slots = slots
		require.Equal(t, want, systemtest.MachineRun(t, s).Report().Violations[1].Message)
	}
}

// TestVotingNamesTheSilent checks that reports name the silent module at its own voter, and the missing messages at
// the others, for any id and session.
func TestVotingNamesTheSilent(t *testing.T) {
	for _, sessions := range []int{1, 2} {
		for silent, want := range [][]string{
			{"its module, which is silent", "messages of processor 0", "messages of processors 0 and 1"},
			{"messages of processors 1 and 2", "its module, which is silent", "messages of processor 1"},
			{"messages of processor 2", "messages of processor 2", "its module, which is silent"},
		} {
			s := systemtest.VotingScenario(3, 0, starloom.Gossip{Faulty: []int{silent}, Fault: "silent", Sessions: sessions})
			s.Stop.Slots = 50
			var said []string
			for _, v := range systemtest.MachineRun(t, s).Report().Violations {
				_, waits, _ := strings.Cut(v.Message, "it waits for ")
				said = append(said, waits)
			}
			require.Equal(t, want, said, "module %d is silent, %d sessions", silent, sessions)
		}
	}
}

// TestVotingUndecided: voters without a majority break validity, and not agreement, which is about those
// that decide.
func TestVotingUndecided(t *testing.T) {
	s := systemtest.VotingScenario(5, 0, starloom.Gossip{Vector: []int64{3, 3, 3, 8, 9}, Faulty: []int{0}, Fault: "two-faced"})
	report := systemtest.MachineRun(t, s).Report()
	require.Equal(t, "[3 <nil> 3 <nil> 3]", fmt.Sprint(found(report)))
	var said []string
	for _, v := range report.Violations {
		said = append(said, v.Rule+": "+v.Message)
	}
	require.ElementsMatch(t, []string{
		"validity: processor 1 has found no majority; the correct modules hold 3 to 9",
		"validity: processor 3 has found no majority; the correct modules hold 3 to 9",
	}, said)
	require.Equal(t, 3, report.Metrics.Get("agreed"))

	// Voters that all find nothing agree on nothing.
	report = systemtest.MachineRun(t, systemtest.VotingScenario(3, 0, starloom.Gossip{Vector: []int64{3, 8, 9}})).Report()
	require.Equal(t, "[<nil> <nil> <nil>]", fmt.Sprint(found(report)))
	require.Equal(t, 0, report.Metrics.Get("agreed"))
	require.Equal(t, []int{0, 1, 2}, report.Metrics.Get("wrong_voters"))
}

// found is what the voters have decided for, nil for nothing.
func found(report *starloom.Report) (values []any) {
	for _, value := range report.Metrics.Get("results").([]*int64) {
		if value == nil {
			values = append(values, nil)
		} else {
			values = append(values, *value)
		}
	}
	return values
}

// TestVotingTimeout checks that with a timeout the voters agree on the values of the speaking modules, in every
// session, for any silent module and any order of messages.
func TestVotingTimeout(t *testing.T) {
	for _, n := range []int{3, 5, 9} {
		for first := range n {
			for rule := range int64(3) {
				var faulty []int
				for k := range n / 2 {
					faulty = append(faulty, (first+2*k)%n)
				}
				s := systemtest.VotingScenario(n, rule, starloom.Gossip{Faulty: faulty, Fault: "silent", Sessions: 2})
				s.Workload.Gossip.Orders = []string{"pipelined", "identity", "shared-random"}[first%3]
				s.Firmware.Params["scheduling"] = []int64{0, 2, 3}[(first+int(rule))%3]
				s.Firmware.Params["timeout"] = int64(6 * n)
				s.Rules = &starloom.Rules{ExactlyOnce: true, Agreement: true, Validity: true}
				s.Stop.Slots = uint32(12 * n * n * n)
				m := systemtest.MachineRun(t, s)
				report := m.Report()
				require.Equal(t, starloom.VerdictPass, report.Verdict, "%v silent: %+v", faulty, report.Violations)
				require.Equal(t, n, report.Metrics.Get("agreed"))
				require.EqualValues(t, 2*(n-len(faulty))*(n-1), report.Frames.Delivered, "all that is said is heard")
				if n > 5 || first > 2 {
					continue
				}
				cycle, err := starloom.NewMachine(t.Context(), s,
					starloom.MachineOptions{Engine: starloom.EngineCycle, BankSize: 1})
				require.NoError(t, err)
				require.NoError(t, cycle.Run(t.Context(), nil))
				require.Equal(t, report.Digest, cycle.Report().Digest)
				require.NoError(t, cycle.Close())
			}
		}
	}
}

// TestVotingTimeoutIsTheLast: without a silent module nothing depends on a timeout that is long enough; one that is
// too short costs votes, and ends all the same, with processors that die, too.
func TestVotingTimeoutIsTheLast(t *testing.T) {
	for _, scheduling := range []int64{0, 2, 3} {
		s := systemtest.VotingScenario(9, 0, starloom.Gossip{Sessions: 3})
		s.Firmware.Params["scheduling"] = scheduling
		want := systemtest.MachineRun(t, s).Report()
		s.Firmware.Params["timeout"] = 1000
		report := systemtest.MachineRun(t, s).Report()
		require.Equal(t, want.Digest, report.Digest)
		require.Equal(t, want.Metrics, report.Metrics)
		for timeout := int64(1); timeout < 20; timeout++ {
			s.Firmware.Params["timeout"] = timeout
			s.Rules, s.Stop.Slots = &starloom.Rules{}, 20_000
			require.Equal(t, starloom.VerdictPass, systemtest.MachineRun(t, s).Report().Verdict, "timeout %d", timeout)
		}
		s.Firmware.Params["timeout"] = 40
		for slot := range 12 {
			dies := systemtest.FaultScenario(t, fmt.Sprintf("fabric: {crossbar: {ports: 9}}\nfirmware: {program: gossip/voting, params: {timeout: 40, scheduling: %d}}\nworkload: {gossip: {}}\nrules: {agreement: true, validity: true}", scheduling),
				fmt.Sprintf("schedule: [{kind: dead, targets: ['crossbar.nic[2]', 'crossbar.nic[6]'], slots: {list: [%d]}}]", slot))
			report := systemtest.MachineRun(t, dies).Report()
			require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
			require.Equal(t, 7, report.Metrics.Get("agreed"), "%v", found(report))
		}
	}
}

// adjudicated is what a vote must find, by counting; ok is false for no majority.
func adjudicated(rule int64, values []int64) (found int64, ok bool) {
	if rule == 2 { // as many above as below
		for _, v := range values {
			below, above := 0, 0
			for _, other := range values {
				if other < v {
					below++
				}
				if other > v {
					above++
				}
			}
			if below <= len(values)/2 && above <= len(values)/2 {
				return v, true
			}
		}
	}
	best := 0
	for _, v := range values {
		count := 0
		for _, other := range values {
			if other == v {
				count++
			}
		}
		if count > best || count == best && v < found {
			best, found = count, v
		}
	}
	return found, rule == 1 || 2*best > len(values)
}

// TestAdjudicators holds all three to counting, over values with many ties.
func TestAdjudicators(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	undecided, negative := 0, 0
	for k := range 150 {
		n, rule := 3+2*random.IntN(8), int64(k%3)
		values := make([]int64, n)
		kinds := 1 + random.IntN(n)
		for i := range values {
			values[i] = []int64{math.MinInt64, -1, 0, 1 << 40, math.MaxInt64, -1 << 33, 5, 6, 7, 8, 9, 10, 11, 12, 13,
				14, 15}[random.IntN(kinds)]
		}
		s := systemtest.VotingScenario(n, rule, starloom.Gossip{Vector: values, Orders: "shared-random"})
		s.Firmware.Params["scheduling"] = []int64{0, 2, 3}[random.IntN(3)]
		s.Rules = &starloom.Rules{ExactlyOnce: true, Agreement: true}
		report := systemtest.MachineRun(t, s).Report()
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		want, decided := adjudicated(rule, values)
		for voter, found := range report.Metrics.Get("results").([]*int64) {
			if !decided {
				require.Nil(t, found, "%d: rule %d of %v", voter, rule, values)
				continue
			}
			require.NotNil(t, found, "%d: rule %d of %v", voter, rule, values)
			require.Equal(t, want, *found, "%d: rule %d of %v", voter, rule, values)
		}
		if !decided {
			undecided++
		} else if want < 0 {
			negative++
		}
	}
	require.Greater(t, undecided, 10)
	require.Greater(t, negative, 10)
}

// TestVotingValidity: where correct modules differ, a result between them is valid.
func TestVotingValidity(t *testing.T) {
	s := systemtest.VotingScenario(5, 2, starloom.Gossip{Vector: []int64{20, 22, 21, 19, 18}, Faulty: []int{0, 1}})
	report := systemtest.MachineRun(t, s).Report()
	require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
	require.Equal(t, "18 to 21", report.Metrics.Get("correct"))
	s.Workload.Gossip.Faulty = []int{0, 1, 2}
	report = systemtest.MachineRun(t, s).Report()
	require.Contains(t, report.Violations[0].Message, "; the correct modules hold 18 to 19")
	s = systemtest.VotingScenario(3, 0, starloom.Gossip{Vector: []int64{1, 2, 3}})
	require.Equal(t, "processor 0 has found no majority; the correct modules hold 1 to 3", systemtest.MachineRun(t, s).Report().Violations[0].Message)
}

// gossipRefused is a scenario file that must be refused, beside a file values.csv.
type gossipRefused struct{ ports, program, params, gossip, values, place, reason string }

func (r gossipRefused) check(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "values.csv"), []byte(r.values), 0o666))
	path := filepath.Join(folder, "s.yaml")
	text := fmt.Sprintf("starloom: 1\nfabric: {crossbar: {ports: %s}}\nfirmware: {program: %s, params: {%s}}\nworkload: {gossip: {%s}}\n", r.ports, r.program, r.params, r.gossip)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	s, err := starloom.LoadScenario(path)
	if err == nil {
		_, err = starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	}
	var refusal *starloom.InputError
	require.ErrorAs(t, err, &refusal, text)
	require.Contains(t, refusal.Place, r.place, text)
	require.Contains(t, refusal.Reason, r.reason, text)
	require.NotEmpty(t, refusal.Remedy, text)
}

func TestVotingRefusals(t *testing.T) {
	for _, r := range []gossipRefused{
		{"4", "gossip/voting", "", "", "", "s.yaml:2:28", "4 voters"},
		{"1", "gossip/voting", "", "", "", "s.yaml:2:28", "gossip of one processor"},
		{"3", "gossip/voting", "adjudicate: 3", "", "", "s.yaml:3:", "adjudicate is 3"},
		{"3", "gossip/voting", "timeout: -1", "", "", "s.yaml:3:", "timeout is -1"},
		{"3", "gossip/voting", "timeout: 1000001", "", "", "s.yaml:3:", "timeout is 1000001"},
		{"3", "gossip/voting", "", "faulty: [0, 3]", "", "s.yaml:4:", "no module 3"},
		{"3", "gossip/voting", "", "faulty: [1, 1]", "", "s.yaml:4:", "twice"},
		{"3", "gossip/voting", "", "faulty: [0, 1, 2]", "", "s.yaml:4:", "all modules"},
		{"3", "gossip/voting", "", "faulty: [1], fault: liar", "", "s.yaml:4:", "liar"},
		{"3", "gossip/voting", "", "fault: silent", "", "s.yaml:4:", "no module is faulty"},
		{"3", "gossip/voting", "scheduling: 2", "faulty: [1], fault: two-faced", "", "s.yaml:4:", "list"},
		{"3", "gossip/voting", "", "values: values.txt", "", "s.yaml:4:", "values.txt"},
		{"3", "gossip/voting", "", "values: missing.csv", "", "missing.csv", "cannot be read"},
		{"3", "gossip/voting", "", "values: values.csv", "1\n2\n", "values.csv", "2 values for 3 modules"},
		{"3", "gossip/voting", "", "values: values.csv", "", "values.csv", "0 values for 3 modules"},
		{"3", "gossip/voting", "", "values: values.csv", "1\n2, x\n3\n", "values.csv:2:", `"x" is not a 64-bit integer`},
		{"3", "gossip/voting", "", "values: values.csv", "1\n2\n9223372036854775808\n", "values.csv:3:1", "not a 64-bit integer"},
		{"3", "gossip/voting", "", "values: values.csv", "1\n\"2\n3\n", "values.csv:", "comma-separated"},
		{"3", "gossip/fsa", "", "values: random", "", "s.yaml:4:", "carry no values"},
		{"3", "gossip/fsa", "", "faulty: [1]", "", "s.yaml:4:", "can be faulty"},
		{"3", "gossip/hopfield", "", "faulty: [1]", "", "s.yaml:4:", "can be faulty"},
		{"3", "gossip/hopfield", "neurons: 0", "", "", "s.yaml:3:", "neurons is 0"},
		{"3", "gossip/hopfield", "flips: 101", "", "", "s.yaml:3:", "flips is 101"},
		{"3", "gossip/hopfield", "patterns: 0", "", "", "s.yaml:3:", "patterns is 0"},
		{"2", "gossip/hopfield", "neurons: 2", "values: values.csv", "1,-1,1,1\n1,1,1\n", "values.csv:2", "3 values for 4 neurons"},
		{"2", "gossip/hopfield", "neurons: 2", "values: values.csv", "1,-1,2,1\n", "values.csv:1", "neuron 2 is 2"},
		{"2", "gossip/hopfield", "neurons: 2", "values: values.csv", "", "values.csv", "0 patterns"},
	} {
		r.check(t)
	}
	s := systemtest.GossipScenario(3, 0, starloom.Gossip{})
	for _, rules := range []starloom.Rules{{Agreement: true}, {Validity: true}, {Energy: true}} {
		s.Rules = &rules
		_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.ErrorContains(t, err, "cannot be checked")
	}
}

// TestVotingFromFile: a file with comments and several values in a row.
func TestVotingFromFile(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "v.csv"), []byte("# modules\n12, 12\n-3\n"), 0o666))
	s := systemtest.VotingScenario(3, 0, starloom.Gossip{Values: filepath.Join(folder, "v.csv")})
	s.Rules = &starloom.Rules{}
	for _, found := range systemtest.MachineRun(t, s).Report().Metrics.Get("results").([]*int64) {
		require.EqualValues(t, 12, *found)
	}
}

// TestGossipExamples: both run as their comments say, with the image by path, too.
func TestGossipExamples(t *testing.T) {
	for _, name := range []string{"voting", "hopfield"} {
		s, err := starloom.LoadScenario("examples/" + name + ".yaml")
		require.NoError(t, err)
		report := systemtest.MachineRun(t, s).Report()
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		digest, results := report.Digest, report.Metrics
		require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: "firmware/images/gossip/" + name + ".wasm"}))
		report = systemtest.MachineRun(t, s).Report()
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		require.Equal(t, digest, report.Digest)
		require.Equal(t, results, report.Metrics)
	}
}
