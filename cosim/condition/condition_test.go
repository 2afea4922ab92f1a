package condition

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

func scope() *Scope {
	ports := []cosim.Port{
		{Name: "clock", Bits: 1, Input: true, Clock: true, Word: -1}, {Name: "reset", Bits: 1, Input: true},
		{Name: "push_i", Bits: 1, Input: true, Word: 1}, {Name: "req_i", Bits: 5, Input: true, Word: 2},
		{Name: "wide_i", Bits: 150, Input: true, Word: 3}, {Name: "word_i", Bits: 64, Input: true, Word: 6},
		{Name: "full_o", Bits: 1}, {Name: "count_o", Bits: 16, Word: 1}, {Name: "value_o", Bits: 70, Word: 2},
		{Name: "value_i", Bits: 3, Input: true, Word: 7},
	}
	return &Scope{Model: "fifo", Ports: ports, Parameters: map[string]int{"DEPTH": 4}, Pins: []string{"wr_full", "full_o"}}
}

// TestHoldsByHand evaluates each text with inputs and outputs computed by hand.
func TestHoldsByHand(t *testing.T) {
	inputs, outputs := make([]uint64, 8), make([]uint64, 4)
	sight := NewSight(inputs, outputs)
	inputs[1], inputs[2] = 1, 0b00100                // push, req
	inputs[3], inputs[5] = 0xff00, 1<<21             // wide: bits 15 to 8, 149
	outputs[1], outputs[2], outputs[3] = 3, 1<<63, 1 // count, value: bits 63 and 64
	sight.Next()
	inputs[1] = 0
	for text, holds := range map[string]bool{
		"push": false, "$past(push)": true, "$past(!push)": false, "!push_i && $past(push_i)": true,
		"count == 3": true, "count < DEPTH": true, "count + 1 < DEPTH": false, "count - 4 > 65000": true,
		"req[2]": true, "req[count]": false, "req[count - 1]": true, "req[count + 100]": false, "req[3:2]": true, "req[4:3]": false,
		"$onehot(req)": true, "$onehot0(req & 5'h1b)": true, "$onehot(req & 5'h1b)": false, "$onehot0(count)": false,
		"wide[149]": true, "wide[148:16]": false, "wide[15:8] == 8'hff": true, "wide == {1'b1, 133'b0, 8'hff, 8'b0}": true,
		"value_o[64:63] == 3": true, "value_o[62:0] == 0": true, "^value_o": false, "~^value_o": true, "value_o > 70'h1ffffffffffffffff": false,
		"full -> push": true, "!full -> push": false, "full -> push -> push": true, "push ? full : !full": true,
		"{4{req[2]}} == 4'hf": true, "{push, req} == 6'd4": true, "~req == 5'h1b": true, "~req[1:0] == 3": false, "~&req": true,
		"req == 4 & count == 3": true, "4 & req == 4": false, "1 << req == 16": true, "count\n==\n3": true,
	} {
		c, err := Parse(text, scope())
		require.NoError(t, err, text)
		require.Equal(t, holds, c.Holds(sight), text)
	}
	sight.Reset() // $past of every condition is 0
	for text, holds := range map[string]bool{
		"$past(push)": false, "$past(!push)": false, "$past(1)": false, "!$past(1)": true, "$past(full ? push : ~req)": false, "$past(wide == ~wide) -> 0": true,
		"$past(~wide) == 150'h0": true, "req[$past(req | 5'h2)] == req[0]": true, "{$past(~req), req[2]} == 1": true, "$onehot0({4{$past(~full)}})": true, "count - $past(-count) == 3": true,
	} {
		c, err := Parse(text, scope())
		require.NoError(t, err, text)
		require.Equal(t, holds, c.Holds(sight), text)
		require.True(t, c.UsesPast(), text)
		require.Zero(t, testing.AllocsPerRun(10, func() { c.Holds(sight) }))
	}
}

func TestRefused(t *testing.T) {
	for text, wanted := range map[string]string{
		"":                        "1:1: the condition is empty; write one, such as !full",
		"cuont == 3":              "1:1: fifo has no port cuont; did you mean \"count\"? use one of push_i, req_i,",
		"push && wr_full":         "1:9: wr_full is a pin of the RTL, not a port of fifo; a condition reads inputs and the model's outputs: if it read the RTL's outputs",
		"push &&\n  value":        "2:3: value is value_o and value_i; write one of them",
		"reset":                   "1:1: a condition cannot read reset; conditions apply only in cycles without reset",
		"count == ":               "1:10: the condition ends where it needs a name or a number",
		"count = 3":               "1:7: a condition has no =; write == to compare",
		"count === 3":             "1:7: a condition has no ===; a condition has two states: write ==",
		"count / 2 == 1":          "1:7: a condition has no /; write a slice or a multiplication",
		"push |-> full":           "1:6: a condition has no |->; write ->",
		"(push":                   "1:6: the condition ends where it needs )",
		"push full":               "1:6: found full, but the condition needs an operator, or the end",
		"req[5]":                  "1:5: req_i is an input of 5 bits; it has no bit 5; bits are [4:0]",
		"req[1:2]":                "1:5: req_i is an input of 5 bits; it has no bits [1:2]; bits are [4:0]",
		"req[count:0]":            "1:5: a slice of req_i has a bound that is not a number",
		"push[count]":             "1:6: push_i has one bit; write it without an index",
		"4'b1x0 == req":           "1:1: 4'b1x0 has digits that are unknown; a condition has two states",
		"req == 4'd16":            "1:8: 4'd16 has more than 4 bits; give it its width: 5'h10",
		"req == 5000000000":       "1:8: 5000000000 has more than 32 bits; give it its width: 33'h12a05f200",
		"{req, 3} == 0":           "1:7: 3 has no width here; write it with one: 2'd3",
		"wide + 1 > 3":            "1:6: + has 150 bits; it works on up to 64: name fewer bits",
		"$countones(req) == 1":    "1:1: there is no $countones; there are $past, $onehot, $onehot0",
		"$past($past(push))":      "1:7: $past contains $past",
		"req % 2":                 "1:5: a condition has no %",
		"push ? full":             "1:12: the condition ends where it needs :",
		"push é":                  "1:6: a condition has no \"\\u00e9\"",
		"3abc":                    "1:1: 3abc is neither a number nor a name",
		"8'q3":                    "1:1: 'q is no base",
		"{req{push}} == 0":        "1:2: the repetition count is not a number",
		"{99999{wide}} == 0":      "1:2: it is repeated 99999 times",
		strings.Repeat("(", 500):  "more than 200 operations are nested",
		strings.Repeat("!", 5000): "1:1: the condition has 5000 characters; at most 4096 are allowed",
	} {
		_, err := Parse(text, scope())
		var bad *Error
		require.ErrorAs(t, err, &bad, text)
		require.Contains(t, fmt.Sprintf("%d:%d: %s; %s", bad.Line, bad.Column, bad.Reason, bad.Remedy), wanted, text)
		require.NotEmpty(t, bad.Remedy, text)
	}
}

type writer struct {
	*rand.Rand
	plain bool // only operators with the same meaning in Verilog-2005
}

func (w *writer) pick(of ...string) string { return of[w.IntN(len(of))] }

// narrow writes an expression of at most 64 bits.
func (w *writer) narrow(depth int) string {
	if depth == 0 {
		return w.pick("push_i", "req_i", "word_i", "full_o", "count_o", "value_i", "req_i[3]", "req_i[4:1]", "count_o[7:0]", "word_i[50:20]",
			"wide_i[149:100]", "wide_i[70:60]", "value_o[64:63]", "5'h1f", "3'b101", "16'hffff", "32'd7", "req_i[value_i[1:0]]", "64'hf0f0f0f0f0f0f0f0")
	}
	sub := func() string { return w.narrow(w.IntN(depth)) }
	if !w.plain {
		switch w.IntN(12) {
		case 0:
			return fmt.Sprintf("req_i[(%s) + 1]", sub())
		case 1:
			return fmt.Sprintf("$past(%s)", w.pick("1", "!push", "~wide_i", "push", "req + 1", "count_o[3:0]", "word_i", "wide_i[70:60]"))
		case 2:
			return fmt.Sprintf("%s(%s)", w.pick("$onehot", "$onehot0"), sub())
		case 3:
			return fmt.Sprintf("(%s -> %s)", sub(), sub())
		}
	}
	switch w.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s ? %s : %s)", sub(), sub(), sub())
	case 1:
		return fmt.Sprintf("%s(%s)", w.pick("!", "~", "-", "&", "|", "^", "~&", "~|", "~^"), sub())
	case 2:
		return w.pick("{push_i, req_i, 3'h5}", "{3{req_i}}", "{2{full_o, count_o}}", "{value_i[2:1], {2{value_i}}}")
	case 3:
		return fmt.Sprintf("(%s %s %s)", w.wide(1), w.pick("==", "!=", "<", "<=", ">", ">="), w.wide(1))
	case 4:
		return fmt.Sprintf("(%s %s value_i)", sub(), w.pick("<<", ">>"))
	default:
		return fmt.Sprintf("(%s %s %s)", sub(), w.pick("||", "&&", "|", "^", "~^", "&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*"), sub())
	}
}

// wide writes an expression of more than 64 bits.
func (w *writer) wide(depth int) string {
	if depth == 0 {
		return w.pick("wide_i", "value_o", "wide_i[140:10]", "{wide_i, value_o}", "{3{word_i}}", "{5{req_i, word_i[62:0]}}", "req_i", "90'h3ffff0000ffff0000ffff")
	}
	switch w.IntN(4) {
	case 0:
		return "~" + w.wide(depth-1)
	case 1:
		return fmt.Sprintf("(%s ? %s : %s)", w.wide(depth-1), w.wide(depth-1), w.wide(depth-1))
	default:
		return fmt.Sprintf("(%s %s %s)", w.wide(depth-1), w.pick("&", "|", "^", "~^"), w.wide(depth-1))
	}
}

// TestVerilogAgrees compares Holds with Icarus, which evaluates the text of Verilog and, for texts in plain Verilog,
// the text itself.
func TestVerilogAgrees(t *testing.T) {
	const conditions, cycles = 400, 30
	s := scope()
	random := &writer{Rand: rand.New(rand.NewPCG(1, 2))}
	var all []*Condition
	var plain []bool
	for i := range conditions {
		random.plain = i%2 == 0
		text := random.narrow(1 + i%4)
		if i%8 == 1 {
			text = random.wide(2)
		}
		c, err := Parse(text, s)
		if err != nil { // the expression is too wide
			require.ErrorContains(t, err, "it works on up to 64", text)
			continue
		}
		all, plain = append(all, c), append(plain, random.plain)
	}
	require.Greater(t, len(all), conditions*3/4)

	inputs, outputs := make([]uint64, 8), make([]uint64, 4)
	sight := NewSight(inputs, outputs)
	var b strings.Builder
	b.WriteString("module bench;\nreg first = 1;\n")
	for _, p := range s.Ports[2:] {
		fmt.Fprintf(&b, "reg [%d:0] %s, past_%s = 0;\n", p.Bits-1, p.Name, p.Name)
	}
	b.WriteString("initial begin\n")
	var wanted strings.Builder
	held := make([]int, len(all))
	for cycle := range cycles {
		for _, words := range [][]uint64{inputs, outputs} {
			for i := range words {
				words[i] = random.Uint64() & (random.Uint64() | -(random.Uint64() & 1)) // bits above a port's width as well
			}
		}
		for _, p := range s.Ports[2:] {
			fmt.Fprintf(&b, "%s = {", p.Name)
			words := outputs
			if p.Input {
				words = inputs
			}
			for w := p.Words() - 1; w >= 0; w-- {
				fmt.Fprintf(&b, "64'h%x%s", words[p.Word+w], map[bool]string{true: ", ", false: "};\n"}[w > 0])
			}
		}
		for i, c := range all {
			printed := c.Verilog(func(u Use) string {
				if u.Past {
					return "past_" + u.Port.Name
				}
				return u.Port.Name
			}, "first")
			text := "1'b0"
			if plain[i] {
				text = "|(" + c.Text + ")"
			}
			fmt.Fprintf(&b, "$display(\"%d %d %%b %%b\", %s, %s);\n", cycle, i, printed, text)
			result := bit(c.Holds(sight))
			held[i] += int(result)
			fmt.Fprintf(&wanted, "%d %d %d %d\n", cycle, i, result, result*bit(plain[i]))
		}
		for _, p := range s.Ports[2:] {
			fmt.Fprintf(&b, "past_%s = %s;\n", p.Name, p.Name)
		}
		reset := cycle%5 == 0
		if sight.Next(); reset {
			sight.Reset()
		}
		fmt.Fprintf(&b, "first = %d;\n", bit(reset))
	}
	b.WriteString("end\nendmodule\n")
	both := 0
	for _, count := range held {
		both += int(bit(count > 0 && count < cycles))
	}
	require.Greater(t, both, len(all)/4, "conditions that were seen both ways")

	path := filepath.Join(t.TempDir(), "bench.v")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	compiled := filepath.Join(filepath.Dir(path), "bench")
	out, err := exec.Command("iverilog", "-g2005", "-o", compiled, path).CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.Command("vvp", "-n", compiled).Output()
	require.NoError(t, err)
	got, want := strings.Split(string(out), "\n"), strings.Split(wanted.String(), "\n")
	require.Len(t, got, len(want))
	for i := range want {
		if got[i] != want[i] {
			var cycle, n int
			_, _ = fmt.Sscan(want[i], &cycle, &n)
			require.Equal(t, want[i], got[i], "%s is %s", all[n].Text, all[n].Verilog(func(u Use) string { return u.Port.Name }, "first"))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"push && !full", "{4{req[2]}} == 4'hf", "$past(a[3:0]) -> ~b", "count + 1 << 3 ? wide[x] : 8'hff"} {
		f.Add(text)
	}
	s := scope()
	sight := NewSight(make([]uint64, 8), make([]uint64, 4))
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text, s)
		if err != nil {
			return
		}
		c.Holds(sight)
		_, err = Parse(c.Text, s)
		require.NoError(t, err)
		require.NotEmpty(t, c.Verilog(func(u Use) string { return u.Port.Name }, "first"))
	})
}

// This package has no long tests, but -full is passed to all packages of cosim.
var _ = flag.Bool("full", false, "run the long tests")
