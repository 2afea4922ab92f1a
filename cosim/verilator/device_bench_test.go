package verilator

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

func arbiter16() cosim.Source {
	return cosim.Source{
		Top: "arbiter_round_robin", Files: []string{filepath.Join("..", "rtl", "arbiter_round_robin.v"), filepath.Join("..", "rtl", "arbiter_lock.v")},
		Params: map[string]string{"REQUESTERS": "16"}, Clocks: []string{"clock"},
	}
}

// BenchmarkDevice runs a 16-port round-robin arbiter: new requests, Edge, the grant in each cycle. It compares the
// backends with Verilator's loop in C++. best is the fastest of many short pieces, for a busy machine.
func BenchmarkDevice(b *testing.B) {
	b.Run("native-loop", benchmarkNativeLoop)
	b.Run("wasm", func(b *testing.B) { benchmarkDevice(b, viaWasm) })
	b.Run("wasm-settle", func(b *testing.B) { benchmarkSettle(b, viaWasm) })
	for _, more := range moreBackends {
		b.Run(more.name, func(b *testing.B) { benchmarkDevice(b, more.open) })
	}
}

// moreBackends are backends that some systems lack.
var moreBackends []struct {
	name string
	open backend
}

const benchmarkPiece = 1000

// pieces runs pieces of benchmarkPiece cycles until the benchmark ends.
func pieces(b *testing.B, piece func(cycles int)) {
	best := time.Duration(1<<63 - 1)
	for left := b.N; left > 0; left -= benchmarkPiece {
		start := time.Now()
		piece(min(left, benchmarkPiece))
		if left >= benchmarkPiece {
			best = min(best, time.Since(start))
		}
	}
	if b.N >= benchmarkPiece {
		b.ReportMetric(float64(best.Nanoseconds())/benchmarkPiece, "best-ns/op")
	}
}

func benchmarkDevice(b *testing.B, open backend) {
	d := bench(b, open, arbiter16(), cosim.Options{})
	d.set("reset", 1)
	d.edge()
	d.set("reset", 0)
	in, out := &d.Inputs()[d.ports["request_i"].Word], &d.Outputs()[d.ports["grant_o"].Word]
	random, sum := uint64(0), uint64(0)
	b.ResetTimer()
	pieces(b, func(cycles int) {
		for range cycles {
			random = random*6364136223846793005 + 1442695040888963407
			*in = random >> 40
			if err := d.Edge(1); err != nil {
				b.Fatal(err)
			}
			sum += *out
		}
	})
	require.NotZero(b, sum)
}

func benchmarkSettle(b *testing.B, open backend) {
	d := bench(b, open, arbiter16(), cosim.Options{})
	d.set("reset", 1)
	d.edge()
	d.set("reset", 0)
	in := &d.Inputs()[d.ports["request_i"].Word]
	random := uint64(0)
	b.ResetTimer()
	pieces(b, func(cycles int) {
		for range cycles {
			random = random*6364136223846793005 + 1442695040888963407
			*in = random >> 40
			if d.Settle() != nil || d.Edge(1) != nil {
				b.Fatal("the device has ended")
			}
		}
	})
}

// benchmarkNativeLoop compiles the loop with g++ -O3. The program measures itself.
func benchmarkNativeLoop(b *testing.B) {
	dir := b.TempDir()
	run := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).CombinedOutput()
		require.NoError(b, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	s := arbiter16()
	run("verilator", append([]string{"--cc", "--no-timing", "-O3", "--x-assign", "fast", "--x-initial", "fast", "-GREQUESTERS=16",
		"--prefix", "Vdut", "--top-module", s.Top, "--Mdir", dir}, s.Files...)...)
	main := filepath.Join(dir, "main.cpp")
	require.NoError(b, os.WriteFile(main, []byte(nativeLoop), 0o644))
	include := filepath.Join(run("verilator", "--getenv", "VERILATOR_ROOT"), "include")
	sources, err := filepath.Glob(filepath.Join(dir, "*.cpp"))
	require.NoError(b, err)
	binary := filepath.Join(dir, "loop")
	run("g++", append(sources, filepath.Join(include, "verilated.cpp"), filepath.Join(include, "verilated_threads.cpp"),
		"-std=gnu++17", "-O3", "-w", "-pthread", "-DVM_TRACE=0", "-I", dir, "-I", include, "-o", binary)...)
	b.ResetTimer()
	words := strings.Fields(run(binary, strconv.Itoa(max(b.N, 2*benchmarkPiece))))
	require.Len(b, words, 2)
	for i, unit := range []string{"ns/op", "best-ns/op"} {
		value, err := strconv.ParseFloat(words[i], 64)
		require.NoError(b, err)
		b.ReportMetric(value, unit)
	}
}

const nativeLoop = `
#include "Vdut.h"
#include "verilated.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
int main(int, char** argv) {
    VerilatedContext context;
    Vdut top{&context};
    const long cycles = atol(argv[1]);
    unsigned long random = 0, sum = 0;
    double best = 1e18, total = 0;
    top.reset = 1; top.clock = 0; top.eval(); top.clock = 1; top.eval(); top.reset = 0;
    for (long done = 0; done < cycles; done += 1000) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 1000; ++i) {
            random = random * 6364136223846793005UL + 1442695040888963407UL;
            top.request_i = random >> 40;
            top.clock = 0; top.eval();
            top.clock = 1; top.eval();
            sum += top.grant_o;
        }
        const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
        total += ns;
        if (ns < best) best = ns;
    }
    if (!sum) return 1;
    std::printf("%f %f\n", total / ((cycles + 999) / 1000 * 1000), best / 1000);
}
`

// BenchmarkCircuit measures the costs of a device apart from its cycles: compiling the wasm for the first device,
// opening another, saving and restoring.
func BenchmarkCircuit(b *testing.B) {
	c, err := Build(context.Background(), arbiter16(), cosim.BuildOptions{Cache: testCache})
	require.NoError(b, err)
	open := func() cosim.Device {
		d, err := Open(c, cosim.Options{})
		require.NoError(b, err)
		return d
	}
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			fresh, err := Load(c.Wasm())
			require.NoError(b, err)
			_, err = fresh.runtime(false)
			require.NoError(b, err)
			require.NoError(b, fresh.Close())
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, open().Close())
		}
	})
	d := open()
	snapshot, err := d.Save()
	require.NoError(b, err)
	b.Run("save", func(b *testing.B) {
		b.ReportMetric(float64(len(snapshot)), "bytes")
		for b.Loop() {
			_, err := d.Save()
			require.NoError(b, err)
		}
	})
	b.Run("restore", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, d.Restore(snapshot))
		}
	})
	require.NoError(b, d.Close())
	require.NoError(b, c.Close())
}
