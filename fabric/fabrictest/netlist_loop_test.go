package fabrictest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/fabric/netlist"
	"starloom/hw"
)

// crossed is a netlist whose stars s and r send into each other, which a drawing refuses: its hardware from Go is a
// loop without a register.
type crossed struct{ netlist.Network }

// Build builds them on a plant that adds the ways.
func (c crossed) Build(p fabric.Plant) error { return c.Network.Build(crossing{p}) }

// crossing is a plant that carries more than it is given.
type crossing struct{ fabric.Plant }

// Carry adds the ways between the stars.
func (p crossing) Carry(m fabric.Media) error {
	ports := contend.SendersOf(p).Ports
	var lights []*hw.Light
	for _, star := range []string{"netlist.s.round", "netlist.r.round"} {
		light, err := p.Light(hw.Bank{Name: star, Units: 1, PerUnit: len(ports.Value)}, nil)
		if err != nil {
			return err
		}
		lights = append(lights, light)
	}
	for i, in := range lights {
		star, err := hw.NewDrawnCouplers(in, ports, lights[1-i], make([]uint32, len(ports.Value)), 1)
		if err != nil {
			return err
		}
		m.Parts = append(m.Parts, star)
	}
	return p.Plant.Carry(m)
}

const twoStars = `fabric: {netlist: {nodes: {"p[0..1]": processor, s: star, r: star}, links: [["p[0..1]", s], ["p[0..1]", r]LINK]}}
firmware: {program: netlist/flood}
workload: {one_to_all: {source: 0}}
`

// TestNetlistLoop: stars that send into each other would be a combinational loop. As a drawing they are refused with
// their place; what hardware from Go closes is found by the kernel, which names the nodes in the way of the light.
func TestNetlistLoop(t *testing.T) {
	_, err := starloom.ParseScenario("n.yaml", []byte("starloom: 1\n"+strings.Replace(twoStars, "LINK", ", [s, r]", 1)))
	require.ErrorContains(t, err, "n.yaml:2:109: a link joins two stars: their light would circulate; put a processor "+
		"between them")
	s := parsed(t, strings.Replace(twoStars, "LINK", "", 1))
	_, err = starloom.NewMachine(t.Context(), s, starloom.MachineOptions{Engine: starloom.EngineCycle})
	require.NoError(t, err)
	s.Fabric = starloom.Fabric{Custom: crossed{*s.Fabric.Netlist}}
	_, err = starloom.NewMachine(t.Context(), s, starloom.MachineOptions{Engine: starloom.EngineCycle})
	require.ErrorContains(t, err, "combinational loop: netlist.r.round -> netlist.r.round.light -> netlist.s.round -> "+
		"netlist.s.round.light -> netlist.r.round; add a register to it")
}

// TestLongNetlistRTLLoop: RTL of a star that feeds its own output back without a register ends the run, with the node,
// the cycle, and what helps.
func TestLongNetlistRTLLoop(t *testing.T) {
	folder := t.TempDir()
	source, err := os.ReadFile("../../cosim/rtl/star_coupler.v")
	require.NoError(t, err)
	const from, to = "assign violation_o = |(rail1_o & rail0_o);", "wire loop; assign loop = rail1_o[0] & ~loop; assign violation_o = |(rail1_o & rail0_o) | loop;"
	require.Contains(t, string(source), from)
	for name, content := range map[string]string{
		"loop.v": strings.Replace(string(source), from, to, 1),
		"loop.yml": "model: star_coupler\ntop: star_coupler\nsources: [loop.v]\nparams: {D: $D, PHIT_BITS: $PHIT_BITS}\n" +
			"pins: {rail1_i: rail1_i, rail0_i: rail0_i, rail1_o: rail1_o, rail0_o: rail0_o, violation_o: violation_o}\n",
		"s.yaml": "starloom: 1\nfabric: {netlist: {nodes: {\"p[0..3]\": processor, hub: {kind: star, rtl: {map: loop.yml, backend: " + cosim.BackendWasm + "}}}, links: [[\"p[0..3]\", hub]]}}\n" +
			"firmware: {program: netlist/next-hop}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	s, err := starloom.LoadScenario(filepath.Join(folder, "s.yaml"))
	require.NoError(t, err)
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.Equal(t, "rtl_fault", report.Violations[0].Rule)
	require.Equal(t, "netlist.hub", report.Violations[0].Path)
	require.Positive(t, report.Violations[0].Cycle)
	require.Contains(t, report.Violations[0].Message, "combinational logic does not settle: add a register to the "+
		"loop: ")
}
