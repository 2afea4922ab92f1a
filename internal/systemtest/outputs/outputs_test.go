package outputs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/internal/emulator"
	"starloom/internal/systemtest"
	"starloom/traces/diff"
	"starloom/traces/pcapng/pcapngtest"
)

// tool runs one of the real tools and returns its output; standard error must be
// empty but for what tshark says to root.
func tool(t *testing.T, debianPackage, name string, args ...string) string {
	path, err := exec.LookPath(name)
	require.NoError(t, err, "install the package %s, or run `make test`", debianPackage)
	command := exec.Command(path, args...)
	if name == "tshark" {
		command = pcapngtest.Tshark(t, args...)
	}
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	require.NoError(t, command.Run(), complaints.String())
	text := regexp.MustCompile(`(?m)^Running as user .*\n`).ReplaceAllString(complaints.String(), "")
	require.Empty(t, strings.TrimSpace(text), "%s %v", name, args)
	return out.String()
}

// TestRealToolsReadARun runs the first example of the README and reads what it wrote
// with GTKWave's converters and with tshark.
func TestRealToolsReadARun(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	s, err := starloom.LoadScenario("examples/pops-16x16.yaml")
	require.NoError(t, err)
	report, err := starloom.Run(context.Background(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(file("run.vcd")), PCAPNG: starloom.File(file("run.pcapng"))}})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)

	tool(t, "gtkwave", "vcd2fst", file("run.vcd"), file("run.fst"))
	back := tool(t, "gtkwave", "fst2vcd", file("run.fst"))
	require.Contains(t, back, "coupler[15]")

	rows := tool(t, "tshark", "tshark", "-X", "lua_script:"+file("run.lua"), "-r", file("run.pcapng"), "-T", "fields",
		"-e", "starloom.cycle", "-e", "starloom.slot", "-e", "starloom.direction", "-e", "starloom.status",
		"-e", "starloom.source", "-e", "starloom.crc.ok", "-e", "frame.interface_name", "-e", "frame.time_epoch",
		"-e", "starloom.kind", "-e", "starloom.origin", "-e", "starloom.final", "-e", "starloom.port")
	var sent, ok, final uint64
	name := regexp.MustCompile(`^pops\.group\[(\d+)\]\.nic\[(\d+)\]$`)
	slotCycles := uint64(6)
	for line := range strings.Lines(rows) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, f, 12, line)
		hears, err := strconv.Atoi(f[11])
		require.NoError(t, err)
		require.Less(t, hears, 16, "a port leads to a group")
		cycle, err := strconv.ParseUint(f[0], 10, 64)
		require.NoError(t, err)
		slot, err := strconv.ParseUint(f[1], 10, 64)
		require.NoError(t, err)
		require.Equal(t, slot, cycle/slotCycles)
		port := name.FindStringSubmatch(f[6])
		require.NotNil(t, port, "interface %q", f[6])
		group, _ := strconv.Atoi(port[1])
		index, _ := strconv.Atoi(port[2])
		require.Equal(t, cycle, epochNanoseconds(t, f[7]), "one cycle is 1 ns")
		switch f[2] + "/" + f[3] {
		case "0/0": // sent: no receiver says anything
			sent++
			require.Equal(t, strconv.Itoa(16*group+index), f[4], "a NIC sends under its own number")
		case "1/1": // received, ok
			ok++
		case "1/2": // received, collision
			require.Empty(t, f[4], "a collision has no frame")
			continue
		default:
			t.Fatalf("unexpected packet: %s", line)
		}
		require.Contains(t, []string{"1", "True"}, f[5], "CRC")
		if f[8] == "0" && f[2] == "1" && f[10] == strconv.Itoa(16*group+index) && slot%5 == 4 {
			final++
		}
	}
	require.Equal(t, report.Frames.Sent, sent)
	require.Equal(t, report.Frames.Delivered, ok)
	filtered := tool(t, "tshark", "tshark", "-X", "lua_script:"+file("run.lua"), "-r", file("run.pcapng"), "-Y",
		`starloom.status == "ok"`, "-T", "fields", "-e", "starloom.cycle")
	require.EqualValues(t, report.Frames.Delivered, strings.Count(filtered, "\n"), "a filter on ok counts receptions")
	require.EqualValues(t, 256, final, "every packet's last hop is in the capture")
}

// TestLongRealToolsReadLabels: ports and links whose indexes are labels such as +rho come
// through GTKWave's converters, tshark and `trace`.
func TestLongRealToolsReadLabels(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	s, err := starloom.ParseScenario("ej.yaml", []byte(`starloom: 1
fabric: {ej: {a: 3, b: 4, dimensions: 1}}
firmware: {program: ej/improved}
workload: {one_to_all: {source: 0}}
traces: {pcapng: {interfaces: port}, vcd: {signals: [ej.slot, "ej.node[*].dim[1].port[*].tx.light.*",
	"ej.node[*].dim[1].link[+rho].**", "**.port[-rho^2].rx_status"]}}
`))
	require.NoError(t, err)
	_, err = starloom.Run(context.Background(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(file("run.vcd")), PCAPNG: starloom.File(file("run.pcapng"))}})
	require.NoError(t, err)

	tool(t, "gtkwave", "vcd2fst", file("run.vcd"), file("run.fst"))
	require.NoError(t, os.WriteFile(file("back.vcd"), []byte(tool(t, "gtkwave", "fst2vcd", file("run.fst"))), 0o666))
	equal, err := diff.Files(context.Background(), file("run.vcd"), file("back.vcd"), diff.Options{})
	require.NoError(t, err)
	require.Nil(t, equal.First)
	require.Equal(t, 1+37*(6*2+2*(2+2+1)+1), equal.Compared)

	require.NoError(t, os.WriteFile(file("map.yaml"), []byte(`period: 1 ns
slot: ej.slot
interfaces:
  - name: "ej.node[$1].dim[$2].port[$3]"
    rail1: "ej.node[*].dim[*].port[*].tx.light.rail1"
    rail0: "ej.node[$1].dim[$2].port[$3].tx.light.rail0"
`), 0o666))
	m, err := starloom.LoadDecodeMap(file("map.yaml"))
	require.NoError(t, err)
	_, err = starloom.TraceDecode(context.Background(), file("run.vcd"), m, starloom.DecodeOutputs{PCAPNG: starloom.File(file("decoded.pcapng"))})
	require.NoError(t, err)
	interfaces := func(capture, filter string) (names []string) {
		return strings.Fields(tool(t, "tshark", "tshark", "-X", "lua_script:"+file("run.lua"), "-r", file(capture), "-Y", filter, "-T",
			"fields", "-e", "frame.interface_name"))
	}
	all := interfaces("run.pcapng", `starloom.direction == "sent"`)
	require.Len(t, all, 36)
	require.ElementsMatch(t, all, interfaces("decoded.pcapng", "frame"))
	require.Equal(t, []string{"ej.node[27].dim[1].port[-rho]"},
		interfaces("run.pcapng", `frame.interface_name == "ej.node[27].dim[1].port[-rho]"`)) // what node 0 sends by +rho

	// With an interface for each NIC the same frames are there, and the pseudo-header has the port by its name.
	s.Traces.PCAPNG = nil
	_, err = starloom.Run(context.Background(), s, starloom.RunOptions{Record: starloom.RecordOptions{PCAPNG: starloom.File(file("nics.pcapng")), Lua: starloom.File(file("nics.lua"))}})
	require.NoError(t, err)
	ports := tool(t, "tshark", "tshark", "-X", "lua_script:"+file("nics.lua"), "-r", file("nics.pcapng"), "-T", "fields", "-e", "_ws.col.Info")
	require.Equal(t, tool(t, "tshark", "tshark", "-X", "lua_script:"+file("run.lua"), "-r", file("run.pcapng"), "-T", "fields", "-e", "_ws.col.Info"), ports)
	require.Equal(t, []string{"ej.node[27].nic[0]"}, interfaces("nics.pcapng",
		`starloom.port == "dim[1].port[-rho]" && frame.interface_name == "ej.node[27].nic[0]"`))
	require.Contains(t, tool(t, "wireshark-common", "capinfos", file("nics.pcapng")), "Number of interfaces in file: 37\n", "one for each node")
}

func epochNanoseconds(t *testing.T, epoch string) uint64 {
	seconds, fraction, _ := strings.Cut(epoch, ".")
	ns, err := strconv.ParseUint(seconds+(fraction + "000000000")[:9], 10, 64)
	require.NoError(t, err)
	return ns
}

// TestTriggerShowsTheViolation checks that a waveform that waits for the first
// violation holds its cycle, and starts as many cycles before as asked for.
func TestTriggerShowsTheViolation(t *testing.T) {
	for _, c := range []struct {
		image string
		cycle uint64
	}{
		// The last two show only at the end of the run: its last cycle counts.
		{"collides", 12}, {"duplicates", 10}, {"hoards", 23}, {"loses", 5},
	} {
		t.Run(c.image, func(t *testing.T) {
			s := systemtest.ImageScenario(t, c.image)
			if c.image == "collides" {
				s.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 2}
				s.Rules = &starloom.Rules{CollisionFree: &starloom.CollisionFree{Period: 5, Slots: []int{3, 4, 5}}}
			}
			if c.image == "hoards" {
				s.Rules.ExactlyOnce = false
			}
			s.Traces.VCD = &starloom.VCDTrace{Trigger: starloom.TriggerFirstViolation, Before: 3, After: 2}
			path := filepath.Join(t.TempDir(), "run.vcd")
			_, err := starloom.Run(context.Background(), s,
				starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(path)}})
			require.NoError(t, err)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			times := regexp.MustCompile(`(?m)^#(\d+)$`).FindAllSubmatch(text, -1)
			require.NotEmpty(t, times)
			first, err := strconv.ParseUint(string(times[0][1]), 10, 64)
			require.NoError(t, err)
			last, err := strconv.ParseUint(string(times[len(times)-1][1]), 10, 64)
			require.NoError(t, err)
			require.Equal(t, c.cycle-3, first)
			require.LessOrEqual(t, last, c.cycle+3)
			tool(t, "gtkwave", "vcd2fst", path, path+".fst")
		})
	}
}

// TestTriggerWindows holds that the first violation lies in its window, wherever in a
// slot it is and whenever the run learns of it. A slot has 6 cycles.
func TestTriggerWindows(t *testing.T) {
	for _, c := range []struct {
		image  string
		change func(s *starloom.Scenario)
		want   string
	}{
		{"traps", systemtest.Trap(0), "trigger in cycle 6, window from cycle 4 to 9"},
		{"never_done", systemtest.NoPackets, "trigger in cycle 119, window from cycle 117 to 122"},
		{"misroutes", func(*starloom.Scenario) {}, "trigger in cycle 4, window from cycle 2 to 7"},
		{"traps", func(s *starloom.Scenario) { systemtest.Trap(0)(s); s.Traces.VCD.To = 6 }, "trigger in cycle 6, window from cycle 4 to 6"},
	} {
		s := systemtest.ImageScenario(t, c.image)
		s.Traces.VCD = &starloom.VCDTrace{Signals: []string{"pops.slot"}, Trigger: starloom.TriggerFirstViolation, Before: 2, After: 3}
		c.change(s)
		require.Contains(t, systemtest.WaveformOf(t, s), c.want, c.image)
	}
}

// TestEmptyWaveformIsExplained holds that no one opens an empty waveform without
// having been told; the report's stable form does not depend on traces.
func TestEmptyWaveformIsExplained(t *testing.T) {
	for _, c := range []struct {
		slots uint32
		trace starloom.VCDTrace
		want  string // "" if it shows something
	}{
		{100, starloom.VCDTrace{}, ""},
		{100, starloom.VCDTrace{Trigger: starloom.TriggerFirstViolation}, "is empty: no rule was broken, so the trigger first_violation never occurred"},
		{2, starloom.VCDTrace{Trigger: starloom.TriggerFirstViolation}, ""},
		{2, starloom.VCDTrace{Trigger: starloom.TriggerFirstViolation, To: 5}, "is empty: the first violation, in cycle 12, is not between"},
		{2, starloom.VCDTrace{From: 12}, "is empty: traces.vcd.from is 12, but the run ended with cycle 11"},
		{2, starloom.VCDTrace{From: 11}, ""},
		{2, starloom.VCDTrace{From: 12, Trigger: starloom.TriggerFirstViolation}, "is empty: traces.vcd.from is 12, but the run ended with cycle 11"},
	} {
		s := systemtest.Routing(2, 2)
		s.Stop.Slots = c.slots
		s.Traces.VCD = &c.trace
		path := filepath.Join(t.TempDir(), "run.vcd")
		report, err := starloom.Run(t.Context(), s,
			starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(path)}})
		require.NoError(t, err)
		if c.slots == 2 { // as every run that its limit has ended
			require.Len(t, report.Notes, 3)
			require.Contains(t, report.Notes[2], "collision_free judged no slot: the run ended after 2 slots")
			require.Equal(t, "the run ended at its limit of 2 slots; stop.slots or --slots sets it", report.Notes[0])
			require.Contains(t, report.Notes[1], "packets had not arrived when the run ended, so exactly_once is not decided")
		} else {
			require.Empty(t, report.Notes)
		}
		var text bytes.Buffer
		require.NoError(t, report.WriteText(&text))
		if c.want == "" {
			require.NotContains(t, text.String(), "note: "+path, "%+v", c)
			continue
		}
		require.Contains(t, text.String(), "\n  note: "+path+" "+c.want, "%+v", c)
	}
}

// TestWaveformTakesAnyName writes what a VCD's header cannot hold in another way.
func TestWaveformTakesAnyName(t *testing.T) {
	s := systemtest.Routing(2, 2)
	s.Name = "Größe $end"
	require.Contains(t, systemtest.WaveformOf(t, s), "scenario Gr??e ?end\n")
}

// TestWaveformShowsOverwrittenRegisters holds that firmware cannot break a waveform
// with values that its registers do not have.
func TestWaveformShowsOverwrittenRegisters(t *testing.T) {
	s := systemtest.ImageScenario(t, "overwrites")
	systemtest.NoPackets(s)
	s.Traces.VCD = &starloom.VCDTrace{Signals: []string{"**.rx_status", "**.flags"}}
	text := systemtest.WaveformOf(t, s)
	require.Contains(t, text, "soverwritten ")
	require.Contains(t, text, "b11111000 ")
}

// TestReportsAppearWithTraces holds that all files of a run appear, or none.
func TestReportsAppearWithTraces(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, json := range []string{"run.vcd", "run.gtkw", "missing/run.json"} {
		_, err := starloom.Run(context.Background(), systemtest.Routing(2, 2),
			starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(file("run.vcd"))}, Reports: starloom.ReportFiles{JSON: starloom.File(file(json)), JUnit: starloom.File(file("run.xml"))}})
		var input *starloom.InputError
		require.ErrorAs(t, err, &input)
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left)
	}
	report, err := starloom.Run(context.Background(), systemtest.Routing(2, 2),
		starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(file("run.vcd"))}, Reports: starloom.ReportFiles{JSON: starloom.File(file("run.json")), JUnit: starloom.File(file("run.xml"))}})
	require.NoError(t, err)
	require.Len(t, report.Files, 5)
	for _, f := range report.Files {
		require.FileExists(t, f.Path)
	}
}

// TestLogDoesNotDependOnTheCut logs more than is kept, from start and slot handlers,
// and compares the log across workers, banks and modes.
func TestLogDoesNotDependOnTheCut(t *testing.T) {
	want := ""
	for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
		for _, bank := range []int{1, 100, 1000} {
			s := systemtest.ImageScenario(t, "chatters")
			s.Fabric.POPS = &pops.Network{Groups: 20, GroupSize: 20}
			s.Firmware.Mode = mode
			s.Rules, s.Stop.Slots = &starloom.Rules{}, 2
			path := filepath.Join(t.TempDir(), "run.log")
			_, err := starloom.Run(context.Background(), s,
				starloom.RunOptions{MachineOptions: starloom.MachineOptions{BankSize: bank,
					Workers: 2}, Record: starloom.RecordOptions{Log: starloom.File(path)}})
			require.NoError(t, err)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			if want == "" {
				want = string(text)
				require.Equal(t, 3*(emulator.LogLinesMax+1), strings.Count(want, "\n"), "three boundaries")
				require.Contains(t, want, fmt.Sprintf("cycle 6 slot 1 pops: %d more lines are not kept\n", 400*30-emulator.LogLinesMax))
				require.Contains(t, want, "pops.group[0].nic[0]: start 2\ncycle 0 slot 0 pops.group[0].nic[0]: slot\\x1b[2J 0\n")
			}
			require.Equal(t, want, string(text), "mode %s, bank %d", mode, bank)
		}
	}
}

// TestNothingBesidePipesAndDevices: a waveform that goes to one has no save file in the folder of devices.
func TestNothingBesidePipesAndDevices(t *testing.T) {
	require.Equal(t, starloom.Output{}, starloom.File(os.DevNull).Beside(starloom.Output{}, ".gtkw"))
	require.Equal(t, starloom.File("a.gtkw"), starloom.File("a.vcd").Beside(starloom.Output{}, ".gtkw"))
	require.Equal(t, starloom.File("b.gtkw"), starloom.File(os.DevNull).Beside(starloom.File("b.gtkw"), ".gtkw"))
}
