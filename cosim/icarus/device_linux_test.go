package icarus

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
)

func testSource(top string, clocks ...string) cosim.Source {
	return cosim.Source{Top: top, Files: []string{"testdata/" + top + ".v"}, Clocks: clocks}
}

func openDevice(t testing.TB, source cosim.Source, options cosim.Options) *device {
	d, err := Open(source, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d.(*device)
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func port(t testing.TB, d cosim.Device, name string) cosim.Port {
	for _, p := range d.Ports() {
		if p.Name == name {
			return p
		}
	}
	require.Failf(t, "no port", "%s is not among %v", name, d.Ports())
	return cosim.Port{}
}

func setPort(t testing.TB, d cosim.Device, name string, words ...uint64) {
	p := port(t, d, name)
	require.True(t, p.Input && !p.Clock && len(words) == p.Words(), name)
	copy(d.Inputs()[p.Word:], words)
}

func getPort(t testing.TB, d cosim.Device, name string) (value, unknown []uint64) {
	p := port(t, d, name)
	require.False(t, p.Input, name)
	return d.Outputs()[p.Word : p.Word+p.Words()], d.Unknown()[p.Word : p.Word+p.Words()]
}

// requirePort requires that an output is known and has these words.
func requirePort(t testing.TB, d cosim.Device, name string, words ...uint64) {
	t.Helper()
	value, unknown := getPort(t, d, name)
	require.Equal(t, words, value, name)
	require.Equal(t, make([]uint64, len(words)), unknown, name)
}

func requireUnknown(t testing.TB, d cosim.Device, name string, value, unknown uint64) {
	t.Helper()
	v, u := getPort(t, d, name)
	require.Equal(t, []uint64{value}, v, name)
	require.Equal(t, []uint64{unknown}, u, name)
}

func TestPorts(t *testing.T) {
	d := openDevice(t, testSource("two_clocks", "slow_i", "fast_i"), cosim.Options{})
	require.Equal(t, []cosim.Port{
		{Name: "fast_i", Bits: 1, Input: true, Clock: true, Word: -1},
		{Name: "slow_i", Bits: 1, Input: true, Clock: true, Word: -1},
		{Name: "rst_i", Bits: 1, Input: true, Word: 0},
		{Name: "a_o", Bits: 8, Word: 0},
		{Name: "b_o", Bits: 8, Word: 1},
	}, d.Ports())
	require.Len(t, d.Inputs(), 1)
	require.Len(t, d.Outputs(), 2)
	require.Len(t, d.Unknown(), 2)
}

func TestCounter(t *testing.T) {
	source := testSource("counter", "clk_i")
	source.Params = map[string]string{"WIDTH": "12", "START": "12'hffd"}
	d := openDevice(t, source, cosim.Options{})
	requireUnknown(t, d, "count_o", 0, 0xfff)
	setPort(t, d, "enable_i", 1)
	require.NoError(t, d.Edge(1))
	requireUnknown(t, d, "count_o", 0, 0xfff)

	setPort(t, d, "rst_i", 1)
	require.NoError(t, d.Edge(1))
	requirePort(t, d, "count_o", 0xffd)
	setPort(t, d, "rst_i", ^uint64(1)) // bits above the width are ignored
	require.NoError(t, d.Step(1, 2))
	requirePort(t, d, "count_o", 0xfff)
	requirePort(t, d, "wrap_o", 1)
	setPort(t, d, "enable_i", 0)
	require.NoError(t, d.Settle())
	requirePort(t, d, "wrap_o", 0)
	require.NoError(t, d.Step(1, 100))
	requirePort(t, d, "count_o", 0xfff)
	setPort(t, d, "enable_i", 1)
	require.NoError(t, d.Step(1, 3*4096+5))
	requirePort(t, d, "count_o", 4)
	require.NoError(t, d.Step(1, 0))
	require.NoError(t, d.Edge(0))
	require.ErrorContains(t, d.Edge(2), "clocks 0b10")
	requirePort(t, d, "count_o", 4)
}

// TestTime checks that simulated time has the same steps for every source of the top module's time unit.
func TestTime(t *testing.T) {
	for name, source := range map[string]cosim.Source{
		"own unit":     {Top: "clockwork", Files: []string{"testdata/counter.v", "testdata/clockwork.v"}, Clocks: []string{"clk_i"}},
		"another unit": {Top: "clockwork", Files: []string{"testdata/clockwork.v", "testdata/counter.v"}, Clocks: []string{"clk_i"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := openDevice(t, source, cosim.Options{})
			require.NoError(t, d.Edge(1))
			var before [1]uint64
			for range 3 {
				value, _ := getPort(t, d, "picoseconds_o")
				require.Greater(t, value[0], before[0])
				require.Less(t, value[0], uint64(1)<<50, "64 bits must last for long runs")
				copy(before[:], value)
				require.NoError(t, d.Step(1, 20_000))
			}
			requirePort(t, d, "count_o", 60_000%256)
		})
	}
}

func TestMealy(t *testing.T) {
	d := openDevice(t, testSource("mealy", "clk_i"), cosim.Options{})
	setPort(t, d, "rst_i", 1)
	require.NoError(t, d.Edge(1))
	setPort(t, d, "rst_i", 0)
	var seen string
	for _, bit := range "110101001011" {
		setPort(t, d, "bit_i", uint64(bit-'0'))
		require.NoError(t, d.Settle())
		hit, _ := getPort(t, d, "hit_o")
		seen += strconv.FormatUint(hit[0], 2)
		require.NoError(t, d.Edge(1))
	}
	require.Equal(t, "000101000010", seen)
}

func TestWidePorts(t *testing.T) {
	d := openDevice(t, testSource("wide", "clk_i"), cosim.Options{})
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		for i := range d.Inputs() {
			d.Inputs()[i] = random.Uint64()
		}
		in := func(name string) []uint64 {
			p := port(t, d, name)
			return d.Inputs()[p.Word : p.Word+p.Words()]
		}
		require.NoError(t, d.Edge(1))
		h, m, w := in("hundred_i"), in("many_i"), uint32(in("word_i")[0])
		requirePort(t, d, "hundred_o", h[0]>>1|h[1]<<63, h[1]<<28>>29|h[0]&1<<35)
		not := make([]uint64, 8)
		for i := range not {
			not[i] = ^m[i]
		}
		requirePort(t, d, "many_o", not...)
		requirePort(t, d, "backward_o", in("backward_i")[0], in("backward_i")[1]&1)
		requirePort(t, d, "word_o", uint64(-w))
		requirePort(t, d, "same_o", m[1]>>36|m[2]<<28)
		z, unknown := getPort(t, d, "z_o")
		require.Equal(t, []uint64{uint64(w) | 0xffffffff<<32, 0xffffffff}, z, "Z has the value 1")
		require.Equal(t, []uint64{0xffffffff << 32, 0xffffffff}, unknown)
	}
}

// TestTwoClocks names the clocks in another order than the ports.
func TestTwoClocks(t *testing.T) {
	d := openDevice(t, testSource("two_clocks", "slow_i", "fast_i"), cosim.Options{})
	setPort(t, d, "rst_i", 1)
	require.NoError(t, d.Settle())
	requirePort(t, d, "a_o", 0)
	setPort(t, d, "rst_i", 0)
	for _, step := range []struct{ clocks, a, b uint64 }{{1, 1, 0}, {1, 2, 0}, {2, 2, 2}, {1, 3, 2},
		{3, 4, 3}, {3, 5, 4}, {0, 5, 4}} {
		require.NoError(t, d.Edge(step.clocks))
		requirePort(t, d, "a_o", step.a)
		requirePort(t, d, "b_o", step.b)
	}
}

func TestMemory(t *testing.T) {
	d := openDevice(t, testSource("memory", "clk_i"), cosim.Options{})
	random := rand.New(rand.NewPCG(3, 4))
	var words, written [256]uint64
	for range 2000 {
		we, waddr, wdata, raddr := random.Uint64N(2), random.Uint64N(256), uint64(random.Uint32()), random.Uint64N(256)
		setPort(t, d, "we_i", we)
		setPort(t, d, "waddr_i", waddr)
		setPort(t, d, "wdata_i", wdata)
		setPort(t, d, "raddr_i", raddr)
		require.NoError(t, d.Edge(1))
		requireUnknown(t, d, "rdata_o", words[raddr], 0xffffffff&^written[raddr])
		if we == 1 {
			words[waddr], written[waddr] = wdata, 0xffffffff
		}
	}
}

func TestIncludesAndDefines(t *testing.T) {
	source := testSource("included")
	source.IncludeDirs, source.Defines = []string{"testdata/include"}, map[string]string{"EXTRA": "4"}
	d := openDevice(t, source, cosim.Options{})
	setPort(t, d, "a_i", 250)
	require.NoError(t, d.Settle())
	requirePort(t, d, "y_o", 1)
	require.NoError(t, d.Edge(0))
	requirePort(t, d, "y_o", 1)
}

func TestLibrary(t *testing.T) {
	source := testSource("lonely")
	source.IncludeDirs = []string{"testdata/include"}
	d := openDevice(t, source, cosim.Options{})
	setPort(t, d, "a_i", 1)
	require.NoError(t, d.Settle())
	requirePort(t, d, "b_o", 0)
}

// TestLockstep compares the arbiter with a Go function for 10,000 cycles of random requests, idle times, bursts and
// resets.
func TestLockstep(t *testing.T) {
	d := openDevice(t, testSource("arbiter", "clk_i"), cosim.Options{})
	random := rand.New(rand.NewPCG(5, 6))
	in, out := d.Inputs(), d.Outputs()
	var grant, last uint64
	for cycle := range 10_000 {
		reset, requests := cycle == 0 || random.IntN(500) == 0, random.Uint64()
		for range cycle / 64 % 5 {
			requests &= random.Uint64()
		}
		in[0], in[1] = 1, requests&0xffff
		if reset {
			in[0] = 0
		}
		require.NoError(t, d.Edge(1))
		if grant, last = roundRobin(requests&0xffff, last); reset {
			grant, last = 0, 0
		}
		require.Equal(t, []uint64{grant, last}, out, "cycle %d", cycle)
		require.Equal(t, []uint64{0, 0}, d.Unknown(), "cycle %d", cycle)
	}
}

// roundRobin grants the first of 16 requests after the last granted one.
func roundRobin(requests, last uint64) (grant, next uint64) {
	if requests == 0 {
		return 0, last
	}
	turned := bits.RotateLeft16(uint16(requests), -int(last+1))
	next = (last + 1 + uint64(bits.TrailingZeros16(turned))) % 16
	return 1 << next, next
}

func TestHasNoSnapshots(t *testing.T) {
	d := openDevice(t, testSource("counter", "clk_i"), cosim.Options{})
	_, err := d.Save()
	require.ErrorIs(t, err, cosim.ErrNoSnapshot)
	require.ErrorIs(t, d.Restore(nil), cosim.ErrNoSnapshot)
}

func TestCloseTwice(t *testing.T) {
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	d := misbehaving(t, 1, 0)
	pid := d.process.cmd.Process.Pid
	left, err := os.ReadDir(scratch)
	require.NoError(t, err)
	require.Empty(t, left, "a running device needs no files")
	outputs := d.Outputs()
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	requireGone(t, pid)
	require.ErrorContains(t, d.Edge(1), "closed")
	require.Equal(t, uint64(2), outputs[0], "slices stay readable")
	left, err = os.ReadDir(scratch)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestLeavesNoDescriptors(t *testing.T) {
	open := func() int {
		descriptors, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(descriptors)
	}
	misbehaving(t, 0, 0) // opens files that stay open
	before := open()
	for range 5 {
		d, err := Open(testSource("misbehave", "clk_i"), cosim.Options{})
		require.NoError(t, err)
		require.NoError(t, d.Close())
		_, err = Open(testSource("misbehave", "clock"), cosim.Options{})
		require.Error(t, err)
	}
	require.Equal(t, before, open())
}

func TestLog(t *testing.T) {
	d := misbehaving(t, 7, 0)
	require.NoError(t, d.Step(1, 1))
	require.Eventually(t, func() bool { return strings.Contains(d.Log(), "line 2 of many") }, time.Second, time.Millisecond)
	require.NoError(t, d.Step(1, 20_000))
	require.Eventually(t, func() bool {
		return strings.HasSuffix(d.Log(), "line 34 of many, and long enough to fill a log with\n")
	}, time.Second, time.Millisecond)
	require.GreaterOrEqual(t, len(d.Log()), cosim.KeptLogBytes)
	require.LessOrEqual(t, len(d.Log()), 2*cosim.KeptLogBytes)
}

func TestRefusals(t *testing.T) {
	file := func(name, top string, clocks ...string) cosim.Source {
		return cosim.Source{Top: top, Files: []string{"testdata/" + name}, Clocks: clocks}
	}
	unknownParameter := testSource("counter", "clk_i")
	unknownParameter.Params = map[string]string{"WITH": "3"}
	for _, c := range []struct {
		name   string
		source cosim.Source
		says   string
	}{
		{"syntax", file("broken.v", "broken"), "testdata/broken.v:2: iverilog: syntax error"},
		{"fatal beside processes", file("beside.sv", "beside"), "testdata/beside.sv:3: Icarus Verilog does not read $fatal outside of processes; use backend: wasm, or put it between `ifndef"},
		{"unknown module", file("lonely.v", "lonely"), "testdata/lonely.v:2: iverilog: Unknown module type: stranger"},
		{"no such top", file("counter.v", "encounter"), `testdata/counter.v: iverilog: error: Unable to find the root module "encounter"`},
		{"no such file", file("absent.v", "absent"), "testdata/absent.v: cannot be read: no such file or directory"},
		{"no such parameter", unknownParameter, "module counter has no parameter WITH"},
		{"no such clock", file("counter.v", "counter", "clock"), "there is no port clock; of inputs of one bit: there are clk_i, rst_i, enable_i"},
		{"VHDL", file("design.vhd", "design"), "testdata/design.vhd: Icarus reads Verilog only"},
		{"inout", file("refused.v", "has_inout", "clk_i"), "port pad_io is neither an input nor an output"},
		{"real", file("refused.v", "has_real", "clk_i"), "port level_o is not a vector of bits"},
		{"wide clock", file("refused.v", "has_wide_clock", "clk_i"), "clk_i is an input of 2 bits; a clock is an input of one bit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Open(c.source, cosim.Options{})
			if c.name == "fatal beside processes" && cosimtest.Since(t, "iverilog", 12) { // this version reads the task and ignores it
				require.NoError(t, err)
				require.NoError(t, d.Close())
				return
			}
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "\n")
			var bad *cosim.InputError
			require.ErrorAs(t, err, &bad)
		})
	}
}

// onlyTools sets PATH to a folder with these tools alone.
func onlyTools(t *testing.T, tools ...string) {
	dir := t.TempDir()
	for _, tool := range tools {
		path, err := exec.LookPath(tool)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(dir, tool)))
	}
	t.Setenv("PATH", dir)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

func TestMissingTools(t *testing.T) {
	base := []string{"sh", "basename", "cut", "expr", "as", "ld"}
	for _, c := range []struct {
		missing, remedy string
		tools           []string
	}{
		{"vvp", "install the Debian package iverilog", []string{"iverilog", "iverilog-vpi", "cc"}},
		{"iverilog", "install the Debian package iverilog", []string{"vvp", "iverilog-vpi", "cc"}},
		{"iverilog-vpi", "install the Debian package iverilog", []string{"vvp", "iverilog", "cc"}},
		{"cc", "install the Debian package gcc", []string{"vvp", "iverilog", "iverilog-vpi"}},
	} {
		t.Run(c.missing, func(t *testing.T) {
			onlyTools(t, append(c.tools, base...)...)
			_, err := Open(testSource("counter", "clk_i"), cosim.Options{})
			require.ErrorContains(t, err, "is not on the PATH")
			require.ErrorContains(t, err, c.missing+": ")
			require.ErrorContains(t, err, c.remedy)
		})
	}
}

// TestModuleCache checks that the module is built once by concurrent processes, and also without a cache.
func TestModuleCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	errs := make(chan error)
	for range 4 {
		go func() {
			d, err := Open(testSource("counter", "clk_i"), cosim.Options{})
			if err == nil {
				err = d.Close()
			}
			errs <- err
		}()
	}
	for range 4 {
		require.NoError(t, <-errs)
	}
	built, err := filepath.Glob(filepath.Join(cache, "starloom", "cosim", "*"))
	require.NoError(t, err)
	require.Len(t, built, 1)

	t.Setenv("XDG_CACHE_HOME", "relative") // os.UserCacheDir refuses a relative path
	d := openDevice(t, testSource("counter", "clk_i"), cosim.Options{})
	require.NoError(t, d.Edge(1))
}

// TestMemoryLayout compares the layouts written by hand in Go and C.
func TestMemoryLayout(t *testing.T) {
	text, err := cosim.VPI.ReadFile("vpi/cosim.c")
	require.NoError(t, err)
	source := string(text)
	for name, value := range map[string]int{"REQUEST": requestAt, "REPORT": reportAt, "VALUES": valuesAt, "MEMORY_BYTES": memoryBytes,
		"OP_SETTLE": int(opSettle), "OP_EDGE": int(opEdge), "OP_CLOSE": int(opClose),
		"OP_TRACE": int(opTrace), "OP_DUMP": int(opDump), "OP_END_TRACE": int(opEndTrace),
		"STATUS_OK": int(statusOK), "STATUS_REFUSED": int(statusRefused), "STATUS_FINISHED": int(statusFinished), "STATUS_ENDLESS": int(statusEndless), "STATUS_OSCILLATES": int(statusOscillates)} {
		found := regexp.MustCompile(name + ` = (\d+)(?: << (\d+))?[,\s]`).FindStringSubmatch(source)
		require.NotNil(t, found, name)
		have, err := strconv.Atoi(found[1])
		require.NoError(t, err)
		shift, _ := strconv.Atoi("0" + found[2])
		require.Equal(t, value, have<<shift, name)
	}
	var h header
	for name, offset := range map[string]uintptr{"clocks": unsafe.Offsetof(h.clocks), "reply": unsafe.Offsetof(h.reply), "cycles": unsafe.Offsetof(h.cycles)} {
		require.Contains(t, source, fmt.Sprintf("offsetof(struct header, %s) == %d", name, offset))
	}
}

// TestRunsInAnEmptyFolder checks that files written by a circuit are not in the user's folder and are removed.
func TestRunsInAnEmptyFolder(t *testing.T) {
	file := write(t, "files.v", `module files (input a, output reg b);
  integer f;
  initial begin f = $fopen("out.txt"); $fwrite(f, "x"); $dumpfile("out.vcd"); $dumpvars; f = $fopen("files.v", "r"); if (f) $display("found"); end
  always @* b = a;
endmodule
`)
	t.Chdir(filepath.Dir(file))
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	d, err := Open(cosim.Source{Top: "files", Files: []string{"files.v"}}, cosim.Options{})
	require.NoError(t, err)
	require.NoError(t, d.Settle())
	var tasks []string
	for _, w := range d.(*device).Warnings() {
		require.True(t, strings.HasPrefix(w.Place, "files.v:3"), w.Place)
		require.Contains(t, w.Text, "is not a sandbox")
		tasks = append(tasks, w.Code)
	}
	require.Equal(t, []string{"$fopen", "$dumpfile", "$dumpvars"}, tasks)
	require.NoError(t, d.Close())
	require.NotContains(t, d.(cosim.Logger).Log(), "found")
	for _, dir := range []string{".", scratch} {
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.LessOrEqual(t, len(left), 1, "%v", left) // the source
	}
}

// BenchmarkArbiter exchanges random requests with the arbiter once per cycle, then runs the same arbiter alone in a
// test bench for as many cycles.
func BenchmarkArbiter(b *testing.B) {
	d := openDevice(b, testSource("arbiter", "clk_i"), cosim.Options{})
	random := rand.New(rand.NewPCG(7, 8))
	in := d.Inputs()
	require.NoError(b, d.Edge(1))
	in[0] = 1
	b.ResetTimer()
	for range b.N {
		in[1] = random.Uint64()
		if err := d.Edge(1); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	alone := runArbiterAlone(b, b.N) - runArbiterAlone(b, 0)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cycles/s")
	b.ReportMetric(float64(alone.Nanoseconds())/float64(b.N), "alone-ns/op")
}

// runArbiterAlone returns the time that vvp takes for these cycles of the test bench.
func runArbiterAlone(b *testing.B, cycles int) time.Duration {
	compiled := filepath.Join(b.TempDir(), "tb.vvp")
	out, err := exec.Command("iverilog", "-g2012", "-s", "arbiter_tb", "-o", compiled, "-Parbiter_tb.CYCLES="+strconv.Itoa(cycles),
		"testdata/arbiter_tb.v", "testdata/arbiter.v").CombinedOutput()
	require.NoError(b, err, "%s", out)
	start := time.Now()
	out, err = exec.Command("vvp", "-n", compiled).CombinedOutput()
	require.NoError(b, err, "%s", out)
	return time.Since(start)
}
