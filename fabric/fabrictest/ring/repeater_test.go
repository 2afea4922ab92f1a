package ring

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim/twin"
	"starloom/fabric"
	"starloom/firmware"
	"starloom/hw"
)

// repeated is a ring with a repeater, a component defined here, at each link.
type repeated struct{ Ring }

// repeaters pass light on in the same cycle.
type repeaters struct {
	*hw.Fibre
	phit int
}

func newRepeaters(path string, clock *hw.Clock, in, out *hw.Light, phit int) (repeaters, error) {
	fibre, err := hw.NewFibre(path, clock, in, out, 0)
	return repeaters{fibre, phit}, err
}

// Site names the model and ports of a repeater for RTL.
func (r repeaters) Site() *hw.Site {
	site := r.Fibre.Site()
	site.Twin, site.What, site.Parameters = "repeater", "repeaters", hw.Same(map[string]int{"PHIT_BITS": r.phit})
	return site
}

func (r repeated) Abilities() fabric.Abilities {
	return fabric.Abilities{Twins: fabric.Twins{Parts: []twin.Twin{{
		Name: "repeater", Does: "passes light on", Components: []string{"ring.repeaters"}, Sets: []twin.Parameters{{"PHIT_BITS": 8}},
		Build: func(m *twin.Model, p twin.Parameters) error {
			var lights []*hw.Light
			for _, name := range []string{"near", "far"} {
				light, err := hw.NewLight(hw.Bank{Name: name, Units: 1, PerUnit: 1}, "light", p["PHIT_BITS"], m.Shards(), nil)
				if err != nil {
					return err
				}
				lights = append(lights, light)
			}
			part, err := newRepeaters("repeater", m.Kernel().Clock(), lights[0], lights[1], p["PHIT_BITS"])
			if err != nil {
				return err
			}
			return m.Stand(part)
		},
	}}}}
}

// Build puts a repeater and a wire after every transmitter.
func (r repeated) Build(p fabric.Plant) error {
	leaves, hears := make([]uint32, 2*r.Nodes), hw.Gather{Inputs: 2}
	for link := range leaves {
		leaves[link] = uint32(link)
		hears.Wires = append(hears.Wires, uint32(r.heard(link/2, link%2)))
	}
	readers, err := hears.Readers(2 * r.Nodes)
	if err != nil {
		return err
	}
	near, err := p.Light(p.Bank("out", "", 2), nil)
	if err != nil {
		return err
	}
	medium, err := hw.NewStarCouplers(p.Transmitters().Light(), p.Transmitters().Ports(), near, leaves, 1)
	if err != nil {
		return err
	}
	strong, err := p.Light(p.Bank("out", "repeater", 2), nil)
	if err != nil {
		return err
	}
	part, err := newRepeaters(strong.Bank().Path(), p.Clock(), near, strong, p.Timing().PhitBits)
	if err != nil {
		return err
	}
	far, err := p.Light(p.Bank("out", "wire", 2), readers)
	if err != nil {
		return err
	}
	links, err := hw.NewFibre(far.Bank().Path(), p.Clock(), strong, far, p.Timing().PropagationCycles)
	if err != nil {
		return err
	}
	return p.Carry(fabric.Media{Medium: medium, Links: links, Far: far, Hears: hears, Parts: []hw.Component{part}})
}

const repeaterRTL = `module amplifier #(parameter W = 1) (input [W-1:0] a1, input [W-1:0] a0, output [W-1:0] y1, output [W-1:0] y0);
  assign y1 = a1; assign y0 = a0;
endmodule
`

// TestOwnComponent replaces a component of a Go network by RTL, by means of a pin map that names its model, and
// compares both on the inputs of a run. The comparison finds a mistake.
func TestOwnComponent(t *testing.T) {
	dir := t.TempDir()
	image := filepath.Join(dir, "router.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/router.c", Output: image}))
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("amplifier.v", repeaterRTL)
	scenario := func(rtl ...starloom.RTL) *starloom.Scenario {
		s := starloom.DefaultScenario()
		s.Name, s.Fabric.Custom, s.Firmware.Image, s.RTL = "repeated", repeated{Ring{5}}, image, rtl
		s.Rules, s.Stop.Slots = &starloom.Rules{ExactlyOnce: true}, 6
		s.Link.PhitBits = 8
		return s
	}
	run := func(s *starloom.Scenario) *starloom.Report {
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		return report
	}
	attached := write("good.yml", "model: repeater\ntop: amplifier\nsources: [amplifier.v]\nparams: {W: 8}\n"+
		"pins: {rail1_i: a1, rail0_i: a0, rail1_o: y1, rail0_o: y0}\n")
	crossed := write("crossed.yml", "model: repeater\ntop: amplifier\nsources: [amplifier.v]\nparams: {W: 8}\n"+
		"pins: {rail1_i: a1, rail0_i: a0, rail1_o: y0, rail0_o: y1}\n")
	want := run(scenario())
	require.EqualValues(t, "pass", want.Verdict)
	good := run(scenario(starloom.RTL{Replace: "ring.node[*].out[*].repeater", Map: attached}))
	require.Len(t, good.RTL, 10)
	require.Equal(t, want.Digest, good.Digest)
	require.NotEqual(t, want.Digest, run(scenario(starloom.RTL{Replace: "ring.node[1].out[0].repeater", Map: crossed})).Digest)

	for path, verdict := range map[string]string{attached: "pass", crossed: "fail"} {
		recorded, err := starloom.RecordRTL(t.Context(), scenario(starloom.RTL{Replace: "ring.node[1].out[0].repeater", Map: path}))
		require.NoError(t, err)
		check, err := starloom.CheckRTL(t.Context(), recorded, starloom.CheckOptions{}, nil)
		require.NoError(t, err)
		require.Equal(t, verdict, check.Report.Verdict)
		require.NoError(t, recorded.Close())
	}
	networks := starloom.Networks{repeated{}}
	m, err := networks.LoadPinMap(attached)
	require.NoError(t, err)
	m.Parameters["PHIT_BITS"] = 8
	report, err := starloom.CosimCheck(t.Context(), m, starloom.CheckOptions{}) // on random inputs
	require.NoError(t, err)
	require.Equal(t, "pass", report.Verdict)
	require.NoError(t, m.Close())
	_, err = networks.TwinMap("repeater", nil, "")
	require.ErrorContains(t, err, "there is no Verilog of the model repeater; attach your own RTL with a pin map")
}
