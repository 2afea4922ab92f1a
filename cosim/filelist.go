package cosim

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"starloom/traces/input"
)

// A FileList is the contents of a file for option -f, as in simulators.
type FileList struct {
	Files, IncludeDirs []string
	Defines            map[string]string
}

const fileListsMax = 64

// ReadFileList reads a file for -f: sources, +incdir+DIR, -I DIR, -y DIR, -v FILE, +define+NAME=VALUE, -D NAME=VALUE,
// -f LIST. Comments begin with // or #. Paths are relative to the folder of the list. $NAME and ${NAME} are
// environment variables.
func ReadFileList(path string) (*FileList, error) {
	l := &fileLister{list: &FileList{Defines: map[string]string{}}}
	return l.list, l.read(path)
}

// AddList adds the contents of a file list. Existing definitions have priority.
func (s *Source) AddList(path string) error {
	list, err := ReadFileList(path)
	if err != nil {
		return err
	}
	s.Files, s.IncludeDirs = append(s.Files, list.Files...), append(s.IncludeDirs, list.IncludeDirs...)
	defines := maps.Clone(list.Defines)
	maps.Copy(defines, s.Defines)
	s.Defines = defines
	return nil
}

type fileLister struct {
	list  *FileList
	lists int
}

func (l *fileLister) read(path string) error {
	if l.lists++; l.lists > fileListsMax {
		return &InputError{Place: path, Reason: fmt.Sprintf("more than %d lists of files", fileListsMax),
			Remedy: "check whether a list includes itself"}
	}
	text, err := input.Read(path, 1<<20)
	if err != nil {
		return &InputError{Place: path, Reason: fmt.Sprintf("cannot be read: %v", Reason(err)),
			Remedy: "give an existing list of files"}
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		place := fmt.Sprintf("%s:%d", path, number)
		if at := strings.Index(line, "//"); at >= 0 {
			line = line[:at]
		}
		if at := strings.IndexByte(line, '#'); at >= 0 {
			line = line[:at]
		}
		if err := l.line(place, filepath.Dir(path), strings.Fields(line)); err != nil {
			return err
		}
	}
	return nil
}

func (l *fileLister) line(place, folder string, words []string) error {
	for i := 0; i < len(words); i++ {
		unset := ""
		word := os.Expand(words[i], func(name string) string {
			value, ok := os.LookupEnv(name)
			if !ok {
				unset = name
			}
			return value
		})
		if unset != "" {
			return &InputError{Place: place, Reason: "the environment has no variable " + unset,
				Remedy: "set it, or write the path"}
		}
		value := ""
		for _, option := range []string{"-f", "-F", "-I", "-y", "-v", "-D"} {
			if rest, ok := strings.CutPrefix(word, option); ok {
				if word, value = option, rest; rest == "" && i+1 < len(words) {
					i++
					value = words[i]
				}
				break
			}
		}
		if err := l.word(place, folder, word, value); err != nil {
			return err
		}
	}
	return nil
}

func (l *fileLister) word(place, folder, word, value string) error {
	within := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(folder, name)
	}
	switch {
	case word == "-f" || word == "-F":
		return l.read(within(value))
	case word == "-I" || word == "-y":
		l.list.IncludeDirs = append(l.list.IncludeDirs, within(value))
	case word == "-v":
		l.list.Files = append(l.list.Files, within(value))
	case word == "-D":
		l.define(value)
	case strings.HasPrefix(word, "+incdir+"):
		for dir := range strings.SplitSeq(strings.TrimPrefix(word, "+incdir+"), "+") {
			if dir != "" {
				l.list.IncludeDirs = append(l.list.IncludeDirs, within(dir))
			}
		}
	case strings.HasPrefix(word, "+define+"):
		for define := range strings.SplitSeq(strings.TrimPrefix(word, "+define+"), "+") {
			l.define(define)
		}
	case strings.HasPrefix(word, "+libext+"), word == "-sv", word == "-sverilog":
		// Both suffixes are searched in any case, and all files are read as SystemVerilog.
	case strings.HasPrefix(word, "-") || strings.HasPrefix(word, "+"):
		return &InputError{
			Place: place, Reason: fmt.Sprintf("%s is an unknown option", word),
			Remedy: "delete it; known options: -f, -I, -y, -v, -D, +incdir+, +define+, +libext+",
		}
	default:
		l.list.Files = append(l.list.Files, within(word))
	}
	return nil
}

func (l *fileLister) define(text string) {
	name, value, _ := strings.Cut(text, "=")
	if name != "" {
		l.list.Defines[name] = value
	}
}
