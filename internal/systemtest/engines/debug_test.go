package engines

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/systemtest"
)

// TestAssertions: a failed assertion and sl_fail name the file and line of the caller, with
// all functions between, in the compiler and the interpreter, banked and isolated; sl_logf
// formats as C does.
func TestAssertions(t *testing.T) {
	reports, said := map[string]string{}, "" // of a mode; of all
	for _, runtime := range []string{"compiler", "interpreter"} {
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			s := systemtest.ImageScenario(t, "asserts")
			s.Firmware.Mode, s.Rules = mode, &starloom.Rules{}
			var log, json, text bytes.Buffer
			report, err := starloom.Run(context.Background(), s,
				starloom.RunOptions{MachineOptions: starloom.MachineOptions{Runtime: runtime},
					Record:  starloom.RecordOptions{Log: starloom.Writer(&log)},
					Reports: starloom.ReportFiles{JSON: starloom.Writer(&json)}})
			require.NoError(t, err)
			require.NoError(t, report.WriteText(&text))
			whole, first := json.String()+log.String(), fmt.Sprint(report.Violations)+log.String()
			require.Equal(t, cmp.Or(reports[mode], whole), whole, "compiler and interpreter")
			require.Equal(t, cmp.Or(said, first), first, "banked and isolated")
			reports[mode], said = whole, first

			require.Len(t, report.Violations, 2)
			asserted, gaveUp := report.Violations[0], report.Violations[1]
			require.Equal(t, starloom.RuleFail, asserted.Rule)
			require.Equal(t, "processor 2: assertion `s->turns < 2 && \"too many\"` failed in check at asserts.c:18", asserted.Message)
			require.Equal(t, []string{"check at asserts.c:18:5", "on_slot at asserts.c:31:28"}, frames(asserted)[:2])
			require.Equal(t, "starloom_slot", asserted.Backtrace[2].Function)
			require.Equal(t, "processor 3: the firmware gave up in give_up at asserts.c:22:5 with code 7", gaveUp.Message)
			require.Equal(t, []string{"give_up at asserts.c:22:5", "deep at asserts.c:26:5", "on_slot at asserts.c:32:49"}, frames(gaveUp)[:3])
			require.Contains(t, text.String(), "\n    in deep at asserts.c:26:5\n    in on_slot at asserts.c:32:")
			require.Contains(t, json.String(), `"source": "asserts.c:26:5"`)

			lines := strings.Split(log.String(), "\n")
			for k, want := range []string{
				"processor 0 of 4:   -42|42   |-0042|+42 beef 0XBEEF ! abc% 0x20",
				"-5000000000 7 18446744073709551615 0123456789abcdef",
				strings.Repeat(" ", 255) + "1",
				"[   -4|4    |4    |ab|   007|8|end]",
			} {
				require.True(t, strings.HasSuffix(lines[k], "nic[0]: "+want), lines[k])
			}
		}
	}
}

func frames(v starloom.Violation) (texts []string) {
	for _, frame := range v.Backtrace {
		texts = append(texts, frame.String())
	}
	return texts
}

// TestCheckedBuild: what the SDK leaves undefined is a failure with file and line in a
// checked build, of C and of C++, and nothing of that in another processor.
func TestCheckedBuild(t *testing.T) {
	text, err := os.ReadFile("testdata/firmware/careless.c")
	require.NoError(t, err)
	for _, name := range []string{"careless.c", "careless.cc"} {
		source := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(source, text, 0o644))
		checkedBuild(t, source)
	}
}

func checkedBuild(t *testing.T, source string) {
	build := func(name string, define ...string) string {
		image := filepath.Join(t.TempDir(), name)
		require.NoError(t,
			firmware.Build(context.Background(),
				firmware.BuildOptions{Source: source, Output: image, Debug: true, Define: define}))
		return image
	}
	image, taking := build("careless.wasm"), build("taking.wasm", "STARLOOM_ROM", "STARLOOM_REQUESTS")
	for how, want := range []string{
		0:  "",
		1:  "assertion `sl_send: port < sl_ports(nic) || port == SL_PORT_ALL` failed in on_slot at careless.c:19",
		2:  "assertion `sl_send_packet: port < sl_ports(nic) || port == SL_PORT_ALL` failed in on_slot at careless.c:20",
		3:  "assertion `sl_listen: port < sl_ports(nic) || port == SL_PORT_NONE` failed in on_slot at careless.c:21",
		4:  "assertion `sl_param: k is one of STARLOOM_PARAMS` failed in on_slot at careless.c:22",
		5:  "assertion `sl_probe: signal is one of STARLOOM_PROBES` failed in on_slot at careless.c:23",
		6:  "assertion `sl_shape: k < 8` failed in on_slot at careless.c:24",
		7:  "assertion `sl_rom: k < sl_rom_words(nic)` failed in on_slot at careless.c:25",
		8:  "assertion `sl_set_valid: place < sl_list_words(nic)` failed in on_slot at careless.c:26",
		9:  "assertion `sl_status_of: port < the ports that are used in one slot` failed in on_slot at careless.c:27",
		10: "assertion `sl_sleep: 1 <= slots && slots <= SL_LONG` failed in on_slot at careless.c:28",
		11: "assertion `sl_random_below: 1 <= bound` failed in on_slot at careless.c:29",
		12: "assertion `sl_send: payload_bytes <= nic.payload_bytes` failed in on_slot at careless.c:30",
		13: "assertion `the pointer is not null, and what it points to is large enough` failed in on_slot at careless.c:31",
		14: "assertion `the pointer is not null, and what it points to is large enough` failed in ",
		15: "assertion `the shift is less than the width` failed in on_slot at careless.c:33",
		16: "assertion `sl_send: nothing is written to a frame that the full TX FIFO has no room for` failed in on_slot at careless.c:36",
		17: "",
	} {
		s, at := systemtest.ImageScenario(t, "careless"), "group[2]"
		s.Firmware.Image, s.Firmware.Params, s.Rules = image, map[string]int64{"how": int64(how)}, &starloom.Rules{}
		if how == 7 || how == 8 { // of networks with a ROM
			own, err := starloom.ParseScenario("star.yaml", []byte("starloom: 1\nfabric: {netlist: {nodes: {'p[0..3]': processor, x: star}, links: [\n"+
				"['p[0..3]', x]]}}\nfirmware: {image: x}\nstop: {slots: 3}\n"))
			require.NoError(t, err)
			own.Firmware, own.Rules, s, at = s.Firmware, s.Rules, own, "p[2]"
			s.Firmware.Image = taking
		}
		report, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, report.Violations, how)
			for _, note := range report.Notes {
				require.Contains(t, note, "only the rules of every run were checked", how)
			}
			continue
		}
		require.Len(t, report.Violations, 1, how)
		want = strings.ReplaceAll(want, "careless.c", filepath.Base(source))
		require.Contains(t, report.Violations[0].Message, want, how)
		if how < 16 { // that is found when the handler has ended
			require.Contains(t, strings.Join(frames(report.Violations[0]), "\n"), fmt.Sprintf("on_slot at %s:%d", filepath.Base(source), 18+how), how)
		}
		require.Contains(t, report.Violations[0].Path, at)
	}
}

// TestCheckedBuildsAgree: a checked build of a program that is right does what the program
// does.
func TestCheckedBuildsAgree(t *testing.T) {
	for _, program := range []string{"pops/random-corrected", "pops/offline", "pops/sort"} {
		image := filepath.Join(t.TempDir(), "checked.wasm")
		require.NoError(t, firmware.Build(context.Background(), firmware.BuildOptions{
			Source: filepath.Join("firmware", "programs", program+".c"), Output: image, Debug: true}))
		s := systemtest.Routing(4, 4)
		s.Firmware.Program = program
		want, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.NoError(t, s.Override(context.Background(), starloom.Overrides{Image: image}))
		got, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, want.Digest, got.Digest, program)
		require.Equal(t, starloom.VerdictPass, got.Verdict, got.Violations)
	}
}

// TestCheckedBuildIsNoted: a report of what the handlers of a checked build cost says that those of
// the image that ships cost less; inspect says it, too. So it is of several sources.
func TestCheckedBuildIsNoted(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.c")
	require.NoError(t, os.WriteFile(other, []byte("#include \"starloom.h\"\nuint32_t other(void) { return sl_mix64(1) != 0; }\n"), 0o644))
	image := filepath.Join(t.TempDir(), "two-hops.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "firmware/programs/pops/two-hops.c",
		More: []string{other}, Output: image, Debug: true}))
	for _, c := range []struct {
		starloom.Firmware
		checked bool
	}{{starloom.Firmware{Image: image}, true}, {starloom.Firmware{Program: "pops/two-hops"}, false}} {
		info, err := firmware.Inspect(t.Context(), c.Image+c.Program)
		require.NoError(t, err)
		require.Equal(t, c.checked, info.Checked)
		for _, model := range []string{"", "unit"} {
			s := systemtest.Routing(2, 2)
			s.Firmware.Program, s.Firmware.Image, s.Firmware.CPU.Model = c.Program, c.Image, model
			report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
			require.NoError(t, err)
			require.Equal(t, c.checked && model != "", strings.Contains(strings.Join(report.Notes, "\n"), firmware.CheckedText), report.Notes)
		}
	}
}
