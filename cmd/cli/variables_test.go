package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// counterFirmware counts in a state with an enumeration, a bit-field and a queue; each processor sends its packet.
const counterFirmware = `#include "starloom.h"
#include "starloom_pops.h"
typedef enum { IDLE, SENT } phase_t;
typedef struct { phase_t phase; uint32_t turns : 3, waits : 5; struct { uint32_t origin; } queue[2]; const void *last; uint64_t none[]; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)s; sl_listen(nic, 0); }
static void on_slot(sl_nic *nic, state_t *s) {
    const sl_frame *frame = sl_receive(nic);
    sl_listen(nic, sl_slot(nic) % sl_groups(nic));
    s->turns++;
    if (frame) s->queue[1].origin += frame->source + 1, s->last = frame;
    if (sl_slot(nic) == sl_self(nic)) {
        sl_packet packet = {sl_self(nic), sl_workload(nic)};
        sl_send_packet(nic, sl_workload(nic) / sl_group_size(nic), sl_workload(nic), packet);
        s->phase = SENT;
    }
    if (sl_slot(nic) == 9) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

const counterScenario = "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {image: counter.wasm}\n"

func counterFolder(t *testing.T) string {
	dir := folder(t, map[string]string{"counter.c": counterFirmware, "s.yaml": counterScenario})
	built := starloomIn(t, dir, "firmware", "build", "counter.c")
	require.Equal(t, statusPass, built.status, built.stderr)
	return dir
}

// TestVariables shows the members of a state in a replay, on a page and in a waveform. They change nothing.
func TestVariables(t *testing.T) {
	dir := counterFolder(t)
	run := func(args ...string) string {
		r := starloomIn(t, dir, append([]string{"run", "s.yaml"}, args...)...)
		require.Equal(t, statusPass, r.status, r.stderr)
		return r.stdout
	}
	digest := regexp.MustCompile(`(?m)^digest .*$`)
	plain := run("--replay", "2")
	told := run("--replay", "2", "--vars", "--html", "page.html", "--vcd", "w.vcd", "--probe", "state.phase",
		"--probe", "pops.group[0].nic[1].state.queue")
	require.Equal(t, digest.FindString(plain), digest.FindString(told))
	require.Contains(t, told, "variables of state_t, 24 bytes, as each call leaves them; not there: none (it has no elements)\n")
	require.NotContains(t, told, "\nstart state: ")
	require.Contains(t, told, "\nslot 0 state: turns 0 -> 1\n")
	require.Contains(t, told, "\nslot 2 state: phase IDLE -> SENT, turns 2 -> 3")
	require.Contains(t, told, "\nslot 8 state: turns 0 -> 1", "three bits")
	require.Contains(t, told, "\nvariable phase: SENT since slot 2, before that IDLE; 1 change; phase_t\nvariable turns: 2 since slot 9, before that 1; "+
		"10 changes; uint32_t:3\nvariable queue[1].origin: ")
	require.Contains(t, told, "; pointer\nvariable waits: 0; no change; uint32_t:5\nvariable queue[0].origin: 0; no change; uint32_t\n")
	require.Regexp(t, `queue\[1\]\.origin 0 -> \d+, last 0x0 -> 0x[0-9a-f]+`, told)
	without := regexp.MustCompile(`(?m)^(.* state|variables of state_t|variable .*)[:,].*\n`).ReplaceAllString(told, "")
	require.True(t, strings.HasPrefix(without, plain[:strings.Index(plain, "equal to")]), "all else is as without --vars")

	page, err := os.ReadFile(filepath.Join(dir, "page.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), ">Variables</h2>")
	require.Regexp(t, `>slot 2</th>.*>\*SENT</td>`, string(page))
	require.Regexp(t, `<code><span>turns</span></code></th>\s*<td[^>]*><code><span>uint32_t:3</span></code></td>\s*<td[^>]*>2</td>\s*<td[^>]*>slot 9</td>\s*<td[^>]*>1</td>\s*<td[^>]*>10</td>`, string(page))

	wave, err := os.ReadFile(filepath.Join(dir, "w.vcd"))
	require.NoError(t, err)
	require.Equal(t, 4, strings.Count(string(wave), " phase $end"), "of every processor")
	require.Equal(t, 2, strings.Count(string(wave), " origin [31:0] $end"), "of one processor")
	require.Contains(t, string(wave), "sSENT ")
}

// TestVariablesOfAll shows the same variables in all modes of execution, and after a restored state.
func TestVariablesOfAll(t *testing.T) {
	dir := counterFolder(t)
	vars := func(args ...string) string {
		r := starloomIn(t, dir, append([]string{"run", "s.yaml", "--replay", "2", "--vars"}, args...)...)
		require.Equal(t, statusPass, r.status, r.stderr)
		address := regexp.MustCompile(`last 0x[0-9a-f]+ -> 0x[0-9a-f]+`).ReplaceAllString(r.stdout, "last")
		return strings.Join(regexp.MustCompile(`(?m)^.* state: .*$`).FindAllString(address, -1), "\n")
	}
	want := vars()
	require.Equal(t, 10, strings.Count(want, "state: "))
	for _, options := range []string{"--mode isolated", "--engine cycle", "--runtime interpreter", "--bank 1"} {
		require.Equal(t, want, vars(strings.Fields(options)...), options)
	}
	r := starloomIn(t, dir, "run", "s.yaml", "--break-on", "slot=4", "--save-state", "state")
	require.Equal(t, statusPass, r.status, r.stderr)
	rest := vars("--restore", "state")
	require.True(t, strings.HasPrefix(rest, "restored state: phase=SENT, turns=5, waits=0, "), rest)
	_, rest, _ = strings.Cut(rest, "\n")
	require.True(t, strings.HasSuffix(want, rest), rest)
}

// TestVariablesRefused refuses what cannot be shown, with a remedy.
func TestVariablesRefused(t *testing.T) {
	dir := counterFolder(t)
	image, err := os.ReadFile(filepath.Join(dir, "counter.wasm"))
	require.NoError(t, err)
	stripped := strings.ReplaceAll(string(image), ".debug_info", ".nothing_in")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stripped.wasm"), []byte(stripped), 0o644))
	for args, want := range map[string]string{
		"--vars": "--vars: variables belong to the replay of one processor; give --replay P, too\n",
		"--probe state.phase": "--probe: variables are signals of a waveform, but no " +
			"waveform is requested; give --vcd F or --html F\n",
		"--vcd w.vcd --probe state.phas":                     "--probe: no variable of state_t matches \"state.phas\"; did you mean \"state.phase\"? variables are state.phase, ",
		"--vcd w.vcd --probe state.none":                     "--probe: state.none is not there: it has no elements; choose another variable\n",
		"--vcd w.vcd --probe state.[":                        "--probe: pattern \"state.[\", character 7: ",
		"--replay 0 --vars --firmware stripped.wasm":         "--vars: the firmware image stripped.wasm has no debug information (DWARF), which names the members of its state; build it from C or C++ with `starloom firmware build SOURCE -o IMAGE`, or from Rust with `rustc -g`, and do not strip it\n",
		"--vcd w.vcd --probe state --firmware stripped.wasm": "--probe: the firmware image stripped.wasm has no debug information (DWARF)",
		"--seeds 1..2 --html p.html --probe state":           "--probe: signals show one run, and --seeds asks for many; run one of them alone with --seed N\n",
		"--seeds 1..2 --vars":                                "--vars: a replay shows one run, and --seeds asks for many",
		"--seeds 1..2 --vcd w.vcd --probe state":             "--vcd: a waveform shows one run",
	} {
		r := starloomIn(t, dir, append([]string{"run", "s.yaml"}, strings.Fields(args)...)...)
		require.Equal(t, statusInput, r.status, args)
		require.Contains(t, r.stderr, want, args)
		require.NoFileExists(t, filepath.Join(dir, "w.vcd"))
	}
	bare := folder(t, map[string]string{"s.yaml": "starloom: 1\nfabric: {netlist: {mesh: {k: [2, 2]}, router: {}}}\nworkload: {traffic: {rate: 0.1, measure: 50}}\n"})
	r := starloomIn(t, bare, "run", "s.yaml", "--replay", "0", "--vars")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "--vars: there is no firmware: processors are sources and sinks of packets; delete it\n")
}

// TestWrongVariables plants five mistakes in the sender of the how-to page, one in a copy. The run of each copy fails,
// and the last changes of its variables name a value that the correct program does not have at the end.
func TestWrongVariables(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to/find-a-wrong-variable.md")
	require.NoError(t, err)
	block := func(language string) string {
		_, text, found := strings.Cut(string(page), "```"+language+"\n")
		require.True(t, found)
		text, _, _ = strings.Cut(text, "```")
		return text
	}
	sender := block("c")
	dir := folder(t, map[string]string{"sender.c": sender, "sender.yaml": block("yaml")})
	last := func(image string, status int) string {
		built := starloomIn(t, dir, "firmware", "build", image+".c")
		require.Equal(t, statusPass, built.status, built.stderr)
		r := starloomIn(t, dir, "run", "sender.yaml", "--firmware", image+".wasm", "--replay", "0", "--vars")
		require.Equal(t, status, r.status, r.stdout)
		return strings.Join(regexp.MustCompile(`(?m)^variable .*$`).FindAllString(r.stdout, -1), "\n")
	}
	correct := last("sender", statusPass)
	for name, mistake := range map[string]struct{ from, to, wrong string }{
		"acknowledges another number": {"*sl_traffic_in(frame), number)", "*sl_traffic_in(frame), s->number)", `variable number: 1 since slot \d+, before that 0; 1 change`},
		"number too narrow":           {"uint32_t number; ", "uint32_t number : 3;", `variable number: 0 since slot \d+, before that 7;`},
		"timer not set":               {"    s->timer = 8;\n", "", `variable timer: 429\d+ \(0xffff`},
		"phase not set":               {"        s->phase = WAITING;\n", "", `variable phase: IDLE; no change`},
		"head not replaced":           {"        s->head = ", "        if (s->number == 0) s->head = ", `variable head.number: 0; no change`},
	} {
		require.Contains(t, sender, mistake.from)
		require.NotRegexp(t, mistake.wrong, correct)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "wrong.c"), []byte(strings.Replace(sender, mistake.from, mistake.to, 1)), 0o644))
		require.Regexp(t, mistake.wrong, last("wrong", statusFail), name)
	}
}

// TestPageLeadsToVariables runs the step of a failing page that shows the state of the processor that failed.
func TestPageLeadsToVariables(t *testing.T) {
	dir := counterFolder(t)
	source := strings.Replace(counterFirmware, "s->phase = SENT;", "s->phase = SENT; if (sl_self(nic) == 3) sl_fail(nic, 7);", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "counter.c"), []byte(source), 0o644))
	require.Equal(t, statusPass, starloomIn(t, dir, "firmware", "build", "counter.c").status)
	page := writtenPage(t, dir, statusFail, "run", "s.yaml")
	step := regexp.MustCompile(`starloom run s\.yaml --replay 3 --vars`).FindString(read(page))
	require.NotEmpty(t, step)
	r := starloomIn(t, dir, "run", "s.yaml")
	require.Contains(t, r.stdout, "\n  note: "+step+" shows the firmware's variables\n")
	r = starloomIn(t, dir, strings.Fields(step)[1:]...)
	require.Equal(t, statusFail, r.status, r.stderr)
	require.NotContains(t, r.stdout, "shows the firmware's variables")
	require.Contains(t, r.stdout, "\nslot 3 state: phase IDLE -> SENT, turns 3 -> 4")
	require.Contains(t, r.stdout, "gave up with code 7")
	require.NotContains(t, read(writtenPage(t, dir, statusFail, "run", "s.yaml", "--replay", "3", "--vars")), "--vars\n", "the page has them")
}
