package outputs

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/internal/systemtest"
	"starloom/traces/diff"
)

// asGTKWaveSees has GTKWave load a save file, on a display that is not shown, and returns what it shows: the
// primary marker and the first named one, and then each row with its value at the primary marker.
func asGTKWaveSees(t *testing.T, save string) (markers string, rows []string) {
	display, err := exec.LookPath("broadwayd")
	if err != nil {
		t.Skip("the save file was written, but GTKWave has no display: libgtk-3-bin is not installed")
	}
	folder := t.TempDir()
	environment := append(os.Environ(), "XDG_RUNTIME_DIR="+folder, "GDK_BACKEND=broadway", "BROADWAY_DISPLAY=:7")
	server := exec.Command(display, "--unixsocket="+filepath.Join(folder, "http"), ":7")
	server.Env = environment
	said, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	listens, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err, "%s", listens)
	script, seen := filepath.Join(folder, "see.tcl"), filepath.Join(folder, "seen")
	require.NoError(t, os.WriteFile(script, []byte(`set f [open `+seen+` w]
puts $f "[gtkwave::getMarker] [gtkwave::getNamedMarker 0] [gtkwave::getNamedMarker 1] [gtkwave::getWindowStartTime]"
for {set i 0} {$i < [gtkwave::getTotalNumTraces]} {incr i} {
	puts $f "[gtkwave::getTraceNameFromIndex $i] [gtkwave::getTraceValueAtMarkerFromIndex $i]"
}
close $f
gtkwave::/File/Quit
`), 0o666))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	wave := exec.CommandContext(ctx, "gtkwave", "-S", script, save)
	wave.Env = environment
	complaints, err := wave.CombinedOutput()
	require.NoError(t, err, "%s", complaints)
	data, err := os.ReadFile(seen)
	require.NoError(t, err, "%s", complaints)
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	return lines[0], lines[1:]
}

// TestLongSaveFileShowsViolations checks in GTKWave a waveform with more signals than it draws: signals of violations
// come first, with a marker at the violation; slots are decimal, and flags have names.
func TestLongSaveFileShowsViolations(t *testing.T) {
	s := systemtest.ImageScenario(t, "traps")
	s.Fabric.POPS, s.Rules = &pops.Network{Groups: 16, GroupSize: 16}, &starloom.Rules{}
	s.Workload.Permutation.Kind = starloom.PermutationIdentity
	folder := t.TempDir()
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(filepath.Join(folder, "run.vcd"))}})
	require.NoError(t, err)
	first := report.Violations[0]
	require.Equal(t, "pops.group[0].nic[2]", first.Path)
	require.EqualValues(t, 6, first.Cycle)
	data, err := os.ReadFile(filepath.Join(folder, "run.gtkw"))
	require.NoError(t, err)
	text := string(data)
	require.Contains(t, text, "[*] the first 2048 of ")
	require.Contains(t, text, "[timestart] 0\n")
	require.Contains(t, text, "*-4.000000 6 6 -1 ")
	require.Contains(t, text, "[markername] Afirmware_trap\n")
	slot, violating, other := strings.Index(text, "@24\npops.slot[31:0]\n"), strings.Index(text,
		"-pops.group[0].nic[2]\n"), strings.Index(text, "-pops.group[0].nic[0]\n")
	require.Positive(t, slot)
	require.Greater(t, violating, slot)
	require.Greater(t, other, violating)

	markers, rows := asGTKWaveSees(t, filepath.Join(folder, "run.gtkw"))
	require.Equal(t, "6 6 -1 0", markers)
	shown := strings.Join(rows, "\n")
	require.Contains(t, shown, "slot[31:0] 1\n")
	nic := shown[strings.Index(shown, "pops.group[0].nic[2] "):]
	nic = nic[:strings.Index(nic, "group_end")]
	for name, value := range map[string]int{"faulty": 1} {
		require.Contains(t, nic, fmt.Sprintf("\n%s %d\n", name, value))
	}
	require.Contains(t, nic, "\nflags[7:0] 02\n")

	// In FST it is the same waveform, in fewer bytes, and GTKWave shows it the same way.
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(filepath.Join(folder, "small.fst"))}})
	require.NoError(t, err)
	fstMarkers, fstRows := asGTKWaveSees(t, filepath.Join(folder, "small.gtkw"))
	require.Equal(t, markers, fstMarkers)
	require.Equal(t, rows, fstRows)
}

// TestFST checks that GTKWave's converter turns an FST file into the waveform as VCD, for any window.
func TestFST(t *testing.T) {
	for name, window := range map[string]*starloom.VCDTrace{
		"all": nil, "end": {From: 4}, "states": {Signals: []string{"**.state", "**.rx_status"}},
		"loses": {Trigger: starloom.TriggerFirstViolation, Before: 3, After: 2}, // found at the end: the waveform is written once more
	} {
		s := systemtest.ImageScenario(t, "loses")
		s.Traces.VCD = window
		folder := t.TempDir()
		file := func(name string) string { return filepath.Join(folder, name) }
		var sums []string
		for _, wave := range []string{"run.vcd", "run.fst", "again.FST"} {
			report, err := starloom.Run(t.Context(), s,
				starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(file(wave))}})
			require.NoError(t, err)
			require.Equal(t, strings.ToLower(wave[len(wave)-3:]), report.Files[0].Kind)
			data, err := os.ReadFile(file(wave))
			require.NoError(t, err)
			sums = append(sums, string(data))
		}
		require.Equal(t, sums[1], sums[2], "the same run gives the same bytes")
		save, err := os.ReadFile(file("run.gtkw"))
		require.NoError(t, err)
		require.Contains(t, string(save), "[dumpfile] \"run.fst\"\n")
		require.NoError(t, os.WriteFile(file("back.vcd"), []byte(tool(t, "gtkwave", "fst2vcd", file("run.fst"))), 0o666))
		equal, err := diff.Files(t.Context(), file("run.vcd"), file("back.vcd"), diff.Options{})
		require.NoError(t, err)
		require.Nil(t, equal.First, name)
		require.Positive(t, equal.Compared)
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Len(t, entries, 8, "three waveforms, two pairs of save files, one that went back")
	}
}

// TestFSTIsRefused: without vcd2fst a run does not begin, and where there is one the reason is not the tool's.
func TestFSTIsRefused(t *testing.T) {
	scenario, folder := systemtest.ImageScenario(t, "loses"), t.TempDir()
	options := starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(filepath.Join(folder, "run.fst"))}, Progress: func(starloom.Progress) { t.Error("the run has begun") }}
	t.Setenv("PATH", folder)
	_, err := starloom.Run(t.Context(), scenario, options)
	require.EqualError(t, err, filepath.Join(folder, "run.fst")+": vcd2fst, which writes such files, is not on the PATH; "+
		"install the Debian package gtkwave, or give a path that ends in .vcd")
	var refused *starloom.InputError
	require.ErrorAs(t, err, &refused)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "vcd2fst"), []byte("#!/bin/sh\necho no more >&2\nexit 7\n"), 0o777))
	options.Progress = nil
	_, err = starloom.Run(t.Context(), scenario, options)
	var failed *starloom.ToolError
	require.ErrorAs(t, err, &failed)
	require.ErrorContains(t, err, "run.fst: vcd2fst: exit status 7: no more; free memory and disk space, or give a "+
		"path that ends in .vcd")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1, "vcd2fst")
}

// TestMarkersAreInTheWindow: the save file of a waveform has markers for the violations that its window shows,
// and for no others. Both a packet that is lost in cycle 10 and what shows in cycle 12 break rules.
func TestMarkersAreInTheWindow(t *testing.T) {
	for _, c := range []struct {
		window starloom.VCDTrace
		cycles []uint64
	}{
		{starloom.VCDTrace{}, []uint64{10, 12}},
		{starloom.VCDTrace{Trigger: starloom.TriggerFirstViolation, Before: 3, After: 2}, []uint64{10, 12}},
		{starloom.VCDTrace{Trigger: starloom.TriggerFirstViolation, Before: 3, After: 1}, []uint64{10}},
		{starloom.VCDTrace{From: 11, To: 20}, []uint64{12}},
		{starloom.VCDTrace{From: 11, To: 11}, nil},
	} {
		s := systemtest.ImageScenario(t, "drops")
		s.Firmware.Params = map[string]int64{"how": 5}
		s.Traces.VCD = &c.window
		folder := t.TempDir()
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(filepath.Join(folder, "run.vcd"))}})
		require.NoError(t, err)
		require.EqualValues(t, 10, report.Violations[0].Cycle)
		require.EqualValues(t, 12, report.Violations[1].Cycle)
		data, err := os.ReadFile(filepath.Join(folder, "run.gtkw"))
		require.NoError(t, err)
		require.Equal(t, len(c.cycles), strings.Count(string(data), "[markername]"), "%+v", c.window)
		primary := "-1"
		if len(c.cycles) > 0 {
			primary = fmt.Sprint(c.cycles[0])
		}
		row := "\n*-4.000000 " + primary
		for _, cycle := range c.cycles {
			row += fmt.Sprintf(" %d", cycle)
		}
		require.Contains(t, string(data), row+strings.Repeat(" -1", 26-len(c.cycles))+"\n", "%+v", c.window)
	}
}
