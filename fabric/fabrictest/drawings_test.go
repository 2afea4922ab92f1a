package fabrictest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
)

// TestMeshDrawn compares a mesh drawn by hand with its shorthand: digest and capture, in both engines.
func TestMeshDrawn(t *testing.T) {
	const hand = `fabric:
  netlist:
    nodes: {"p[0..8]": {kind: processor, ports: [east, west, north, south], open: [east, west, north, south]}}
    links:
      - ["p[0..1]:east", "p[1..2]:west"]
      - ["p[3..4]:east", "p[4..5]:west"]
      - ["p[6..7]:east", "p[7..8]:west"]
      - ["p[0..5]:north", "p[3..8]:south"]
`
	var digests []string
	var captures [][]byte
	for _, network := range []string{hand, "fabric: {netlist: {mesh: {k: [3, 3]}}}\n"} {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			s := parsed(t, network+"firmware: {program: netlist/next-hop}\nseed: 5")
			var capture bytes.Buffer
			o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine},
				Record: starloom.RecordOptions{PCAPNG: starloom.Writer(&capture)}}
			report, err := starloom.Run(t.Context(), s, o)
			require.NoError(t, err)
			require.Equal(t, starloom.VerdictPass, report.Verdict)
			require.Greater(t, report.Frames.Sent, uint64(9))
			digests = append(digests, report.Digest)
			captures = append(captures, bytes.ReplaceAll(capture.Bytes(), []byte(s.Hash()), make([]byte, 64)))
		}
	}
	require.Equal(t, slices.Repeat(digests[:1], 4), digests)
	for _, capture := range captures[1:] {
		require.True(t, bytes.Equal(captures[0], capture))
	}
}

// TestRoutes requires that packets take the drawn routes, and that programs work without a table of routes.
func TestRoutes(t *testing.T) {
	frames := func(routes string) uint64 {
		s := parsed(t, "fabric: {netlist: {ring: {n: 4}"+routes+"}}\nfirmware: {program: netlist/next-hop}\nworkload: {permutation: [1, 2, 3, 0]}")
		var sent []uint64
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			report, err := starloom.Run(t.Context(), s,
				starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
			require.NoError(t, err)
			require.Equal(t, starloom.VerdictPass, report.Verdict)
			sent = append(sent, report.Frames.Sent)
		}
		require.Equal(t, sent[0], sent[1])
		return sent[0]
	}
	require.Equal(t, uint64(4), frames(""))
	require.Equal(t, uint64(12), frames(", routes: {default: none, 'p[0..3]': {'p[0..3]': west}}"))
	require.Equal(t, uint64(6), frames(", routes: {'p[0]': {'p[1]': west}, 'p[2..3]': {'p[1]': west}}"), "p[0] over p[3] and p[2]: 3 hops")
	_, err := starloom.ParseScenario("n.yaml", []byte("starloom: 1\nfabric: {netlist: {ring: {n: 4}, routes: none}}\nfirmware: {program: netlist/next-hop}\n"))
	require.ErrorContains(t, err, "netlist/next-hop")
	report, err := starloom.Run(t.Context(), parsed(t, "fabric: {netlist: {ring: {n: 4}, routes: none}}\nfirmware: {program: netlist/flood}\nworkload: {one_to_all: {source: 1}}"), starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
}
