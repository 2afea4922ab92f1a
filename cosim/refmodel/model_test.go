package refmodel_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/refmodel"
	"starloom/cosim/twin"
	"starloom/firmware"
)

// image compiles a model.
func image(t *testing.T, text string) ([]byte, error) {
	dir := t.TempDir()
	source, wasm := filepath.Join(dir, "model.c"), filepath.Join(dir, "model.wasm")
	require.NoError(t, os.WriteFile(source, []byte("#include \"starloom_model.h\"\n"+text), 0o600))
	err := firmware.Build(context.Background(), firmware.BuildOptions{Source: source, Output: wasm,
		Verify: func(image []byte) error {
			m, err := refmodel.Load(image)
			if err == nil {
				err = m.Close()
			}
			return err
		}})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(wasm)
}

func load(t *testing.T, text string) *refmodel.Model {
	wasm, err := image(t, text)
	require.NoError(t, err)
	require.True(t, refmodel.Is(wasm))
	m, err := refmodel.Load(wasm)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func open(t *testing.T, m *refmodel.Model) cosim.Device {
	d, err := m.Open(cosim.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

const adder = `
SL_IN(8, step)
SL_WIDE_IN(70, wide)
SL_OUT(4, sum)
SL_WIDE_OUT(70, copy)
static uint64_t total;
void reset(void) { total = 3; }
void settle(void) { sum = total; copy[0] = wide[0]; copy[1] = ~wide[1]; }
void edge(void) { total += step; }
`

func TestModelsRun(t *testing.T) {
	d := open(t, load(t, adder))
	var names []string
	for _, p := range d.Ports() {
		names = append(names, fmt.Sprint(p.Name, p.Bits, p.Input, p.Clock, p.Word))
	}
	require.Equal(t, []string{"clock1 true true -1", "reset1 true false 0", "step8 true false 1", "wide70 true false 2",
		"sum4 false false 0", "copy70 false false 1"}, names)
	require.Equal(t, []uint64{3, 0, 0x3f}, d.Outputs(), "a device begins in reset; outputs have their width")
	copy(d.Inputs(), []uint64{0, 0x105, 7, 0xffff}) // bit 8 of step is beyond its width
	require.NoError(t, d.Edge(1))
	require.Equal(t, []uint64{8, 7, 0}, d.Outputs())
	require.NoError(t, d.Step(1, 2))
	require.Equal(t, []uint64{2, 7, 0}, d.Outputs())
	require.NoError(t, d.Edge(0), "no clock rises")
	require.Equal(t, uint64(2), d.Outputs()[0])
	d.Inputs()[0] = 1
	require.NoError(t, d.Edge(1))
	require.Equal(t, uint64(3), d.Outputs()[0])
}

func TestStatesReturn(t *testing.T) {
	for _, text := range []string{adder, strings.Replace(strings.Replace(adder, "static uint64_t total;",
		"static uint64_t total; static uint64_t *page; static void grow(void) {"+
			" if (total != 13) return; page = (uint64_t *)(__builtin_wasm_memory_grow(0, 1) << 16); *page = 9; }", 1),
		"{ total += step; }", "{ total += step; if (page) total += *page; grow(); }", 1)} {
		m := load(t, text)
		d, other := open(t, m), open(t, m)
		d.Inputs()[1] = 5
		start, err := d.Save()
		require.NoError(t, err)
		require.NoError(t, d.Step(1, 2))
		saved, err := d.Save()
		require.NoError(t, err)
		difference, size, err := d.(cosim.Keeper).SaveSince(start)
		require.NoError(t, err)
		require.Positive(t, size)
		sequence := func(d cosim.Device) (all []uint64) {
			for range 5 {
				require.NoError(t, d.Edge(1))
				all = append(all, d.Outputs()...)
			}
			return all
		}
		want := sequence(d)
		other.Inputs()[1] = 5
		require.NoError(t, other.Restore(saved))
		require.Equal(t, want, sequence(other))
		require.NoError(t, other.(cosim.Keeper).RestoreSince(start, difference))
		require.Equal(t, want, sequence(other))
		require.Error(t, other.Restore(nil))
	}
}

func TestStateIsShown(t *testing.T) {
	text := strings.Replace(adder, "static uint64_t total;",
		"static uint64_t total; static uint8_t low[12], never[8]; static const uint64_t fixed = 7;", 1)
	text = strings.Replace(text, "~wide[1]", "low[8 | (step & 1)] + never[step & 7]", 1)
	text = strings.Replace(text, "{ total += step; }", "{ total += step; low[8 | (step >> 3 & 1)] = (uint8_t)(step & fixed); if (total == 1) never[0] = 1; }", 1)
	wasm, err := image(t, text)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "model.wasm")
	require.NoError(t, os.WriteFile(path, wasm, 0o600))
	g := &twin.Given{Source: cosim.Source{Top: "model", Files: []string{path}}}
	require.NoError(t, refmodel.LoadGiven(t.Context(), g, cosim.BuildOptions{}))
	defer func() { require.NoError(t, g.Shape.Close()) }()
	names := map[string]int{}
	for i, r := range g.Shape.Registers {
		names[r.Name] = i
	}
	require.Len(t, names, 2, "ports, constants and what does not change are no state")
	require.Contains(t, names, "total[0]")
	require.Contains(t, names, "low[2]")
	d, err := g.Shape.Open()
	require.NoError(t, err)
	defer d.Close()
	inside := d.(interface{ Inside() []uint64 }).Inside()
	d.Inputs()[1] = 5
	require.NoError(t, d.Edge(1))
	require.Equal(t, uint64(8), inside[names["total[0]"]])
	require.Equal(t, uint64(5), inside[names["low[2]"]])
	saved, err := d.Save()
	require.NoError(t, err)
	require.NoError(t, d.Edge(1))
	require.Equal(t, uint64(13), inside[names["total[0]"]])
	require.NoError(t, d.Restore(saved))
	require.Equal(t, uint64(8), inside[names["total[0]"]])
}

func TestLeftOutputsFollow(t *testing.T) {
	m := load(t, `
SL_IN(4, request)
SL_LEFT(2, chosen)
SL_OUT(1, valid)
void settle(void) { valid = request != 0; }
void follow(void) { if (!(request >> chosen & 1)) chosen = __builtin_ctzll(request | 16) & 3; }
`)
	d := open(t, m).(*refmodel.Device)
	require.Equal(t, []string{"chosen"}, d.Left())
	d.Inputs()[0] = 0b1010
	d.Follow([]uint64{3})
	require.NoError(t, d.Settle())
	require.Equal(t, []uint64{3, 1}, d.Outputs(), "an allowed value stays")
	d.Follow([]uint64{2})
	require.NoError(t, d.Settle())
	require.Equal(t, []uint64{1, 1}, d.Outputs())
}

func TestFaultsHavePlaces(t *testing.T) {
	d := open(t, load(t, strings.Replace(adder, "total += step;", "if (step == 200) for (;;) total *= 3;\n"+
		" if (step == 201) __builtin_trap();\n total += step;", 1)))
	d.Inputs()[1] = 201
	err := d.Edge(1)
	var fault *cosim.Fault
	require.ErrorAs(t, err, &fault)
	require.Contains(t, fault.Text, "unreachable in edge at model.c:11")
	require.ErrorAs(t, d.Settle(), &fault, "a fault ends the device")
	d = open(t, load(t, strings.Replace(adder, "total += step;", "if (step == 200) for (;;) { total *= 3; step = total; }\n"+
		" total += step;", 1)))
	d.Inputs()[1] = 200
	require.ErrorAs(t, d.Edge(1), &fault)
	require.Equal(t, cosim.FaultHang, fault.Kind)
}

func TestModelsAreRefused(t *testing.T) {
	for _, c := range []struct{ old, new, wants string }{
		{"sum = total;", "sum = total++;", "settle is not pure: after settle with other inputs in cycle 0 of a test with random inputs, sum is"},
		{"sum = total;", "static uint64_t last; sum = last; last = step;", "settle is not pure"},
		{"void reset(void) { total = 3; }", "", "exports only one of edge and reset; define both"},
		{"void settle(", "void settled(", "does not export settle; define void settle(void)"},
		{"SL_OUT(4, sum)", "SL_OUT(4, step)", "redefinition of 'sl_port_step'"},
		{"SL_OUT(4, sum)", "SL_OUT(4, sum) SL_OUT(1, reset)", "redefinition of 'reset' as different kind of symbol"},
		{"SL_OUT(4, sum)", "SL_OUT(4, sum) SL_OUT(1, clock)", "there are two ports clock; rename one"},
		{"SL_OUT(4, sum)", "SL_OUT(65, sum)", "sum has more than 64 bits: use SL_WIDE_IN or SL_WIDE_OUT"},
		{"SL_OUT(4, sum)", "SL_OUT(0, sum)", "port sum has 0 bits; give 1 to 65536 bits"},
		{"SL_OUT(4, sum)", "SL_OUT((2 + 2), sum)", `the width of port sum is "(2 + 2)", not a number`},
		{"SL_OUT(4, sum)", "SL_LEFT(4, sum)", "leaves a port to the RTL, but has no follow"},
		{"void reset", "void follow(void) {} void reset", "exports follow, but leaves no port to the RTL"},
		{"total += step;", "extern void say(void); say();", "undefined symbol: say"},
	} {
		require.Contains(t, adder, c.old)
		_, err := image(t, strings.Replace(adder, c.old, c.new, 1))
		require.ErrorContains(t, err, c.wants, c.new)
	}
	require.False(t, refmodel.Is(nil))
	require.False(t, refmodel.Is([]byte("\x00asm\x01\x00\x00\x00")))
}
