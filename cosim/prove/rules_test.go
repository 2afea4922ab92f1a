//go:build linux

package prove

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// TestLongRulesOfNeighbours checks that the miter compares while its inputs obey the rules of a router's neighbours,
// as in the model.
func TestLongRulesOfNeighbours(t *testing.T) {
	twins := library().Twins
	router := twins[slices.IndexFunc(twins, func(t twin.Twin) bool { return t.Name == "vc_router" })]
	m := twinMap(t, "vc_router", router.Sets[1])
	model, err := m.NewModel()
	require.NoError(t, err)
	defer model.Close()
	d, err := m.Open(context.Background(), cosim.Options{})
	require.NoError(t, err)
	defer d.Close()
	device := d.(*pinmap.Device)
	b := &builder{ctx: context.Background(), dir: t.TempDir(), m: m, model: model, wires: device.Wires,
		terms: device.Terms(), rules: true}
	made, err := b.build()
	require.NoError(t, err)

	start, err := model.Save()
	require.NoError(t, err)
	random, drawn := rand.New(rand.NewPCG(1, 1)), twin.NewRandom(1)
	var a *agreement
	broken, kept := map[string]int{}, 0
	for cycle := range uint64(6000) {
		if a == nil {
			require.NoError(t, model.Restore(start))
			a = made.agreement()
		}
		drawn.At(cycle)
		inputs := model.Inputs()
		model.Use(drawn, inputs)
		if random.IntN(20) == 0 { // inputs that may break the rules
			for _, p := range model.Ports() {
				if p.Input && !p.Clock {
					inputs[p.Word] ^= 1 << random.IntN(p.Bits)
				}
			}
		}
		first := a.cycles == 0
		inputs[model.ResetWord()] = bit(first)
		a.cycles++
		a.put(inputs)
		a.in[a.on] = ^uint64(0)
		a.sim.settle(a.in)
		rule := ""
		if !first {
			rule = model.Keep(slices.Clone(inputs))
			compares := a.sim.of(a.graph.outputs[a.comparable])
			require.Equal(t, rule == "", compares == ^uint64(0), "cycle %d: %s", cycle, rule)
			require.Equal(t, rule != "", compares == 0)
		}
		a.sim.edge()
		if rule != "" {
			for _, kind := range []string{"has no room", "with head", "to no output, or to several", "although no flit is out"} {
				if strings.Contains(rule, kind) {
					broken[kind]++
				}
			}
			a = nil
			continue
		}
		kept++
		require.NoError(t, model.Settle())
		model.Latch()
	}
	require.Greater(t, kept, 4000)
	require.Len(t, broken, 4, broken)
	t.Log(kept, broken)
}

// TestLongRouterRefuted checks that RTL that relies on its neighbours but forgets an outstanding credit is refuted by
// inputs that neighbours may send.
func TestLongRouterRefuted(t *testing.T) {
	file := filepath.Join("testdata", "equal", "router_trusting.v")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	m := designMap(t, file)
	m.Source.Files[0] = filepath.Join(t.TempDir(), "forgets.v")
	forgets := strings.Replace(string(text), "out <= goes || out && !back;", "out <= goes;", 1)
	require.NotEqual(t, string(text), forgets)
	require.NoError(t, os.WriteFile(m.Source.Files[0], []byte(forgets), 0o644))
	r := runProof(t, m, Options{engines: true})
	require.Equal(t, Differs, r.Verdict)
	require.NotEmpty(t, r.RuleBroken, "what it trusts was refuted first")
}
