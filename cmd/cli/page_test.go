package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func copied(t *testing.T, example string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../examples", example))
	require.NoError(t, err)
	return folder(t, map[string]string{example: string(data)})
}

// figures matches pictures of package figure, which have their own tests.
var figures = regexp.MustCompile(`(?s)<svg[^>]*class="figure".*?</svg>`)

// unmarked returns a page with plain characters and commands.
func unmarked(html string) string {
	return strings.NewReplacer("&#43;", "+", "&#39;", "'", "&#34;", `"`, "<span>", "", "</span>", "", "<code>", "", "</code>", "").Replace(html)
}

func goldenPage(t *testing.T, name, text string) {
	t.Helper()
	text = figures.ReplaceAllString(text, "<svg/>")
	path := filepath.Join("testdata/page", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, string(want) == text, "%s differs: look at the page, then run with -update", path)
}

// TestPageOfARunThatFails checks that the page of a failed run states what failed, where, and the command that
// repeats it, and does not depend on the way of execution.
func TestPageOfARunThatFails(t *testing.T) {
	dir := copied(t, "ej-faults.yaml")
	r := starloomIn(t, dir, "run", "ej-faults.yaml", "--html", "run.html")
	require.Equal(t, statusFail, r.status, r.stderr)
	require.Contains(t, r.stdout, "html  run.html")
	data, err := os.ReadFile(filepath.Join(dir, "run.html"))
	require.NoError(t, err)
	goldenPage(t, "ej-faults.html", string(data))
	for _, part := range []string{
		">exactly_once</a>: processor 1 never received the message of processor 0: it comes straight from 0, and in slot 0 a fault flipped its bit 104, of the tag: its CRC was wrong, so it was dropped. Its cause is the fault bit_flip",
		"exactly_once: first noticed at the end of the run, after slot 2, cycle 14, ej.node[1].nic[0]. In the same cycle also at ej.node[2].nic[0], ej.node[3].nic[0], ",
		"remove them from the scenario:\n<pre tabindex=\"0\">starloom run ej-faults.yaml --set 'faults={}'</pre>\n<p " +
			"class=\"aside\">Expect PASS after 3 slots; this page has tried it.</p>",
		"1 of 222 links, from slot 0 to 3 (the run ended with slot 2): ej.node[0].dim[1].link[+1].out", "kept by those that received it; 12 processors did not: exactly_once",
		"kept by all but 1 processor that a fault has killed, left out", "heard: crc (fault bit_flip: bit 104, of the tag)",
		`The fault bit_flip struck first in slot 0, which begins with <a href="#fault-1" data-to="The fault bit_flip at cycle 0">cycle 0</a>, ej.node[0].dim[1].link[+1].out.fibre (signals show it from cycle 2 on).`, "starloom run ej-faults.yaml --vcd run.vcd",
		"heard: crc", "tshark -t e -X lua_script:run.lua -r run.pcapng",
	} {
		require.Contains(t, unmarked(string(data)), part)
	}
	for _, way := range [][]string{{"--engine", "cycle"}, {"--workers", "2", "--bank", "8"}, {"--runtime", "interpreter"}, {"--mode", "banked", "--set", "name=ej-faults"}} {
		r := starloomIn(t, dir, append([]string{"run", "ej-faults.yaml", "--html", "-"}, way...)...)
		require.Equal(t, statusFail, r.status, r.stderr)
		want := string(data)
		if way[0] == "--mode" {
			want = strings.ReplaceAll(want, "<span>ej-faults.yaml</span>", "<span>ej-faults.yaml</span> <span>--set</span> <span>name=ej-faults</span> <span>--mode</span> <span>banked</span>")
			want = strings.ReplaceAll(want, "starloom run ej-faults.yaml", "starloom run ej-faults.yaml --set name=ej-faults --mode banked")
		}
		require.True(t, want == r.stdout, "%v: another page", way)
		require.Contains(t, r.stderr, "FAIL  ej-faults", "the report for people")
	}
	r = starloomIn(t, dir, "run", "ej-faults.yaml", "--html", "-", "--vcd", "w.vcd", "--pcapng", "c.pcapng")
	require.Contains(t, unmarked(r.stdout), "gtkwave w.gtkw")
	require.Contains(t, unmarked(r.stdout), "tshark -t e -X lua_script:c.lua -r c.pcapng")
	require.NotContains(t, r.stdout, "Write waveform and packet capture")

	// No partial output remains.
	r = starloomIn(t, dir, "run", "ej-faults.yaml", "--html", "no/such/folder.html", "--json", "r.json")
	require.Equal(t, statusInput, r.status)
	require.NoFileExists(t, filepath.Join(dir, "r.json"))
}

// TestPageShowsTheWaveform checks that the signals drawn on the page are those of a VCD.
func TestPageShowsTheWaveform(t *testing.T) {
	dir := copied(t, "pops-64x16-published.yaml")
	r := starloomIn(t, dir, "run", "pops-64x16-published.yaml", "--html", "run.html", "--vcd", "run.vcd", "--set", `traces.vcd.signals=["pops.group[2].coupler[5].violation"]`)
	require.Equal(t, statusFail, r.status, r.stderr)
	data, err := os.ReadFile(filepath.Join(dir, "run.html"))
	require.NoError(t, err)
	html := string(data)
	require.Regexp(t, `<p class="cause">[^<]*; sent by processors 132 and 140`, html)
	require.Contains(t, html, "Sent there in this slot: processor 132 at pops.group[2].nic[4].port[5], processor 140 at pops.group[2].nic[12].port[5].")
	require.Contains(t, html, "pops.group[2].coupler[5].violation is 1", "in the marked cycle, 24")
	wave, err := os.ReadFile(filepath.Join(dir, "run.vcd"))
	require.NoError(t, err)
	require.Contains(t, string(wave), "\n#24\n1!\n", "where the waveform has it")
	require.Contains(t, html, "The way of the packet of 499 for 370 (f301000072010000) through the run.", "from processor 499, by 263 and 132")
}

// TestPageOfManyRuns checks that pages of many runs have intervals, histograms and the command for one of them.
func TestPageOfManyRuns(t *testing.T) {
	dir := copied(t, "pops-4x4-faults.yaml")
	args := []string{"run", "pops-4x4-faults.yaml", "--seeds", "1..40", "--set", "stop.slots=20", "--html", "-"}
	r := starloomIn(t, dir, args...)
	require.Equal(t, statusFail, r.status, r.stderr)
	for _, part := range []string{"of 40 runs failed", "starloom run pops-4x4-faults.yaml --set stop.slots=20 --seed 3 --html run.html", "In the run of seed 3: The fault drop took frame 6 of processor 2 for anybody in slot 15, at pops.group[0].coupler[1]: processor 2 was not done when the run ended, after slot 19; without it this does not happen.", "The interval is the 95% interval of the mean",
		"Survival of pops-4x4-faults", "distribution of its values over 40 runs"} {
		require.Contains(t, unmarked(r.stdout), part)
	}
	again := starloomIn(t, dir, append(args, "--workers", "1", "--engine", "cycle")...)
	require.True(t, r.stdout == again.stdout)
}

// TestPageNamesTheStruckFrame checks that the cause of a rule that breaks later names the frame that a fault struck, or
// the place of a fault that strikes no frame.
func TestPageNamesTheStruckFrame(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples")))
	for _, c := range []struct {
		cause string
		args  []string
	}{
		{"The fault drop took frame 2 of processor 9 for processor 0 in slot 1, at torus.link[54].back: processor 0 was not done when the run ended, after slot 4375 (20 of 27 processors); without it this does not happen.",
			[]string{"run", "netlist-torus.yaml", "--set", "faults={schedule: [{kind: drop, targets: ['torus.**'], slots: {list: [1]}}]}"}},
		{"The fault stuck took frame 4 of processor 1 for processor 0 in slot 12, at bus.bus[0]; without it this does not happen.", []string{"run", "bus-faults.yaml"}},
		{"The fault clock_pause first struck bus.nic[3] in slot 20: processor 3 was not done when the run ended, after slot 199; without it this does not happen.",
			[]string{"run", "bus-faults.yaml", "--set", "rules={no_loss: false}"}},
	} {
		html := writtenPage(t, dir, statusFail, c.args...)
		require.Contains(t, html, `<p class="cause">`+c.cause)
		require.Contains(t, html, `<p class="next"><strong>Next:</strong> If the faults are not intended, remove them from the scenario: starloom run `)
	}
}

func writtenPage(t *testing.T, dir string, status int, args ...string) string {
	t.Helper()
	r := starloomIn(t, dir, append(args, "--html", "page.html")...)
	require.Equal(t, status, r.status, "%v: %s%s", args, r.stdout, r.stderr)
	data, err := os.ReadFile(filepath.Join(dir, "page.html"))
	require.NoError(t, err)
	return unmarked(string(data))
}

// TestPageOfAStudy checks that a study's page has deviations, plots and all figures, the same with one worker and
// with all.
func TestPageOfAStudy(t *testing.T) {
	dir := t.TempDir()
	args := []string{"study", "gossip", "--case", "claims"}
	html := writtenPage(t, dir, statusPass, args...)
	for _, part := range []string{"starloom study gossip --case claims", "Figures that contradict the publication", "steps, pipelined, N = 1"} {
		require.Contains(t, html, part)
	}
	require.Equal(t, html, writtenPage(t, dir, statusPass, append(args, "--workers", "1")...))
	require.Contains(t, writtenPage(t, dir, statusPass, "study", "bus", "--case", "table 1*"), "<svg", "its plots")
}

// TestPageOfASweep checks that a sweep's page has results, plots and failed runs, the same if nothing is left to run.
func TestPageOfASweep(t *testing.T) {
	dir := folder(t, map[string]string{
		"base.yaml": gossipOf("pipelined"),
		"sweep.yaml": "scenario: base.yaml\nseeds: 1..2\naxes:\n  ports: {key: fabric.crossbar.ports, values: [4, 10]}\n" +
			"  deadline: {key: rules.deadline_slots, values: [5, 12, 30]}\n",
		"own.yaml": "scenario: {starloom: 1, fabric: {crossbar: {ports: 4}}, firmware: {program: gossip/fsa}, workload: {gossip: {}}}\n" +
			"axes:\n  ports: {key: fabric.crossbar.ports, values: [4, 5]}\n",
	})
	html := writtenPage(t, dir, statusPass, "sweep", "sweep.yaml", "--out", "out")
	for _, part := range []string{
		"6 points, 12 runs; 6 failed.", "starloom run base.yaml --set fabric.crossbar.ports=4 --set rules.deadline_slots=5 --seed 1 --html run.html",
		`<table class="sorts cards`, "failed over deadline", "starloom sweep sweep.yaml --out out",
	} {
		require.Contains(t, html, part)
	}
	require.Equal(t, html, writtenPage(t, dir, statusPass, "sweep", "sweep.yaml", "--out", "out", "--workers", "1"), "all is there")
	r := starloomIn(t, dir, "run", "base.yaml", "--set", "fabric.crossbar.ports=4", "--set", "rules.deadline_slots=5", "--seed", "1")
	require.Equal(t, statusFail, r.status, "the command repeats the run")

	html = writtenPage(t, dir, statusPass, "sweep", "own.yaml", "--out", "own")
	require.Contains(t, html, "No run failed.")
	require.NotContains(t, html, `class="verdict`, "a sweep that is whole passes, whatever its runs have found")
}

// TestPageOfASaturatedRun: a run that passes in a saturated network says so below its verdict; other runs do not.
func TestPageOfASaturatedRun(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": "starloom: 1\nfabric: {netlist: {mesh: {k: [4, 4]}, router: {}}}\n" +
		"workload: {traffic: {rate: 0.9, measure: 3000, overload: true}}\n"})
	const warning = `<p class="warning">Saturated: `
	require.Contains(t, writtenPage(t, dir, statusPass, "run", "s.yaml"), warning)
	require.NotContains(t, writtenPage(t, dir, statusPass, "run", "s.yaml", "--set", "workload.traffic.rate=0.1"), warning)
}

// TestPageOfAFirmwareCheck checks that pages of checks name what failed, where, and the command that reproduces it.
func TestPageOfAFirmwareCheck(t *testing.T) {
	dir := copied(t, "ej-faults.yaml")
	args := []string{"firmware", "check", "ej/improved", "ej-faults.yaml", "--fuzz", "50"}
	html := writtenPage(t, dir, statusFail, args...)
	for _, part := range []string{"The run itself fails: exactly_once", "starloom run ej-faults.yaml --firmware ej/improved --html run.html",
		"starloom firmware check ej/improved ej-faults.yaml --fuzz 50", "Ways to run the scenario, which must agree.",
		"<title>Where it fails</title>", "<title>failure: exactly_once at 3</title>"} {
		require.Contains(t, html, part)
	}
	require.Equal(t, html, writtenPage(t, dir, statusFail, args...))
}

func TestLongPageOfACosimCheck(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/rtl")))
	html := writtenPage(t, dir, statusFail, "cosim", "check", "stream_arbiter_bug.yml")
	for _, part := range []string{"grant_o (ready_o) differs in cycle", "starloom cosim check stream_arbiter_bug.yml --vcd check.vcd --save check.csv",
		"starloom cosim check stream_arbiter_bug.yml --stimulus check.csv", `class="now"`, "model.grant_o is"} {
		require.Contains(t, html, part)
	}
	scenario, err := os.ReadFile(filepath.Join(dir, "gossip-4.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bug.yaml"), []byte(strings.ReplaceAll(string(scenario), "stream_arbiter.yml", "stream_arbiter_bug.yml")), 0o644))
	html = writtenPage(t, dir, statusFail, "cosim", "check", "bug.yaml", "--vcd", "w.vcd", "--save", "inputs.csv")
	for _, part := range []string{"of 4 components differ from the model; first crossbar.output[2].arbiter", "gtkwave w.gtkw",
		"starloom cosim check stream_arbiter_bug.yml --stimulus inputs.csv"} {
		require.Contains(t, html, part)
	}
	r := starloomIn(t, dir, "cosim", "check", "stream_arbiter_bug.yml", "--stimulus", "inputs.csv")
	require.Equal(t, statusFail, r.status, "the inputs show it again")
	require.Contains(t, writtenPage(t, dir, statusPass, "cosim", "check", "stream_arbiter.yml", "--cycles", "1000"), "No difference found in 1 of 2 outputs")

	// No partial output remains: without the page, no other file appears.
	for _, subject := range []string{"stream_arbiter_bug.yml", "bug.yaml"} {
		r = starloomIn(t, dir, "cosim", "check", subject, "--vcd", "no.vcd", "--save", "no.csv", "--json", "no.json", "--html", "/dev/full")
		require.NotEqual(t, statusFail, r.status, r.stdout)
		for _, name := range []string{"no.vcd", "no.gtkw", "no.csv", "no.json"} {
			require.NoFileExists(t, filepath.Join(dir, name), subject)
		}
	}
}

// pageChecker installs html-validate, axe and puppeteer, and returns a function that checks pages with them.
func pageChecker(t *testing.T) func(pages ...string) (out string, err error) {
	t.Helper()
	for _, tool := range []string{"node", "npm", "chromium"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"check.mjs", "package.json", "package-lock.json", ".npmrc"} {
		data, err := os.ReadFile(filepath.Join("../../internal/page/testdata/htmlcheck", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-progress")
	install.Dir = dir
	if text, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, text)
	}
	chromium, err := exec.LookPath("chromium")
	require.NoError(t, err)
	return func(pages ...string) (string, error) {
		command := exec.Command("node", append([]string{"check.mjs", chromium}, pages...)...)
		command.Dir = dir
		text, err := command.CombinedOutput()
		return string(text), err
	}
}

// TestLongPagesHold checks that html-validate and axe find nothing in any kind of page, on a phone and on a screen,
// light and dark, but find mistakes in a wrong page.
func TestLongPagesHold(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "trap.c"), []byte(trapSource), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ask.yaml"), []byte(deadlock), 0o644))
	for name, text := range map[string]string{
		"drops.yaml":     "scenario: bus-reliable.yaml\naxes:\n  drop: {key: explore.faults.drop, values: [1, 2]}\n",
		"deadlines.yaml": "scenario: gossip.yaml\naxes:\n  deadline: {key: rules.deadline_slots, values: [24, 30]}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	var pages []string
	page := func(status int, args ...string) {
		t.Helper()
		path := filepath.Join(dir, strings.Repeat("p", len(pages)+1)+".html")
		r := starloomIn(t, dir, append(args, "--html", path)...)
		require.Equal(t, status, r.status, "%v: %s%s", args, r.stdout, r.stderr)
		pages = append(pages, path)
	}
	r := starloomIn(t, dir, "firmware", "build", "trap.c")
	require.Equal(t, statusPass, r.status, r.stderr)

	page(statusFail, "run", "pops-64x16-published.yaml")
	page(statusFail, "run", "gossip.yaml", "--set", "rules.deadline_slots=24")
	page(statusFail, "run", "pops-16x16.yaml", "--firmware", "trap.wasm", "--vcd", "t.vcd", "--pcapng", "t.pcapng")
	page(statusFail, "run", "ej-faults.yaml")
	page(statusFail, "run", "bus-faults.yaml")
	page(statusPass, "run", "gossip.yaml")
	page(statusFail, "run", "pops-4x4-faults.yaml", "--seeds", "1..40", "--set", "stop.slots=20")
	page(statusPass, "run", "pops-16x16.yaml", "--set", "firmware.cpu.model=rv32-inorder", "--profile", "cost.folded")
	page(statusFail, "run", "ask.yaml")
	page(statusFail, "run", "netlist-torus.yaml", "--set", "faults={schedule: [{kind: drop, targets: ['torus.**'], slots: {list: [1]}}]}")
	page(statusPass, "study", "bus")
	page(statusPass, "sweep", "sweeps/latency.yaml", "--out", "results", "--set", "fabric.crossbar.ports=8")
	page(statusFail, "firmware", "check", "trap.wasm", "pops-16x16.yaml", "--fuzz", "200")
	page(statusFail, "cosim", "check", "rtl/stream_arbiter_bug.yml")
	page(statusPass, "cosim", "prove", "rtl/stream_arbiter.yml")
	page(statusFail, "cosim", "prove", "rtl/stream_arbiter_bug.yml")
	page(statusPass, "firmware", "check", "pops/random", "pops-16x16.yaml", "--fuzz", "200")
	page(statusPass, "estimate", "pops-16x16.yaml")
	page(statusPass, "estimate", "gossip.yaml", "--seeds", "1..20")
	page(statusPass, "explore", "bus-reliable.yaml", "--set", "explore.faults.drop=1")
	page(statusFail, "explore", "gossip.yaml", "--set", "fabric.crossbar.ports=4", "--set", "explore.faults.drop=1")
	page(statusPass, "explore", "--sweep", "drops.yaml")
	page(statusPass, "sweep", "deadlines.yaml", "--out", "deadlines")

	check := pageChecker(t)
	out, err := check(pages...)
	require.NoError(t, err, out)
	t.Log(strings.TrimSpace(out))

	bad := filepath.Join(dir, "bad.html")
	require.NoError(t, os.WriteFile(bad, []byte(`<!DOCTYPE html><html><head><title></title></head><body><p style="color:#ccc">pale<img src="http://localhost/x.png"></p></body></html>`), 0o644))
	out, err = check(bad)
	require.Error(t, err)
	for _, rule := range []string{"no-inline-style", "color-contrast", "image-alt", "html-has-lang", "asks for http://localhost/x.png"} {
		require.Contains(t, out, rule)
	}
}

// trapSource divides by zero in slot 3 at processor 5.
const trapSource = `#include "starloom.h"

typedef struct {
    uint32_t count, share;
} state_t;

static uint32_t share(uint32_t of, uint32_t by) { return of / by; }

static void on_start(sl_nic *nic, state_t *s) {
    s->count = 4;
    sl_listen(nic, 0);
}

static void on_slot(sl_nic *nic, state_t *s) {
    s->count--;
    if (sl_self(nic) == 5)
        s->share = share(100, s->count);
    if (sl_slot(nic) == 8)
        sl_done(nic);
}

STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`
