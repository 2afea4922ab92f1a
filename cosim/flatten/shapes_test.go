//go:build linux

package flatten

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/icarus"
)

// indexShapes lists indexes by the selected variable. Those of t are in a loop with variable n.
var indexShapes = [][2]string{{"v", `
$clog2(D) - 1 ; $clog2(D) + 1 ; 7 - $countones(k) ; 15 - $countones(k) ; $countones(k) - 1 ; $countones({k, e}) * 2 ; $countones(k) + $clog2(D)
$countones(k & 4'd3) ; $countones(~k) ; $clog2(k) + 2 ; $clog2(D * 2) - 1 ; $bits(k) - 1 ; $bits(k) + $bits(e) ; $size(v) - 1 ; $high(v) ; $left(k)
k >> 1 ; k << 1 ; k << 3 ; 1 << e ; 1 << k ; (1 << e) - 1 ; 2 ** e ; 2 ** k ; k % 5 ; k / 2 ; k - 1 ; k - 4'd1 ; e - 1 ; e - 2'd1 ; 15 - k ; 14 - k
16 - k ; ~k ; -k ; -e ; !k ; k == 3 ; k < 3 ; (k == 3) + (e == 1) ; (k == 3) ? 7 : 15 ; (k == 3) ? 7 : 16 ; (k == 3) ? k : e ; (k > 12) ? 12 : k
(k > 12) ? 12 : k + 3 ; {e, 1'b0} ; {e, e} ; {k, 1'b0} ; {1'b0, k} ; {1'b0, k} + 1 ; {2{e}} ; k[2:1] + 1 ; k[2:1] * 4 ; k[1] * 8 ; k[1] + k[0] + k[2]
^k ; |k + 1 ; &k ; k & 7 ; k | 8 ; k | 16 ; k ^ 15 ; k ^ 16 ; int'(k) ; int'(k) - 1 ; int'(s) ; int'(s) + 4 ; s ; s + 4 ; s + 3 ; s + 3'sd3
$signed(k) ; $unsigned(s) ; $unsigned(s) + 8 ; $signed({1'b0, k}) ; $signed({1'b0, e}) + 1 ; 4'(k + 1) ; 4'(k - 1) ; 3'(k) ; 5'(k) + 5'd1 ; f(k)
f(k) + 1 ; f(D) ; g(k, e) ; pk::P - 1 ; pk::h(k) ; EN ; st.a ; st.a + st.b ; st.b * 4 ; a[e] ; a[e] + 1 ; k - (k % 4) ; k - e ; (k >= e) ? k - e : 0
k * e ; e * 5 ; e * e + 6 ; D - 1 - e ; D - 1 - k ; D + e ; D * e ; D * e + e ; $countones(k) * 3 ; $countones(k) << 1 ; $countones(k) >> 1
$countones(k) % 4 ; $countones(k) / 2 ; 11 + $countones(k) ; $onehot(k) ; $onehot0(k) + 14 ; $onehot0(k) + 15 ; $clog2(k) ; $clog2(e) + 14
15 - $clog2(k) ; $countones(k) + k ; ($countones(k) == 4) ? 15 : $countones(k) ; ~$countones(k) ; -$countones(k) ; $countones(s)
$countones(k) - $countones(k) ; k >>> 1 ; s >>> 1 ; s & 3 ; s[1:0] ; (s < 0) ? 0 : s ; (s < 0) ? -s : s ; x + 1 ; m1[e] ; (k * 3) >> 2 ; (k * 17) >> 4
(k + 1) >> 1 ; (k + 1) / 2 ; k + (e != 0) ; (k + e) % 16 ; (k + e) & 15 ; (k + e) % 17 ; {k + 4'd1} ; {k} + 1 ; 7 - k[2:0] ; 8 - k[2:0]
3'd7 - k[2:0] ; 3'd6 - k[2:0] ; (k[2:0] - 1) & 7 ; k && e ; (k && e) + 15 ; k ~^ 15 ; ^k ? 3 : 4
(e == 0) ? 0 : (e == 1) ? $clog2(D) : (e == 2) ? $countones(k) : 15 ; $unsigned(t4) ; $signed(k) + 0 ; $signed(k) + 4'sd1 ; t4 ; t4 + 8
$unsigned(t4) + 1 ; 4'($signed(k)) ; $signed(k) >>> 1 ; $unsigned($signed(k)) ; $countones(k) ** 2 ; e ** 2 ; 5 % (e | 1) ; k % (e + 1) ; k / (e + 1)
10 / (e + 1) ; $countbits(k, '1) + 1 ; 3 ** e ; k ** e ; 3 ** k[1:0] + e`},
	{"p", `$clog2(D) ; $clog2(D) - 1 ; $clog2(D) + 1 ; D / 2 ; $bits(p) - 1 ; $bits(p) ; e`},
	{"w", `$countones(k) ; $countones({k, k}) ; $countones({k, k, e}) ; 2 * $countones(k) ; $clog2(k) + 2 * $clog2(D) ; $clog2(k) + 3 * $clog2(D) + 1`},
	{"t", `(s + n) % 128 ; ($signed({30'd0, s}) + n) % 100 ; (s & 2'd1) != 0 ? 7 : n + s ; {5'd0, s} ^ 7'd64 ; (n + s) & 255 ; s / 2'd2 ; s / 2'(P)
2 * n + (s & 2'd1) ; 2*n+s[1] ; 2*n+int'(s[1]) ; 40 * n ; k * n * 8 ; 97 + n - 1 ; (n << 4) + k`},
}

// indexHead declares the operands of indexes: inputs d, k, e, and the signed input s.
const indexHead = `package pk; localparam P = 8; function automatic [3:0] h(input [3:0] q); h = q / 2; endfunction endpackage
module m #(parameter D = 4) (input [99:0] d, input [3:0] k, input [1:0] e, input signed [2:0] s, output [%d:0] r);
  typedef enum logic [1:0] {EA, EN, EC} en;
  typedef struct packed {logic [1:0] a; logic [1:0] b;} pair;
  localparam int P = 2;
  function automatic [3:0] f(input [3:0] q); f = q >> 1; endfunction
  function automatic [4:0] g(input [3:0] q, input [1:0] z); begin g = q; if (z > 1) g = q / 2; end endfunction
  pair st;
  wire [3:0][2:0] a = {k, k, k};
  wire [3:0] x = k;
  wire signed [3:0] t4 = k;
  wire [2:0] m1 [0:3];
  wire [15:0] v = d;
  wire [2:0] p = d;
  wire [8:0] w = d;
  wire [99:0] t = d;
  assign st = k, m1[0] = k, m1[1] = k, m1[2] = e, m1[3] = 3;
%sendmodule
`

// TestShapesOfIndexes checks in Icarus, for all values of the operands, that a print has the values of its source,
// and an X exactly where the source has one.
func TestShapesOfIndexes(t *testing.T) {
	var shapes []string
	var text strings.Builder
	for _, from := range indexShapes {
		for _, at := range strings.FieldsFunc(from[1], func(c rune) bool { return c == ';' || c == '\n' }) {
			i := len(shapes)
			shapes = append(shapes, fmt.Sprintf("%s[%s]", from[0], strings.TrimSpace(at)))
			if from[0] == "t" {
				fmt.Fprintf(&text, "  reg q%[1]d; always @* begin : b%[1]d integer n; q%[1]d = 0; for (n = 0; n < 3; n = n + 1) q%[1]d = q%[1]d ^ %[2]s; end\n", i, shapes[i])
				fmt.Fprintf(&text, "  assign r[%[1]d] = q%[1]d;\n", i)
			} else {
				fmt.Fprintf(&text, "  assign r[%d] = %s;\n", i, shapes[i])
			}
		}
	}
	file, o := filepath.Join(t.TempDir(), "m.sv"), cosim.BuildOptions{Cache: testCache}
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, indexHead, len(shapes)-1, text.String()), 0o644))
	s := cosim.Source{Top: "m", Files: []string{file}}
	m, err := Print(t.Context(), s, o)
	require.NoError(t, err)
	print, err := m.source(o)
	require.NoError(t, err)
	var devices [2]cosim.Device
	for i, source := range []cosim.Source{s, print} {
		design, err := icarus.Backend().Build(t.Context(), source, o)
		require.NoError(t, err)
		devices[i], err = design.Open(cosim.Options{})
		require.NoError(t, err)
		defer func() { require.NoError(t, devices[i].Close()) }()
	}
	random, beyond := rand.New(rand.NewPCG(1, 1)), map[string]bool{}
	for n := range uint64(512) {
		values := map[string]uint64{"k": n & 15, "e": n >> 4 & 3, "s": n >> 6}
		for _, p := range devices[0].Ports() {
			if !p.Input {
				continue
			}
			for w := range p.Words() {
				word, named := values[p.Name]
				if !named {
					word = random.Uint64() & (1<<min(p.Bits-64*w, 63) - 1)
				}
				devices[0].Inputs()[p.Word+w], devices[1].Inputs()[p.Word+w] = word, word
			}
		}
		var read [2]string
		for i, d := range devices {
			require.NoError(t, d.Settle())
			for _, p := range d.Ports() {
				for bit := 0; bit < p.Bits && p.Name == "r"; bit++ {
					read[i] += valueOf(d, p.Word+bit/64, bit%64)
				}
			}
		}
		for i, shape := range shapes {
			require.Equal(t, string(read[0][i]), string(read[1][i]), "%s with %v", shape, values)
			beyond[shape] = beyond[shape] || read[0][i] == 'x'
		}
	}
	within := 0
	for _, shape := range shapes {
		if !beyond[shape] {
			within++
		}
	}
	t.Logf("%d of %d are within", within, len(shapes))
	require.Greater(t, within, len(shapes)/2)
}

func valueOf(d cosim.Device, word, bit int) string {
	if d.Unknown()[word]>>bit&1 == 1 {
		return "x"
	}
	return string(rune('0' + d.Outputs()[word]>>bit&1))
}
