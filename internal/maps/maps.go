// Package maps reads files that name signals or pins: pin maps of RTL, and the maps of `trace diff` and `trace
// decode`. Every error has file, line and column.
package maps

import (
	"fmt"
	"path/filepath"

	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim/pinmap"
	"starloom/traces/input/strict"
)

type decoder struct{ *strict.Decoder }

type readNode = func(*yaml.Node, string) error

const traceMapRemedy = "give the path of a map; `starloom trace diff --help --all` and " +
	"`starloom trace decode --help --all` show one"

func parse(path string, data []byte, what, remedy string) (*decoder, *yaml.Node, error) {
	d, root, err := strict.Parse(path, data, what, remedy)
	if err != nil {
		return nil, nil, err
	}
	return &decoder{d}, root, nil
}

// FabricKey returns the key that only scenarios have, nil for none.
func FabricKey(root *yaml.Node) *yaml.Node {
	for i := 0; root.Kind == yaml.MappingNode && i < len(root.Content); i += 2 {
		if root.Content[i].Value == "fabric" {
			return root.Content[i]
		}
	}
	return nil
}

type pinDecoder struct {
	*decoder
	m      *pinmap.Map
	folder string
	sides  map[string]*pinmap.Stream
}

func (d *pinDecoder) textTo(to *string) readNode {
	return func(n *yaml.Node, where string) error { return d.Text(n, where, to) }
}

func (d *pinDecoder) each(read func(n *yaml.Node, key, where string) error) readNode {
	return func(n *yaml.Node, where string) error {
		if n.Kind != yaml.MappingNode {
			return d.Wrong(n, where, "an object: {NAME: VALUE}")
		}
		seen := map[string]string{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, err := d.Key(n.Content[i], where, seen)
			if err != nil {
				return err
			}
			at := strict.Join(where, key)
			d.m.Places[at] = d.Place(n.Content[i])
			if err := read(strict.Target(n.Content[i+1]), key, at); err != nil {
				return err
			}
		}
		return nil
	}
}

func (d *pinDecoder) integerTo(n *yaml.Node, where string, to map[string]int, key string,
	least int64, most uint64) error {
	number, err := d.Integer(n, where, strict.Span{Min: least, Max: most})
	to[key] = int(number.Int64())
	return err
}

func (d *pinDecoder) noted(n *yaml.Node, where string, to *[]string) error {
	if err := d.Texts(n, where, to); err != nil {
		return err
	}
	for i, entry := range n.Content {
		d.m.Places[fmt.Sprintf("%s[%d]", where, i)] = d.Place(entry)
	}
	return nil
}

func (d *pinDecoder) pathsTo(to *[]string) readNode {
	return func(n *yaml.Node, where string) error {
		var paths []string
		err := d.noted(n, where, &paths)
		for _, path := range paths {
			*to = append(*to, d.relative(path))
		}
		return err
	}
}

func (d *pinDecoder) relative(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.folder, path)
}
