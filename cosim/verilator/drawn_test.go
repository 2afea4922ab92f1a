//go:build linux

package verilator

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

var drawnSeed = flag.Uint64("drawn", 0, "the first seed of drawn RTL")

// drawing draws Verilog that Verilator and Icarus must read alike: signals driven whole, in parts, or bit by bit from
// others and from their own lower bits, registers with a reset, and processes. All values are two-valued after the
// reset.
type drawing struct {
	*rand.Rand
	text    strings.Builder
	signals []drawnSignal
	loops   int
}

type drawnSignal struct {
	name string
	bits int
}

func (d *drawing) one() drawnSignal          { return d.signals[d.IntN(len(d.signals))] }
func (d *drawing) pick(of ...string) string  { return of[d.IntN(len(of))] }
func (d *drawing) put(f string, with ...any) { fmt.Fprintf(&d.text, f+"\n", with...) }
func (d *drawing) width() int                { return []int{1, 1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 40, 64}[d.IntN(13)] }
func (d *drawing) both(depth int) (a, b any) { return d.expression(depth - 1), d.expression(depth - 1) }

// atom returns a signal, bits of a signal, or a constant. All have a size.
func (d *drawing) atom() string {
	s := d.one()
	low := d.IntN(s.bits)
	switch n := d.IntN(12); {
	case n < 2:
		bits := d.width()
		return fmt.Sprintf("%d'%sh%x", bits, d.pick("", "s"), d.Uint64()>>d.IntN(63)&(^uint64(0)>>(64-bits)))
	case n < 4 && s.bits > 1:
		return fmt.Sprintf("%s[%d]", s.name, low)
	case n < 6 && s.bits > 1:
		return fmt.Sprintf("%s[%d:%d]", s.name, low+d.IntN(s.bits-low), low)
	case n == 6:
		return "$signed(" + s.name + ")"
	}
	return s.name
}

func (d *drawing) expression(depth int) string {
	if depth == 0 {
		return d.atom()
	}
	switch n := d.IntN(24); {
	case n < 3:
		return d.atom()
	case n < 11:
		a, b := d.both(depth)
		return fmt.Sprintf("(%s %s %s)", a, d.pick("&", "|", "^", "&", "|", "^", "~^", "+", "-"), b)
	case n < 14:
		return fmt.Sprintf("(%s%s)", d.pick("~", "~", "!", "-", "&", "|", "^"), d.expression(depth-1))
	case n < 17:
		a, b := d.both(depth)
		return fmt.Sprintf("(%s ? %s : %s)", d.expression(depth-1), a, b)
	case n < 19:
		a, b := d.both(depth)
		return fmt.Sprintf("(%s %s %s)", a, d.pick("<", "<=", ">", ">=", "==", "!=", "&&", "||"), b)
	case n == 19:
		a, b := d.both(depth)
		return fmt.Sprintf("{%s, %s}", a, b)
	case n == 20:
		return fmt.Sprintf("{%d{%s}}", 1+d.IntN(3), d.expression(depth-1))
	case n == 21:
		return fmt.Sprintf("(%s %s %d)", d.expression(depth-1), d.pick("<<", ">>", ">>>"), d.IntN(20))
	case n == 22:
		return fmt.Sprintf("(%s %s a_i[2:0])", d.expression(depth-1), d.pick("<<", ">>", ">>>"))
	}
	return "$signed(" + d.expression(depth-1) + ")"
}

// bit returns an expression for bit g of a vector, in generate or a loop.
func (d *drawing) bit(bits int) string {
	of := func() string {
		s := d.one()
		index := []string{"g", fmt.Sprintf("(g + %d)", d.IntN(bits)), fmt.Sprintf("(%d - g)", bits-1), fmt.Sprint(d.IntN(s.bits)), "(g ^ 1)"}[d.IntN(5)]
		if s.bits == 1 {
			return s.name
		}
		return fmt.Sprintf("%s[%s %% %d]", s.name, index, s.bits)
	}
	return []string{
		of(), "~" + of(), fmt.Sprintf("(%s & %s)", of(), of()), fmt.Sprintf("(%s | ~%s)", of(), of()),
		fmt.Sprintf("(%s ^ %s)", of(), of()), fmt.Sprintf("(%s ? %s : %s)", of(), of(), of()), "1'b1",
	}[d.IntN(7)]
}

// signal draws another signal. The last one is also an output.
func (d *drawing) signal(name string) {
	s := drawnSignal{name, d.width()}
	last := s.bits - 1
	declare := func(kind string) { d.put("  %s %s[%d:0] %s;", kind, d.pick("", "", "signed "), last, name) }
	d.loops++
	switch n := d.IntN(10); {
	case n < 2:
		declare("wire")
		d.put("  assign %s = %s;", name, d.expression(3))
	case n < 4 && last > 0:
		cut := d.IntN(last)
		declare("wire")
		d.put("  assign %s[%d:0] = %s;\n  assign %s[%d:%d] = %s;", name, cut, d.expression(2), name, last, cut+1, d.expression(2))
	case n < 5:
		declare("wire")
		d.put("  for (genvar g = 0; g <= %d; g = g + 1) begin : each_%d\n    assign %s[g] = %s;\n  end", last, d.loops, name, d.bit(s.bits))
	case n < 7 && last > 0:
		declare("wire")
		d.put("  assign %s[0] = %s;", name, d.expression(1))
		d.put("  for (genvar g = 1; g <= %d; g = g + 1) begin : each_%d\n    assign %s[g] = %s %s %s[g - 1];\n  end",
			last, d.loops, name, d.bit(s.bits), d.pick("&", "|", "^"), name)
	case n < 8:
		declare("reg")
		d.put("  always @(posedge clk_i) if (rst_i) %s <= %d'd0; else if (%s) %s <= %s;", name, s.bits, d.expression(1), name, d.expression(2))
	case n < 9:
		declare("reg")
		d.put("  integer i_%d;\n  always @* begin\n    %s = %s ^ c_i;\n    for (i_%[1]d = 0; i_%[1]d <= %[4]d; i_%[1]d = i_%[1]d + 2) %[2]s[i_%[1]d] = %[5]s;\n  end",
			d.loops, name, d.expression(2), last, strings.ReplaceAll(d.bit(s.bits), "g", fmt.Sprintf("i_%d", d.loops)))
	default:
		declare("reg")
		d.put("  always @* begin\n    %s = %s;\n    case (a_i[1:0])\n      0: %[1]s = %[3]s;\n      1: if (%[4]s) %[1]s = %[5]s;\n      default: ;\n    endcase\n  end",
			name, d.expression(1), d.expression(2), d.expression(1), d.expression(2))
	}
	d.signals = append(d.signals, s)
}

// drawn returns a module of some blocks and the widths of its outputs o0, o1, ...
func drawn(seed uint64, blocks int) (text string, widths []int) {
	d := drawing{Rand: rand.New(rand.NewPCG(seed, 7))}
	inputs := []drawnSignal{{"a_i", 16}, {"b_i", 33}, {"c_i", 8}}
	var ports strings.Builder
	for block := range blocks {
		d.signals = append(d.signals[:0], inputs...)
		for i := range 2 + d.IntN(5) {
			d.signal(fmt.Sprintf("s%d_%d", block, i))
		}
		last := d.signals[len(d.signals)-1]
		widths = append(widths, last.bits)
		fmt.Fprintf(&ports, ",\n  output wire [%d:0] o%d", last.bits-1, block)
		d.put("  assign o%d = %s;\n", block, last.name)
	}
	return fmt.Sprintf("module drawn (\n  input wire clk_i, rst_i,\n  input wire [15:0] a_i,\n  input wire [32:0] b_i,\n  input wire [7:0] c_i%s);\n%sendmodule\n",
		ports.String(), d.text.String()), widths
}

// TestLongDrawn compares drawn RTL in WebAssembly and Icarus in each cycle, before and after the edge.
func TestLongDrawn(t *testing.T) {
	seeds, blocks := uint64(1), 15
	if *full {
		seeds, blocks = 100, 40
	}
	for seed := *drawnSeed; seed < *drawnSeed+seeds; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { playDrawn(t, seed, blocks) })
	}
}

func playDrawn(t *testing.T, seed uint64, blocks int) {
	text, widths := drawn(seed, blocks)
	file := filepath.Join(t.TempDir(), "drawn.sv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	source := cosim.Source{Top: "drawn", Files: []string{file}, Clocks: []string{"clk_i"}}
	compiled, other := bench(t, viaWasm, source, cosim.Options{}), bench(t, viaIcarus, source, cosim.Options{})
	random := rand.New(rand.NewPCG(seed, 9))
	for cycle := range 200 {
		inputs := map[string]uint64{
			"rst_i": 0, "a_i": random.Uint64N(1 << 16), "b_i": random.Uint64N(1<<33) >> random.IntN(33), "c_i": random.Uint64N(1 << 8),
		}
		if cycle < 2 || random.IntN(50) == 0 {
			inputs["rst_i"] = 1
		}
		for _, b := range []*onBench{compiled, other} {
			for name, value := range inputs {
				b.set(name, value)
			}
		}
		same := func(when string) {
			for i := range widths {
				if name := fmt.Sprintf("o%d", i); cycle > 1 {
					require.Equal(t, other.get(name), compiled.get(name), "cycle %d, %s: %s", cycle, when, name)
				}
			}
		}
		if random.IntN(4) > 0 { // the edge sees inputs that never were settled, too
			compiled.settle()
			other.settle()
			same("settled")
		}
		compiled.edge()
		other.edge()
		same("after the edge")
	}
}
