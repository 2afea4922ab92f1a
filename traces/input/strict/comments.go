package strict

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
)

// Commented is a struct whose keys are described where they are declared: each by the comment of
// its field, where no tag does. Declaration is the text of the Go file that declares the struct. It is
// parsed for a schema or a remedy, never for a file without fault.
type Commented interface{ Declaration() string }

// Comment returns the comment of a field in the source of its type on one line, "" for none.
func Comment(t reflect.Type, field string) string {
	c, ok := reflect.Zero(t).Interface().(Commented)
	if !ok || field == "" {
		return ""
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", c.Declaration(), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		panic("strict: the source of " + t.String() + ": " + err.Error()) // it was compiled
	}
	var text string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == t.Name() {
			if body, ok := spec.Type.(*ast.StructType); ok {
				text = fieldComment(body, field)
			}
		}
		return text == ""
	})
	for i := 0; i < t.NumField() && text == ""; i++ {
		if f := t.Field(i); f.Anonymous && f.Type.Kind() == reflect.Struct {
			text = Comment(f.Type, field)
		}
	}
	return text
}

func fieldComment(body *ast.StructType, field string) string {
	for _, f := range body.Fields.List {
		for _, name := range f.Names {
			if name.Name == field {
				return strings.Join(strings.Fields(f.Doc.Text()+f.Comment.Text()), " ")
			}
		}
	}
	return ""
}
