package starloom

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAssertions: a failed assertion and sl_fail name the file and line of the caller, with
// all functions between, in the compiler and the interpreter, banked and isolated; sl_logf
// formats as C does.
func TestAssertions(t *testing.T) {
	var reports []string
	for _, runtime := range []string{"compiler", "interpreter"} {
		for _, mode := range []string{ModeBanked, ModeIsolated} {
			s := imageScenario(t, "asserts")
			s.Firmware.Mode, s.Rules = mode, &Rules{}
			var log, json, text bytes.Buffer
			report, err := Run(context.Background(), s, RunOptions{MachineOptions: MachineOptions{Runtime: runtime}, Log: Writer(&log), JSON: Writer(&json)})
			require.NoError(t, err)
			require.NoError(t, report.WriteText(&text))
			reports = append(reports, json.String()+log.String())

			require.Len(t, report.Violations, 2)
			asserted, gaveUp := report.Violations[0], report.Violations[1]
			require.Equal(t, RuleFail, asserted.Rule)
			require.Equal(t, "processor 2: assertion `s->turns < 2 && \"too many\"` failed in check at asserts.c:18", asserted.Message)
			require.Equal(t, []string{"check at asserts.c:18:5", "on_slot at asserts.c:31:28"}, frames(asserted)[:2])
			require.Equal(t, "starloom_slot", asserted.Backtrace[2].Function)
			require.Contains(t, gaveUp.Message, "gave up in ")
			require.Contains(t, gaveUp.Message, "with code 7")
			require.Equal(t, []string{"give_up at asserts.c:22:5", "deep at asserts.c:26:5", "on_slot at asserts.c:32:49"}, frames(gaveUp)[1:4])
			require.Equal(t, "sl_fail", gaveUp.Backtrace[0].Function)
			require.Contains(t, text.String(), "\n    in deep at asserts.c:26:5\n    in on_slot at asserts.c:32:")
			require.Contains(t, json.String(), `"source": "asserts.c:26:5"`)

			lines := strings.Split(log.String(), "\n")
			for k, want := range []string{
				"processor 0 of 4:   -42|42   |-0042|+42 beef 0XBEEF ! abc% 0x20",
				"-5000000000 7 18446744073709551615 0123456789abcdef",
				strings.Repeat(" ", 255),
			} {
				require.True(t, strings.HasSuffix(lines[k], "nic[0]: "+want), lines[k])
			}
		}
	}
	for _, report := range reports {
		require.Equal(t, reports[0], report)
	}
}

func frames(v Violation) (texts []string) {
	for _, frame := range v.Backtrace {
		texts = append(texts, frame.String())
	}
	return texts
}
