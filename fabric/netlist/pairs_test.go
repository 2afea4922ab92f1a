package netlist

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input"
	"starloom/traces/input/strict"
)

var full = flag.Bool("full", false, "run the long tests")

// other is the suffix of names in the second file, which makes them distinct from those in the
// first.
const other = "Zz"

// secondLine is far below the last line of a first file.
const secondLine = 1000

// second returns a file as it appears after another one, with other names.
func second(node *yaml.Node) *yaml.Node {
	if node == nil {
		return nil
	}
	node.Line += secondLine
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		switch key.Value {
		case "nodes":
			if value.Kind == yaml.SequenceNode {
				for _, n := range value.Content {
					if name := valueOf(n, "name"); name != nil {
						rename(name)
					}
				}
			}
			for i := 0; value.Kind == yaml.MappingNode && i < len(value.Content); i += 2 {
				rename(value.Content[i])
			}
		case "links":
			for _, l := range value.Content {
				if ends := valueOf(l, "endpoints"); ends != nil {
					l = ends
				}
				for _, end := range l.Content {
					if l.Kind == yaml.SequenceNode && end.Kind == yaml.ScalarNode {
						rename(end)
					}
				}
			}
		case "routes":
			for i := 0; value.Kind == yaml.MappingNode && i+1 < len(value.Content); i += 2 {
				if value.Content[i].Value != "default" && value.Content[i].Value != "file" {
					rename(value.Content[i])
					for k := 0; k < len(value.Content[i+1].Content); k += 2 {
						rename(value.Content[i+1].Content[k])
					}
				}
			}
		case "mesh", "torus", "ring", "tree", "hypercube", "dragonfly":
			if name := valueOf(value, "node"); name != nil {
				rename(name)
			} else if value.Kind == yaml.MappingNode {
				value.Content = append(value.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "node"},
					&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "p" + other})
			}
		}
	}
	var below func(*yaml.Node)
	below = func(n *yaml.Node) {
		for _, child := range n.Content {
			child.Line += secondLine
			below(child)
		}
	}
	below(node)
	return node
}

// rename gives the first word of a name another end.
func rename(node *yaml.Node) {
	end := strings.IndexFunc(node.Value, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r) })
	if end < 0 {
		end = len(node.Value)
	}
	if end > 0 && node.ShortTag() == "!!str" {
		node.Value = node.Value[:end] + other + node.Value[end:]
	}
}

// valueOf is the value of a key, nil for none.
func valueOf(node *yaml.Node, key string) *yaml.Node {
	for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// merged returns a file with the contents of both, or nil if they cannot be combined.
func merged(a, b *yaml.Node) *yaml.Node {
	if a == nil || b == nil || a.Kind != yaml.MappingNode || b.Kind != yaml.MappingNode {
		return nil
	}
	all := *a
	all.Content = slices.Clone(a.Content)
	for i := 0; i+1 < len(b.Content); i += 2 {
		key, value := b.Content[i], b.Content[i+1]
		at := slices.IndexFunc(all.Content,
			func(n *yaml.Node) bool { return n.Value == key.Value && n.Kind == yaml.ScalarNode })
		if at < 0 || at%2 == 1 { // or it is a value
			all.Content = append(all.Content, key, value)
			continue
		}
		mine := *all.Content[at+1]
		switch {
		case (key.Value == "apart" || key.Value == "access") && mine.Value == value.Value:
			continue
		case mine.Kind != value.Kind || mine.Kind == yaml.ScalarNode || !slices.Contains([]string{"nodes", "links", "routes", "kinds"}, key.Value):
			return nil
		}
		mine.Content = slices.Concat(mine.Content, value.Content)
		all.Content[at+1] = &mine
	}
	return &all
}

// number matches the parts of a message that depend on other entries: indices, the start of paths
// and the nearest name.
var number = regexp.MustCompile(`(links|nodes)\[\d+\]|that of [^;]*\.a|did you mean "[^"]*"\? `)

// mistakesOf returns the mistakes of a file as sorted messages.
func mistakesOf(path string, root *yaml.Node) (all []string) {
	_, err := Read(path, root)
	var several *input.Errors
	if errors.As(err, &several) {
		for _, e := range several.List {
			all = append(all, number.ReplaceAllString(strings.ReplaceAll(e.Error(), path, "n.yaml"), "$1"))
		}
		if several.More > 0 {
			all = append(all, "and more")
		}
	} else if err != nil {
		all = append(all, err.Error())
	}
	slices.Sort(all)
	return all
}

// hides lists the mistakes that suppress others: no message depends on values that a mistake leaves
// unknown.
var hides = []struct{ by, hidden string }{
	// Ways are looked at once all nodes and links are right.
	{`.`, `: the routes to .* lead round|: no way leads (to|from) `},
	// An unknown link may lead to any node, as may a link with an unknown end, unless a similar
	// name exists.
	{`: (the end |a link has 1 end|links(\[\d\])? is |links has no endpoints|links.* is the text|there is no node .*; name one|there is no node .*; did)` +
		`|unknown key "node"|p\[0\.\.3\] stands for|nodes (has no name|is the)|the name of a node`,
		`: no link leads to |: no port (hears|sends into) the |is aligned, and only some of its links|: the longest links into|has no port|, which has no outgoing link|: links |: a link has`},
	// An unreadable name may be any other name.
	{`: (nodes |key "a.* is given|the netlist has|the name of a node|the node "|unknown key|(mesh|torus|ring|tree|hypercube|dragonfly)\b|anynet|graphml|missing key|kinds)|\.anynet cannot`,
		`: there is no (node|processor)|: access is mixed|of the kind|routes: dor is of routers`},
	// With a single access, all mistakes of access differ.
	{`.`, `access|: port \d+ of |: the arbiter of|: no link leads to port 0 of a|with one switch|NICs do not request media`},
}

// hidden reports whether hides lists a mistake as suppressed by one of the others.
func hidden(mistake string, by []string) bool {
	for _, h := range hides {
		first, then := regexp.MustCompile(h.by), regexp.MustCompile(h.hidden)
		if then.MatchString(mistake) &&
			slices.ContainsFunc(by, func(other string) bool { return other != mistake && first.MatchString(other) }) {
			return true
		}
	}
	return false
}

// TestPairs combines each two compatible wrong files into one: both mistakes are reported with
// their lines and no third one is, unless hides lists one of them as suppressed by the other.
func TestPairs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.yaml")
	require.NoError(t, os.WriteFile(path, []byte("nodes: {}"), 0o600))
	writeBeside(t, filepath.Dir(path))
	parse := func(text string) *yaml.Node {
		root, err := strict.Document(path, []byte(text), "netlist", "")
		if err != nil || root.Kind != yaml.MappingNode {
			return nil
		}
		return root
	}
	pairs, consequences, step := 0, 0, 151
	if *full {
		step = 1
	}
	for at := 0; at < len(wrong)*len(wrong); at += step {
		first, after := &wrong[at/len(wrong)], &wrong[at%len(wrong)]
		if slices.ContainsFunc([]string{"dimensions", "large torus", "no nodes", "no processor"}, func(name string) bool { return first.name == name || after.name == name }) {
			continue // it has many nodes, or none, which another one would have
		}
		a, c, b, d := parse(first.text), parse(first.mended), second(parse(after.text)), second(parse(after.mended))
		both, one, two, none := merged(a, b), merged(a, d), merged(c, b), merged(c, d)
		if both == nil || one == nil || two == nil || none == nil {
			continue
		}
		if list := mistakesOf(path, none); list != nil && !slices.ContainsFunc(list, func(m string) bool { return !strings.Contains(m, ": no way leads ") }) {
			for _, f := range []*yaml.Node{both, one, two, none} {
				if valueOf(f, "apart") != nil {
					continue
				}
				f.Content = append(f.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "apart"}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
			}
		}
		of, and := mistakesOf(path, one), mistakesOf(path, two)
		if of == nil || and == nil || mistakesOf(path, none) != nil {
			continue // the mended file of the other one mends, or breaks, something
		}
		pairs++
		got := mistakesOf(path, both)
		want := slices.Concat(of, and)
		for _, mistake := range want {
			if !slices.Contains(got, mistake) {
				consequences++
				assert.True(t, hidden(mistake, want), "%s and %s: not told: %s\ntold: %s\n%s\n\n%s", first.name, after.name, mistake, strings.Join(got, "\n      "), first.text, after.text)
			}
		}
		for _, mistake := range got {
			if !slices.Contains(want, mistake) {
				assert.True(t, hidden(mistake, want), "%s and %s: told, and not there: %s\n%s\n\n%s", first.name, after.name, mistake, first.text, after.text)
			}
		}
	}
	t.Logf("%d pairs, %d consequences", pairs, consequences)
	require.Greater(t, pairs, 100)
	require.Less(t, consequences, pairs/10)
}
