package strict

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input"
)

// Methods that read maps, one for each kind of value. where is the name of the value in errors.

// Keys decodes an object with the given keys.
func (d *Decoder) Keys(node *yaml.Node, where string, keys map[string]func(*yaml.Node, string) error) error {
	node = Target(node)
	if node.Kind != yaml.MappingNode {
		return d.Wrong(node, where, "an object: {...}")
	}
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, err := d.Key(node.Content[i], where, seen)
		if err != nil {
			return err
		}
		read, ok := keys[key]
		if !ok {
			return d.unknown(node.Content[i], node.Content[i+1], where, allowedWords(key, keys))
		}
		if err := read(Target(node.Content[i+1]), key); err != nil {
			return err
		}
	}
	return nil
}

func allowedWords[V any](key string, keys map[string]V) string {
	words := make([]string, 0, len(keys))
	for word := range keys {
		words = append(words, word)
	}
	slices.Sort(words)
	return input.DidYouMean(key, words, "leave it out, or write one of "+strings.Join(words, ", "))
}

// List decodes each entry of a list.
func (d *Decoder) List(node *yaml.Node, where string, read func(*yaml.Node, string) error) error {
	if node.Kind != yaml.SequenceNode {
		return d.Wrong(node, where, "a list: [...]")
	}
	for i, entry := range node.Content {
		if err := read(Target(entry), fmt.Sprintf("%s[%d]", where, i)); err != nil {
			return err
		}
	}
	return nil
}

// Text decodes a non-empty text.
func (d *Decoder) Text(node *yaml.Node, where string, to *string) error {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" {
		return d.Wrong(node, where, "a text")
	}
	if node.Value == "" {
		return d.Wrong(node, where, "one that is not empty")
	}
	*to = node.Value
	return nil
}

// Texts decodes a list of texts.
func (d *Decoder) Texts(node *yaml.Node, where string, to *[]string) error {
	return d.List(node, where, func(entry *yaml.Node, where string) error {
		var text string
		err := d.Text(entry, where, &text)
		*to = append(*to, text)
		return err
	})
}

// Bool decodes true or false.
func (d *Decoder) Bool(node *yaml.Node, where string, to *bool) error {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" {
		return d.Wrong(node, where, "true or false")
	}
	*to = node.Value == "true"
	return nil
}

// Natural decodes an integer from 0 to limit.
func (d *Decoder) Natural(node *yaml.Node, where string, limit uint64, to *uint64) error {
	number, err := d.Integer(node, where, Span{Max: limit})
	*to = number.Magnitude
	return err
}

// Word decodes one of some words and returns its index.
func (d *Decoder) Word(node *yaml.Node, where string, words ...string) (int, error) {
	i := slices.Index(words, node.Value)
	if node.Kind != yaml.ScalarNode || i < 0 {
		return 0, d.Wrong(node, where, strings.Join(words, " or "))
	}
	return i, nil
}

// Read reads a map from a file or standard input. It returns the name for errors.
func Read(path, remedy string) (data []byte, name string, err error) {
	data, name, err = input.Argument(path, MapBytesMax)
	if err != nil {
		return nil, name, input.Unreadable(name, err, remedy)
	}
	return data, name, nil
}

// Parse parses the only document of a file. Keys and numbers have the syntax of scenarios.
func Parse(path string, data []byte, what, remedy string) (*Decoder, *yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, nil, SyntaxError(path, data, err)
	}
	if len(document.Content) == 0 {
		return nil, nil, input.Mistake(path+":1:1", what+" is empty", remedy)
	}
	oneLine(document.Content[0], data)
	if err := mistaken(path, document.Content[0], strings.TrimPrefix(what, "the ")); err != nil {
		return nil, nil, err
	}
	if err := RefuseTags(path, document.Content[0]); err != nil {
		return nil, nil, err
	}
	return &Decoder{File: path}, document.Content[0], nil
}

// MapBytesMax is the maximum size of a map in bytes.
const MapBytesMax = 16 << 20

// Permutation parses one destination per line. It returns the destinations and the line of the first. A first line
// without a leading digit is a header. Blank lines are allowed only at the end.
func Permutation(path string, data []byte) (list []uint32, firstLine int, err error) {
	text := strings.TrimPrefix(string(data), "\uFEFF") // spreadsheets write a byte order mark
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	firstLine = 1
	if first := strings.TrimSpace(lines[0]); first != "" && (first[0] < '0' || first[0] > '9') &&
		first[0] != '-' && first[0] != '+' {
		firstLine, lines = 2, lines[1:]
	}
	list = make([]uint32, 0, len(lines))
	for i, line := range lines {
		text := strings.TrimSpace(line)
		value, err := strconv.ParseUint(text, 10, 32)
		if err != nil || value > DestinationMax {
			return nil, 0, input.Mistake(fmt.Sprintf("%s:%d:1", path, firstLine+i),
				fmt.Sprintf("%q is not a destination", Clip(text)), "write one processor number per line, 0 or more")
		}
		list = append(list, uint32(value))
	}
	return list, firstLine, nil
}

// DestinationMax is the maximum destination of all fabrics, because the last two 32-bit addresses are reserved.
const DestinationMax = math.MaxUint32 - 2
