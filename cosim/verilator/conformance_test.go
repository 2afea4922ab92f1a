package verilator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
)

// backend opens devices of sources and releases their resources at the end of the test.
type backend func(t testing.TB, s cosim.Source, o cosim.Options) (cosim.Device, error)

// conforming returns a source of testdata/conformance. The names of its clocks begin with clk or end with clk_i.
func conforming(file, top string, clocks ...string) cosim.Source {
	return cosim.Source{Top: top, Files: []string{filepath.Join("testdata", "conformance", file)}, Clocks: clocks}
}

type onBench struct {
	cosim.Device
	t     testing.TB
	ports map[string]cosim.Port
}

func bench(t testing.TB, open backend, s cosim.Source, o cosim.Options) *onBench {
	t.Helper()
	d, err := open(t, s, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	b := &onBench{Device: d, t: t, ports: map[string]cosim.Port{}}
	for _, p := range d.Ports() {
		b.ports[p.Name] = p
	}
	return b
}

func (b *onBench) set(name string, words ...uint64) {
	b.t.Helper()
	p, ok := b.ports[name]
	require.True(b.t, ok && p.Input && !p.Clock && len(words) == p.Words(), "%s of %d words", name, len(words))
	copy(b.Inputs()[p.Word:], words)
}

// get returns the words of an output, low word first. All bits must be known.
func (b *onBench) get(name string) []uint64 {
	b.t.Helper()
	p, ok := b.ports[name]
	require.True(b.t, ok && !p.Input, name)
	if unknown := b.Unknown(); unknown != nil {
		require.Zero(b.t, slices.Max(unknown[p.Word:][:p.Words()]), "%s has unknown bits", name)
	}
	return slices.Clone(b.Outputs()[p.Word:][:p.Words()])
}

func (b *onBench) one(name string) uint64 { b.t.Helper(); return b.get(name)[0] }

// edge runs a cycle of the named clocks, or of the first one.
func (b *onBench) edge(clocks ...string) {
	b.t.Helper()
	mask, bit := uint64(0), uint64(1)
	for _, p := range b.Ports() {
		if p.Clock {
			if len(clocks) == 0 && bit == 1 || slices.Contains(clocks, p.Name) {
				mask |= bit
			}
			bit <<= 1
		}
	}
	require.NoError(b.t, b.Edge(mask))
}

func (b *onBench) settle() { b.t.Helper(); require.NoError(b.t, b.Settle()) }

// reset runs two cycles with an active-high reset.
func (b *onBench) reset(clocks ...string) {
	b.t.Helper()
	b.set("rst_i", 1)
	b.edge(clocks...)
	b.edge(clocks...)
	b.set("rst_i", 0)
}

// testConformance has the requirements for every backend.
func testConformance(t *testing.T, open backend) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, open backend)
	}{
		{"ports", conformPorts},
		{"counter", conformCounter},
		{"parameters", conformParameters},
		{"combinational", conformCombinational},
		{"circular", conformCircular},
		{"trees", conformTrees},
		{"odd", conformOdd},
		{"no clock", conformNoClock},
		{"wide ports", conformWide},
		{"two clocks", conformClocks},
		{"levels of the clock", conformLevels},
		{"asynchronous reset", conformAsynchronous},
		{"packed ports", conformPacked},
		{"memory", conformMemory},
		{"memory from a file", conformROM},
		{"step", conformStep},
		{"no reset value", conformUninitialised},
		{"snapshots", conformSnapshots},
		{"log", conformLog},
		{"ends", conformEnds},
		{"ends at once", conformEndsAtOnce},
		{"wrong clocks", conformWrongClocks},
		{"close", conformClose},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, open)
		})
	}
}

func conformPorts(t *testing.T, open backend) {
	b := bench(t, open, conforming("clocks.v", "clocks", "clk_i", "slow_clk_i"), cosim.Options{})
	require.Equal(t, []cosim.Port{
		{Name: "rst_i", Bits: 1, Input: true, Word: 0},
		{Name: "slow_clk_i", Bits: 1, Input: true, Clock: true, Word: -1},
		{Name: "clk_i", Bits: 1, Input: true, Clock: true, Word: -1},
		{Name: "fast_o", Bits: 8, Word: 0},
		{Name: "slow_o", Bits: 8, Word: 1},
		{Name: "sampled_o", Bits: 8, Word: 2},
	}, b.Ports(), "in the order of the declaration")
	require.Len(t, b.Inputs(), 1)
	require.Len(t, b.Outputs(), 3)
}

func conformCounter(t *testing.T, open backend) {
	b := bench(t, open, conforming("counter.v", "counter", "clk_i"), cosim.Options{})
	b.reset()
	require.EqualValues(t, 0, b.one("count_o"))
	count := uint64(0)
	for cycle := range 600 {
		enable := uint64(cycle*7%3) & 1
		b.set("enable_i", enable|^uint64(1)) // bits above the width have no effect
		b.edge()
		count = (count + enable) & 255
		require.Equal(t, count, b.one("count_o"), "cycle %d", cycle)
	}
	b.set("rst_i", 1)
	b.edge()
	require.EqualValues(t, 0, b.one("count_o"), "reset in mid-flight")
}

func wideCounter() cosim.Source {
	s := conforming("counter.v", "counter", "clk_i")
	s.Params = map[string]string{"WIDTH": "12", "FIRST": "12'hff0"}
	return s
}

func conformParameters(t *testing.T, open backend) {
	b := bench(t, open, wideCounter(), cosim.Options{})
	require.Equal(t, 12, b.ports["count_o"].Bits)
	b.reset()
	b.set("enable_i", 1)
	for range 20 {
		b.edge()
	}
	require.EqualValues(t, 4, b.one("count_o"))
}

func conformCombinational(t *testing.T, open backend) {
	b := bench(t, open, conforming("mealy.v", "mealy", "clk_i"), cosim.Options{})
	b.reset()
	random := rand.New(rand.NewPCG(1, 1))
	last := uint64(0)
	for range 200 {
		x, y := random.Uint64N(16), random.Uint64N(16)
		b.set("a_i", x)
		b.set("b_i", y)
		if random.IntN(4) > 0 { // the edge sees inputs that never were settled, too
			b.settle()
			require.Equal(t, x+y, b.one("sum_o"))
			require.Equal(t, last, b.one("last_o"), "Settle is not an edge")
			require.Equal(t, x == last, b.one("same_o") == 1)
		}
		b.edge()
		last = x
		require.Equal(t, x+y, b.one("sum_o"))
		require.Equal(t, last, b.one("last_o"))
		require.EqualValues(t, 1, b.one("same_o"), "combinational outputs show the new registers")
	}
}

func conformCircular(t *testing.T, open backend) {
	b := bench(t, open, conforming("circular.v", "circular", "clk_i"), cosim.Options{})
	b.set("rst_i", 1)
	b.edge()
	b.set("rst_i", 0)
	random := rand.New(rand.NewPCG(2, 2))
	last := uint64(0)
	for range 500 {
		in := [3]uint64{random.Uint64N(1 << 16), random.Uint64N(1 << 16), random.Uint64N(1<<16) & random.Uint64N(1<<16)}
		b.set("a_i", in[0])
		b.set("b_i", in[1])
		b.set("c_i", in[2])
		bit := func(of uint64, at int) uint64 { return of >> at & 1 }
		low, ones := bit(in[0], 8), bit(in[1], 1)
		for g := 1; g < 16; g++ {
			low |= (bit(in[1], (g+9)%16)&bit(in[2], 15-g) | bit(low, g-1)) << g
		}
		for g := 1; g < 16; g++ {
			ones |= (1 ^ bit(low, (g+4)%16) | bit(ones, g-1)) << g
		}
		chain := bit(low, 9)
		for g := 1; g < 16; g++ {
			chain |= bit(ones, g^1) & bit(chain, g-1) << g
		}
		first := bit(in[2], 1)
		flip := [4]uint64{first, 1 ^ first, first, 1 ^ first}
		parity := bit(in[0], 1) ^ flip[2]
		for g, with := range []uint64{flip[1], flip[0], flip[3]} {
			parity |= (bit(parity, g) ^ with) << (g + 1)
		}
		if random.IntN(4) > 0 { // the edge sees inputs that never were settled, too
			b.settle()
			require.Equal(t, chain, b.one("chain_o"))
			require.Equal(t, parity, b.one("parity_o"))
		}
		b.edge()
		last = (last + chain) & 0xffff
		require.Equal(t, last, b.one("last_o"))
	}
}

func conformTrees(t *testing.T, open backend) {
	b := bench(t, open, conforming("trees.v", "trees"), cosim.Options{})
	for i := range uint64(1 << 7) {
		a, x, c := i&1, i>>1&1, i>>2&1
		b.set("a_i", a)
		b.set("b_i", x)
		b.set("c_i", c)
		b.set("d_i", i>>3)
		b.settle()
		require.Equal(t, x, b.one("xor_o"))
		require.EqualValues(t, 0, b.one("choice_o"), "a bit shifted out, or bit 0 of 2'h2")
		require.Equal(t, 1^c, b.one("not_o"), "some bit of ~(... | 8'hc6) is 1")
	}
}

func conformOdd(t *testing.T, open backend) {
	b := bench(t, open, conforming("odd.sv", "odd"), cosim.Options{})
	for i := range uint64(1 << 4) {
		b.set("d_i", i)
		b.settle()
		require.EqualValues(t, bits.OnesCount64(i)&1, b.one("odd_o"))
	}
}

func conformNoClock(t *testing.T, open backend) {
	b := bench(t, open, conforming("adder.v", "adder"), cosim.Options{})
	for _, x := range []uint64{0, 1, 65535} {
		b.set("a_i", x)
		b.set("b_i", 65535-x/2)
		b.settle()
		require.Equal(t, x+65535-x/2, b.one("sum_o"))
	}
	b.set("a_i", 7)
	require.NoError(t, b.Edge(0), "without clocks an edge is Settle")
	require.NoError(t, b.Step(0, 3))
	require.EqualValues(t, 7+65535-65535/2, b.one("sum_o"))
}

func conformWide(t *testing.T, open backend) {
	b := bench(t, open, conforming("wide.v", "wide", "clk_i"), cosim.Options{})
	random := rand.New(rand.NewPCG(2, 2))
	for range 100 {
		x := []uint64{random.Uint64(), random.Uint64()}
		y := make([]uint64, 8)
		for i := range y {
			y[i] = random.Uint64()
		}
		b.set("a_i", x...)
		b.set("b_i", y...)
		s := random.Uint64()
		b.set("s_i", s)
		b.set("up_i", s)
		b.edge()
		x[1] &= 1<<36 - 1
		require.Equal(t, []uint64{x[0]<<1 | x[1]>>35, (x[1]<<1 | x[0]>>63) & (1<<36 - 1)}, b.get("a_o"))
		rotated := make([]uint64, 8)
		for i := range rotated {
			rotated[i] = y[i]>>1 | y[(i+1)%8]<<63
		}
		require.Equal(t, rotated, b.get("b_o"))
		require.Equal(t, uint64(int64(s)<<59>>59)&127, b.one("s_o"), "a signed output is not wider than its port")
		require.Equal(t, y[1], b.one("word_o"))
		require.Equal(t, []uint64{y[4], y[5] & 1}, b.get("more_o"))
		require.Equal(t, s&127, b.one("up_o"))
	}
}

func conformClocks(t *testing.T, open backend) {
	// The bits of Edge have the order of the ports, which need not be that of the source.
	b := bench(t, open, conforming("clocks.v", "clocks", "clk_i", "slow_clk_i"), cosim.Options{})
	b.reset("clk_i", "slow_clk_i")
	for range 3 {
		b.edge("clk_i")
	}
	b.edge("slow_clk_i")
	require.Equal(t, []uint64{3, 1, 3}, []uint64{b.one("fast_o"), b.one("slow_o"), b.one("sampled_o")})
	b.edge("clk_i", "slow_clk_i")
	require.Equal(t, []uint64{4, 2, 3}, []uint64{b.one("fast_o"), b.one("slow_o"), b.one("sampled_o")},
		"clocks that rise together see the registers of before")
	b.edge("clk_i")
	b.edge("clk_i", "slow_clk_i")
	require.Equal(t, []uint64{6, 3, 5}, []uint64{b.one("fast_o"), b.one("slow_o"), b.one("sampled_o")})
	for seed := range uint64(12) { // the first edge counts for any random power-on state
		b := bench(t, open, conforming("clocks.v", "clocks", "clk_i", "slow_clk_i"), cosim.Options{Seed: seed + 1})
		b.set("rst_i", 1)
		b.edge("clk_i", "slow_clk_i")
		require.Equal(t, []uint64{0, 0}, []uint64{b.one("fast_o"), b.one("slow_o")}, "seed %d", seed+1)
	}
}

func conformLevels(t *testing.T, open backend) {
	b := bench(t, open, conforming("levels.v", "levels", "clk_i"), cosim.Options{})
	b.reset()
	require.EqualValues(t, 0, b.one("gated_o"))
	gated, rise := uint64(0), uint64(0)
	for cycle := range uint64(64) {
		enable, data := cycle*5>>2&1, cycle*11&15
		b.set("enable_i", enable)
		b.set("data_i", data)
		if cycle%3 == 0 {
			b.settle()
		}
		b.edge()
		gated, rise = (gated+enable)&255, data
		require.Equal(t, gated, b.one("gated_o"), "the latch follows before the clock rises, cycle %d", cycle)
		require.Equal(t, rise, b.one("rise_o"))
		require.Equal(t, (rise+data)&15, b.one("fall_o"), "the falling edge is after the rising one")
		require.EqualValues(t, 0, b.one("clk_o"), "clocks are low")
	}
}

func conformAsynchronous(t *testing.T, open backend) {
	b := bench(t, open, conforming("asynchronous.v", "asynchronous", "clk_i"), cosim.Options{})
	b.set("rst_ni", 1)
	b.settle()
	b.set("rst_ni", 0)
	b.settle()
	require.EqualValues(t, 0, b.one("data_o"), "without a clock")
	b.set("rst_ni", 1)
	b.set("data_i", 9)
	b.edge()
	require.Equal(t, []uint64{9, 0}, []uint64{b.one("data_o"), b.one("next_o")})
	b.edge()
	require.Equal(t, []uint64{9, 9}, []uint64{b.one("data_o"), b.one("next_o")})
	b.set("rst_ni", 0)
	b.edge()
	require.Equal(t, []uint64{0, 0}, []uint64{b.one("data_o"), b.one("next_o")}, "the clock sees the register that reset has cleared")
	b.set("rst_ni", 1)
	b.set("data_i", 5)
	b.edge()
	require.Equal(t, []uint64{5, 0}, []uint64{b.one("data_o"), b.one("next_o")})
}

func conformPacked(t *testing.T, open backend) {
	b := bench(t, open, conforming("packed.sv", "packed_ports", "clk_i"), cosim.Options{})
	require.Equal(t, 13, b.ports["flit_i"].Bits)
	require.Equal(t, 12, b.ports["lanes_i"].Bits)
	b.reset()
	b.set("flit_i", 0b1010_10_0000111)
	b.set("lanes_i", 0xabc)
	b.settle()
	require.EqualValues(t, 2, b.one("state_o"))
	require.EqualValues(t, 0xb, b.one("lane_o"))
	require.EqualValues(t, 0, b.one("flit_o"))
	b.edge()
	require.EqualValues(t, 0b1010_10_0001000, b.one("flit_o"))
}

func conformMemory(t *testing.T, open backend) {
	b := bench(t, open, conforming("memory.v", "memory", "clk_i"), cosim.Options{})
	word := func(address uint64) uint64 { return address * 0x9e3779b1 & 0xffffffff }
	b.set("write_i", 1)
	for address := range uint64(1024) {
		b.set("address_i", address)
		b.set("data_i", word(address))
		require.NoError(t, b.Edge(1))
	}
	b.set("write_i", 0)
	for address := range uint64(1024) {
		b.set("address_i", 1023-address)
		b.edge()
		require.Equal(t, word(1023-address), b.one("data_o"))
	}
}

func conformROM(t *testing.T, open backend) {
	b := bench(t, open, conforming("rom.v", "rom", "clk_i"), cosim.Options{})
	for address, word := range []uint64{0x3a, 7, 0xff, 0x10} {
		b.set("address_i", uint64(address))
		b.edge()
		require.Equal(t, word, b.one("data_o"))
	}
}

func conformStep(t *testing.T, open backend) {
	b := bench(t, open, wideCounter(), cosim.Options{})
	b.reset()
	b.set("enable_i", 1)
	require.NoError(t, b.Step(1, 0))
	require.NoError(t, b.Step(1, 4000))
	require.EqualValues(t, (0xff0+4000)&0xfff, b.one("count_o"))
	b.edge()
	require.EqualValues(t, (0xff0+4001)&0xfff, b.one("count_o"))
}

func conformUninitialised(t *testing.T, open backend) {
	s := conforming("uninitialised.v", "uninitialised", "clk_i")
	value := func(seed uint64) uint64 {
		b := bench(t, open, s, cosim.Options{Seed: seed})
		b.edge()
		if unknown := b.Unknown(); unknown != nil {
			require.Equal(t, []uint64{0xffffffff}, unknown, "four states: all bits are X")
		}
		first := b.Outputs()[0]
		b.set("load_i", 1)
		b.set("data_i", 77)
		b.edge()
		require.EqualValues(t, 77, b.one("data_o"))
		return first
	}
	first := value(1)
	require.Equal(t, first, value(1), "a seed gives the same values again")
	require.Zero(t, value(0), "without a seed registers start at 0, or at X")
	if bench(t, open, s, cosim.Options{}).Unknown() == nil {
		require.NotEqual(t, first, value(2))
		require.NotZero(t, first)
	}
}

func conformSnapshots(t *testing.T, open backend) {
	b := bench(t, open, conforming("memory.v", "memory", "clk_i"), cosim.Options{})
	random := rand.New(rand.NewPCG(3, 3))
	drive := func(random *rand.Rand, cycles int) (outputs []uint64) {
		for range cycles {
			b.set("write_i", random.Uint64N(2))
			b.set("address_i", random.Uint64N(8))
			b.set("data_i", random.Uint64()&0xffffffff)
			require.NoError(t, b.Edge(1))
			outputs = append(outputs, b.Outputs()[0])
		}
		return outputs
	}
	b.set("write_i", 1)
	for address := range uint64(8) { // leaves no word X
		b.set("address_i", address)
		require.NoError(t, b.Edge(1))
	}
	drive(random, 100)
	before := b.one("data_o")
	snapshot, err := b.Save()
	if errors.Is(err, cosim.ErrNoSnapshot) {
		require.ErrorIs(t, b.Restore(nil), cosim.ErrNoSnapshot)
		t.Skip("this backend has no snapshots")
	}
	require.NoError(t, err)
	same, err := b.Save()
	require.NoError(t, err)
	require.Equal(t, snapshot, same, "saving changes nothing")
	first := drive(rand.New(rand.NewPCG(4, 4)), 200)
	for range 2 {
		require.NoError(t, b.Restore(snapshot))
		require.Equal(t, before, b.one("data_o"), "outputs are a part of it")
		require.Equal(t, first, drive(rand.New(rand.NewPCG(4, 4)), 200))
	}
	other := bench(t, open, conforming("memory.v", "memory", "clk_i"), cosim.Options{})
	require.NoError(t, other.Restore(snapshot), "into a fresh device")
	b.Device, b.t = other.Device, t
	require.Equal(t, first, drive(rand.New(rand.NewPCG(4, 4)), 200))
	require.Error(t, bench(t, open, conforming("counter.v", "counter", "clk_i"), cosim.Options{}).Restore(snapshot), "of another build")
	if keeper, ok := b.Device.(cosim.Keeper); ok {
		drive(random, 50)
		whole, err := b.Save()
		require.NoError(t, err)
		difference, size, err := keeper.SaveSince(snapshot)
		require.NoError(t, err)
		require.Len(t, whole, size)
		require.Less(t, len(difference), size/8, "what both have is not kept")
		next := drive(rand.New(rand.NewPCG(5, 5)), 50)
		require.NoError(t, keeper.RestoreSince(snapshot, difference))
		again, err := b.Save()
		require.NoError(t, err)
		require.Equal(t, whole, again)
		require.Equal(t, next, drive(rand.New(rand.NewPCG(5, 5)), 50))
		_, _, err = keeper.SaveSince(snapshot[:5])
		require.Error(t, err)
	}
	require.Error(t, b.Restore(snapshot[:5]))
}

func conformLog(t *testing.T, open backend) {
	b := bench(t, open, conforming("misbehave.sv", "misbehave", "clk_i"), cosim.Options{})
	logger, ok := b.Device.(cosim.Logger)
	if !ok {
		t.Skip("this backend keeps no log")
	}
	b.reset()
	b.set("mode_i", 6)
	for range 3 {
		b.edge()
	}
	require.Eventually(t, func() bool { return strings.Contains(logger.Log(), "count 2") }, 5*time.Second, time.Millisecond)
	require.Contains(t, logger.Log(), "count 0\ncount 1\ncount 2\n")
	require.NoError(t, b.Step(1, 20_000))
	require.Less(t, len(logger.Log()), 256<<10, "a log has a limit")
}

func conformEnds(t *testing.T, open backend) {
	for _, c := range []struct {
		mode  uint64
		kinds []cosim.FaultKind
		text  string
		cycle uint64 // cycle of the fault, after two reset cycles
	}{
		{1, []cosim.FaultKind{cosim.FaultFinish}, "the last one is 4", 7},
		{2, []cosim.FaultKind{cosim.FaultFinish}, "", 7},
		{3, []cosim.FaultKind{cosim.FaultFatal}, "count is 4", 7},
		// An event-driven simulator does not terminate.
		{4, []cosim.FaultKind{cosim.FaultOscillation, cosim.FaultHang}, "", 3},
		{5, []cosim.FaultKind{cosim.FaultHang}, "", 3},
	} {
		t.Run(fmt.Sprint(c.kinds[0], c.mode), func(t *testing.T) {
			b := bench(t, open, conforming("misbehave.sv", "misbehave", "clk_i"), cosim.Options{TimeLimit: time.Second})
			b.reset()
			b.set("mode_i", c.mode)
			start := time.Now()
			err := b.Step(1, 1000)
			var fault *cosim.Fault
			require.ErrorAs(t, err, &fault)
			require.Contains(t, c.kinds, fault.Kind, "%v", err)
			require.Equal(t, "misbehave.sv: misbehave", fault.Device)
			require.Contains(t, fault.Text, c.text)
			if c.mode < 4 { // a fault of combinational logic may be detected before the edge
				require.Equal(t, c.cycle, fault.Cycle, "%v", err)
			} else {
				require.InDelta(t, c.cycle, fault.Cycle, 1, "%v", err)
			}
			require.Less(t, time.Since(start), 20*time.Second)
			require.ErrorAs(t, b.Edge(1), &fault, "a device that ended stays so")
			require.ErrorAs(t, b.Settle(), &fault)
		})
	}
}

func conformEndsAtOnce(t *testing.T, open backend) {
	s := conforming("at_once.v", "at_once", "clk_i")
	s.Params = map[string]string{"WIDTH": "9"}
	_, err := open(t, s, cosim.Options{})
	var fault *cosim.Fault
	require.ErrorAs(t, err, &fault)
	require.Equal(t, cosim.FaultFinish, fault.Kind)
	require.Zero(t, fault.Cycle)
	require.Contains(t, fault.Text, "allowed are WIDTH 1 to 8")
}

func conformWrongClocks(t *testing.T, open backend) {
	b := bench(t, open, conforming("counter.v", "counter", "clk_i"), cosim.Options{})
	require.Error(t, b.Edge(2), "there is one clock")
	require.Error(t, b.Step(3, 1))
	b.reset()
	require.EqualValues(t, 0, b.one("count_o"), "and the device goes on")
}

func conformClose(t *testing.T, open backend) {
	d, err := open(t, conforming("counter.v", "counter", "clk_i"), cosim.Options{})
	require.NoError(t, err)
	require.NoError(t, d.Edge(1))
	require.NoError(t, d.Close())
	require.NoError(t, d.Close(), "closing twice is allowed")
	require.Error(t, d.Edge(1))
	require.Error(t, d.Settle())
	require.Error(t, d.Step(1, 1))
}

var testCache string

func TestMain(m *testing.M) { os.Exit(cosimtest.Main(m, &testCache, Build)) }

var building sync.Map

// compileOnce waits until no other test compiles a source, so that parallel tests do not compile it twice.
func compileOnce(s cosim.Source) (done func()) {
	one, _ := building.LoadOrStore(fmt.Sprint(s), new(sync.Mutex))
	one.(*sync.Mutex).Lock()
	return one.(*sync.Mutex).Unlock
}

// built returns a source compiled to wasm, once per run.
func built(s cosim.Source) (*Circuit, error) {
	defer compileOnce(s)()
	return Build(context.Background(), s, cosim.BuildOptions{Cache: testCache})
}

func viaWasm(t testing.TB, s cosim.Source, o cosim.Options) (cosim.Device, error) {
	c, err := built(s)
	if err != nil {
		return nil, err
	}
	d, err := Open(c, o)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	t.Cleanup(func() { require.NoError(t, errors.Join(d.Close(), c.Close())) })
	return d, nil
}

func TestWasmConforms(t *testing.T) { testConformance(t, viaWasm) }

// TestWasmConformsInterpreted runs the interpreter, which is the reference for the compiler.
func TestWasmConformsInterpreted(t *testing.T) {
	testConformance(t, func(t testing.TB, s cosim.Source, o cosim.Options) (cosim.Device, error) {
		o.Interpreter = true
		return viaWasm(t, s, o)
	})
}

var full = flag.Bool("full", false, "run the long tests")
