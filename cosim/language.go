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

// Languages of Verilog files: what their keywords are.
var Languages = []string{"1364-1995", "1364-2001", "1364-2005", "1800-2005", "1800-2009", "1800-2012", "1800-2017"}

// Library is a VHDL library with files in the order of analysis.
type Library struct {
	Name  string
	Files []string
}

// AllFiles are the files of a source with those of its libraries.
func (s *Source) AllFiles() []string {
	files := slices.Clone(s.Files)
	for _, l := range s.Libraries {
		files = append(files, l.Files...)
	}
	return files
}

// InLanguage returns the files as tools get them: one with a language of its own is included by a
// file in dir that says which.
func (s *Source) InLanguage(dir string) ([]string, error) {
	files := slices.Clone(s.Files)
	for i, file := range files {
		language, ok := s.Languages[file]
		if !ok {
			continue
		}
		path, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		files[i] = filepath.Join(dir, fmt.Sprintf("language_%d.v", i))
		text := fmt.Sprintf("`begin_keywords %q\n`include %q\n`end_keywords\n", language, path)
		if err := os.WriteFile(files[i], []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return files, nil
}

var ghdlFlag = regexp.MustCompile(`^(?:-f[a-z-]+|--std=[0-9a-z]+|--ieee=[a-z]+|-W[a-z-]+|--no-vital-checks|--syn-binding)$`)

// checkLanguages refuses languages, libraries and flags that no tool takes.
func (s *Source) checkLanguages() error {
	for _, file := range slices.Sorted(maps.Keys(s.Languages)) {
		language := s.Languages[file]
		switch {
		case s.VHDL():
			return &InputError{Place: file, Reason: "language is for Verilog", Remedy: "give the standard of VHDL by ghdl_flags: [--std=93]"}
		case !slices.Contains(Languages, language):
			return &InputError{Place: file, Reason: fmt.Sprintf("there is no language %q", language), Remedy: "write one of " + strings.Join(Languages, ", ")}
		}
	}
	if !s.VHDL() && len(s.Libraries)+len(s.GHDLFlags) > 0 {
		return &InputError{Place: s.Files[0], Reason: "libraries and ghdl_flags are for VHDL", Remedy: "delete them"}
	}
	for _, flag := range s.GHDLFlags {
		if !ghdlFlag.MatchString(flag) {
			return &InputError{
				Place: "--ghdl-flags", Reason: fmt.Sprintf("%q is no flag of GHDL that is passed on", flag),
				Remedy: "give flags such as -frelaxed, -fsynopsys, --std=93, --ieee=synopsys",
			}
		}
	}
	for _, l := range s.Libraries {
		if !IsIdentifier(l.Name) || len(l.Files) == 0 {
			return &InputError{Place: "--libraries", Reason: fmt.Sprintf("library %q has no name or no files", l.Name), Remedy: "write libraries: {NAME: [FILE]}"}
		}
	}
	return nil
}
