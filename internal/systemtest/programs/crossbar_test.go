package programs

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/contend"
	"starloom/fabric/crossbar"
	"starloom/fabric/crossbar/gossip"
	"starloom/fabric/crossbar/gossip/gossiptest"
	"starloom/hw"
	"starloom/internal/systemtest"
	"starloom/nic"
)

// gossipRun runs a gossip, which must pass, and returns its report and the text of its
// run-table.
func gossipRun(t testing.TB, s *starloom.Scenario, o starloom.MachineOptions) (*starloom.Report, string) {
	o.RunTable = true
	m, err := starloom.NewMachine(t.Context(), s, o)
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, m.Run(context.Background(), nil))
	report := m.Report()
	require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
	var text strings.Builder
	require.NoError(t, m.RunTable().WriteCSV(&text))
	return report, text.String()
}

// gossipGolden reads a published run-table or a file of orders without header and ids, as
// comma-separated values.
func gossipGolden(t testing.TB, name string) string {
	file, err := os.Open("fabric/crossbar/gossip/testdata/gossip_" + name + ".csv")
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	var text strings.Builder
	for _, record := range records[1:] {
		if record[0] != "nu" {
			text.WriteString(strings.Join(record[1:], ",") + "\n")
		}
	}
	return text.String()
}

// TestGossipTables holds runs to the published run-tables, cell by cell.
func TestGossipTables(t *testing.T) {
	random, err := gossip.Parse("table 3", []byte(gossipGolden(t, "table_3_perms")), 5)
	require.NoError(t, err)
	for _, table := range []struct {
		name          string
		N, scheduling int
		orders        gossip.Orders
	}{
		{"table_1", 4, 0, gossip.Identity(4)},
		{"table_2", 7, 0, gossip.Identity(7)},
		{"table_3", 5, 0, random},
		{"table_4", 9, 0, gossip.Pipelined(9)},
		{"table_5", 8, 0, gossip.Pipelined(8)},
		{"table_7", 7, 2, gossip.Identity(7)},
		{"table_9", 4, 2, gossip.Pipelined(4)},
	} {
		t.Run(table.name, func(t *testing.T) {
			golden := gossipGolden(t, table.name)
			s := systemtest.GossipScenario(table.N, table.scheduling, starloom.Gossip{Given: table.orders})
			for _, engine := range gossipEngines {
				_, text := gossipRun(t, s, starloom.MachineOptions{Engine: engine})
				require.Equal(t, golden, text, engine)
			}
		})
	}
}

// TestGossipSessions holds runs of several sessions to both ends of the published Table 6.
func TestGossipSessions(t *testing.T) {
	lines := func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
	prefix, suffix := lines(gossipGolden(t, "table_6_prefix")), lines(gossipGolden(t, "table_6_suffix"))
	for sessions := 3; sessions <= 5; sessions++ {
		for _, engine := range gossipEngines {
			report, text := gossipRun(t, systemtest.GossipScenario(4, 0, starloom.Gossip{Orders: "pipelined", Sessions: sessions}),
				starloom.MachineOptions{Engine: engine})
			require.Equal(t, gossip.PipelinedLength(4, sessions), report.Metrics.Get("lambda"))
			for p, row := range lines(text) {
				require.True(t, strings.HasPrefix(row, prefix[p]+","), "%s: %d sessions, processor %d: %s", engine, sessions, p, row)
				require.True(t, strings.HasSuffix(row, ","+suffix[p]), "%s: %d sessions, processor %d: %s", engine, sessions, p, row)
			}
		}
	}
}

var gossipEngines = []string{starloom.EngineSlot, starloom.EngineCycle}

// TestLongGossipAgainstReference holds random orders, schedulings, sessions and caps to the
// stepper of gossiptest.
func TestLongGossipAgainstReference(t *testing.T) {
	for k := range 500 {
		random := rand.New(rand.NewPCG(uint64(k), 11))
		N := 1 + random.IntN(12)
		if k%10 == 0 {
			N = 1 + random.IntN(40)
		}
		orders := gossip.Identity(N)
		for _, row := range orders {
			random.Shuffle(N, func(i, j int) { row[i], row[j] = row[j], row[i] })
		}
		scheduling := []int{0, 2, 3}[random.IntN(3)]
		sessions, cap := 1+random.IntN(4), max(0, random.IntN(8)-3)
		s := systemtest.GossipScenario(N, scheduling, starloom.Gossip{Given: orders, Sessions: sessions})
		s.Fabric.Crossbar.Cap = cap
		want := gossiptest.Step(gossiptest.Setting{Orders: orders, Scheduling: gossiptest.Scheduling(scheduling),
			Sessions: sessions, Cap: cap})
		if scheduling == 0 && sessions == 1 && cap == 0 {
			want = gossiptest.Fill(orders) // the row-filling form of section 2
		}
		var text strings.Builder
		require.NoError(t, want.WriteCSV(&text))
		what := fmt.Sprintf("%d: N=%d scheduling %d, %d sessions, cap %d", k, N, scheduling, sessions, cap)
		for _, engine := range gossipEngines {
			if engine == starloom.EngineCycle && k%5 != 0 {
				continue
			}
			report, got := gossipRun(t, s, starloom.MachineOptions{Engine: engine})
			require.Equal(t, text.String(), got, what)
			require.Equal(t, want.Columns(), report.Metrics.Get("lambda"), what)
		}
	}
}

// TestALOHA: gossip on a medium without an arbiter takes as long as the mean of
// 1,000,000 runs of a program of its own says, and fewer eager senders are better there.
func TestALOHA(t *testing.T) {
	runs := uint64(2000)
	if *systemtest.Full {
		runs = 10000
	}
	for _, c := range []struct {
		orders   string
		mean, sd float64
	}{{"identity", 70.99, 6.0}, {"pipelined", 120.56, 12.4}} {
		s := systemtest.GossipScenario(7, 0, starloom.Gossip{Orders: c.orders})
		s.Fabric.Crossbar.Medium, s.Stop.Slots = crossbar.MediumALOHA, 10000
		m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.NoError(t, err)
		sum := 0
		for seed := range runs {
			require.NoError(t, m.Reset(seed))
			require.NoError(t, m.Run(context.Background(), nil))
			report := m.Report()
			require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
			sum += report.Metrics.Get("lambda").(int)
		}
		require.NoError(t, m.Close())
		require.InDelta(t, c.mean, float64(sum)/float64(runs), 4*c.sd/math.Sqrt(float64(runs))+0.02, c.orders)
	}
}

// TestGossipOptimal: the program has the orders of the closed form, and no others.
func TestGossipOptimal(t *testing.T) {
	for _, name := range []string{"optimal_N3", "optimal_N7", "optimal_N15"} {
		golden := gossipGolden(t, name)
		N := strings.Count(golden, "\n") - 1
		for _, scheduling := range []int{0, 2} { // no one is ever blocked: Algorithm 2 has nothing to choose
			s := systemtest.GossipScenario(N, scheduling, starloom.Gossip{})
			s.Firmware.Program = "gossip/optimal"
			for _, engine := range gossipEngines {
				_, text := gossipRun(t, s, starloom.MachineOptions{Engine: engine})
				require.Equal(t, golden, text, "%s, scheduling %d, %s", name, scheduling, engine)
			}
		}
	}
	for _, c := range []struct {
		N      int
		g      starloom.Gossip
		reason string
	}{
		{6, starloom.Gossip{}, "there are no optimal orders for 7 processors"},
		{7, starloom.Gossip{Orders: "identity"}, "gossip/optimal has orders of its own"},
		{7, starloom.Gossip{Given: gossip.Pipelined(7)}, "gossip/optimal has orders of its own"},
	} {
		s := systemtest.GossipScenario(c.N, 0, c.g)
		s.Firmware.Program = "gossip/optimal"
		_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.ErrorAs(t, err, new(*starloom.InputError))
		require.ErrorContains(t, err, c.reason)
	}
}

// TestCrossbarEnginesAgree: random crossbars under firmware that asks at random for anything,
// in the slot engine and in the cycle engine, with and without captures.
func TestCrossbarEnginesAgree(t *testing.T) {
	machines := 80
	if testing.Short() {
		machines = 15
	}
	if *systemtest.Full {
		machines = 2000
	}
	image := systemtest.Image(t, "asks")
	random := rand.New(rand.NewPCG(20261121, 0))
	choose := func(words ...string) string { return words[random.IntN(len(words))] }
	for k := range machines {
		x := &crossbar.Network{Ports: 2 + random.IntN(9)}
		x.Arbiter = choose(hw.ArbitersFor(hw.ForOutputs)...)
		switch choose("head", "cap", "list", "aloha", "queue") {
		case "cap":
			x.Arbiter, x.Cap, x.CapArbiter = "", 1+random.IntN(x.Ports), choose("fixed", "round_robin", "matrix")
		case "list":
			x.Matching, x.Arbiter, x.Cap = contend.MatchList, choose("fixed", "round_robin"), random.IntN(x.Ports)
		case "aloha":
			x.Medium, x.Arbiter = crossbar.MediumALOHA, ""
		case "queue":
			x.Arbiter = choose(hw.ArbitersFor(hw.ForQueues)...)
			x.Output, x.QueueFrames = contend.OutputQueue, 1+random.IntN(x.Ports)
		}
		s := starloom.DefaultScenario()
		s.Fabric.Crossbar, s.Seed = x, random.Uint64()
		s.Link = starloom.Link{PhitBits: 1 + random.IntN(nic.PhitBitsMax), PropagationCycles: random.IntN(4),
			GuardCycles: 1 + random.IntN(3)}
		s.NIC = starloom.NIC{PayloadBytes: 8 + random.IntN(9), RXFrames: 1 + random.IntN(3), TXFrames: 1 + random.IntN(3)}
		s.Firmware.Image, s.Firmware.Params = image, map[string]int64{"lists": 0}
		if x.Matching == contend.MatchList {
			s.Firmware.Params["lists"] = 1
		}
		s.Firmware.Mode = choose(starloom.ModeBanked, starloom.ModeIsolated)
		s.Firmware.CPU.BudgetCycles = random.IntN(6)
		s.Workload = starloom.Workload{Gossip: &starloom.Gossip{Orders: "shared-random"}}
		s.Rules = &starloom.Rules{}
		s.Stop.Slots = uint32(1 + random.IntN(60))
		name := fmt.Sprintf("machine %d: %+v of %+v", k, *x, *s)
		want := systemtest.Result(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot})
		require.NotContains(t, want, "gave up", name)
		require.Equal(t, want, systemtest.Result(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle}), name)
		if k%5 == 0 {
			var captures [2]bytes.Buffer
			for i, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				_, err := starloom.Run(t.Context(), s,
					starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine},
						Record: starloom.RecordOptions{PCAPNG: starloom.Writer(&captures[i])}})
				require.NoError(t, err, name)
			}
			require.True(t, bytes.Equal(captures[0].Bytes(), captures[1].Bytes()), name)
		}
	}
}

// TestCrossbarRefused: keys that do not go together are refused where the key stands, and what
// the program has set says so.
func TestCrossbarRefused(t *testing.T) {
	for _, c := range []struct{ keys, scheduling, says string }{
		{"medium: aloha, cap: 3", "0", "s.yaml:2:51: cap is 3, but only one frame crosses the medium aloha in a slot; delete cap"},
		{"medium: aloha, arbiter: matrix", "0", "s.yaml:2:55: arbiter is matrix, but the medium aloha has no arbiter; delete arbiter"},
		{"matching: list, medium: aloha", "0", "s.yaml:2:55: matching is list, but a sender requests only one output on the medium aloha, which has no arbiter; delete matching"},
		{"medium: aloha", "2", "s.yaml:2:39: scheduling 2 asks by lists, but a sender requests only one output on the medium aloha, which has no arbiter; take scheduling: 0"},
		{"arbiter: matrix", "3", "s.yaml:2:40: scheduling 3 asks by lists, but lists need arbiter fixed or round_robin, and arbiter is matrix"},
		{"cap: 2, arbiter: round_robin", "0", "s.yaml:2:48: arbiter is round_robin, but with a cap its turns would go to frames that the cap holds back"},
		{"output: queue, matching: list", "0", "output is queue, but matching: list needs outputs that accept one frame in a slot; delete matching"},
	} {
		_, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {crossbar: {ports: 8, "+c.keys+"}}\nfirmware: {program: gossip/fsa, params: {scheduling: "+c.scheduling+"}}\nworkload: {gossip: {}}\n"))
		require.ErrorAs(t, err, new(*starloom.InputError))
		require.ErrorContains(t, err, c.says)
		require.NotContains(t, err.Error(), "smaller network")
	}
	_, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {crossbar: {ports: 8}}\nfirmware: {program: gossip/optimal}\n"))
	require.EqualError(t, err, "s.yaml:3:21: the program gossip/optimal does not carry permutation; write workload: {gossip: {}}")
	_, err = starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {crossbar: {ports: 8}}\nfirmware: {program: gossip/optimal}\nworkload: {gossip: {}}\n"))
	require.NoError(t, err)
}
