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
