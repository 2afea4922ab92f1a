package rtl

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/verilator"
	"starloom/internal/systemtest"
)

// cosimFolder has the RTL of the tutorial, as source and as wasm.
func cosimFolder(t *testing.T) string {
	dir := t.TempDir()
	const path = "examples/rtl/stream_arbiter.sv"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	c, err := verilator.Build(context.Background(), cosim.Source{Top: "stream_arbiter", Files: []string{path}, Clocks: []string{"clk_i"}}, cosim.BuildOptions{})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "arbiter.wasm"), c.Wasm(), 0o666))
	require.NoError(t, c.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stream_arbiter.sv"), text, 0o666))
	return dir
}

// edited is the tutorial's map with its image in the place of sources, and edits: old,
// new, old, new ...
func edited(t *testing.T, dir string, edits ...string) (*pinmap.Map, error) {
	text := strings.Replace(systemtest.TutorialMap, "top: stream_arbiter\nsources: [stream_arbiter.sv]\nparams: {Streams: 4}\n", "image: arbiter.wasm\n\n\n", 1)
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(text, edits[i]) {
			text = systemtest.TutorialMap // an edit of what the image replaces
		}
		require.Contains(t, text, edits[i])
		text = strings.Replace(text, edits[i], edits[i+1], 1)
	}
	path := filepath.Join(dir, "map.yml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return starloom.LoadPinMap(path)
}

func TestLongBadPinMaps(t *testing.T) {
	dir := cosimFolder(t)
	for _, c := range []struct {
		name  string
		edits []string
		wants string // after the folder
	}{
		{"model", []string{"arbiter_round_robin", "arbiter_roundrobin"}, `map.yml:1:8: there is no model "arbiter_roundrobin"; did you mean arbiter_round_robin?`},
		{"no model", []string{"model: arbiter_round_robin", ""}, "map.yml:2:1: the pin map names no model; add model:"},
		{"parameter", []string{"REQUESTERS: 4", "REQUESTER: 4"}, "map.yml:2:14: arbiter_round_robin has no parameter REQUESTER; did you mean REQUESTERS?"},
		{"no parameter", []string{"{REQUESTERS: 4}", "{}"},
			"map.yml:2:13: arbiter_round_robin: parameter REQUESTERS has no value; for example parameters: {REQUESTERS: 4}, or with a command -G REQUESTERS=4; absent outputs have a width, too; `starloom cosim check --list` lists them for each model"},
		{"size", []string{"REQUESTERS: 4", "REQUESTERS: 1025"}, "map.yml:2:13: 1025 requesters"},
		{"negative", []string{"REQUESTERS: 4", "REQUESTERS: -4"}, "map.yml:2:26: parameters.REQUESTERS is -4"},
		{"unknown key", []string{"ties", "tie"}, `map.yml:11:1: unknown key "tie" in the pin map; did you mean "ties"?`},
		{"key that there is not", []string{"ties", "fill"},
			`map.yml:11:1: unknown key "fill" in the pin map; leave it out, or write one of absent, assume, backend, clock, compare,`},
		{"scenario", []string{"ties: {halt_i: 0}", "fabric: {}"}, "map.yml:11:1: this is a scenario, not a pin map"},
		{"not YAML", []string{"ties: {", "ties: {{"}, "map.yml:"},
		{"top", []string{"top: stream_arbiter", "top: stream_arbitre"},
			"map.yml:3:6: there is no module stream_arbitre; did you mean stream_arbiter? there is stream_arbiter"},
		{"no top", []string{"top: stream_arbiter\n", ""}, "map.yml: no top module is named; add top"},
		{"missing source", []string{"stream_arbiter.sv", "arbiter.sv"}, "map.yml:4:11: "},
		{"no source", []string{"sources: [stream_arbiter.sv]\n", ""}, "map.yml: no source is given"},
		{"missing image", []string{"arbiter.wasm", "a.wasm"}, "map.yml:3:8: "},
		{"no image", []string{"arbiter.wasm", "map.yml"}, "map.yml:3:8: "},
		{"image and sources", []string{"image:", "sources: [stream_arbiter.sv]\nimage:"}, "map.yml:4:8: both sources and an image are given"},
		{"image on Icarus", []string{"image:", "backend: icarus\nimage:"}, "map.yml:4:8: an image needs backend: wasm"},
		{"backend", []string{"image:", "backend: vcs\nimage:"}, `map.yml:3:10: backend is the text "vcs"; write wasm or icarus`},
		{"no such clock", []string{"clock: clk_i", "clock: clk"}, "map.yml:6:8: the RTL was built with the clock clk_i, not clk"},
		{"no such clock in sources", []string{"params: {Streams: 4}\nclock: clk_i", "params: {Streams: 4}\nclock: clk"},
			"map.yml:6:8: there is no port clk; of inputs of one bit: did you mean clk_i? there are clk_i, rst_ni, halt_i"},
		{"no such reset", []string{"pin: rst_ni", "pin: rst_n"}, "map.yml:7:8: the RTL has no pin rst_n; did you mean rst_ni?"},
		{"reset without pin", []string{"pin: rst_ni, ", ""}, "map.yml:7:8: reset names no pin"},
		{"no reset", []string{"reset: {pin: rst_ni, active: low}", ""},
			"nothing drives the RTL's input rst_ni; map it in pins, or give it a constant: ties: {rst_ni: 0}; declare a " +
				"clock under clock: and a reset under reset:"},
		{"no such pin", []string{"valid_i", "valid"}, "map.yml:9:12: the RTL has no pin valid; did you mean valid_i?"},
		{"no such port", []string{"request:", "requests:"}, "map.yml:9:13: arbiter_round_robin has no port requests; did you mean request_i?"},
		{"output for input", []string{"valid_i", "busy_o"},
			"map.yml:9:12: the RTL's busy_o is an output of 1 bit; this place needs an input; there are clk_i, rst_ni, halt_i, valid_i"},
		{"width", []string{"valid_i", "valid_i[2:0]"}, "map.yml:9:12: valid_i[2:0] has 3 bits, but request_i of arbiter_round_robin has 4; give both the same width by params of the RTL"},
		{"list's width", []string{"valid_i", `["valid_i[3]", "valid_i[1:0]"]`}, "map.yml:9:12: valid_i[3], valid_i[1:0] has 3 bits"},
		{"bits", []string{"valid_i", "valid_i[4:1]"}, "map.yml:9:12: the RTL's valid_i is an input of 4 bits, without bits [4:1]; bits are [3:0]"},
		{"bits upside down", []string{"valid_i", "valid_i[0:3]"}, "without bits [0:3]"},
		{"no pin at all", []string{"valid_i", "valid_i[3"}, `map.yml:9:12: "valid_i[3" is not a pin; write NAME`},
		{"twice", []string{"halt_i: 0", "halt_i: 0, valid_i: 0"}, "map.yml:11:19: the RTL's valid_i is mapped twice, first at " + dir + "/map.yml:9:12"},
		{"twice in a list", []string{"valid_i", `["valid_i[3:1]", "valid_i[1]"]`}, "map.yml:9:29: the RTL's valid_i is mapped twice"},
		{"port twice", []string{"grant: ready_o", "grant: ready_o\n  grant_o: ready_o"}, "map.yml:11:12: grant_o is wired twice, first at"},
		{"undriven input", []string{"ties: {halt_i: 0}", ""}, "nothing drives the RTL's input halt_i; map it in pins, or give it a constant: ties: {halt_i: 0}"},
		{"half driven", []string{"valid_i", `["valid_i[3:1]", halt_i]`, "halt_i: 0", ""}, "nothing drives the RTL's input valid_i[0]"},
		{"no pin for a port", []string{"request: valid_i", ""},
			"map.yml:10:3: request_i of arbiter_round_robin has no pin; add request_i: PIN; inputs of the RTL are"},
		{"no pin for an output", []string{"absent: [index]", ""},
			"index_o of arbiter_round_robin has no pin; add index_o: PIN (outputs of the RTL are ready_o, busy_o), or absent: [index_o]"},
		{"absent input", []string{"absent: [index]", "absent: [request]"}, "map.yml:12:10: request_i is an input of 4 bits"},
		{"tie too large", []string{"halt_i: 0", "halt_i: 2"}, "map.yml:11:8: 2 does not fit into 1 bit of halt_i; give at most 1"},
		{"tie of an output", []string{"halt_i: 0", "halt_i: 0, busy_o: 0"}, "map.yml:11:19: the RTL's busy_o is an output"},
		{"latency", []string{"grant: -1", "grant: -2"}, "map.yml:13:11: a latency of -2 cycles; give -1"},
		{"latency of an input", []string{"grant: -1", "request: -1"}, "map.yml:13:11: request_i is an input"},
		{"feedback's width", []string{"ties: {halt_i: 0}", "feedback: {halt_i: ready_o}"}, "map.yml:11:12: halt_i has 1 bit, ready_o has 4 bits"},
		{"feedback of an input", []string{"ties: {halt_i: 0}", "feedback: {halt_i: rst_ni}"}, "map.yml:11:12: the RTL's rst_ni is an input"},
		{"clock as pin", []string{"grant: ready_o", "grant: ready_o\n  clock: clk_i"}, "clock is the clock of arbiter_round_robin; write clock: clk_i"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := edited(t, dir, c.edits...)
			if err == nil {
				var d cosim.Device
				if d, err = m.Open(context.Background(), cosim.Options{}); err == nil {
					require.NoError(t, d.Close())
				}
				require.NoError(t, m.Close())
			}
			require.Error(t, err)
			t.Log(err)
			require.ErrorAs(t, err, new(*starloom.InputError))
			require.Contains(t, err.Error(), c.wants)
		})
	}
	_, err := starloom.LoadPinMap(filepath.Join(dir, "none.yml"))
	require.ErrorContains(t, err, "none.yml: cannot be read")
}

// TestLongPinMapsThatFit: ways to write what the tutorial's map says.
func TestLongPinMapsThatFit(t *testing.T) {
	dir := cosimFolder(t)
	for name, edits := range map[string][]string{
		"as it is":        nil,
		"sources":         {"image: arbiter.wasm\n\n\n", "top: stream_arbiter\nsources: [stream_arbiter.sv]\nparams: {Streams: 4}\n"},
		"Icarus":          {"image: arbiter.wasm\n\n\n", "top: stream_arbiter\nsources: [stream_arbiter.sv]\nparams: {Streams: 4}\nbackend: icarus\n"},
		"full names":      {"request:", "request_i:", "grant:", "grant_o:"},
		"a list":          {"valid_i", `["valid_i[3]", "valid_i[2:1]", "valid_i[0]"]`, "ready_o", `["ready_o[3:2]", "ready_o[1:0]"]`},
		"inverted reset":  {"{pin: rst_ni, active: low}", "~rst_ni"},
		"hexadecimal tie": {"halt_i: 0", "halt_i: 0x0"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := edited(t, dir, edits...)
			require.NoError(t, err)
			r, err := starloom.CosimCheck(context.Background(), m,
				starloom.CheckOptions{Options: lockstep.Options{Cycles: 2000, PowerOn: 1}})
			require.NoError(t, err)
			require.Nil(t, r.Divergence)
			require.NoError(t, m.Close())
		})
	}
	// A wrong order is found, not refused.
	m, err := edited(t, dir, "valid_i", `["valid_i[0]", "valid_i[3:1]"]`)
	require.NoError(t, err)
	r, err := starloom.CosimCheck(context.Background(), m, starloom.CheckOptions{})
	require.NoError(t, err)
	require.NotNil(t, r.Divergence)
	require.Equal(t, 3, r.Shown.Stimulus.Cycles())
	require.NoError(t, m.Close())
}

// TestLongPinMapsOfExamples: the tutorial's maps do what it says, on both backends.
func TestLongPinMapsOfExamples(t *testing.T) {
	for path, differs := range map[string]bool{"examples/rtl/stream_arbiter.yml": false, "examples/rtl/stream_arbiter_bug.yml": true} {
		for _, backend := range []string{cosim.BackendWasm, cosim.BackendIcarus} {
			m, err := starloom.LoadPinMap(path)
			require.NoError(t, err)
			m.Backend = backend
			r, err := starloom.CosimCheck(context.Background(), m,
				starloom.CheckOptions{Options: lockstep.Options{Cycles: 5000}}) // all cycles: the tutorial, run by TestDocs
			require.NoError(t, err)
			require.Equal(t, differs, r.Divergence != nil, "%s %s", path, backend)
			if differs {
				require.LessOrEqual(t, r.Shown.Stimulus.Cycles(), 6)
				require.Equal(t, "grant_o", r.Divergence.Signal)
			}
			require.NoError(t, m.Close())
		}
	}
}

// TestCheckWritesAllOrNothing: files of a refused check do not appear.
func TestCheckWritesAllOrNothing(t *testing.T) {
	dir := cosimFolder(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	files := starloom.CheckOptions{VCD: starloom.File(at("c.vcd")), Save: starloom.File(at("c.csv")), JSON: starloom.File(at("c.json"))}
	m, err := edited(t, dir, "valid_i", "valid")
	require.NoError(t, err)
	_, err = starloom.CosimCheck(context.Background(), m, files)
	require.Error(t, err)
	found, err := filepath.Glob(at("*c.*"))
	require.NoError(t, err)
	require.Empty(t, found)

	m, err = edited(t, dir)
	require.NoError(t, err)
	_, err = starloom.CosimCheck(context.Background(), m, files)
	require.NoError(t, err)
	for _, name := range []string{"c.vcd", "c.gtkw", "c.csv", "c.json"} {
		require.FileExists(t, at(name))
	}
	files.Save = files.VCD
	_, err = starloom.CosimCheck(context.Background(), m, files)
	require.ErrorContains(t, err, "two outputs have this path")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = starloom.CosimCheck(ctx, m, starloom.CheckOptions{})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, m.Close())
}

func TestBadStimuli(t *testing.T) {
	dir := cosimFolder(t)
	m, err := edited(t, dir)
	require.NoError(t, err)
	for name, c := range map[string]struct{ file, text, wants string }{
		"missing":     {"none.csv", "", "none.csv: cannot be read"},
		"empty":       {"s.csv", "", "s.csv: the file is empty"},
		"no cycle":    {"s.csv", "reset\n", "s.csv: there is no cycle in it"},
		"unknown":     {"s.csv", "reset,requests\n1,0\n", `s.csv:1:1: column 2 is "requests", which is not an input of the model; did you mean request_i?`},
		"twice":       {"s.csv", "reset,reset\n1,0\n", "s.csv:1:1: two columns are reset"},
		"never reset": {"s.csv", "request_i\n1\n", "s.csv: reset is never active"},
		"hexadecimal": {"s.csv", "reset,request_i\n1,0\n0,f\n",
			`"f" is not a value of request_i, which has 4 bits; write a number from 0 to 15, such as 1, 0x1 or 0b1: write hexadecimal numbers, as in drawings, with 0x: 0xf`},
		"value": {"s.csv", "reset,request_i\n1,0\n0,0x1g\n",
			`s.csv:3:3: "0x1g" is not a value of request_i, which has 4 bits; write a number from 0 to 15, such as 1, 0x1 or 0b1`},
		"too large":  {"s.csv", "reset,request_i\n1,16\n", `s.csv:2:3: "16" is not a value`},
		"short line": {"s.csv", "reset,request_i\n1\n", "s.csv:2:1: not CSV: wrong number of fields"},
		"all rows": {"s.csv", "reset,request_i\n1,16\n1\n0,x\n",
			`s.csv:2:3: "16" is not a value of request_i, which has 4 bits; write a number from 0 to 15, such as 1, 0x1 or 0b1` +
				"\n" + dir + "/s.csv:3:1: not CSV: wrong number of fields; give every line as many values as the first line\n" + dir + `/s.csv:4:3: "x" is not a value`},
		"semicolons":  {"s.csv", "reset;request_i\n1;0\n", "s.csv:1:1: the columns are separated by semicolons (;); separate them with commas"},
		"cycle":       {"s.csv", "cycle,reset\n0,1\n0,1\n", `s.csv:3:1: cycle "0"; give at least 1`},
		"late cycle":  {"s.csv", "cycle,reset\n0,1\n99999999999,1\n", "is too late"},
		"first cycle": {"s.csv", "cycle,reset\n2,1\n", "begin with cycle 0"},
		"no VCD":      {"s.vcd", "hello\n", "s.vcd:"},
		"no such scope": {"s.vcd", "$scope module a $end\n$var wire 1 ! reset $end\n$upscope $end\n$enddefinitions $end\n#0\n1!\n",
			"s.vcd: no scope has all of reset, request_i, and none has all pins of the map"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, c.file)
			if name != "missing" {
				require.NoError(t, os.WriteFile(path, []byte(c.text), 0o666))
			}
			_, err := starloom.CosimCheck(context.Background(), m, starloom.CheckOptions{StimulusFile: path})
			require.ErrorAs(t, err, new(*starloom.InputError))
			require.Contains(t, err.Error(), c.wants)
		})
	}
}

// TestStimulusOfATestbench: a VCD with the RTL's pins and its clock is a stimulus.
func TestStimulusOfATestbench(t *testing.T) {
	dir := cosimFolder(t)
	m, err := edited(t, dir)
	require.NoError(t, err)
	path := filepath.Join(dir, "tb.vcd")
	require.NoError(t, os.WriteFile(path, []byte(`$timescale 1 ns $end
$scope module tb $end $var wire 1 z other $end $scope module dut $end
$var wire 1 c clk_i $end $var wire 1 r rst_ni $end $var wire 4 v valid_i [3:0] $end
$upscope $end $upscope $end $enddefinitions $end
#0
0c 0r bxxxx v
#5
1c
#10
0c 1r b0101 v
#15
1c
#20
0c b1000 v
#25
1c
#30
`), 0o666))
	s, err := lockstep.ReadStimulus(m, path)
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, s.WriteCSV(&text))
	require.Equal(t, "cycle,reset,request_i\n0,1,0x0\n1,0,0x5\n2,0,0x8\n", text.String())
}

// TestCheckWithoutTools checks that an image needs no tools, and that sources name the missing ones.
func TestCheckWithoutTools(t *testing.T) {
	dir := cosimFolder(t)
	t.Setenv("PATH", "")
	m, err := edited(t, dir)
	require.NoError(t, err)
	r, err := starloom.CosimCheck(context.Background(), m, starloom.CheckOptions{Options: lockstep.Options{Cycles: 1000}})
	require.NoError(t, err)
	require.Equal(t, "pass", r.Verdict)
	require.NoError(t, m.Close())
	for backend, tool := range map[string]string{"wasm": "verilator", "icarus": "iverilog"} {
		m, err = edited(t, dir, "top: stream", "backend: "+backend+"\ntop: stream")
		require.NoError(t, err)
		_, err = starloom.CosimCheck(context.Background(), m, starloom.CheckOptions{})
		require.ErrorAs(t, err, new(*starloom.InputError))
		require.ErrorContains(t, err, "install the Debian package "+tool)
	}
}

// FuzzPinMap: no text leads to a panic, and every error has a place.
func FuzzPinMap(f *testing.F) {
	for _, text := range systemtest.PinMapSeeds() {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "m.yml")
	f.Fuzz(func(t *testing.T, text []byte) { systemtest.RequireExpected(t, systemtest.TryPinMap(path, text)) })
}
