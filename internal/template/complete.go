package template

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
