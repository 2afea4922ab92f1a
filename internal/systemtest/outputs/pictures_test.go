package outputs

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/inside"
	"starloom/internal/picture"
)

// seenRun runs a scenario while a collector looks.
func seenRun(t *testing.T, name string, o starloom.MachineOptions) (*starloom.Report, *picture.Collector) {
	s, err := starloom.LoadScenario("examples/" + name + ".yaml")
	require.NoError(t, err)
	m, err := starloom.NewMachine(t.Context(), s, o)
	require.NoError(t, err)
	c := picture.Look(inside.Machine(m).Network, len(inside.Machine(m).Shards), 0, true)
	inside.Machine(m).Look(c)
	require.NoError(t, m.Run(t.Context(), nil))
	inside.Machine(m).Look(nil)
	report := m.Report()
	require.NoError(t, m.Close())
	return report, c
}

// panel is the sum of the values of a panel whose label begins so, in which a row is so many media.
func panel(h *picture.Heat, label string, slots uint64, media float64) uint64 {
	sum := 0.0
	for _, p := range h.Panels {
		if strings.HasPrefix(p.Label, label) {
			for _, row := range p.Values {
				sum += over(row, h.Width, slots)
			}
		}
	}
	return uint64(math.Round(sum * media))
}

// over is the sum of the values of columns. The last column may be narrower.
func over(columns []float64, width uint32, slots uint64) (sum float64) {
	for k, value := range columns {
		sum += value * float64(min(uint64(width), slots-uint64(k)*uint64(width)))
	}
	return sum
}

// TestPicturesCount checks that drawn values add up to the counters of the report.
func TestPicturesCount(t *testing.T) {
	for name, media := range map[string]float64{"pops-4x4-faults": 1, "bus-faults": 1, "crossbar-faults": 1, "ej-faults": 6, "bus-sensors": 1} {
		t.Run(name, func(t *testing.T) {
			report, c := seenRun(t, name, starloom.MachineOptions{})
			heat, line, latency := c.Heat(name), c.Timeline(name, nil), c.Latency(name)
			waits := panel(heat, "frames that", report.Slots, media)
			require.Equal(t, report.Frames.Blocked, waits)
			require.Equal(t, report.Frames.Sent, panel(heat, "frames ", report.Slots, media)-waits)
			took, waited := uint64(0), uint64(0)
			for _, n := range latency.Counts {
				took, waited = took+n[1], waited+n[1]*(n[0]-1)
			}
			unreceived := regexp.MustCompile(`Not drawn: (\d+) frames?`).FindStringSubmatch(latency.Note)
			lost := uint64(0)
			if unreceived != nil {
				var err error
				lost, err = strconv.ParseUint(unreceived[1], 10, 64)
				require.NoError(t, err)
			}
			require.Equal(t, report.Frames.Sent, took+lost)
			if name == "bus-sensors" { // all are received, and wait only for their bus
				require.Equal(t, report.Frames.Blocked, waited)
			}
			sends, hears := 0.0, 0.0
			for _, l := range line.Lanes {
				sends, hears = sends+over(l.Sends, line.Width, report.Slots), hears+over(l.Hears, line.Width, report.Slots)
			}
			if name == "ej-faults" { // some send several frames in a slot, and not all are drawn
				return
			}
			require.InDelta(t, float64(report.Frames.Sent), sends, 1e-6)
			if name != "crossbar-faults" { // where an output queues, several frames are heard in a slot
				require.InDelta(t, float64(report.Frames.Delivered), hears, 1e-6)
			}
		})
	}
}

// TestPicturesOfViolations checks that a picture of many processors draws those with violations, and shows other
// violations in a row of their own.
func TestPicturesOfViolations(t *testing.T) {
	_, c := seenRun(t, "bus-gossip", starloom.MachineOptions{})
	line := c.Timeline("", []picture.Violation{
		{Slot: 3, Rule: starloom.RuleTrap, Path: "bus.nic[57]"}, {Slot: 4, Rule: starloom.RuleFinishes, Path: "bus.bus[7]"}, {Slot: 5,
			Rule: starloom.RuleTrap, Path: "bus.nic[57]"},
		{Slot: 6, Rule: starloom.RuleTrap, Path: "bus.nic[58]"},
	})
	require.Len(t, line.Lanes, 32)
	lane := line.Marks[0].Lane
	require.Equal(t, "bus.nic[57]", line.Lanes[lane].Name)
	require.Equal(t, []picture.Mark{{Slot: 3, Lane: lane}, {Slot: 4, Lane: -1, Name: "bus.bus[7]"}, {Slot: 5, Lane: lane}, {Slot: 6, Lane: lane + 1}}, line.Marks)
	svg, err := line.SVG()
	require.NoError(t, err)
	for _, want := range []string{">bus.bus[7]<", "The picture shows 32 of 100 processors: those that broke a rule",
		"Broken: firmware_trap at bus.nic[57] in slot 3;", "and 1 more."} {
		require.Contains(t, string(svg), want)
	}
}

// TestPicturesCollide: on a passive star two frames or more are a collision, and one is not.
func TestPicturesCollide(t *testing.T) {
	report, c := seenRun(t, "pops-4x4-faults", starloom.MachineOptions{})
	heat := c.Heat("")
	met := 0.0
	for i, row := range heat.Panels[0].Values {
		for k, frames := range row {
			collided := heat.Panels[1].Values[i][k]
			require.Equal(t, frames > 1, collided == 1, "row %d, slot %d", i, k)
			if collided == 1 {
				met += frames
			}
		}
	}
	require.Equal(t, float64(report.Frames.Collided), met)
	require.Positive(t, met)
}

// TestPicturesAfterRestore: they begin where the run was restored, and say so.
func TestPicturesAfterRestore(t *testing.T) {
	s, err := starloom.LoadScenario("examples/pops-4x4-faults.yaml")
	require.NoError(t, err)
	dir := t.TempDir()
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{State: starloom.StateFiles{Save: dir + "/state"}, BreakOn: starloom.Break{Slot: 10}})
	require.NoError(t, err)
	var heat bytes.Buffer
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{State: starloom.StateFiles{Restore: dir + "/state"}, SVG: starloom.Pictures{Heat: starloom.Writer(&heat)}})
	require.NoError(t, err)
	require.Contains(t, heat.String(), "The picture begins at slot")
}
