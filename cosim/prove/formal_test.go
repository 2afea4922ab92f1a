//go:build linux

package prove

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/flatten"
)

// trial is a graph that holds the prints of items and their meaning.
type trial struct {
	t             *testing.T
	dir           string
	graph         *graph
	named, free   []int // inputs
	inputs        map[string]int
	got           [][]uint32
	want, sure, x [][]uint32 // by output and bit
}

const trialScript = `
design -copy-from print -as m m
design -copy-from meant -as r r
read_verilog miter.v
hierarchy -check -top both
proc
flatten
opt_clean
wreduce ` + logicOnly + `
techmap -map divide.v
opt_expr ` + logicOnly + `
opt_clean
techmap
opt_clean
simplemap
aigmap
insbuf
techmap -map buffer.v
write_aiger -map both.map both.aig
`

func newTrial(t *testing.T, print, reference string, outputs int) *trial {
	dir := t.TempDir()
	width := outputBits * len(parametersDrawn)
	var ports, connected, both string
	for _, p := range portsDrawn {
		ports += fmt.Sprintf("input [%d:0] %s, ", p.bits-1, p.name)
		connected += fmt.Sprintf(".%s(%s), ", p.name, p.name)
	}
	m, r := "m side("+connected, "r meant("+connected
	for i := range outputs {
		both += fmt.Sprintf(", output [%d:0] got%d, want%d, ok%d, x%d", width-1, i, i, i, i)
		m += fmt.Sprintf(".o%d(got%d), ", i, i)
		r += fmt.Sprintf(".o%d(want%d), .ok%d(ok%d), .x%d(x%d), ", i, i, i, i, i, i)
	}
	for name, text := range map[string]string{
		"m.v": print, "r.v": reference, "shift.v": shiftMap, "divide.v": divideMap, "buffer.v": bufferMap,
		"miter.v": "module both(" + ports + strings.TrimPrefix(both, ", ") + ");\n  " +
			strings.TrimSuffix(m, ", ") + ");\n  " + strings.TrimSuffix(r, ", ") + ");\nendmodule\n",
		"script": sideScript("m", "print", nil, false) + "read_verilog r.v\nproc\nopt_expr\nwreduce\nopt_clean\ndesign -stash meant\n" + trialScript,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	_, err := runYosys(context.Background(), dir, "script", 4<<30)
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(dir, "both.aig"))
	require.NoError(t, err)
	names, err := os.ReadFile(filepath.Join(dir, "both.map"))
	require.NoError(t, err)
	g, err := readAIGER(data)
	require.NoError(t, err)
	s, err := readMap(string(names), g.inputs, len(g.outputs))
	require.NoError(t, err)
	tr := &trial{t: t, dir: dir, graph: g, free: s.free, inputs: s.inputs}
	for i := range g.inputs {
		if !slices.Contains(s.free, i) {
			tr.named = append(tr.named, i)
		}
	}
	literals := func(name string, i int) (list []uint32) {
		for bit := range width {
			if at, ok := s.outputs[fmt.Sprintf("%s%d[%d]", name, i, bit)]; ok {
				list = append(list, g.outputs[at])
			} else {
				list = append(list, 0)
			}
		}
		return list
	}
	for i := range outputs {
		tr.got, tr.want = append(tr.got, literals("got", i)), append(tr.want, literals("want", i))
		tr.sure, tr.x = append(tr.sure, literals("ok", i)), append(tr.x, literals("x", i))
	}
	return tr
}

// with copies the gates with some inputs fixed. become maps literals to the copy.
func (tr *trial) with(g *graph, free, named []bool) (become func(uint32) uint32) {
	to := make([]uint32, tr.graph.variables())
	for i := range tr.graph.inputs {
		to[1+i] = uint32(2 * (1 + i))
	}
	for i, v := range tr.free {
		if free != nil {
			to[1+v] = map[bool]uint32{true: 1}[free[i]]
		}
	}
	for _, v := range tr.named {
		if named != nil {
			to[1+v] = map[bool]uint32{true: 1}[named[v]]
		}
	}
	become = func(l uint32) uint32 { return to[l/2] ^ l&1 }
	for i, in := range tr.graph.gates {
		to[tr.graph.firstGate()+uint32(i)] = g.and(become(in[0]), become(in[1]))
	}
	return become
}

func (g *graph) xor(a, b uint32) uint32 { return g.or([]uint32{g.and(a, b^1), g.and(a^1, b)}) }

// find returns inputs for which a literal is 1, or nil.
func (tr *trial) find(g *graph, bad uint32) []bool {
	if bad == 0 {
		return nil
	}
	g.outputs = []uint32{bad}
	g.merge()
	e := engine{name: "iprove", script: func(int) string { return "strash; iprove" }}
	a, err := e.run(context.Background(), tr.dir, "ask", g, time.Minute)
	require.NoError(tr.t, err)
	if a.refuted {
		require.NotEmpty(tr.t, a.inputs)
		return a.inputs[0]
	}
	require.True(tr.t, a.proved, "undecided: %d gates", len(g.gates))
	return nil
}

// differs returns inputs and values of X for which known bits of one of the outputs differ, or nil.
func (tr *trial) differs(outputs ...int) []bool {
	g := &graph{inputs: tr.graph.inputs}
	to := tr.with(g, nil, nil)
	var bad []uint32
	for _, i := range outputs {
		for bit, ok := range tr.sure[i] {
			bad = append(bad, g.and(to(ok), g.xor(to(tr.got[i][bit]), to(tr.want[i][bit]))))
		}
	}
	return tr.find(g, g.or(bad))
}

// wish is a literal that some value of X must make 1 while another literal holds.
type wish struct {
	counts uint32
	made   func(g *graph, to func(uint32) uint32) uint32
	said   string
	output int
	at     []bool // inputs for which no value of X fulfils the wish
}

// unfulfilled returns the wishes that no value of X fulfils for some inputs.
func (tr *trial) unfulfilled(wishes []wish) (list []wish) {
	random := rand.New(rand.NewPCG(1, 1))
	draw := func(share int) []bool {
		free := make([]bool, len(tr.free))
		for i := range free {
			free[i] = random.IntN(4) < share
		}
		return free
	}
	tried := [][]bool{draw(0), draw(4), draw(2), draw(2), draw(2), draw(1), draw(3)}
	for len(wishes) > 0 {
		g := &graph{inputs: tr.graph.inputs}
		counts, bad := make([]uint32, len(wishes)), make([][]uint32, len(wishes))
		for k, free := range tried {
			to := tr.with(g, free, nil)
			for i, w := range wishes {
				if k == 0 {
					counts[i] = to(w.counts)
				}
				bad[i] = append(bad[i], w.made(g, to))
			}
		}
		var any []uint32
		for i := range wishes {
			any = append(any, g.and(counts[i], g.or(bad[i])^1))
		}
		at := tr.find(g, g.or(any))
		if at == nil {
			break
		}
		left := wishes[:0:0]
		for _, w := range wishes {
			switch free, ok := tr.freely(w, at, tried); {
			case !ok:
				w.at = at
				list = append(list, w)
			case free != nil:
				tried = append(tried, free)
				fallthrough
			default:
				left = append(left, w)
			}
		}
		wishes = left
	}
	return list
}

// freely returns a value of X that fulfils a wish for some inputs; nil if it was tried before, or if the wish does
// not apply.
func (tr *trial) freely(w wish, at []bool, tried [][]bool) (free []bool, ok bool) {
	for k := -1; k < len(tried); k++ {
		g := &graph{inputs: tr.graph.inputs}
		to := tr.with(g, tried[max(k, 0)], at)
		if k < 0 && to(w.counts) == 0 || k >= 0 && w.made(g, to) == 1 {
			return nil, true
		}
	}
	g := &graph{inputs: tr.graph.inputs}
	values := tr.find(g, w.made(g, tr.with(g, nil, at)))
	if values == nil {
		return nil, false
	}
	for _, v := range tr.free {
		free = append(free, values[v])
	}
	return free, true
}

// shown formats inputs and an output.
func (tr *trial) shown(in []bool, output int) string {
	values := make([]uint64, tr.graph.inputs)
	for i, is := range in {
		if is {
			values[i] = 1
		}
	}
	sim := tr.graph.simulation()
	sim.settle(values)
	var text strings.Builder
	for _, p := range portsDrawn {
		v := uint64(0)
		for bit := range p.bits {
			if at, ok := tr.inputs[fmt.Sprintf("%s[%d]", p.name, bit)]; ok {
				v |= values[at] << bit
			}
		}
		fmt.Fprintf(&text, "%s=%d'h%x ", p.name, p.bits, v)
	}
	for n, at := range parametersDrawn {
		fmt.Fprintf(&text, "N=%d:", at)
		for k, list := range [][]uint32{tr.got[output], tr.want[output], tr.sure[output], tr.x[output]} {
			v := uint64(0)
			for bit, l := range list[n*outputBits : (n+1)*outputBits] {
				v |= sim.of(l) & 1 << bit
			}
			fmt.Fprintf(&text, " %s %x", []string{"got", "want", "sure", "x"}[k], v)
		}
		text.WriteString("; ")
	}
	return text.String()
}

var placeInFile = regexp.MustCompile(`m\.sv:(\d+)`)

// printed prints the items that can be printed, and logs the others.
func printed(t *testing.T, items []*drawn) (*flatten.Module, []*drawn) {
	file := filepath.Join(t.TempDir(), "m.sv")
	for {
		text, where := source(items)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		m, err := flatten.Print(context.Background(), cosim.Source{Top: "m", Files: []string{file}}, cosim.BuildOptions{Cache: testCache})
		if err == nil {
			return m, items
		}
		var refused *cosim.InputError
		found := placeInFile.FindStringSubmatch(err.Error())
		require.True(t, errors.As(err, &refused) && found != nil, "%v\n%s", err, text)
		line, _ := strconv.Atoi(found[1])
		t.Logf("refused: %v: %s", err, strings.Split(text, "\n")[line-1])
		require.GreaterOrEqual(t, where[line-1], 0, "%v\n%s", err, text)
		items = slices.Delete(slices.Clone(items), where[line-1], where[line-1]+1)
	}
}

// itemsOfTrial is the number of items in a module with -full.
const itemsOfTrial = 6

// TestLongAggregates proves for drawn aggregates and indexes that the print has their meaning for all inputs, and any
// value where that is X.
func TestLongAggregates(t *testing.T) {
	seeds, count, wires := uint64(2), 1, 120
	if *full {
		seeds, count, wires = 60, itemsOfTrial, 900
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := &drawer{Rand: rand.New(rand.NewPCG(seed, 77))}
			var items []*drawn
			for range count {
				items = append(items, d.item(wires))
			}
			m, items := printed(t, items)
			newTrial(t, m.Verilog, reference(items), len(items)).check()
			if t.Failed() {
				text, _ := source(items)
				t.Log(text)
			}
		})
	}
}

func (tr *trial) check() {
	all := make([]int, len(tr.got))
	for i := range all {
		all[i] = i
	}
	if tr.differs(all...) != nil {
		for i := range all {
			if tr.differs(i) == nil {
				continue
			}
			wrong := tr.unfulfilled([]wish{{1, func(g *graph, to func(uint32) uint32) uint32 {
				var bad []uint32
				for bit, ok := range tr.sure[i] {
					bad = append(bad, g.and(to(ok), g.xor(to(tr.got[i][bit]), to(tr.want[i][bit]))))
				}
				return g.or(bad) ^ 1
			}, "", i, nil}})
			if wrong != nil {
				tr.t.Errorf("output %d is wrong: %s", i, tr.shown(tr.differs(i), i))
			} else {
				tr.t.Logf("output %d is X where it is not: %s", i, tr.shown(tr.differs(i), i))
			}
		}
	}
	var wishes []wish
	for i := range all {
		for bit, x := range tr.x[i] {
			for value := range uint32(2) {
				if x != 0 {
					wishes = append(wishes,
						wish{x, func(_ *graph, to func(uint32) uint32) uint32 { return to(tr.got[i][bit]) ^ value ^ 1 },
							fmt.Sprintf("output %d bit %d is never %d where it is X", i, bit, value), i, nil})
				}
			}
		}
	}
	seen := map[int]bool{}
	for _, w := range tr.unfulfilled(wishes) {
		if !seen[w.output] {
			tr.t.Errorf("%s: %s", w.said, tr.shown(w.at, w.output))
		}
		seen[w.output] = true
	}
}
