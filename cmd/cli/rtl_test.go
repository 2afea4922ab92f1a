package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// darkCoupler blocks all light. ending is its further behaviour.
func darkCoupler(ending string) string {
	return `module dark(input [255:0] one, zero, output [63:0] up, down, output bad);
  assign {up, down, bad} = 129'd0;
  wire seen = |{one, zero};
  ` + ending + `
endmodule
`
}

const darkMap = `model: star_coupler
top: dark
sources: [dark.v]
pins: {rail1_i: one, rail0_i: zero, rail1_o: up, rail0_o: down, violation_o: bad}
`

const darkScenario = smallScenario + `stop: {slots: 20}
rtl: [{replace: "pops.group[0].coupler[*]", map: dark.yml, backend: icarus}]
`

func TestRTLExitStatus(t *testing.T) {
	for _, c := range []struct {
		name, verilog, scenario string
		status                  int
		says                    []string
	}{
		{"right", "", smallScenario + "rtl: [{replace: \"pops.**\", backend: icarus}]\n", statusPass, []string{"PASS", "16 star_coupler (icarus)"}},
		{"wrong", darkCoupler(""), darkScenario, statusFail, []string{"FAIL", "finishes", "4 dark (icarus)", "`starloom cosim check s.yaml` finds the first cycle of this run", "`starloom cosim check dark.yml -G D=4 -G PHIT_BITS=64 --backend icarus`"}},
		{"fault", darkCoupler("always @* if (seen) $finish;"), darkScenario, statusFail,
			[]string{"rtl_fault: cycle 0, slot 0, pops.group[0].coupler[", "dark.v: dark: the RTL ended the simulation"}},
		{"unknown", darkCoupler("assign bad = seen ? 1'bx : 1'b0;"), darkScenario, statusFail, []string{"rtl_unknown", "output violation_o has X or Z"}},
		{"no Verilog", "module dark(input wier);", darkScenario, statusInput, []string{"s.yaml:5:50: dark.v:1"}},
		{"no such part", "", smallScenario + "rtl: [{replace: pops.group, backend: icarus}]\n", statusInput, []string{`s.yaml:4:17: no component matches "pops.group"; components are`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t, map[string]string{"s.yaml": c.scenario, "dark.v": c.verilog, "dark.yml": darkMap})
			before := list(t, dir)
			r := starloomIn(t, dir, "run", "s.yaml")
			require.Equal(t, c.status, r.status, r.stdout+r.stderr)
			for _, text := range c.says {
				assert.Contains(t, r.stdout+r.stderr, text)
			}
			assert.Equal(t, before, list(t, dir))
		})
	}
}

// TestRTLEndsWithItsSimulators interrupts a run, and kills a simulator of another: both end in order, and no process
// remains.
func TestRTLEndsWithItsSimulators(t *testing.T) {
	for name, c := range map[string]struct {
		end    func(t *testing.T, run *os.Process, simulators []int)
		says   string
		status int
	}{
		"interrupt": {func(t *testing.T, run *os.Process, _ []int) { require.NoError(t, run.Signal(os.Interrupt)) }, "interrupted", statusInterrupted},
		"killed": {func(t *testing.T, _ *os.Process, all []int) {
			require.NoError(t, syscall.Kill(all[0], syscall.SIGKILL))
		}, "rtl_tool: cycle", statusTool},
	} {
		t.Run(name, func(t *testing.T) {
			endless := strings.Replace(darkScenario, "slots: 20", "slots: 4000000000", 1)
			dir := folder(t, map[string]string{"s.yaml": endless, "dark.v": darkCoupler(""), "dark.yml": darkMap})
			run := exec.Command(binary, "run", "s.yaml")
			run.Dir = dir
			var out bytes.Buffer
			run.Stdout, run.Stderr = &out, &out
			require.NoError(t, run.Start())
			var simulators []int
			require.Eventually(t, func() bool {
				simulators = childrenOf(run.Process.Pid, "vvp")
				return len(simulators) == 4
			}, 20*time.Second, 100*time.Millisecond)
			time.Sleep(200 * time.Millisecond) // reaches some place of the run
			c.end(t, run.Process, simulators)
			var exit *exec.ExitError
			require.ErrorAs(t, run.Wait(), &exit)
			require.Equal(t, c.status, exit.ExitCode(), out.String())
			require.Contains(t, out.String(), c.says)
			if c.status == statusTool {
				require.NotContains(t, out.String(), "cosim check", "which would find nothing")
			}
			for _, pid := range simulators {
				require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH, "simulator %d is left", pid)
			}
		})
	}
}

// childrenOf lists the processes of a name that a process has started.
func childrenOf(parent int, name string) (all []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended
		}
		_, rest, ok := strings.Cut(string(text), "("+name+") ")
		if fields := strings.Fields(rest); ok && len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			all = append(all, pid)
		}
	}
	return all
}
