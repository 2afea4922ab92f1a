package outputs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/fabric/studies"
	"starloom/internal/systemtest"
)

// passReport and failReport are made up: these tests are about the forms.
func passReport() *starloom.Report {
	r := &starloom.Report{
		Schema: starloom.ReportSchema, Scenario: "pops-16x16", Seed: 1, Engine: "slot", Verdict: starloom.VerdictPass,
		Rules: []string{"collision_free", "exactly_once"}, Cycles: 150, Slots: 25,
		Frames:   starloom.Frames{Sent: 1751, Delivered: 1362, Collided: 389},
		Firmware: starloom.FirmwareReport{Image: "pops/random", SHA256: strings.Repeat("0123456789abcdef", 4)},
		Digest:   "00112233445566778899aabbccddeeff",
		Beside: outcome.Beside{Files: []starloom.OutputFile{
			{Kind: "vcd", Path: "out.vcd"},
			{Kind: "gtkw", Path: "out.gtkw"},
			{Kind: "pcapng", Path: "my runs/it's.pcapng"},
			{Kind: "lua", Path: "my runs/it's.lua"},
			{Kind: "json", Path: "out.json"},
			{Kind: "log", Path: "-"}, // not a file to open: not listed
		}},
	}
	r.Metrics.Add("steps", 5)
	r.Metrics.Add("delivered", 256)
	r.Metrics.Add("efficiency", 1.0/3)
	r.Metrics.Add("known", []int{1, 2, 4})
	r.Metrics.Add("wrong_voters", []int{})
	r.Metrics.Add("results", [][3]uint64{{0, 7, 1 << 63}, {12, 0, 2}})
	return r
}

func failReport() *starloom.Report {
	r := passReport()
	r.Scenario = "a<b>&\"c\"\x1b[31m"
	r.Verdict, r.Files = starloom.VerdictFail, []starloom.OutputFile{{Kind: "vcd", Path: "out.vcd", Note: "shows nothing: the trigger never came"}}
	r.Notes = []string{"pops/random is right for d = g"}
	r.Firmware.Traps = 2
	for i := range uint64(starloom.ViolationsMax) {
		r.Violations = append(r.Violations, starloom.Violation{
			Rule: "collision_free", Cycle: 6 * i, Slot: i, Path: fmt.Sprintf("pops.group[%d].coupler[1]", i),
			Message: "2 frames on one coupler",
		})
	}
	r.Violations = append(r.Violations, starloom.Violation{Rule: "firmware_trap", Cycle: 894, Slot: 149, Path: "pops.group[1].nic[0]",
		Message:   "trapped in <on_slot>",
		Backtrace: []starloom.FirmwareFrame{{Function: "<on_slot>", Source: "a&b.c:7:3"}, {Function: "starloom_slot"}}})
	r.Violations = append(r.Violations, starloom.Violation{Rule: "interrupted", Cycle: 900, Slot: 150, Message: "stopped <here>"})
	r.ViolationsTotal = 4711
	return r
}

func TestReportForms(t *testing.T) {
	for name, r := range map[string]*starloom.Report{"pass": passReport(), "fail": failReport()} {
		for form, write := range map[string]func(*bytes.Buffer) error{
			"txt":  func(b *bytes.Buffer) error { return r.WriteText(b) },
			"json": func(b *bytes.Buffer) error { return r.WriteJSON(b) },
			"xml":  func(b *bytes.Buffer) error { return r.WriteJUnit(b) },
		} {
			var b, again bytes.Buffer
			require.NoError(t, write(&b))
			require.NoError(t, write(&again))
			require.Equal(t, b.String(), again.String(), "the same report, the same bytes")
			systemtest.Golden(t, "testdata/report/"+name+"."+form, b.String())
			if form == "txt" {
				assert.NotContains(t, b.String(), "\x1b", "nothing that moves a terminal's cursor")
			}
		}
	}
}

// Scripts read these keys: a change of the list is a new ReportSchema.
// TestLimitIsNamed: a run that its limit has ended before it was finished says so, and nothing else does.
func TestLimitIsNamed(t *testing.T) {
	const named = "the run ended at its limit of %s; stop.slots or --slots sets it"
	for fabric, c := range map[string]struct {
		slots uint32 // 0: as many as the run takes
		want  string
	}{
		"pops: {groups: 3, group_size: 3}}\nfirmware: {program: pops/random}":                                                            {7, "7 slots"},
		"pops: {groups: 3, group_size: 2}}\nfirmware: {program: pops/random}":                                                            {1, "1 slot"},
		"pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}":                                                            {0, ""},
		"crossbar: {ports: 6}}\nfirmware: {program: scatter/async}\nworkload: {scatter: {origin: 2}}":                                    {1, "1 slot"},
		"bus: {vertices: 9, length: 3}}\nfirmware: {program: bus/two-phase}":                                                             {0, ""},
		"bus: {vertices: 3, buses: [[1, 2, 0]], arbiter: fixed}}\nfirmware: {program: bus/sensors, params: {period: 1, readings: 1000}}": {50, "50 slots"},
	} {
		s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {"+fabric+"\n"))
		require.NoError(t, err)
		s.Stop.Slots = cmp.Or(c.slots, s.Stop.Slots)
		r, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, c.want == "", r.Verdict == starloom.VerdictPass, fabric)
		var text bytes.Buffer
		require.NoError(t, r.WriteText(&text))
		if c.want == "" {
			require.NotContains(t, text.String(), "limit")
			continue
		}
		require.Contains(t, text.String(), "\n  note: "+fmt.Sprintf(named, c.want)+"\n")
		require.Contains(t, r.Notes, fmt.Sprintf(named, c.want))
	}
}

func TestReportKeys(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, (&starloom.Report{}).WriteJSON(&b))
	var keys map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(b.Bytes(), &keys))
	for _, key := range []string{
		"schema", "scenario", "seed", "engine", "verdict", "violations", "violations_total",
		"cycles", "slots", "frames", "metrics", "firmware", "digest", "rules",
	} {
		assert.Contains(t, keys, key)
	}
	assert.Len(t, keys, 14)
	assert.JSONEq(t, `[]`, string(keys["violations"]), "a list, never null")
	assert.JSONEq(t, `{}`, string(keys["metrics"]))
}

func TestMetricsKeepTheirOrder(t *testing.T) {
	var m starloom.Metrics
	m.Add("zulu", 1)
	m.Add("alpha", 2.5)
	data, err := json.Marshal(m)
	require.NoError(t, err)
	assert.Equal(t, `{"zulu":1,"alpha":2.5}`, string(data))
	assert.Equal(t, 2.5, m.Get("alpha"))
	assert.Nil(t, m.Get("beta"))
}

// A server counts what it reads: the numbers in the attributes must fit.
func TestJUnitCounts(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, failReport().WriteJUnit(&b))
	var suites struct {
		Suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal(b.Bytes(), &suites))
	assert.Equal(t, 4, suites.Suite.Tests)
	assert.Len(t, suites.Suite.Cases, 4)
	assert.Equal(t, 3, suites.Suite.Failures)
	assert.Equal(t, "interrupted", suites.Suite.Cases[3].Name, "a rule that is broken is a case, listed or not")
	assert.Nil(t, suites.Suite.Cases[1].Failure)
}

func TestStudyReportForms(t *testing.T) {
	sd, se := 1.7518, 0.0123871
	r := &starloom.StudyReport{Study: "pops", Verdict: starloom.VerdictFail, Rows: []studies.StudyRow{
		{Case: "d=g", Quantity: "n=4 mean iterations", Published: studies.Printed(3.15), Measured: 3.01872345, SD: &sd, SE: &se,
			Runs: 20000, Tolerance: 0.7, OK: true},
		{Case: "d=g", Quantity: "n=1048576 slots", Reference: studies.Printed(38.25), Measured: 50, Tolerance: 1, Note: "other sample"},
		studies.Referred("claims", "steps", 2, 2, 1, 0, "two messages between two processors take 2 steps").
			Contradicting(studies.Printed(3), studies.Quotation{Words: "lambda = 3N", Place: "Proposition 18"}),
	}}
	var text, data bytes.Buffer
	require.NoError(t, r.WriteText(&text))
	require.NoError(t, r.WriteJSON(&data))
	systemtest.Golden(t, "testdata/report/study.txt", text.String())
	systemtest.Golden(t, "testdata/report/study.json", data.String())
	data.Reset()
	require.NoError(t, r.WriteCSV(&data))
	systemtest.Golden(t, "testdata/report/study.csv", data.String())
	data.Reset()
	require.NoError(t, (&starloom.StudyReport{}).WriteJSON(&data))
	assert.Contains(t, data.String(), `"rows": []`)
}

// TestNothingOpensAPipe checks that outputs to pipes and devices are listed, and that no command opens them again.
func TestNothingOpensAPipe(t *testing.T) {
	s := systemtest.ImageScenario(t, "collides")
	folder := t.TempDir()
	fifo := filepath.Join(folder, "pipe")
	require.NoError(t, exec.Command("mkfifo", fifo).Run())
	reader := exec.Command("cat", fifo)
	require.NoError(t, reader.Start())
	report, err := starloom.Run(t.Context(), s,
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(fifo), PCAPNG: starloom.File(os.DevNull)},
			Reports: starloom.ReportFiles{CSV: starloom.File(filepath.Join(folder, "run.csv"))}})
	require.NoError(t, err)
	require.NoError(t, reader.Wait())
	var b bytes.Buffer
	require.NoError(t, report.WriteText(&b))
	text := b.String()
	require.Contains(t, text, "\nvcd     "+fifo+"\npcapng  /dev/null\n")
	require.NotContains(t, text, "open: ")
	report.Files = report.Files[2:]
	require.Len(t, report.Files, 1)
	require.False(t, report.Files[0].Stream)
}
