package wasm

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawnInC draws images in C, and compiles them at once: each is an export of one module.
func drawnInC(t testing.TB, first, count int) [][]byte {
	dir := t.TempDir()
	source := &strings.Builder{}
	source.WriteString(drawnPrelude)
	for k := range count {
		(&drawnC{Rand: rand.New(rand.NewPCG(uint64(first+k), 0x43)), Builder: source}).image(k)
	}
	path, object, module := filepath.Join(dir, "images.c"), filepath.Join(dir, "images.o"), filepath.Join(dir, "images.wasm")
	require.NoError(t, os.WriteFile(path, []byte(source.String()), 0o600))
	for _, command := range []string{
		"clang --target=wasm32 -O2 -w -ffreestanding -c " + path + " -o " + object,
		"wasm-ld --no-entry --strip-all --export-all " + object + " -o " + module,
	} {
		words := strings.Fields(command)
		out, err := exec.CommandContext(t.Context(), words[0], words[1:]...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	images, err := os.ReadFile(module)
	require.NoError(t, err)
	return [][]byte{images}
}

const drawnPrelude = `typedef unsigned u32; typedef unsigned long long u64;
#define alone static __attribute__((noinline))
#define hold(x) __asm__ volatile("" : "+r"(x))
alone u32 h(u32 x) { hold(x); return x * 2654435761u >> 3; }
alone double gd(double a, double b) { hold(a); return a * 0.5 + b * 0.25; }
alone float gf(float a, float b) { hold(a); return a * 0.5f + b * 0.25f; }
static u64 mixed(u64 u, const void *z, int n) { u64 w = 0; __builtin_memcpy(&w, z, n); return u * 31 + w; }
static double pd[64];
static float pf[64];
`

// drawnC writes a random image in C: functions of more floats than there are registers, and calls, choices and
// loads between them. No value becomes a NaN or infinite.
type drawnC struct {
	*rand.Rand
	*strings.Builder
	values []string // floats that are in scope
}

// image writes the image number k.
func (d *drawnC) image(k int) {
	kind, letter := "double", "d"
	if d.IntN(3) == 0 {
		kind, letter = "float", "f"
	}
	const functions = 5
	var calls []string
	for f := range functions {
		calls = append(calls, d.function(fmt.Sprintf("f%d_%d", k, f), kind, letter))
	}
	fmt.Fprintf(d, "u64 image_%d(u32 x) {\n u64 u = 0; %s z;\n", k, kind)
	fmt.Fprintf(d, " for (int i = 0; i < 64; i++) p%s[i] = (%s)(i + 1) * (%s)1.25 + (%s)(x & 7);\n", letter, kind, kind, kind)
	fmt.Fprintln(d, " for (int i = 0; i < 8; i++) {")
	for _, call := range calls {
		fmt.Fprintf(d, "  x = h(x + i); z = %s; u = mixed(u, &z, sizeof z);\n", call)
	}
	fmt.Fprintln(d, " }\n return u;\n}")
}

// function writes a function, and returns a call of it.
func (d *drawnC) function(name, kind, letter string) (call string) {
	d.values = nil
	var parameters, arguments []string
	for k := range 2 + d.IntN(10) {
		d.values = append(d.values, fmt.Sprintf("a%d", k))
		parameters = append(parameters, fmt.Sprintf("%s a%d", kind, k))
		arguments = append(arguments, fmt.Sprintf("p%s[%d]", letter, d.IntN(64)))
	}
	any := func() string { return d.values[d.IntN(len(d.values))] }
	fmt.Fprintf(d, "alone %s %s(%s, u32 x) {\n", kind, name, strings.Join(parameters, ", "))
	for k := range 4 + d.IntN(12) {
		value := fmt.Sprintf("t%d", k)
		switch n := d.IntN(10); {
		case n < 2:
			fmt.Fprintf(d, " %s %s = g%s(%s, %s);\n", kind, value, letter, any(), any())
		case n < 5:
			fmt.Fprintf(d, " %s %s = x & %d ? %s : %s; hold(%s);\n", kind, value, 1<<d.IntN(6), any(), any(), value)
		case n < 7:
			fmt.Fprintf(d, " %s %s = %s < %s ? %s : %s;\n", kind, value, any(), any(), any(), any())
		case n < 8:
			fmt.Fprintf(d, " %s %s = p%s[%d]; hold(%s);\n", kind, value, letter, d.IntN(64), value)
		default:
			fmt.Fprintf(d, " x = h(x); %s %s = %s;\n", kind, value, any())
		}
		d.values = append(d.values, value)
	}
	var terms []string
	for k := range d.values {
		terms = append(terms, fmt.Sprintf("%s * %d", any(), k+1))
	}
	sum := strings.Join(terms, " + ")
	if d.IntN(3) == 0 {
		sum = fmt.Sprintf("x & %d ? %s : %s", 1<<d.IntN(6), any(), any())
	}
	fmt.Fprintf(d, " return %s;\n}\n", sum)
	return fmt.Sprintf("%s(%s, x)", name, strings.Join(arguments, ", "))
}
