package wasm

import (
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm/binary"
)

// runner executes random images; what one has compiled is closed with its runtime.
type runner struct {
	wazero.Runtime
	logged *strings.Builder // what the image that runs has told
}

// newRunner makes a runtime with all that images import.
func newRunner(t testing.TB, config wazero.RuntimeConfig) *runner {
	ctx := context.Background()
	r := &runner{Runtime: wazero.NewRuntimeWithConfig(ctx, config), logged: &strings.Builder{}}
	t.Cleanup(func() { require.NoError(t, r.Close(ctx)) })
	log := r.NewHostModuleBuilder("fuzzing-support") // what Binaryen's images import
	for name, of := range map[string]byte{"log-i32": binary.I32, "log-i64": binary.I64, "log-f32": binary.F32, "log-f64": binary.F64} {
		log.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
			fmt.Fprintf(r.logged, "%s %s\n", name, seen(of, stack[0]))
		}), []api.ValueType{of}, nil).Export(name)
	}
	_, err := log.Instantiate(ctx)
	require.NoError(t, err)
	_, err = r.NewHostModuleBuilder(TickModule).NewFunctionBuilder().WithFunc(func(_ context.Context, m api.Module) {
		m.ExportedGlobal(TurnsName).(api.MutableGlobal).Set(TickTurns)
	}).Export(TickName).Instantiate(ctx)
	require.NoError(t, err)
	return r
}

// seen is a value in text, all NaNs alike.
func seen(valueType byte, value uint64) string {
	switch {
	case valueType == binary.F32 && math.IsNaN(float64(math.Float32frombits(uint32(value)))), valueType == binary.F64 &&
		math.IsNaN(math.Float64frombits(value)):
		return "nan"
	case valueType == binary.F32 || valueType == binary.I32:
		value = uint64(uint32(value))
	}
	return fmt.Sprintf("%x", value)
}

// callsEach is how often each export of a random image is called.
const callsEach = 3

// play calls all exports of an image but the rewriter's, and returns by export what they gave and told, and what they
// left in the memory.
func (r *runner) play(t testing.TB, image []byte) map[string]string {
	ctx := context.Background()
	m, err := r.InstantiateWithConfig(ctx, image, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return map[string]string{"start": strings.SplitN(err.Error(), "\n", 2)[0]}
	}
	defer func() { require.NoError(t, m.Close(ctx)) }()
	told := map[string]string{}
	exports := m.ExportedFunctionDefinitions()
	for call := range callsEach {
		for _, name := range slices.Sorted(maps.Keys(exports)) {
			if strings.HasPrefix(name, binary.Reserved) || name == hangLimit {
				continue
			}
			if f := m.ExportedFunction(hangLimit); f != nil {
				_, err := f.Call(ctx)
				require.NoError(t, err)
			}
			r.logged.Reset()
			r.call(m.ExportedFunction(name), call)
			told[name] += r.logged.String()
		}
	}
	if memory := m.Memory(); memory != nil {
		bytes, _ := memory.Read(0, memory.Size())
		told["memory"] = fmt.Sprintf("%x", crc32.ChecksumIEEE(bytes))
	}
	return told
}

// hangLimit lets a function of Binaryen's images run ten turns more; then it traps.
const hangLimit = "hangLimitInitializer"

// call calls a function with the arguments of the n-th call, and notes what it gives.
func (r *runner) call(f api.Function, n int) {
	arguments := make([]uint64, len(f.Definition().ParamTypes()))
	for k, valueType := range f.Definition().ParamTypes() {
		arguments[k] = argument(valueType, 7*n+3*k)
	}
	results, err := f.Call(context.Background(), arguments...)
	if err != nil {
		r.logged.WriteString("trap\n")
		return
	}
	for k, valueType := range f.Definition().ResultTypes() {
		fmt.Fprintln(r.logged, seen(valueType, results[k]))
	}
}

// argument is the n-th value of a type.
func argument(valueType byte, n int) uint64 {
	switch valueType {
	case binary.F32:
		return uint64(math.Float32bits(float32(n)*1.25 - 3))
	case binary.F64:
		return math.Float64bits(float64(n)*1.25 - 3)
	}
	return uint64(uint32(n) * 2654435761 >> 3)
}

// sources are what random images come from: all images of a batch, as modules. Of some, each export is an image.
var sources = map[string]struct {
	draw    func(t testing.TB, first, count int) [][]byte
	exports bool
}{
	"clang":    {drawnInC, true},
	"drawn":    {drawnImages, false},
	"binaryen": {drawnByBinaryen, false},
}

func drawnImages(_ testing.TB, first, count int) (images [][]byte) {
	for k := range count {
		images = append(images, drawImage(uint64(first+k), style{vectors: (first+k)%3 == 0}))
	}
	return images
}

// drawnByBinaryen lets the fuzzer of Binaryen recombine and change drawn images, and add functions to them. It replaces
// all NaNs by zeros.
func drawnByBinaryen(t testing.TB, first, count int) (images [][]byte) {
	dir := t.TempDir()
	from, bytes, to := filepath.Join(dir, "from.wasm"), filepath.Join(dir, "bytes"), filepath.Join(dir, "to.wasm")
	options := []string{"-ttf", bytes, "-if", from, "-o", to, "--denan", "--mvp-features",
		"--enable-nontrapping-float-to-int", "--enable-sign-ext"}
	const keep = "--fuzz-preserve-imports-exports" // of later versions, which otherwise import functions that call exports
	if help, err := exec.CommandContext(t.Context(), "wasm-opt", "--help").Output(); err == nil && strings.Contains(string(help), keep) {
		options = append(options, keep)
	}
	for k := range count {
		random := rand.New(rand.NewPCG(uint64(first+k), 0x747466))
		input := make([]byte, 1000)
		for i := range input {
			input[i] = byte(random.Uint32())
		}
		require.NoError(t, os.WriteFile(bytes, input, 0o600))
		require.NoError(t, os.WriteFile(from, drawImage(random.Uint64(), style{noNaNs: true}), 0o600))
		out, err := exec.CommandContext(t.Context(), "wasm-opt", options...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		image, err := os.ReadFile(to)
		require.NoError(t, err)
		images = append(images, image)
	}
	return images
}

var randomImages = flag.Int("images", 100, "random images of each source")

// TestRandomImages compares random images in the compiler with the interpreter: as they are, which differs for the
// selects of floats, and rewritten in every way, which never differs.
func TestRandomImages(t *testing.T) {
	const batch = 100
	count := *randomImages
	if *full {
		count = max(count, 6_700)
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			differ := 0
			for k := 0; k < count; k += batch {
				differ += compareImages(t, source.draw(t, k, min(batch, count-k)), source.exports)
			}
			t.Logf("%d of %d images differ as they are", differ, count)
			if runtime.GOARCH == "amd64" {
				require.GreaterOrEqual(t, differ, count/20, "these images are too weak to find what is wrong with selects")
			} else {
				require.Zero(t, differ)
			}
		})
	}
}

// compareImages returns how many images differ as they are.
func compareImages(t *testing.T, images [][]byte, exports bool) (differ int) {
	compiler, interpreter := newRunner(t, wazero.NewRuntimeConfigCompiler()),
		newRunner(t, wazero.NewRuntimeConfigInterpreter())
	unit, _ := Model("unit")
	meter := Meter{Costs: unit, Limit: math.MaxUint32}
	for n, image := range images {
		want, plain := interpreter.play(t, image), compiler.play(t, image)
		require.NotContains(t, want, "start")
		found := 0
		for name := range want {
			if plain[name] != want[name] && (name != "memory" || !exports) {
				found++
			}
		}
		if !exports {
			found = min(found, 1)
		}
		differ += found
		chosen, err := Selects(image)
		require.NoError(t, err)
		noted, err := RewriteWith(image, Additions{Meter: &meter, Covers: true})
		require.NoError(t, err)
		copies := map[string][]byte{"selects": chosen, "copy": rewrite(t, image).Binary, "metered and covered": noted.Binary}
		for name, image := range copies {
			requireNoFloatSelects(t, image)
			require.Equal(t, want, compiler.play(t, image), "image %d, %s", n, name)
		}
		require.Equal(t, want, interpreter.play(t, copies["copy"]), "image %d, in the interpreter", n)
	}
	return differ
}

// requireNoFloatSelects holds that nothing in a module has a select of floats or vectors that is ever reached.
func requireNoFloatSelects(t testing.TB, image []byte) {
	m, err := binary.Parse(image, true)
	require.NoError(t, err)
	for k := range m.Body {
		types, err := (&module{Module: m}).selects(&m.Body[k])
		require.NoError(t, err)
		for at, valueType := range types {
			require.False(t, choosesFloats(valueType), "function %d, offset %d", k, at)
		}
	}
}

// TestLongRandomImagesArm64 is TestRandomImages on arm64, under qemu-aarch64.
func TestLongRandomImagesArm64(t *testing.T) {
	program := filepath.Join(t.TempDir(), "wasm.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-ldflags=-w", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	run := exec.CommandContext(t.Context(), "qemu-aarch64", program, "-test.run", "^TestRandomImages$", "-test.v", "-images", "15", fmt.Sprintf("-full=%v", *full))
	out, err = run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, len(sources), strings.Count(string(out), ": 0 of "), "%s", out)
}
