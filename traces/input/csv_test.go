package input

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCSV(t *testing.T) {
	rows, err := CSV([]byte("\ufeffa,b\n1,2\n")).ReadAll()
	require.NoError(t, err)
	require.Equal(t, [][]string{{"a", "b"}, {"1", "2"}}, rows)
	for data, want := range map[string]string{
		"a,b\n1\n":     "t.csv:2:1: wrong number of fields; mend it",
		"a,b\n1,2\"\n": "t.csv:2:4: bare \" in non-quoted-field; mend it",
		"a,\"b\n\n":    "t.csv:2:2: extraneous or missing \" in quoted-field; mend it",
	} {
		_, err := CSV([]byte(data)).ReadAll()
		require.EqualError(t, NotCSV("t.csv", err, "mend it"), want)
	}
	for data, want := range map[string]string{
		"":           "t.csv:1:1: no a",
		"b\n1\n":     "t.csv:1:1: no a",
		"a|b\n1|2\n": "t.csv:1:1: the columns are separated by bars (|); separate them with commas",
		"a\tb\n":     "t.csv:1:1: the columns are separated by tabs; separate them with commas",
		"a,b\n1\n1,2\n3,4\n\"x\n": "t.csv:2:1: the row has 1 fields, but the header row has 2; mend it\nt.csv:4:1: this " +
			"is 3\nt.csv:5:4: extraneous or missing \" in quoted-field; mend it",
	} {
		err := Table("t.csv", []byte(data), "mend it", func(head []string) error {
			if !slices.Contains(head, "a") {
				return &Error{Place: "t.csv:1:1", Reason: "no a"}
			}
			return nil
		}, func(line int, fields []string) error {
			if fields[0] == "3" {
				return &Error{Place: fmt.Sprintf("t.csv:%d:1", line), Reason: "this is 3"}
			}
			return nil
		})
		require.EqualError(t, err, want)
	}
	_, err = CSV(nil).Read()
	require.EqualError(t, NotCSV("t.csv", err, "give rows"), "t.csv: EOF; give rows")
}
