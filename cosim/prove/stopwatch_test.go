//go:build linux

package prove

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim/flatten"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// largeScript takes Yosys far longer than a test: a memory of 2,097,152 bits as registers.
const largeScript = `read_verilog large.v
proc
memory_collect
memory_map
opt_clean
check
write_json large.json
`

// TestYosysEndsInTime checks that a late step is stopped together with its process.
func TestYosysEndsInTime(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"large.v": `module large(input clk, input [15:0] at, input [31:0] d, output [31:0] q);
  reg [31:0] mem [0:65535];
  assign q = mem[at];
  always @(posedge clk) mem[at] <= d;
endmodule
`, "script.ys": largeScript,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	var said []string
	clock := stopwatch{limit: 100 * time.Millisecond, tell: func(text string) { said = append(said, text) }}
	began := time.Now()
	err := clock.run(t.Context(), "reads", func(ctx context.Context) error {
		_, err := runYosys(ctx, dir, "script.ys", yosysMemory())
		return err
	})
	require.ErrorIs(t, err, errLate)
	require.Less(t, time.Since(began), 5*time.Second)
	require.NoFileExists(t, filepath.Join(dir, "large.json"))
	require.Equal(t, []string{"reads"}, said)
	require.ErrorIs(t, clock.run(t.Context(), "has no time left", func(ctx context.Context) error { return ctx.Err() }), errLate)
}

// TestStopwatch checks that steps share a time limit, that a step keeps its own error, and that cancellation is not
// reported as lateness.
func TestStopwatch(t *testing.T) {
	wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	w := stopwatch{limit: time.Millisecond, used: 2 * time.Millisecond}
	require.ErrorIs(t, w.run(t.Context(), "", wait), errLate)
	require.NoError(t, w.run(t.Context(), "", func(context.Context) error { return nil }))
	loop := refuse("a loop")
	require.Equal(t, loop, w.run(t.Context(), "", func(ctx context.Context) error { _ = wait(ctx); return loop }))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, w.run(gone, "", wait), context.Canceled)
}

// TestStopwatchTells checks that the elapsed time is reported every second.
func TestStopwatchTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		w := stopwatch{limit: time.Minute, used: 9 * time.Second, tell: func(text string) { told = append(told, text) }}
		say, stop := w.ticking()
		say("a step")
		time.Sleep(2500 * time.Millisecond)
		say("another")
		time.Sleep(time.Second)
		stop()
		time.Sleep(time.Second)
		require.Equal(t, []string{"a step", "a step (10s of 1m0s)", "a step (11s of 1m0s)", "another", "another (12s of 1m0s)"}, told)
	})
}

func TestSizeText(t *testing.T) {
	const smaller = ": smaller parameters of RTL and model take less time"
	require.Equal(t, "the RTL has no registers: its logic is large"+smaller, sizeText(nil))
	registers := []flatten.Register{{Source: "count", Bits: 11, Place: "a.v:2:1"}, {Source: "mem", Bits: 32, Words: 1024, Place: "a.v:3:1"}}
	require.Equal(t, "the RTL has 11 bits in registers, 11 of them in count (a.v:2:1)"+smaller, sizeText(registers[:1]))
	require.Equal(t, "the RTL has 32,779 bits in registers, 32,768 of them in mem (a.v:3:1), a memory of 1,024 words"+smaller, sizeText(registers))
}

// TestLongYosysIsLate checks that a design too large for Yosys is refused with its large parts, unless random inputs
// show a difference.
func TestLongYosysIsLate(t *testing.T) {
	fifo := smallFIFO(t)
	mutants := twin.Mutants(library().Twins)
	mutant := mutants[slices.IndexFunc(mutants, func(m twin.Mutant) bool { return m.Twin.Name == "fifo" })]
	m := mutantMap(t, mutant, twin.Parameters{"DEPTH": 256, "WIDTH": 32, "COUNT_BITS": 1})
	_, err := builderOf(t, m, stopwatch{limit: 200 * time.Millisecond}).build()
	require.ErrorContains(t, err, "Yosys did not finish reading both sides in 200ms; the RTL has 8,2")
	require.ErrorContains(t, err, " bits in registers, 8,192 of them in mem_q (")
	for _, m := range []*pinmap.Map{m, fifo} {
		p := &prover{ctx: t.Context(), m: m, options: Options{Progress: func(string) {}}, report: newReport(m)}
		if again := p.inVain(err); m == fifo {
			require.ErrorContains(t, again, "take less time; 10,000 cycles of random inputs show no difference")
		} else {
			require.NoError(t, again)
			require.Equal(t, Differs, p.report.Verdict)
		}
	}
}

// TestLongSimulationEndsInTime checks that simulation of the miter stops at the limit, while lockstep continues.
func TestLongSimulationEndsInTime(t *testing.T) {
	m := smallFIFO(t)
	a := miterOf(t, m).agreement()
	a.over = func() error {
		if a.cycles == 7 {
			return errors.New("over")
		}
		return nil
	}
	found, err := lockstep.Run(t.Context(), m, lockstep.Options{Cycles: 100, PowerOn: 1, NoExplore: true, Observe: a.see})
	require.NoError(t, err)
	require.Equal(t, uint64(100), found.Cycles)
	require.True(t, a.cut)
	require.Equal(t, uint64(7), a.cycles)
}

func smallFIFO(t *testing.T) *pinmap.Map {
	return twinMap(t, "fifo", twin.Parameters{"DEPTH": 2, "WIDTH": 1, "COUNT_BITS": 1})
}
