package strict

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

type described struct {
	// how many there are, in a
	// second line
	Count int    `json:"count" jsonschema:"maximum=3"`
	Name  string `json:"name" jsonschema:"minLength=1,description=what it is called\\, and a comment does not count"` // a remark
	Bare  int    `json:"bare"`
}

// Declaration would be the file itself, if this were not a test.
func (described) Declaration() string {
	return "package strict\n\ntype other struct{ Count int /* of another type */ }\n\ntype described struct {\n" +
		"\t// how many there are, in a\n\t// second line\n\tCount int `json:\"count\"`\n\tName string // a remark\n\tBare int\n}\n"
}

// TestComment: a key's description is its tag's, otherwise its field's comment.
func TestComment(t *testing.T) {
	var got []string
	for _, f := range Fields(reflect.TypeFor[described]()) {
		got = append(got, f.Limits.Description())
	}
	require.Equal(t, []string{"how many there are, in a second line", "what it is called, and a comment does not count", ""}, got)
	limits := Fields(reflect.TypeFor[described]())[0].Limits
	_, remedy := limits.Refuse(reflect.ValueOf(4))
	require.Contains(t, remedy, "3 (how many there are, in a second line)")
}
