package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// fileName matches the name of a source file or page in a comment.
var fileName = regexp.MustCompile(`[\w./*-]+\.(?:go|md|c|h|v|vh|cpp|hpp|yaml|yml|csv|svg|txt|json)\b`)

// elsewhere lists names of files that belong to users, tools and standards.
var elsewhere = []string{
	"my.c", "my_test.c", "my.yaml", "map.yml", "arbiter.yml", "file.yaml", "values.csv", "file.csv", "perm.csv",
	"gossip-4-bug.yaml", "gossip-4-model.yaml", "ports.h", "wanted.h", "stddef.h", "stdint.h", "docs.md", "splitmix64.c",
	"NAME.v", "NAME.c", "F.csv", "F.json",
}

var rooted = regexp.MustCompile(
	`(?:^|[^\w./-])((?:cmd|cosim|docs|examples|fabric|firmware|hw|internal|nic|traces)/[\w./-]+` +
		`\.(?:go|md|c|h|v|sv|yaml|yml|csv|svg|txt|json))\b`)

func absent(t *tree, line string) (paths []string) {
	for _, m := range rooted.FindAllStringSubmatch(line, -1) {
		// the file may have a compression suffix, as in .csv.gz
		is := func(f *source) bool { return f.path == m[1] || strings.HasPrefix(f.path, m[1]+".") }
		if !slices.ContainsFunc(t.files, is) && !slices.Contains(elsewhere, path.Base(m[1])) {
			paths = append(paths, m[1])
		}
	}
	return paths
}

func references(t *tree) (found []finding) {
	known := map[string]bool{}
	for _, s := range t.files {
		known[path.Base(s.path)] = true
	}
	for s := range t.code() {
		if s.isTest() && s.syn == nil {
			continue
		}
		for line, text := range comments(t, s) {
			for _, name := range fileName.FindAllString(text, -1) {
				base := path.Base(name)
				if !known[base] && !strings.Contains(base, "*") && !slices.Contains(elsewhere, base) {
					found = append(found, finding{"reference", s.path, line, name, 0})
				}
			}
			for _, name := range absent(t, text) {
				found = append(found, finding{"reference", s.path, line, name, 0})
			}
			if design.MatchString(text) {
				found = append(found, finding{"reference", s.path, line, design.FindString(text), 0})
			}
		}
	}
	places := map[string][]string{}
	for s := range t.documents() {
		places[s.path] = headings(s)
	}
	for s := range t.documents() {
		found = append(found, deadLinks(t, s, places)...)
	}
	return found
}

var link = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)

func deadLinks(t *tree, s *source, places map[string][]string) (found []finding) {
	for i, line := range s.lines {
		for _, name := range absent(t, line) {
			found = append(found, finding{"reference", s.path, i + 1, name, 0})
		}
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			to := s.path
			if m[1] != "" {
				to = path.Join(s.folder(), m[1])
			}
			leads := func(f *source) bool { return f.path == to || strings.HasPrefix(f.path, to+"/") }
			switch names, page := places[to]; {
			case !slices.ContainsFunc(t.files, leads):
				found = append(found, finding{"reference", s.path, i + 1, m[1], 0})
			case page && m[2] != "" && !slices.Contains(names, m[2]):
				found = append(found, finding{"reference", s.path, i + 1, m[1] + "#" + m[2], 0})
			}
		}
	}
	return found
}

var notInAnchors = regexp.MustCompile(`[^\w -]`)

func headings(s *source) (names []string) {
	quoted := false
	for _, line := range s.lines {
		quoted = quoted != strings.HasPrefix(line, "```")
		if title := strings.TrimLeft(line, "#"); !quoted && title != line && strings.HasPrefix(title, " ") {
			name := notInAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			names = append(names, strings.ReplaceAll(name, " ", "-"))
		}
	}
	return names
}

var design = regexp.MustCompile(`\b(DESIGN|STYLE) section|\b(DESIGN|STYLE)\b`)

func comments(t *tree, s *source) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		if s.syn == nil {
			for i, line := range s.lines {
				if at := strings.Index(line, "//"); at >= 0 && !yield(i+1, line[at:]) {
					return
				}
			}
			return
		}
		for _, group := range s.syn.Comments {
			for _, c := range group.List {
				for i, line := range strings.Split(c.Text, "\n") {
					if !yield(t.line(c.Pos())+i, line) {
						return
					}
				}
			}
		}
	}
}

// undescribed returns folders whose package has no comment, or has comments in several files.
func undescribed(t *tree) (found []finding) {
	described := map[string]int{}
	for s := range t.code() {
		if s.syn != nil && !s.isTest() {
			described[s.folder()] += map[bool]int{true: 1}[s.syn.Doc != nil]
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(described)) {
		if n := described[folder]; n != 1 {
			found = append(found, finding{"package", folder, 1, "comments of the package", n})
		}
	}
	return found
}

// platform matches names of files for one operating system.
var platform = regexp.MustCompile(`_(linux|unix|windows|other)\.go$`)

// smallFiles returns files with fewer than smallFileLines lines if there are more than smallFilesMax.
func smallFiles(t *tree) (found []finding) {
	for s := range t.code() {
		if s.syn != nil && !s.isTest() && len(s.lines) < smallFileLines && !platform.MatchString(s.path) {
			found = append(found, finding{"small", s.path, 1, "lines", len(s.lines)})
		}
	}
	if len(found) <= smallFilesMax {
		return nil
	}
	return found
}

func undocumented(t *tree, pkgs []*checked) (found []finding) {
	interfaces := allInterfaces(pkgs)
	for _, p := range pkgs {
		if p.types.Name() == "main" {
			continue
		}
		for _, file := range p.files {
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Doc == nil && d.Name.IsExported() && !implements(p, d, interfaces) {
						found = append(found, p.finding(d.Pos(), functionName(d)))
					}
				case *ast.GenDecl:
					found = append(found, undocumentedSpecs(p, d)...)
				}
			}
		}
	}
	return found
}

// undocumentedSpecs finds exported constants, variables and types without their own comment. The comment of a group
// does not count.
func undocumentedSpecs(p *checked, d *ast.GenDecl) (found []finding) {
	alone := !d.Lparen.IsValid() && d.Doc != nil
	if alone {
		return nil
	}
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && s.Comment == nil {
				found = append(found, p.finding(s.Pos(), s.Name.Name))
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && s.Doc == nil && s.Comment == nil {
					found = append(found, p.finding(s.Pos(), name.Name))
				}
			}
		}
	}
	return found
}

func (p *checked) finding(at token.Pos, name string) finding {
	position := p.fset.Position(at)
	return finding{"documented", p.relative(position.Filename), position.Line, name, 0}
}

func allInterfaces(pkgs []*checked) (all []*types.Interface) {
	seen := map[*types.Package]bool{}
	add := func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, name := range p.Scope().Names() {
			if i, ok := p.Scope().Lookup(name).Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
				all = append(all, i)
			}
		}
	}
	for _, p := range pkgs {
		add(p.types)
		for _, imported := range p.types.Imports() {
			add(imported)
		}
	}
	return append(all, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// implements reports whether a method implements an interface or has an unexported receiver type.
func implements(p *checked, d *ast.FuncDecl, interfaces []*types.Interface) bool {
	if d.Recv == nil {
		return false
	}
	object := p.types.Scope().Lookup(receiver(d))
	if object == nil || !object.Exported() {
		return true
	}
	for _, typ := range []types.Type{object.Type(), types.NewPointer(object.Type())} {
		for _, i := range interfaces {
			method, _, _ := types.LookupFieldOrMethod(i, false, p.types, d.Name.Name)
			if method != nil && types.Implements(typ, i) {
				return true
			}
		}
	}
	return d.Name.Name == "String" || d.Name.Name == "Error"
}

// notEnglish lists words and phrases that a native editor would change, with replacements.
var notEnglish = []struct {
	words   *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bbehind\b`), "after, past, below; behind only of places"},
	{regexp.MustCompile(`(?i)\banew\b`), "again"},
	{regexp.MustCompile(`(?i)\b(?:there )?(?:is|are|was|were|be) no (?:\w+ )?(` + things + `)s?\b`), "is not a"},
	{regexp.MustCompile(`(?i)\bshall\b`), "must"},
	{regexp.MustCompile(`(?i)\bin front of\b`), "before"},
	{regexp.MustCompile(`(?i)\bnobody\b`), "no one, none"},
	{regexp.MustCompile(`(?i)\bwho(ever)? is in turn\b`), "whose turn it is"},
	{regexp.MustCompile(`(?i)\bor the like\b`), "say what"},
	{regexp.MustCompile(`(?i)\bmeans nothing here\b`), "is not supported, has no effect here"},
	{regexp.MustCompile(`(?i)\bknows nothing of\b`), "does not know, does not apply to"},
	{regexp.MustCompile(`(?i)\bnothing that\b.{0,30}\bdecides\b`), "does not decide"},
	{regexp.MustCompile(`(?i)\bwithout more,`), "by default"},
	{regexp.MustCompile(`(?i)\bif nobody says more\b`), "unless it is set"},
}

// things are nouns before which a native editor replaces "is no" by "is not a".
const things = "file|reset|model|program|number|clock|power|result|part|place|name|output|input|frame|word|" +
	"processor|firmware|image|function|curve|scenario|port|network|signal|value|key|option|difference|sandbox|fault|error"

// words finds these phrases in comments and texts of Go, C and Verilog, in pages and helps. It searches each line
// separately.
func words(t *tree) (found []finding) {
	for s := range t.code() {
		if strings.HasPrefix(s.path, "internal/house/") {
			continue
		}
		for line, text := range prose(t, s) {
			found = append(found, wordsIn(s, line, text)...)
		}
	}
	for s := range t.documents() {
		quoted := false // inside a code block; its source is checked instead
		for i, line := range s.lines {
			if quoted = quoted != strings.HasPrefix(line, "```"); !quoted {
				found = append(found, wordsIn(s, i+1, codeSpan.ReplaceAllString(line, "``"))...)
			}
		}
	}
	return found
}

var codeSpan = regexp.MustCompile("`[^`]*`")

// relative matches relative clauses that usually replace a noun: "what a column is" for "a column".
var relative = regexp.MustCompile(strings.Join([]string{
	`(?:^|[.:;"] |// |")What \w+ (?:is|are|was|were|has|have|do|does|\w+s)\b[^?]*$`,
	`\bof which\b`, `\bthose that\b`, `\bthe ones? (?:that|with|of|which)\b`, `\b[Ww]ho(?:ever)? \w+s\b`,
	`\b[Ww]hatever\b`, `\b(?:says?|tells?|shows?) (?:what|how|whether|which|where|why)\b`,
}, "|"))

func wordsIn(s *source, line int, text string) (found []finding) {
	for _, m := range relative.FindAllString(text, -1) {
		found = append(found, finding{"relative", s.path, line, m, 0})
	}
	for _, w := range notEnglish {
		if m := w.words.FindString(text); m != "" && !strings.HasPrefix(strings.ToLower(m), "there ") {
			found = append(found, finding{"words", s.path, line, m + ": " + w.instead, 0})
		}
	}
	return found
}

func prose(t *tree, s *source) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		if s.syn == nil {
			for i, line := range s.lines {
				if at := strings.Index(line, "//"); at >= 0 && !yield(i+1, line[at:]) {
					return
				}
			}
			return
		}
		stop := false
		text := func(at token.Pos, words string) {
			for i, line := range strings.Split(words, "\n") {
				stop = stop || !yield(t.line(at)+i, line)
			}
		}
		for _, group := range s.syn.Comments {
			for _, c := range group.List {
				if !stop {
					text(c.Pos(), c.Text)
				}
			}
		}
		ast.Inspect(s.syn, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && !stop && strings.Contains(l.Value, " ") {
				text(l.Pos(), l.Value)
			}
			return !stop
		})
	}
}
