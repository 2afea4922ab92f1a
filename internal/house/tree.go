package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

type source struct {
	path  string // relative to the repository, with slashes
	lines []string
	syn   *ast.File
	made  bool
}

func (s *source) folder() string { return filepath.ToSlash(filepath.Dir(s.path)) }

func (s *source) isTest() bool {
	return strings.HasSuffix(s.path, "_test.go") || strings.HasPrefix(s.path, "internal/systemtest/") ||
		strings.Contains(s.path, "testdata/")
}

type tree struct {
	top   string
	fset  *token.FileSet
	files []*source
}

var sourceEndings = []string{".go", ".c", ".h", ".cc", ".cpp", ".hpp", ".v", ".vh"}

func readTree(top string) (*tree, error) {
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = top
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	t := &tree{top: top, fset: token.NewFileSet()}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(top, name))
		if os.IsNotExist(err) { // a removed file whose removal is not committed yet
			continue
		}
		if err != nil {
			return nil, err
		}
		s := &source{path: name}
		if t.files = append(t.files, s); !s.isCode() && !s.isDocument() {
			continue
		}
		s.made = bytes.Contains(text[:min(len(text), 300)], []byte("Code generated"))
		s.lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if strings.HasSuffix(name, ".go") {
			if s.syn, err = parser.ParseFile(t.fset, name, text, parser.ParseComments); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

func (s *source) isCode() bool {
	for _, ending := range sourceEndings {
		if strings.HasSuffix(s.path, ending) {
			return true
		}
	}
	return false
}

func (s *source) isDocument() bool {
	return strings.HasSuffix(s.path, ".md") || strings.HasSuffix(s.path, ".txt") && strings.Contains(s.path, "/help/")
}

func (t *tree) documents() func(yield func(*source) bool) {
	return func(yield func(*source) bool) {
		for _, s := range t.files {
			if s.isDocument() && !s.made && !yield(s) {
				return
			}
		}
	}
}

func (t *tree) code() func(yield func(*source) bool) {
	return func(yield func(*source) bool) {
		for _, s := range t.files {
			if s.isCode() && !s.made && !yield(s) {
				return
			}
		}
	}
}

func (t *tree) line(p token.Pos) int { return t.fset.Position(p).Line }
