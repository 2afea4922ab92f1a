package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "lower ratchet.txt to what is found")

const top = "../.."

var measured = sync.OnceValues(func() (*house, error) { return measure(top) })

// TestLongTidy enforces the rules of form: the number of findings may only fall. With -update lower counts are
// recorded; no option raises one.
func TestLongTidy(t *testing.T) {
	h, err := measured()
	require.NoError(t, err)
	allowed, exceptions, err := readAllowed()
	require.NoError(t, err)
	require.LessOrEqual(t, len(exceptions), exceptionsMax, "exceptions")
	for _, e := range exceptions {
		require.True(t, slices.ContainsFunc(h.findings, e.matches), "exceptions.txt: %s %s %s is not needed any more", e.rule, e.path, e.what)
	}
	counts, _ := count(h.findings, exceptions)
	var lower strings.Builder
	for _, rule := range rules {
		fmt.Fprintf(&lower, "%s %d\n", rule, min(counts[rule], allowed[rule]))
		if counts[rule] > allowed[rule] {
			for _, f := range h.findings {
				if f.rule == rule {
					t.Log(f)
				}
			}
		}
		assert.LessOrEqual(t, counts[rule], allowed[rule], "%s: more than ratchet.txt allows; the findings stand above", rule)
		if !*update {
			assert.GreaterOrEqual(t, counts[rule], allowed[rule], "%s: less than ratchet.txt allows, well done: go test ./internal/house -update", rule)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile("ratchet.txt", []byte(lower.String()), 0o644))
	}
}

// TestLongImportsPointDownward enforces the layers.
func TestLongImportsPointDownward(t *testing.T) {
	h, err := measured()
	require.NoError(t, err)
	layers, err := readLayers(top)
	require.NoError(t, err)
	require.Empty(t, upwardImports(layers, imports(h.pkgs)))
}

// named matches the places where a network of Starloom may be named, apart from its folder: a component, its twin and
// the SDK belong to the hardware of a network.
var named = regexp.MustCompile(`^(fabric/fabrictest/|firmware/(programs|images|sdk)/|examples/|testdata/|.*/testdata/|internal/house/|hw/|cosim/(twin|rtl)/)`)

// ruleKeys matches lines about rules of a single network.
var ruleKeys = regexp.MustCompile(`fabric\.bus\.length|a Hopfield network`)

// folders maps the folders of the networks to their names in code and comments: nouns, heads of paths and texts, and
// heads of names of programs.
var folders = map[string]*regexp.Regexp{
	"pops":     regexp.MustCompile(`\bPOPS\b|\bpops/|"pops\b|fabric\.pops\b`),
	"bus":      regexp.MustCompile(`\bbus/|"bus\b|fabric\.bus\b|\bbus\.[A-Z]`),
	"crossbar": regexp.MustCompile(`(?i)\bALOHA\b|\bcrossbar/|\b(gossip/(fsa|hopfield|optimal|voting)|scatter/a?sync)\b|"crossbar\b|fabric\.crossbar\b|crossbar\.[A-Z]|\bhopfield\b`),
	"ej":       regexp.MustCompile(`(?i)\bEisenstein\b|\bej/|"ej\b|fabric\.ej\b|\bej\.[A-Z]`),
}

// nodeKinds matches the kinds of nodes of a netlist.
var nodeKinds = regexp.MustCompile(`"(bus|buses|crossbar|crossbars)"`)

// TestLongOneFabricOneFolder searches all sources for names of networks. Outside of its folder, a network may appear
// in its import, in the scenario's field for it, and in keys of rules.
func TestLongOneFabricOneFolder(t *testing.T) {
	h, err := measured()
	require.NoError(t, err)
	for kind, names := range folders {
		folder, path := "fabric/"+kind+"/", `"starloom/fabric/`+kind
		var field, imported string
		var found []string
		for s := range h.tree.code() {
			if strings.HasPrefix(s.path, folder) || named.MatchString(s.path) || s.isTest() {
				continue
			}
			own := regexp.MustCompile(`^\t\w+ +\*` + kind + `\.Network +.json:"` + kind + `,omitempty"`)
			for i, line := range s.lines {
				switch {
				case own.MatchString(line) && field == "":
					field = s.path
				case strings.HasPrefix(line, "\t// ") && describes(s.lines[i:], own):
				case strings.TrimSpace(line) == path+`"` && imported == "":
					imported = s.path
				case strings.HasPrefix(s.path, "fabric/netlist/") && nodeKinds.MatchString(line): // nodes of a drawn network
				case s.path == "fabric/rules.go" && ruleKeys.MatchString(line):
				case names.MatchString(line) || strings.Contains(line, path):
					found = append(found, fmt.Sprintf("%s:%d: %s", s.path, i+1, strings.TrimSpace(line)))
				}
			}
		}
		require.Empty(t, found, kind)
		require.NotEmpty(t, field, kind)
		require.Equal(t, field, imported, "%s is imported where its field is", kind)
	}
}

// describes reports whether a comment belongs to a field.
func describes(lines []string, field *regexp.Regexp) bool {
	end := slices.IndexFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "\t// ") })
	return end >= 0 && field.MatchString(lines[end])
}

// modes are names that distinguish disciplines.
var modes = []string{"AllPorts", "Addressed", "Arbitrated", "Switched", "OnePort", "Asks", "ListWords", "FramesPerSlot", "Stillness", "Still"}

// plantFiles are the files of the plant apart from the disciplines.
var plantFiles = []string{"fabric/plant/plant.go", "fabric/plant/build.go", "fabric/plant/front.go", "fabric/plant/receive.go", "fabric/plant/violations.go"}

// TestLongPlantAsksNoMode checks that only a discipline decides how a NIC accesses its media. The plant passes on
// what banks and receivers need without branching on it.
func TestLongPlantAsksNoMode(t *testing.T) {
	h, err := measured()
	require.NoError(t, err)
	plants := 0
	for s := range h.tree.code() {
		if !slices.Contains(plantFiles, s.path) {
			continue
		}
		plants++
		require.LessOrEqual(t, len(s.lines), 400, s.path)
		ast.Inspect(s.syn, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				require.NotContains(t, modes, name.Name, "%s:%d", s.path, h.tree.line(name.Pos()))
			}
			return true
		})
	}
	require.Equal(t, len(plantFiles), plants, "files")
}

// fabricRooms are the packages shared by all networks.
var fabricRooms = []string{"fabric", "fabric/plant", "fabric/stream", "fabric/wired", "fabric/flow", "fabric/referees", "fabric/studies"}

// TestLongMediumIsAMedium checks that shared packages say medium. A coupler is a part of hw and a medium of POPS;
// other names and comments must not say coupler, but texts for users, who read and write such paths, may.
func TestLongMediumIsAMedium(t *testing.T) {
	h, err := measured()
	require.NoError(t, err)
	shared := 0
	var found []string
	for s := range h.tree.code() {
		if s.syn == nil || s.isTest() || s.folder() != "." && !slices.Contains(fabricRooms, s.folder()) && !strings.HasPrefix(s.path, "internal/") {
			continue
		}
		shared++
		found = append(found, couplers(h.tree, s)...)
	}
	require.Empty(t, found)
	require.Greater(t, shared, 60, "files")
}

// couplers returns the places of a file that say coupler.
func couplers(t *tree, s *source) (found []string) {
	says := func(at token.Pos, text string) {
		if strings.Contains(strings.ToLower(text), "coupler") {
			found = append(found, fmt.Sprintf("%s:%d: %s", s.path, t.line(at), text))
		}
	}
	ast.Inspect(s.syn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "hw" {
				return false
			}
		case *ast.Ident:
			says(n.Pos(), n.Name)
		case *ast.BasicLit:
			if slices.Contains(fabricRooms, s.folder()) {
				says(n.Pos(), n.Value)
			}
		}
		return true
	})
	keys := map[*ast.CommentGroup]bool{} // comments of keys of a scenario, which are texts for users
	ast.Inspect(s.syn, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && field.Tag != nil {
			keys[field.Doc] = true
		}
		return true
	})
	for _, group := range s.syn.Comments {
		if !keys[group] {
			says(group.Pos(), group.Text())
		}
	}
	return found
}

// TestRulesFindWhatBreaksThem plants a violation of every rule of form in a separate repository.
func TestRulesFindWhatBreaksThem(t *testing.T) {
	long := strings.Repeat("x", columnsMax)
	planted := map[string]string{
		"a.go":       "package a\n\n// A cites gone.md and hw/b/doc.go, and stands behind B.\nfunc A() {}\n\nfunc (t T) B() {}\n\ntype T struct{}\n",
		"columns.go": "package a\n\n// Package a is long. " + long + "\n",
		"test_test.go": "package a\n\nvar _ = \"" + long + "\" // literals of tests may be long\n\nfunc f() {\n" +
			strings.Repeat("\tprintln()\n", functionLines) + "}\n",
		"function.go": "package a\n\nfunc f() {\n" + strings.Repeat("\tprintln()\n", functionLines) + "}\n",
		"branches.go": "package a\n\nfunc g(i int) {\n" + strings.Repeat("\tif i > 0 && i < 2 {\n\t}\n", complexityMax/2+1) + "}\n",
		"fields.go":   "package a\n\ntype fields struct {\n" + strings.Repeat("\t_, _, _ int\n", structFieldsMax/3+1) + "}\n",
		"file.v":      strings.Repeat("wire w;\n", fileLinesMax+1),
		"b/b.go":      "package b\n\nconst B = 1\n\n// C is documented.\nvar C = 2\n\nconst (\n\tD = 3\n\tE = 4 // E is, too.\n)\n",
		"b/doc.go":    "// Package b lists nothing.\npackage b\n",
		"page.md":     "A page [leads](gone.md) nowhere, [down](b/doc.go#top), [on](#a-b), [off](page.md#c), [out](https://a.org), `behind` and behind, docs/page.md.\n# A `b`!\n```\n# C\nbehind\n```\n",
		"go.mod":      "module starloom\n\ngo 1.26\n",
	}
	folder := t.TempDir()
	for name, text := range planted {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	initRepository(t, folder)
	h, err := measure(folder)
	require.NoError(t, err)
	var got []string
	for _, f := range h.findings {
		got = append(got, f.rule+" "+f.path+" "+f.what)
	}
	slices.Sort(got)
	require.Equal(t, []string{
		"columns columns.go // Package a is long. xxxxxxxxxxxxxxxxxx",
		"complexity branches.go g",
		"documented a.go T",
		"documented a.go T.B",
		"documented b/b.go B",
		"documented b/b.go D",
		"fields fields.go fields",
		"file file.v lines",
		"function function.go f",
		"package . comments of the package",
		"reference a.go gone.md",
		"reference a.go hw/b/doc.go",
		"reference page.md docs/page.md",
		"reference page.md gone.md",
		"reference page.md page.md#c",
		"words a.go behind: after, past, below; behind only of places",
		"words page.md behind: after, past, below; behind only of places",
	}, got)
}

// TestCycles checks that mutually dependent files are found, and that the fewest upward uses are counted.
func TestCycles(t *testing.T) {
	g := &graph{files: []string{"a", "b", "c", "d", "e"}, uses: map[string]map[string]int{
		"a": {"b": 1}, "b": {"c": 1}, "c": {"a": 1, "d": 1}, "d": {"e": 2}, "e": {},
	}}
	require.Equal(t, [][]string{{"a", "b", "c"}}, g.cycles())
	require.Equal(t, 1, g.upward())
	require.Equal(t, 5, g.edges())
	delete(g.uses["c"], "a")
	require.Empty(t, g.cycles())
	require.Zero(t, g.upward())
}

// TestLayersRefuse checks that upward imports, imports between neighbours, and packages without a layer are found. A
// package below one in the table has its layer and may use it.
func TestLayersRefuse(t *testing.T) {
	require.Equal(t, []string{
		"starloom/hw imports starloom/nic",
		"starloom/new has no place in the layout: give it one in docs/contributing.md",
		"starloom/traces/vcd imports starloom/hw",
	}, upwardImports([]string{"hw", "traces/vcd", "nic", "."}, map[string][]string{"starloom/hw": {"starloom/nic"}, "starloom/traces/vcd": {"starloom/hw"},
		"starloom/new": nil, "starloom": {"starloom/hw"}, "starloom/hw/below": {"starloom/hw"}}))
}

// TestWayIsWhole checks that files named in the table for newcomers exist.
func TestWayIsWhole(t *testing.T) {
	layers, err := readLayers(top)
	require.NoError(t, err)
	require.Greater(t, len(layers), 50)
	for _, name := range layers {
		require.DirExists(t, filepath.Join(top, name))
	}
}

// initRepository turns a folder into a repository, so that its files are listed.
func initRepository(t *testing.T, folder string) {
	t.Helper()
	out, err := exec.Command("git", "init", "-q", folder).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestQuestionsHaveAnswers has twice twenty questions of a newcomer and the places of their answers in the layout.
func TestQuestionsHaveAnswers(t *testing.T) {
	text, err := os.ReadFile("questions.txt")
	require.NoError(t, err)
	questions := 0
	for line := range strings.Lines(string(text)) {
		question, answers, ok := strings.Cut(strings.TrimSpace(line), "? ")
		if strings.HasPrefix(question, "#") || question == "" {
			continue
		}
		require.True(t, ok, line)
		questions++
		for _, answer := range strings.Fields(answers) {
			_, err := os.Stat(filepath.Join(top, answer))
			require.NoError(t, err, question)
		}
	}
	require.Equal(t, 40, questions)
}

// TestDrawsImprove checks that readers flag no more in a draw of prose than in the draw before it. It logs the wanted
// numbers.
func TestDrawsImprove(t *testing.T) {
	draws, err := readVerdicts()
	require.NoError(t, err)
	require.NotEmpty(t, draws)
	for i := range draws[1:] {
		require.LessOrEqual(t, draws[i+1].all(), draws[i].all(), draws[i+1].seed)
	}
	last := draws[len(draws)-1]
	t.Logf("draw %s: flagged %v of 100, 50, 50; wanted at most %v", last.seed, last.flagged, flaggedMax)
}
