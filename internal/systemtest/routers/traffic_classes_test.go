package routers

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
)

// classesOn is a scenario of traffic with classes.
func classesOn(network, classes, rest string) string {
	return fmt.Sprintf("starloom: 1\nfabric: {netlist: {%s}}\nworkload: {traffic: {warm_up: 100, measure: 400, %s}}\n%s", network, classes, rest)
}

const (
	mesh44Classes = "mesh: {k: [4, 4]}, router: {vcs: 4, priority: class, allocator: separable_input_first}"
	threeClasses  = "classes: {urgent: {rate: 0.02, priority: 1, vcs: [0, 1], deadline: 100}, bulk: {rate: 0.05, size: 5, pattern: transpose},\n" +
		"  memory: {rate: 0.02, requests: {write_fraction: 0.25, read_reply: {size: 5, vcs: [2, 3]}, write_request: {size: 4}}}}"
)

func runClasses(t *testing.T, text string, o starloom.RunOptions) (*starloom.Report, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "classes.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	s, err := starloom.LoadScenario(file)
	require.NoError(t, err)
	var packets bytes.Buffer
	o.Packets = starloom.Writer(&packets)
	report, err := starloom.Run(t.Context(), s, o)
	require.NoError(t, err)
	return report, packets.String()
}

// allRows are the packets of a file by id, with all columns.
func allRows(t *testing.T, text string) map[string][]string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	all := map[string][]string{}
	for _, row := range rows[1:] {
		all[row[0]] = row
	}
	return all
}

// TestTrafficClasses: classes have the packets, sizes and patterns that their keys state, each request has one reply
// from its destination after its arrival, any number of workers gives the same bytes, and the packets of a run, read as
// a file, give the same run.
func TestTrafficClasses(t *testing.T) {
	text := classesOn(mesh44Classes, threeClasses, "rules: {deadline_slots: 300}\n")
	report, packets := runClasses(t, text, starloom.RunOptions{})
	require.Equal(t, starloom.VerdictPass, report.Verdict, report.Violations)
	two := starloom.RunOptions{}
	two.Workers = 2
	_, again := runClasses(t, text, two)
	require.Equal(t, packets, again)

	rows, count := allRows(t, packets), map[string]int{}
	for _, row := range rows {
		var source, destination int
		_, err := fmt.Sscan(row[1]+" "+row[2], &source, &destination)
		require.NoError(t, err)
		class, kind := row[9], row[10]
		count[class+" "+kind]++
		switch kind {
		case "plain":
			require.Equal(t, map[string]string{"urgent": "1", "bulk": "5"}[class], row[3])
			if class == "bulk" {
				require.Equal(t, source%4*4+source/4, destination)
			}
		case "read_request", "write_request":
			require.Equal(t, "memory", class)
			require.Equal(t, map[string]string{"read_request": "1", "write_request": "4"}[kind], row[3])
		default:
			request := rows[row[11]]
			require.Equal(t, strings.Replace(kind, "reply", "request", 1), request[10])
			require.Equal(t, []string{request[2], request[1]}, row[1:3])
			require.Equal(t, request[6], row[4], "the reply is created when the request has arrived")
			require.Equal(t, map[string]string{"read_reply": "5", "write_reply": "1"}[kind], row[3])
		}
	}
	require.InDelta(t, 0.02*16*500, count["urgent plain"], 50)
	require.InDelta(t, 0.05*16*500, count["bulk plain"], 75)
	require.InDelta(t, 0.02*16*500*0.75, count["memory read_request"], 45)
	require.InDelta(t, 0.02*16*500*0.25, count["memory write_request"], 25)

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.csv"), []byte(packets), 0o644))
	fromFile := "file: " + filepath.Join(dir, "p.csv") + ", classes: {urgent: {priority: 1, vcs: [0, 1]}, bulk: {}, memory: {requests: {read_reply: {vcs: [2, 3]}}}}"
	_, sent := runClasses(t, classesOn(mesh44Classes, fromFile, ""), starloom.RunOptions{})
	require.Equal(t, rows, allRows(t, sent))
}

// TestClassAlone: one class without keys of its own has the packets of traffic without classes.
func TestClassAlone(t *testing.T) {
	const network = "mesh: {k: [4, 4]}, router: {}"
	plain, want := runClasses(t, classesOn(network, "rate: 0.1, size: 3", ""), starloom.RunOptions{})
	one, packets := runClasses(t, classesOn(network, "rate: 0.1, size: 3, classes: {all: {}}", ""), starloom.RunOptions{})
	require.Equal(t, rowsByID(t, want), rowsByID(t, packets))
	require.Equal(t, plain.Metrics.Get("latency.mean"), one.Metrics.Get("class.all.latency.mean"))
	require.Equal(t, plain.Digest, one.Digest)
}

// TestClassDeadline: a class with a deadline of its own breaks it, and only its packets.
func TestClassDeadline(t *testing.T) {
	report, packets := runClasses(t, classesOn(mesh44Classes, strings.Replace(threeClasses, "deadline: 100", "deadline: 12", 1),
		"rules: {deadline_slots: 300}\n"), starloom.RunOptions{})
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	rows := allRows(t, packets)
	for _, v := range report.Violations {
		var id int
		_, err := fmt.Sscanf(v.Message[strings.Index(v.Message, "packet "):], "packet %d", &id)
		require.NoError(t, err)
		require.Equal(t, "urgent", rows[fmt.Sprint(id)][9], v.Message)
	}
}

// TestTrafficClassesRefused: keys that contradict each other are refused at their place.
func TestTrafficClassesRefused(t *testing.T) {
	file := func(rows string) string {
		path := filepath.Join(t.TempDir(), "p.csv")
		require.NoError(t, os.WriteFile(path, []byte("id,source,destination,size,created,class,type,request\n"+rows), 0o644))
		return "file: " + path + ", classes: {a: {requests: {}}}"
	}
	const torus = "torus: {k: [4, 4]}, router: {vcs: 6}"
	for _, r := range []struct{ network, classes, rest, says string }{
		{mesh44Classes, "classes: {a: {priority: 1}}", "", "there is no rate"},
		{mesh44Classes, "classes: {a: {rate: 1.5}}", "", "rate is 1.5"},
		{mesh44Classes, "classes: {a: {rate: 1e-12}}", "", ":3:70: rate is 1e-12"},
		{mesh44Classes, "rate: 0.1, classes: {a: {pattern: spiral}}", "", ":3:84: pattern is \"spiral\""},
		{mesh44Classes, "rate: 0.1, classes: {a: {vcs: [2, 4]}}", "", "the virtual channels are 2 to 4, but routers have 4"},
		{mesh44Classes, "rate: 0.1, classes: {a: {vcs: [1]}}", "", "vcs"},
		{mesh44Classes, "rate: 0.1, classes: {a: {size: 2, requests: {}}}", "", "requests and replies have sizes of their own"},
		{mesh44Classes, "rate: 0.1, classes: {a: {deadline: 9}}", "", "add rules: {deadline_slots: N}"},
		{mesh44Classes, "rate: 0.1, classes: {a: {requests: {}}}", "faults: {random: {kind: drop, rate: 0.1}}\n", "packets get no replies"},
		{mesh44Classes, "rate: 0.1, classes: {a: {colour: red}}", "", `unknown key "colour" in workload.traffic.classes.a`},
		{mesh44Classes, "rate: 0.1, classes: {\"a,b\": {}}", "", `the name of a class is "a,b"; write up to 63 letters, digits, _ and -`},
		{mesh44Classes, strings.Replace(file("1,0,1,1,0,a,0,\n2,1,0,1,3,a,1,1\n"), "{requests: {}}", "{}", 1), "faults: {random: {kind: drop, rate: 0.1}}\n", "packets get no replies"},
		{mesh44Classes, "rate: 0.1, classes: [a]", "", "an object: {name: {...}}"},
		{torus, "rate: 0.1, classes: {a: {vcs: [2, 2]}}", "", "routes on a torus need two"},
		{torus, "rate: 0.1, classes: {a: {vcs: [0, 2]}, b: {vcs: [2, 4]}}", "", "the virtual channels 2 to 4 overlap 0 to 2 in part"},
		{torus, "rate: 0.1, classes: {a: {vcs: [0, 2]}, b: {}}", "", "overlap"},
		{mesh44Classes, file("1,0,1,1,0,b,plain,\n"), "", `p.csv:2:1: the class is "b"`},
		{mesh44Classes, file("1,0,1,1,0,a,fast,\n"), "", "p.csv:2:1: the type is unknown"},
		{mesh44Classes, file("1,0,1,1,0,a,0,\n2,0,1,1,3,a,1,1\n"), "", "p.csv:3:1: packet 2 is no reply to a packet"},
		{mesh44Classes, file("1,0,1,1,0,a,0,\n2,1,0,1,3,a,1,7\n"), "", "packet 2 is no reply to a packet"},
		{mesh44Classes, file("1,0,1,1,0,a,0,\n2,1,0,1,3,a,1,1\n3,1,0,1,4,a,1,1\n"), "", "packet 3 is no reply to a packet"},
	} {
		_, err := parsedAndRun(filepath.Join(t.TempDir(), "refused.yaml"), classesOn(r.network, r.classes, r.rest))
		require.ErrorContains(t, err, r.says, r.classes)
	}
	_, err := parsedAndRun(filepath.Join(t.TempDir(), "bus.yaml"), "starloom: 1\nfabric: {crossbar: {ports: 4}}\nfirmware: {program: crossbar/traffic}\n"+
		"workload: {traffic: {rate: 0.1, classes: {a: {}}}}\n")
	require.ErrorContains(t, err, "classes are for packets of routers without firmware")
	_, err = parsedAndRun(filepath.Join(t.TempDir(), "torus.yaml"), classesOn(torus, "rate: 0.1, classes: {a: {vcs: [0, 2]}, b: {vcs: [3, 5]}}", ""))
	require.NoError(t, err)
}
