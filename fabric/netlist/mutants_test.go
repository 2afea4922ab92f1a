package netlist

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input/strict"
)

// parts returns a tree and all its descendants.
func parts(root *yaml.Node) (all []*yaml.Node) {
	all = append(all, root)
	for _, child := range root.Content {
		all = append(all, parts(child)...)
	}
	return all
}

// copied returns a deep copy of a tree.
func copied(root *yaml.Node) *yaml.Node {
	c := *root
	c.Content = make([]*yaml.Node, len(root.Content))
	for i, child := range root.Content {
		c.Content[i] = copied(child)
	}
	return &c
}

// mutate replaces a part of a tree by a part of another one, or removes it; keys of objects stay
// with their values.
func mutate(draw *rand.Rand, root, other *yaml.Node) {
	of, from := parts(root), parts(other)
	at := of[draw.IntN(len(of))]
	with := copied(from[draw.IntN(len(from))])
	switch pairs := len(at.Content) / 2; {
	case at.Kind == yaml.MappingNode && pairs > 0 && draw.IntN(3) == 0:
		k := 2 * draw.IntN(pairs)
		at.Content = slices.Delete(at.Content, k, k+2)
	case at.Kind == yaml.MappingNode && other.Kind == yaml.MappingNode && len(other.Content) > 0 && draw.IntN(2) == 0:
		k := 2 * draw.IntN(len(other.Content)/2)
		at.Content = append(at.Content, copied(other.Content[k]), copied(other.Content[k+1]))
	case at.Kind == yaml.SequenceNode && draw.IntN(2) == 0:
		at.Content = append(at.Content, with)
	default:
		*at = *with
	}
}

// TestMutants: a netlist with a part removed or moved is read or rejected.
func TestMutants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.yaml")
	require.NoError(t, os.WriteFile(path, []byte("nodes: {}"), 0o600))
	writeBeside(t, filepath.Dir(path))
	texts := []string{square + `routes: {"r[0]": {"p[2]": west, "p[3]": "east:1..2"}, "r[1..2]": {"p[3]": "0:3"}}`,
		`nodes: {"r[0..1]": router, "p[0..3]": processor, s: star, q: {kind: bus, arbiter: fixed}}` + "\n" +
			`links: [["p[0..1]:0", "r[0]"], ["p[2..3]:0", "r[1]"], ["r[0]", "r[1]"], ["p[0..3]:1", s], ["p[0..2]:2", q]]` + "\nrouter: {vcs: 4, classes: 2}\nstreaming: {tick: 4}",
		"mesh: {k: [3, 2]}\nrouter: {vcs: 4}\nstreaming: {ports: 2}\nroutes: {default: dor, 'p[0]': {'p[5]': east}}", "anynet: g.anynet\nrouter: {}\nroutes: shortest"}
	for _, w := range wrong {
		texts = append(texts, w.text, w.mended)
	}
	large := regexp.MustCompile(`[0-9]{3}|[7-9][0-9]`)
	var roots []*yaml.Node
	for _, text := range texts {
		if root, err := strict.Document(path, []byte(text), "netlist", ""); err == nil && !large.MatchString(text) {
			roots = append(roots, root)
		}
	}
	count, read := 300, 0
	if *full {
		count = 100000
	}
	draw := rand.New(rand.NewPCG(26, 9))
	for range count {
		root := copied(roots[draw.IntN(len(roots))])
		for range 1 + draw.IntN(4) {
			mutate(draw, root, roots[draw.IntN(len(roots))])
		}
		text, err := yaml.Marshal(root)
		require.NoError(t, err)
		func() {
			defer func() {
				if value := recover(); value != nil {
					t.Fatalf("%v\n%s", value, text)
				}
			}()
			n, err := Read(path, root)
			if err == nil {
				read++
				require.NotEmpty(t, n.Net().Processors, "%s", text)
				return
			}
			require.NotEmpty(t, err.Error())
		}()
	}
	require.Positive(t, read)
	t.Logf("%d of %d are read", read, count)
}
