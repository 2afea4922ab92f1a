package scenario

import (
	"fmt"
	"go/ast"
	"go/format"
	goparser "go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// TestGoDocIsWhole checks that `go doc` shows the fields and methods of every type of this package, including aliases
// of internal types. The comments of the aliases repeat them; -update writes these comments.
func TestGoDocIsWhole(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		whole := withMembers(t, string(source))
		if *systemtest.Update && whole != string(source) {
			require.NoError(t, os.WriteFile(file, []byte(whole), 0o644))
		}
		if !*systemtest.Update {
			require.Equal(t, whole, string(source), "%s: if this is meant: go test -run TestGoDocIsWhole -update", file)
		}
	}
}

// internalAlias is the line of an alias for a type of an internal package.
var internalAlias = regexp.MustCompile(`(?m)((?:^\t*//.*\n)+)^(\t*)((?:type )?\w+ += ((?:emulator|rtl)\.(\w+)))$`)

// memberLines matches earlier output of this test.
var memberLines = regexp.MustCompile(`(?m)^\t*//\n(\t*//\t.*\n(\t*//\n)?)+`)

// withMembers writes fields and methods into the comments of aliases.
func withMembers(t *testing.T, source string) string {
	return internalAlias.ReplaceAllStringFunc(source, func(text string) string {
		part := internalAlias.FindStringSubmatch(text)
		comment, indent, line := memberLines.ReplaceAllString(part[1], ""), part[2], part[3]
		folder, _, _ := strings.Cut(part[4], ".")
		members := membersOf(t, filepath.Join("internal", folder), part[5])
		if members == "" {
			return text
		}
		for _, member := range strings.Split(strings.TrimSpace(members), "\n") {
			if member != "" {
				member = "\t" + member
			}
			comment += strings.TrimRight(indent+"//"+member, " ") + "\n"
		}
		comment = strings.Replace(comment, "//\t", "//\n"+indent+"//\t", 1)
		return comment + indent + line
	})
}

// publicMethod are the names of methods that are for users; others are for Starloom itself.
var publicMethod = regexp.MustCompile(`^(Write|Interrupted$|ToolFailed$|Get$)`)

// fieldTag is the tag of a field.
var fieldTag = regexp.MustCompile("(?m)`[^`]*`")

// membersOf lists the exported fields and methods of a type.
func membersOf(t *testing.T, folder, name string) string {
	var fields, methods string
	set := token.NewFileSet()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := goparser.ParseFile(set, file, nil, goparser.ParseComments)
		require.NoError(t, err)
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, declaration := range parsed.Decls {
			switch d := declaration.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && s.Name.Name == name {
						fields = fieldsText(t, set, source, s)
					}
				}
			case *ast.FuncDecl:
				if d.Recv == nil || !publicMethod.MatchString(d.Name.Name) || receiver(d) != name {
					continue
				}
				d.Body = nil
				doc := d.Doc
				d.Doc = nil
				var b strings.Builder
				require.NoError(t, printer.Fprint(&b, set, d))
				methods += b.String()
				if doc != nil {
					sentence, _, _ := strings.Cut(strings.ReplaceAll(doc.Text(), "\n", " "), ". ")
					sentence, _, _ = strings.Cut(sentence, ": ")
					methods += " // " + strings.TrimSuffix(strings.TrimPrefix(sentence, d.Name.Name+" "), ".")
				}
				methods += "\n"
			}
		}
	}
	if fields == "" { // not a type
		return ""
	}
	if methods != "" {
		fields += "\n" + methods
	}
	return fields
}

func receiver(d *ast.FuncDecl) string {
	kind := d.Recv.List[0].Type
	if pointer, ok := kind.(*ast.StarExpr); ok {
		kind = pointer.X
	}
	return kind.(*ast.Ident).Name
}

// fieldsText returns the exported fields of a type, without tags.
func fieldsText(t *testing.T, set *token.FileSet, source []byte, s *ast.TypeSpec) string {
	structure, ok := s.Type.(*ast.StructType)
	offset := func(p token.Pos) int { return set.Position(p).Offset }
	if !ok {
		return string(source[offset(s.Type.Pos()):offset(s.Type.End())]) + "\n"
	}
	cut := offset(structure.Fields.Closing)
	if k := slices.IndexFunc(structure.Fields.List, func(f *ast.Field) bool {
		return len(f.Names) > 0 && (!f.Names[0].IsExported() || f.Names[0].Name == "Aside")
	}); k >= 0 {
		f := structure.Fields.List[k]
		if cut = offset(f.Pos()); f.Doc != nil {
			cut = offset(f.Doc.Pos())
		}
	}
	text, err := format.Source(fmt.Appendf(nil, "type t struct %s\n}", fieldTag.ReplaceAll(source[offset(structure.Fields.Opening):cut], nil)))
	require.NoError(t, err, "%s", text)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "\t")
	}
	return strings.TrimSpace(strings.Join(lines[1:len(lines)-1], "\n")) + "\n"
}
