package main

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// formulas are packages whose functions are formulas of the literature: their letters are those of the formulas that
// the comments cite.
var formulas = []string{"starloom/fabric/bus/gossip", "starloom/fabric/crossbar/gossip",
	"starloom/fabric/crossbar/scatter", "starloom/fabric/ej/eisenstein", "starloom/traces/rounded"}

// letters finds parameters and results of exported functions named by one letter. x and y are coordinates. Otherwise
// a letter must begin a word of the type, as in `s *Scenario` or `o BuildOptions`. Methods of an interface of the
// standard library keep its letters, as in Write(p []byte).
func letters(pkgs []*checked) (found []finding) {
	for _, p := range pkgs {
		if slices.ContainsFunc(formulas, func(folder string) bool { return strings.HasPrefix(p.path, folder) }) ||
			strings.HasPrefix(p.path, "starloom/internal/systemtest") {
			continue
		}
		for _, file := range p.files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && ast.IsExported(f.Name.Name) && (f.Recv == nil || ast.IsExported(receiver(f))) {
					found = append(found, p.lettersOf(f)...)
				}
			}
		}
	}
	return found
}

// standard are methods of interfaces of the standard library with letters for parameters.
var standard = []string{"Read", "Write", "RGBA"}

func (p *checked) lettersOf(f *ast.FuncDecl) (found []finding) {
	if f.Recv != nil && slices.Contains(standard, f.Name.Name) {
		return nil
	}
	lists := []*ast.FieldList{f.Type.Params}
	if f.Type.Results != nil {
		lists = append(lists, f.Type.Results)
	}
	for _, list := range lists {
		for _, field := range list.List {
			for _, name := range field.Names {
				if len(name.Name) == 1 && !strings.Contains("_xy", name.Name) && !names(p.info.TypeOf(field.Type), name.Name) {
					at := p.finding(name.Pos(), functionName(f)+" "+name.Name)
					at.rule = "letters"
					found = append(found, at)
				}
			}
		}
	}
	return found
}

var typeWord = regexp.MustCompile(`[A-Z][a-z0-9]*`)

// names reports whether a letter begins a word of a type's name, or the name of the type's package.
func names(typ types.Type, letter string) bool {
	typ = types.Unalias(typ)
	if pointer, ok := typ.(*types.Pointer); ok {
		typ = types.Unalias(pointer.Elem())
	}
	var object *types.TypeName
	switch t := typ.(type) {
	case *types.Named:
		object = t.Obj()
	case *types.TypeParam:
		return true
	default:
		return false
	}
	words := append(typeWord.FindAllString(object.Name(), -1), object.Name())
	if object.Pkg() != nil {
		words = append(words, object.Pkg().Name())
	}
	return slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word[:1], letter) })
}
