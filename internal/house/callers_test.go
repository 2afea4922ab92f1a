package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// said is a template that the code executes, with the type of its value.
type said struct {
	name string
	dot  types.Type
}

// callers are the calls of a package that execute templates. Names and values may come through parameters and
// variables.
type callers struct {
	info    *types.Info
	values  map[types.Object][]ast.Expr // expressions assigned to a variable
	calls   map[types.Object][]*ast.CallExpr
	params  map[types.Object]param
	said    []said
	unknown []string // names without a constant
}

type param struct {
	of    types.Object // function
	index int
}

// newCallers reads a package, and adds the functions of its FuncMap literals.
func newCallers(p *checked, functions map[string]types.Type) *callers {
	s := &callers{info: p.info, values: map[types.Object][]ast.Expr{}, calls: map[types.Object][]*ast.CallExpr{},
		params: map[types.Object]param{}}
	var said []*ast.CallExpr
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				s.function(s.info.Defs[n.Name], n.Type)
			case *ast.AssignStmt:
				for i := range n.Rhs {
					s.assign(n.Lhs[i], n.Rhs[i])
				}
			case *ast.ValueSpec:
				for i := range n.Values {
					s.assign(n.Names[i], n.Values[i])
				}
			case *ast.CallExpr:
				name, _ := n.Fun.(*ast.Ident)
				if x, ok := n.Fun.(*ast.SelectorExpr); ok {
					name = x.Sel
					if named, ok := types.Unalias(deref(s.info.TypeOf(x.X))).(*types.Named); ok && named.Obj().Name() == "Texts" && len(n.Args) == 2 {
						said = append(said, n)
					}
				}
				if name != nil {
					s.calls[s.info.Uses[name]] = append(s.calls[s.info.Uses[name]], n)
				}
			case *ast.CompositeLit:
				if strings.HasSuffix(fmt.Sprint(s.info.TypeOf(n)), "template.FuncMap") {
					for _, field := range s.fields(n) {
						functions[field.Name()] = field.Type()
					}
				}
			}
			return true
		})
	}
	for _, call := range said {
		s.resolve(call.Args[0], call.Args[1])
	}
	return s
}

func (s *callers) function(f types.Object, of *ast.FuncType) {
	i := 0
	for _, list := range of.Params.List {
		for _, name := range list.Names {
			s.params[s.info.Defs[name]] = param{f, i}
			i++
		}
	}
}

func (s *callers) assign(to, value ast.Expr) {
	if name, ok := to.(*ast.Ident); ok {
		v := s.info.ObjectOf(name)
		s.values[v] = append(s.values[v], value)
		if f, ok := value.(*ast.FuncLit); ok {
			s.function(v, f.Type)
		}
	}
}

// resolve adds the templates of a call, one for each constant that can be its name.
func (s *callers) resolve(name, value ast.Expr) {
	if text := s.info.Types[name].Value; text != nil {
		s.said = append(s.said, said{constant.StringVal(text), s.typeOf(value)})
		return
	}
	switch x := name.(type) {
	case *ast.IndexExpr:
		s.resolve(x.X, value)
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				e = pair.Value
			}
			s.resolve(e, value)
		}
	case *ast.Ident:
		v := s.info.Uses[x]
		for _, from := range s.values[v] {
			s.resolve(from, value)
		}
		p, ok := s.params[v]
		if !ok && s.values[v] == nil {
			s.unknown = append(s.unknown, x.Name)
		}
		for _, call := range s.calls[p.of] {
			passed := value
			if x, ok := value.(*ast.Ident); ok && s.params[s.info.Uses[x]].of == p.of {
				passed = call.Args[s.params[s.info.Uses[x]].index]
			}
			s.resolve(call.Args[p.index], passed)
		}
	default:
		s.unknown = append(s.unknown, types.ExprString(x))
	}
}

// typeOf returns the type of a value, a struct for a map that is written as a literal.
func (s *callers) typeOf(value ast.Expr) types.Type {
	if x, ok := value.(*ast.Ident); ok && len(s.values[s.info.Uses[x]]) == 1 {
		value = s.values[s.info.Uses[x]][0]
	}
	if x, ok := value.(*ast.CompositeLit); ok {
		if _, ok := s.info.TypeOf(x).Underlying().(*types.Map); ok {
			return types.NewStruct(s.fields(x), nil)
		}
	}
	return s.info.TypeOf(value)
}

func (s *callers) fields(x *ast.CompositeLit) (list []*types.Var) {
	for _, e := range x.Elts {
		e := e.(*ast.KeyValueExpr)
		list = append(list,
			types.NewField(token.NoPos, nil, constant.StringVal(s.info.Types[e.Key].Value), s.info.TypeOf(e.Value), false))
	}
	return list
}
