package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input"
)

// Document returns the only YAML document in data. what is its noun ("scenario"); remedy applies to a missing
// document.
func Document(place string, data []byte, what, remedy string) (*yaml.Node, error) {
	if strings.HasSuffix(place, ".wasm") {
		return nil, input.Mistake(place, "this is firmware, not a "+what,
			fmt.Sprintf("give a scenario and this file: starloom run SCENARIO --firmware %s", place))
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, SyntaxError(place, data, err)
	}
	var document, second yaml.Node
	err = loader.Load(&document)
	if err == nil && len(document.Content) == 0 {
		err = io.EOF
	}
	if err == nil && document.Content[0].Kind == yaml.ScalarNode && document.Content[0].ShortTag() == "!!null" {
		err = io.EOF
	}
	if errors.Is(err, io.EOF) {
		return nil, input.Mistake(place+":1:1", "the "+what+" is empty", remedy)
	}
	if err != nil {
		return nil, notYAML(place, data, what, err)
	}
	oneLine(document.Content[0], data)
	if err := mistaken(place, document.Content[0], what); err != nil {
		return nil, err
	}
	if root := document.Content[0]; root.Kind == yaml.ScalarNode && what != "value" {
		if remedy := spaceless(root.Value); remedy != "" {
			return nil, &input.Error{Place: fmt.Sprintf("%s:%d:%d", place, root.Line, root.Column), Reason: "a colon without " +
				"a space after it", Remedy: remedy}
		}
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, input.Mistake(fmt.Sprintf("%s:%d:%d", place, second.Line, second.Column),
			"a second document starts here", "write one "+what+" per file")
	case !errors.Is(err, io.EOF):
		return nil, SyntaxError(place, data, err)
	}
	if err := RefuseTags(place, document.Content[0]); err != nil {
		return nil, err
	}
	return document.Content[0], nil
}

// oneLine shortens a text-only document to its first line, for quotation.
func oneLine(root *yaml.Node, data []byte) {
	if lines := bytes.SplitN(data, []byte("\n"), root.Line+1); root.Kind == yaml.ScalarNode &&
		root.Line >= 1 && root.Line < len(lines) {
		first, _, _ := strings.Cut(root.Value, "\n")
		root.Value = first[:min(len(first), len(lines[root.Line-1]))]
	}
}

// notYAML returns a SyntaxError. The remedy differs for a file whose name is not that of a scenario.
func notYAML(place string, data []byte, what string, err error) *input.Error {
	e := SyntaxError(place, data, err)
	if what == "scenario" &&
		!slices.Contains([]string{".yaml", ".yml", ".json", ""}, strings.ToLower(filepath.Ext(place))) {
		e.Remedy = "give a scenario; 'starloom new' writes one"
	}
	return e
}

// kinds are kinds of files for commands, identified by a present key and by absent keys of other kinds.
var kinds = []struct {
	name, key string
	lacks     []string
	command   string // command with the file's path
}{
	{"sweep", "axes", []string{"fabric", "model"}, "starloom sweep %s --out DIR"},
	{"scenario", "fabric", []string{"axes", "scenario", "model"}, "starloom run %s"},
	{"pin map", "model", []string{"fabric", "axes", "scenario", "starloom"}, "starloom cosim check %s"},
}

func mistaken(place string, root *yaml.Node, what string) error {
	if !slices.Contains([]string{"sweep", "scenario", "pin map"}, what) {
		return nil
	}
	for _, k := range kinds {
		if k.name != what && Has(root, k.key) &&
			!slices.ContainsFunc(k.lacks, func(key string) bool { return Has(root, key) }) {
			return input.Mistake(place, fmt.Sprintf("this is a %s, not a %s", k.name, what),
				"run it: "+fmt.Sprintf(k.command, input.Operand(place)))
		}
	}
	return nil
}

// RefuseTags rejects all tags except those of maps, lists and plain values, because the meaning of other tags would
// be lost.
func RefuseTags(place string, root *yaml.Node) error {
	waiting := []*yaml.Node{root} // not recursive: a document may be deep
	for len(waiting) > 0 {
		node := waiting[len(waiting)-1]
		waiting = append(waiting[:len(waiting)-1], node.Content...)
		tag := node.ShortTag()
		switch node.Kind {
		case yaml.MappingNode:
			if tag == "!!map" {
				continue
			}
		case yaml.SequenceNode:
			if tag == "!!seq" {
				continue
			}
		case yaml.ScalarNode:
			if slices.Contains(plainTags, tag) {
				continue
			}
		default:
			continue
		}
		return input.Mistake(fmt.Sprintf("%s:%d:%d", place, node.Line, node.Column),
			fmt.Sprintf("the tag %s is not supported", Clip(tag)), "delete it")
	}
	return nil
}

var plainTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!merge", "!!binary"}

// SyntaxError converts an error of the YAML library to an error with a place.
func SyntaxError(place string, data []byte, err error) *input.Error {
	if bytes.IndexByte(data, 0) >= 0 {
		return input.Mistake(place, "a binary file, not a text", "give the path of a YAML file")
	}
	reason, remedy := err.Error(), "correct the syntax"
	var load *yaml.LoadError
	if errors.As(err, &load) {
		reason = load.Message
		if load.ContextMsg != "" {
			reason += " " + load.ContextMsg
		}
		line, column := load.Mark.Line, load.Mark.Column
		if line == 0 && load.Mark.Index > 0 && load.Mark.Index <= len(data) {
			// The library's reader, which detects invalid UTF-8, counts only bytes.
			before := data[:load.Mark.Index]
			line = 1 + bytes.Count(before, []byte("\n"))
			column = len(before) - bytes.LastIndexByte(before, '\n')
		}
		if line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, line, max(column, 1))
		}
		switch near, at := lines(data, line), 0; {
		case indexed(data, line, column):
			remedy = `put names with brackets into quotes, as "p[0]"`
		case tabbed(near):
			reason, remedy = "a tab in the indentation", "indent with spaces"
		default:
			for at = len(near) - 1; at >= 0 && spaceless(near[at]) == ""; at-- {
			}
			if at >= 0 {
				place, _, _ = strings.Cut(place, fmt.Sprintf(":%d:", line))
				place = fmt.Sprintf("%s:%d:1", place, line-len(near)+1+at)
				reason, remedy = "a colon without a space after it", spaceless(near[at])
			}
		}
	}
	return input.Mistake(place, "not YAML: "+reason, remedy)
}

func lines(data []byte, line int) []string {
	all := strings.Split(string(data), "\n")
	end := min(max(line, 1), len(all))
	return all[max(end-2, 0):end]
}

func tabbed(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		return strings.Contains(line[:len(line)-len(strings.TrimLeft(line, " \t"))], "\t")
	})
}

func indexed(data []byte, line, column int) bool {
	for range line - 1 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	data, _, _ = bytes.Cut(data, []byte("\n"))
	text := []rune(string(data))
	return column > 1 && column <= len(text) && text[column-1] == '[' &&
		(unicode.IsLetter(text[column-2]) || unicode.IsDigit(text[column-2]))
}
