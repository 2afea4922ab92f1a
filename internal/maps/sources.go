package maps

import (
	"fmt"
	"maps"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input/strict"
)

// sources reads names of files, lists of files, and files with a language:
//
//	sources: [a.sv, -f files.f, {file: language_old.v, language: 1364-2001}]
func (d *pinDecoder) sources(n *yaml.Node, where string) error {
	s := &d.m.Source
	return d.List(n, where, func(entry *yaml.Node, _ string) error {
		entry = strict.Target(entry)
		at := fmt.Sprintf("%s[%d]", where, len(s.Files))
		d.m.Places[at] = d.Place(entry)
		if entry.Kind == yaml.MappingNode {
			return d.oneSource(entry, at)
		}
		var text string
		if err := d.Text(entry, at, &text); err != nil {
			return err
		}
		list, ok := strings.CutPrefix(text, "-f ")
		if !ok {
			s.Files = append(s.Files, d.relative(text))
			return nil
		}
		return s.AddList(d.relative(strings.TrimSpace(list)))
	})
}

func (d *pinDecoder) oneSource(n *yaml.Node, where string) error {
	s := &d.m.Source
	var file, language string
	err := d.Keys(n, where, map[string]readNode{
		"file":     d.textTo(&file),
		"language": d.textTo(&language),
	})
	if err != nil {
		return err
	}
	if file == "" {
		return d.Refuse(n, where+" names no file", "write {file: language_old.v, language: 1364-2001}")
	}
	file = d.relative(file)
	s.Files = append(s.Files, file)
	if language != "" {
		languages := maps.Clone(s.Languages)
		if languages == nil {
			languages = map[string]string{}
		}
		languages[file] = language
		s.Languages = languages
	}
	return nil
}
