package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fzipp/gocyclo"
)

// Limits of form. A tab counts as one column, as in Go linters.
const (
	columnsMax      = 120
	functionLines   = 80
	testLines       = 120
	complexityMax   = 25
	structFieldsMax = 20
	fileLinesMax    = 700
	exceptionsMax   = 10
	cycleFilesMax   = 3
	smallFileLines  = 40
	smallFilesMax   = 40
)

// finding is a violation of a rule. Exceptions omit its line number.
type finding struct {
	rule string
	path string
	line int
	what string // name of the finding, independent of line numbers
	size int    // measured size, 0 for none
}

func (f finding) String() string {
	text := fmt.Sprintf("%s:%d: %s", f.path, f.line, f.what)
	if f.size > 0 {
		text += fmt.Sprintf(" (%d)", f.size)
	}
	return text
}

var rules = []string{"columns", "function", "complexity", "fields", "file", "reference", "words", "relative",
	"documented", "package", "small", "cycle", "letters"}

func tidy(t *tree) (found []finding) {
	for s := range t.code() {
		if len(s.lines) > fileLinesMax {
			found = append(found, finding{"file", s.path, 1, "lines", len(s.lines)})
		}
		found = append(found, longLines(t, s)...)
		if s.syn != nil {
			found = append(found, functions(t, s)...)
		}
	}
	return found
}

func longLines(t *tree, s *source) (found []finding) {
	var literals map[int]bool
	if s.syn != nil && s.isTest() {
		literals = map[int]bool{}
		ast.Inspect(s.syn, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				for line := t.line(l.Pos()); line <= t.line(l.End()); line++ {
					literals[line] = true
				}
			}
			return true
		})
	}
	for i, line := range s.lines {
		if width := utf8.RuneCountInString(line); width > columnsMax && !literals[i+1] {
			found = append(found, finding{"columns", s.path, i + 1, string([]rune(strings.TrimSpace(line))[:40]), width})
		}
	}
	return found
}

func functions(t *tree, s *source) (found []finding) {
	limit := functionLines
	if s.isTest() {
		limit = testLines
	}
	for _, d := range s.syn.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if lines := t.line(f.End()) - t.line(f.Pos()) + 1; lines > limit {
			found = append(found, finding{"function", s.path, t.line(f.Pos()), functionName(f), lines})
		}
		if n := gocyclo.Complexity(f); n > complexityMax {
			found = append(found, finding{"complexity", s.path, t.line(f.Pos()), functionName(f), n})
		}
	}
	return found
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	return receiver(f) + "." + f.Name.Name
}

func receiver(f *ast.FuncDecl) string {
	typ := f.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name
		default:
			return "?"
		}
	}
}

// structs finds structs with too many fields. It exempts hardware, because it declares registers and columns in one
// struct. The fields of embedded structs count, except in structs whose json tags are the keys of a file or report:
// there an embedded struct keeps its keys on one level.
func structs(t *tree, pkgs []*checked) (found []finding) {
	tests := map[string]bool{}
	for s := range t.code() {
		tests[s.path] = s.isTest()
	}
	for _, p := range pkgs {
		for _, file := range p.files {
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				body, ok := p.info.TypeOf(spec.Name).Underlying().(*types.Struct)
				written, direct := spec.Type.(*ast.StructType)
				if !ok || !direct {
					return true
				}
				at := p.finding(spec.Pos(), spec.Name.Name)
				_, registers := countFields(written)
				columns := registers && (strings.HasPrefix(at.path, "hw/") || strings.HasPrefix(at.path, "nic/"))
				if at.size = allFields(body); at.size > structFieldsMax && !columns && !tests[at.path] {
					at.rule = "fields"
					found = append(found, at)
				}
				return true
			})
		}
	}
	return found
}

// allFields counts the fields of a struct and of the structs of this module that it embeds as values.
func allFields(body *types.Struct) (n int) {
	keys := false
	for i := range body.NumFields() {
		keys = keys || strings.Contains(body.Tag(i), "json:")
	}
	for field := range body.Fields() {
		named, ok := types.Unalias(field.Type()).(*types.Named)
		if field.Embedded() && ok && !keys && named.Obj().Pkg() != nil &&
			strings.HasPrefix(named.Obj().Pkg().Path(), "starloom") {
			if inner, ok := named.Underlying().(*types.Struct); ok {
				n += allFields(inner)
				continue
			}
		}
		n++
	}
	return n
}

func countFields(body *ast.StructType) (n int, registers bool) {
	for _, f := range body.Fields.List {
		n += max(1, len(f.Names))
		if len(f.Names) > 0 {
			continue
		}
		switch x := f.Type.(type) {
		case *ast.Ident:
			registers = registers || x.Name == "Registers"
		case *ast.SelectorExpr:
			registers = registers || x.Sel.Name == "Registers"
		}
	}
	return n, registers
}

// layersPage is the page with the layers: its table of packages, top down.
const layersPage = "docs/contributing.md"

// tableRow matches a row of the table, tableName a package in it.
var (
	tableRow  = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|")
	tableName = regexp.MustCompile("`([^`]+)`")
)

// readLayers returns the packages of the table, bottom up. A package may import only earlier packages.
func readLayers(top string) (layers []string, err error) {
	page, err := os.ReadFile(filepath.Join(top, layersPage))
	if err != nil {
		return nil, err
	}
	_, way, found := strings.Cut(string(page), "## Find your way\n")
	if !found {
		return nil, fmt.Errorf("%s: there is no table of packages", layersPage)
	}
	way, _, _ = strings.Cut(way, "\n## ")
	for _, row := range tableRow.FindAllStringSubmatch(way, -1) {
		for _, name := range tableName.FindAllStringSubmatch(row[1], -1) {
			layers = append(layers, name[1])
		}
	}
	slices.Reverse(layers)
	return layers, nil
}

func levelOf(layers []string, name string) int {
	if name == "starloom" {
		return slices.Index(layers, ".")
	}
	for folder := strings.TrimPrefix(name, "starloom/"); folder != "."; folder = path.Dir(folder) {
		if level := slices.Index(layers, folder); level >= 0 {
			return level
		}
	}
	return -1
}

// upwardImports returns upward imports, and packages without a level. A package shares the level of its parent in the
// table. Imports between traces and hw are also reported.
func upwardImports(layers []string, imports map[string][]string) (up []string) {
	for _, p := range slices.Sorted(maps.Keys(imports)) {
		if strings.HasPrefix(p, "starloom/out/") { // files that users write there, see docs/how-to/use-from-go.md
			continue
		}
		level := levelOf(layers, p)
		if level < 0 {
			up = append(up, fmt.Sprintf("%s has no place in the layout: give it one in %s", p, layersPage))
			continue
		}
		for _, imported := range imports[p] {
			under := strings.HasPrefix
			sideBySide := under(p, "starloom/traces") && under(imported, "starloom/hw") || under(p, "starloom/hw") &&
				under(imported, "starloom/traces")
			if below := levelOf(layers, imported); below < 0 || below > level || sideBySide {
				up = append(up, fmt.Sprintf("%s imports %s", p, imported))
			}
		}
	}
	return up
}
