package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// checked is a package with its types, without tests.
type checked struct {
	path  string // of import
	top   string
	fset  *token.FileSet
	files []*ast.File
	types *types.Package
	info  *types.Info
}

func (p *checked) relative(file string) string {
	if r, err := filepath.Rel(p.top, file); err == nil {
		return filepath.ToSlash(r)
	}
	return file
}

func load(top string) ([]*checked, error) {
	config := &packages.Config{Dir: top, Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes |
		packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps}
	loaded, err := packages.Load(config, "./...")
	if err != nil {
		return nil, err
	}
	var pkgs []*checked
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %v", p.PkgPath, p.Errors[0])
		}
		pkgs = append(pkgs, &checked{p.PkgPath, top, p.Fset, p.Syntax, p.Types, p.TypesInfo})
	}
	slices.SortFunc(pkgs, func(a, b *checked) int { return cmp.Compare(a.path, b.path) })
	return pkgs, nil
}

// graph is which file of a package uses what another one declares: uses[a][b] counts them.
type graph struct {
	files []string // sorted
	uses  map[string]map[string]int
}

func (p *checked) fileGraph() *graph {
	g := &graph{uses: map[string]map[string]int{}}
	for _, f := range p.files {
		name := filepath.Base(p.fset.Position(f.Pos()).Filename)
		g.files = append(g.files, name)
		g.uses[name] = map[string]int{}
	}
	slices.Sort(g.files)
	for id, object := range p.info.Uses {
		if object.Pkg() != p.types || !object.Pos().IsValid() {
			continue
		}
		from := filepath.Base(p.fset.Position(id.Pos()).Filename)
		to := filepath.Base(p.fset.Position(object.Pos()).Filename)
		if from != to && g.uses[from] != nil && g.uses[to] != nil {
			g.uses[from][to]++
		}
	}
	return g
}

func (g *graph) edges() (n int) {
	for _, to := range g.uses {
		n += len(to)
	}
	return n
}

func imports(pkgs []*checked) map[string][]string {
	result := map[string][]string{}
	for _, p := range pkgs {
		names := map[string]bool{}
		for _, i := range p.types.Imports() {
			if i.Path() == "starloom" || strings.HasPrefix(i.Path(), "starloom/") {
				names[i.Path()] = true
			}
		}
		result[p.path] = slices.Sorted(maps.Keys(names))
	}
	return result
}
