package strict

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v4"
)

// assigned returns a document with assignments, as JSON, and the original.
func assigned(t *testing.T, text string, all ...Assignment) (after, before string, err error) {
	t.Helper()
	root, err := Document("f.yaml", []byte(text), "file", "")
	require.NoError(t, err)
	d := &Decoder{File: "f.yaml", Whole: "the file"}
	changed, err := d.Assign(root, all, map[string][]string{"kinds": nil, "list[]": {"a", "b"}})
	if err != nil {
		return "", jsonOf(t, root), err
	}
	return jsonOf(t, changed), jsonOf(t, root), nil
}

func jsonOf(t *testing.T, node *yaml.Node) string {
	t.Helper()
	var value any
	require.NoError(t, node.Decode(&value))
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

// TestAssign: the original document is unchanged, also if anchors share parts of it.
func TestAssign(t *testing.T) {
	for _, c := range []struct {
		name, text string
		set        []Assignment
		want       string
	}{
		{"value", "a: {b: 1, c: 2}", []Assignment{{Key: "a.b", Value: "3"}}, "a: {b: 3, c: 2}\n"},
		{"new objects", "a: 1", []Assignment{{Key: "b.c.d", Value: "x"}}, "a: 1\nb:\n    c:\n        d: x\n"},
		{"empty", "a:\nb: 1", []Assignment{{Key: "a.c", Value: "2"}}, "a:\n    c: 2\nb: 1\n"},
		{"unset", "a: 1\nb: {c: 2, d: 3}", []Assignment{{Key: "a", Value: "null"}, {Key: "b.c", Value: "~"}}, "b: {d: 3}\n"},
		{"unset what is not there", "a: 1", []Assignment{{Key: "b.c", Value: "null"}, {Key: "kinds", Value: "null"}}, "a: 1\n"},
		{"entry", "a: [1, 2]", []Assignment{{Key: "a[1]", Value: "3"}, {Key: "a[2]", Value: "4"}}, "a: [1, 3, 4]\n"},
		{"lists of lists", "a: [[1], [2]]", []Assignment{{Key: "a[1][1]", Value: "3"}}, "a: [[1], [2, 3]]\n"},
		{"new list", "a: 1", []Assignment{{Key: "b[0].c", Value: "2"}, {Key: "b[0].d", Value: "3"}}, "a: 1\nb:\n    - c: 2\n      d: 3\n"},
		{"whole, then a part", "a: {b: 1}", []Assignment{{Key: "a", Value: "{c: 2}"}, {Key: "a.c", Value: "[3]"}}, "a: {c: [3]}\n"},
		{"anchor", "a: &x {b: 1}\nc: *x", []Assignment{{Key: "a.b", Value: "2"}}, "a: {b: 2}\nc: {b: 1}\n"},
		{"alias", "a: &x {b: 1}\nc: *x", []Assignment{{Key: "c.b", Value: "2"}}, "a: {b: 1}\nc: {b: 2}\n"},
		{"glob", "a: 1", []Assignment{{Key: "a", Value: "**.nic[*]"}}, "a: \"**.nic[*]\"\n"},
		{"rivals", "kinds: {p: 1, q: 2}", []Assignment{{Key: "kinds.r", Value: "3"}}, "kinds: {r: 3}\n"},
		{"rivals that are assigned", "kinds: {p: 1, q: 2}", []Assignment{{Key: "kinds.r.s", Value: "3"}, {Key: "kinds.q", Value: "4"}}, "kinds: {q: 4, r: {s: 3}}\n"},
		{"rivals of an entry", "list: [{}, {a: 1, c: 2}]", []Assignment{{Key: "list[1].b", Value: "3"}}, "list: [{}, {c: 2, b: 3}]\n"},
		{"no rivals", "list: [{a: 1, c: 2}]", []Assignment{{Key: "list[0].c", Value: "3"}}, "list: [{a: 1, c: 3}]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, untouched, err := assigned(t, c.text)
			require.NoError(t, err)
			after, before, err := assigned(t, c.text, c.set...)
			require.NoError(t, err)
			require.YAMLEq(t, c.want, after)
			require.Equal(t, untouched, before)
		})
	}
}

// TestAssignRefuses: errors have the place of the assignment.
func TestAssignRefuses(t *testing.T) {
	for _, c := range []struct {
		text string
		set  []Assignment
		want string
	}{
		{"a: 1", []Assignment{{Key: "", Value: "1"}}, `--set =1: "" is not the path of a key; write the full path of the key, such as nic.rx_frames or rtl[0].replace`},
		{"a: 1", []Assignment{{Key: "a..b", Value: "1"}}, `--set a..b=1: "a..b" is not the path of a key; write`},
		{"a: 1", []Assignment{{Key: "a[x]", Value: "1"}}, `--set a[x]=1: "a[x]" is not the path of a key; write`},
		{"a: 1", []Assignment{{Key: "a[0", Value: "1"}}, `--set a[0=1: "a[0" is not the path of a key; write`},
		{"a: 1", []Assignment{{Key: "a[0]b", Value: "1"}}, `--set a[0]b=1: "a[0]b" is not the path of a key; write`},
		{"a: 1", []Assignment{{Key: "a[]", Value: "1"}}, `--set a[]=1: "a[]" is not the path of a key; write`},
		{"a: 1", []Assignment{{Key: "a[99999999999]", Value: "1"}}, `"a[99999999999]" is not the path of a key; write`},
		{"a: 1", []Assignment{{Key: "[0]", Value: "1"}}, `--set [0]=1: "[0]" is not the path of a key; write`},
		{"a: [1]", []Assignment{{Key: "a[2]", Value: "1"}}, "--set a[2]=1: a[2] is beyond the end of the list; the next entry is a[1]"},
		{"a: 1", []Assignment{{Key: "a.b", Value: "1"}}, "--set a.b=1: a is 1; give it as a whole: a=..."},
		{"a: [1]", []Assignment{{Key: "a.b", Value: "1"}}, "--set a.b=1: a is a list; write a[0] for its first entry"},
		{"a: {b: 1}", []Assignment{{Key: "a[0]", Value: "1"}}, "--set a[0]=1: a is an object; name one of its keys: a.KEY"},
		{"[1]", []Assignment{{Key: "a", Value: "1"}}, "--set a=1: the file is a list; write an object: {...}"},
		{"a: 1", []Assignment{{Key: "a", Value: "1"}, {Key: "a", Value: "2"}}, "--set a=2: a has another value already; give a key once, and an object before its keys"},
		{"a: [1]", []Assignment{{Key: "a[0]", Value: "1"}, {Key: "a[00]", Value: "2"}}, "--set a[00]=2: a[0] has another value already; give"},
		{"a: {}", []Assignment{{Key: "a.b", Value: "1"}, {Key: "a", Value: "{}"}}, "--set a={}: a.b has another value already; give"},
		{"a: 1", []Assignment{{Key: "a", Value: ""}}, "--set a=: the value is empty; write the value as in a file, or null to delete the key"},
		{"a: [1]", []Assignment{{Key: "a[0]", Value: "null"}}, "--set a[0]=null: a[0] is an entry of a list, which has no key to delete; give the whole list: a=[...]"},
		{"a: 1", []Assignment{{Key: "a", Value: "{"}}, "--set a={: not YAML: "},
		{"a: 1", []Assignment{{Key: "a", Value: "b # c"}}, "--set a=b # c: what follows # is a comment; write a text with # in double quotes"},
		{"a: 1", []Assignment{{Key: "a", Value: "[!x 1]"}}, "--set a=[!x 1]: the tag !x is not supported; delete it"},
		{"a: 1", []Assignment{{Key: "a", Value: "{", Place: "sweep.yaml:3:9"}}, "sweep.yaml:3:9: not YAML: "},
	} {
		_, _, err := assigned(t, c.text, c.set...)
		require.ErrorContains(t, err, c.want)
	}
}
