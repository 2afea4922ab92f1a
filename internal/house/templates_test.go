package main

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/stretchr/testify/require"
)

// textsOf calls a function for each package with templates of texts.
func textsOf(t *testing.T, check func(p *checked, c *templates, source string)) {
	h, err := measured()
	require.NoError(t, err)
	base := h.pkgs[slices.IndexFunc(h.pkgs, func(p *checked) bool { return p.path == "starloom/fabric/outcome" })]
	packages := 0
	for _, p := range h.pkgs {
		if len(p.files) == 0 {
			continue
		}
		source, err := os.ReadFile(filepath.Join(filepath.Dir(p.fset.Position(p.files[0].Pos()).Filename), "texts.tmpl"))
		if err != nil {
			continue
		}
		packages++
		c := &templates{pkg: p.types, functions: map[string]types.Type{}}
		newCallers(base, c.functions)
		c.callers = newCallers(p, c.functions)
		check(p, c, string(source))
	}
	require.GreaterOrEqual(t, packages, 4)
}

// TestLongTemplates type-checks each texts.tmpl, in all branches, with the types of the values that the code passes.
func TestLongTemplates(t *testing.T) {
	textsOf(t, func(p *checked, c *templates, source string) {
		require.NotEmpty(t, c.callers.said, p.path)
		require.Empty(t, c.callers.unknown, "%s: names of templates that are not constant", p.path)
		require.Empty(t, c.check(source), p.path)
	})
}

// TestLongTemplatesFindMistakes plants a misspelling in every field of every template, and other mistakes in one.
func TestLongTemplatesFindMistakes(t *testing.T) {
	actions, fields := regexp.MustCompile(`(?s)\{\{.*?\}\}`), regexp.MustCompile(`\.[A-Z]\w*`)
	textsOf(t, func(p *checked, c *templates, source string) {
		planted := 0
		for _, action := range actions.FindAllStringIndex(source, -1) {
			for _, field := range fields.FindAllStringIndex(source[action[0]:action[1]], -1) {
				at := action[0] + field[1]
				require.NotEmpty(t, c.check(source[:at]+"x"+source[at:]), "%s: %sx", p.path, source[max(at-80, 0):at])
				planted++
			}
		}
		require.Greater(t, planted, 50, p.path)
		if p.path != "starloom/fabric/outcome" {
			return
		}
		const senders = `{{define "senders"}}` // of a []int
		require.Contains(t, source, senders)
		for text, finding := range map[string]string{
			`{{join .}}`: "not []string", `{{slots}}`: "0 arguments", `{{len 3}}`: "no elements", `{{eq (len .) "a"}}`: "cannot be compared",
			`{{range $i, $x := .}}{{$x.Name}}{{end}}`: "int has no Name", `{{template "gone" .}}`: "not defined", `{{end}}{{define "idle"}}`: "not used",
			`{{if true}}{{else}}{{with index . 0}}{{else}}{{.Name}}{{end}}{{end}}`: "[]int has no Name", `{{nothing .}}`: "nothing", `{{$y}}`: "$y",
		} {
			require.Contains(t, strings.Join(c.check(strings.Replace(source, senders, senders+text, 1)), "\n"), finding, text)
		}
	})
}

// value is a value of a template. Its type is nil after a finding.
type value struct {
	types.Type
	addressable bool
}

func of(kind types.BasicKind) value { return value{Type: types.Typ[kind]} }

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

type variable struct {
	name string
	value
}

// templates checks the templates of a file.
type templates struct {
	pkg       *types.Package
	callers   *callers
	functions map[string]types.Type
	trees     map[string]*parse.Tree
	tree      *parse.Tree
	variables []variable
	done      map[string]bool
	found     []string
}

var builtins = map[string]types.BasicKind{"and": 0, "or": 0, "index": 0, "len": types.Int, "not": types.Bool, "printf": types.String,
	"eq": types.Bool, "ne": types.Bool, "lt": types.Bool, "le": types.Bool, "gt": types.Bool, "ge": types.Bool}

// check returns the findings in a source: names that do not exist, wrong types, unused templates.
func (c *templates) check(source string) []string {
	names := map[string]any{}
	for name := range c.functions {
		names[name] = true
	}
	for name := range builtins {
		names[name] = true
	}
	trees, err := parse.Parse("texts.tmpl", source, "", "", names)
	if err != nil {
		return []string{err.Error()}
	}
	c.trees, c.done, c.found = trees, map[string]bool{"texts.tmpl": true}, nil
	for _, x := range c.callers.said {
		c.template(x.name, value{Type: x.dot})
	}
	for name := range trees {
		if !c.done[name] {
			c.found = append(c.found, "not used: "+name)
		}
	}
	return c.found
}

func (c *templates) report(n parse.Node, format string, args ...any) value {
	at, _ := c.tree.ErrorContext(n)
	c.found = append(c.found, fmt.Sprintf("%s: in %s: ", at, n)+fmt.Sprintf(format, args...))
	return value{}
}

func (c *templates) template(name string, dot value) {
	key := fmt.Sprint(name, " ", dot)
	if c.done[key] {
		return
	}
	c.done[key], c.done[name] = true, true
	tree, variables := c.tree, c.variables
	c.variables = []variable{{"$", dot}}
	if c.tree = c.trees[name]; c.tree != nil {
		c.walk(c.tree.Root, dot)
	} else {
		c.found = append(c.found, "not defined: "+name)
	}
	c.tree, c.variables = tree, variables
}

func (c *templates) walk(n parse.Node, dot value) {
	switch n := n.(type) {
	case *parse.ListNode:
		for i := 0; n != nil && i < len(n.Nodes); i++ {
			c.walk(n.Nodes[i], dot)
		}
	case *parse.ActionNode:
		c.pipe(n.Pipe, dot)
	case *parse.TemplateNode:
		c.template(n.Name, c.pipe(n.Pipe, dot))
	case *parse.IfNode:
		c.branch(&n.BranchNode, dot)
	case *parse.WithNode:
		c.branch(&n.BranchNode, dot)
	case *parse.RangeNode:
		c.branch(&n.BranchNode, dot)
	case *parse.TextNode:
	default:
		c.report(n, "unknown kind of node")
	}
}

func (c *templates) branch(n *parse.BranchNode, dot value) {
	mark, inner := len(c.variables), dot
	v := c.pipe(n.Pipe, dot)
	switch n.NodeType {
	case parse.NodeWith:
		inner = v
	case parse.NodeRange:
		var key value
		key, inner = c.element(n.Pipe, v)
		for i := range n.Pipe.Decl {
			c.variables[mark+i].value = []value{key, inner}[i+2-len(n.Pipe.Decl)]
		}
	}
	c.walk(n.List, inner)
	c.walk(n.ElseList, dot)
	c.variables = c.variables[:mark]
}

// element returns the types of a key and an element.
func (c *templates) element(n parse.Node, v value) (key, element value) {
	if v.Type == nil {
		return v, v
	}
	switch x := deref(v.Type).Underlying().(type) {
	case *types.Slice:
		return of(types.Int), value{x.Elem(), true}
	case *types.Array:
		return of(types.Int), value{x.Elem(), v.addressable}
	case *types.Map:
		return value{Type: x.Key()}, value{Type: x.Elem()}
	}
	return value{}, c.report(n, "%s has no elements", v.Type)
}

func (c *templates) pipe(n *parse.PipeNode, dot value) (v value) {
	if n == nil {
		return of(types.UntypedNil)
	}
	for i, command := range n.Cmds {
		var args []value
		for _, arg := range command.Args[1:] {
			args = append(args, c.eval(arg, nil, dot))
		}
		if i > 0 {
			args = append(args, v)
		}
		if name, ok := command.Args[0].(*parse.IdentifierNode); ok && (name.Ident == "say" || name.Ident == "lines") {
			c.template(command.Args[1].(*parse.StringNode).Text, args[1])
		}
		v = c.eval(command.Args[0], args, dot)
	}
	for _, name := range n.Decl {
		if n.IsAssign {
			continue // keeps its type
		}
		c.variables = append(c.variables, variable{name.Ident[0], v})
	}
	return v
}

func (c *templates) eval(n parse.Node, args []value, dot value) value {
	switch n := n.(type) {
	case *parse.FieldNode:
		return c.chain(n, dot, n.Ident, args)
	case *parse.ChainNode:
		return c.chain(n, c.eval(n.Node, nil, dot), n.Field, args)
	case *parse.VariableNode:
		for _, v := range slices.Backward(c.variables) {
			if v.name == n.Ident[0] {
				return c.chain(n, v.value, n.Ident[1:], args)
			}
		}
	case *parse.IdentifierNode:
		if f := c.functions[n.Ident]; f != nil {
			return c.call(n, f, args)
		}
		return c.builtin(n, n.Ident, args)
	case *parse.PipeNode:
		return c.pipe(n, dot)
	case *parse.DotNode:
		return dot
	case *parse.StringNode:
		return of(types.UntypedString)
	case *parse.BoolNode:
		return of(types.UntypedBool)
	case *parse.NumberNode:
		if strings.ContainsAny(n.Text, ".eEpP") {
			return of(types.UntypedFloat)
		}
		return of(types.UntypedInt)
	}
	return c.report(n, "unknown kind of node")
}

func (c *templates) chain(n parse.Node, v value, names []string, args []value) value {
	for i, name := range names {
		if v.Type == nil {
			return v
		}
		member, _, indirect := types.LookupFieldOrMethod(v.Type, v.addressable, c.pkg, name)
		if member == nil || !member.Exported() {
			return c.report(n, "%s has no %s", v.Type, name)
		}
		var passed []value
		if i == len(names)-1 {
			passed = args
		}
		if _, method := member.(*types.Func); method {
			v = c.call(n, member.Type(), passed)
		} else if v = (value{member.Type(), v.addressable || indirect}); passed != nil {
			return c.report(n, "%s is not a method", name)
		}
	}
	return v
}

func (c *templates) call(n parse.Node, f types.Type, args []value) value {
	s := f.Underlying().(*types.Signature)
	fixed := s.Params().Len()
	if s.Variadic() {
		fixed--
	}
	if len(args) < fixed || len(args) > fixed && !s.Variadic() {
		return c.report(n, "%d arguments for %s", len(args), s)
	}
	for i, arg := range args {
		to := s.Params().At(min(i, s.Params().Len()-1)).Type()
		if i >= fixed {
			to = to.(*types.Slice).Elem()
		}
		if arg.Type != nil && !types.AssignableTo(arg.Type, to) && !types.AssignableTo(deref(arg.Type), to) {
			c.report(n, "argument %d is %s, not %s", i+1, arg.Type, to)
		}
	}
	return value{Type: s.Results().At(0).Type()}
}

func (c *templates) builtin(n parse.Node, name string, args []value) value {
	if len(args) == 0 {
		return c.report(n, "0 arguments")
	}
	switch name {
	case "index":
		v := args[0]
		for range args[1:] {
			_, v = c.element(n, v)
		}
		return v
	case "len":
		if args[0].Type != nil && !types.Identical(args[0].Underlying(), types.Typ[types.String]) {
			c.element(n, args[0])
		}
	case "and", "or":
		for _, v := range args[1:] {
			if args[0].Type != nil && v.Type != nil && !types.Identical(types.Default(args[0].Type), types.Default(v.Type)) {
				return value{Type: types.Universe.Lookup("any").Type()}
			}
		}
		return args[0]
	case "eq", "ne", "lt", "le", "gt", "ge":
		for _, v := range args[1:] {
			if a, b := kind(args[0]), kind(v); a != b || a == 0 {
				c.report(n, "%s and %s cannot be compared", args[0].Type, v.Type)
			}
		}
	}
	return of(builtins[name])
}

// kind returns the kind of a value in comparisons, 0 for values without an order. Signed and unsigned integers compare.
func kind(v value) types.BasicInfo {
	if v.Type == nil {
		return 0
	}
	if basic, ok := v.Underlying().(*types.Basic); ok {
		return basic.Info() &^ (types.IsUnsigned | types.IsUntyped)
	}
	return 0
}
