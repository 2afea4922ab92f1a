package vcd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"starloom/traces/input"
	"starloom/traces/internal/tracetest"
)

// eventsOf reads a VCD and prints its changes: "5 top.clk=1". Every variable of a
// net is printed.
func eventsOf(r *Reader) (events []string, err error) {
	byNet := map[NetID][]string{}
	for _, v := range r.Header().Vars {
		byNet[v.Net] = append(byNet[v.Net], v.Path)
	}
	if err := r.WatchAll(); err != nil {
		return nil, err
	}
	for r.Next() {
		changed, err := r.Step()
		if err != nil {
			return events, err
		}
		for _, id := range changed {
			for _, path := range byNet[id] {
				events = append(events, fmt.Sprintf("%d %s=%v", r.Time(), path, r.Value(id)))
			}
		}
	}
	return events, r.Err()
}

func requireEvents(t *testing.T, text string, want ...string) *Reader {
	t.Helper()
	r, err := NewReader(strings.NewReader(text), "t.vcd")
	require.NoError(t, err)
	got, err := eventsOf(r)
	require.NoError(t, err)
	require.Equal(t, want, got)
	return r
}

func TestReadsDeclarations(t *testing.T) {
	r := requireEvents(t, `$date
	Sat Nov 21 03:30:22 2026
$end
$version
	Icarus   Verilog
$end
$comment one $end
$timescale
	10ps
$end
$comment show the parameter values. $end
$scope module tb $end
$var parameter 32 ! DEPTH $end
$var wire 4 " grant [3:0] $end
$var reg 8 # q[7:0] $end
$var reg 4 $ up[0:3] $end
$comment s is not handled $end
$scope begin search $end
$var event 1 % done $end
$scope task $end
$var real 64 & r $end
$upscope $end
$upscope $end
$var wire 1 ' data[3] $end
$var wire 1 ( data [2] $end
$var wire 8 ) mem[2] [7:0] $end
$var wire 8 ) \odd[1.x [7:0] $end
$var wire 16 * packed[1][15:0] $end
$var string 1 + state $end
$var time 64 , now $end
$upscope $end
$attrbegin misc 07 a b $end
$enddefinitions $end
`)
	h := r.Header()
	require.Equal(t, "Sat Nov 21 03:30:22 2026", h.Date)
	require.Equal(t, "Icarus Verilog", h.Version)
	require.Equal(t, []string{"one", "show the parameter values.", "s is not handled"}, h.Comments)
	require.Equal(t, Timescale(-11), h.Timescale)
	require.Equal(t, 3, h.Scopes)
	require.Equal(t, []Var{
		{"tb.DEPTH", "parameter", 0, KindBits, 32, false, 0, 0},
		{"tb.grant", "wire", 1, KindBits, 4, true, 3, 0},
		{"tb.q", "reg", 2, KindBits, 8, true, 7, 0},
		{"tb.up", "reg", 3, KindBits, 4, true, 0, 3},
		{"tb.search.done", "event", 4, KindEvent, 0, false, 0, 0},
		{"tb.search.r", "real", 5, KindReal, 0, false, 0, 0},
		{"tb.data[3]", "wire", 6, KindBits, 1, true, 3, 3},
		{"tb.data[2]", "wire", 7, KindBits, 1, true, 2, 2},
		{"tb.mem[2]", "wire", 8, KindBits, 8, true, 7, 0},
		{`tb.odd[1\x2ex`, "wire", 8, KindBits, 8, true, 7, 0},
		{"tb.packed[1]", "wire", 9, KindBits, 16, true, 15, 0},
		{"tb.state", "string", 10, KindText, 0, false, 0, 0},
		{"tb.now", "time", 11, KindBits, 64, false, 0, 0},
	}, h.Vars)
}

func TestReadsValues(t *testing.T) {
	header := tracetest.Header("wire 1 ! a", `wire 1 ! alias`, "wire 4 # v", "real 1 $ r", "string 1 % s", "wire 70 & wide", "event 1 ' e", "wire 64 ( w", "integer 32 ) i")
	requireEvents(t, header+"#0\n$dumpvars\nx!\nbx #\nr0.5 $\nsidle %\nbx &\n1'\n$end\n#5\n1!\nb10 #\nr-2e3 $\nsrun %\nb1"+strings.Repeat("0", 69)+" &\n1'\n"+
		"#6 0! bz1 # b0 & b1 (\nb"+strings.Repeat("1", 64)+" (\nbz0x )\n#7\nbX10 #\nbz"+strings.Repeat("1", 65)+" &",
		"0 t.r=0.5", `0 t.s="idle"`,
		"5 t.a=1", "5 t.alias=1", "5 t.v=0x2", "5 t.r=-2000", `5 t.s="run"`, "5 t.wide=0x200000000000000000", "5 t.e=event",
		"6 t.a=0", "6 t.alias=0", "6 t.v=0bzzz1", "6 t.wide=0x000000000000000000", "6 t.w=0xffffffffffffffff",
		"6 t.i=0b"+strings.Repeat("z", 30)+"0x",
		"7 t.v=0bxx10") // the last line has no end
}

// GHDL's output: nine states, capital letters, repeated values.
func TestReadsNineStates(t *testing.T) {
	requireEvents(t, tracetest.Header("reg 9 ! v", "reg 1 # a")+"#0\nbUX01ZWLH- !\nU#\n#1\nH#\n#2\nL#\n#3\nW#\n-#\nZ#\n",
		"0 t.v=0bxx01zx01x", "1 t.a=1", "2 t.a=0", "3 t.a=z")
}

// Digits are extended to the left by 0 after 0 and 1, and by themselves after x
// and z; leading digits that say nothing are allowed.
func TestReadExtends(t *testing.T) {
	for digits, want := range map[string]string{
		"1": "0x01", "0": "0x00", "x": "0bxxxxxxxx", "z": "0bzzzzzzzz", "x1": "0bxxxxxxx1", "0x": "0b0000000x",
		"11111111": "0xff", "0000011111111": "0xff", "xxxxx01010101": "0bx1010101", "zzzzzzzzzzzz": "0bzzzzzzzz",
	} {
		if strings.HasPrefix(digits, "xxxxx") {
			digits = "xxxxxx1010101"
		}
		r, err := NewReader(strings.NewReader(tracetest.Header("wire 8 ! v")+"#0\nb"+digits+" !\n"), "t.vcd")
		require.NoError(t, err)
		require.NoError(t, r.WatchAll())
		require.True(t, r.Next())
		_, err = r.Step()
		require.NoError(t, err, digits)
		require.Equal(t, want, r.Value(0).String(), digits)
	}
}

func TestReadsTimes(t *testing.T) {
	// Changes before the first time, a repeated time, an empty time, carriage returns, everything in one line.
	r := requireEvents(t, tracetest.Header("wire 1 ! a")+"$dumpvars\r\n1!\r\n$end\r\n#10\r\n#10\r\n0!\r\n#20\r\n#18446744073709551615\r\n1! $comment 0! #3 $end 0! 1!\r\n",
		"0 t.a=1", "10 t.a=0", "18446744073709551615 t.a=1")
	require.False(t, r.Truncated())
	require.EqualValues(t, 5, r.Changes(0))
	require.Equal(t, uint64(18446744073709551615), r.Time())
	// Values before time 0 belong to time 0, like those before a later first time.
	requireEvents(t, tracetest.Header("wire 1 ! a")+"$dumpvars\n1!\n$end\n#0\n0!\n#1\n1!\n", "0 t.a=0", "1 t.a=1")
	requireEvents(t, tracetest.Header("wire 1 ! a")+"1!\n", "0 t.a=1")
	// A pause from the beginning on.
	r = requireEvents(t, tracetest.Header("wire 1 ! a")+"$dumpoff\nx!\n$end\n#3\n$dumpon\n1!\n$end\n", "3 t.a=1")
	require.False(t, r.Off())
	requireEvents(t, tracetest.Header("wire 1 ! a"))
}

// While the simulator does not dump, values stay.
func TestReadsDumpOff(t *testing.T) {
	r := requireEvents(t, tracetest.Header("wire 1 ! a", "real 1 # r")+"#0\n1!\nr1 #\n#5\n$dumpoff\nx!\nrNaN #\n$end\n#9\n$dumpon\n1!\nr2 #\n$end\n#10\n$dumpall\n1!\nr2 #\n$end\n",
		"0 t.a=1", "0 t.r=1", "9 t.r=2")
	require.False(t, r.Off())
}

// A file that was cut off is read without its last line, wherever it is cut.
func TestReadsTruncatedFiles(t *testing.T) {
	header := tracetest.Header("wire 1 ! a", "wire 1 !! b", "wire 8 !!! v", "string 1 # s")
	text := header + "#0\n0!\n1!!\nb1010 !!!\nsready #\n#12\n1!\nb11 !!!\n#125\n$dumpoff\nx!\n$end\n$comment end $end\n"
	whole, err := NewReader(strings.NewReader(text), "t.vcd")
	require.NoError(t, err)
	all, err := eventsOf(whole)
	require.NoError(t, err)
	for length := len(header); length < len(text); length++ {
		r, err := NewReader(iotest.OneByteReader(strings.NewReader(text[:length])), "t.vcd")
		require.NoError(t, err)
		events, err := eventsOf(r)
		require.NoError(t, err, "%q", text[len(header):length])
		require.Equal(t, all[:len(events)], append([]string{}, events...), "%q", text[len(header):length])
		lines := strings.Count(text[len(header):length], "\n")
		require.GreaterOrEqual(t, len(events)+2, min(lines, len(all)), "%q", text[len(header):length])
	}
}

func TestReadsIdentifierCodes(t *testing.T) {
	for _, code := range []string{"!", "~", "!!", "~~~", "~~~~", "abcdefghi", "abcdefghij", "abcdefghijklmnopqrstuvwxyz", "#0", "b1", "$end!", "r"} {
		requireEvents(t, tracetest.Header("wire 1 "+code+" a", "wire 1 "+code+"~ b")+"#1\n1"+code+"\nb0 "+code+"~\n", "1 t.a=1", "1 t.b=0")
	}
}

func TestReadRefuses(t *testing.T) {
	good := tracetest.Header("wire 1 ! a", "wire 4 # v", "real 1 $ r")
	for _, c := range []struct{ text, want string }{
		{"", "t.vcd: the file is empty; give a VCD"},
		{"hello\n", `t.vcd:1: found "hello"; expected a declaration`},
		{"\x1f\x8b\x08 etc", "t.vcd: this is compressed with gzip, not a VCD; unpack it: gunzip -k t.vcd"},
		{"\x00\x00\x00\x00\x00\x00\x00\x01\x49rest of it", "t.vcd: this is an FST file, not a VCD; convert it: fst2vcd -f t.vcd -o t.vcd.vcd"},
		{"\n$scope module a $end\n#0\n", `t.vcd:3: found "#0"; expected a declaration ($timescale, $scope, $var ...) or $enddefinitions`},
		{"$timescale 3 nn $end", `t.vcd:1: $timescale: "3 nn" is not a unit of time: write a number such as 1, 10, 100, 244 or 0.1 and s, ms, us, ns, ps or fs; correct`},
		{"$timescale 0.0001 zs $end", `t.vcd:1: $timescale: "0.0001 zs" is not a unit of time`},
		{"$timescale .5 ns $end", `t.vcd:1: $timescale: ".5 ns" is not a unit of time`},
		{"$timescale 1234567891 ns $end", `t.vcd:1: $timescale: "1234567891 ns" is not a unit of time`},
		{"$timescale ns $end", `t.vcd:1: $timescale: "ns" is not a unit of time`},
		{"$timescale 1 ns $end\n$scope module", "t.vcd:2: the file ends within a declaration; expected $end; write the file again: it is truncated"},
		{"$timescale 1 ns $end\n", "t.vcd:2: the file ends before $enddefinitions; write the file again: it is truncated"},
		{"$comment\n\n", "t.vcd:3: the file ends within a comment; expected $end; write the file again: it is truncated"},
		{"$scope $end", "t.vcd:1: $scope with 0 words; expected a kind and a name"},
		{"$var wire 1 ! $end", "t.vcd:1: $var with 3 words; expected a kind, bits, an identifier code and a name"},
		{"$var wire 1\n! a " + strings.Repeat("b ", 99), "t.vcd:2: a declaration of more than 64 words; expected $end"},
		{"$var wire one ! a $end", `t.vcd:1: $var with "one" bits; expected a number from 1 to 1048576`},
		{"$var wire 1048577 ! a $end", `t.vcd:1: $var with "1048577" bits`},
		{"$var wire 1 \xff a $end", `t.vcd:1: identifier code "\xff", expected printable ASCII`},
		{"$var port [3:0] <0 $end", "t.vcd:1: $var with 3 words"},
		{strings.Repeat("$scope module a $end\n", 1025), "t.vcd:1025: more than 1024 nested scopes"},
		{good + "#0\n1!\n#5\n1?\n\n", `t.vcd:5: "1?": no signal with identifier code "?" is declared`},
		{good + "#0\nb1 ?\n\n", `t.vcd:3: "b1 ?": no signal with identifier code "?" is declared`},
		{good + "#0\n1 !\n", `t.vcd:3: "1": no signal with identifier code "" is declared`},
		{good + "#0\ngood\n", `t.vcd:3: found "good"; expected a value change (0! 1! x! z! b101 ! r1.5 ! stext !), a time (#120) or $dumpvars`},
		{good + "#0\n#-1\n", `t.vcd:3: found "#-1"; expected a time such as #120`},
		{good + "#0\n#18446744073709551616\n", `t.vcd:3: found "#18446744073709551616"; expected a time such as #120`},
		{good + "#9\n1!\n#8\n", "t.vcd:4: time #8 after #9; expected a later time"},
		{good + "#9\nb10201 #\n", `t.vcd:3: found "b10201"; expected b, binary digits, a space and an identifier code`},
		{good + "#9\nb #\n", `t.vcd:3: found "b"; expected b, binary digits`},
		{good + "#9\nb10001 #\n", "t.vcd:3: 5 digits for a signal of 4 bits"},
		{good + "#9\nb1\n#\n", ""}, // white space is white space
		{good + "#9\nrone $\n", `t.vcd:3: found "rone"; expected a number such as r1.5`},
		{good + "#9\nr1_6 $\n", `t.vcd:3: found "r1_6"; expected a number such as r1.5`},
		{good + "#9\n$dump 1! $end\n", `t.vcd:3: found "$dump"; expected $dumpvars, $dumpoff, $dumpon, $dumpall, $comment or $end`},
		{good + "#9\npDU 6 6 #\n", "t.vcd:3: 2 states for a port of 4 bits"},
		{good + "#9\npDq 6 6 #\n", `t.vcd:3: found "pDq 6 6 #"; expected p, a state for each bit (DUNZdu, LHXTlh, 01?FAaBbCcf), two strengths`},
		{good + "#9\np 6 6 #\n", `t.vcd:3: found "p 6 6 #"; expected p, a state for each bit`},
		{good + "#9.5.1\n", `t.vcd:2: found "#9.5.1"; expected a time such as #120`},
		{good + "# \n", `t.vcd:2: found "#"; expected a time`},
		{good + "#2.5\n#2.25\n", "t.vcd:3: time #2.25 after #2.5; expected a later time"},
		{good + "#9\nb" + strings.Repeat("0", 3<<20) + " #\n", "t.vcd:3: more than 1048640 characters without a space"},
	} {
		err := readAll(strings.NewReader(c.text))
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.Error(t, err, "%.60q", c.text)
		require.True(t, strings.HasPrefix(err.Error(), c.want), "%.60q: %v", c.text, err)
		var bad *input.Error
		require.ErrorAs(t, err, &bad)
		require.NotEmpty(t, bad.Remedy)
	}
	_, err := Open(filepath.Join("none", "a.vcd"))
	require.EqualError(t, err, filepath.Join("none", "a.vcd")+": cannot be read: no such file or directory; give the path of a VCD or an FST, or - for standard input")
	_, err = Open(".")
	require.EqualError(t, err, ".: cannot be read: this is a folder; give the path of a VCD or an FST, or - for standard input")
	require.ErrorContains(t, readAll(io.MultiReader(strings.NewReader(good+"#0\n1!\n"), iotest.ErrReader(errors.New("disk on fire")))), "t.vcd:4: cannot be read: disk on fire")
}

func readAll(source io.Reader) error {
	r, err := NewReader(source, "t.vcd")
	if err != nil {
		return err
	}
	_, err = eventsOf(r)
	return err
}

// The reader reads back the writer's output: declarations, times, values.
func TestReadRoundTrip(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 7))
		var b bytes.Buffer
		w, err := NewWriter(&b, Options{Comments: []string{"a comment", "seed 1"}})
		require.NoError(t, err)
		states := []string{"idle", "run", "x1", "$dumpoff", "#5"}
		count := 1 + random.IntN(300)
		var signals []Signal
		for i := range count {
			path := fmt.Sprintf("top.group[%d].s%d", i%7, i)
			if bitCount := random.IntN(65); bitCount > 0 {
				_, err = w.Declare(path, bitCount)
			} else {
				_, err = w.DeclareStates(path, states)
			}
			require.NoError(t, err)
		}
		signals = w.Signals()
		require.NoError(t, w.Begin())
		values := make([]uint64, count)
		var want []string
		show := func(i int) string {
			if signals[i].Bits == 0 {
				return fmt.Sprintf("%s=%q", signals[i].Path, states[values[i]])
			}
			return fmt.Sprintf("%s=%v", signals[i].Path, BitsValue(signals[i].Bits, []uint64{values[i]}, []uint64{0}))
		}
		cycle := uint64(0)
		for range 50 {
			require.NoError(t, w.Cycle(cycle))
			for i := range values {
				before := values[i]
				if random.IntN(5) == 0 {
					if signals[i].Bits == 0 {
						values[i] = random.Uint64N(uint64(len(states)))
					} else {
						values[i] = random.Uint64() >> (64 - signals[i].Bits)
					}
					w.Set(SignalID(i), values[i])
				}
				if cycle == 0 || values[i] != before {
					want = append(want, fmt.Sprintf("%d %s", cycle, show(i)))
				}
			}
			cycle += 1 + random.Uint64N(3)
		}
		require.NoError(t, w.Close(cycle))
		r, err := NewReader(bytes.NewReader(b.Bytes()), "t.vcd")
		require.NoError(t, err)
		require.Equal(t, Nanosecond, r.Header().Timescale)
		require.Equal(t, []string{"a comment\nseed 1"}, r.Header().Comments)
		declared := map[string]Var{}
		for _, v := range r.Header().Vars {
			declared[v.Path] = v
		}
		require.Len(t, declared, count)
		for _, s := range signals {
			require.Equal(t, s.Bits, declared[s.Path].Bits)
			require.Equal(t, s.States != nil, declared[s.Path].Kind == KindText)
		}
		got, err := eventsOf(r)
		require.NoError(t, err)
		require.ElementsMatch(t, want, got)
		require.Equal(t, cycle, r.Time(), "the end")
	}
}

// The buffer's end may be anywhere.
func TestReadsFromSlowSources(t *testing.T) {
	var b bytes.Buffer
	_, err := syntheticVCD(&b, 1<<20, 400, 20, false)
	require.NoError(t, err)
	read := func(source io.Reader) []string {
		r, err := NewReader(source, "t.vcd")
		require.NoError(t, err)
		events, err := eventsOf(r)
		require.NoError(t, err)
		return events
	}
	want := read(bytes.NewReader(b.Bytes()))
	require.Equal(t, want, read(iotest.HalfReader(bytes.NewReader(b.Bytes()))))
	require.Equal(t, want, read(iotest.DataErrReader(bytes.NewReader(b.Bytes()))))
	require.Equal(t, want, read(iotest.OneByteReader(bytes.NewReader(b.Bytes()))))
}

// A step allocates nothing once the buffers have grown, texts included.
func TestReadAllocates(t *testing.T) {
	text := tracetest.Header("wire 1 ! a", "wire 40 # v", "real 1 $ r", "string 1 % s")
	for i := range 3000 {
		text += fmt.Sprintf("#%d\n%d!\nb%b #\nr%d.5 $\ns%s %%\n", i, i&1, i, i, []string{"idle", "run"}[i&1])
	}
	r, err := NewReader(strings.NewReader(text), "t.vcd")
	require.NoError(t, err)
	require.NoError(t, r.WatchAll())
	for range 10 {
		_, err := r.Step()
		require.NoError(t, err)
	}
	require.Zero(t, testing.AllocsPerRun(2000, func() { _, _ = r.Step() }))
	require.NoError(t, r.Err())
}

// FuzzRead checks that any bytes give events or an error with a place, never a panic, in memory bounded by the
// declarations.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"icarus.vcd", "verilator.vcd", "ghdl.vcd"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(data[:min(len(data), 4096)])
	}
	f.Add([]byte(tracetest.Header("wire 1 ! a", "real 1 # r", "string 1 $ s", "wire 99 % w") + "#0\n1!\nr1 #\nsx $\nbz1 %\n#3 $dumpoff x! $end #4 $dumpon 0! $end\n$comment $end"))
	f.Add([]byte("$enddefinitions $end #"))
	f.Add([]byte("$var wire 1048576 ! a $end $enddefinitions $end b1 !\n#1 bz !\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data), "t.vcd")
		if err == nil {
			bits := 0
			for _, n := range r.nets {
				bits += int(n.bits) + 64
			}
			if bits > 1<<24 {
				return
			}
			require.NoError(t, r.WatchAll())
			require.LessOrEqual(t, 64*len(r.value), bits)
			before := uint64(0)
			for r.Next() {
				require.GreaterOrEqual(t, r.NextTime(), before)
				before = r.NextTime()
				changed, _ := r.Step()
				require.LessOrEqual(t, len(changed), r.Nets())
				for _, id := range changed {
					_ = r.Value(id).String()
				}
			}
			err = r.Err()
		}
		if r != nil {
			require.LessOrEqual(t, len(r.buf), 4*(tokenBytesMax+scanBytes))
		}
		if err != nil {
			var bad *input.Error
			require.ErrorAs(t, err, &bad)
		}
	})
}
