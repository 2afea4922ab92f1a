package vcd

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/internal/tracetest"
)

// strangeHead declares the signals of the strange files.
const strangeHead = "$timescale 1 ns $end\n$scope module t $end\n$var wire 1 ! a $end\n$var reg 4 \" v [3:0] $end\n$var real 64 # r $end\n" +
	"$var string 1 $ s $end\n$var wire 70 % w $end\n$upscope $end\n$enddefinitions $end\n"

// strange are files that vcd2fst and our reader read with the same values.
var strange = map[string]string{
	"plain":                            strangeHead + "#0\n0!\nb0 \"\nr1.5 #\nsone $\n#7\n1!\nbx1 \"\n",
	"times with .0":                    strangeHead + "#0.0\n0!\n#3.0\n1!\n#10.000\n0!\n",
	"times with halves":                strangeHead + "#0\n0!\nb1 \"\n#3.5\n1!\n#4\n0!\n#4.25\nb11 \"\n",
	"times with more than six places":  strangeHead + "#0\n0!\n#3.123456789\n1!\n#4\n0!\n",
	"blank after #":                    strangeHead + "# 0\n0!\n# 3\n1!\n",
	"no $end of $enddefinitions":       strings.Replace(strangeHead, "$enddefinitions $end", "$enddefinitions", 1) + "#0\n0!\n#3\n1!\n",
	"no $end of $var":                  strings.Replace(strangeHead, "a $end", "a ", 1) + "#0\n0!\n#3\n1!\n",
	"no $end of $comment":              "$comment nothing\n" + strangeHead + "#0\n0!\n#3\n1!\n",
	"no $end of $date":                 "$date Monday\n$version none\n" + strangeHead + "#0\n0!\n#3\n1!\n",
	"no $end of a comment of a change": strangeHead + "#0\n0!\n$comment here\n1!\n#3\n0!\n#4\n$comment there $end\n1!\n",
	"no $end of $dumpvars":             strangeHead + "#0\n$dumpvars\n0!\nb1 \"\n#3\n1!\n",
	"$end twice":                       strings.ReplaceAll(strangeHead, "$end\n", "$end\n$end\n") + "#0\n$dumpvars\n0!\n$end\n$end\n#3\n1!\n",
	"values before the first time":     strangeHead + "$dumpvars\n0!\nb1 \"\nr1.5 #\n$end\n#5\n1!\n#9\nb10 \"\n",
	"an ended header":                  strangeHead + "$end\n#0\n0!\n",
	"0 ns":                             strings.Replace(strangeHead, "1 ns", "0ns", 1) + "#0\n0!\n#3\n1!\n",
	"1000 ns":                          strings.Replace(strangeHead, "1 ns", "1000 ns", 1) + "#0\n0!\n#3\n1!\n",
	"1as":                              strings.Replace(strangeHead, "1 ns", "1as", 1) + "#0\n0!\n#3\n1!\n",
	"unit in a line of its own":        strings.Replace(strangeHead, "$timescale 1 ns $end", "$timescale\n\t10ps\n$end", 1) + "#0\n0!\n#3\n1!\n",
	"no $timescale":                    strings.Replace(strangeHead, "$timescale 1 ns $end\n", "", 1) + "#0\n0!\n#3\n1!\n",
	"0b":                               strangeHead + "#0\nb0b1010 %\n#1\nb0b1 %\n",
	"infinite reals":                   strangeHead + "#0\nrinf #\n#1\nr-inf #\n#2\nr1e400 #\n#3\nrnan #\n#4\nr1e-400 #\n#5\nr0x1p3 #\n",
	"escapes in texts":                 strangeHead + "#0\nsa\\x20b\\\\c\\040d\\n\\\"\\? $\n#1\ns $\n#2\nsend $\n",
	"nine states":                      strangeHead + "#0\nu!\nbUXWZ \"\n#1\nh!\nbHL10 \"\n#2\nl!\nbhluw \"\n#3\n-!\nb---- \"\n",
	"carriage returns":                 strings.ReplaceAll(strangeHead+"#0\n0!\nb101 \"\n#3\n1!\nb1 \"\n", "\n", "\r\n"),
	"leading blanks":                   strings.ReplaceAll(strangeHead+"#0\n0!\nb101 \"\n#3\n1!\nb1 \"\n", "\n", "\n  "),
	"a scope without $upscope":         strings.Replace(strangeHead, "$upscope $end\n", "", 1) + "#0\n0!\n#3\n1!\n",
	"an $upscope too many":             strings.Replace(strangeHead, "$upscope $end\n", "$upscope $end\n$upscope $end\n", 1) + "#0\n0!\n#3\n1!\n",
	"own sections":                     "$timezero 0 $end\n" + strangeHead + "#0\n$dumpall\n0!\n$end\n#3\n$vcdclose #3 $end\n1!\n",
	"wire of no bits":                  strings.Replace(strangeHead, "wire 1 !", "wire 0 !", 1) + "#0\n0!\n#3\n1!\n",
	"aliases":                          strings.Replace(strangeHead, "$upscope", "$var wire 1 ! b $end\n$upscope", 1) + "#0\n0!\n#3\n1!\n",
	"ports": strings.Replace(strangeHead, "$upscope", "$var port 1 <0 p $end\n$var port [3:0] <1 q $end\n$var port 4 <2 o [3:0] $end\n$upscope", 1) +
		"#0\n$dumpports\npN 6 6 <0\npXNZT 6666 6666 <1\np0?FA 6666 6666 <2\n$end\n#7\npD 6 0 <0\npUDLH 6006 0660 <1\n#9\npaBbC 6006 0660 <2\n" +
		"#10\npcfdu  6006  0660  <2\npU 0 6 <0\n#11\nplhTZ 6006 0660 <2\n1!\n",
}

func noEnds(text string) string { return strings.ReplaceAll(text, " $end", "") }

// rightly are files that vcd2fst misreads for the given reason; we follow the standard, or the plain sense.
var rightly = map[string]struct{ text, reason string }{
	"no $end anywhere":  {noEnds(strangeHead) + "$dumpvars\n#0\n0!\n#3\n1!\n", "it drops the variables without a range"},
	"244 ns":            {strings.Replace(strangeHead, "1 ns", "244 ns", 1) + "#0\n0!\n#3\n1!\n", "it takes the line after it for the unit"},
	"0.1 ps":            {strings.Replace(strangeHead, "1 ns", "0.1 ps", 1) + "#0\n0!\n#3\n1!\n", "it reads 1 ps"},
	"25 ns":             {strings.Replace(strangeHead, "1 ns", "25 ns", 1) + "#0\n0!\n#3\n1!\n", "it takes the line after it for the unit"},
	"1.5 us, halves":    {strings.Replace(strangeHead, "1 ns", "1.5 us", 1) + "#0.5\n0!\n#3.0\n1!\n", "it reads 1 us, and no halves"},
	"0b, all digits":    {strangeHead + "#0\nb0b1010 \"\n", "it keeps the first digits of too many, here 0b10"},
	"leading zeros":     {strangeHead + "#0\nb00001010 \"\n", "it keeps the first digits of too many"},
	"capital letters":   {strangeHead + "#0\nX!\nB101 \"\nR1.5 #\n#2\nZ!\n", "it drops them"},
	"several in a line": {strangeHead + "#0 0! b101 \"\n#2 1!\n", "it reads the first alone"},
	"split declaration": {strings.Replace(strangeHead, "wire 1 ! a", "\nwire 1\n! a", 1) + "#0\n0!\n#3\n1!\n", "it drops the variable"},
	"before time 0":     {strangeHead + "0!\nb1 \"\n#0\n1!\n#9\nb10 \"\n", "it has them, and fst2vcd drops them"},
	"a scalar's digit":  {strangeHead + "#0\n1\"\n", "it reads the memory after the digit"},
}

// refusedLines are lines that vcd2fst drops silently, which would make different files equal. We refuse them.
var refusedLines = []string{
	"1?", "b101 ?", "r1.5 ?", "good", "broken", "#2", "b101", "r1.5", "$dumpit", "pD 6 0 ?", "p", "1", "X?",
}

// converted is the result of vcd2fst and fst2vcd for a VCD. ok is false if they fail or write nothing.
func converted(t *testing.T, text string) (dump *tracetest.Dump, ok bool) {
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.WriteFile(file("a.vcd"), []byte(text), 0o666))
	if !tracetest.Tries(t, "vcd2fst", file("a.vcd"), file("a.fst")) || !tracetest.Tries(t, "fst2vcd", "-f", file("a.fst"), "-o", file("b.vcd")) {
		return nil, false
	}
	back, err := os.ReadFile(file("b.vcd"))
	require.NoError(t, err)
	dump, err = tracetest.Parse(string(back))
	require.NoError(t, err, "%s", back)
	for _, w := range dump.Waves {
		ok = ok || len(w.Changes()) > 0
	}
	return dump, ok
}

func dumpOf(text string) (*tracetest.Dump, error) {
	r, err := NewReader(strings.NewReader(text), "t.vcd")
	if err != nil {
		return nil, err
	}
	if err := r.WatchAll(); err != nil {
		return nil, err
	}
	seconds := func(d Duration) *big.Rat {
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-d.Unit)), nil)
		return new(big.Rat).SetFrac(new(big.Int).SetUint64(d.Count), power)
	}
	d := &tracetest.Dump{Unit: seconds(r.Duration(r.Header().Tick)), Waves: map[string]*tracetest.Wave{}}
	nets := make([]*tracetest.Wave, r.Nets())
	for _, v := range r.Header().Vars {
		if nets[v.Net] == nil {
			nets[v.Net] = &tracetest.Wave{Type: map[Kind]string{KindReal: "real", KindText: "string", KindEvent: "event"}[v.Kind], Bits: v.Bits}
		}
		d.Waves[v.Path] = nets[v.Net]
	}
	for r.Next() {
		changed, err := r.Step()
		if err != nil {
			return nil, err
		}
		at := seconds(r.Duration(r.Time()))
		d.Times = append(d.Times, at)
		for _, id := range changed {
			nets[id].Steps = append(nets[id].Steps, tracetest.Step{At: at, Value: valueOf(r.Value(id))})
		}
	}
	return d, r.Err()
}

func valueOf(v Value) string {
	switch v.Kind {
	case KindReal:
		return "r" + strconv.FormatFloat(v.Real, 'e', 17, 64)
	case KindText:
		return "s" + v.Text
	case KindEvent:
		return "!"
	}
	return v.digits()
}

// ticks are the changes of a wave at whole time steps of the file: vcd2fst keeps no others.
func ticks(d *tracetest.Dump, w *tracetest.Wave) (list []string) {
	var whole tracetest.Wave
	whole.Type, whole.Bits = w.Type, w.Bits
	for _, s := range w.Steps {
		ratio := new(big.Rat).Quo(s.At, d.Unit)
		at := new(big.Rat).SetInt(new(big.Int).Quo(ratio.Num(), ratio.Denom()))
		if n := len(whole.Steps); n > 0 && whole.Steps[n-1].At.Cmp(at) == 0 {
			whole.Steps = whole.Steps[:n-1]
		}
		whole.Steps = append(whole.Steps, tracetest.Step{At: at, Value: s.Value})
	}
	for _, s := range whole.Changes() {
		list = append(list, fmt.Sprint(s.At.RatString(), " ", s.Value))
	}
	return list
}

// alike reports whether two dumps have the same names and, at whole times, the same values. Digits that are not
// states (the b of 0b, which vcd2fst copies) match all.
func alike(ours, theirs *tracetest.Dump) string {
	if len(ours.Waves) != len(theirs.Waves) {
		return fmt.Sprintf("%d names, not %d", len(ours.Waves), len(theirs.Waves))
	}
	for path, w := range ours.Waves {
		o := theirs.Waves[path]
		if o == nil {
			return "no " + path
		}
		a, b := ticks(ours, w), ticks(theirs, o)
		if w.Type == "event" { // of the first time all is in fst2vcd's $dumpvars, which triggers nothing
			first := ticks(ours, &tracetest.Wave{Type: "event", Steps: []tracetest.Step{{At: ours.Times[0], Value: "!"}}})
			a = slices.DeleteFunc(a, func(text string) bool { return text == first[0] })
		}
		if !slices.EqualFunc(a, b, sameValue) {
			return fmt.Sprintf("%s: %q, not %q", path, a, b)
		}
	}
	return ""
}

func sameValue(ours, theirs string) bool {
	if len(ours) != len(theirs) {
		return false
	}
	for i := range len(ours) {
		if ours[i] != theirs[i] && theirs[i] != 'b' {
			return false
		}
	}
	return true
}

// TestStrangeFiles: our reader, vcd2fst and an independent second reader read the same values.
func TestStrangeFiles(t *testing.T) {
	for name, text := range strange {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, err := dumpOf(text)
			require.NoError(t, err)
			second, err := tracetest.Parse(text)
			require.NoError(t, err)
			if name != "times with more than six places" {
				require.Equal(t, changesOf(second), changesOf(ours))
			}
			theirs, ok := converted(t, text)
			require.True(t, ok)
			require.Empty(t, alike(ours, theirs))
		})
	}
	for name, c := range rightly {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, err := dumpOf(c.text)
			require.NoError(t, err)
			if name != "several in a line" && name != "split declaration" {
				second, err := tracetest.Parse(c.text)
				require.NoError(t, err)
				require.Equal(t, changesOf(second), changesOf(ours))
			}
			if theirs, ok := converted(t, c.text); ok && ours.Unit.Cmp(theirs.Unit) == 0 {
				require.NotEmpty(t, alike(ours, theirs), "vcd2fst reads it, too: %s no longer holds", c.reason)
			}
		})
	}
}

func changesOf(d *tracetest.Dump) map[string][]string {
	all := map[string][]string{}
	for path, w := range d.Waves {
		all[path] = []string{}
		for _, s := range w.Changes() {
			all[path] = append(all[path], s.At.RatString()+" "+s.Value)
		}
	}
	return all
}

// TestRefusesWhatIsDropped: a line that vcd2fst drops silently (its FST is the same without it) is refused, with the
// line's number.
func TestRefusesWhatIsDropped(t *testing.T) {
	for _, line := range refusedLines {
		before := strangeHead + "#0\n0!\nb1 \"\nr1 #\n#5\n"
		after := "1!\n#9\nb10 \"\n"
		theirs, ok := converted(t, before+line+"\n"+after)
		without, fine := converted(t, before+after)
		require.True(t, fine)
		if ok { // of a change without a code it dies
			require.Equal(t, changesOf(without), changesOf(theirs), "vcd2fst reads %q", line)
		}
		_, err := dumpOf(before + line + "\n" + after)
		require.ErrorContains(t, err, "t.vcd:15: ", line)
	}
	for name, text := range map[string]string{
		"nothing": "", "text": "hello\n", "no $enddefinitions": strings.Replace(strangeHead, "$enddefinitions $end\n", "", 1) + "#0\n0!\n",
	} {
		_, err := dumpOf(text)
		require.Error(t, err, name)
		_, ok := converted(t, text)
		require.False(t, ok, name)
	}
}

// TestInventedStrangeFiles: our reader, the second one and vcd2fst agree on random waveforms in unusual forms.
func TestInventedStrangeFiles(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 25))
		text := tracetest.Invent(random).Write(random, tracetest.Style{GTKWave: true})
		ours, err := dumpOf(text)
		require.NoError(t, err, "seed %d:\n%s", seed, text)
		second, err := tracetest.Parse(text)
		require.NoError(t, err, "seed %d:\n%s", seed, text)
		require.Equal(t, changesOf(second), changesOf(ours), "seed %d:\n%s", seed, text)
		theirs, _ := converted(t, text)
		require.NotNil(t, theirs, "seed %d", seed)
		require.Empty(t, alike(ours, theirs), "seed %d:\n%s", seed, text)
	}
}
