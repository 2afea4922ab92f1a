// Command house measures the structure of Starloom; its test enforces rules.
//
//	sources --read--> tree --+-- tidy ----> findings, a count for each rule
//	                         +-- uses ----> dependencies of files, cycles, uses that go up
//	                         +-- layers --> allowed imports of packages
//
// `make house` prints all measurements. The test compares the findings with ratchet.txt, whose counts may only fall,
// and with exceptions.txt, which gives a reason for each exception.
package main

import (
	_ "embed"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const shown = 10

func main() {
	top := "."
	if len(os.Args) > 1 {
		top = os.Args[1]
	}
	do := report
	if seed := os.Getenv("SAMPLE"); seed != "" {
		do = func(top string) error { return printSample(top, seed) }
	}
	if err := do(top); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

func report(top string) error {
	h, err := measure(top)
	if err != nil {
		return err
	}
	layers, err := readLayers(top)
	if err != nil {
		return err
	}
	h.printSizes()
	h.printUses(layers)
	h.printLargest()
	return h.printFindings()
}

type house struct {
	tree     *tree
	pkgs     []*checked
	findings []finding
}

func measure(top string) (*house, error) {
	t, err := readTree(top)
	if err != nil {
		return nil, err
	}
	pkgs, err := load(t.absolute())
	if err != nil {
		return nil, err
	}
	h := &house{tree: t, pkgs: pkgs}
	for _, of := range [][]finding{tidy(t), references(t), undescribed(t), smallFiles(t), words(t),
		undocumented(t, pkgs), cycleFindings(pkgs), letters(pkgs), structs(t, pkgs)} {
		h.findings = append(h.findings, of...)
	}
	return h, nil
}

func (h *house) printSizes() {
	files, lines := map[string]int{}, map[string]int{}
	for s := range h.tree.code() {
		if s.syn == nil || s.isTest() {
			continue
		}
		folder, _, nested := strings.Cut(s.path, "/")
		if !nested {
			folder = "(root)"
		}
		files[folder]++
		lines[folder] += len(s.lines)
	}
	fmt.Println("folder     files   lines   (Go, without tests and generated files)")
	for _, folder := range []string{"(root)", "cmd", "cosim", "examples", "fabric", "firmware", "hw",
		"internal", "nic", "traces"} {
		fmt.Printf("%-10s %5d  %6d\n", folder, files[folder], lines[folder])
	}
	fmt.Printf("packages   %5d\n\n", len(h.pkgs))
}

func (h *house) printUses(layers []string) {
	up := upwardImports(layers, imports(h.pkgs))
	fmt.Printf("imports that go up: %d\n", len(up))
	for _, u := range up {
		fmt.Println("  " + u)
	}
	fmt.Println("\npackage                             files  uses between files  going up")
	for _, p := range h.pkgs {
		g := p.fileGraph()
		if len(g.files) < 2 {
			continue
		}
		fmt.Printf("%-34s %6d %19d %9d\n", p.path, len(g.files), g.edges(), g.upward())
		for _, set := range g.cycles() {
			fmt.Printf("  cycle of %d: %s\n", len(set), strings.Join(set, " "))
		}
	}
	fmt.Println()
}

func (h *house) printLargest() {
	var functions, fields []finding
	for s := range h.tree.code() {
		if s.syn == nil || s.isTest() {
			continue
		}
		ast.Inspect(s.syn, func(n ast.Node) bool {
			switch d := n.(type) {
			case *ast.FuncDecl:
				functions = append(functions,
					finding{"", s.path, h.tree.line(d.Pos()), functionName(d), h.tree.line(d.End()) - h.tree.line(d.Pos()) + 1})
			case *ast.TypeSpec:
				if body, ok := d.Type.(*ast.StructType); ok {
					count, _ := countFields(body)
					fields = append(fields, finding{"", s.path, h.tree.line(d.Pos()), d.Name.Name, count})
				}
			}
			return true
		})
	}
	for _, list := range []struct {
		title string
		of    []finding
	}{{"longest functions (lines)", functions}, {"largest structs (fields)", fields}} {
		slices.SortStableFunc(list.of, func(a, b finding) int { return b.size - a.size })
		fmt.Println(list.title)
		for _, f := range list.of[:shown] {
			fmt.Printf("  %4d  %s:%d: %s\n", f.size, f.path, f.line, f.what)
		}
		fmt.Println()
	}
}

func (h *house) printFindings() error {
	allowed, exceptions, err := readAllowed()
	if err != nil {
		return err
	}
	counts, excused := count(h.findings, exceptions)
	fmt.Println("rule         found  allowed  exceptions")
	for _, rule := range rules {
		fmt.Printf("%-12s %5d  %7d  %10d\n", rule, counts[rule], allowed[rule], excused[rule])
	}
	fmt.Println()
	for _, e := range exceptions {
		fmt.Printf("exception: %s %s %s: %s\n", e.rule, e.path, e.what, e.why)
	}
	if !verbose() {
		fmt.Println("HOUSE=all lists every finding")
		return nil
	}
	for _, f := range h.findings {
		fmt.Printf("%-11s %s\n", f.rule, f)
	}
	return nil
}

func verbose() bool { return os.Getenv("HOUSE") == "all" }

// ratchet holds the permitted number of findings of each rule: `rule count`.
//
//go:embed ratchet.txt
var ratchet string

// exceptions holds the permitted findings: `rule path what: why`.
//
//go:embed exceptions.txt
var exceptionLines string

type exception struct{ rule, path, what, why string }

func (e exception) matches(f finding) bool {
	return e.rule == f.rule && e.path == f.path && e.what == f.what
}

func readAllowed() (allowed map[string]int, exceptions []exception, err error) {
	allowed = map[string]int{}
	for line := range strings.Lines(ratchet) {
		rule, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if allowed[rule], err = strconv.Atoi(strings.TrimSpace(number)); err != nil {
			return nil, nil, fmt.Errorf("ratchet.txt: %q: %w", line, err)
		}
	}
	for line := range strings.Lines(exceptionLines) {
		place, why, ok := strings.Cut(strings.TrimSpace(line), ": ")
		fields := strings.SplitN(place, " ", 3)
		if !ok || len(fields) != 3 {
			return nil, nil, fmt.Errorf("exceptions.txt: %q: want `rule path what: why`", line)
		}
		exceptions = append(exceptions, exception{fields[0], fields[1], fields[2], why})
	}
	return allowed, exceptions, nil
}

func count(findings []finding, exceptions []exception) (counts, excused map[string]int) {
	counts, excused = map[string]int{}, map[string]int{}
next:
	for _, f := range findings {
		for _, e := range exceptions {
			if e.matches(f) {
				excused[f.rule]++
				continue next
			}
		}
		counts[f.rule]++
	}
	return counts, excused
}

func (t *tree) absolute() string {
	path, err := filepath.Abs(t.top)
	if err != nil {
		return t.top
	}
	return path
}

func cycleFindings(pkgs []*checked) (found []finding) {
	for _, p := range pkgs {
		for _, set := range p.fileGraph().cycles() {
			if len(set) > cycleFilesMax {
				found = append(found, finding{"cycle", p.path, 1, strings.Join(set, " "), len(set)})
			}
		}
	}
	return found
}
