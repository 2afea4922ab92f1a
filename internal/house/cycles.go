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

	digraph "starloom/internal/graph"
)

// cycles returns the sets of mutually dependent files, largest first.
func (g *graph) cycles() (sets [][]string) {
	next := make([][]uint32, len(g.files))
	for v, file := range g.files {
		for w, other := range g.files {
			if g.uses[file][other] > 0 {
				next[v] = append(next[v], uint32(w))
			}
		}
	}
	for _, component := range digraph.Components(next, func(int) bool { return true }) {
		if len(component) > 1 {
			slices.Sort(component)
			var set []string
			for _, v := range component {
				set = append(set, g.files[v])
			}
			sets = append(sets, set)
		}
	}
	slices.SortStableFunc(sets, func(a, b []string) int { return len(b) - len(a) })
	return sets
}

// upward counts the pairs of files with an upward use, in an order with few such pairs. The order follows P. Eades,
// X. Lin and W. Smyth ("A fast and effective heuristic for the feedback arc set problem"): sources first, sinks last,
// otherwise the file with the largest excess of uses over users.
func (g *graph) upward() (n int) {
	left := map[string]bool{}
	for _, f := range g.files {
		left[f] = true
	}
	degree := func(f string) (out, in int) {
		for to := range g.uses[f] {
			if left[to] {
				out++
			}
		}
		for from := range left {
			if g.uses[from][f] > 0 {
				in++
			}
		}
		return out, in
	}
	var head, tail []string
	for len(left) > 0 {
		best, bestDifference, sink := "", 0, false
		for _, f := range slices.Sorted(maps.Keys(left)) {
			out, in := degree(f)
			if sink = out == 0; sink || in == 0 {
				best = f
				break
			}
			if best == "" || out-in > bestDifference {
				best, bestDifference = f, out-in
			}
		}
		if sink {
			tail = append(tail, best)
		} else {
			head = append(head, best)
		}
		delete(left, best)
	}
	slices.Reverse(tail)
	rank := map[string]int{}
	for i, f := range append(head, tail...) {
		rank[f] = i
	}
	for from, uses := range g.uses {
		for to := range uses {
			if rank[to] < rank[from] {
				n++
			}
		}
	}
	return n
}

type checked struct {
	path  string
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
	config := &packages.Config{Dir: top,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes |
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

// graph records uses between files of a package: uses[a][b] is the number of uses in a of declarations in b.
type graph struct {
	files []string
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
