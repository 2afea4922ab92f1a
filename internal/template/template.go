// Package template writes an initial scenario for a user: chosen keys as lines and other keys as comments, each with
// its meaning. It also completes keys and values on a command line.
//
//	settings (of a loaded scenario) + JSON Schema --Write--> YAML
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

// Template is a scenario to write.
type Template struct {
	Head     []string
	Settings []outcome.Setting // settings in the order of the schema
	Keys     []string          // chosen keys; the others become comments
	Notes    map[string]string // by key: text that replaces the key's description
	Tail     []string
}

// columns is the maximum line width, and keyColumns the column of comments.
const columns, keyColumns = 120, 26

// shown lists the parts of a scenario whose unset keys are shown. Other parts show only chosen keys.
var shown = []string{"seed", "fabric", "link", "nic", "firmware", "workload", "stop"}

// Write writes the scenario. Chosen keys are lines; other keys are comments with their current values.
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
	for _, key := range t.Keys { // for an object, the first key below it is chosen
		k := slices.IndexFunc(t.Settings,
			func(x outcome.Setting) bool { return x.Value != nil && strings.HasPrefix(x.Key, key+".") })
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
	active map[string]bool
	last   string
	out    bytes.Buffer
}

func parent(key string) string { return key[:max(strings.LastIndexByte(key, '.'), 0)] }

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

// alive reports whether an unset key has an effect beside the chosen keys. Keys of another workload, of a missing
// part of the firmware, or of the program have none.
func (w *writer) alive(x *outcome.Setting) bool {
	above := parent(x.Key)
	if above == "workload" || above == "firmware" && x.By == outcome.ByProgram {
		return false
	}
	return !strings.Contains(above, ".") || w.active[above]
}

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

func (w *writer) line(key, value string, given bool) {
	depth := strings.Count(key, ".")
	indent := strings.Repeat("  ", depth)
	if !given { // a parent may be a comment, too
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

// Complete returns completions of a word for --set: an object's key with a dot, another key with =, and after that
// the values, if they are words. Each is followed by a tab and its meaning.
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

// schema is the part of a JSON Schema that describes keys.
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

func (s *schema) resolved(of *schema) *schema {
	if name, ok := strings.CutPrefix(of.Ref, "#/$defs/"); ok {
		return s.Defs[name]
	}
	return of
}

// Required returns the required keys of a network, each with its minimum, "" if the value is not a number.
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
