package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	wasm "starloom/firmware/wasm/binary"
)

// forged begins a line, or a cell, if a newline, or tab, of a name is printed unchanged.
const forged = "PASS  forged"

// everyHidden returns all control, format, direction and line separator characters of Unicode, then forged lines and
// cells.
func everyHidden() string {
	var b strings.Builder
	b.WriteString("h")
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			b.WriteRune(r)
		}
	}
	return b.String() + "\xff\n" + forged + "\r" + forged + "\t" + forged + "\n"
}

// requireVisible requires that an output has no hidden characters except its own newlines and tabs.
func requireVisible(t *testing.T, what, text string) {
	t.Helper()
	for at, r := range text {
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' || r == unicode.ReplacementChar {
			assert.Fail(t, what, "%U in %q", r, text[max(0, at-60):min(len(text), at+20)])
			break
		}
	}
	for _, begin := range []string{"\n", "\t"} {
		if at := strings.Index(text, begin+forged); at >= 0 {
			assert.Fail(t, what, "a forged line in %q", text[max(0, at-60):min(len(text), at+20)])
		}
	}
}

// withSection adds a section to an image, or replaces the section with the same number.
func withSection(image []byte, number byte, edit func(old []byte) []byte) []byte {
	for r := (&wasm.Reader{Data: image, At: len(wasm.Header)}); r.More(); {
		before := r.At
		if s := r.Section(); s.ID == number && number != wasm.SectionCustom {
			return append(wasm.AppendSection(bytes.Clone(image[:before]), number, 1, edit(s.Content)), image[r.At:]...)
		}
	}
	return wasm.AppendSection(bytes.Clone(image), number, 1, edit(nil))
}

// hiddenPath is a file name with such characters; 255 bytes are allowed.
const hiddenPath = "p\x1b[31m\a\t\r\x7f\u0085\u202e\u2066\u200b\u2028\ufeff\U000e0001\xff\n" + forged

// hiddenImages returns images with such names of an exported function, an imported function, and a function in the
// name section.
func hiddenImages(t *testing.T, name string) map[string]string {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		return data
	}
	exports, imports := read("export_escape.wasm"), read("import_escape.wasm")
	exported := withSection(exports, 7, func(old []byte) []byte {
		return wasm.AppendElements(old, 1, append(wasm.AppendName(nil, name), wasm.KindFunction, 0))
	})
	return map[string]string{
		"export.wasm": string(exports), "import.wasm": string(imports), "exported.wasm": string(exported),
		"imported.wasm": string(withSection(imports, 2, func([]byte) []byte {
			return append(wasm.AppendName(wasm.AppendName([]byte{1}, name), name), wasm.KindFunction, 0)
		})),
		"called.wasm": string(withSection(exported, 0, func([]byte) []byte {
			names := make([]string, 6)
			for i := range names {
				names[i] = fmt.Sprint(i) + name
			}
			return wasm.NameSection(names, func(index uint32) uint32 { return index })
		})),
	}
}

// hiddenCapture returns a capture with such names and comments.
func hiddenCapture(t *testing.T, name string) string {
	t.Helper()
	var b strings.Builder
	w, err := pcapgo.NewNgWriterInterface(&b,
		pcapgo.NgInterface{Name: name, Comment: name, LinkType: layers.LinkTypeEthernet},
		pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: name, Comment: name}})
	require.NoError(t, err)
	require.NoError(t, w.WritePacket(gopacket.CaptureInfo{CaptureLength: 60, Length: 60}, make([]byte, 60)))
	require.NoError(t, w.Flush())
	return b.String()
}

// hiddenWave returns a waveform with such names and texts. value is the value of a signal at 5 ns.
func hiddenWave(text, value string) string {
	name := strings.Map(func(r rune) rune { return map[bool]rune{true: -1, false: r}[r <= ' '] }, text)
	return "$date " + text + " $end\n$version " + text + " $end\n$comment " + text + " $end\n$timescale 1 ns $end\n$scope module " + name + " $end\n" +
		"$var wire 1 ! a" + name + " $end\n$var string 1 # s" + name + " $end\n$upscope $end\n$enddefinitions $end\n" +
		"#0\n0!\nsx" + name + `\n` + strings.ReplaceAll(forged, " ", `\040`) + " #\n#5\n" + value + "!\nsy" + name + " #\n"
}

const hiddenFirmware = "#include \"starloom.h\"\ntypedef struct { int n; } state_t;\nstatic void on_start(sl_nic *nic, state_t *s) { (void)nic; (void)s; }\n" +
	"static void on_slot(sl_nic *nic, state_t *s) {\n    sl_log(nic, \"l\\033[2J\u202e\u2028\\n" + forged + "\");\n    sl_logf(nic, \"f\\033[2J\u202e\\n" + forged + " %u\", 1u);\n" +
	"    sl_assert(nic, s->n++ < 3 && \"\u202e\u0085\");\n}\nSTARLOOM_FIRMWARE(state_t, on_start, on_slot)\n"

// TestNothingHidden checks that no output passes on a character of the input that moves a cursor, changes the
// direction of writing, is invisible, begins a line, or starts a formula of a spreadsheet.
func TestNothingHidden(t *testing.T) {
	hidden := everyHidden()
	valid := strings.ToValidUTF8(hidden, "")
	const scenario = "starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\n"
	files := hiddenImages(t, valid)
	for name := range files {
		files[strings.TrimSuffix(name, ".wasm")+".yaml"] = scenario + "firmware: {image: " + name + "}\n"
	}
	table := "x,y,=1+1\n"
	for i, label := range []string{hidden, "+cmd", "-cmd", "@cmd", "\tcmd", "=cmd"} {
		table += fmt.Sprintf("%d,%d,\"%s\"\n", i, i*i, label)
	}
	for name, text := range map[string]string{
		hiddenPath + ".yaml": scenario + "name: =cmd()\nfirmware: {program: pops/random}\n",
		"fails.yaml":         scenario + "firmware: {program: pops/random}\nstop: {slots: 3}\n",
		"title.yaml":         scenario + "name: " + strconv.QuoteToASCII(hiddenPath) + "\nfirmware: {program: pops/random}\n",
		"key.yaml":           scenario + strconv.QuoteToASCII(hiddenPath) + ": 1\n",
		"program.yaml":       scenario + "firmware: {program: " + strconv.QuoteToASCII(hidden) + "}\n",
		"net.yaml":           "starloom: 1\nfabric: {netlist: {nodes: {" + strconv.QuoteToASCII(hiddenPath) + ": {kind: processor}}}}\nfirmware: {program: pops/random}\n",
		"nodes.graphml":      "<graphml><graph><node id=\"a&#x9b;31m\u202e&#10;" + forged + "\"/></graph></graphml>",
		"graph.yaml":         "starloom: 1\nfabric: {netlist: {graphml: nodes.graphml}}\nfirmware: {program: pops/random}\n",
		"sweep.yaml":         "scenario: {starloom: 1, fabric: {pops: {groups: 2, group_size: 2}}, firmware: {program: pops/random}}\naxes: {n: {key: name, values: [=a(), +b, -c, '@d']}}\n",
		"talks.c":            hiddenFirmware,
		"talks.yaml":         scenario + "firmware: {image: talks.wasm}\n",
		"a" + hiddenPath:     hiddenWave(valid, "1"),
		"b" + hiddenPath:     hiddenWave(valid, "x"),
		"map.yaml":           "clock: a.c\nframes: raw\ninterfaces:\n  - {name: " + strconv.QuoteToASCII(hidden) + ", data: x, valid: y}\n",
		"c" + hiddenPath:     hiddenCapture(t, valid),
		"t" + hiddenPath:     table,
	} {
		files[name] = text
	}
	dir := folder(t, files)
	t.Chdir(dir)
	for _, args := range hiddenCommands(valid) {
		var stdout, stderr bytes.Buffer
		status := execute(args, &stdout, &stderr)
		requireVisible(t, fmt.Sprintf("%q", args), stdout.String()+stderr.String())
		require.NotEqual(t, statusFault, status, "%q", args)
	}
	written := map[string]int{}
	require.NoError(t, filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
		require.NoError(t, err)
		ending := filepath.Ext(file)
		if _, given := files[filepath.Base(file)]; given || !slices.Contains(hiddenEndings, ending) {
			return nil
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		requireVisible(t, filepath.Base(file), string(data))
		written[ending] += len(data)
		for _, cell := range strings.FieldsFunc(string(data), func(r rune) bool { return ending != ".csv" || r == ',' || r == '\n' }) {
			require.NotRegexp(t, `^"?([=+@\t]|-[a-z])`, cell, file)
		}
		return nil
	}))
	for _, ending := range hiddenEndings {
		require.Positive(t, written[ending], "no file %s was written", ending)
	}
}

var hiddenEndings = []string{".json", ".xml", ".html", ".csv", ".svg", ".gtkw", ".sucl", ".lua", ".log", ".vcd"}

// hiddenCommands returns the commands that print contents of these files.
func hiddenCommands(text string) [][]string {
	path := hiddenPath + ".yaml"
	all := [][]string{
		{"run", path, "--json", "r.json", "--junit", "r.xml", "--html", "r.html", "--vcd", "o" + hiddenPath + ".vcd", "--pcapng", "r.pcapng", "--csv", "r.csv",
			"--stats-csv", "s.csv", "--svg", "timeline=r.svg", "--svg", "topology=r2.svg", "--svg", "heat=r3.svg"},
		{"run", "fails.yaml", "--seeds", "1..2", "--json", "f.json", "--junit", "f.xml", "--html", "f.html", "--csv", "f.csv"},
		{"firmware", "build", "talks.c"},
		{"run", "talks.yaml", "--log", "t.log", "--html", "t.html", "--json", "t.json", "--junit", "t.xml"},
		{"run", "talks.yaml", "--replay", "0"},
		{"trace", "info", "a" + hiddenPath, "c" + hiddenPath, "--signals", "--json", "i.json"},
		{"trace", "values", "a" + hiddenPath},
		{"trace", "diff", "a" + hiddenPath, "b" + hiddenPath, "--json", "d.json"},
		{"trace", "diff", "a" + hiddenPath, "b" + hiddenPath, "--only", text[1:20]},
		{"trace", "decode", "a" + hiddenPath, "--map", "map.yaml", "--pcapng", "e.pcapng"},
		{"plot", "t" + hiddenPath, "--x", "x", "--y", "y", "--by", "=1+1", "--title", text[1:], "-o", "p.svg"},
		{"plot", "t" + hiddenPath, "--x", "x", "--y", text[1:], "-o", "p.svg"},
		{"explain", text[1:]},
		{"sweep", "sweep.yaml", "--out", "out" + hiddenPath, "--html", "w.html"},
		{"scenario", "show", path, "--json", "show.json"},
		{"estimate", path, "--json", "e.json"},
		{text[1:]},
		{"run", path, "--" + text[1:]},
		{"run", path, "--seed", text[1:]},
		{"firmware", "inspect", "imported.wasm"},
		{"firmware", "check", "import.wasm", "import.yaml", "--fuzz", "1"},
		{"firmware", "inspect", "called.wasm", "--functions", "--blocks", "--json", "called.json"},
	}
	for _, name := range []string{"exported", "called", "imported", "import", "export", "title", "key", "program", "net", "graph", "none" + hiddenPath} {
		all = append(all, []string{"run", name + ".yaml"})
	}
	for _, name := range []string{"called", "export"} {
		all = append(all, []string{"firmware", "check", name + ".wasm", name + ".yaml", "--fuzz", "1", "--html", name + ".html", "--json", name + "c.json"})
	}
	return all
}
