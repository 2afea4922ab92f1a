package vcd

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// syntheticVCD writes a VCD of a clock, scalars and vectors that change at random,
// until it has at least the given size. Equal arguments give equal bytes.
func syntheticVCD(w io.Writer, bytesMin int64, signals, changesPerCycle int,
	fullWidth bool) (written int64, err error) {
	random := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	flush := func() {
		if err == nil {
			var n int64
			n, err = b.WriteTo(w)
			written += n
		}
	}
	b.WriteString("$timescale 1 ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n")
	width := make([]int, signals)
	code := make([]string, signals)
	for i := range width {
		width[i] = []int{1, 1, 8, 32}[i%4]
		code[i] = string(appendCode(nil, SignalID(i+1)))
		b.WriteString("$var wire " + strconv.Itoa(width[i]) + " " + code[i] + " s" + strconv.Itoa(i) + " $end\n")
	}
	b.WriteString("$upscope $end\n$enddefinitions $end\n")
	for t := uint64(0); written < bytesMin && err == nil; t += 5 {
		b.WriteString("#" + strconv.FormatUint(t, 10) + "\n" + strconv.FormatUint(t/5&1, 10) + "!\n")
		for range changesPerCycle {
			i := random.IntN(signals)
			digits := strconv.FormatUint(random.Uint64()>>(64-width[i]), 2)
			switch {
			case width[i] == 1:
				b.WriteString(digits + code[i] + "\n")
			case fullWidth:
				b.WriteString("b")
				b.Write(bytes.Repeat([]byte{'0'}, width[i]-len(digits)))
				b.WriteString(digits + " " + code[i] + "\n")
			default:
				b.WriteString("b" + digits + " " + code[i] + "\n")
			}
		}
		if b.Len() > 1<<20 || t > uint64(10*bytesMin) {
			flush()
		}
	}
	flush()
	return written, err
}

// BenchmarkRead reads 32 MiB of value changes: MB/s of one thread, watching all
// signals, one, and a file of single bits alone.
func BenchmarkRead(b *testing.B) {
	var mixed, scalars bytes.Buffer
	_, err := syntheticVCD(&mixed, 32<<20, 1000, 20, true)
	require.NoError(b, err)
	_, err = syntheticVCD(&scalars, 32<<20, 2, 2, true)
	require.NoError(b, err)
	for _, c := range []struct {
		name string
		text []byte
		all  bool
	}{{"all", mixed.Bytes(), true}, {"one", mixed.Bytes(), false}, {"scalars", scalars.Bytes(), true}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(c.text), "bench.vcd")
				require.NoError(b, err)
				if c.all {
					require.NoError(b, r.WatchAll())
				} else {
					require.NoError(b, r.Watch([]NetID{0}))
				}
				for r.Next() {
					_, _ = r.Step() // the error stays
				}
				require.NoError(b, r.Err())
			}
		})
	}
}
