package faults

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/systemtest"
)

// TestSendersOfCollisions: the report names who sent the frames that met, as the frames of the run have it, for both
// engines and any number of workers.
func TestSendersOfCollisions(t *testing.T) {
	seen := 0
	for seed := range uint64(6) {
		s := systemtest.FrozenScenario(t, "random-loses")
		s.Seed = seed
		var forms []string
		for _, o := range []starloom.MachineOptions{{Engine: starloom.EngineSlot, Workers: 1}, {Engine: starloom.EngineCycle},
			{Workers: 3, BankSize: 2}} {
			var page bytes.Buffer
			report, err := starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: o,
				Reports: starloom.ReportFiles{HTML: starloom.Writer(&page)}})
			require.NoError(t, err)
			for _, scene := range report.Aside.Scenes {
				if scene.Violation < 0 || report.Violations[scene.Violation].Rule != starloom.RuleCollisionFree {
					continue
				}
				var sent []int
				for _, x := range scene.Frames {
					if x.Sent && x.Slot == scene.Slot && x.Medium == scene.Path {
						sent = append(sent, x.Processor)
					}
				}
				require.Equal(t, sent, report.Violations[scene.Violation].Senders)
				seen++
			}
			for i := range report.Violations {
				v := &report.Violations[i]
				require.Equal(t, v.Rule == starloom.RuleCollisionFree, len(v.Senders) > 1, "frames meet if there are two, and other rules have none")
				require.True(t, slices.IsSorted(v.Senders))
			}
			report.Engine, report.Files = "", nil
			forms = append(forms, systemtest.ReportText(t, report))
		}
		require.Equal(t, forms[0], forms[1])
		require.Equal(t, forms[0], forms[2])
	}
	require.Greater(t, seen, 12)
}

// TestFaultLeftOut: a probability of 0 leaves out a fault of every kind: the run is that without it.
func TestFaultLeftOut(t *testing.T) {
	const network = "fabric: {pops: {groups: 3, group_size: 3}}\nfirmware: {program: pops/random-corrected}\nstop: {slots: 60}\n"
	run := func(fault string) *starloom.Report {
		s, err := starloom.ParseScenario("left-out.yaml", []byte("starloom: 1\n"+network+fault))
		require.NoError(t, err)
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		return report
	}
	sound := run("")
	for kind, more := range map[string]string{
		"dead": "", "restart": "", "clock_pause": "", "drop": "", "bit_flip": "", "stuck": "", "buffers": ", rx_frames: 1, tx_frames: 1",
	} {
		slots := ", slots: {from: 1, to: 9}"
		if kind == "buffers" {
			slots = ""
		}
		fault := fmt.Sprintf("faults: {schedule: [{kind: %s%s", kind, more)
		if struck := run(fault + slots + "}]}"); kind != "buffers" { // frames are never two there
			require.NotEqual(t, sound.Digest, struck.Digest, kind)
		}
		left := run(fault + slots + ", probability: 0}]}")
		require.Equal(t, sound.Digest, left.Digest, kind)
		require.Equal(t, outcome.VerdictPass, left.Verdict)
		require.Zero(t, left.Faults[0].Count)
	}
}
