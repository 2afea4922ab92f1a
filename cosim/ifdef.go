package cosim

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ForVerilator returns the source for another simulator, with the macros that Verilator defines.
func (s *Source) ForVerilator() Source {
	same := *s
	same.Defines = map[string]string{"VERILATOR": "1", "verilator": "1"}
	maps.Copy(same.Defines, s.Defines)
	return same
}

// Ifdefs warns about text that synthesis treats differently: text enabled by a macro of the backend's tools, or text
// disabled because SYNTHESIS is undefined. It ignores blocks that contain only checks and have no `else.
func (s *Source) Ifdefs(backend string) (found []Warning) {
	if len(s.Files) == 0 || s.VHDL() {
		return nil
	}
	other := map[string]bool{"VERILATOR": true, "verilator": true}
	if backend == BackendIcarus {
		other = map[string]bool{"__ICARUS__": true}
	}
	if _, given := s.Defines["SYNTHESIS"]; !given {
		other["SYNTHESIS"] = false
	}
	seen := map[string]bool{}
	files := slices.Clone(s.Files)
	for len(files) > 0 {
		file := files[0]
		files = files[1:]
		text, err := os.ReadFile(file)
		if seen[file] || err != nil {
			continue
		}
		seen[file] = true
		r := ifdefReader{file: file, other: other}
		r.read(string(text))
		found = append(found, r.found...)
		for _, name := range r.includes {
			for _, dir := range append([]string{filepath.Dir(file)}, s.IncludeDirs...) {
				if path := filepath.Join(dir, name); isFile(path) {
					files = append(files, path)
					break
				}
			}
		}
	}
	return found
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

type ifdef struct {
	macro  string // first macro that differs in synthesis; "" for none
	line   int
	others bool // the block has another branch
	checks bool // the block contains $fatal or similar checks
}

type ifdefReader struct {
	file     string
	other    map[string]bool // macros that differ in synthesis; true if the macro is defined here
	open     []ifdef
	includes []string
	found    []Warning
}

var (
	noCode    = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"`)
	directive = regexp.MustCompile("`(ifdef|ifndef|elsif|else|endif|include)\\b[ \\t]*(\\w+|\"[^\"\n]+\")?" +
		`|\$(?:fatal|error|warning|info|display)\b|\b(?:assert|assume|cover)\b`)
)

func (r *ifdefReader) read(text string) {
	text = noCode.ReplaceAllStringFunc(text, func(code string) string {
		if code[0] == '"' {
			return code
		}
		return strings.Repeat("\n", strings.Count(code, "\n"))
	})
	line, last := 1, 0
	for _, at := range directive.FindAllStringSubmatchIndex(text, -1) {
		line, last = line+strings.Count(text[last:at[0]], "\n"), at[0]
		kind, name := "", ""
		if at[2] >= 0 {
			kind = text[at[2]:at[3]]
		}
		if at[4] >= 0 {
			name = text[at[4]:at[5]]
		}
		r.step(kind, name, line)
	}
}

func (r *ifdefReader) step(kind, name string, line int) {
	top := len(r.open) - 1
	switch kind {
	case "include":
		r.includes = append(r.includes, strings.Trim(name, `"`))
		return
	case "ifdef", "ifndef":
		r.open = append(r.open, ifdef{line: line})
		top++
	}
	if top < 0 {
		return
	}
	i := &r.open[top]
	if _, is := r.other[name]; is && i.macro == "" && kind != "" && kind != "else" && kind != "endif" {
		i.macro = name
	}
	switch kind {
	case "":
		for k := range r.open {
			r.open[k].checks = true
		}
	case "elsif", "else":
		i.others = true
	case "endif":
		if i.macro != "" && (i.others || !i.checks) {
			text := fmt.Sprintf("read with %s defined: without it, as for a chip, lines %d to %d differ", i.macro, i.line,
				line)
			if !r.other[i.macro] {
				text = fmt.Sprintf("read without %s: with it, as for a chip, lines %d to %d differ", i.macro, i.line, line)
			}
			r.found = append(r.found, Warning{Code: "IFDEF", Place: fmt.Sprintf("%s:%d", r.file, i.line), Text: text})
		}
		r.open = r.open[:top]
	}
}
