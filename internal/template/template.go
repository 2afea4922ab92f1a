package template

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"starloom/fabric/outcome"
	"starloom/traces/input/strict"
)

// Template is a scenario that is to be written.
type Template struct {
	Head     []string          // paragraphs that stand before everything
	Settings []outcome.Setting // of the scenario, in the order of the schema
	Keys     []string          // those that are given; the others are comments
	Notes    map[string]string // what is said of a key in the place of its description
	Tail     []string          // paragraphs that stand after everything
}

// columns is how wide lines may be, keyColumns where comments begin.
const columns, keyColumns = 120, 26

// shown are the parts of a scenario whose keys are shown if they are not given; of others only what is given.
var shown = []string{"seed", "fabric", "link", "nic", "firmware", "workload", "stop"}

// Write writes the scenario. Keys that are given are lines; those that are not are comments with what they are then.
func (t *Template) Write(schemaJSON []byte) ([]byte, error) {
	s, err := readSchema(schemaJSON)
	if err != nil {
		return nil, err
	}
	w := writer{Template: t, schema: s, active: map[string]bool{}}
	for i := range t.Settings {
		if x := &t.Settings[i]; w.stated(x) {
			w.activate(x.Key)
		}
	}
	for _, key := range t.Keys { // what is given without keys below it gets the first of them
		k := slices.IndexFunc(t.Settings, func(x outcome.Setting) bool { return x.Value != nil && strings.HasPrefix(x.Key, key+".") })
		if k >= 0 && !w.active[key] {
			w.activate(t.Settings[k].Key)
		}
	}
	w.paragraphs(t.Head)
	for i := range t.Settings {
		if err := w.setting(&t.Settings[i]); err != nil {
			return nil, err
		}
	}
	w.out.WriteByte('\n')
	w.paragraphs(t.Tail)
	return w.out.Bytes(), nil
}

type writer struct {
	*Template
	schema *schema
	active map[string]bool // keys that are given, or above one that is
	last   string          // the key of the line before
	out    bytes.Buffer
}

func parent(key string) string { return key[:max(strings.LastIndexByte(key, '.'), 0)] }

// stated reports whether a setting stands in the scenario, and is not what follows from it.
func (w *writer) stated(x *outcome.Setting) bool {
	return x.Value != nil && (x.Key == "starloom" || x.By == outcome.ByOption)
}

func (w *writer) activate(key string) {
	for ; key != ""; key = parent(key) {
		w.active[key] = true
	}
}

func (w *writer) setting(x *outcome.Setting) error {
	part, _, _ := strings.Cut(x.Key, ".")
	given := w.active[x.Key]
	if !given && (x.Value == nil || !slices.Contains(shown, part) || !w.alive(x)) {
		return nil
	}
	data, err := json.Marshal(map[string]any{"x": x.Value})
	if err != nil {
		return err
	}
	keys, err := strict.Keys(json.RawMessage(data))
	if err != nil {
		return err
	}
	text, err := strict.WriteYAML(keys)
	if err != nil {
		return err
	}
	value := strings.TrimSpace(strings.TrimPrefix(string(text), "x:"))
	w.above(x.Key)
	w.line(x.Key, value, given)
	w.last = x.Key
	return nil
}

// alive reports whether a key that is not given means something beside those that are: no key of another workload or of a part
// of the firmware that is not there, and none that is the program's.
func (w *writer) alive(x *outcome.Setting) bool {
	above := parent(x.Key)
	if above == "workload" || above == "firmware" && x.By == outcome.ByProgram {
		return false
	}
	return !strings.Contains(above, ".") || w.active[above]
}

// above writes the lines of the keys above one, as far as the line before has not got them.
func (w *writer) above(key string) {
	words := strings.Split(key, ".")
	if first := strings.Split(w.last, ".")[0]; first != words[0] && (len(words) > 1 || strings.Contains(w.last, ".")) {
		w.out.WriteByte('\n')
	}
	for n := 1; n < len(words); n++ {
		head := strings.Join(words[:n], ".")
		if w.last != head && !strings.HasPrefix(w.last, head+".") {
			w.line(head, "", w.active[head])
		}
	}
}

// line writes a key with its value and what it means, beside it or, where that is too wide, below.
func (w *writer) line(key, value string, given bool) {
	depth := strings.Count(key, ".")
	indent := strings.Repeat("  ", depth)
	if !given { // what is above is a comment, too, or not
		under := 0
		for above := parent(key); above != "" && !w.active[above]; above = parent(above) {
			under++
		}
		indent = strings.Repeat("  ", depth-under) + "# " + strings.Repeat("  ", under)
	}
	text := indent + key[strings.LastIndexByte(key, '.')+1:] + ":"
	if value != "" {
		text += " " + value
	}
	about := w.Notes[key]
	if about == "" {
		if s := w.schema.at(key); s != nil {
			about = s.Description
		}
	}
	switch {
	case about == "":
		w.out.WriteString(text + "\n")
	case max(utf8.RuneCountInString(text), keyColumns)+len(" # ")+utf8.RuneCountInString(about) <= columns:
		fmt.Fprintf(&w.out, "%-*s # %s\n", keyColumns, text, about)
	default:
		w.out.WriteString(text + "\n")
		blanks, rest := len(indent)-len(strings.TrimLeft(indent, " ")), strings.Count(indent, "  ")
		w.comment(strings.Repeat(" ", blanks), strings.Repeat("  ", rest-blanks/2+1), about)
	}
}

// paragraphs writes comments, with an empty one between them and a line after them.
func (w *writer) paragraphs(all []string) {
	for i, text := range all {
		if i > 0 {
			w.out.WriteString("#\n")
		}
		w.comment("", "", text)
	}
	if len(all) > 0 {
		w.out.WriteByte('\n')
	}
}

// comment writes text as lines of comments, with blanks before and after the #.
func (w *writer) comment(before, after, text string) {
	indent := before + "#" + after
	line := indent
	for word := range strings.FieldsSeq(text) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns {
			w.out.WriteString(line + "\n")
			line = indent
		}
		line += " " + word
	}
	w.out.WriteString(line + "\n")
}

// Complete returns how a word that --set takes may go on: a key that has others below it with a dot, another with =, and after
// that the values that the key may have, if they are words. Each is followed by a tab and what it means.
func Complete(schemaJSON []byte, word string) ([]string, error) {
	s, err := readSchema(schemaJSON)
	if err != nil {
		return nil, err
	}
	if key, _, valued := strings.Cut(word, "="); valued {
		return s.values(key), nil
	}
	above := parent(word)
	at := s.resolved(s)
	if above != "" {
		at = s.at(above)
	}
	if at == nil {
		return nil, nil
	}
	var all []string
	for _, key := range slices.Sorted(maps.Keys(at.Properties)) {
		path, ending := strings.TrimPrefix(above+"."+key, "."), "="
		x := s.at(path)
		if x != nil && len(x.Properties) > 0 {
			ending = "."
		}
		about := ""
		if x != nil {
			about = x.Description
		}
		all = append(all, path+ending+"\t"+about)
	}
	return all, nil
}

// values are the words that a key may have.
func (s *schema) values(key string) (all []string) {
	x := s.at(key)
	if x == nil {
		return nil
	}
	if x.Type == "boolean" {
		return []string{key + "=true", key + "=false"}
	}
	for _, one := range append([]*schema{x}, x.OneOf...) {
		for _, value := range one.Enum {
			all = append(all, key+"="+text(value))
		}
	}
	return all
}

func text(value any) string {
	if word, ok := value.(string); ok {
		return word
	}
	if data, err := json.Marshal(value); err == nil {
		return string(data)
	}
	return fmt.Sprint(value)
}

// schema is what is read of a JSON Schema: what keys mean.
type schema struct {
	Ref         string             `json:"$ref"`
	Description string             `json:"description"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Minimum     json.Number        `json:"minimum"`
	Type        any                `json:"type"`
	Enum        []any              `json:"enum"`
	OneOf       []*schema          `json:"oneOf"`
	Defs        map[string]*schema `json:"$defs"`
}

func readSchema(data []byte) (s *schema, err error) {
	err = json.Unmarshal(data, &s)
	return s, err
}

// at is the schema of a key with dots, nil for none.
func (s *schema) at(key string) *schema {
	now := s.resolved(s)
	for word := range strings.SplitSeq(key, ".") {
		if now == nil {
			return nil
		}
		if now = now.Properties[word]; now == nil {
			return nil
		}
		if target := s.resolved(now); target != now {
			whole := *target
			if now.Description != "" {
				whole.Description = now.Description
			}
			now = &whole
		}
	}
	return now
}

// resolved is what a schema refers to, itself if it refers to nothing.
func (s *schema) resolved(of *schema) *schema {
	if name, ok := strings.CutPrefix(of.Ref, "#/$defs/"); ok {
		return s.Defs[name]
	}
	return of
}

// Required are the keys of a network that a scenario must have, each with the smallest value that it may have, "" if it is not a number.
func Required(data []byte, kind string) (keys []string, least map[string]string, err error) {
	s, err := readSchema(data)
	if err != nil {
		return nil, nil, err
	}
	network := s.at("fabric." + kind)
	if network == nil {
		return nil, nil, nil
	}
	least = map[string]string{}
	for _, key := range network.Required {
		keys = append(keys, key)
		if p := network.Properties[key]; p != nil {
			least[key] = p.Minimum.String()
		}
	}
	return keys, least, nil
}
