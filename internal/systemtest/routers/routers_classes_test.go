package routers

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/internal/systemtest"
)

// classedRequests are requests and replies with so many NIC ports and classes.
func classedRequests(t testing.TB, frames, ports, classes, vcs, depth int, eject string) *starloom.Scenario {
	return systemtest.RoutedScenario(t, fmt.Sprintf("mesh: {k: [4, 4]}, router: {vcs: %d, depth: %d, classes: %d}, streaming: {ports: %d, eject: %s}", vcs, depth, classes, ports, eject),
		fmt.Sprintf("nic: {tx_frames: %d, rx_frames: %d}\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/request-reply}", frames, frames))
}

// TestClassesOfRequests: the load that makes processors wait for one another with one port, or with one class, passes
// with two of both.
func TestClassesOfRequests(t *testing.T) {
	for _, way := range []struct{ ports, classes, vcs int }{{1, 1, 1}, {1, 2, 2}, {2, 1, 2}} {
		report, _ := frameRows(t, classedRequests(t, 1, way.ports, way.classes, way.vcs, 1, "fifo"), starloom.MachineOptions{})
		require.Equal(t, starloom.VerdictFail, report.Verdict, "%+v", way)
		require.Equal(t, fabric.RuleDeadlock, report.Violations[0].Rule, "%+v", way)
		if way.ports > 1 {
			require.Regexp(t, `in the TX FIFO of netlist\.p\[\d+\]\.port\[[01]\] .* in the RX FIFO of netlist\.p\[\d+\]\.port\[0\], whose firmware reads no frame while `+
				`the TX FIFO of netlist\.p\[\d+\]\.port\[[01]\] is full`, fmt.Sprint(report.Violations[0].Waits))
		}
	}
	for _, depth := range []int{1, 2} {
		for _, frames := range []int{1, 2, 4} {
			for _, vcs := range []int{2, 4} {
				s := classedRequests(t, frames, 2, 2, vcs, depth, "fifo")
				report, rows := frameRows(t, s, starloom.MachineOptions{Workers: 1})
				other, otherRows := frameRows(t, s, starloom.MachineOptions{Workers: 2})
				require.Equal(t, starloom.VerdictPass, report.Verdict, report.Violations)
				require.Len(t, rows, 2*16*15)
				require.Equal(t, report, other)
				require.Equal(t, rows, otherRows)
			}
		}
	}
	sink, sunk := frameRows(t, classedRequests(t, 60, 2, 2, 4, 4, "sink"), starloom.MachineOptions{})
	fifo, rows := frameRows(t, classedRequests(t, 60, 2, 2, 4, 4, "fifo"), starloom.MachineOptions{})
	require.Equal(t, starloom.VerdictPass, fifo.Verdict)
	require.Equal(t, sunk, rows) // places never lack
	require.Equal(t, sink.Digest, fifo.Digest)
}

// TestClassesSaved: with two ports and classes a run is the same run if it is saved and restored at any tick.
func TestClassesSaved(t *testing.T) {
	s := systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 4, depth: 1, classes: 2}, streaming: {tick: 7, ports: 2, vc: tag}",
		"nic: {tx_frames: 1, rx_frames: 1}\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/request-reply}")
	require.Equal(t, starloom.VerdictPass, savedAtEveryTick(t, s).Verdict)
}

// TestPortsFaultsSaved: the same with faults of channels and of a processor, whose frames its NIC goes on to send.
func TestPortsFaultsSaved(t *testing.T) {
	s := systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 4, depth: 2, classes: 2}, streaming: {tick: 5, ports: 2}",
		`nic: {tx_frames: 3, rx_frames: 2, payload_bytes: 40}
rules: {}
stop: {slots: 40}
firmware: {image: `+systemtest.Image(t, "ports")+`, params: {classes: 2, room: 3}}
faults: {schedule: [{kind: bit_flip, probability: 0.02}, {kind: drop, probability: 0.02}, {kind: credit_loss, probability: 0.005},
  {kind: dead, targets: ["netlist.p[4]"], slots: {from: 6, to: 9}}, {kind: stuck, targets: ["netlist.p[2].port[1].in"], slots: {from: 12}}]}`)
	for _, f := range savedAtEveryTick(t, s).Faults {
		require.NotZero(t, f.Count, f.Kind)
	}
}

// portedNetwork draws a network with several ports on all or some processors, at one router or several.
func portedNetwork(r *rand.Rand, classes int) string {
	router := fmt.Sprintf("router: {vcs: %d, depth: %d, classes: %d}, streaming: {tick: %d, vc: %s, eject: %s", classes*(2+r.IntN(2)), 1+r.IntN(4), classes,
		1+r.IntN(20), []string{"turn", "tag"}[r.IntN(2)], []string{"fifo", "sink"}[r.IntN(2)])
	ports := fmt.Sprintf("%s, ports: %d}", router, 1+r.IntN(3))
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf("mesh: {k: [%d, %d]}, %s", 2+r.IntN(2), 2+r.IntN(2), ports)
	case 1:
		return "torus: {k: [3, 3]}, " + ports
	case 2:
		return fmt.Sprintf("ring: {n: %d}, %s", 3+r.IntN(4), ports)
	case 3:
		return fmt.Sprintf("fly: {k: [%d]}, %s", 2+r.IntN(5), ports)
	}
	return `nodes: {"r[0..3]": {kind: router}, "p[0..3]": {kind: processor, ports: [ask, answer]}, "q[0..1]": processor},
    links: [["r[0..2]", "r[1..3]"], ["p[0..3]:ask", "r[0..3]"], ["p[0..2]:answer", "r[1..3]"], ["p[3]:answer", "r[0]"], ["q[0..1]", "r[1..2]"]], ` + router + "}"
}

// TestPortsAtRandom checks in random networks that each frame arrives by the port that its sender's port or its tag
// selects, as seen by firmware, and that no frame of a class, destination and port is missing, for any number of
// workers.
func TestPortsAtRandom(t *testing.T) {
	image := systemtest.Image(t, "ports")
	delivered := uint64(0)
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 6))
		classes, room := 1+r.IntN(3), 1+r.IntN(3)
		s := systemtest.RoutedScenario(t, portedNetwork(r, classes),
			fmt.Sprintf("nic: {payload_bytes: 40, tx_frames: %d, rx_frames: %d}\nrules: {}\nstop: {slots: 20000}\n"+
				"firmware: {image: %s, params: {classes: %d, room: %d}}", room, 1+r.IntN(4), image, classes, room))
		report, rows := frameRows(t, s, starloom.MachineOptions{Workers: 1})
		require.Equal(t, starloom.VerdictPass, report.Verdict, "seed %d: %v", seed, report.Violations)
		require.EqualValues(t, len(rows), report.Frames.Delivered+report.Frames.Overflow, seed)
		require.Zero(t, len(rows)%40, seed)
		other, otherRows := frameRows(t, s, starloom.MachineOptions{Workers: 2, BankSize: 1 + r.IntN(5)})
		require.Equal(t, report, other, seed)
		require.Equal(t, rows, otherRows, seed)
		delivered += report.Frames.Delivered
	}
	require.Greater(t, delivered, uint64(4000))
}

// TestPortsWatched: a capture has an interface for each port, and waveforms have its registers; both change nothing.
func TestPortsWatched(t *testing.T) {
	s := classedRequests(t, 2, 2, 2, 2, 2, "fifo")
	plain, _ := frameRows(t, s, starloom.MachineOptions{})
	s.Traces.PCAPNG = &starloom.PCAPNGTrace{Interfaces: "port"}
	var wave, capture bytes.Buffer
	report, err := starloom.Run(t.Context(), s,
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(&wave), PCAPNG: starloom.Writer(&capture)}})
	require.NoError(t, err)
	require.Equal(t, plain.Digest, report.Digest)
	require.Contains(t, wave.String(), "rx_status")
	ports := map[string]int{}
	for path, packets := range systemtest.PacketsOf(t, capture.Bytes()) {
		for _, p := range packets {
			require.Equal(t, fmt.Sprintf("port[%d]", p.Port), path[strings.LastIndex(path, ".")+1:])
			ports[path]++
		}
	}
	require.Len(t, ports, 2*16)
	require.Equal(t, 2*15, ports["netlist.p[3].port[0]"]) // requests, sent and heard
	require.Equal(t, 2*15, ports["netlist.p[3].port[1]"]) // replies
	drops := systemtest.RoutedScenario(t, "mesh: {k: [4, 4]}, router: {classes: 2}, streaming: {ports: 2}",
		"workload: {all_to_all: {}}\nfirmware: {program: netlist/request-reply}\n"+
			"stop: {slots: 100}\nfaults: {schedule: [{kind: drop, targets: [\"netlist.p[3].port[1].out\"], slots: {from: 0}}]}")
	report, err = starloom.Run(t.Context(), drops, starloom.RunOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 15, report.Frames.Faulted) // the replies of one processor
	require.Equal(t, starloom.VerdictFail, report.Verdict)
}

// TestClassesRefused: what does not go with classes and ports is refused, and the remedy helps.
func TestClassesRefused(t *testing.T) {
	const drawn = `nodes: {"r[0..1]": {kind: router}, "p[0..1]": processor}, links: [["r[0]", "r[1]"], ["p[0..1]", "r[0..1]"]]`
	for _, c := range []struct{ netlist, rest, want string }{
		{"mesh: {k: [2, 2]}, router: {vcs: 3, classes: 2}", "", "router: 3 vcs cannot be divided among 2 classes; write vcs: 4, or classes: 1"},
		{"torus: {k: [3]}, router: {vcs: 2, classes: 2}, routes: dateline", "", "two classes of virtual channels, but there is only one channel; write vcs: 4 or more"},
		{drawn + ", router: {}, streaming: {ports: 2}", "", "delete ports, and link each port of a processor"},
		{"mesh: {k: [2, 2]}, router: {classes: 2}", "workload: {traffic: {rate: 0.1}}", "without firmware packets have no classes"},
		{"mesh: {k: [2, 2]}, router: {}, streaming: {ports: 2}", "workload: {traffic: {rate: 0.1}}", "a source and sink with one port"},
		{"mesh: {k: [2, 2]}, router: {}, streaming: {ports: 40}",
			"nic: {tx_frames: 8}\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}", "choose 6 or less"},
	} {
		s, err := starloom.ParseScenario("routed.yaml", []byte("starloom: 1\nfabric: {netlist: {"+c.netlist+"}}\n"+c.rest+"\n"))
		if err == nil {
			_, err = starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		}
		require.ErrorContains(t, err, c.want)
	}
}

// TestPortThatThereIsNot: a frame to a port beyond the last one is an illegal send, which names it.
func TestPortThatThereIsNot(t *testing.T) {
	s := systemtest.RoutedScenario(t, "mesh: {k: [2, 2]}, router: {}, streaming: {ports: 2}",
		"rules: {}\nstop: {slots: 20}\nfirmware: {image: "+systemtest.Image(t, "port_beyond")+"}")
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.True(t, strings.Contains(report.Violations[0].Message, "sends to port 2; the NIC has 2 ports, counted from 0"), report.Violations)
}

// TestClassesInOrder: frames of two classes overtake one another, those of one class that has one VC do not, and the
// rule in_order is refused there. With two VCs for each class it is broken.
func TestClassesInOrder(t *testing.T) {
	image := systemtest.Image(t, "ports")
	run := func(vcs int) (*starloom.Report, [][]string) {
		rules := "rules: {in_order: true}\n"
		if vcs == 2 { // one of each class, where the rule is refused
			rules = ""
		}
		return frameRows(t, systemtest.RoutedScenario(t, fmt.Sprintf("mesh: {k: [4, 4]}, router: {vcs: %d, depth: 4, classes: 2}", vcs),
			"nic: {payload_bytes: 40, tx_frames: 16, rx_frames: 16}\n"+rules+"stop: {slots: 20000}\nfirmware: {image: "+image+", params: {frames: 60, classes: 2, room: 16}}"), starloom.MachineOptions{})
	}
	report, rows := run(2)
	require.Equal(t, starloom.VerdictPass, report.Verdict, report.Violations)
	count, _, _ := overtaken(t, rows)
	require.NotZero(t, count)
	report, _ = run(4)
	require.Equal(t, fabric.RuleInOrder, report.Violations[0].Rule)
}

// TestVCByTag: with vc: tag frames of one tag leave in one VC, and wait for that while others are free; with one VC it
// says nothing.
func TestVCByTag(t *testing.T) {
	image := systemtest.Image(t, "burst") // all its tags are 0
	run := func(vcs int, vc string) (sent []string) {
		_, rows := frameRows(t, systemtest.RoutedScenario(t, fmt.Sprintf("fly: {k: [5]}, router: {vcs: %d, depth: 2}, streaming: {eject: sink, vc: %s}", vcs, vc),
			"nic: {payload_bytes: 40, tx_frames: 255, rx_frames: 255}\nrules: {}\nstop: {slots: 100000}\nfirmware: {image: "+image+"}"), starloom.MachineOptions{})
		for _, row := range rows {
			sent = append(sent, row[5])
		}
		return sent
	}
	require.NotEqual(t, run(3, "turn"), run(3, "tag"))
	require.Equal(t, run(1, "turn"), run(1, "tag"))
}
